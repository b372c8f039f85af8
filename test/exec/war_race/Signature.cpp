#include "test/exec/war_race/Signature.h"

namespace tlc::test {

NextGeneration NextGeneration::of(std::int64_t segments,
                                  std::int64_t segmentElements,
                                  std::int64_t depth, bool reverse) {
  if (depth <= 0 || depth >= segments)
    return {};
  const std::int64_t distance = depth * segmentElements;
  const std::int64_t all = segments * segmentElements;
  if (reverse)
    return {distance, all, -distance};
  return {0, all - distance, distance};
}

WrongElements countWrong(std::span<const std::uint32_t> output,
                         std::span<const std::uint32_t> right,
                         const NextGeneration &generation) {
  WrongElements count;
  const auto size = static_cast<std::int64_t>(output.size());
  for (std::int64_t i = 0; i < size; ++i) {
    if (output[i] == right[i])
      continue;
    ++count.wrong;
    if (i >= generation.first && i < generation.last &&
        output[i] == right[i + generation.shift])
      ++count.next;
  }
  return count;
}

} // namespace tlc::test
