// What is known of a run-time integer: its linear form over opaque values, so
// that `hi - lo` of two lets cancels, and an interval that holds it.
#pragma once

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace tlc::frontend {

/// constant + sum of coefficient * value. Exact modulo the width of the type.
struct Linear {
  int64_t constant = 0;
  llvm::SmallVector<std::pair<mlir::Value, int64_t>, 2> terms;

  static Linear ofConstant(int64_t c) { return Linear{c, {}}; }
  static Linear ofValue(mlir::Value v) { return Linear{0, {{v, 1}}}; }
  bool isConstant() const { return terms.empty(); }
};

/// a + factor * b; nothing on overflow.
std::optional<Linear> addScaled(const Linear &a, const Linear &b,
                                int64_t factor);
/// factor * a; nothing on overflow.
std::optional<Linear> scale(const Linear &a, int64_t factor);
/// a - b if that is a constant.
std::optional<int64_t> constantDifference(const Linear &a, const Linear &b);

/// lo <= x <= hi.
struct Interval {
  int64_t lo = 0, hi = 0;
};
std::optional<Interval> add(Interval a, Interval b);
std::optional<Interval> sub(Interval a, Interval b);
std::optional<Interval> mul(Interval a, Interval b);
/// Floor division and modulo by a positive number.
Interval floorDiv(Interval a, int64_t divisor);
Interval floorMod(Interval a, int64_t divisor);
Interval join(Interval a, Interval b);

/// Floor division and modulo of numbers; b is not 0.
int64_t floorDiv(int64_t a, int64_t b);
int64_t floorMod(int64_t a, int64_t b);

} // namespace tlc::frontend
