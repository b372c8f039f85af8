// Scalar functions on integers and conversions.
#include "compiler/frontend/builtins/Handlers.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

namespace tlc::frontend::builtins {

namespace arith = mlir::arith;
using Op = ast::BinaryOperator;

Value ceilDiv(CallArgs &args) {
  Elaborator &e = args.e;
  Value a = args.value("a"), b = args.value("b");
  if (b.isIntLike() && b.asInt() > 0 && a.is(Kind::Symbolic))
    return Value::ofSymbolic(a.symbolic.ceilDiv(b.asInt()));
  Value bias = e.binary(Op::Sub, b, Value::ofInt(1), args.range);
  Value sum = e.binary(Op::Add, a, bias, args.range);
  return e.binary(Op::FloorDiv, sum, b, args.range);
}

Value alignUp(CallArgs &args) {
  Value count = ceilDiv(args);
  return args.e.binary(Op::Mult, count, args.value("b"), args.range);
}

Value binaryOperator(CallArgs &args) {
  Op op = llvm::StringSwitch<Op>(args.builtin.name)
              .Case("floordiv", Op::FloorDiv)
              .Case("floormod", Op::Mod)
              .Case("shift_left", Op::LShift)
              .Case("shift_right", Op::RShift)
              .Case("bitwise_and", Op::BitAnd)
              .Case("bitwise_or", Op::BitOr)
              .Default(Op::BitXor);
  Value a = args.value("a"), b = args.value("b");
  return args.e.binary(op, a, b, args.range);
}

Value bitwiseNot(CallArgs &args) {
  return args.e.binary(Op::BitXor, args.value("a"), Value::ofInt(-1),
                       args.range);
}

/// C's division: rounds toward zero.
Value truncDivMod(CallArgs &args) {
  Elaborator &e = args.e;
  bool isMod = args.builtin.name == "truncmod";
  Value a = args.value("a"), b = args.value("b");
  if (a.isPoison() || b.isPoison())
    return Value::poison();
  if (b.isIntLike() && b.asInt() == 0) {
    e.error(Diag::DivisionByZero, args.range);
    return Value::poison();
  }
  if (a.isIntLike() && b.isIntLike() && b.asInt() != -1)
    return Value::ofInt(isMod ? a.asInt() % b.asInt() : a.asInt() / b.asInt());
  auto x = e.scalar(a, args.range), y = x ? e.scalar(b, args.range) : nullptr;
  if (!y)
    return Value::poison();
  Dtype type = promote(x->dtype, y->dtype);
  if (!type.isInt()) {
    e.error(Diag::InvalidOperands, args.range)
        << args.name() << describe(a) << " and " + describe(b);
    return Value::poison();
  }
  mlir::Value l = e.emit(a, type, args.range), r = e.emit(b, type, args.range);
  mlir::Location at = e.loc(args.range);
  mlir::Value result;
  if (type.isUnsigned())
    result = isMod ? e.b.createOrFold<arith::RemUIOp>(at, l, r)
                   : e.b.createOrFold<arith::DivUIOp>(at, l, r);
  else
    result = isMod ? e.b.createOrFold<arith::RemSIOp>(at, l, r)
                   : e.b.createOrFold<arith::DivSIOp>(at, l, r);
  return e.makeScalar(result, type);
}

Value minMaxOf(Elaborator &e, const Value &a, const Value &b, bool isMax,
               llvm::SMRange range) {
  if (a.isPoison() || b.isPoison())
    return Value::poison();
  if (a.isNumber() && b.isNumber()) {
    bool less = a.isIntLike() && b.isIntLike() ? a.asInt() < b.asInt()
                                               : a.asDouble() < b.asDouble();
    return less == isMax ? b : a;
  }
  auto x = e.scalar(a, range), y = x ? e.scalar(b, range) : nullptr;
  if (!y)
    return Value::poison();
  Dtype type = promote(x->dtype, y->dtype);
  mlir::Value l = e.emit(a, type, range);
  mlir::Value r = l ? e.emit(b, type, range) : nullptr;
  if (!r)
    return Value::poison();
  mlir::Location at = e.loc(range);
  // A number wins over NaN, as in CUDA's fmax and fmin.
  if (type.isFloat())
    return e.makeScalar(isMax ? e.b.createOrFold<arith::MaxNumFOp>(at, l, r)
                              : e.b.createOrFold<arith::MinNumFOp>(at, l, r),
                        type);
  std::optional<Interval> interval;
  if (x->range && y->range)
    interval = isMax ? Interval{std::max(x->range->lo, y->range->lo),
                                std::max(x->range->hi, y->range->hi)}
                     : Interval{std::min(x->range->lo, y->range->lo),
                                std::min(x->range->hi, y->range->hi)};
  mlir::Value result;
  if (type.isSigned())
    result = isMax ? e.b.createOrFold<arith::MaxSIOp>(at, l, r)
                   : e.b.createOrFold<arith::MinSIOp>(at, l, r);
  else
    result = isMax ? e.b.createOrFold<arith::MaxUIOp>(at, l, r)
                   : e.b.createOrFold<arith::MinUIOp>(at, l, r);
  return e.makeScalar(result, type, std::nullopt, interval);
}

Value minMax(CallArgs &args) {
  Value a = args.value("a"), b = args.value("b");
  return minMaxOf(args.e, a, b, args.builtin.name == "max", args.range);
}

Value clampValue(CallArgs &args) {
  Value x = args.value("x"), lo = args.value("lo"), hi = args.value("hi");
  Value atLeast = minMaxOf(args.e, x, lo, true, args.range);
  return minMaxOf(args.e, atLeast, hi, false, args.range);
}

Value absoluteOf(Elaborator &e, const Value &x, llvm::SMRange range) {
  if (x.isIntLike())
    return Value::ofInt(std::abs(x.asInt()));
  if (x.is(Kind::Float))
    return Value::ofFloat(std::abs(x.number));
  auto s = e.scalar(x, range);
  if (!s)
    return Value::poison();
  mlir::Value v = e.materialize(*s, range);
  mlir::Location at = e.loc(range);
  if (s->dtype.isFloat())
    return e.makeScalar(e.b.createOrFold<mlir::math::AbsFOp>(at, v), s->dtype);
  if (!s->dtype.isSigned())
    return x;
  return e.makeScalar(e.b.createOrFold<mlir::math::AbsIOp>(at, v), s->dtype);
}

Value absolute(CallArgs &args) {
  return absoluteOf(args.e, args.value("x"), args.range);
}

Value ifThenElse(CallArgs &args) {
  Value test = args.e.condition(args.value("cond"), args.rangeOf("cond"));
  return args.e.select(
      test, [&] { return args.value("a"); }, [&] { return args.value("b"); },
      args.range);
}

Value selectBoth(CallArgs &args) {
  Value test = args.e.condition(args.value("cond"), args.rangeOf("cond"));
  Value a = args.value("a"), b = args.value("b");
  if (a.isPoison() || b.isPoison())
    return Value::poison();
  return args.e.select(test, [&] { return a; }, [&] { return b; }, args.range);
}

/// Bits of one type read as another of the same width.
Value reinterpret(CallArgs &args) {
  Elaborator &e = args.e;
  Value value = args.value("value"), type = args.value("dtype");
  // The old order was (dtype, value).
  if (value.is(Kind::String) || value.is(Kind::Dtype))
    std::swap(value, type);
  auto dtype = e.expectDtype(type, args.range);
  auto from = dtype ? e.scalar(value, args.range) : nullptr;
  if (!from || !e.requireLaunch(args.range, args.name()))
    return Value::poison();
  if (from->dtype.bits() != dtype->bits() || from->dtype.isBool() ||
      dtype->isBool()) {
    e.error(Diag::DtypeMismatch, args.range)
        << args.name() << from->dtype.name() << dtype->name() << dtype->name();
    return Value::poison();
  }
  mlir::Value v = e.materialize(*from, args.range);
  mlir::Type to = dtype->scalarType(e.context);
  if (v.getType() == to)
    return e.makeScalar(v, *dtype);
  return e.makeScalar(
      e.b.createOrFold<arith::BitcastOp>(e.loc(args.range), to, v), *dtype);
}

Value bitCount(CallArgs &args) {
  Elaborator &e = args.e;
  Value x = args.value("x");
  auto s = e.scalar(x, args.range);
  if (!s || !e.requireLaunch(args.range, args.name()))
    return Value::poison();
  if (!s->dtype.isInt())
    return e.typeError(args.rangeOf("x"), "the argument of " + args.name(),
                       "an integer", x);
  mlir::Value v = e.materialize(*s, args.range);
  mlir::Location at = e.loc(args.range);
  mlir::Value count =
      args.builtin.name == "clz"
          ? e.b.createOrFold<mlir::math::CountLeadingZerosOp>(at, v)
          : e.b.createOrFold<mlir::math::CtPopOp>(at, v);
  return e.cast(e.makeScalar(count, s->dtype), DtypeKind::Int32, args.range);
}

/// The row-major digits of a linear index.
Value indexToCoordinates(CallArgs &args) {
  Elaborator &e = args.e;
  auto shape = shapeArgument(args, args.value("shape"), args.rangeOf("shape"));
  Value rest = args.value("index");
  if (!shape)
    return Value::poison();
  std::vector<Value> digits;
  for (const Value &size : llvm::reverse(*shape)) {
    digits.insert(digits.begin(), e.binary(Op::Mod, rest, size, args.range));
    rest = e.binary(Op::FloorDiv, rest, size, args.range);
  }
  return Value::ofList(digits);
}

static Value castTo(CallArgs &args) {
  Value value = args.value("value");
  auto dtype = args.e.expectDtype(args.value("dtype"), args.rangeOf("dtype"));
  return dtype ? args.e.cast(value, *dtype, args.range) : Value::poison();
}

Value castValue(CallArgs &args) {
  // Only saturation, the default, can be asked for.
  auto saturate = args.boolean("sat", true);
  if (!saturate)
    return Value::poison();
  if (!*saturate)
    return args.e.unsupported(args.rangeOf("sat"), "sat=False of T.cast");
  return castTo(args);
}
Value castTyped(CallArgs &args) { return castTo(args); }

/// The largest finite number of a float type.
static double largest(Dtype type, mlir::MLIRContext *context) {
  auto f = llvm::cast<mlir::FloatType>(type.scalarType(context));
  bool loses;
  llvm::APFloat value = llvm::APFloat::getLargest(f.getFloatSemantics());
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmTowardZero,
                &loses);
  return value.convertToDouble();
}

