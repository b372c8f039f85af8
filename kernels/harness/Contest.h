// Kernels timed against each other in one run: rounds in which each takes its
// turn, so that a change of the clock or of the machine meets all of them.
#pragma once

#include "kernels/harness/Statistics.h"
#include "runtime/core/Timing.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace tlc::kernels {

struct Contestant {
  std::string name;
  /// Enqueues one launch on the buffers of set number `set`.
  std::function<void(rt::cu::Stream stream, int set)> launch;
};

struct ContestOptions {
  rt::TimingMethod method = rt::TimingMethod::Graph;
  int rounds = 5;
  int samples = 15;  ///< of each kernel in each round
  int launches = 16; ///< in a sample: the nodes of the graph
  /// Launch number i uses set i mod `sets`. With sets that together exceed the
  /// L2 cache several times, none finds its inputs there.
  int sets = 1;
};

/// Microseconds a launch, in the order of the contestants. Throws tlc::Error.
std::vector<Summary> holdContest(std::span<const Contestant> contestants,
                                 const ContestOptions &options);

/// Bytes a second, read and written together, that a copy of 1 GiB reaches on
/// the device; the median of 12. What memory can give at best.
double measureCopyRate();

} // namespace tlc::kernels
