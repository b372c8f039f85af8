// The compiler as a benchmark uses it: many forms of one source, each named by
// options as on the command line.
#pragma once

#include "compiler/pipeline/Options.h"
#include "kernels/harness/Bench.h"

namespace tlc::cli {

/// Applies one option of `tlc compile` ("--war-fence=delay"). False for an
/// option that this compiler does not have.
bool applyOption(CompileOptions &options, llvm::StringRef option);

/// The optimisations that an option switches off.
std::vector<kernels::Lever> levers();

/// Compiles forms on top of `base`, through the caches of the JIT.
kernels::BenchTools benchTools(const CompileOptions &base);

} // namespace tlc::cli
