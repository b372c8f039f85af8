// Folded arithmetic and facts about integer values.
#include "compiler/conversion/SMToThreads/Arithmetic.h"

#include "dialects/sm/Sm.h"
#include "llvm/ADT/TypeSwitch.h"
#include <numeric>

using namespace mlir;
using namespace tlc;
using namespace tlc::sm;

Value Arith::i32(int64_t value) {
  return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
}
Value Arith::i64(int64_t value) {
  return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
}
Value Arith::boolean(bool value) {
  return arith::ConstantOp::create(b, loc, b.getBoolAttr(value));
}

/// A constant of the type of `like`.
static Value constantLike(OpBuilder &b, Location loc, Value like, int64_t v) {
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(like.getType(), v));
}

Value Arith::add(Value x, Value y) {
  if (!x || constantOf(x) == 0)
    return y;
  if (!y || constantOf(y) == 0)
    return x;
  return b.createOrFold<arith::AddIOp>(loc, x, y);
}
Value Arith::add(Value x, int64_t y) {
  if (y == 0)
    return x;
  return x ? add(x, constantLike(b, loc, x, y)) : i32(y);
}
Value Arith::sub(Value x, Value y) {
  if (!y || constantOf(y) == 0)
    return x;
  return b.createOrFold<arith::SubIOp>(loc, orZero(x), y);
}
Value Arith::mul(Value x, Value y) {
  if (!x || !y || constantOf(x) == 0 || constantOf(y) == 0)
    return {};
  if (constantOf(x) == 1)
    return y;
  return b.createOrFold<arith::MulIOp>(loc, x, y);
}
Value Arith::mul(Value x, int64_t y) {
  if (!x || y == 0)
    return {};
  return y == 1 ? x : mul(x, constantLike(b, loc, x, y));
}
Value Arith::div(Value x, int64_t y) {
  if (!x || y == 1)
    return x;
  if (auto range = rangeOf(x); range && range->low >= 0 && range->high < y)
    return {};
  return b.createOrFold<arith::DivSIOp>(loc, x, constantLike(b, loc, x, y));
}
Value Arith::rem(Value x, int64_t y) {
  if (!x || y == 1)
    return {};
  if (auto range = rangeOf(x); range && range->low >= 0 && range->high < y)
    return x;
  if (y > 0 && divisorOf(x) % y == 0)
    return {};
  return b.createOrFold<arith::RemSIOp>(loc, x, constantLike(b, loc, x, y));
}
Value Arith::bitXor(Value x, Value y) {
  if (!x || constantOf(x) == 0)
    return y;
  if (!y || constantOf(y) == 0)
    return x;
  return b.createOrFold<arith::XOrIOp>(loc, x, y);
}
Value Arith::bitAnd(Value x, int64_t y) {
  if (!x || y == 0)
    return {};
  return b.createOrFold<arith::AndIOp>(loc, x, constantLike(b, loc, x, y));
}
Value Arith::shiftRight(Value x, int64_t y) {
  if (!x || y == 0)
    return x;
  return b.createOrFold<arith::ShRSIOp>(loc, x, constantLike(b, loc, x, y));
}
Value Arith::shiftLeft(Value x, int64_t y) {
  if (!x || y == 0)
    return x;
  return b.createOrFold<arith::ShLIOp>(loc, x, constantLike(b, loc, x, y));
}
Value Arith::wide(Value x) {
  if (!x)
    return {};
  if (auto c = constantOf(x))
    return i64(*c);
  return b.createOrFold<arith::ExtSIOp>(loc, b.getI64Type(), x);
}
Value Arith::both(Value p, Value q) {
  if (!p)
    return q;
  if (!q)
    return p;
  return b.createOrFold<arith::AndIOp>(loc, p, q);
}
Value Arith::compare(arith::CmpIPredicate predicate, Value x, Value y) {
  return b.createOrFold<arith::CmpIOp>(loc, predicate, orZero(x), orZero(y));
}
Value Arith::below(Value x, Value limit) {
  if (!x)
    x = i32(0);
  auto range = rangeOf(x);
  auto limitRange = rangeOf(limit);
  if (range && limitRange && range->low >= 0 && range->high < limitRange->low)
    return {};
  bool nonNegative = range && range->low >= 0;
  return compare(nonNegative ? arith::CmpIPredicate::slt
                             : arith::CmpIPredicate::ult,
                 x, limit);
}

Value Arith::affine(AffineExpr expr, ValueRange symbols) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return i32(constant.getValue());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value x = orZero(affine(binary.getLHS(), symbols));
  Value y = orZero(affine(binary.getRHS(), symbols));
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return orZero(add(x, y));
  case AffineExprKind::Mul:
    return orZero(mul(x, y));
  case AffineExprKind::FloorDiv:
    return b.createOrFold<arith::FloorDivSIOp>(loc, x, y);
  case AffineExprKind::CeilDiv:
    return b.createOrFold<arith::CeilDivSIOp>(loc, x, y);
  default:
    return b.createOrFold<arith::RemSIOp>(loc, x, y);
  }
}

