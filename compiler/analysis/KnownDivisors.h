// What is known at compile time about the divisibility of coordinates, sizes
// and pitches: it decides which vector width an access may have and whether a
// tensor copy is possible. Everything unknown has the divisor 1.
#ifndef TLC_COMPILER_ANALYSIS_KNOWNDIVISORS_H
#define TLC_COMPILER_ANALYSIS_KNOWNDIVISORS_H

#include "mlir/IR/Value.h"
#include "mlir/IR/ValueRange.h"

#include <cstdint>
#include <optional>

namespace tlc::analysis {

/// The divisor of zero: a power of two above all that matter.
constexpr int64_t kDividesZero = int64_t(1) << 30;

/// The value of an integer constant.
std::optional<int64_t> constantValue(mlir::Value value);

/// A number >= 1 that divides `value` for every thread and iteration.
int64_t knownDivisor(mlir::Value value);

/// A number >= 1 that divides the extent of `dim`. For a kernel parameter it
/// looks at the expression of the size: 64 for a dimension 64 * n.
int64_t knownExtentDivisor(mlir::Value buffer, unsigned dim);

/// A number >= 1 that divides the distance, in elements, of neighbours along
/// `dim` of a row-major buffer.
int64_t knownStrideDivisor(mlir::Value buffer, unsigned dim);

/// The largest power of two v such that accesses of v elements along the last
/// dimension, from `indices` and multiples of v beyond, may be aligned and do
/// not cross the end of a row. What is known only at launch (a base address, a
/// row length that is a parameter) counts as aligned: who emits the access
/// checks it there.
int64_t possibleVectorElements(mlir::Value buffer, mlir::ValueRange indices);

} // namespace tlc::analysis

#endif // TLC_COMPILER_ANALYSIS_KNOWNDIVISORS_H
