// Typed arithmetic on run-time values (language.md 4.4, 4.5): promotion, floor
// division, comparisons. Compile-time operands go to Python.cpp, sizes known at
// launch stay symbolic.
#include "compiler/frontend/elaborate/Elaborator.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

namespace tlc::frontend {

using Op = ast::BinaryOperator;
namespace arith = mlir::arith;

/// The numbers a type holds; nothing for types without useful bounds.
static std::optional<Interval> typeInterval(Dtype type) {
  if (type.isBool())
    return Interval{0, 1};
  if (!type.isInt() || type == Dtype(DtypeKind::UInt64))
    return std::nullopt;
  if (type.isUnsigned())
    return Interval{0, static_cast<int64_t>(llvm::maxUIntN(type.bits()))};
  return Interval{llvm::minIntN(type.bits()), llvm::maxIntN(type.bits())};
}

static bool contains(Interval outer, Interval inner) {
  return outer.lo <= inner.lo && inner.hi <= outer.hi;
}

/// An integer reduced to what the type holds.
static int64_t wrap(int64_t value, Dtype type) {
  if (type.isBool())
    return value != 0;
  if (type.bits() == 64)
    return value;
  if (type.isUnsigned())
    return value & static_cast<int64_t>(llvm::maxUIntN(type.bits()));
  return llvm::SignExtend64(value, type.bits());
}

static Value typedConstant(std::variant<int64_t, double> constant, Dtype type) {
  ScalarObject object;
  object.constant = constant;
  object.dtype = type;
  if (auto *i = std::get_if<int64_t>(&constant)) {
    object.linear = Linear::ofConstant(*i);
    object.range = Interval{*i, *i};
  }
  return Value::make(Kind::Scalar, std::move(object));
}

Value Elaborator::makeScalar(mlir::Value value, Dtype dtype,
                             std::optional<Linear> linear,
                             std::optional<Interval> range) {
  if (!value)
    return Value::poison();
  ScalarObject object;
  object.value = value;
  object.dtype = dtype;
  if (dtype.isInt()) {
    object.linear = linear ? linear : Linear::ofValue(value);
    object.range = typeInterval(dtype);
    if (range && (!object.range || contains(*object.range, *range)))
      object.range = range;
  }
  return Value::make(Kind::Scalar, std::move(object));
}

std::shared_ptr<ScalarObject> Elaborator::scalar(const Value &value,
                                                 llvm::SMRange range) {
  auto get = [](const Value &v) {
    return std::static_pointer_cast<ScalarObject>(v.object);
  };
  switch (value.kind) {
  case Kind::Scalar:
    return get(value);
  case Kind::Int:
    return get(typedConstant(value.integer, llvm::isInt<32>(value.integer)
                                                ? DtypeKind::Int32
                                                : DtypeKind::Int64));
  case Kind::Bool:
    return get(typedConstant(int64_t(value.boolean), DtypeKind::Bool));
  case Kind::Float:
    return get(typedConstant(value.number, DtypeKind::Float32));
  case Kind::Symbolic: {
    mlir::Value v = materializeSize(value.symbolic, range);
    if (!v)
      return nullptr;
    return get(makeScalar(v, DtypeKind::Int32, linearOf(value.symbolic),
                          intervalOf(value.symbolic)));
  }
  case Kind::Poison:
    return nullptr;
  default:
    typeError(range, "this operand", "a number", value);
    return nullptr;
  }
}

mlir::OpBuilder::InsertPoint Elaborator::prologuePoint() {
  mlir::OpBuilder::InsertPoint saved = b.saveInsertionPoint();
  b.setInsertionPoint(launch->prologueEnd);
  return saved;
}

mlir::Value Elaborator::constant(mlir::TypedAttr attr, mlir::Location loc) {
  if (!launch)
    return arith::ConstantOp::create(b, loc, attr);
  mlir::Value &known = launch->constants[attr];
  if (!known) {
    auto saved = prologuePoint();
    known = arith::ConstantOp::create(b, loc, attr);
    b.restoreInsertionPoint(saved);
  }
  return known;
}

mlir::Value Elaborator::materialize(const ScalarObject &scalar,
                                    llvm::SMRange range) {
  if (!scalar.isConstant())
    return scalar.value;
  mlir::Type type = scalar.dtype.scalarType(context);
  if (scalar.dtype.isFloat())
    return constant(b.getFloatAttr(type, scalar.asDouble()), loc(range));
  int64_t value = std::get<int64_t>(scalar.constant);
  return constant(
      b.getIntegerAttr(
          type, llvm::APInt(type.getIntOrFloatBitWidth(), value, true, true)),
      loc(range));
}

// ---- Binary operators -------------------------------------------------------

Value Elaborator::binary(Op op, const Value &a, const Value &b,
                         llvm::SMRange range) {
  if (a.isPoison() || b.isPoison())
    return Value::poison();
  if (!a.isRuntime() && !b.isRuntime())
    return pythonBinary(op, a, b, range);
  if (!(a.isRuntime() || a.isNumber()) || !(b.isRuntime() || b.isNumber())) {
    error(Diag::InvalidOperands, range)
        << ast::spelling(op) << describe(a) << " and " + describe(b);
    return Value::poison();
  }
  if (!a.is(Kind::Scalar) && !b.is(Kind::Scalar) && !a.is(Kind::Float) &&
      !b.is(Kind::Float))
    return symbolicBinary(op, a, b, range);
  return runtimeBinary(op, a, b, range);
}

static bool isBitwise(Op op) {
  return op == Op::BitAnd || op == Op::BitOr || op == Op::BitXor;
}

Value Elaborator::runtimeBinary(Op op, const Value &a, const Value &b,
                                llvm::SMRange range) {
  auto lhs = scalar(a, range), rhs = scalar(b, range);
  if (!lhs || !rhs)
    return Value::poison();
  Dtype type = promote(lhs->dtype, rhs->dtype);
  if (type == Dtype(DtypeKind::Handle) || op == Op::MatMult) {
    error(Diag::InvalidOperands, range)
        << ast::spelling(op) << describe(a) << " and " + describe(b);
    return Value::poison();
  }
  if (op == Op::Div && !type.isFloat())
    return error(Diag::IntegerDivision, range), Value::poison();
  bool intsOnly = op == Op::FloorDiv || op == Op::Mod || isBitwise(op) ||
                  op == Op::LShift || op == Op::RShift;
  if (type.isFloat() ? intsOnly : op == Op::Pow) {
    error(Diag::InvalidOperands, range)
        << ast::spelling(op) << describe(a) << " and " + describe(b);
    return Value::poison();
  }
  // Arithmetic on bools is arithmetic on ints; & | ^ of bools stay bool.
  if (type.isBool() && !isBitwise(op))
    type = DtypeKind::Int32;
  Value x = cast(a, type, range), y = cast(b, type, range);
  if (x.isPoison() || y.isPoison())
    return Value::poison();
  auto &xs = x.as<ScalarObject>(), &ys = y.as<ScalarObject>();
  if (type.isFloat())
    return floatBinary(op, materialize(xs, range), materialize(ys, range), type,
                       range);
  return intBinary(op, xs, ys, type, range);
}

Value Elaborator::floatBinary(Op op, mlir::Value x, mlir::Value y, Dtype type,
                              llvm::SMRange range) {
  mlir::Location l = loc(range);
  switch (op) {
  case Op::Add:
    return makeScalar(b.createOrFold<arith::AddFOp>(l, x, y), type);
  case Op::Sub:
    return makeScalar(b.createOrFold<arith::SubFOp>(l, x, y), type);
  case Op::Mult:
    return makeScalar(b.createOrFold<arith::MulFOp>(l, x, y), type);
  case Op::Div:
    return makeScalar(b.createOrFold<arith::DivFOp>(l, x, y), type);
  default:
    return makeScalar(b.createOrFold<mlir::math::PowFOp>(l, x, y), type);
  }
}

/// The result of an operator on two typed constants; nothing if undefined.
static std::optional<int64_t> foldInts(Op op, int64_t a, int64_t b) {
  auto u = [](int64_t v) { return static_cast<uint64_t>(v); };
  switch (op) {
  case Op::Add:
    return static_cast<int64_t>(u(a) + u(b));
  case Op::Sub:
    return static_cast<int64_t>(u(a) - u(b));
  case Op::Mult:
    return static_cast<int64_t>(u(a) * u(b));
  case Op::BitAnd:
    return a & b;
  case Op::BitOr:
    return a | b;
  case Op::BitXor:
    return a ^ b;
  default:
    return std::nullopt;
  }
}

/// What is known of the result of an operator on integers.
static void inferInt(Op op, const ScalarObject &x, const ScalarObject &y,
                     std::optional<int64_t> operand,
                     std::optional<Linear> &linear,
                     std::optional<Interval> &interval) {
  switch (op) {
  case Op::Add:
  case Op::Sub:
    if (x.linear && y.linear)
      linear = addScaled(*x.linear, *y.linear, op == Op::Add ? 1 : -1);
    if (x.range && y.range)
      interval =
          op == Op::Add ? add(*x.range, *y.range) : sub(*x.range, *y.range);
    break;
  case Op::Mult:
    if (x.linear && y.linear && y.linear->isConstant())
      linear = scale(*x.linear, y.linear->constant);
    else if (x.linear && y.linear && x.linear->isConstant())
      linear = scale(*y.linear, x.linear->constant);
    if (x.range && y.range)
      interval = mul(*x.range, *y.range);
    break;
  case Op::FloorDiv:
  case Op::Mod:
    if (x.range && operand && *operand > 0)
      interval = op == Op::Mod ? floorMod(*x.range, *operand)
                               : floorDiv(*x.range, *operand);
    break;
  case Op::BitAnd:
    if (operand && *operand >= 0)
      interval = Interval{0, *operand};
    break;
  case Op::LShift:
    if (operand && *operand < 31) {
      int64_t factor = int64_t(1) << *operand;
      if (x.linear)
        linear = scale(*x.linear, factor);
      if (x.range)
        interval = mul(*x.range, Interval{factor, factor});
    }
    break;
  case Op::RShift:
    if (x.range && operand)
      interval =
          floorDiv(*x.range, int64_t(1) << std::min<int64_t>(*operand, 62));
    break;
  default:
    break;
  }
}

Value Elaborator::intBinary(Op op, const ScalarObject &x, const ScalarObject &y,
                            Dtype type, llvm::SMRange range) {
  auto operand = y.isConstant() ? std::optional(std::get<int64_t>(y.constant))
                                : std::nullopt;
  bool isDivision = op == Op::FloorDiv || op == Op::Mod;
  if (isDivision && operand == 0)
    return error(Diag::DivisionByZero, range), Value::poison();
  if ((op == Op::LShift || op == Op::RShift) && operand &&
      (*operand < 0 || *operand >= type.bits())) {
    error(Diag::InvalidValue, range)
        << "shift count"
        << llvm::Twine(*operand) + " of a value with " +
               llvm::Twine(type.bits()) + " bits";
    return Value::poison();
  }
  if (x.isConstant() && y.isConstant())
    if (auto folded = foldInts(op, std::get<int64_t>(x.constant), *operand))
      return typedConstant(wrap(*folded, type), type);
  std::optional<Linear> linear;
  std::optional<Interval> interval;
  inferInt(op, x, y, operand, linear, interval);
  mlir::Value result = emitIntOp(op, x, y, type, range);
  return makeScalar(result, type, linear, interval);
}

mlir::Value Elaborator::emitIntOp(Op op, const ScalarObject &x,
                                  const ScalarObject &y, Dtype type,
                                  llvm::SMRange range) {
  if (op == Op::FloorDiv || op == Op::Mod)
    return emitDivMod(op == Op::Mod, x, y, type, range);
  mlir::Location l = loc(range);
  mlir::Value a = materialize(x, range), c = materialize(y, range);
  switch (op) {
  case Op::Add:
    return b.createOrFold<arith::AddIOp>(l, a, c);
  case Op::Sub:
    return b.createOrFold<arith::SubIOp>(l, a, c);
  case Op::Mult:
    return b.createOrFold<arith::MulIOp>(l, a, c);
  case Op::BitAnd:
    return b.createOrFold<arith::AndIOp>(l, a, c);
  case Op::BitOr:
    return b.createOrFold<arith::OrIOp>(l, a, c);
  case Op::BitXor:
    return b.createOrFold<arith::XOrIOp>(l, a, c);
  case Op::LShift:
    return b.createOrFold<arith::ShLIOp>(l, a, c);
  default:
    return type.isUnsigned() ? b.createOrFold<arith::ShRUIOp>(l, a, c)
                             : b.createOrFold<arith::ShRSIOp>(l, a, c);
  }
}

/// Floor division or modulo with the sign of the divisor: a shift or mask for
/// powers of two, the machine's division where the signs are known.
mlir::Value Elaborator::emitDivMod(bool isMod, const ScalarObject &x,
                                   const ScalarObject &y, Dtype type,
                                   llvm::SMRange range) {
  mlir::Location l = loc(range);
  mlir::Value a = materialize(x, range);
  if (y.isConstant()) {
    int64_t divisor = std::get<int64_t>(y.constant);
    if (divisor == 1)
      return isMod ? constant(llvm::cast<mlir::TypedAttr>(
                                  b.getIntegerAttr(a.getType(), 0)),
                              l)
                   : a;
    if (divisor > 0 && llvm::isPowerOf2_64(divisor)) {
      int64_t operand = isMod ? divisor - 1 : llvm::Log2_64(divisor);
      mlir::Value c = constant(b.getIntegerAttr(a.getType(), operand), l);
      if (isMod)
        return b.createOrFold<arith::AndIOp>(l, a, c);
      return type.isUnsigned() ? b.createOrFold<arith::ShRUIOp>(l, a, c)
                               : b.createOrFold<arith::ShRSIOp>(l, a, c);
    }
  }
  mlir::Value d = materialize(y, range);
  if (type.isUnsigned())
    return isMod ? b.createOrFold<arith::RemUIOp>(l, a, d)
                 : b.createOrFold<arith::DivUIOp>(l, a, d);
  if (x.range && x.range->lo >= 0 && y.range && y.range->lo >= 0)
    return isMod ? b.createOrFold<arith::RemSIOp>(l, a, d)
                 : b.createOrFold<arith::DivSIOp>(l, a, d);
  mlir::Value quotient = b.createOrFold<arith::FloorDivSIOp>(l, a, d);
  if (!isMod)
    return quotient;
  mlir::Value product = b.createOrFold<arith::MulIOp>(l, quotient, d);
  return b.createOrFold<arith::SubIOp>(l, a, product);
}

} // namespace tlc::frontend
