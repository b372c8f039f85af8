// Vector accesses in parallel loops. The points of a loop are independent, so
// neighbours may run side by side, one statement at a time.
#include "compiler/conversion/SMToThreads/ParallelVectors.h"

#include <numeric>

using namespace mlir;
using namespace tlc;
using namespace tlc::sm;
using analysis::LinearLayout;

/// How far `v` moves when `variable` moves by one; nothing if not constant.
static std::optional<int64_t> slope(Value v, Value variable, Block *body) {
  if (v == variable)
    return 1;
  Operation *op = v.getDefiningOp();
  if (!op || op->getBlock() != body)
    return 0;
  SmallVector<std::optional<int64_t>> parts;
  bool moves = false;
  for (Value operand : op->getOperands()) {
    parts.push_back(slope(operand, variable, body));
    moves |= parts.back() != 0;
  }
  if (!moves)
    return isa<tile::LoadOp>(op) ? std::nullopt : std::optional<int64_t>(0);
  if (parts.size() != 2 || !parts[0] || !parts[1])
    return std::nullopt;
  if (isa<arith::AddIOp>(op))
    return *parts[0] + *parts[1];
  if (isa<arith::SubIOp>(op))
    return *parts[0] - *parts[1];
  return std::nullopt;
}

/// A divisor of `v` at points where `variable` is a multiple of `width`.
static int64_t divisorAt(Expander &x, Value v, Value variable, int64_t width,
                         Block *body) {
  if (v == variable)
    return width;
  Operation *op = v.getDefiningOp();
  if (!op || op->getBlock() != body)
    return llvm::is_contained(body->getArguments(), v) ? 1
                                                       : divisorOf(x.lookup(v));
  if (auto constant = constantOf(v))
    return std::abs(*constant);
  if (op->getNumOperands() != 2)
    return 1;
  int64_t a = divisorAt(x, op->getOperand(0), variable, width, body);
  int64_t b = divisorAt(x, op->getOperand(1), variable, width, body);
  if (isa<arith::AddIOp, arith::SubIOp>(op))
    return std::gcd(a, b);
  if (isa<arith::MulIOp>(op))
    return a > (1 << 20) || b > (1 << 20) ? std::max(a, b) : a * b;
  return 1;
}

static std::pair<Value, OperandRange> accessOf(Operation *op) {
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return {load.getBuffer(), load.getIndices()};
  auto store = cast<tile::StoreOp>(op);
  return {store.getBuffer(), store.getIndices()};
}

/// Neighbouring points access neighbouring elements.
static bool isContiguous(Operation *op, tile::ParallelOp loop) {
  if (!isa<tile::LoadOp, tile::StoreOp>(op))
    return false;
  auto [buffer, indices] = accessOf(op);
  auto type = cast<MemRefType>(buffer.getType());
  tile::Space space = tile::getSpace(type);
  if ((space != tile::Space::Global && space != tile::Space::Shared) ||
      indices.empty() || type.getElementTypeBitWidth() < 8)
    return false;
  Block *body = &loop.getBody().front();
  Value variable = body->getArguments().back();
  for (Value index : indices.drop_back())
    if (slope(index, variable, body) != 0)
      return false;
  return slope(indices.back(), variable, body) == 1;
}

/// Adds what must hold for vectors of `width`; false if nothing makes them
/// aligned.
static bool alignment(Expander &x, Operation *op, tile::ParallelOp loop,
                      int64_t width, Value &condition) {
  auto [buffer, indices] = accessOf(op);
  Block *body = &loop.getBody().front();
  Value variable = body->getArguments().back();
  if (divisorAt(x, indices.back(), variable, width, body) % width != 0)
    return false;
  if (tile::isInSpace(buffer, tile::Space::Shared)) {
    auto tile = x.sharedTile(op, buffer);
    return succeeded(tile) && tile->layout.maxVectorElements() % width == 0;
  }
  Value param = x.lookup(buffer);
  Slice start;
  start.dims.assign(indices.size(), -1);
  start.offsets.assign(indices.size(), Value());
  if (GlobalAccess::provenVector(x, op->getLoc(), param, start, width, true) ==
      width)
    return true;
  Value aligned =
      GlobalAccess::vectorCondition(x, op->getLoc(), param, start, width);
  condition = x.arith(op->getLoc()).both(condition, aligned);
  return bool(aligned);
}

