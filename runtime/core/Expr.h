// Integer expressions of launch metadata: grid extents, shapes, strides, sizes.
// An Expr is data (a tree with symbol names, as in the file); an ExprProgram is
// the same with names replaced by positions, ready for the launch path.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tlc::rt {

/// Division and remainder round towards minus infinity; ceildiv(a, b) is
/// -floordiv(-a, b).
enum class ExprOp : std::uint8_t {
  Constant,
  Symbol,
  Add,
  Sub,
  Mul,
  FloorDiv,
  Mod,
  CeilDiv,
  Min,
  Max,
};

/// The spelling in the metadata file: "+", "-", "*", "floordiv", ...
std::string_view spelling(ExprOp op);

struct Expr {
  ExprOp op = ExprOp::Constant;
  std::int64_t value = 0;     ///< Constant
  std::string symbol;         ///< Symbol
  std::vector<Expr> operands; ///< two, for every other op

  Expr() = default;
  Expr(std::int64_t constant) : value(constant) {}
  Expr(int constant) : value(constant) {}
  Expr(std::string name) : op(ExprOp::Symbol), symbol(std::move(name)) {}
  Expr(const char *name) : op(ExprOp::Symbol), symbol(name) {}
  Expr(ExprOp op, Expr lhs, Expr rhs);

  bool isConstant() const { return op == ExprOp::Constant; }
  bool operator==(const Expr &other) const = default;
};

/// "M", "M + 1", "ceildiv(N, 64)": for messages.
std::string toString(const Expr &expr);

/// An Expr in postfix form over symbol positions. Evaluation allocates nothing.
class ExprProgram {
public:
  ExprProgram() = default;
  /// Throws tlc::Error (Internal) when `expr` uses a name that is not in
  /// `symbols` or nests too deeply.
  ExprProgram(const Expr &expr, std::span<const std::string> symbols);

  /// The value for `symbols`, in the order given to the constructor. Throws
  /// tlc::Error (InvalidArgument) on overflow and on division by zero.
  std::int64_t evaluate(std::span<const std::int64_t> symbols) const;
  /// Positions of the symbols used, each once, in order of first use.
  std::vector<unsigned> usedSymbols() const;
  bool isConstant() const {
    return steps.size() == 1 && steps[0].op == ExprOp::Constant;
  }

private:
  struct Step {
    ExprOp op;
    std::int64_t value; // a constant, or the position of a symbol
  };
  void append(const Expr &expr, std::span<const std::string> symbols);

  std::vector<Step> steps;
};

} // namespace tlc::rt
