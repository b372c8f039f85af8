// Python's operators on compile-time values.
#include "compiler/frontend/elaborate/Elaborator.h"

#include "llvm/Support/MathExtras.h"
#include <cmath>

namespace tlc::frontend {

using Op = ast::BinaryOperator;
using Cmp = ast::CompareOperator;

/// Longest list, tuple or string that an operator builds.
static constexpr size_t kMaxLength = 1 << 20;

static std::optional<int64_t> power(int64_t base, int64_t exponent) {
  int64_t result = 1;
  // 0, 1 and -1 never overflow: no loop over huge exponents.
  if (base == 0 || base == 1)
    return exponent == 0 ? 1 : base;
  if (base == -1)
    return exponent % 2 ? -1 : 1;
  for (; exponent > 0; --exponent)
    if (llvm::MulOverflow(result, base, result))
      return std::nullopt;
  return result;
}

/// Nothing on overflow; the divisor is not 0, shift counts not negative.
static std::optional<int64_t> intOp(Op op, int64_t a, int64_t b) {
  int64_t r;
  switch (op) {
  case Op::Add:
    return llvm::AddOverflow(a, b, r) ? std::nullopt : std::optional(r);
  case Op::Sub:
    return llvm::SubOverflow(a, b, r) ? std::nullopt : std::optional(r);
  case Op::Mult:
    return llvm::MulOverflow(a, b, r) ? std::nullopt : std::optional(r);
  case Op::FloorDiv:
    return floorDiv(a, b);
  case Op::Mod:
    return floorMod(a, b);
  case Op::Pow:
    return power(a, b);
  case Op::LShift:
    return b > 62 || llvm::MulOverflow(a, int64_t(1) << b, r)
               ? (a == 0 ? std::optional<int64_t>(0) : std::nullopt)
               : std::optional(r);
  case Op::RShift:
    return a >> std::min<int64_t>(b, 63);
  case Op::BitAnd:
    return a & b;
  case Op::BitOr:
    return a | b;
  default:
    return a ^ b;
  }
}

static std::optional<double> floatOp(Op op, double a, double b) {
  switch (op) {
  case Op::Add:
    return a + b;
  case Op::Sub:
    return a - b;
  case Op::Mult:
    return a * b;
  case Op::Div:
    return a / b;
  case Op::FloorDiv:
    return std::floor(a / b);
  case Op::Mod: {
    double r = std::fmod(a, b);
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
  }
  case Op::Pow:
    return std::pow(a, b);
  default:
    return std::nullopt;
  }
}

/// `[x] * n`, `"ab" * n`; nothing if the operands are of other kinds.
static std::optional<Value> repeat(const Value &sequence, const Value &count) {
  if (!count.isIntLike())
    return std::nullopt;
  size_t times = std::max<int64_t>(count.asInt(), 0);
  if (sequence.is(Kind::String)) {
    const std::string &text = sequence.text();
    if (!text.empty() && times > kMaxLength / text.size())
      return std::nullopt;
    std::string result;
    for (size_t i = 0; !text.empty() && i < times; ++i)
      result += text;
    return Value::ofString(result);
  }
  if (!sequence.isSequence())
    return std::nullopt;
  std::vector<Value> &items = sequence.items(), result;
  if (!items.empty() && times > kMaxLength / items.size())
    return std::nullopt;
  for (size_t i = 0; !items.empty() && i < times; ++i)
    result.insert(result.end(), items.begin(), items.end());
  return sequence.is(Kind::List) ? Value::ofList(result)
                                 : Value::ofTuple(result);
}

static std::optional<Value> sequenceOp(Op op, const Value &a, const Value &b) {
  if (op == Op::Mult) {
    if (auto result = repeat(a, b))
      return result;
    return repeat(b, a);
  }
  if (op != Op::Add || a.kind != b.kind)
    return std::nullopt;
  if (a.is(Kind::String))
    return a.text().size() + b.text().size() > kMaxLength
               ? std::nullopt
               : std::optional(Value::ofString(a.text() + b.text()));
  if (!a.isSequence() || a.items().size() + b.items().size() > kMaxLength)
    return std::nullopt;
  std::vector<Value> items = a.items();
  items.insert(items.end(), b.items().begin(), b.items().end());
  return a.is(Kind::List) ? Value::ofList(items) : Value::ofTuple(items);
}

Value Elaborator::pythonBinary(Op op, const Value &a, const Value &b,
                               llvm::SMRange range) {
  if (!a.isNumber() || !b.isNumber()) {
    if (auto result = sequenceOp(op, a, b))
      return *result;
    error(Diag::InvalidOperands, range)
        << ast::spelling(op) << describe(a) << " and " + describe(b);
    return Value::poison();
  }
  bool divides = op == Op::Div || op == Op::FloorDiv || op == Op::Mod;
  if (divides && b.asDouble() == 0)
    return error(Diag::DivisionByZero, range), Value::poison();
  bool logic = op == Op::BitAnd || op == Op::BitOr || op == Op::BitXor;
  if (logic && a.is(Kind::Bool) && b.is(Kind::Bool))
    return Value::ofBool(*intOp(op, a.boolean, b.boolean) != 0);
  bool negativePower = op == Op::Pow && b.isIntLike() && b.asInt() < 0;
  if (a.isIntLike() && b.isIntLike() && op != Op::Div && op != Op::MatMult &&
      !negativePower) {
    bool shifts = op == Op::LShift || op == Op::RShift;
    if (shifts && b.asInt() < 0) {
      error(Diag::InvalidValue, range) << "shift count" << b.asInt();
      return Value::poison();
    }
    if (auto result = intOp(op, a.asInt(), b.asInt()))
      return Value::ofInt(*result);
    error(Diag::InvalidValue, range)
        << "number" << "integers of more than 64 bits are not supported";
    return Value::poison();
  }
  if (auto result = floatOp(op, a.asDouble(), b.asDouble()))
    return Value::ofFloat(*result);
  error(Diag::InvalidOperands, range)
      << ast::spelling(op) << describe(a) << " and " + describe(b);
  return Value::poison();
}

/// -1, 0, 1 for ordered values; nothing if they have no order. NaN: 2.
static std::optional<int> order(const Value &a, const Value &b) {
  if (a.isIntLike() && b.isIntLike())
    return a.asInt() < b.asInt() ? -1 : a.asInt() > b.asInt();
  if (a.isNumber() && b.isNumber()) {
    double x = a.asDouble(), y = b.asDouble();
    if (std::isnan(x) || std::isnan(y))
      return 2;
    return x < y ? -1 : x > y;
  }
  if (a.is(Kind::String) && b.is(Kind::String)) {
    int c = a.text().compare(b.text());
    return c < 0 ? -1 : c > 0;
  }
  if (a.kind == b.kind && a.isSequence()) {
    for (auto [x, y] : llvm::zip(a.items(), b.items()))
      if (!equals(x, y))
        return order(x, y);
    size_t n = a.items().size(), m = b.items().size();
    return n < m ? -1 : n > m;
  }
  return std::nullopt;
}

/// `item in container`; nothing if it cannot be asked.
static std::optional<bool> isIn(const Value &item, const Value &container) {
  if (container.isSequence())
    return llvm::any_of(container.items(),
                        [&](const Value &v) { return equals(v, item); });
  if (container.is(Kind::Dict))
    return llvm::any_of(container.as<DictObject>().entries,
                        [&](auto &e) { return equals(e.first, item); });
  if (container.is(Kind::String) && item.is(Kind::String))
    return container.text().find(item.text()) != std::string::npos;
  return std::nullopt;
}

Value Elaborator::pythonCompare(Cmp op, const Value &a, const Value &b,
                                llvm::SMRange range) {
  switch (op) {
  case Cmp::Eq:
  case Cmp::NotEq:
    return Value::ofBool(equals(a, b) == (op == Cmp::Eq));
  case Cmp::Is:
  case Cmp::IsNot:
    return Value::ofBool((a.kind == b.kind && equals(a, b)) == (op == Cmp::Is));
  case Cmp::In:
  case Cmp::NotIn:
    if (auto found = isIn(a, b))
      return Value::ofBool(*found == (op == Cmp::In));
    break;
  default:
    if (auto c = order(a, b)) {
      bool result = op == Cmp::Lt    ? *c == -1
                    : op == Cmp::LtE ? *c == -1 || *c == 0
                    : op == Cmp::Gt  ? *c == 1
                                     : *c == 1 || *c == 0;
      return Value::ofBool(result);
    }
  }
  error(Diag::InvalidOperands, range)
      << ast::spelling(op) << describe(a) << " and " + describe(b);
  return Value::poison();
}

std::optional<int64_t> Elaborator::expectInt(const Value &value,
                                             llvm::SMRange range,
                                             const llvm::Twine &what) {
  if (value.isIntLike())
    return value.asInt();
  if (value.is(Kind::Scalar) && value.as<ScalarObject>().isConstant() &&
      !value.as<ScalarObject>().dtype.isFloat())
    return std::get<int64_t>(value.as<ScalarObject>().constant);
  if (value.isPoison())
    return std::nullopt;
  if (value.isRuntime())
    error(Diag::NotCompileTime, range) << what;
  else
    error(Diag::TypeMismatch, range) << what << "an int" << describe(value);
  return std::nullopt;
}

std::optional<bool> Elaborator::expectBool(const Value &value,
                                           llvm::SMRange range,
                                           const llvm::Twine &what) {
  if (value.isNumber() || value.isNone())
    return *truth(value);
  if (value.isPoison())
    return std::nullopt;
  if (value.isRuntime())
    error(Diag::NotCompileTime, range) << what;
  else
    error(Diag::TypeMismatch, range) << what << "a bool" << describe(value);
  return std::nullopt;
}

std::optional<Dtype> Elaborator::expectDtype(const Value &value,
                                             llvm::SMRange range) {
  if (auto dtype = toDtype(value))
    return dtype;
  if (value.isPoison())
    return std::nullopt;
  std::string name = toString(value);
  if (Dtype::isKnownUnsupported(name))
    error(Diag::UnsupportedName, range) << "the element type " + name;
  else
    error(Diag::UnknownDtype, range) << name;
  return std::nullopt;
}

std::optional<std::vector<Value>> Elaborator::iterate(const Value &value,
                                                      llvm::SMRange range) {
  std::vector<Value> items;
  switch (value.kind) {
  case Kind::Tuple:
  case Kind::List:
    return value.items();
  case Kind::Dict:
    for (auto &entry : value.as<DictObject>().entries)
      items.push_back(entry.first);
    return items;
  case Kind::String:
    for (char c : value.text())
      items.push_back(Value::ofString(llvm::StringRef(&c, 1)));
    return items;
  case Kind::Range: {
    auto &r = value.as<RangeObject>();
    auto lo = expectInt(r.start, range, "the start of a range");
    auto hi = expectInt(r.stop, range, "the end of a range");
    auto by = expectInt(r.step, range, "the step of a range");
    if (!lo || !hi || !by)
      return std::nullopt;
    for (int64_t i = *lo; *by > 0 ? i < *hi : i > *hi; i += *by) {
      if (!step(range))
        return std::nullopt;
      items.push_back(Value::ofInt(i));
      if (*by > 0 ? i > INT64_MAX - *by : i < INT64_MIN - *by)
        break;
    }
    return items;
  }
  case Kind::Poison:
    return std::nullopt;
  default:
    error(Diag::TypeMismatch, range)
        << "what is looped over" << "a list, tuple, dict or range"
        << describe(value);
    return std::nullopt;
  }
}

} // namespace tlc::frontend