VectorPlan sm::planVectors(Expander &x, tile::ParallelOp op,
                           const LinearLayout &layout) {
  VectorPlan plan;
  int64_t width =
      std::min<int64_t>(8, layout.vectorWidthAlong(layout.rank() - 1));
  SmallVector<Operation *> accesses;
  for (Operation &inner : op.getBody().front()) {
    StringRef dialect = inner.getName().getDialectNamespace();
    bool simple = dialect == "arith" || dialect == "math" ||
                  isa<tile::LoadOp, tile::StoreOp>(inner);
    if (!simple || inner.getNumRegions() != 0)
      return plan;
    if (!isContiguous(&inner, op))
      continue;
    auto type = cast<MemRefType>(accessOf(&inner).first.getType());
    width = std::min<int64_t>(width, 128 / type.getElementTypeBitWidth());
    accesses.push_back(&inner);
  }
  if (width <= 1)
    return plan;
  for (Operation *access : accesses)
    if (alignment(x, access, op, width, plan.condition))
      plan.wide.insert(access);
  if (!plan.wide.empty())
    plan.width = width;
  return plan;
}

static SmallVector<Value> lookupAll(const IRMapping &map, ValueRange values) {
  SmallVector<Value> result;
  for (Value v : values)
    result.push_back(map.lookupOrDefault(v));
  return result;
}

/// One vector access; `lanes` map the values of each point.
LogicalResult Expander::expandWideAccess(Operation *op,
                                         MutableArrayRef<IRMapping> lanes) {
  Location loc = op->getLoc();
  Arith a = arith(loc);
  auto [buffer, oldIndices] = accessOf(op);
  SmallVector<Value> indices = lookupAll(lanes[0], oldIndices);
  Type scalar =
      tile::getScalarType(cast<MemRefType>(buffer.getType()).getElementType());
  auto type = VectorType::get({static_cast<int64_t>(lanes.size())}, scalar);
  bool global = tile::isInSpace(buffer, tile::Space::Global);
  Value address, index, guard;
  if (global) {
    std::tie(index, guard) =
        GlobalAccess::elementAt(*this, loc, lookup(buffer), indices, false);
  } else {
    auto tile = sharedTile(op, buffer);
    if (failed(tile))
      return failure();
    address = SharedAccess::addressOf(a, *tile, indices);
  }
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    Value vector;
    if (global)
      vector = LdGlobalOp::create(b, loc, type, lookup(buffer), index, guard);
    else
      vector = LdSharedOp::create(b, loc, type, address);
    auto parts = UnpackOp::create(
        b, loc, SmallVector<Type>(lanes.size(), scalar), vector);
    for (auto [lane, part] : llvm::zip(lanes, parts.getResults()))
      lane.map(load.getResult(), part);
    return success();
  }
  auto store = cast<tile::StoreOp>(op);
  SmallVector<Value> values;
  for (IRMapping &lane : lanes)
    values.push_back(lane.lookupOrDefault(store.getValue()));
  Value vector = PackOp::create(b, loc, type, values);
  Value once = parallel()->primary;
  if (global) {
    StGlobalOp::create(b, loc, vector, lookup(buffer), index,
                       a.both(once, guard));
    return success();
  }
  OpBuilder::InsertionGuard restore(b);
  if (once) {
    auto branch = scf::IfOp::create(b, loc, once);
    b.setInsertionPointToStart(branch.thenBlock());
  }
  StSharedOp::create(b, loc, vector, address);
  return success();
}

LogicalResult Expander::expandVectorBody(tile::ParallelOp op,
                                         const VectorPlan &plan) {
  Arith a = arith(op.getLoc());
  SmallVector<IRMapping> lanes(plan.width, map);
  Value last = op.getBody().getArguments().back();
  for (auto [lane, mapping] : llvm::enumerate(lanes))
    mapping.map(last, a.orZero(a.add(map.lookup(last), lane)));
  for (Operation &inner : op.getBody().front()) {
    if (plan.wide.contains(&inner)) {
      if (failed(expandWideAccess(&inner, lanes)))
        return failure();
      continue;
    }
    for (auto [lane, mapping] : llvm::enumerate(lanes)) {
      parallels.back().lane = lane;
      std::swap(map, mapping);
      LogicalResult result = expandOp(&inner);
      std::swap(map, mapping);
      if (failed(result))
        return failure();
    }
  }
  return success();
}
