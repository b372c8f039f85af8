// Bulk and tensor copies: boxes, tensor maps, addresses.
#include "compiler/conversion/SMToThreads/MemoryAccess.h"

#include "compiler/target/TargetInfo.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::sm;

/// Box extents of the tensor from those of the tile: dimensions that are not 1
/// pair in order.
static FailureOr<SmallVector<int>>
pairDims(Operation *op, ArrayRef<int64_t> sizes, ArrayRef<int64_t> tile) {
  SmallVector<int> result(sizes.size(), -1);
  size_t t = 0;
  for (auto [i, size] : llvm::enumerate(sizes)) {
    if (size == 1)
      continue;
    while (t < tile.size() && tile[t] == 1)
      ++t;
    if (t == tile.size() || tile[t] != size)
      return op->emitError("tensor copy of a part of a shared tile is not "
                           "supported yet");
    result[i] = t++;
  }
  return result;
}

LogicalResult
Expander::forEachBox(Operation *op, Value global, ValueRange coords,
                     ArrayRef<int64_t> sizes, Value shared,
                     llvm::function_ref<void(Value, ValueRange, Value)> emit) {
  auto tile = sharedTile(op, shared);
  if (failed(tile))
    return failure();
  auto dims = pairDims(op, sizes, tile->layout.shape());
  if (failed(dims))
    return failure();
  std::string reason;
  auto boxes = tile->layout.tmaBoxes(target::TmaLimits(), &reason);
  if (!boxes)
    return op->emitError("no tensor copy fills this tile: ") << reason;
  Arith a = arith(op->getLoc());
  SmallVector<int64_t> box;
  for (int dim : *dims)
    box.push_back(dim < 0 ? 1 : boxes->box[dim]);
  std::string name = tile::getBufferName(global) + "_map";
  Value tensorMap = TensorMapOp::create(
      b, named(op->getLoc(), name), lookup(global), box, boxes->swizzleBytes);
  for (const analysis::TmaBoxCopy &copy : boxes->copies) {
    SmallVector<Value> at;
    for (auto [coord, dim] : llvm::zip(coords, *dims))
      at.push_back(
          a.orZero(a.add(lookup(coord), dim < 0 ? 0 : copy.origin[dim])));
    emit(tensorMap, at, a.add(tile->address, copy.offsetBytes));
  }
  return success();
}

LogicalResult Expander::expandTmaLoad(TmaLoadOp op) {
  Value barrier = stageAddress(op.getBarrier(), op.getStage(), op.getLoc());
  return forEachBox(op, op.getSrc(), op.getCoords(), op.getSizes(), op.getDst(),
                    [&](Value tensorMap, ValueRange at, Value address) {
                      TmaLoadBoxOp::create(b, op.getLoc(), tensorMap, at,
                                           address, barrier);
                    });
}

LogicalResult Expander::expandTmaStore(TmaStoreOp op) {
  return forEachBox(op, op.getDst(), op.getCoords(), op.getSizes(), op.getSrc(),
                    [&](Value tensorMap, ValueRange at, Value address) {
                      TmaStoreBoxOp::create(b, op.getLoc(), address, tensorMap,
                                            at);
                    });
}

LogicalResult Expander::expandBulkLoad(BulkLoadOp op) {
  auto tile = sharedTile(op, op.getDst());
  if (failed(tile))
    return failure();
  SmallVector<Value> coords;
  int64_t bytes = tile->layout.elementBytes();
  for (auto [coord, size] : llvm::zip(op.getCoords(), op.getSizes())) {
    coords.push_back(lookup(coord));
    bytes *= size;
  }
  if (bytes != tile->layout.sizeBytes() ||
      tile->layout.kind() != analysis::SharedKind::Linear)
    return op.emitError("bulk copy needs a row-major tile of its size");
  auto [index, guard] = GlobalAccess::elementAt(
      *this, op.getLoc(), lookup(op.getSrc()), coords, true);
  BulkCopyOp::create(b, op.getLoc(), lookup(op.getSrc()), index, tile->address,
                     stageAddress(op.getBarrier(), op.getStage(), op.getLoc()),
                     bytes);
  return success();
}
