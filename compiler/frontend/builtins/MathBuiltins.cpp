// Floating-point functions that map to the math dialect.
#include "compiler/frontend/builtins/Handlers.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringMap.h"
#include <limits>

namespace tlc::frontend::builtins {

namespace math = mlir::math;

using Unary = mlir::Value (*)(mlir::OpBuilder &, mlir::Location, mlir::Value);

template <typename OpTy>
static mlir::Value make(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x) {
  return b.createOrFold<OpTy>(loc, x);
}

static const llvm::StringMap<Unary> &unaryTable() {
  static const llvm::StringMap<Unary> table = {
      {"exp", make<math::ExpOp>},
      {"exp2", make<math::Exp2Op>},
      {"log", make<math::LogOp>},
      {"log2", make<math::Log2Op>},
      {"log10", make<math::Log10Op>},
      {"log1p", make<math::Log1pOp>},
      {"sqrt", make<math::SqrtOp>},
      {"rsqrt", make<math::RsqrtOp>},
      {"sin", make<math::SinOp>},
      {"cos", make<math::CosOp>},
      {"tan", make<math::TanOp>},
      {"sinh", make<math::SinhOp>},
      {"cosh", make<math::CoshOp>},
      {"tanh", make<math::TanhOp>},
      {"atan", make<math::AtanOp>},
      {"erf", make<math::ErfOp>},
      {"floor", make<math::FloorOp>},
      {"ceil", make<math::CeilOp>},
      {"trunc", make<math::TruncOp>},
      {"nearbyint", make<math::RoundEvenOp>},
      {"round", make<math::RoundEvenOp>},
  };
  return table;
}

/// The float operand; null after an error.
static std::shared_ptr<ScalarObject> floatOperand(CallArgs &args,
                                                  llvm::StringRef param) {
  Value x = args.value(param);
  auto s = args.e.scalar(x, args.rangeOf(param));
  if (s && !s->dtype.isFloat()) {
    args.e.error(Diag::TypeMismatch, args.rangeOf(param))
            .help("convert it first: T.cast(x, \"float32\")")
        << "the argument of " + args.name() << "a float" << describe(x);
    return nullptr;
  }
  return s;
}

/// isnan: x != x; isinf: |x| == inf; isfinite: |x| < inf.
static Value classify(CallArgs &args, mlir::Value v) {
  using P = mlir::arith::CmpFPredicate;
  Elaborator &e = args.e;
  mlir::Location at = e.loc(args.range);
  P predicate = P::UNE;
  mlir::Value lhs = v, rhs = v;
  if (args.builtin.name != "isnan") {
    predicate = args.builtin.name == "isinf" ? P::OEQ : P::OLT;
    lhs = math::AbsFOp::create(e.b, at, v);
    rhs = e.constant(
        e.b.getFloatAttr(v.getType(), std::numeric_limits<double>::infinity()),
        at);
  }
  return e.makeScalar(mlir::arith::CmpFOp::create(e.b, at, predicate, lhs, rhs),
                      DtypeKind::Bool);
}

/// T.round knows one mode.
static bool checkRounding(CallArgs &args) {
  Value mode = args.value("mode", Value::ofString("ties-to-even"));
  if (equals(mode, Value::ofString("ties-to-even")))
    return true;
  args.e.unsupported(args.rangeOf("mode"), "the rounding mode " + toRepr(mode));
  return false;
}

Value unaryMath(CallArgs &args) {
  Elaborator &e = args.e;
  auto x = floatOperand(args, "x");
  if (!x || !e.requireLaunch(args.range, args.name()))
    return Value::poison();
  mlir::Location at = e.loc(args.range);
  mlir::Value v = e.materialize(*x, args.range);
  if (args.builtin.name == "sigmoid") { // 1 / (1 + exp(-x))
    mlir::Value one = e.constant(e.b.getFloatAttr(v.getType(), 1.0), at);
    mlir::Value minus = mlir::arith::NegFOp::create(e.b, at, v);
    mlir::Value exp = math::ExpOp::create(e.b, at, minus);
    mlir::Value sum = mlir::arith::AddFOp::create(e.b, at, one, exp);
    return e.makeScalar(mlir::arith::DivFOp::create(e.b, at, one, sum),
                        x->dtype);
  }
  llvm::StringRef name = args.builtin.name;
  if (name.starts_with("is"))
    return classify(args, v);
  if (name == "fast_rcp") {
    mlir::Value one = e.constant(e.b.getFloatAttr(v.getType(), 1.0), at);
    return e.makeScalar(mlir::arith::DivFOp::create(e.b, at, one, v), x->dtype);
  }
  if (name == "round" && !checkRounding(args))
    return Value::poison();
  // The approximate forms may be more exact than asked for.
  name.consume_front("__");
  return e.makeScalar(unaryTable().at(name)(e.b, at, v), x->dtype);
}

Value binaryMath(CallArgs &args) {
  Elaborator &e = args.e;
  Value a = args.value("x"), c = args.value("y");
  auto x = e.scalar(a, args.range), y = x ? e.scalar(c, args.range) : nullptr;
  if (!y || !e.requireLaunch(args.range, args.name()))
    return Value::poison();
  Dtype type = promote(x->dtype, y->dtype);
  if (!type.isFloat()) {
    e.error(Diag::TypeMismatch, args.range)
            .help("convert it first: T.cast(x, \"float32\")")
        << "the argument of " + args.name() << "a float" << describe(a);
    return Value::poison();
  }
  mlir::Value l = e.emit(a, type, args.range), r = e.emit(c, type, args.range);
  mlir::Location at = e.loc(args.range);
  mlir::Value result;
  if (args.builtin.name == "pow")
    result = e.b.createOrFold<math::PowFOp>(at, l, r);
  else if (args.builtin.name == "fmod")
    result = e.b.createOrFold<mlir::arith::RemFOp>(at, l, r);
  else if (args.builtin.name == "atan2")
    result = e.b.createOrFold<math::Atan2Op>(at, l, r);
  else
    result = e.b.createOrFold<math::CopySignOp>(at, l, r);
  return e.makeScalar(result, type);
}

} // namespace tlc::frontend::builtins
