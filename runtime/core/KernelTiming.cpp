// tlc::time: launches that take turns among copies of their tensors.
#include "tlc/Timing.h"

#include "runtime/core/DeviceBuffer.h"
#include "runtime/core/Timing.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>

namespace tlc {
namespace {

// Copies are placed like the original within this many bytes, so that a launch
// on a copy is as aligned as one on the original.
constexpr std::uint64_t kAlignment = 1024;
// More would take longer to make than to time.
constexpr std::uint64_t kMaxCopies = 512;

/// Memory that some of the arguments cover, end exclusive.
struct Region {
  std::uint64_t begin = 0, end = 0;
  std::uint64_t bytes() const { return end - begin; }
  /// Room for a copy wherever the buffer begins.
  std::uint64_t room() const {
    return (bytes() + 2 * kAlignment - 1) / kAlignment * kAlignment;
  }
};

Region regionOf(const Tensor &tensor) {
  Region region;
  if (tensor.elements() == 0)
    return region;
  region.begin = reinterpret_cast<std::uint64_t>(tensor.data);
  region.end = region.begin + bytes(tensor.dtype);
  Dims strides =
      tensor.strides.empty() ? compactStrides(tensor.shape) : tensor.strides;
  for (std::size_t i = 0; i < tensor.rank(); ++i) {
    std::int64_t reach =
        (tensor.shape[i] - 1) * strides[i] * std::int64_t(bytes(tensor.dtype));
    (reach < 0 ? region.begin : region.end) += reach;
  }
  return region;
}

/// What the arguments cover, with overlapping pieces joined: tensors that share
/// memory must share it in a copy, too.
std::vector<Region> regionsOf(std::span<const Argument> arguments) {
  std::vector<Region> list;
  for (const Argument &argument : arguments)
    if (argument.kind() == Argument::Kind::Tensor)
      if (Region region = regionOf(argument.tensor()); region.bytes() != 0)
        list.push_back(region);
  std::ranges::sort(list, {}, &Region::begin);
  std::vector<Region> merged;
  for (const Region &region : list)
    if (!merged.empty() && region.begin < merged.back().end)
      merged.back().end = std::max(merged.back().end, region.end);
    else
      merged.push_back(region);
  return merged;
}

/// One more set of the tensors, with the contents of the first.
class ArgumentCopy {
public:
  ArgumentCopy(std::span<const Argument> arguments,
               std::span<const Region> regions, int device) {
    std::uint64_t size = 0;
    for (const Region &region : regions)
      size += region.room();
    buffer = rt::DeviceBuffer(size + kAlignment, device);
    auto base = reinterpret_cast<std::uint64_t>(buffer.data());
    std::uint64_t next = (base + kAlignment - 1) / kAlignment * kAlignment;
    const rt::Driver &driver = rt::Driver::get();
    std::vector<std::uint64_t> places;
    for (const Region &region : regions) {
      places.push_back(next + region.begin % kAlignment);
      driver.check(
          driver.memcpyDtoD(places.back(), region.begin, region.bytes()),
          "copying a tensor");
      next += region.room();
    }
    for (const Argument &argument : arguments)
      list.push_back(moved(argument, regions, places));
  }

  std::span<const Argument> arguments() const { return list; }

private:
  static Argument moved(const Argument &argument,
                        std::span<const Region> regions,
                        std::span<const std::uint64_t> places) {
    if (argument.kind() != Argument::Kind::Tensor ||
        argument.tensor().elements() == 0)
      return argument;
    Tensor view = argument.tensor();
    auto address = reinterpret_cast<std::uint64_t>(view.data);
    for (std::size_t i = 0; i < regions.size(); ++i) {
      if (address < regions[i].begin || address >= regions[i].end)
        continue;
      std::uint64_t copy = places[i] + address - regions[i].begin;
      // NOLINTNEXTLINE(performance-no-int-to-ptr): a device address
      view.data = reinterpret_cast<void *>(copy);
    }
    return view;
  }

