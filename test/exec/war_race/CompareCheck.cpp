// Whether the device counts what the definition counts: a comparison that finds
// nothing would pass every kernel.
#include "runtime/core/Stream.h"
#include "test/exec/war_race/Race.h"

#include <array>

namespace tlc::test {

namespace {
constexpr std::int64_t kSegments = 16, kElements = 512;
constexpr std::size_t kWords = kSegments * kElements;
using Words = std::vector<std::uint32_t>;
} // namespace

/// Outputs of a batch in which launch 1 has a few elements of the next
/// generation, 2 one that is neither, 5 both, and 7 nothing right.
static std::array<Words, kBatch> makeOutputs(const Words &right,
                                             const NextGeneration &next) {
  std::array<Words, kBatch> outputs;
  outputs.fill(right);
  for (const int launch : {1, 5})
    for (std::size_t i = 3; i < kWords; i += 97) {
      const auto at = static_cast<std::int64_t>(i);
      if (at >= next.first && at < next.last)
        outputs[launch][i] = right[at + next.shift];
    }
  for (const int launch : {2, 5})
    outputs[launch][kWords / 2 + 1] = ~0U;
  outputs[7].assign(kWords, 0xffffffff);
  return outputs;
}

static bool agrees(bool reverse) {
  Words right(kWords);
  for (std::size_t i = 0; i < kWords; ++i)
    right[i] = static_cast<std::uint32_t>(i * 2654435761U);
  const NextGeneration next =
      NextGeneration::of(kSegments, kElements, 2, reverse);
  const auto outputs = makeOutputs(right, next);
  RaceCounts expected;
  Words together;
  for (const Words &output : outputs) {
    const WrongElements wrong = countWrong(output, right, next);
    expected +=
        {1, wrong.wrong != 0 ? 1U : 0U, static_cast<std::uint64_t>(wrong.wrong),
         static_cast<std::uint64_t>(wrong.next)};
    together.insert(together.end(), output.begin(), output.end());
  }
  rt::DeviceBuffer device(together.size() * sizeof(std::uint32_t));
  rt::DeviceBuffer deviceRight(kWords * sizeof(std::uint32_t));
  device.upload(std::as_bytes(std::span(together)));
  deviceRight.upload(std::as_bytes(std::span(right)));
  const rt::Stream stream;
  BatchCompare compare(kBatch);
  const auto run = [&] {
    compare.enqueue(stream.handle(), device.data(), deviceRight.data(), kWords,
                    next);
    stream.synchronize();
    return compare.take();
  };
  // The second time all is poison.
  return run() == expected &&
         run() == RaceCounts{kBatch, kBatch, kBatch * kWords, 0};
}

void checkComparison(kernels::Report &report) {
  const bool right = agrees(false) && agrees(true);
  report.check("comparison on the device", right,
               right ? "counts as defined" : "counts something else");
}

} // namespace tlc::test
