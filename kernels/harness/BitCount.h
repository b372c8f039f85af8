// Counts, on the device, where two buffers differ: thousands of outputs are
// compared without bringing them to the host.
#pragma once

#include "runtime/core/DeviceBuffer.h"

#include <cstdint>
#include <vector>

namespace tlc::kernels {

/// Numbered comparisons whose results are fetched together.
class BitCount {
public:
  /// Room for `comparisons` results. Throws tlc::Error.
  explicit BitCount(int comparisons);

  /// Enqueues comparison number `index` of the 4-byte words of two tensors of
  /// the same size on `stream`.
  void compare(rt::cu::Stream stream, int index, const Tensor &left,
               const Tensor &right);
  /// Waits for the device; the number of words that differ, by comparison.
  std::vector<std::uint32_t> read() const;

private:
  rt::DeviceBuffer counts;
};

} // namespace tlc::kernels
