// Conversions, comparisons and negation of run-time scalars, and what is known
// about integers.
#include "compiler/frontend/elaborate/Elaborator.h"

#include "llvm/Support/MathExtras.h"
#include <cmath>

namespace tlc::frontend {

namespace arith = mlir::arith;
using Cmp = ast::CompareOperator;

static Value constantOf(std::variant<int64_t, double> constant, Dtype type) {
  ScalarObject object;
  object.constant = constant;
  object.dtype = type;
  if (auto *i = std::get_if<int64_t>(&constant)) {
    object.linear = Linear::ofConstant(*i);
    object.range = Interval{*i, *i};
  }
  return Value::make(Kind::Scalar, std::move(object));
}

/// A typed constant in another type; nothing if that has to be emitted.
static std::optional<Value> foldCast(const ScalarObject &from, Dtype to) {
  if (to.isFloat())
    return constantOf(from.asDouble(), to);
  int64_t value;
  if (auto *i = std::get_if<int64_t>(&from.constant)) {
    value = *i;
    if (from.dtype.isUnsigned() && from.dtype.bits() == 64 && value < 0)
      return std::nullopt;
  } else {
    double d = std::trunc(from.asDouble());
    if (to.isBool())
      return constantOf(int64_t(from.asDouble() != 0), to);
    if (!(std::abs(d) < 9.0e18))
      return std::nullopt;
    value = static_cast<int64_t>(d);
  }
  if (to.isBool())
    value = value != 0;
  else if (to.bits() < 64)
    value = to.isUnsigned()
                ? value & static_cast<int64_t>(llvm::maxUIntN(to.bits()))
                : llvm::SignExtend64(value, to.bits());
  return constantOf(value, to);
}

/// float16 and bfloat16 have no direct conversion: through float32.
static mlir::Value castFloat(mlir::OpBuilder &b, mlir::Location l,
                             mlir::Value v, mlir::Type to) {
  unsigned from = v.getType().getIntOrFloatBitWidth();
  unsigned width = to.getIntOrFloatBitWidth();
  if (from < width)
    return b.createOrFold<arith::ExtFOp>(l, to, v);
  if (from > width)
    return b.createOrFold<arith::TruncFOp>(l, to, v);
  mlir::Value wide = b.createOrFold<arith::ExtFOp>(l, b.getF32Type(), v);
  return b.createOrFold<arith::TruncFOp>(l, to, wide);
}

static mlir::Value castInt(mlir::OpBuilder &b, mlir::Location l, mlir::Value v,
                           Dtype from, Dtype to, mlir::Type type) {
  unsigned width = v.getType().getIntOrFloatBitWidth();
  unsigned target = type.getIntOrFloatBitWidth();
  if (width == target)
    return v;
  if (width > target)
    return b.createOrFold<arith::TruncIOp>(l, type, v);
  return from.isSigned() ? b.createOrFold<arith::ExtSIOp>(l, type, v)
                         : b.createOrFold<arith::ExtUIOp>(l, type, v);
}

/// x != 0.
static mlir::Value nonZero(mlir::OpBuilder &b, mlir::Location l, mlir::Value v,
                           mlir::Value zero) {
  if (llvm::isa<mlir::FloatType>(v.getType()))
    return b.createOrFold<arith::CmpFOp>(l, arith::CmpFPredicate::UNE, v, zero);
  return b.createOrFold<arith::CmpIOp>(l, arith::CmpIPredicate::ne, v, zero);
}

Value Elaborator::cast(const Value &value, Dtype to, llvm::SMRange range) {
  auto from = scalar(value, range);
  if (!from)
    return Value::poison();
  if (from->dtype == to)
    return Value::ofObject(Kind::Scalar, from);
  if (from->dtype == Dtype(DtypeKind::Handle) ||
      to == Dtype(DtypeKind::Handle)) {
    error(Diag::TypeMismatch, range)
        << "this value" << to.name() << describe(value);
    return Value::poison();
  }
  if (from->isConstant())
    if (auto folded = foldCast(*from, to))
      return *folded;

  mlir::Location l = loc(range);
  mlir::Value v = materialize(*from, range);
  mlir::Type type = to.scalarType(context);
  if (to.isBool()) {
    auto zero = llvm::cast<mlir::TypedAttr>(b.getZeroAttr(v.getType()));
    return makeScalar(nonZero(b, l, v, constant(zero, l)), to);
  }
  if (from->dtype.isFloat()) {
    if (to.isFloat())
      return makeScalar(castFloat(b, l, v, type), to);
    return makeScalar(to.isUnsigned()
                          ? b.createOrFold<arith::FPToUIOp>(l, type, v)
                          : b.createOrFold<arith::FPToSIOp>(l, type, v),
                      to);
  }
  if (to.isFloat())
    return makeScalar(from->dtype.isSigned()
                          ? b.createOrFold<arith::SIToFPOp>(l, type, v)
                          : b.createOrFold<arith::UIToFPOp>(l, type, v),
                      to);
  // Truncation keeps linear forms: both are exact modulo the narrower width.
  return makeScalar(castInt(b, l, v, from->dtype, to, type), to, from->linear,
                    from->range);
}

mlir::Value Elaborator::emit(const Value &value, Dtype dtype,
                             llvm::SMRange range) {
  Value converted = cast(value, dtype, range);
  if (converted.isPoison())
    return nullptr;
  return materialize(converted.as<ScalarObject>(), range);
}

mlir::Value Elaborator::emitIndex(const Value &value, llvm::SMRange range) {
  auto s = scalar(value, range);
  if (!s)
    return nullptr;
  if (!s->dtype.isInt() && !s->dtype.isBool()) {
    typeError(range, "an index", "an integer", value);
    return nullptr;
  }
  return emit(value, DtypeKind::Int32, range);
}

std::optional<Linear> Elaborator::linearOf(const Value &value) {
  if (value.isIntLike())
    return Linear::ofConstant(value.asInt());
  if (value.is(Kind::Symbolic))
    return linearOf(value.symbolic);
  if (value.is(Kind::Scalar))
    return value.as<ScalarObject>().linear;
  return std::nullopt;
}

std::optional<Interval> Elaborator::intervalOf(const Value &value) {
  if (value.isIntLike())
    return Interval{value.asInt(), value.asInt()};
  if (value.is(Kind::Symbolic))
    return intervalOf(value.symbolic);
  if (value.is(Kind::Scalar))
    return value.as<ScalarObject>().range;
  return std::nullopt;
}

std::optional<int64_t> Elaborator::differenceOf(const Value &hi,
                                                const Value &lo) {
  auto expr = [&](const Value &v) -> mlir::AffineExpr {
    if (v.is(Kind::Symbolic))
      return v.symbolic;
    return v.isIntLike() ? mlir::getAffineConstantExpr(v.asInt(), context)
                         : mlir::AffineExpr();
  };
  if (mlir::AffineExpr h = expr(hi), l = expr(lo); h && l) {
    auto difference = llvm::dyn_cast<mlir::AffineConstantExpr>(
        mlir::simplifyAffineExpr(h - l, 0, symbols.size()));
    if (difference)
      return difference.getValue();
  }
  auto h = linearOf(hi), l = linearOf(lo);
  return h && l ? constantDifference(*h, *l) : std::nullopt;
}

// ---- Comparison and negation ------------------------------------------------

static arith::CmpFPredicate floatPredicate(Cmp op) {
  switch (op) {
  case Cmp::Eq:
    return arith::CmpFPredicate::OEQ;
  case Cmp::NotEq:
    return arith::CmpFPredicate::UNE;
  case Cmp::Lt:
    return arith::CmpFPredicate::OLT;
  case Cmp::LtE:
    return arith::CmpFPredicate::OLE;
  case Cmp::Gt:
    return arith::CmpFPredicate::OGT;
  default:
    return arith::CmpFPredicate::OGE;
  }
}

static arith::CmpIPredicate intPredicate(Cmp op, bool isSigned) {
  using P = arith::CmpIPredicate;
  switch (op) {
  case Cmp::Eq:
    return P::eq;
  case Cmp::NotEq:
    return P::ne;
  case Cmp::Lt:
    return isSigned ? P::slt : P::ult;
  case Cmp::LtE:
    return isSigned ? P::sle : P::ule;
  case Cmp::Gt:
    return isSigned ? P::sgt : P::ugt;
  default:
    return isSigned ? P::sge : P::uge;
  }
}

static bool compareNumbers(Cmp op, auto a, auto b) {
  switch (op) {
  case Cmp::Eq:
    return a == b;
  case Cmp::NotEq:
    return a != b;
  case Cmp::Lt:
    return a < b;
  case Cmp::LtE:
    return a <= b;
  case Cmp::Gt:
    return a > b;
  default:
    return a >= b;
  }
}

Value Elaborator::compare(Cmp op, const Value &a, const Value &b_,
                          llvm::SMRange range) {
  if (a.isPoison() || b_.isPoison())
    return Value::poison();
  bool identity =
      op == Cmp::Is || op == Cmp::IsNot || op == Cmp::In || op == Cmp::NotIn;
  if (identity || (!a.isRuntime() && !b_.isRuntime()))
    return pythonCompare(op, a, b_, range);
  auto comparable = [](const Value &v) {
    return v.isRuntime() || v.isNumber();
  };
  if (!comparable(a) || !comparable(b_)) {
    if (op == Cmp::Eq || op == Cmp::NotEq) // x == None
      return Value::ofBool(op == Cmp::NotEq);
    error(Diag::InvalidOperands, range)
        << ast::spelling(op) << describe(a) << " and " + describe(b_);
    return Value::poison();
  }
  // Sizes whose difference is known, typed constants.
  if (!a.is(Kind::Scalar) && !b_.is(Kind::Scalar))
    if (auto difference = differenceOf(a, b_))
      return Value::ofBool(compareNumbers(op, *difference, int64_t(0)));

  auto x = scalar(a, range), y = x ? scalar(b_, range) : nullptr;
  if (!y)
    return Value::poison();
  Dtype type = promote(x->dtype, y->dtype);
  mlir::Value lhs = emit(a, type, range);
  mlir::Value rhs = lhs ? emit(b_, type, range) : nullptr;
  if (!rhs)
    return Value::poison();
  mlir::Location l = loc(range);
  if (type.isFloat())
    return makeScalar(
        b.createOrFold<arith::CmpFOp>(l, floatPredicate(op), lhs, rhs),
        DtypeKind::Bool);
  return makeScalar(b.createOrFold<arith::CmpIOp>(
                        l, intPredicate(op, type.isSigned()), lhs, rhs),
                    DtypeKind::Bool);
}

Value Elaborator::negate(const Value &value, llvm::SMRange range) {
  if (value.is(Kind::Symbolic))
    return Value::ofSymbolic(-value.symbolic);
  if (!value.is(Kind::Scalar))
    return binary(ast::BinaryOperator::Sub, Value::ofInt(0), value, range);
  auto &s = value.as<ScalarObject>();
  if (!s.dtype.isFloat())
    return binary(ast::BinaryOperator::Sub, Value::ofInt(0), value, range);
  if (s.isConstant())
    return constantOf(-s.asDouble(), s.dtype);
  return makeScalar(b.createOrFold<arith::NegFOp>(loc(range), s.value),
                    s.dtype);
}

Value Elaborator::logicalNot(const Value &value, llvm::SMRange range) {
  if (value.isPoison())
    return value;
  if (auto t = truth(value))
    return Value::ofBool(!*t);
  Value test = condition(value, range);
  if (!test.is(Kind::Scalar))
    return test.isPoison() ? test : Value::ofBool(!test.boolean);
  mlir::Value v = materialize(test.as<ScalarObject>(), range);
  mlir::Value yes = constant(b.getBoolAttr(true), loc(range));
  return makeScalar(b.createOrFold<arith::XOrIOp>(loc(range), v, yes),
                    DtypeKind::Bool);
}

Value Elaborator::condition(const Value &value, llvm::SMRange range) {
  if (value.isPoison())
    return value;
  if (auto t = truth(value))
    return Value::ofBool(*t);
  if (value.is(Kind::Scalar)) {
    auto &s = value.as<ScalarObject>();
    if (s.dtype.isBool()) {
      if (s.isConstant())
        return Value::ofBool(std::get<int64_t>(s.constant) != 0);
      return value;
    }
  }
  error(Diag::ConditionNotBool, range) << describe(value);
  return Value::poison();
}

} // namespace tlc::frontend
