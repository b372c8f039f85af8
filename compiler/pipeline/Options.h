// What a user chooses about a compilation, apart from the source.
#pragma once

#include "compiler/conversion/Conversion.h"
#include "compiler/support/Levers.h"

#include <map>
#include <string>

namespace tlc {

/// A field that changes the result also belongs into the key of cached kernels:
/// `memoryKey` in runtime/jit/Request.cpp.
struct CompileOptions {
  /// The kernel to compile; empty: the file leaves no choice.
  std::string kernel;
  /// -D NAME=VALUE, as text.
  std::map<std::string, std::string> defines;
  std::string arch = "sm_90a";
  WarFence warFence = WarFence::Proxy;
  bool warpSpecialize = true;
  /// Without specialization: tiles are loaded by cp.async, not by TMA.
  bool cpAsync = false;
  /// Optimisations that are in use.
  LeverSet levers;
  /// Approximate division, square roots and exponentials.
  bool fastMath = false;
  /// Whether the finished sm program is verified on the way; without it that
  /// is left to the caller.
  bool verifySM = true;
  /// Whether the machine code of cubins is checked; without it programs with a
  /// defect on purpose can be made.
  bool checkMachineCode = true;
  /// A folder that receives the program after each step; empty: none.
  std::string traceFolder;
};

/// The spelling of `--war-fence`.
llvm::StringRef spelling(WarFence fence);

} // namespace tlc
