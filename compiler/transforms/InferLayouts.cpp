// Layout inference of a kernel: shared tiles, then fragments, then who moves
// what. Also the conversions between layouts and attributes.
#include "compiler/transforms/LayoutInference.h"

#include "compiler/analysis/FragmentLayouts.h"
#include "compiler/transforms/Products.h"
#include "compiler/transforms/UserText.h"

using namespace mlir;
using namespace tlc::analysis;

namespace tlc::tile {

LinearLayout getLayout(AllocOp fragment) {
  std::optional<LinearLayout> layout =
      LinearLayout::parse(fragment.getLayoutAttr().getText());
  assert(layout && "layouts are checked when inference begins");
  return *layout;
}

FragmentLayoutAttr layoutAttr(MLIRContext *context,
                              const LinearLayout &layout) {
  return FragmentLayoutAttr::get(context, layout.toString());
}

/// A digit of the threads that moves `dim`.
static bool spreadsAlong(const LinearLayout &layout, unsigned dim) {
  return llvm::any_of(layout.threadDigits(), [&](const Digit &digit) {
    return digit.count > 1 && digit.step[dim] != 0;
  });
}

std::optional<LinearLayout> overNonUnit(const LinearLayout &fragment,
                                        ArrayRef<int64_t> sizes) {
  LinearLayout layout = fragment.withShape(sizes);
  for (unsigned dim = sizes.size(); dim-- > 0;) {
    if (sizes[dim] != 1)
      continue;
    if (fragment.shape()[dim] != 1 || spreadsAlong(fragment, dim))
      return std::nullopt;
    if (layout.rank() > 1)
      layout = layout.sliceDim(dim);
  }
  return layout;
}

std::optional<LinearLayout> withUnitDims(LinearLayout layout,
                                         ArrayRef<int64_t> shape) {
  SmallVector<int64_t> sizes = nonUnitSizes(shape);
  if (layout.shape() != ArrayRef<int64_t>(sizes))
    return std::nullopt;
  bool allUnit = sizes.size() == 1 && sizes.front() == 1;
  for (unsigned dim = 0; dim < shape.size(); ++dim)
    if (shape[dim] == 1 && !(allUnit && dim == 0))
      layout = layout.insertUnitDim(dim);
  return layout;
}

LinearLayout distribute(ArrayRef<int64_t> shape, unsigned bits, int64_t threads,
                        int64_t vectorBytes) {
  SmallVector<int64_t> sizes = nonUnitSizes(shape);
  if (sizes.size() == 1 && sizes.front() == 1)
    return LinearLayout::replicated(shape, threads);
  return *withUnitDims(blockedLayout(sizes, bits, threads, vectorBytes), shape);
}

/// Layouts that the program gave: of the right form, shape and thread count.
static LogicalResult checkGivenLayouts(LaunchOp launch) {
  WalkResult walk = launch.walk([&](AllocOp alloc) {
    if (!alloc.getLayout())
      return WalkResult::advance();
    std::string error;
    std::optional<LinearLayout> layout =
        LinearLayout::parse(alloc.getLayoutAttr().getText(), &error);
    if (!layout)
      alloc.emitError() << "the layout of '" << alloc.getName()
                        << "' is malformed: " << error;
    else if (layout->shape() != alloc.getResult().getType().getShape() ||
             layout->numThreads() != launch.getNumThreads())
      alloc.emitError() << "the layout of '" << alloc.getName() << "' is for "
                        << shapeText(layout->shape()) << " and "
                        << layout->numThreads() << " threads, needed is "
                        << shapeText(alloc.getResult().getType().getShape())
                        << " and " << launch.getNumThreads();
    else
      return WalkResult::advance();
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

LogicalResult inferLayouts(KernelOp kernel, const target::TargetInfo &,
                           const LeverSet &levers) {
  bool ok = true;
  kernel.walk([&](LaunchOp launch) {
    if (levers.isOn(Lever::Renumber))
      renumberProducts(launch);
    if (failed(checkGivenLayouts(launch)) ||
        failed(inferSharedLayouts(launch)) ||
        failed(inferFragmentLayouts(launch)) || failed(inferThreadMaps(launch)))
      ok = false;
  });
  return success(ok);
}

} // namespace tlc::tile
