// Index maps of fragments in parallel nests.
#include "compiler/transforms/AccessMaps.h"

#include "compiler/analysis/KnownDivisors.h"

using namespace mlir;
using namespace tlc::analysis;

namespace tlc::tile {

ArrayRef<int64_t> FragmentAccess::shape() const {
  return cast<MemRefType>(AllocOp(fragment).getResult().getType()).getShape();
}

SmallVector<int64_t> FragmentAccess::reached(ArrayRef<int64_t> extents) const {
  SmallVector<int64_t> result(shape());
  for (auto [size, var] : llvm::zip_equal(result, vars))
    if (var)
      size = std::min(size, extents[*var]);
  return result;
}

OperandRange FragmentAccess::indices() const {
  if (auto load = dyn_cast<LoadOp>(op))
    return load.getIndices();
  return cast<StoreOp>(op).getIndices();
}

bool FragmentAccess::namesAllVars(ArrayRef<int64_t> extents) const {
  for (auto [var, extent] : llvm::enumerate(extents))
    if (extent > 1 && !llvm::is_contained(vars, unsigned(var)))
      return false;
  return true;
}

bool FragmentAccess::hasPrivateDim() const {
  if (isExpression())
    return false;
  for (auto [var, size] : llvm::zip_equal(vars, shape()))
    if (!var && size > 1)
      return true;
  return false;
}

/// The index without operations that do nothing.
static Value stripIdentity(Value index) {
  Operation *def = index.getDefiningOp();
  if (auto add = dyn_cast_or_null<arith::AddIOp>(def)) {
    if (constantValue(add.getRhs()) == 0)
      return stripIdentity(add.getLhs());
    if (constantValue(add.getLhs()) == 0)
      return stripIdentity(add.getRhs());
  }
  if (auto mul = dyn_cast_or_null<arith::MulIOp>(def)) {
    if (constantValue(mul.getRhs()) == 1)
      return stripIdentity(mul.getLhs());
    if (constantValue(mul.getLhs()) == 1)
      return stripIdentity(mul.getRhs());
  }
  return index;
}

/// Whether `value` may differ between points of the nest.
static bool variesInNest(Value value, ParallelOp nest) {
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    Operation *owner = arg.getOwner()->getParentOp();
    if (owner == nest)
      return true;
    // The variable of a loop inside is as good as its bounds; what such a loop
    // carries may be anything.
    auto loop = dyn_cast<scf::ForOp>(owner);
    if (!loop || !nest->isProperAncestor(loop))
      return nest->isProperAncestor(owner);
    return arg != loop.getInductionVar() ||
           variesInNest(loop.getLowerBound(), nest) ||
           variesInNest(loop.getUpperBound(), nest) ||
           variesInNest(loop.getStep(), nest);
  }
  Operation *def = value.getDefiningOp();
  if (!nest->isProperAncestor(def))
    return isa<ThreadIdOp>(def);
  if (isa<ThreadIdOp, LoadOp>(def) || def->getNumRegions() != 0)
    return true;
  return llvm::any_of(def->getOperands(), [&](Value operand) {
    return variesInNest(operand, nest);
  });
}

static std::optional<int64_t> apply(Operation *op, int64_t x, int64_t y) {
  if (isa<arith::AddIOp>(op))
    return x + y;
  if (isa<arith::SubIOp>(op))
    return x - y;
  if (isa<arith::MulIOp>(op))
    return x * y;
  if (isa<arith::AndIOp>(op))
    return x & y;
  if (isa<arith::OrIOp>(op))
    return x | y;
  if (isa<arith::XOrIOp>(op))
    return x ^ y;
  // Of the rest only what all conventions agree on.
  if (x < 0 || y < 0)
    return std::nullopt;
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp>(op) && y > 0)
    return x / y;
  if (isa<arith::RemSIOp, arith::RemUIOp>(op) && y > 0)
    return x % y;
  if (isa<arith::ShRSIOp, arith::ShRUIOp>(op) && y < 32)
    return x >> y;
  if (isa<arith::ShLIOp>(op) && y < 32)
    return x << y;
  return std::nullopt;
}

static std::optional<int64_t> valueAt(Value value, ParallelOp nest,
                                      ArrayRef<int64_t> point) {
  if (std::optional<int64_t> constant = constantValue(value))
    return constant;
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    if (arg.getOwner()->getParentOp() != nest)
      return std::nullopt;
    return point[arg.getArgNumber()];
  }
  Operation *def = value.getDefiningOp();
  if (def->getNumOperands() != 2)
    return std::nullopt;
  std::optional<int64_t> x = valueAt(def->getOperand(0), nest, point);
  std::optional<int64_t> y = valueAt(def->getOperand(1), nest, point);
  return x && y ? apply(def, *x, *y) : std::nullopt;
}