Value extremeOf(Elaborator &e, Dtype type, bool isMin, bool infinite,
                llvm::SMRange range) {
  if (type.isFloat()) {
    bool hasInfinity = type != Dtype(DtypeKind::Float8E4M3);
    double value = infinite && hasInfinity
                       ? std::numeric_limits<double>::infinity()
                       : largest(type, e.context);
    return e.cast(Value::ofFloat(isMin ? -value : value), type, range);
  }
  if (type.isBool())
    return Value::ofBool(!isMin);
  unsigned bits = type.bits();
  int64_t value = type.isUnsigned()
                      ? (isMin ? 0 : static_cast<int64_t>(llvm::maxUIntN(bits)))
                      : (isMin ? llvm::minIntN(bits) : llvm::maxIntN(bits));
  return e.cast(Value::ofInt(value), type, range);
}

Value extremeValue(CallArgs &args) {
  auto dtype = args.e.expectDtype(args.value("dtype"), args.range);
  if (!dtype)
    return Value::poison();
  bool infinite = args.builtin.name == "infinity";
  if (dtype->isFloat() || (dtype->isInt() && !infinite))
    return extremeOf(args.e, *dtype, args.builtin.name == "min_value", infinite,
                     args.range);
  args.e.error(Diag::InvalidValue, args.range)
      << "element type" << dtype->name().str() + " has no such value";
  return Value::poison();
}

} // namespace tlc::frontend::builtins
