// How far a result is from its reference.
#pragma once

#include "runtime/core/HostTensor.h"

#include <cstdint>
#include <span>
#include <string>

namespace tlc::kernels {

/// What one element may be off by: absolute + relative * |reference|, and what
/// the whole tensor may be off by as |x - r| / |r| in the 2-norm. One wrong
/// element among a million shows in the first, a small bias in the second.
struct Tolerance {
  double absolute = 0;
  double relative = 0;
  double norm = 0;
};

struct Difference {
  double norm = 0;          ///< relative 2-norm of the error
  double worst = 0;         ///< largest error in units of what is allowed
  std::int64_t wrong = 0;   ///< elements over their bound, NaN included
  std::int64_t where = -1;  ///< flat index of the worst
  double got = 0, want = 0; ///< its two values
  bool passed = true;

  /// "ok 1.6e-03" or "12 wrong, [40]=3.5 want 1.25".
  std::string text() const;
};

/// Compares `result` with `reference`, elements in storage order. A reference
/// of NaN means that the element must not have been written: `result` must be
/// NaN there too.
Difference compare(const rt::HostTensor &result,
                   std::span<const double> reference,
                   const Tolerance &tolerance);

/// Fills `tensor` with bytes that are NaN in every float type, so that a
/// missing store shows.
void poison(rt::HostTensor &tensor);

} // namespace tlc::kernels