std::optional<int64_t> sm::constantOf(Value value) {
  APInt constant;
  if (value && matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  return std::nullopt;
}

/// Block indices run over the grid, loop variables over their bounds.
static std::optional<Interval> rangeOfArgument(BlockArgument arg) {
  Operation *parent = arg.getOwner()->getParentOp();
  if (auto launch = dyn_cast<LaunchOp>(parent)) {
    auto grid = constantOf(launch.getGrid()[arg.getArgNumber()]);
    return Interval{0, grid ? *grid - 1 : INT32_MAX};
  }
  if (isa<tile::KernelOp>(parent))
    return arg.getType().isInteger(32) &&
                   arg.getArgNumber() >=
                       cast<tile::KernelOp>(parent).getNumParams()
               ? std::optional(Interval{0, INT32_MAX})
               : std::nullopt;
  auto loop = dyn_cast<scf::ForOp>(parent);
  if (!loop || arg != loop.getInductionVar())
    return std::nullopt;
  auto low = rangeOf(loop.getLowerBound());
  auto high = rangeOf(loop.getUpperBound());
  if (!low)
    return std::nullopt;
  return Interval{low->low,
                  high ? std::max(high->high - 1, low->low) : INT32_MAX};
}

std::optional<Interval> sm::rangeOf(Value value) {
  if (!value)
    return Interval{0, 0};
  if (auto constant = constantOf(value))
    return Interval{*constant, *constant};
  if (auto arg = dyn_cast<BlockArgument>(value))
    return rangeOfArgument(arg);
  Operation *op = value.getDefiningOp();
  if (auto thread = dyn_cast<ThreadOp>(op))
    return Interval{0, static_cast<int64_t>(thread.getCount()) - 1};
  if (auto warp = dyn_cast<WarpOp>(op))
    return Interval{0, static_cast<int64_t>(warp.getCount()) - 1};
  if (op->getNumOperands() != 2)
    return std::nullopt;
  auto x = rangeOf(op->getOperand(0)), y = rangeOf(op->getOperand(1));
  if (!y)
    return std::nullopt;
  bool constant = y->low == y->high;
  std::optional<Interval> result;
  if (isa<arith::AndIOp>(op) && constant && y->low >= 0)
    result = Interval{0, x && x->low >= 0 ? std::min(x->high, y->low) : y->low};
  if (!x)
    return result;
  if (isa<arith::AddIOp>(op))
    result = Interval{x->low + y->low, x->high + y->high};
  else if (isa<arith::SubIOp>(op))
    result = Interval{x->low - y->high, x->high - y->low};
  else if (isa<arith::MulIOp>(op) && x->low >= 0 && y->low >= 0)
    result =
        Interval{x->low * y->low, x->high > INT32_MAX || y->high > INT32_MAX
                                      ? INT64_MAX
                                      : x->high * y->high};
  else if (isa<arith::DivSIOp>(op) && constant && y->low > 0 && x->low >= 0)
    result = Interval{x->low / y->low, x->high / y->low};
  else if (isa<arith::RemSIOp>(op) && constant && y->low > 0 && x->low >= 0)
    result = Interval{0, std::min(x->high, y->low - 1)};
  else if (isa<arith::MinSIOp>(op))
    result = Interval{std::min(x->low, y->low), std::min(x->high, y->high)};
  else if (isa<arith::MaxSIOp>(op))
    result = Interval{std::max(x->low, y->low), std::max(x->high, y->high)};
  if (result && result->low < INT32_MIN)
    return std::nullopt;
  // The sizes of a tensor are below 2^31, so coordinates do not wrap.
  if (result && result->high > INT32_MAX)
    result->high = INT32_MAX;
  return result;
}

int64_t sm::divisorOf(Value value) {
  if (!value)
    return 0;
  if (auto constant = constantOf(value))
    return std::abs(*constant);
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(arg.getOwner()->getParentOp());
    if (loop && arg == loop.getInductionVar())
      return std::gcd(divisorOf(loop.getLowerBound()),
                      divisorOf(loop.getStep()));
    return 1;
  }
  Operation *op = value.getDefiningOp();
  if (isa<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MaxSIOp>(op))
    return std::gcd(divisorOf(op->getOperand(0)), divisorOf(op->getOperand(1)));
  if (isa<arith::MulIOp>(op)) {
    int64_t x = divisorOf(op->getOperand(0)), y = divisorOf(op->getOperand(1));
    return x > (1 << 20) || y > (1 << 20) ? std::max(x, y) : x * y;
  }
  if (isa<arith::SelectOp>(op))
    return std::gcd(divisorOf(op->getOperand(1)), divisorOf(op->getOperand(2)));
  if (isa<arith::ExtSIOp>(op))
    return divisorOf(op->getOperand(0));
  if (isa<arith::ShLIOp>(op))
    if (auto shift = constantOf(op->getOperand(1)); shift && *shift < 31)
      return divisorOf(op->getOperand(0)) << *shift;
  return 1;
}
