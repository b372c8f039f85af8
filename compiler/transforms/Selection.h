// The two halves of instruction selection, and the rule for swizzles of tiles
// that tensor copies fill, which both selection and layout inference follow.
#ifndef TLC_COMPILER_TRANSFORMS_SELECTION_H
#define TLC_COMPILER_TRANSFORMS_SELECTION_H

#include "compiler/analysis/SharedLayout.h"
#include "compiler/transforms/Passes.h"

namespace tlc::tile {

/// Chooses for one copy or product. `threads`: of the launch.
mlir::LogicalResult selectCopy(CopyOp copy, const target::TargetInfo &target,
                               const SelectOptions &options);
mlir::LogicalResult selectGemm(GemmOp gemm, int64_t threads,
                               const target::TargetInfo &target,
                               const SelectOptions &options);

/// The layout of a shared tile that no product asks anything of: the widest
/// swizzle that divides its rows, linear for vectors and tiles of few rows.
analysis::SharedKind preferredKind(mlir::MemRefType type);

/// The widest swizzle by which wgmma can read `operand` (A if `isA`) of a
/// product with this partition; Panel16 or Linear if there is none. K-major
/// operands need a multiple of the span along K; MN-major ones along what one
/// warpgroup reads of M or N.
analysis::SharedKind wgmmaKind(GemmOp gemm, bool isA, int64_t warpsN);

} // namespace tlc::tile

#endif // TLC_COMPILER_TRANSFORMS_SELECTION_H
