#include "kernels/grid_barrier/Concurrency.h"

#include "runtime/core/Stream.h"
#include "tlc/Error.h"

#include <array>
#include <deque>
#include <functional>

namespace tlc::kernels {

namespace {
constexpr BlockShape kShape{32, 2, 1};
constexpr std::int64_t kRounds = 2;

/// The same kernel twice, on tensors and a stream of its own each.
struct Pair {
  Kernel kernel;
  std::deque<DeviceOperands> operands;
  std::vector<Plan> plans;
  std::array<rt::Stream, 2> streams;

  Pair(const Options &options, std::int64_t blocks)
      : kernel(loadVariant(options, variantOf(kShape, true))) {
    for (int i = 0; i < 2; ++i) {
      operands.emplace_back(
          clearedOperands(blocks, kRounds, i == 0 ? blocks - 1 : 0, 500));
      plans.push_back(
          kernel.prepareArguments(operands.back().arguments(kernel)));
    }
  }
  void launch(int i) const { plans[i].launch(streams[i].handle()); }
  void wait() const {
    for (const rt::Stream &stream : streams)
      stream.synchronize();
  }
  /// Both results after `launches` launches each.
  std::string differences(std::int64_t launches) {
    std::string text;
    for (DeviceOperands &set : operands)
      text += compareResult(set["A"].download(), set["B"].download(), kRounds,
                            launches);
    return text;
  }
};

/// A graph of a launch on each of two branches that nothing orders.
class BranchedGraph {
public:
  explicit BranchedGraph(const Pair &pair) {
    const rt::Driver &driver = rt::Driver::get();
    const auto &[main, side] = pair.streams;
    const rt::Event fork, join;
    driver.check(
        driver.streamBeginCapture(main.handle(), rt::cu::kCaptureThreadLocal),
        "beginning a capture");
    fork.record(main.handle());
    side.waitFor(fork);
    pair.launch(0);
    pair.launch(1);
    join.record(side.handle());
    main.waitFor(join);
    driver.check(driver.streamEndCapture(main.handle(), &graph),
                 "capturing two branches");
    driver.check(driver.graphInstantiate(&exec, graph, 0),
                 "instantiating a graph");
  }
  ~BranchedGraph() {
    const rt::Driver &driver = rt::Driver::get();
    driver.graphExecDestroy(exec);
    driver.graphDestroy(graph);
  }
  BranchedGraph(const BranchedGraph &) = delete;
  BranchedGraph &operator=(const BranchedGraph &) = delete;

  void launch(const rt::Stream &stream) const {
    const rt::Driver &driver = rt::Driver::get();
    driver.check(driver.graphLaunch(exec, stream.handle()),
                 "launching a graph");
  }

private:
  rt::cu::Graph graph = nullptr;
  rt::cu::GraphExec exec = nullptr;
};
} // namespace

/// Runs `body`, which returns what is wrong, as one check of the report.
static void check(const Options &options, Report &report,
                  const std::string &what,
                  const std::function<std::string()> &body) {
  if (!options.selects(what))
    return;
  try {
    const std::string problem = body();
    report.check(what, problem.empty(), problem.empty() ? "ok" : problem);
  } catch (const Error &error) {
    report.check(what, false, error.what());
  }
}

/// Two blocks; half of what fits, so that both grids fit; all that fits, so
/// that one has to wait for the other.
static std::array<std::int64_t, 3> gridSizes(const Options &options) {
  const std::int64_t fits =
      residencyOfVariant(options, variantOf(kShape, true)).blocks;
  return {2, fits / 2, fits};
}

void checkStreams(const Options &options, Report &report) {
  if (!options.selects("two streams"))
    return;
  for (const std::int64_t blocks : gridSizes(options)) {
    // Sums of large grids leave 32 bits early.
    const int launches = blocks == 2 ? 1000 : 50;
    check(options, report,
          "two streams, " + std::to_string(blocks) + " blocks, " +
              std::to_string(launches) + " launches each",
          [&] {
            Pair pair(options, blocks);
            for (int i = 0; i < launches; ++i) {
              pair.launch(0);
              pair.launch(1);
            }
            pair.wait();
            return pair.differences(launches);
          });
  }
}

void checkGraphs(const Options &options, Report &report) {
  if (!options.selects("parallel branches of a graph"))
    return;
  for (const std::int64_t blocks : gridSizes(options)) {
    const int replays = blocks == 2 ? 500 : 50;
    check(options, report,
          "parallel branches of a graph, " + std::to_string(blocks) +
              " blocks, " + std::to_string(replays) + " replays",
          [&] {
            Pair pair(options, blocks);
            const BranchedGraph graph(pair);
            for (int i = 0; i < replays; ++i)
              graph.launch(pair.streams[0]);
            pair.wait();
            return pair.differences(replays);
          });
  }
}

/// What is wrong with how a grid of one block too many is refused.
static std::string refusal(const Options &options, const Variant &variant) {
  const std::int64_t fits = residencyOfVariant(options, variant).blocks;
  const Kernel kernel = loadVariant(options, variant);
  DeviceOperands operands(clearedOperands(fits + 1, 1, 0, 0));
  const std::vector<Argument> arguments = operands.arguments(kernel);
  try {
    kernel.launchArguments(nullptr, arguments);
  } catch (const Error &error) {
    const std::string text = error.what();
    const bool both =
        text.find(std::to_string(fits + 1) + " blocks") != std::string::npos &&
        text.find(std::to_string(fits) + " fit") != std::string::npos;
    return both && error.code() == ErrorCode::InvalidArgument
               ? ""
               : "the message is: " + text;
  }
  return "it was launched";
}

void checkTooLarge(const Options &options, Report &report) {
  for (const BlockShape &shape : blockShapes())
    check(options, report, nameOf(shape) + ", one block too many",
          [&] { return refusal(options, variantOf(shape, true)); });
}

} // namespace tlc::kernels
