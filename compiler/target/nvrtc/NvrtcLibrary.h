// Finding and loading libnvrtc. Private to compiler/target/nvrtc.
#pragma once

#include "compiler/target/nvrtc/Nvrtc.h"

#include <cstddef>

namespace tlc::nvrtc {

using Result = int; // nvrtcResult; 0 is success
using Program = struct ProgramTag *;

/// The functions used (NVRTC reference, version 12.8), and where they came
/// from.
struct Library {
  Result (*version)(int *major, int *minor) = nullptr;
  const char *(*errorString)(Result) = nullptr;
  Result (*createProgram)(Program *, const char *source, const char *name,
                          int headers, const char *const *headerTexts,
                          const char *const *headerNames) = nullptr;
  Result (*destroyProgram)(Program *) = nullptr;
  Result (*compileProgram)(Program, int count,
                           const char *const *options) = nullptr;
  Result (*logSize)(Program, std::size_t *) = nullptr;
  Result (*log)(Program, char *) = nullptr;
  Result (*ptxSize)(Program, std::size_t *) = nullptr;
  Result (*ptx)(Program, char *) = nullptr;
  Result (*cubinSize)(Program, std::size_t *) = nullptr;
  Result (*cubin)(Program, char *) = nullptr;

  Version found;
  /// The toolkit's include folder beside the library, if there is one.
  std::string includeDir;
};

/// Loads the library once; thread-safe.
llvm::Expected<const Library *> getLibrary();

} // namespace tlc::nvrtc
