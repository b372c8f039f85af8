// Which NVRTC a compilation would use, without loading it: that takes longer
// than all else on the way to a kernel on disk.
#pragma once

#include "runtime/jit/DiskCache.h"

#include <string>

namespace tlc::rt {

struct NvrtcIdentity {
  std::string version; ///< "13.0"
  std::string path;
};

/// The library that is found where everything that decides the search is as it
/// was when `disk` noted it, and the file is unchanged; otherwise loads it and
/// notes it. Throws tlc::Error (Environment) when there is none.
NvrtcIdentity nvrtcIdentity(const DiskCache &disk);

} // namespace tlc::rt
