// The three steps of layout inference, in order, and what they share.
#ifndef TLC_COMPILER_TRANSFORMS_LAYOUTINFERENCE_H
#define TLC_COMPILER_TRANSFORMS_LAYOUTINFERENCE_H

#include "compiler/analysis/Layout.h"
#include "compiler/transforms/Passes.h"

namespace tlc::tile {

/// Swizzles of shared tiles, from the products and tensor copies that use them.
mlir::LogicalResult inferSharedLayouts(LaunchOp launch);

/// Layouts of fragments and of the parallel nests that use them.
mlir::LogicalResult inferFragmentLayouts(LaunchOp launch);

/// Layouts of copies, fills and the other nests. Fragments have theirs.
mlir::LogicalResult inferThreadMaps(LaunchOp launch);

/// The layout of a fragment; it must have one that parses.
analysis::LinearLayout getLayout(AllocOp fragment);
FragmentLayoutAttr layoutAttr(mlir::MLIRContext *context,
                              const analysis::LinearLayout &layout);

/// The layout of a region at the origin of a fragment over its sizes other
/// than 1 (over one of extent 1 if there is none). Fails if a dimension of the
/// fragment is cut to extent 1, or threads are spread along one of extent 1.
std::optional<analysis::LinearLayout>
overNonUnit(const analysis::LinearLayout &fragment,
            llvm::ArrayRef<int64_t> sizes);

/// analysis::blockedLayout whose threads move only dimensions other than 1, so
/// that no thread is told off by a dimension that other layouts leave out. If
/// all sizes are 1, every thread has the element.
analysis::LinearLayout distribute(llvm::ArrayRef<int64_t> shape, unsigned bits,
                                  int64_t threads, int64_t vectorBytes);

/// `layout` over the sizes of `shape` other than 1, with the missing dimensions
/// put back; fails if the sizes differ.
std::optional<analysis::LinearLayout>
withUnitDims(analysis::LinearLayout layout, llvm::ArrayRef<int64_t> shape);

/// Bytes of the widest access of one thread in a copy between the buffers:
/// what alignment, pitch and bounds of both allow, at most 16.
int64_t copyVectorBytes(CopyOp copy);

/// The nest loads or stores global or shared memory.
bool touchesMemory(ParallelOp nest);

} // namespace tlc::tile

#endif // TLC_COMPILER_TRANSFORMS_LAYOUTINFERENCE_H
