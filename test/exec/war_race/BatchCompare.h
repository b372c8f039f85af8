// Compares the outputs of a batch of launches on the device and poisons them
// for the next batch, so that thousands of launches need no host.
#pragma once

#include "runtime/core/DeviceBuffer.h"
#include "test/exec/war_race/Signature.h"

#include <cstdint>

namespace tlc::test {

/// Sums over launches.
struct RaceCounts {
  std::uint64_t launches = 0; ///< compared
  std::uint64_t bad = 0;      ///< launches with a wrong element
  std::uint64_t wrong = 0;    ///< elements
  std::uint64_t next = 0;     ///< of them equal to the next generation

  bool operator==(const RaceCounts &other) const = default;
  RaceCounts &operator+=(const RaceCounts &other);
  /// Wrong elements, and each of them is the slot's next generation.
  bool hasSignature() const { return wrong > 0 && wrong == next; }
};

class BatchCompare {
public:
  /// For `batch` outputs that follow each other in memory.
  explicit BatchCompare(int batch);

  /// Enqueues the comparison of the 4-byte words of each output with the right
  /// one, and the poisoning of the outputs. `words` is a multiple of 4.
  void enqueue(rt::cu::Stream stream, void *outputs, const void *right,
               std::int64_t words, const NextGeneration &generation);
  /// The sums since the last call. Nothing enqueued may be running.
  RaceCounts take();

private:
  int batch;
  rt::DeviceBuffer counts; ///< wrong and next of each output
  rt::DeviceBuffer sums;   ///< a RaceCounts
};

/// Enqueues a change of each 4-byte word of `buffer` (`words` of them): another
/// kernel on the device.
void stir(rt::cu::Stream stream, void *buffer, std::int64_t words);

} // namespace tlc::test
