// How parallel nests index fragments, and how layouts pass between the points
// of a nest and the elements of a fragment.
//
// Each dimension of a fragment is indexed either by one loop variable of the
// nest or by something that is equal in all points (a constant, a variable of
// another loop). With `acc[i, j] * m[i]` in a nest over (i, j), acc names both
// variables once, so the layout of acc says which thread runs a point; m names
// i only, so its layout is that of the points with j dropped: the threads along
// j hold copies. An index may also be an expression of the loop variables
// (`red[i % 8 * 4 + j // 2]`): it decides nothing, but whether the threads that
// run the points hold the elements can be checked point by point.
#ifndef TLC_COMPILER_TRANSFORMS_ACCESSMAPS_H
#define TLC_COMPILER_TRANSFORMS_ACCESSMAPS_H

#include "compiler/analysis/Layout.h"
#include "dialects/tile/Tile.h"

namespace tlc::tile {

/// One load or store of a fragment in a nest.
struct FragmentAccess {
  mlir::Operation *op;
  mutable AllocOp fragment; ///< ops are handles
  bool isWrite;
  /// For each dimension the loop variable that indexes it, or nothing if its
  /// index is equal in all points. Empty for an expression.
  llvm::SmallVector<std::optional<unsigned>> vars;

  /// Some index is an expression of the loop variables. The questions below
  /// are for the other accesses.
  bool isExpression() const { return vars.empty(); }
  mlir::OperandRange indices() const;

  llvm::ArrayRef<int64_t> shape() const;
  /// The elements that the points reach: the extent of the variable, or the
  /// whole dimension.
  llvm::SmallVector<int64_t> reached(llvm::ArrayRef<int64_t> extents) const;
  /// Every variable of an extent above 1 indexes a dimension.
  bool namesAllVars(llvm::ArrayRef<int64_t> extents) const;
  /// Some dimension of an extent above 1 has an index equal in all points: a
  /// thread needs it whole.
  bool hasPrivateDim() const;
};

/// The accesses in `nest`, in program order. Fails with an error where an
/// index depends on more than constants and the loop variables.
mlir::FailureOr<llvm::SmallVector<FragmentAccess>>
collectFragmentAccesses(ParallelOp nest);

/// The element that `access` names at a point of the nest; fails if an index is
/// not known when compiling.
std::optional<analysis::Coords> elementAt(const FragmentAccess &access,
                                          ParallelOp nest,
                                          llvm::ArrayRef<int64_t> point);

/// What each thread must hold so that it can run its points: the layout, over
/// `access.reached`, of the elements that its points name. A dimension with an
/// index equal in all points lies in registers of every thread.
analysis::LinearLayout layoutOfElements(const analysis::LinearLayout &points,
                                        const FragmentAccess &access,
                                        llvm::ArrayRef<int64_t> extents);

/// Which thread can run which point if the fragment has layout `elements`:
/// each holder of an element runs all points that name it. Fails if a
/// dimension whose index is equal in all points is spread over threads.
std::optional<analysis::LinearLayout>
layoutOfPoints(const analysis::LinearLayout &elements,
               const FragmentAccess &access, llvm::ArrayRef<int64_t> extents);

/// A loop variable that the access does not name but along which the points of
/// one element are spread over threads, so that they cannot follow each other
/// and not every holder of the element runs them.
std::optional<unsigned> spreadVar(const analysis::LinearLayout &points,
                                  const FragmentAccess &access);

} // namespace tlc::tile

#endif // TLC_COMPILER_TRANSFORMS_ACCESSMAPS_H
