#include "runtime/core/Expr.h"

#include "tlc/Error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tlc::rt {
namespace {

// An expression of this depth needs that many values at once.
constexpr unsigned kMaxDepth = 32;

std::int64_t floorDiv(std::int64_t a, std::int64_t b) {
  std::int64_t quotient = a / b;
  return quotient - ((a % b != 0) && ((a < 0) != (b < 0)));
}

[[noreturn]] void failOverflow() {
  throw Error(ErrorCode::InvalidArgument,
              "a size computed from the arguments does not fit into 64 bits");
}

std::int64_t divide(ExprOp op, std::int64_t a, std::int64_t b) {
  if (b == 0)
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("a size computed from the arguments divides {} by "
                            "zero",
                            a));
  if (b == -1) { // the one divisor whose quotient can overflow
    std::int64_t negated = 0;
    if (op == ExprOp::Mod)
      return 0;
    if (__builtin_sub_overflow(std::int64_t{0}, a, &negated))
      failOverflow();
    return negated;
  }
  switch (op) {
  case ExprOp::FloorDiv:
    return floorDiv(a, b);
  case ExprOp::CeilDiv: {
    std::int64_t quotient = floorDiv(a, b);
    return quotient + (a % b != 0);
  }
  default: {
    std::int64_t remainder = a % b;
    return remainder + ((remainder != 0 && (remainder < 0) != (b < 0)) ? b : 0);
  }
  }
}

std::int64_t apply(ExprOp op, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  bool overflow = false;
  switch (op) {
  case ExprOp::Add:
    overflow = __builtin_add_overflow(a, b, &result);
    break;
  case ExprOp::Sub:
    overflow = __builtin_sub_overflow(a, b, &result);
    break;
  case ExprOp::Mul:
    overflow = __builtin_mul_overflow(a, b, &result);
    break;
  case ExprOp::Min:
    return std::min(a, b);
  case ExprOp::Max:
    return std::max(a, b);
  default:
    return divide(op, a, b);
  }
  if (overflow)
    failOverflow();
  return result;
}

unsigned depth(const Expr &expr) {
  unsigned deepest = 0;
  for (const Expr &operand : expr.operands)
    deepest = std::max(deepest, depth(operand));
  return deepest + 1;
}

} // namespace

std::string_view spelling(ExprOp op) {
  constexpr std::string_view kSpellings[] = {
      "", "", "+", "-", "*", "floordiv", "mod", "ceildiv", "min", "max"};
  return kSpellings[static_cast<std::size_t>(op)];
}

Expr::Expr(ExprOp op, Expr lhs, Expr rhs) : op(op) {
  operands.push_back(std::move(lhs));
  operands.push_back(std::move(rhs));
}

static std::string operandString(const Expr &expr) {
  bool compound = expr.op == ExprOp::Add || expr.op == ExprOp::Sub ||
                  expr.op == ExprOp::Mul || expr.op == ExprOp::FloorDiv ||
                  expr.op == ExprOp::Mod;
  return compound ? "(" + toString(expr) + ")" : toString(expr);
}

std::string toString(const Expr &expr) {
  switch (expr.op) {
  case ExprOp::Constant:
    return std::to_string(expr.value);
  case ExprOp::Symbol:
    return expr.symbol;
  case ExprOp::CeilDiv:
  case ExprOp::Min:
  case ExprOp::Max:
    return fmt::format("{}({}, {})", spelling(expr.op),
                       toString(expr.operands[0]), toString(expr.operands[1]));
  default: {
    std::string_view sign = expr.op == ExprOp::FloorDiv ? "//"
                            : expr.op == ExprOp::Mod    ? "%"
                                                        : spelling(expr.op);
    // The compiler writes n - 2 as n + -2.
    const Expr &rhs = expr.operands[1];
    if (expr.op == ExprOp::Add && rhs.isConstant() && rhs.value < 0 &&
        rhs.value > INT64_MIN)
      return fmt::format("{} - {}", operandString(expr.operands[0]),
                         -rhs.value);
    return fmt::format("{} {} {}", operandString(expr.operands[0]), sign,
                       operandString(expr.operands[1]));
  }
  }
}

ExprProgram::ExprProgram(const Expr &expr,
                         std::span<const std::string> symbols) {
  if (depth(expr) > kMaxDepth)
    throw Error(ErrorCode::Internal,
                fmt::format("a launch expression nests deeper than {} levels",
                            kMaxDepth));
  append(expr, symbols);
}

void ExprProgram::append(const Expr &expr,
                         std::span<const std::string> symbols) {
  for (const Expr &operand : expr.operands)
    append(operand, symbols);
  std::int64_t value = expr.value;
  if (expr.op == ExprOp::Symbol) {
    auto found = std::find(symbols.begin(), symbols.end(), expr.symbol);
    if (found == symbols.end())
      throw Error(ErrorCode::Internal,
                  fmt::format("a launch expression uses '{}', which is neither "
                              "a dynamic size nor an integer parameter",
                              expr.symbol));
    value = found - symbols.begin();
  }
  steps.push_back({expr.op, value});
}

std::int64_t
ExprProgram::evaluate(std::span<const std::int64_t> symbols) const {
  std::array<std::int64_t, kMaxDepth + 1> stack;
  unsigned top = 0;
  for (const Step &step : steps) {
    if (step.op == ExprOp::Constant) {
      stack[top++] = step.value;
    } else if (step.op == ExprOp::Symbol) {
      stack[top++] = symbols[step.value];
    } else {
      --top;
      stack[top - 1] = apply(step.op, stack[top - 1], stack[top]);
    }
  }
  return top == 0 ? 0 : stack[0];
}

std::vector<unsigned> ExprProgram::usedSymbols() const {
  std::vector<unsigned> used;
  for (const Step &step : steps)
    if (step.op == ExprOp::Symbol &&
        std::find(used.begin(), used.end(), step.value) == used.end())
      used.push_back(step.value);
  return used;
}

} // namespace tlc::rt
