// `tlc bench correct_h0`: sizes, layouts and directions under every policy, the
// same bits before and after, beside peers and beside what memory allows.
#pragma once

#include "kernels/harness/Bench.h"

namespace tlc::kernels {

/// Needs a device. Sizes are named "32K/32" (tokens/heads) or "40x2" (segments
/// x heads); paths "kv-fwd". Prints a table for each size and path as soon as
/// it is measured. Throws tlc::Error: InvalidArgument for an unknown name.
BenchResult benchCorrectH0(const BenchOptions &options,
                           const BenchTools &tools);

} // namespace tlc::kernels
