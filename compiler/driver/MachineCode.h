// V17 on the cubins of a compilation: what the `sm` program says of each
// release goes to the lint, what the lint finds becomes diagnostics.
#pragma once

#include "compiler/pipeline/Options.h"
#include "compiler/support/Diagnostics.h"
#include "compiler/target/cuda/Signature.h"
#include "compiler/verify/sass/Releases.h"

#include <string>
#include <vector>

namespace tlc {

/// What the machine code of one kernel showed.
struct MachineCode {
  unsigned releases = 0; ///< arrives that were checked
  unsigned findings = 0; ///< those that do not wait for the reads
  /// What was not checked and why, one sentence each.
  std::vector<std::string> notChecked;
};

/// The releases of each launch of a kernel, in order.
using KernelReleases = std::vector<sass::LaunchReleases>;
KernelReleases describeReleases(tile::KernelOp kernel);

/// Checks the functions of a cubin. A finding is reported as a fault of tlc;
/// under `--war-fence membar`, which asks for one, and `delay`, which claims
/// nothing, as a warning. What was not checked is reported as a remark.
MachineCode checkMachineCode(llvm::StringRef cubin,
                             llvm::ArrayRef<cuda::KernelSignature> functions,
                             const KernelReleases &releases, WarFence policy,
                             DiagnosticEngine &engine);

} // namespace tlc
