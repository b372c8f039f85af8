// Which thread moves which element: copies, fills and parallel nests without
// fragments. Where a fragment takes part its layout decides; else neighbouring
// threads take neighbouring vectors.
#include "compiler/transforms/LayoutInference.h"

#include "compiler/analysis/FragmentLayouts.h"
#include "compiler/analysis/KnownDivisors.h"
#include "compiler/transforms/UserText.h"

using namespace mlir;
using namespace tlc::analysis;

namespace tlc::tile {

/// Widest access of a thread.
constexpr int64_t kMaxVectorBytes = 16;

static unsigned bitsOf(Value buffer) {
  return storageBits(cast<MemRefType>(buffer.getType()).getElementType());
}

/// Elements that one access to this side of a copy may take.
static int64_t sideVectorElements(Value buffer, ValueRange offsets,
                                  ArrayRef<int64_t> sizes) {
  if (isInSpace(buffer, Space::Fragment) || isInSpace(buffer, Space::Local))
    return kMaxVectorBytes;
  // Moves along another dimension: neighbours are not neighbours in memory.
  if (sizes.empty() || sizes.back() == 1)
    return 1;
  return possibleVectorElements(buffer, offsets);
}

int64_t copyVectorBytes(CopyOp copy) {
  int64_t elements =
      std::min(sideVectorElements(copy.getSrc(), copy.getSrcOffsets(),
                                  copy.getSrcSizes()),
               sideVectorElements(copy.getDst(), copy.getDstOffsets(),
                                  copy.getDstSizes()));
  int64_t bytes = std::max(bitsOf(copy.getSrc()), bitsOf(copy.getDst())) / 8;
  return std::min(std::min(elements, kMaxVectorBytes) * bytes, kMaxVectorBytes);
}

bool touchesMemory(ParallelOp nest) {
  WalkResult walk = nest.walk([](Operation *op) {
    Value buffer;
    if (auto load = dyn_cast<LoadOp>(op))
      buffer = load.getBuffer();
    else if (auto store = dyn_cast<StoreOp>(op))
      buffer = store.getBuffer();
    return buffer && (isInSpace(buffer, Space::Global) ||
                      isInSpace(buffer, Space::Shared))
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return walk.wasInterrupted();
}

/// The layout of a copy or fill side that is a fragment; reports what cannot
/// be done.
static FailureOr<LinearLayout> fragmentSide(Operation *op, Value buffer,
                                            ValueRange offsets,
                                            ArrayRef<int64_t> sizes) {
  auto alloc = buffer.getDefiningOp<AllocOp>();
  bool atOrigin = llvm::all_of(
      offsets, [](Value offset) { return constantValue(offset) == 0; });
  std::optional<LinearLayout> layout;
  if (alloc && atOrigin)
    layout = overNonUnit(getLayout(alloc), sizes);
  if (!layout)
    return op->emitError() << "a part of the fragment '"
                           << getBufferName(buffer)
                           << "' that does not begin at 0, or is one row of "
                              "it, is not supported yet in a tile operation";
  return *layout;
}

static LinearLayout blocked(ArrayRef<int64_t> sizes, unsigned bits,
                            int64_t threads, int64_t vectorBytes) {
  return blockedLayout(nonUnitSizes(sizes), bits, threads, vectorBytes);
}

/// Fragments that are copied to each other: each thread must hold what it
/// needs.
static LogicalResult checkMove(CopyOp copy, const LinearLayout &from,
                               const LinearLayout &to) {
  if (from == to || from.registerConversion(to))
    return success();
  InFlightDiagnostic diag =
      copy.emitError() << "T.copy between the fragments '"
                       << getBufferName(copy.getSrc()) << "' and '"
                       << getBufferName(copy.getDst())
                       << "', whose elements lie in different threads, is not "
                          "supported yet; copy through a shared tile";
  diag.attachNote(copy.getSrc().getLoc()) << "the source is declared here";
  diag.attachNote(copy.getDst().getLoc()) << "the destination is declared here";
  return diag;
}

static FailureOr<LinearLayout> copyLayout(CopyOp copy, int64_t threads) {
  bool srcFragment = isInSpace(copy.getSrc(), Space::Fragment);
  bool dstFragment = isInSpace(copy.getDst(), Space::Fragment);
  FailureOr<LinearLayout> src, dst;
  if (srcFragment)
    src = fragmentSide(copy, copy.getSrc(), copy.getSrcOffsets(),
                       copy.getSrcSizes());
  if (dstFragment)
    dst = fragmentSide(copy, copy.getDst(), copy.getDstOffsets(),
                       copy.getDstSizes());
  if ((srcFragment && failed(src)) || (dstFragment && failed(dst)))
    return failure();
  if (srcFragment && dstFragment && failed(checkMove(copy, *src, *dst)))
    return failure();
  if (dstFragment)
    return dst;
  if (srcFragment)
    return src;
  if (isInSpace(copy.getSrc(), Space::Local) ||
      isInSpace(copy.getDst(), Space::Local))
    return LinearLayout::replicated(nonUnitSizes(copy.getDstSizes()), threads);
  return blocked(copy.getDstSizes(),
                 std::max(bitsOf(copy.getSrc()), bitsOf(copy.getDst())),
                 threads, copyVectorBytes(copy));
}

static FailureOr<LinearLayout> fillLayout(FillOp fill, int64_t threads) {
  Value dst = fill.getDst();
  if (isInSpace(dst, Space::Fragment))
    return fragmentSide(fill, dst, fill.getOffsets(), fill.getSizes());
  if (isInSpace(dst, Space::Local))
    return LinearLayout::replicated(nonUnitSizes(fill.getSizes()), threads);
  int64_t elements =
      sideVectorElements(dst, fill.getOffsets(), fill.getSizes());
  int64_t bytes = std::min(elements * bitsOf(dst) / 8, kMaxVectorBytes);
  return blocked(fill.getSizes(), bitsOf(dst), threads, bytes);
}

/// A nest runs point by point, so neighbouring threads take neighbours.
static LinearLayout nestLayout(ParallelOp nest, int64_t threads) {
  // A nest without points still has a layout, with nothing in range.
  SmallVector<int64_t> shape(nest.getExtents());
  for (int64_t &extent : shape)
    extent = std::max<int64_t>(extent, 1);
  return blockedLayout(shape, 32, threads, 4).withShape(nest.getExtents());
}

/// Sets what `layout` gives unless it is there already.
template <typename OpTy>
static LogicalResult setLayout(OpTy op,
                               function_ref<FailureOr<LinearLayout>()> layout) {
  if (op.getLayout())
    return success();
  FailureOr<LinearLayout> result = layout();
  if (failed(result))
    return failure();
  op.setLayoutAttr(layoutAttr(op.getContext(), *result));
  return success();
}

LogicalResult inferThreadMaps(LaunchOp launch) {
  int64_t threads = launch.getNumThreads();
  bool ok = true;
  launch.walk([&](Operation *op) {
    LogicalResult result = success();
    if (auto copy = dyn_cast<CopyOp>(op))
      result = setLayout(copy, [&] { return copyLayout(copy, threads); });
    else if (auto fill = dyn_cast<FillOp>(op))
      result = setLayout(fill, [&] { return fillLayout(fill, threads); });
    else if (auto nest = dyn_cast<ParallelOp>(op))
      result = setLayout(nest, [&]() -> FailureOr<LinearLayout> {
        return nestLayout(nest, threads);
      });
    ok &= succeeded(result);
  });
  return success(ok);
}

} // namespace tlc::tile
