// From sm to the thread program. See Expander.h for how.
#pragma once

#include "dialects/sm/Sm.h"

#include "mlir/Pass/Pass.h"

namespace tlc::sm {

#define GEN_PASS_DECL
#include "compiler/conversion/SMToThreads/SMToThreads.h.inc"

/// Expands every launch of the kernel. Errors are reported at the op.
mlir::LogicalResult expandToThreads(tile::KernelOp kernel,
                                    bool uniformAddresses);

/// Computes on floats below 32 bits in f32. Part of expandToThreads.
void widenArithmetic(mlir::Operation *root);

#define GEN_PASS_REGISTRATION
#include "compiler/conversion/SMToThreads/SMToThreads.h.inc"

} // namespace tlc::sm
