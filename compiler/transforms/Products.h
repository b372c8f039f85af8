// What the decisions about products share: whether wgmma can compute one, and
// the forms that it can be brought into.
#ifndef TLC_COMPILER_TRANSFORMS_PRODUCTS_H
#define TLC_COMPILER_TRANSFORMS_PRODUCTS_H

#include "compiler/transforms/Passes.h"

#include <string>

namespace tlc::tile {

/// Brings products that wgmma cannot compute as they are written into a form
/// that it can: transposed (C^T = op(B)^T op(A)^T), with B in another order in
/// memory, with A through registers. Leaves alone those that none helps, and
/// those that other products or uses of their result would not go with.
void shapeProducts(LaunchOp launch, const target::TargetInfo &target,
                   const SelectOptions &options);

/// Empty if wgmma can compute the product, else why not. `aInRegisters`: as if
/// A were a fragment.
std::string whyNoWgmma(GemmOp gemm, int64_t threads,
                       const target::TargetInfo &target,
                       const SelectOptions &options, bool aInRegisters = false);

/// K runs along the rows of the operand as it lies in memory.
bool isKMajor(GemmOp gemm, bool isA);

/// A shared tile that threads copy into as a whole and products read as B
/// otherwise: its order in memory is free.
bool hasFreeOrder(AllocOp tile);

/// Numbers the rows, columns and K of products so that what a thread holds are
/// neighbours in the memories it is moved from and to.
void renumberProducts(LaunchOp launch);

} // namespace tlc::tile

#endif // TLC_COMPILER_TRANSFORMS_PRODUCTS_H
