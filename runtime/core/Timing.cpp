#include "runtime/core/Timing.h"

#include "runtime/core/Stream.h"

#include <algorithm>

namespace tlc::rt {
namespace {

/// A captured sequence of launches.
class CapturedGraph {
public:
  template <class Enqueue> CapturedGraph(cu::Stream stream, Enqueue enqueue) {
    const Driver &driver = Driver::get();
    driver.check(driver.streamBeginCapture(stream, cu::kCaptureThreadLocal),
                 "capturing launches");
    try {
      enqueue();
    } catch (...) {
      driver.streamEndCapture(stream, &graph);
      destroy();
      throw;
    }
    driver.check(driver.streamEndCapture(stream, &graph), "capturing launches");
    driver.check(driver.graphInstantiate(&exec, graph, 0),
                 "instantiating a graph");
  }
  ~CapturedGraph() { destroy(); }
  CapturedGraph(const CapturedGraph &) = delete;
  CapturedGraph &operator=(const CapturedGraph &) = delete;

  void launch(cu::Stream stream) const {
    const Driver &driver = Driver::get();
    driver.check(driver.graphLaunch(exec, stream), "launching a graph");
  }

private:
  void destroy() {
    const Driver &driver = Driver::get();
    if (exec)
      driver.graphExecDestroy(exec);
    if (graph)
      driver.graphDestroy(graph);
  }

  cu::Graph graph = nullptr;
  cu::GraphExec exec = nullptr;
};

template <class Batch>
std::vector<double> sample(const Stream &stream, const TimingOptions &options,
                           Batch batch) {
  Event begin, end;
  std::vector<double> samples;
  for (int i = 0; i < options.warmups; ++i)
    batch();
  stream.synchronize();
  for (int i = 0; i < options.samples; ++i) {
    begin.record(stream.handle());
    batch();
    end.record(stream.handle());
    end.synchronize();
    samples.push_back(end.millisecondsSince(begin) * 1e3 /
                      options.launchesPerSample);
  }
  return samples;
}

TimingResult summarize(std::vector<double> samples) {
  TimingResult result;
  result.samplesUs = samples;
  std::ranges::sort(samples);
  std::size_t middle = samples.size() / 2;
  result.minUs = samples.front();
  result.maxUs = samples.back();
  result.medianUs = samples.size() % 2
                        ? samples[middle]
                        : (samples[middle - 1] + samples[middle]) / 2;
  return result;
}

} // namespace

TimingResult timeLaunch(const std::function<void(cu::Stream, int)> &enqueue,
                        const TimingOptions &options) {
  if (options.samples < 1 || options.launchesPerSample < 1)
    throw Error(ErrorCode::InvalidArgument,
                "timing needs at least one sample of one launch");
  Stream stream(options.device);
  auto launchAll = [&] {
    for (int i = 0; i < options.launchesPerSample; ++i)
      enqueue(stream.handle(), i);
  };
  // Once outside a capture: loading a module inside one is an error.
  enqueue(stream.handle(), 0);
  stream.synchronize();
  if (options.method == TimingMethod::Events)
    return summarize(sample(stream, options, launchAll));
  CapturedGraph graph(stream.handle(), launchAll);
  return summarize(
      sample(stream, options, [&] { graph.launch(stream.handle()); }));
}

} // namespace tlc::rt
