// Python's math module and helpers of tilelang, on compile-time numbers.
#include "compiler/frontend/builtins/Handlers.h"

#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <numeric>

namespace tlc::frontend::builtins {

static std::optional<double> number(CallArgs &args, llvm::StringRef param) {
  Value value = args.value(param);
  if (value.isNumber())
    return value.asDouble();
  if (value.isRuntime())
    args.e.error(Diag::NotCompileTime, args.rangeOf(param))
        << "the argument of " + args.name();
  else
    args.e.typeError(args.rangeOf(param), "the argument of " + args.name(),
                     "a number", value);
  return std::nullopt;
}

static Value domainError(CallArgs &args) {
  args.e.error(Diag::InvalidValue, args.range)
      << "argument" << args.name() + " is not defined there";
  return Value::poison();
}

/// Floors and ceilings are ints.
static Value rounded(CallArgs &args, double value) {
  if (!(std::abs(value) < 9.0e18))
    return domainError(args);
  return Value::ofInt(static_cast<int64_t>(value));
}

Value mathFunction(CallArgs &args) {
  auto x = number(args, "x");
  if (!x)
    return Value::poison();
  llvm::StringRef name = args.builtin.name;
  double base = 0;
  if (name == "log" && args.has("base")) {
    auto b = number(args, "base");
    if (!b)
      return Value::poison();
    base = *b;
    if (base <= 0 || base == 1)
      return domainError(args);
  }
  if ((name.starts_with("log") && *x <= 0) || (name == "sqrt" && *x < 0))
    return domainError(args);
  if (name == "floor")
    return rounded(args, std::floor(*x));
  if (name == "ceil")
    return rounded(args, std::ceil(*x));
  if (name == "pow") {
    auto y = number(args, "y");
    return y ? Value::ofFloat(std::pow(*x, *y)) : Value::poison();
  }
  double result = name == "sqrt"    ? std::sqrt(*x)
                  : name == "exp"   ? std::exp(*x)
                  : name == "exp2"  ? std::exp2(*x)
                  : name == "log"   ? (base != 0 ? std::log(*x) / std::log(base)
                                                 : std::log(*x))
                  : name == "log2"  ? std::log2(*x)
                  : name == "log10" ? std::log10(*x)
                  : name == "sin"   ? std::sin(*x)
                  : name == "cos"   ? std::cos(*x)
                                    : std::abs(*x);
  return Value::ofFloat(result);
}

Value mathInteger(CallArgs &args) {
  auto x = args.integer("x", 0);
  if (!x)
    return Value::poison();
  if (args.builtin.name == "gcd") {
    auto y = args.integer("y", 0);
    return y ? Value::ofInt(std::gcd(*x, *y)) : Value::poison();
  }
  if (*x < 0)
    return domainError(args);
  auto root = static_cast<int64_t>(std::sqrt(static_cast<double>(*x)));
  while (root > 0 && root > *x / root)
    --root;
  while (root + 1 <= *x / (root + 1))
    ++root;
  return Value::ofInt(root);
}

Value mathProduct(CallArgs &args) {
  auto items = args.e.iterate(args.value("values"), args.range);
  if (!items)
    return Value::poison();
  Value product = Value::ofInt(1);
  for (const Value &item : *items)
    product =
        args.e.binary(ast::BinaryOperator::Mult, product, item, args.range);
  return product;
}

Value nextPowerOf2(CallArgs &args) {
  auto n = args.integer("n", 0);
  if (!n)
    return Value::poison();
  if (*n > (int64_t(1) << 62))
    return domainError(args);
  return Value::ofInt(*n <= 1 ? 1 : llvm::PowerOf2Ceil(*n));
}

} // namespace tlc::frontend::builtins
