// How long a kernel takes, without the host in the figure.
#pragma once

#include "tlc/Kernel.h"

#include <array>
#include <span>
#include <vector>

namespace tlc {

enum class TimeMethod : std::uint8_t {
  Graph,  ///< launches captured once into a CUDA graph that is replayed
  Events, ///< the same launches enqueued one by one between two events
};

struct TimeOptions {
  TimeMethod method = TimeMethod::Graph;
  int warmups = 3;
  int samples = 20;
  int launchesPerSample = 10;
  /// Launches take turns among copies of the tensors that together exceed twice
  /// the L2 cache, so that no launch finds its inputs there. False times a warm
  /// cache.
  bool rotate = true;
};

/// Microseconds per launch.
struct TimeResult {
  double medianUs = 0;
  double minUs = 0;
  double maxUs = 0;
  /// Half of the distance between the quartiles, in percent of the median.
  double spreadPercent = 0;
  /// Sets of tensors that took turns; 1: always the same.
  int copies = 1;
  std::vector<double> samplesUs;
};

/// Times launches of `kernel` with `arguments`, after warm-up, on a stream of
/// its own. The kernel runs many times, so tensors it writes hold what the last
/// of the runs left. On the virtual device, the time of whole runs on the CPU.
/// Throws tlc::Error.
TimeResult timeArguments(const Kernel &kernel,
                         std::span<const Argument> arguments,
                         const TimeOptions &options = {});

/// `arguments` are what Kernel::launch takes after the stream.
template <class... Args>
TimeResult time(const Kernel &kernel, const TimeOptions &options,
                const Args &...arguments) {
  const std::array<Argument, sizeof...(Args)> list{Argument(arguments)...};
  return timeArguments(kernel, list, options);
}

} // namespace tlc
