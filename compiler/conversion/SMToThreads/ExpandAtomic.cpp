// Atomics of one element: its address, its bounds, one instruction.
#include "compiler/conversion/SMToThreads/Expander.h"
#include "compiler/conversion/SMToThreads/MemoryAccess.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::sm;

LogicalResult Expander::expandAtomic(tile::AtomicOp op) {
  Location loc = op.getLoc();
  Arith a = arith(loc);
  Type element = op.getBuffer().getType().getElementType();
  Value value = op.getValue() ? lookup(op.getValue()) : Value();
  SmallVector<Value> indices;
  for (Value index : op.getIndices())
    indices.push_back(lookup(index));
  Value param, index, address;
  Value guard = parallel() ? parallel()->primary : Value();
  if (guard && op.getResult())
    return op.emitError("value of an atomic in a loop that threads repeat is "
                        "not supported yet");
  if (tile::isInSpace(op.getBuffer(), tile::Space::Global)) {
    param = lookup(op.getBuffer());
    Value inside;
    std::tie(index, inside) =
        GlobalAccess::elementAt(*this, loc, param, indices, op.getInBounds());
    guard = a.both(guard, inside);
  } else {
    auto tile = sharedTile(op, op.getBuffer());
    if (failed(tile))
      return failure();
    if (indices.empty())
      indices.push_back({});
    address = SharedAccess::addressOf(a, *tile, indices);
  }
  TypeRange types;
  if (op.getResult())
    types = op->getResultTypes();
  auto create = [&] {
    return AtomicOp::create(b, loc, types, op.getKind(), op.getOrder(), param,
                            index, address, value, element);
  };
  if (!guard) {
    auto atomic = create();
    if (op.getResult())
      map.map(op.getResult(), atomic.getResult());
    return success();
  }
  // Outside nothing happens, and the result is zero.
  auto branch =
      scf::IfOp::create(b, loc, types, guard, /*withElse=*/!types.empty());
  OpBuilder::InsertionGuard restore(b);
  b.setInsertionPointToStart(branch.thenBlock());
  auto atomic = create();
  if (!op.getResult())
    return success();
  scf::YieldOp::create(b, loc, atomic.getResult());
  b.setInsertionPointToStart(branch.elseBlock());
  Type type = op.getResult().getType();
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  scf::YieldOp::create(b, loc, zero);
  map.map(op.getResult(), branch.getResult(0));
  return success();
}
