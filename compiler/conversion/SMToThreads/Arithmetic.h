// Folded i32/i64 arithmetic for address code, and what is known about values:
// ranges and divisors. What folds never becomes an op, so the printed kernel
// shows no `x * 1 + 0`.
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include <optional>

namespace tlc::sm {

/// A builder of integer expressions at one location. A null Value stands for
/// the constant 0.
class Arith {
public:
  Arith(mlir::OpBuilder &builder, mlir::Location loc) : b(builder), loc(loc) {}

  mlir::Value i32(int64_t value);
  mlir::Value i64(int64_t value);
  mlir::Value boolean(bool value);
  /// The value itself, or 0 as i32.
  mlir::Value orZero(mlir::Value v) { return v ? v : i32(0); }

  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value add(mlir::Value x, int64_t y);
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, int64_t y);
  /// Of a non-negative x by y > 0.
  mlir::Value div(mlir::Value x, int64_t y);
  mlir::Value rem(mlir::Value x, int64_t y);
  mlir::Value bitXor(mlir::Value x, mlir::Value y);
  mlir::Value bitAnd(mlir::Value x, int64_t y);
  mlir::Value shiftRight(mlir::Value x, int64_t y);
  mlir::Value shiftLeft(mlir::Value x, int64_t y);
  /// Sign extension to i64.
  mlir::Value wide(mlir::Value x);
  /// i1; null stands for true.
  mlir::Value both(mlir::Value p, mlir::Value q);
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value x,
                      mlir::Value y);
  /// x < limit, i32; also false for negative x unless it cannot be.
  mlir::Value below(mlir::Value x, mlir::Value limit);
  /// Result of an affine expression over symbol values, i32.
  mlir::Value affine(mlir::AffineExpr expr, mlir::ValueRange symbols);

  mlir::OpBuilder &builder() { return b; }
  mlir::Location location() const { return loc; }

private:
  mlir::OpBuilder &b;
  mlir::Location loc;
};

/// The constant behind an integer value.
std::optional<int64_t> constantOf(mlir::Value value);

/// Inclusive bounds of an i32 value.
struct Interval {
  int64_t low, high;
};
/// Bounds that hold in every execution, if any are known.
std::optional<Interval> rangeOf(mlir::Value value);
/// A number that divides the value (0: the value is 0).
int64_t divisorOf(mlir::Value value);

} // namespace tlc::sm
