// `tlc bench gemm`: sizes, layouts and types beside cuBLAS in the same rounds.
#pragma once

#include "kernels/harness/Bench.h"

namespace tlc::kernels {

/// Needs a device. Sizes are "4096" or "8192x8192x4096" (M x N x K), paths are
/// "nn", "nt", "tn", "tt". Throws tlc::Error.
BenchResult benchGemm(const BenchOptions &options, const BenchTools &tools);

} // namespace tlc::kernels
