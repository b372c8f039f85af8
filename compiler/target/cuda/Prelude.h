// The device functions that printed kernels call. Most are entries of
// prelude/*.cuh, embedded at build time: `//@ name : names it needs`, then the
// text. Functions with a shape in their name are written on demand.
#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <string>

namespace tlc::cuda {

/// Collects what a translation unit uses; prints each used entry once, what it
/// needs first, in the order of the files.
class Prelude {
public:
  /// An entry of the files; asserts that it exists.
  void use(llvm::StringRef name);
  /// A function made on demand; returns its name. `count` instructions of one
  /// accumulator in one asm, A then B of each: NVRTC's time goes with the
  /// operands, and all of the accumulator's are.
  std::string useWgmma(int64_t n, int64_t k, llvm::StringRef aType,
                       llvm::StringRef bType, bool aInRegisters, bool transA,
                       bool transB, unsigned count = 1);
  std::string useMma(llvm::StringRef type, int64_t k);
  /// `kind` and `order` as spelled in IR; a shared or a global element.
  std::string useAtomic(llvm::StringRef kind, mlir::Type element,
                        llvm::StringRef order, bool shared);
  std::string useTmaLoad(unsigned rank);
  std::string useTmaStore(unsigned rank);

  void print(llvm::raw_ostream &os) const;
  /// Names that a program must not use for its own values.
  static bool isReserved(llvm::StringRef name);

private:
  llvm::StringMap<bool> used;
  std::map<std::string, std::string> generated;
};

} // namespace tlc::cuda