std::optional<Coords> elementAt(const FragmentAccess &access, ParallelOp nest,
                                ArrayRef<int64_t> point) {
  Coords element;
  for (Value index : access.indices()) {
    std::optional<int64_t> value = valueAt(index, nest, point);
    if (!value)
      return std::nullopt;
    element.push_back(*value);
  }
  return element;
}

/// Fills `access.vars` from the indices.
static LogicalResult mapIndices(FragmentAccess &access, ParallelOp nest) {
  for (Value index : access.indices()) {
    index = stripIdentity(index);
    auto arg = dyn_cast<BlockArgument>(index);
    bool isVar = arg && arg.getOwner()->getParentOp() == nest;
    if (isVar && !llvm::is_contained(access.vars, arg.getArgNumber())) {
      access.vars.push_back(arg.getArgNumber());
    } else if (!isVar && !variesInNest(index, nest)) {
      access.vars.push_back(std::nullopt);
    } else {
      access.vars.clear();
      break;
    }
  }
  SmallVector<int64_t> origin(nest.getExtents().size(), 0);
  if (!access.isExpression() || elementAt(access, nest, origin))
    return success();
  return access.op->emitError()
         << "the fragment '" << access.fragment.getName()
         << "' is indexed by a value that is known only at run time; in "
            "T.Parallel, loop variables, constants and their sums, products, "
            "quotients and remainders are supported yet";
}

FailureOr<SmallVector<FragmentAccess>>
collectFragmentAccesses(ParallelOp nest) {
  SmallVector<FragmentAccess> result;
  WalkResult walk = nest.walk([&](Operation *op) {
    auto load = dyn_cast<LoadOp>(op);
    auto store = dyn_cast<StoreOp>(op);
    if (!load && !store)
      return WalkResult::advance();
    Value buffer = load ? load.getBuffer() : store.getBuffer();
    auto alloc = buffer.getDefiningOp<AllocOp>();
    if (!alloc || !isInSpace(buffer, Space::Fragment))
      return WalkResult::advance();
    FragmentAccess access{op, alloc, /*isWrite=*/bool(store), {}};
    if (failed(mapIndices(access, nest)))
      return WalkResult::interrupt();
    result.push_back(std::move(access));
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  return result;
}

static bool isZeroStep(const Coords &step) {
  return llvm::all_of(step, [](int64_t s) { return s == 0; });
}

LinearLayout layoutOfElements(const LinearLayout &points,
                              const FragmentAccess &access,
                              ArrayRef<int64_t> extents) {
  SmallVector<int64_t> shape = access.reached(extents);
  auto project = [&](const Digit &digit) {
    Coords step;
    for (std::optional<unsigned> var : access.vars)
      step.push_back(var ? digit.step[*var] : 0);
    return Digit{digit.count, step, digit.exclusiveOr && !isZeroStep(step)};
  };
  SmallVector<Digit> registers, threads;
  for (const Digit &digit : points.registerDigits())
    if (Digit moved = project(digit); !isZeroStep(moved.step))
      registers.push_back(moved);
  for (const Digit &digit : points.threadDigits())
    threads.push_back(project(digit));
  for (auto [dim, var] : llvm::enumerate(access.vars)) {
    if (var || shape[dim] == 1)
      continue;
    Coords step(shape.size(), 0);
    step[dim] = 1;
    registers.push_back({shape[dim], step});
  }
  return LinearLayout(shape, registers, threads);
}

std::optional<LinearLayout> layoutOfPoints(const LinearLayout &elements,
                                           const FragmentAccess &access,
                                           ArrayRef<int64_t> extents) {
  auto lift = [&](const Digit &digit) {
    Coords step(extents.size(), 0);
    for (auto [dim, var] : llvm::enumerate(access.vars))
      if (var)
        step[*var] = digit.step[dim];
    return Digit{digit.count, step, digit.exclusiveOr && !isZeroStep(step)};
  };
  SmallVector<Digit> registers, threads;
  for (const Digit &digit : elements.registerDigits())
    if (Digit moved = lift(digit); !isZeroStep(moved.step))
      registers.push_back(moved);
  for (const Digit &digit : elements.threadDigits()) {
    threads.push_back(lift(digit));
    if (isZeroStep(threads.back().step) && !isZeroStep(digit.step))
      return std::nullopt;
  }
  for (auto [var, extent] : llvm::enumerate(extents)) {
    if (extent <= 1 || llvm::is_contained(access.vars, unsigned(var)))
      continue;
    Coords step(extents.size(), 0);
    step[var] = 1;
    registers.push_back({extent, step});
  }
  return LinearLayout(extents, registers, threads);
}

std::optional<unsigned> spreadVar(const LinearLayout &points,
                                  const FragmentAccess &access) {
  for (const Digit &digit : points.threadDigits())
    for (auto [var, step] : llvm::enumerate(digit.step))
      if (step != 0 && digit.count > 1 &&
          !llvm::is_contained(access.vars, unsigned(var)))
        return var;
  return std::nullopt;
}

} // namespace tlc::tile
