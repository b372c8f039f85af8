// Offsets become sums of multiples of values. Two turns of a loop write apart
// if an offset moves with the loop variable by at least the extent; two copies
// if the difference of their offsets is at least that, at both ends of the loop
// that only one of them is in.
#include "compiler/conversion/TileToWS/Boxes.h"

#include "mlir/IR/Matchers.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tlc;

namespace {

/// constant + sum of factor * value.
struct Sum {
  int64_t constant = 0;
  llvm::MapVector<Value, int64_t> terms;

  void add(const Sum &other, int64_t factor) {
    constant += other.constant * factor;
    for (auto [value, times] : other.terms)
      terms[value] += times * factor;
  }
  int64_t factorOf(Value value) const { return terms.lookup(value); }
  std::optional<int64_t> asConstant() const {
    bool none = llvm::all_of(terms, [](auto term) { return term.second == 0; });
    return none ? std::optional(constant) : std::nullopt;
  }
  /// With `value` in place of a term.
  Sum replace(Value term, const Sum &value) const {
    Sum result = *this;
    int64_t factor = factorOf(term);
    result.terms[term] = 0;
    result.add(value, factor);
    return result;
  }
};

} // namespace

static Sum sumOf(Value value) {
  Sum sum;
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    sum.constant = constant.getSExtValue();
    return sum;
  }
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op)) {
    sum.add(sumOf(op->getOperand(0)), 1);
    sum.add(sumOf(op->getOperand(1)), isa<arith::AddIOp>(op) ? 1 : -1);
    return sum;
  }
  if (auto product = dyn_cast_or_null<arith::MulIOp>(op))
    for (auto [a, b] : {std::pair(product.getLhs(), product.getRhs()),
                        std::pair(product.getRhs(), product.getLhs())})
      if (matchPattern(a, m_ConstantInt(&constant))) {
        sum.add(sumOf(b), constant.getSExtValue());
        return sum;
      }
  sum.terms[value] = 1;
  return sum;
}

/// Loops around `op` inside `role`, the innermost first.
static SmallVector<Operation *> loopsOf(Operation *op, Operation *role) {
  SmallVector<Operation *> loops;
  for (op = op->getParentOp(); op && op != role; op = op->getParentOp())
    if (isa<LoopLikeOpInterface, tile::PipelinedOp>(op))
      loops.push_back(op);
  return loops;
}

static bool isFrom(Value value, Operation *outside) {
  return !outside->isAncestor(value.getParentRegion()->getParentOp());
}

/// The offset moves with this loop alone, by at least `extent` a turn.
static bool movesWith(scf::ForOp loop, Value offset, int64_t extent,
                      Operation *outermost) {
  APInt step;
  if (!matchPattern(loop.getStep(), m_ConstantInt(&step)))
    return false;
  Sum sum = sumOf(offset);
  Value turn = loop.getInductionVar();
  if (std::abs(sum.factorOf(turn) * step.getSExtValue()) < extent)
    return false;
  return llvm::all_of(sum.terms, [&](auto term) {
    return term.first == turn || term.second == 0 ||
           isFrom(term.first, outermost);
  });
}

/// Every loop around the copy moves a dimension of its own.
static bool isApartInTurns(tile::CopyOp copy, Operation *role) {
  SmallVector<Operation *> loops = loopsOf(copy, role);
  llvm::SmallDenseSet<unsigned> taken;
  for (Operation *op : loops) {
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop)
      return false;
    bool found = false;
    for (auto [dim, offset] : llvm::enumerate(copy.getDstOffsets())) {
      if (taken.contains(dim) ||
          !movesWith(loop, offset, copy.getDstSizes()[dim], loops.back()))
        continue;
      taken.insert(dim);
      found = true;
      break;
    }
    if (!found)
      return false;
  }
  return true;
}

/// The least and the greatest value of a sum over the turns of `loops`.
static std::pair<Sum, Sum> rangeOf(const Sum &sum,
                                   ArrayRef<Operation *> loops) {
  Sum least = sum, greatest = sum;
  for (Operation *op : loops) {
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop)
      continue;
    Value turn = loop.getInductionVar();
    Sum first = sumOf(loop.getLowerBound()), last = sumOf(loop.getUpperBound());
    last.constant -= 1;
    least = least.replace(turn, least.factorOf(turn) > 0 ? first : last);
    greatest =
        greatest.replace(turn, greatest.factorOf(turn) > 0 ? last : first);
  }
  return {least, greatest};
}

bool tlc::areDisjoint(tile::CopyOp earlier, tile::CopyOp now, Operation *role) {
  if (earlier == now)
    return isApartInTurns(now, role);
  SmallVector<Operation *> a = loopsOf(earlier, role), b = loopsOf(now, role);
  // What they share may be in other turns.
  if (!a.empty() && !b.empty() && a.back() == b.back())
    return false;
  llvm::append_range(a, b);
  for (auto [dim, offset] : llvm::enumerate(now.getDstOffsets())) {
    Sum difference = sumOf(offset);
    difference.add(sumOf(earlier.getDstOffsets()[dim]), -1);
    auto [least, greatest] = rangeOf(difference, a);
    if (auto value = least.asConstant();
        value && *value >= earlier.getDstSizes()[dim])
      return true;
    if (auto value = greatest.asConstant();
        value && -*value >= now.getDstSizes()[dim])
      return true;
  }
  return false;
}
