// Parallel loops, element accesses and calls of the program's own functions.
#include "compiler/conversion/SMToThreads/ExpandCopy.h"
#include "compiler/conversion/SMToThreads/ParallelVectors.h"

#include "compiler/analysis/FragmentLayouts.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::sm;
using analysis::Coords;
using analysis::LinearLayout;

/// The value of an index expression at a point of the parallel loop.
static std::optional<int64_t> evaluate(Value v, ArrayRef<Value> variables,
                                       const Coords &point) {
  for (auto [i, variable] : llvm::enumerate(variables))
    if (v == variable)
      return point[i];
  if (auto constant = constantOf(v))
    return constant;
  Operation *op = v.getDefiningOp();
  if (!op || op->getNumOperands() != 2)
    return std::nullopt;
  auto x = evaluate(op->getOperand(0), variables, point);
  auto y = evaluate(op->getOperand(1), variables, point);
  if (!x || !y)
    return std::nullopt;
  if (isa<arith::AddIOp>(op))
    return *x + *y;
  if (isa<arith::SubIOp>(op))
    return *x - *y;
  if (isa<arith::MulIOp>(op))
    return *x * *y;
  bool divides = isa<arith::DivSIOp, arith::FloorDivSIOp, arith::DivUIOp>(op);
  bool remains = isa<arith::RemSIOp, arith::RemUIOp>(op);
  if ((divides || remains) && *x >= 0 && *y > 0)
    return divides ? *x / *y : *x % *y;
  if (isa<arith::AndIOp>(op))
    return *x & *y;
  if (isa<arith::XOrIOp>(op))
    return *x ^ *y;
  if (isa<arith::ShRSIOp, arith::ShRUIOp>(op) && *x >= 0)
    return *x >> *y;
  if (isa<arith::ShLIOp>(op))
    return *x << *y;
  return std::nullopt;
}

/// Register map of a fragment access inside a parallel loop.
static FailureOr<RegisterMap> mapAccess(Operation *op,
                                        const ParallelContext &context,
                                        const Fragment &fragment,
                                        OperandRange indices) {
  bool constant = true;
  auto map =
      mapRegisters(*context.layout, fragment.layout, [&](const Coords &point) {
        Coords at;
        for (Value index : indices) {
          auto value = evaluate(index, context.oldVariables, point);
          constant &= value.has_value();
          at.push_back(value.value_or(0));
        }
        bool inside = true;
        for (auto [value, size] : llvm::zip(at, fragment.layout.shape()))
          inside &= value >= 0 && value < size;
        return inside ? std::optional(at) : std::nullopt;
      });
  if (!constant)
    return op->emitError("index of a fragment that is not a function of the "
                         "loop variables is not supported yet");
  if (!map)
    return op->emitError("access to an element of a fragment that another "
                         "thread holds is not supported yet");
  return *map;
}

/// A fragment that the loop indexes with its own variables, in order: its
/// layout suits the loop.
static const Fragment *naturalFragment(Expander &x, tile::ParallelOp op) {
  const Fragment *found = nullptr;
  auto visit = [&](Value buffer, OperandRange indices) {
    const Fragment *fragment = x.fragment(buffer);
    if (fragment && !found &&
        llvm::equal(fragment->layout.shape(), op.getExtents()) &&
        llvm::equal(indices, op.getBody().getArguments()))
      found = fragment;
  };
  op.walk([&](Operation *inner) {
    if (auto load = dyn_cast<tile::LoadOp>(inner))
      visit(load.getBuffer(), load.getIndices());
    if (auto store = dyn_cast<tile::StoreOp>(inner))
      visit(store.getBuffer(), store.getIndices());
  });
  return found;
}

FailureOr<LinearLayout> Expander::layoutOfParallel(tile::ParallelOp op) {
  LinearLayout layout;
  if (op.getLayoutAttr()) {
    auto parsed = parseLayout(op, op.getLayoutAttr());
    if (failed(parsed))
      return failure();
    layout = *parsed;
  } else if (const Fragment *natural = naturalFragment(*this, op)) {
    layout = natural->layout;
  } else {
    layout = analysis::blockedLayout(op.getExtents(), 32, role().threads, 4);
  }
  if (!llvm::equal(layout.shape(), op.getExtents()) || !layout.isAdditive())
    return op.emitError("layout does not describe the extents of the loop");
  return layout;
}

