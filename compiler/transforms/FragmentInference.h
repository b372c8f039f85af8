// The state of fragment layout inference; see InferFragmentLayouts.cpp for the
// method and CheckFragmentLayouts.cpp for what must hold in the end.
#ifndef TLC_COMPILER_TRANSFORMS_FRAGMENTINFERENCE_H
#define TLC_COMPILER_TRANSFORMS_FRAGMENTINFERENCE_H

#include "compiler/transforms/AccessMaps.h"
#include "compiler/transforms/LayoutInference.h"

#include "llvm/ADT/MapVector.h"

#include <numeric>
#include <vector>

namespace tlc::tile {

/// The allocation behind a fragment; null for other buffers.
inline AllocOp fragmentOf(mlir::Value buffer) {
  return isInSpace(buffer, Space::Fragment) ? buffer.getDefiningOp<AllocOp>()
                                            : nullptr;
}

/// A fragment and what decided its layout.
struct Fragment {
  std::optional<analysis::LinearLayout> layout;
  mlir::Operation *origin =
      nullptr; ///< product, nest, copy or the alloc itself
  std::string why;
};

/// A parallel nest that uses fragments.
struct Nest {
  ParallelOp op;
  llvm::SmallVector<FragmentAccess> accesses;
  std::optional<analysis::LinearLayout> layout;

  llvm::ArrayRef<int64_t> extents() { return op.getExtents(); }
  int64_t numPoints() {
    return std::accumulate(extents().begin(), extents().end(), int64_t(1),
                           std::multiplies<int64_t>());
  }
};

/// Decides and checks the layouts of the fragments of one launch.
class FragmentInference {
public:
  explicit FragmentInference(LaunchOp launch)
      : launch(launch), threads(launch.getNumThreads()) {}

  mlir::LogicalResult run();

private:
  // What is fixed from the start.
  mlir::LogicalResult collect();
  mlir::LogicalResult collectNest(ParallelOp op);
  mlir::LogicalResult seedGemm(GemmOp gemm);
  void seedScalarAccess(mlir::Operation *op);
  mlir::LogicalResult require(mlir::Value buffer, analysis::LinearLayout layout,
                              mlir::Operation *origin, llvm::StringRef why);

  // What follows; true if something new did.
  bool propagate();
  bool propagateCopy(CopyOp copy);
  bool propagateNest(Nest &nest);
  bool layOutNest(Nest &nest);
  bool assign(AllocOp alloc, const analysis::LinearLayout &layout,
              mlir::Operation *origin, llvm::StringRef why);

  // What is free; false if nothing is.
  bool assignDefault();
  bool assignNestDefault(Nest &nest);
  bool borrowLayout(Nest &nest);
  analysis::LinearLayout defaultLayout(AllocOp alloc);
  int64_t defaultVectorBytes(AllocOp alloc);
  bool isKnown(AllocOp alloc) { return fragments[alloc].layout.has_value(); }

  // CheckFragmentLayouts.cpp
  mlir::LogicalResult check();
  mlir::LogicalResult checkNest(Nest &nest);
  mlir::LogicalResult checkAccess(Nest &nest, const FragmentAccess &access);
  mlir::LogicalResult checkExpression(Nest &nest, const FragmentAccess &access);
  mlir::LogicalResult checkScalarAccess(mlir::Operation *op);
  mlir::LogicalResult reportMismatch(Nest &nest, const FragmentAccess &access);
  void record();

  LaunchOp launch;
  int64_t threads;
  llvm::MapVector<mlir::Operation *, Fragment> fragments;
  std::vector<Nest> nests;
  llvm::SmallVector<CopyOp> copies; ///< with a fragment on some side
  llvm::SmallVector<mlir::Operation *> scalarAccesses; ///< outside of nests
};

} // namespace tlc::tile

#endif // TLC_COMPILER_TRANSFORMS_FRAGMENTINFERENCE_H
