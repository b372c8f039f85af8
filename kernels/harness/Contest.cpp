// Rounds over timeLaunch.
#include "kernels/harness/Contest.h"

#include "runtime/core/DeviceBuffer.h"
#include "runtime/core/Stream.h"

namespace tlc::kernels {

std::vector<Summary> holdContest(std::span<const Contestant> contestants,
                                 const ContestOptions &options) {
  rt::TimingOptions timing;
  timing.method = options.method;
  timing.warmups = 2;
  timing.samples = options.samples;
  timing.launchesPerSample = options.launches;
  std::vector<std::vector<std::vector<double>>> rounds(contestants.size());
  for (int round = 0; round < options.rounds; ++round)
    for (std::size_t i = 0; i < contestants.size(); ++i)
      rounds[i].push_back(rt::timeLaunch(
                              [&](rt::cu::Stream stream, int launch) {
                                contestants[i].launch(stream,
                                                      launch % options.sets);
                              },
                              timing)
                              .samplesUs);
  std::vector<Summary> summaries;
  for (const auto &list : rounds)
    summaries.push_back(summarize(list));
  return summaries;
}

double measureCopyRate() {
  constexpr std::size_t kBytes = std::size_t{1} << 30;
  constexpr int kCopies = 12;
  rt::Device::get().makeCurrent();
  const rt::Driver &driver = rt::Driver::get();
  rt::DeviceBuffer from(kBytes), to(kBytes);
  from.fill(0x5a);
  const auto address = [](const rt::DeviceBuffer &buffer) {
    return reinterpret_cast<rt::cu::DevicePtr>(buffer.data());
  };
  rt::Event begin, end;
  std::vector<double> seconds;
  for (int i = 0; i < kCopies; ++i) {
    begin.record(nullptr);
    driver.check(driver.memcpyDtoD(address(to), address(from), kBytes),
                 "copying device memory");
    end.record(nullptr);
    end.synchronize();
    seconds.push_back(end.millisecondsSince(begin) * 1e-3);
  }
  return 2.0 * kBytes / median(seconds);
}

} // namespace tlc::kernels