/// Where each fragment access of the body finds its element.
LogicalResult Expander::mapFragments(tile::ParallelOp op,
                                     ParallelContext &context) {
  WalkResult walked = op.walk([&](Operation *inner) {
    Value buffer;
    std::optional<OperandRange> indices;
    if (auto load = dyn_cast<tile::LoadOp>(inner))
      buffer = load.getBuffer(), indices = load.getIndices();
    if (auto store = dyn_cast<tile::StoreOp>(inner))
      buffer = store.getBuffer(), indices = store.getIndices();
    const Fragment *f = buffer ? fragment(buffer) : nullptr;
    if (!f)
      return WalkResult::advance();
    auto map = mapAccess(inner, context, *f, *indices);
    if (failed(map))
      return WalkResult::interrupt();
    context.order.push_back(inner);
    context.maps[inner] = *map;
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

LogicalResult Expander::expandParallel(tile::ParallelOp op) {
  Location loc = op.getLoc();
  if (!parallels.empty())
    return op.emitError("parallel loop inside a parallel loop is not supported "
                        "yet");
  if (llvm::is_contained(op.getExtents(), 0))
    return success();
  auto layout = layoutOfParallel(op);
  if (failed(layout))
    return failure();
  ParallelContext context;
  context.layout = &*layout;
  llvm::append_range(context.oldVariables, op.getBody().getArguments());
  if (failed(mapFragments(op, context)))
    return failure();
  VectorPlan plan = planVectors(*this, op, *layout);
  if (!plan.condition)
    return emitParallel(op, context, plan);
  auto branch = scf::IfOp::create(b, loc, plan.condition, true);
  OpBuilder::InsertionGuard restore(b);
  b.setInsertionPointToStart(branch.thenBlock());
  if (failed(emitParallel(op, context, plan)))
    return failure();
  b.setInsertionPointToStart(branch.elseBlock());
  return emitParallel(op, context, VectorPlan());
}

LogicalResult Expander::emitParallel(tile::ParallelOp op,
                                     ParallelContext context,
                                     const VectorPlan &plan) {
  Location loc = op.getLoc();
  Points points(*this, loc, *context.layout, plan.width);
  context.points = &points;
  // Every fragment access moves along with the loops over registers.
  bool linear = llvm::all_of(context.order, [&](Operation *access) {
    return points.isLinear(context.maps[access]);
  });
  if (!linear && plan.width > 1)
    return emitParallel(op, context, VectorPlan());
  if (linear)
    points.fuse([&](const RegDigit &digit, SmallVectorImpl<int64_t> &keys) {
      for (Operation *access : context.order) {
        const RegisterMap &map = context.maps[access];
        keys.push_back(map[digit.reg] - map[0]);
      }
    });
  OpBuilder::InsertionGuard restore(b);
  context.primary = points.primary();
  if (Value guard = points.participates()) {
    auto branch = scf::IfOp::create(b, loc, guard);
    b.setInsertionPointToStart(branch.thenBlock());
  }
  LogicalResult result = success();
  auto body = [&](ValueRange ivs) {
    OpBuilder::InsertionGuard inner(b);
    if (Value inside = points.inRange(ivs)) {
      auto branch = scf::IfOp::create(b, loc, inside);
      b.setInsertionPointToStart(branch.thenBlock());
    }
    Arith a = arith(loc);
    for (auto [dim, variable] : llvm::enumerate(context.oldVariables))
      map.map(variable, a.orZero(points.coord(dim, ivs)));
    context.loopVariables.assign(ivs.begin(), ivs.end());
    parallels.push_back(context);
    if (succeeded(result))
      result = plan.width > 1 ? expandVectorBody(op, plan)
                              : expandBlock(op.getBody().front());
    parallels.pop_back();
  };
  if (linear) {
    points.emitLoops(body);
    return result;
  }
  // Positions follow no pattern: one copy of the body for each register.
  Arith a = arith(loc);
  for (int64_t reg = 0; reg < context.layout->numRegisters(); ++reg) {
    SmallVector<Value> ivs;
    for (const RegDigit &digit : points.digits())
      ivs.push_back(a.i32(reg / digit.reg % digit.count));
    context.reg = reg;
    body(ivs);
  }
  return result;
}

/// The register of an element at an index known at run time: the threads hold
/// all elements, in the order of their indices.
FailureOr<Value> Expander::replicatedRegister(Operation *op,
                                              const Fragment &fragment,
                                              OperandRange indices) {
  ArrayRef<int64_t> shape = fragment.layout.shape();
  if (!(fragment.layout ==
        LinearLayout::replicated(shape, fragment.layout.numThreads())))
    return op->emitError("access outside of T.Parallel, with an index known at "
                         "run time, to a fragment that not every thread holds "
                         "in the order of its elements is not supported yet");
  Arith a = arith(op->getLoc());
  Value reg = a.i32(0);
  for (auto [index, size] : llvm::zip(indices, shape))
    reg = a.add(a.mul(reg, size), lookup(index));
  return reg;
}

FailureOr<Value> Expander::fragmentRegister(Operation *op,
                                            const Fragment &fragment,
                                            OperandRange indices) {
  Arith a = arith(op->getLoc());
  if (const ParallelContext *context = parallel()) {
    const RegisterMap &map = context->maps.lookup(op);
    if (context->reg >= 0)
      return a.i32(map[context->reg]);
    return context->points->arrayIndex(map, context->loopVariables,
                                       context->lane);
  }
  // Outside of a parallel loop every thread needs the element.
  Coords at;
  for (Value index : indices) {
    auto constant = constantOf(lookup(index));
    if (!constant)
      return replicatedRegister(op, fragment, indices);
    at.push_back(*constant);
  }
  auto owners = fragment.layout.ownerOf(at);
  if (static_cast<int64_t>(owners.size()) != fragment.layout.numThreads())
    return op->emitError("access outside of T.Parallel to a fragment whose "
                         "elements are spread over threads is not supported "
                         "yet");
  for (analysis::Owner owner : owners)
    if (owner.reg != owners.front().reg)
      return op->emitError("access outside of T.Parallel to a fragment that "
                           "threads hold in different registers is not "
                           "supported yet");
  return a.i32(owners.front().reg);
}

static SmallVector<Value> lookupAll(Expander &x, OperandRange values) {
  SmallVector<Value> result;
  for (Value v : values)
    result.push_back(x.lookup(v));
  return result;
}

/// Index in a thread's array; arrays stay as they were declared.
LogicalResult Expander::expandLoad(tile::LoadOp op) {
  Location loc = op.getLoc();
  Arith a = arith(loc);
  Type type = op.getResult().getType();
  SmallVector<Value> indices = lookupAll(*this, op.getIndices());
  Value result;
  switch (tile::getSpace(op.getBuffer().getType())) {
  case tile::Space::Global: {
    Value param = lookup(op.getBuffer());
    auto [index, guard] =
        GlobalAccess::elementAt(*this, loc, param, indices, op.getInBounds());
    result = LdGlobalOp::create(b, loc, type, param, index, guard);
    break;
  }
  case tile::Space::Shared: {
    auto tile = sharedTile(op, op.getBuffer());
    if (failed(tile))
      return failure();
    if (indices.empty())
      indices.push_back({});
    result = LdSharedOp::create(b, loc, type,
                                SharedAccess::addressOf(a, *tile, indices));
    break;
  }
  case tile::Space::Fragment: {
    const Fragment *f = fragment(op.getBuffer());
    if (!f)
      return op.emitError("fragment is not a tile.alloc");
    auto index = fragmentRegister(op, *f, op.getIndices());
    if (failed(index))
      return failure();
    result = tile::LoadOp::create(b, loc, type, f->array, *index, true);
    break;
  }
  case tile::Space::Local:
    result = tile::LoadOp::create(b, loc, type, lookup(op.getBuffer()), indices,
                                  true);
    break;
  }
  map.map(op.getResult(), result);
  return success();
}

LogicalResult Expander::expandStore(tile::StoreOp op) {
  Location loc = op.getLoc();
  Arith a = arith(loc);
  Value value = lookup(op.getValue());
  SmallVector<Value> indices = lookupAll(*this, op.getIndices());
  Value once = parallel() ? parallel()->primary : Value();
  switch (tile::getSpace(op.getBuffer().getType())) {
  case tile::Space::Global: {
    Value param = lookup(op.getBuffer());
    auto [index, guard] =
        GlobalAccess::elementAt(*this, loc, param, indices, op.getInBounds());
    StGlobalOp::create(b, loc, value, param, index, a.both(once, guard));
    return success();
  }
  case tile::Space::Shared: {
    auto tile = sharedTile(op, op.getBuffer());
    if (failed(tile))
      return failure();
    if (indices.empty())
      indices.push_back({});
    OpBuilder::InsertionGuard guard(b);
    Value address = SharedAccess::addressOf(a, *tile, indices);
    if (once) {
      auto branch = scf::IfOp::create(b, loc, once);
      b.setInsertionPointToStart(branch.thenBlock());
    }
    StSharedOp::create(b, loc, value, address);
    return success();
  }
  case tile::Space::Fragment: {
    const Fragment *f = fragment(op.getBuffer());
    if (!f)
      return op.emitError("fragment is not a tile.alloc");
    auto index = fragmentRegister(op, *f, op.getIndices());
    if (failed(index))
      return failure();
    tile::StoreOp::create(b, loc, value, f->array, *index, true);
    return success();
  }
  case tile::Space::Local:
    tile::StoreOp::create(b, loc, value, lookup(op.getBuffer()), indices, true);
    return success();
  }
  return success();
}

/// Pointer to an element, as the program's own functions take it.
static FailureOr<Value> pointerTo(Expander &x, Operation *op, Value buffer,
                                  ArrayRef<Value> coords) {
  OpBuilder &b = x.b;
  Arith a = x.arith(op->getLoc());
  auto type = cast<MemRefType>(buffer.getType());
  Type element = type.getElementType();
  if (tile::isInSpace(type, tile::Space::Shared)) {
    auto tile = x.sharedTile(op, buffer);
    if (failed(tile))
      return failure();
    return PointerOp::create(b, op->getLoc(), b.getI64Type(), Value(), Value(),
                             SharedAccess::addressOf(a, *tile, coords), element)
        .getResult();
  }
  Value base = x.lookup(buffer), index;
  if (tile::isInSpace(type, tile::Space::Global))
    index = GlobalAccess::elementAt(x, op->getLoc(), base, coords, true).first;
  return PointerOp::create(b, op->getLoc(), b.getI64Type(), base, index,
                           Value(), element)
      .getResult();
}

LogicalResult Expander::expandCall(tile::CallExternOp op) {
  SmallVector<Value> args;
  for (Value arg : op.getArgs()) {
    Value buffer = arg;
    SmallVector<Value> coords;
    if (auto access = arg.getDefiningOp<tile::AccessPtrOp>()) {
      buffer = access.getBuffer();
      coords = lookupAll(*this, access.getOffsets());
    } else if (auto type = dyn_cast<MemRefType>(arg.getType())) {
      coords.assign(std::max<int64_t>(1, type.getRank()), Value());
    } else {
      args.push_back(lookup(arg));
      continue;
    }
    if (tile::isInSpace(buffer, tile::Space::Fragment) && !fragment(buffer))
      return op.emitError("fragment is not a tile.alloc");
    auto pointer = pointerTo(*this, op, buffer, coords);
    if (failed(pointer))
      return failure();
    args.push_back(*pointer);
  }
  Value once = parallel() ? parallel()->primary : Value();
  if (once && op.getResult())
    return op.emitError("value of a call in a loop that threads repeat is not "
                        "supported yet");
  OpBuilder::InsertionGuard guard(b);
  if (once) {
    auto branch = scf::IfOp::create(b, op.getLoc(), once);
    b.setInsertionPointToStart(branch.thenBlock());
  }
  TypeRange types;
  if (op.getResult())
    types = op->getResultTypes();
  auto call = tile::CallExternOp::create(b, op.getLoc(), types,
                                         op.getCalleeAttr(), args);
  if (op.getResult())
    map.map(op.getResult(), call.getResult());
  return success();
}
