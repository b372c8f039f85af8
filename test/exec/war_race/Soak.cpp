// Millions of launches of the two sides of the fence, in turns.
#include "kernels/harness/Contest.h"
#include "kernels/harness/Table.h"
#include "test/exec/war_race/Race.h"

#include <chrono>
#include <cstdio>

namespace tlc::test {

using Clock = std::chrono::steady_clock;

namespace {
constexpr const char *kStructure = "derived";
/// Launches of one side before it is the other's turn.
constexpr std::int64_t kTurn = 1024;

/// One path with flags at one shape: what both sides run in their turns.
struct SoakCell {
  std::size_t path;
  RaceInputs *inputs;
  kernels::StateProblem problem;
  kernels::Mask mask;
  rt::DeviceBuffer right;
};

class Soak {
public:
  Soak(const RaceOptions &options, Forms &forms)
      : options(options), forms(forms),
        deadline(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                    std::chrono::duration<double>(
                                        std::min(options.seconds, 1e6)))) {
    for (const std::string &path : allPaths())
      if (options.selectsPath(path))
        paths.push_back(path);
    for (SoakSide &side : sides)
      side.paths.resize(paths.size());
  }

  void run();
  void print(kernels::Report &report) const;

private:
  const Kernel &kernelOf(const SoakCell &cell, const SoakSide &side);
  void prepare();
  void time();
  void takeTurn(SoakCell &cell, SoakSide &side);
  bool isDone(std::size_t path) const;

  const RaceOptions &options;
  Forms &forms;
  Clock::time_point deadline;
  std::vector<std::string> paths;
  std::vector<std::unique_ptr<RaceInputs>> inputs;
  std::vector<SoakCell> cells;
  std::unique_ptr<Lane> lanes[2];
  SoakSide sides[2] = {{"proxy", {}, {}}, {"proxy-producer", {}, {}}};
};
} // namespace

const Kernel &Soak::kernelOf(const SoakCell &cell, const SoakSide &side) {
  const Kernel *kernel = forms.find(paths[cell.path], cell.problem.heads,
                                    kStructure, side.release);
  if (!kernel)
    throw Error(ErrorCode::Environment, "no compiled form of " +
                                            paths[cell.path] + ", " +
                                            side.release);
  return *kernel;
}

void Soak::prepare() {
  std::int64_t most = 0;
  for (const Shape &shape : allShapes()) {
    std::map<bool, RaceInputs *> shared;
    for (std::size_t path = 0; path < paths.size(); ++path) {
      const kernels::StateProblem problem = problemOf(paths[path], shape);
      RaceInputs *&at = shared[problem.reverse];
      if (!at)
        at = inputs.emplace_back(std::make_unique<RaceInputs>(problem)).get();
      most = std::max(most, at->words());
      for (const kernels::Mask mask : kMasks) {
        SoakCell cell{path, at, problem, mask, {}};
        at->setMask(mask);
        cell.right = runOnce(kernelOf(cell, sides[0]), *at);
        cells.push_back(std::move(cell));
      }
    }
  }
  for (std::unique_ptr<Lane> &lane : lanes)
    lane = std::make_unique<Lane>(most);
}

/// Both sides in turns, all flags set, on warm buffers.
void Soak::time() {
  for (const SoakCell &cell : cells) {
    if (cell.mask != kernels::Mask::On)
      continue;
    cell.inputs->setMask(cell.mask);
    rt::DeviceBuffer output(cell.right.size());
    std::vector<Plan> plans;
    std::vector<kernels::Contestant> contestants;
    plans.reserve(std::size(sides));
    for (const SoakSide &side : sides) {
      const Kernel &kernel = kernelOf(cell, side);
      const Plan &plan = plans.emplace_back(kernel.prepareArguments(
          cell.inputs->arguments(kernel, output.data())));
      contestants.push_back({side.release, [&plan](rt::cu::Stream stream, int) {
                               plan.launch(stream);
                             }});
    }
    const std::vector<kernels::Summary> summaries =
        kernels::holdContest(contestants, {});
    for (std::size_t i = 0; i < std::size(sides); ++i)
      sides[i].times.push_back(summaries[i].median);
    std::printf("time   %-8s %6lld segments %3lld heads  readers %7.2f us  "
                "producer %7.2f us\n",
                paths[cell.path].c_str(),
                static_cast<long long>(cell.problem.segments()),
                static_cast<long long>(cell.problem.heads), summaries[0].median,
                summaries[1].median);
    std::fflush(stdout);
  }
}

/// On two streams, of which each waits for nothing of the other.
void Soak::takeTurn(SoakCell &cell, SoakSide &side) {
  cell.inputs->setMask(cell.mask);
  const NextGeneration generation =
      generationOf(forms, cell.problem, kStructure);
  for (const std::unique_ptr<Lane> &lane : lanes)
    lane->capture(kernelOf(cell, side), *cell.inputs, cell.right.data(),
                  generation);
  for (std::int64_t done = 0; done < kTurn; done += kTwoBatches)
    for (const std::unique_ptr<Lane> &lane : lanes)
      lane->start();
  for (const std::unique_ptr<Lane> &lane : lanes)
    side.paths[cell.path] += lane->take();
}

bool Soak::isDone(std::size_t path) const {
  for (const SoakSide &side : sides)
    if (side.paths[path].launches < options.soak)
      return false;
  return true;
}

void Soak::run() {
  prepare();
  time();
  for (bool isWorking = true; isWorking;) {
    isWorking = false;
    for (SoakCell &cell : cells)
      for (SoakSide &side : sides) {
        if (Clock::now() >= deadline)
          return;
        if (isDone(cell.path))
          continue;
        takeTurn(cell, side);
        isWorking = true;
      }
  }
}

void Soak::print(kernels::Report &report) const {
  for (const SoakSide &side : sides)
    for (std::size_t path = 0; path < paths.size(); ++path) {
      const RaceCounts &counts = side.paths[path];
      report.check("soak " + side.release + " " + paths[path],
                   counts.bad == 0 && counts.launches != 0,
                   std::to_string(counts.bad) + " of " +
                       std::to_string(counts.launches) + " launches bad, " +
                       std::to_string(counts.wrong) + " wrong elements");
    }
  std::printf("%s\n", soakRule(options.soak).c_str());
  std::printf("decision: %s\n",
              decideSoak(sides[0], sides[1], options.soak).c_str());
}

void soak(const RaceOptions &options, Forms &forms, kernels::Report &report) {
  Soak run(options, forms);
  run.run();
  run.print(report);
}

} // namespace tlc::test