  rt::DeviceBuffer buffer;
  std::vector<Argument> list;
};

int deviceOf(std::span<const Argument> arguments) {
  for (const Argument &argument : arguments)
    if (argument.kind() == Argument::Kind::Tensor)
      return argument.tensor().deviceId;
  return 0;
}

/// Sets of tensors so that twice the L2 cache lies between two uses of one.
std::uint64_t copiesFor(std::span<const Region> regions, int device) {
  std::uint64_t size = 0;
  for (const Region &region : regions)
    size += region.bytes();
  if (size == 0)
    return 1;
  auto cache = static_cast<std::uint64_t>(rt::Device::get(device).l2Bytes());
  return std::min((2 * cache + size - 1) / size + 1, kMaxCopies);
}

TimeResult timeOnGpu(const Kernel &kernel, std::span<const Argument> arguments,
                     const TimeOptions &options) {
  const int device = deviceOf(arguments);
  std::vector<Plan> plans;
  // Also checks the arguments, before anything is derived from them.
  plans.push_back(kernel.prepareArguments(arguments));
  const std::vector<Region> regions = regionsOf(arguments);
  std::vector<ArgumentCopy> copies;
  if (options.rotate)
    for (std::uint64_t n = copiesFor(regions, device); n > 1; --n)
      plans.push_back(kernel.prepareArguments(
          copies.emplace_back(arguments, regions, device).arguments()));
  rt::TimingOptions timing;
  timing.method = options.method == TimeMethod::Graph
                      ? rt::TimingMethod::Graph
                      : rt::TimingMethod::Events;
  timing.warmups = options.warmups;
  timing.samples = options.samples;
  timing.device = device;
  // A sample goes round all copies at least once.
  timing.launchesPerSample =
      std::max(options.launchesPerSample, static_cast<int>(plans.size()));
  rt::TimingResult measured = rt::timeLaunch(
      [&](rt::cu::Stream stream, int i) {
        plans[static_cast<std::size_t>(i) % plans.size()].launch(stream);
      },
      timing);
  TimeResult result;
  result.copies = static_cast<int>(plans.size());
  result.samplesUs = std::move(measured.samplesUs);
  return result;
}

TimeResult timeOnCpu(const Kernel &kernel, std::span<const Argument> arguments,
                     const TimeOptions &options) {
  using Clock = std::chrono::steady_clock;
  Plan plan = kernel.prepareArguments(arguments);
  for (int i = 0; i < options.warmups; ++i)
    plan.launch();
  TimeResult result;
  for (int i = 0; i < options.samples; ++i) {
    auto begin = Clock::now();
    plan.launch();
    std::chrono::duration<double, std::micro> us = Clock::now() - begin;
    result.samplesUs.push_back(us.count());
  }
  return result;
}

/// The value at `fraction` of a sorted list, between its neighbours.
double quantile(const std::vector<double> &sorted, double fraction) {
  double place = fraction * static_cast<double>(sorted.size() - 1);
  auto below = static_cast<std::size_t>(place);
  std::size_t above = std::min(below + 1, sorted.size() - 1);
  double weight = place - static_cast<double>(below);
  return sorted[below] * (1 - weight) + sorted[above] * weight;
}

} // namespace

TimeResult timeArguments(const Kernel &kernel,
                         std::span<const Argument> arguments,
                         const TimeOptions &options) {
  if (options.samples < 1 || options.launchesPerSample < 1 ||
      options.warmups < 0)
    throw Error(ErrorCode::InvalidArgument,
                "timing needs at least one sample of one launch");
  TimeResult result = kernel.isVirtual()
                          ? timeOnCpu(kernel, arguments, options)
                          : timeOnGpu(kernel, arguments, options);
  std::vector<double> sorted = result.samplesUs;
  std::ranges::sort(sorted);
  result.minUs = sorted.front();
  result.maxUs = sorted.back();
  result.medianUs = quantile(sorted, 0.5);
  if (result.medianUs > 0)
    result.spreadPercent = 50 *
                           (quantile(sorted, 0.75) - quantile(sorted, 0.25)) /
                           result.medianUs;
  return result;
}

} // namespace tlc
