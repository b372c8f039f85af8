// A coordinate is taken apart into what is fixed during the role, the variables
// of loops around it, and the rest. Boxes are apart if one of their dimensions
// is: by an interval that holds in all turns, or, for two turns of one
// operation, since the coordinate steps over the whole extent.
#include "compiler/verify/StoreBoxes.h"

#include "dialects/sm/Sm.h"

#include "mlir/IR/Matchers.h"

#include <map>

using namespace mlir;
using namespace tlc;
using namespace tlc::verify;

namespace {

struct Box {
  SmallVector<Value> at;
  ArrayRef<int64_t> sizes;
};

/// A value as constant and multiples of other values; those of factor 0 are
/// left out.
class Combination {
public:
  explicit Combination(Value value) { take(value, 1); }

  void take(Value value, int64_t factor) {
    APInt number;
    if (matchPattern(value, m_ConstantInt(&number))) {
      constant += factor * number.getSExtValue();
    } else if (auto sum = value.getDefiningOp<arith::AddIOp>()) {
      take(sum.getLhs(), factor);
      take(sum.getRhs(), factor);
    } else if (auto rest = value.getDefiningOp<arith::SubIOp>()) {
      take(rest.getLhs(), factor);
      take(rest.getRhs(), -factor);
    } else if (auto product = value.getDefiningOp<arith::MulIOp>();
               product &&
               matchPattern(product.getRhs(), m_ConstantInt(&number))) {
      take(product.getLhs(), factor * number.getSExtValue());
    } else if (product &&
               matchPattern(product.getLhs(), m_ConstantInt(&number))) {
      take(product.getRhs(), factor * number.getSExtValue());
    } else {
      int64_t &entry = parts[value.getAsOpaquePointer()];
      entry += factor;
      if (entry == 0)
        parts.erase(value.getAsOpaquePointer());
    }
  }

  int64_t times(Value value) const {
    auto it = parts.find(value.getAsOpaquePointer());
    return it == parts.end() ? 0 : it->second;
  }

  /// Removes a loop's variable for the turn at which this is least, or
  /// greatest.
  void settle(scf::ForOp loop, bool least) {
    Value turn = loop.getInductionVar();
    int64_t factor = times(turn);
    if (factor == 0)
      return;
    parts.erase(turn.getAsOpaquePointer());
    bool first = (factor > 0) == least;
    take(first ? loop.getLowerBound() : loop.getUpperBound(), factor);
    if (!first)
      constant -= factor;
  }

  bool isNumber() const { return parts.empty(); }
  template <typename Check> bool allParts(Check check) const {
    return llvm::all_of(parts, [&](const auto &part) {
      return check(Value::getFromOpaquePointer(part.first));
    });
  }

  int64_t constant = 0;

private:
  std::map<const void *, int64_t> parts;
};

} // namespace

static std::optional<Box> boxOf(Operation *op, Value tensor) {
  if (auto store = dyn_cast<sm::TmaStoreOp>(op); store)
    return Box{llvm::to_vector(store.getCoords()), store.getSizes()};
  auto copy = dyn_cast<tile::CopyOp>(op);
  if (copy && copy.getDst() == tensor && copy.getSrc() != tensor)
    return Box{llvm::to_vector(copy.getDstOffsets()), copy.getDstSizes()};
  if (copy && copy.getSrc() == tensor && copy.getDst() != tensor)
    return Box{llvm::to_vector(copy.getSrcOffsets()), copy.getSrcSizes()};
  return std::nullopt;
}

static SmallVector<Operation *> loopsAround(Operation *op, Operation *role) {
  SmallVector<Operation *> loops;
  for (Operation *parent = op->getParentOp(); parent && parent != role;
       parent = parent->getParentOp())
    if (isa<LoopLikeOpInterface>(parent))
      loops.push_back(parent);
  return loops;
}

/// In every dimension both begin at the same, fixed place.
static bool isSamePlace(const Box &a, const Box &b, Operation *outermost) {
  for (auto [x, y] : llvm::zip(a.at, b.at)) {
    Combination distance(x);
    distance.take(y, -1);
    if (!distance.isNumber() || distance.constant != 0)
      return false;
    if (outermost && !Combination(x).allParts([&](Value part) {
          return !outermost->isAncestor(part.getParentRegion()->getParentOp());
        }))
      return false;
  }
  return true;
}

/// Turns that differ in the variable of this loop differ in a dimension that
/// nothing else moves.
static bool steps(scf::ForOp loop, const Box &box, Operation *outermost,
                  llvm::SmallBitVector &used) {
  APInt step;
  if (!matchPattern(loop.getStep(), m_ConstantInt(&step)))
    return false;
  for (auto [dim, at] : llvm::enumerate(box.at)) {
    Combination place(at);
    int64_t stride = place.times(loop.getInductionVar()) * step.getSExtValue();
    bool isAlone = place.allParts([&](Value part) {
      return part == loop.getInductionVar() ||
             !outermost->isAncestor(part.getParentRegion()->getParentOp());
    });
    if (used[dim] || !isAlone || std::abs(stride) < box.sizes[dim])
      continue;
    used.set(dim);
    return true;
  }
  return false;
}

static Overlap overlapOfTurns(Operation *op, const Box &box, Operation *role) {
  SmallVector<Operation *> loops = loopsAround(op, role);
  if (loops.empty())
    return Overlap::Never;
  if (isSamePlace(box, box, loops.back()))
    return Overlap::Always;
  llvm::SmallBitVector used(box.at.size());
  for (Operation *parent : loops) {
    auto loop = dyn_cast<scf::ForOp>(parent);
    if (!loop || !steps(loop, box, loops.back(), used))
      return Overlap::Unknown;
  }
  return Overlap::Never;
}

Overlap tlc::verify::overlapOf(Operation *a, Operation *b, Value tensor,
                               Operation *role) {
  auto x = boxOf(a, tensor), y = boxOf(b, tensor);
  if (!x || !y || x->at.size() != y->at.size())
    return Overlap::Unknown;
  if (a == b)
    return overlapOfTurns(a, *x, role);
  SmallVector<Operation *> of = loopsAround(a, role),
                           others = loopsAround(b, role);
  bool share = !of.empty() && !others.empty() && of.back() == others.back();
  if (isSamePlace(*x, *y, share ? of.back() : nullptr))
    return Overlap::Always;
  if (share)
    return Overlap::Unknown;
  llvm::append_range(of, others);
  for (size_t dim = 0; dim < x->at.size(); ++dim) {
    Combination least(y->at[dim]);
    least.take(x->at[dim], -1);
    Combination greatest = least;
    for (Operation *parent : of)
      if (auto loop = dyn_cast<scf::ForOp>(parent)) {
        least.settle(loop, /*least=*/true);
        greatest.settle(loop, /*least=*/false);
      }
    if ((least.isNumber() && least.constant >= x->sizes[dim]) ||
        (greatest.isNumber() && -greatest.constant >= y->sizes[dim]))
      return Overlap::Never;
  }
  return Overlap::Unknown;
}
