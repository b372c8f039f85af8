// What an unfenced release does to the output, where no product hides it: an
// element takes the value of the slot's next generation.
#pragma once

#include <cstdint>
#include <span>

namespace tlc::test {

/// Where the value of an element's next generation stands in the right output.
/// With all flags off cp_h0[s] is the h that was read in the turn before, so a
/// ring of `depth` slots that is refilled too early shows cp_h0[s + depth],
/// backwards cp_h0[s - depth], where there is such a segment.
struct NextGeneration {
  std::int64_t first = 0, last = 0; ///< elements [first, last) have one
  std::int64_t shift = 0;           ///< it is `shift` elements further

  /// One sequence of `segments` segments of `segmentElements` elements. A depth
  /// of 0: no element has a next generation to be compared with.
  static NextGeneration of(std::int64_t segments, std::int64_t segmentElements,
                           std::int64_t depth, bool reverse);
};

struct WrongElements {
  std::int64_t wrong = 0, next = 0; ///< of the wrong ones, next generation
};

/// Compares bits with the right output; the definition of what the device
/// counts.
WrongElements countWrong(std::span<const std::uint32_t> output,
                         std::span<const std::uint32_t> right,
                         const NextGeneration &generation);

} // namespace tlc::test
