// How long a piece of device work takes, without the host in the figure.
#pragma once

#include "runtime/core/Driver.h"

#include <functional>
#include <vector>

namespace tlc::rt {

enum class TimingMethod {
  Graph,  ///< `launchesPerSample` launches captured once, replayed
  Events, ///< the same number enqueued one by one between two events
};

struct TimingOptions {
  TimingMethod method = TimingMethod::Graph;
  int warmups = 3;
  int samples = 20;
  int launchesPerSample = 10;
  int device = 0;
};

/// Microseconds per launch.
struct TimingResult {
  double medianUs = 0;
  double minUs = 0;
  double maxUs = 0;
  std::vector<double> samplesUs;
};

/// Times `enqueue(stream, i)`, which enqueues launch number `i` on `stream` and
/// must not synchronise; `i` lets the caller rotate inputs. Throws tlc::Error.
TimingResult
timeLaunch(const std::function<void(cu::Stream stream, int i)> &enqueue,
           const TimingOptions &options = {});

} // namespace tlc::rt
