// The runs of a check, in order.
#include "compiler/interp/SmCheck.h"

#include "dialects/sm/Sm.h"

#include <chrono>
#include <numeric>
#include <random>

using namespace mlir;
using namespace tlc;
using namespace tlc::interp;

/// Turns for which every pattern of flags is tried.
static constexpr int64_t kAllFlags = 6;
/// States that a search over all schedules may visit where time is no bound.
static constexpr uint64_t kSearchStates = 1000000;
/// Blocks of the runs that look for races between them.
static constexpr int64_t kBlocks = 4;
/// Operations of a block; a loop that spins is given up in about a second.
static constexpr uint64_t kSteps = uint64_t(1) << 24;

int64_t tlc::interp::turnsToCheck(tile::KernelOp kernel) {
  constexpr int64_t kMostTurns = 64;
  int64_t period = 1;
  kernel.walk([&](sm::CounterOp counter) {
    period = std::lcm(period, std::max<int64_t>(counter.getDepth(), 1));
  });
  return std::min(2 * period + 2, kMostTurns);
}

namespace {
struct PlannedRun {
  int64_t turns;
  uint64_t flags;
  SmSchedule schedule;
  uint64_t seed;
  int64_t blocks = 1;
};
} // namespace

/// Patterns of flags for a trip count; the rows beyond the first two are for
/// kernels whose guards depend on tensors.
static std::vector<uint64_t> flagPatterns(int64_t turns, uint64_t seed) {
  std::vector<uint64_t> patterns;
  if (turns <= kAllFlags) {
    for (uint64_t flags = 0; flags < uint64_t(1) << turns; ++flags)
      patterns.push_back(flags);
    return patterns;
  }
  // The last fixed one has every word of six flags somewhere.
  patterns = {0,
              ~uint64_t(0),
              0x5555555555555555,
              0xaaaaaaaaaaaaaaaa,
              0x3333333333333333,
              0x0218a392cd3d5dbf};
  std::mt19937_64 random(seed + turns);
  for (int i = 0; i < 6; ++i)
    patterns.push_back(random());
  return patterns;
}

static std::vector<PlannedRun> plan(int64_t maxTurns, bool hasFlags,
                                    uint64_t seed) {
  std::vector<PlannedRun> runs, searches;
  for (int64_t turns = 0; turns <= maxTurns; ++turns) {
    std::vector<uint64_t> patterns =
        hasFlags ? flagPatterns(turns, seed) : std::vector<uint64_t>{0};
    for (uint64_t flags : patterns)
      searches.push_back({turns, flags, SmSchedule::Exhaustive, seed});
    for (uint64_t flags : patterns)
      runs.push_back({turns, flags, SmSchedule::Canonical, seed});
    for (uint64_t flags : {patterns.back(), patterns[patterns.size() / 3]})
      for (auto schedule : {SmSchedule::AdversarialEarly,
                            SmSchedule::AdversarialLate, SmSchedule::Seeded})
        runs.push_back({turns, flags, schedule, seed + turns});
  }
  for (int64_t turns : {int64_t(1), std::min<int64_t>(maxTurns, 3)})
    runs.push_back({turns, ~uint64_t(0), SmSchedule::Canonical, seed, kBlocks});
  llvm::append_range(runs, searches);
  return runs;
}

static std::string inputText(const PlannedRun &run, bool hasFlags) {
  std::string text = "\n  inputs   " + std::to_string(run.turns) + " turns";
  if (!hasFlags || run.turns == 0)
    return text;
  text += ", flags ";
  for (int64_t i = 0; i < std::min<int64_t>(run.turns, 64); ++i)
    text += run.flags >> i & 1 ? '1' : '0';
  return text;
}

SmCheckResult tlc::interp::checkKernel(tile::KernelOp kernel,
                                       const SmCheckOptions &options) {
  using Clock = std::chrono::steady_clock;
  SmCheckResult result;
  bool hasFlags = hasFlagTensors(kernel);
  result.hasFlags = hasFlags;
  result.maxTurns = turnsToCheck(kernel);
  SmInputMaker inputs =
      options.inputs ? options.inputs : makeCheckInputs(kernel);
  SmInputMaker neighbours = makeCheckInputs(kernel, /*tiles=*/2);
  std::vector<PlannedRun> runs = plan(result.maxTurns, hasFlags, options.seed);
  result.planned = runs.size();
  result.searchedTurns = result.maxTurns;
  Clock::time_point start = Clock::now();
  auto spent = [&] {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  for (const PlannedRun &run : runs) {
    if (options.seconds > 0 && spent() > options.seconds)
      break;
    if (options.progress)
      options.progress(result.runs, result.planned);
    SmInputs made =
        (run.blocks > 1 ? neighbours : inputs)(run.turns, run.flags);
    SmOptions sm;
    sm.schedule = run.schedule;
    sm.seed = run.seed;
    sm.tagsOnly = true;
    sm.maxBlocks = run.blocks;
    sm.maxStates = kSearchStates;
    if (options.seconds > 0)
      sm.searchSeconds = std::max(options.seconds - spent(), 0.001);
    sm.stepBudget = kSteps;
    SmResult one = runSm(kernel, made.args, sm);
    ++result.runs;
    if (run.schedule == SmSchedule::Exhaustive) {
      result.schedules += one.stats.schedules;
      if (!one.stats.complete && one.status == SmStatus::Clean) {
        // More turns have more schedules.
        result.searchedTurns = run.turns - 1;
        result.planned = result.runs;
        break;
      }
    }
    if (one.status == SmStatus::Clean)
      continue;
    result.status = one.status;
    result.reports = std::move(one.reports);
    for (SmReport &report : result.reports)
      report.text += inputText(run, hasFlags);
    break;
  }
  if (result.runs < result.planned) {
    const PlannedRun &next = runs[result.runs];
    bool isSearch = next.schedule == SmSchedule::Exhaustive;
    result.searchedTurns = isSearch ? next.turns - 1 : -1;
  }
  result.seconds = spent();
  return result;
}
