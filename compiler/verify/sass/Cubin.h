// The functions in a cubin: an ELF file whose sections .text.NAME hold the
// machine code of one kernel each.
#ifndef TLC_COMPILER_VERIFY_SASS_CUBIN_H
#define TLC_COMPILER_VERIFY_SASS_CUBIN_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tlc::sass {

/// `code` points into the bytes that were read.
struct CubinFunction {
  std::string name;
  llvm::ArrayRef<std::uint8_t> code;
};

struct Cubin {
  unsigned sm = 0; ///< 90 for sm_90 and sm_90a
  std::vector<CubinFunction> functions;

  const CubinFunction *find(llvm::StringRef name) const;
};

/// Fails on what is no cubin, or a damaged one; never reads past the bytes.
llvm::Expected<Cubin> readCubin(llvm::StringRef bytes);

} // namespace tlc::sass

#endif // TLC_COMPILER_VERIFY_SASS_CUBIN_H
