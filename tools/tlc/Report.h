// The resource table of `tlc compile --report`.
#pragma once

#include "compiler/driver/Compiler.h"

namespace tlc::cli {

/// One row for each device function. A figure that nothing reported is "?".
void printReport(const std::vector<CompiledKernel> &kernels,
                 llvm::raw_ostream &os);

} // namespace tlc::cli
