// Rounds over timeLaunch.
#include "kernels/harness/Contest.h"

#include "runtime/core/DeviceBuffer.h"
#include "runtime/core/Stream.h"

namespace tlc::kernels {

/// The samples of one turn; what goes wrong is said with the name.
static std::vector<double> takeTurn(const Contestant &contestant,
                                    const rt::TimingOptions &timing, int sets) {
  try {
    return rt::timeLaunch(
               [&](rt::cu::Stream stream, int launch) {
                 contestant.launch(stream, launch % sets);
               },
               timing)
        .samplesUs;
  } catch (const Error &error) {
    throw Error(error.code(),
                "timing '" + contestant.name + "': " + error.what());
  }
}

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
      rounds[i].push_back(takeTurn(contestants[i], timing, options.sets));
  std::vector<Summary> summaries;
  summaries.reserve(rounds.size());
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
