// Launches in batches that the host only starts: a CUDA graph of eight launches
// back to back into outputs of their own, then the comparison of all eight.
#pragma once

#include "kernels/correct_h0/Problem.h"
#include "runtime/core/Stream.h"
#include "test/exec/war_race/BatchCompare.h"
#include "test/exec/war_race/Variants.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tlc::test {

inline constexpr int kBatch = 8;
/// What two lanes start at once.
inline constexpr std::int64_t kTwoBatches = std::int64_t{2} * kBatch;

/// Device memory of a problem that all its forms read.
class RaceInputs {
public:
  explicit RaceInputs(const kernels::StateProblem &problem);

  /// From here on launches see these flags. The device must be idle.
  void setMask(kernels::Mask mask);
  /// Arguments in the order of `kernel` with `output` as cp_h0.
  std::vector<Argument> arguments(const Kernel &kernel, void *output) const;
  /// 4-byte words of cp_h0.
  std::int64_t words() const { return size; }
  const kernels::StateInputs &host() const { return inputs; }
  const kernels::StateProblem &problem() const { return stated; }

private:
  kernels::StateProblem stated;
  kernels::StateInputs inputs;
  Dims shape;
  std::int64_t size;
  rt::DeviceTensor ht, mt, mask, map;
};

/// Enqueues something between two launches.
using Between = std::function<void(rt::cu::Stream stream, int launch)>;

/// A stream with room for one batch of outputs.
class Lane {
public:
  /// For outputs of up to `words` 4-byte words.
  explicit Lane(std::int64_t words);

  /// Captures a batch of launches of `kernel` and their comparison with
  /// `right`. What `between` enqueues must have run before.
  void capture(const Kernel &kernel, const RaceInputs &inputs,
               const void *right, const NextGeneration &generation,
               const Between &between = {});
  /// Starts the batch; does not wait.
  void start() const;
  /// Waits; what was counted since the last call.
  RaceCounts take();

private:
  struct Graph;
  rt::Stream stream;
  rt::DeviceBuffer outputs;
  BatchCompare compare;
  std::vector<Plan> plans;
  std::shared_ptr<Graph> graph;
};

/// The compiled forms, loaded when they are first asked for.
class Forms {
public:
  explicit Forms(const std::string &folder)
      : folder(folder), variants(readIndex(folder)) {}

  /// Null where the index has none, or no file for it.
  const Kernel *find(const std::string &path, std::int64_t heads,
                     const std::string &structure, const std::string &release);
  const std::vector<RaceVariant> &list() const { return variants; }

private:
  std::string folder;
  std::vector<RaceVariant> variants;
  std::map<std::string, Kernel> loaded;
};

/// Runs `kernel` once; its output stays on the device.
rt::DeviceBuffer runOnce(const Kernel &kernel, const RaceInputs &inputs);
/// cp_h0 of `device` as a host tensor.
rt::HostTensor fetch(const rt::DeviceBuffer &device, const RaceInputs &inputs);

} // namespace tlc::test
