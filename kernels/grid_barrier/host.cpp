// Checks kernels/grid_barrier over block shapes, grids and late blocks, on
// streams and branches that overlap, again in fresh processes, and times it.
#include "kernels/grid_barrier/Concurrency.h"
#include "kernels/grid_barrier/Shapes.h"
#include "kernels/harness/Options.h"
#include "kernels/harness/Process.h"
#include "runtime/core/Timing.h"
#include "tlc/Error.h"

#include <cstdio>
#include <filesystem>
#include <unistd.h>

using namespace tlc;
using namespace tlc::kernels;

namespace {
constexpr int kCalls = 8;
constexpr std::int64_t kLateClocks = 20000, kLateTurns = 300;
constexpr std::int64_t kVirtualBlocks[] = {2, 3};

/// What call number `call` of a shape does: the last block late, the first
/// late, none late; one round and several.
struct Call {
  std::int64_t rounds, late, delay;
};
} // namespace

static Call callOf(int call, std::int64_t blocks, bool clock) {
  const std::int64_t delay = clock ? kLateClocks : kLateTurns;
  return {call < kCalls / 2 ? 1 : 3, call % 2 == 0 ? blocks - 1 : 0,
          call % 4 == 3 ? 0 : delay};
}

/// One call with everything cleared before it; what is wrong with its result.
static std::string runCall(const Options &options, const Variant &variant,
                           std::int64_t blocks, const Call &call) {
  std::vector<Operand> operands =
      clearedOperands(blocks, call.rounds, call.late, call.delay);
  runVariant(options, variant, operands);
  return compareResult(operands[1].tensor, operands[2].tensor, call.rounds, 1);
}

static void checkGrid(const Options &options, Report &report,
                      const BlockShape &shape, std::int64_t blocks) {
  const std::string what =
      nameOf(shape) + ", " + std::to_string(blocks) + " blocks";
  if (!options.selects(what))
    return;
  const bool clock = !options.onCpu();
  const int calls = options.onCpu() ? 2 : kCalls;
  std::string text;
  int wrong = 0;
  try {
    for (int i = 0; i < calls; ++i) {
      const std::string problem = runCall(options, variantOf(shape, clock),
                                          blocks, callOf(i, blocks, clock));
      wrong += problem.empty() ? 0 : 1;
      if (text.empty())
        text = problem;
    }
    text = std::to_string(calls - wrong) + " of " + std::to_string(calls) +
           " calls right" + (text.empty() ? "" : "; " + text);
  } catch (const Error &error) {
    wrong = calls;
    text = error.what();
  }
  report.check(what, wrong == 0, text);
}

static void checkResources(const Options &options, Report &report,
                           const BlockShape &shape) {
  const std::string what = nameOf(shape) + ", figures of the loaded module";
  if (!options.selects(what))
    return;
  try {
    const std::string problem =
        compareResources(options, variantOf(shape, true));
    report.check(what, problem.empty(), problem.empty() ? "agree" : problem);
  } catch (const Error &error) {
    report.check(what, false, error.what());
  }
}

static void checkShape(const Options &options, Report &report,
                       const BlockShape &shape) {
  if (options.onCpu()) {
    for (const std::int64_t blocks : kVirtualBlocks)
      checkGrid(options, report, shape, blocks);
    return;
  }
  checkGrid(options, report, shape, 2);
  std::int64_t fits = 0;
  try {
    fits = residencyOfVariant(options, variantOf(shape, true)).blocks;
  } catch (const Error &error) {
    report.check(nameOf(shape) + ", how many fit", false, error.what());
    return;
  }
  checkGrid(options, report, shape, fits);
  checkResources(options, report, shape);
}

/// All grids again in a process that has nothing of this one: on the same
/// compiled files, and on files compiled anew where there is a compiler.
static void checkFreshProcess(const Options &options, Report &report,
                              bool recompile) {
  const std::string what =
      std::string("a fresh process, ") +
      (recompile ? "compiled anew" : "on the same compiled files");
  // The process started here asks for the grids only, not for this.
  if (!options.selects(what))
    return;
  const std::string folder =
      options.compiled +
      (recompile ? "/fresh" + std::to_string(getpid()) : std::string());
  std::vector<std::string> words{"/proc/self/exe", "--compiled",   folder,
                                 "--source",       options.source, "--only",
                                 " blocks",        "--no-time"};
  if (recompile)
    words.insert(words.end(), {"--tlc", options.tlc});
  const int code = runProgram(words);
  if (recompile)
    std::filesystem::remove_all(folder);
  report.check(what, code == 0,
               code == 0 ? "ok" : "exit code " + std::to_string(code));
}

static void checkAll(const Options &options, Report &report) {
  for (const BlockShape &shape : blockShapes())
    checkShape(options, report, shape);
  if (options.onCpu())
    return;
  checkTooLarge(options, report);
  checkStreams(options, report);
  checkGraphs(options, report);
  checkFreshProcess(options, report, false);
  if (!options.tlc.empty() && !options.quick)
    checkFreshProcess(options, report, true);
}

/// Microseconds of one round (two barriers and a sum over the blocks), from
/// launches of few and of many.
static double timeRound(const Kernel &kernel, std::int64_t blocks) {
  constexpr std::int64_t kFew = 1, kMany = 101;
  double us[2] = {};
  for (int i = 0; i < 2; ++i) {
    DeviceOperands operands(
        clearedOperands(blocks, i == 0 ? kFew : kMany, 0, 0));
    const Plan plan = kernel.prepareArguments(operands.arguments(kernel));
    us[i] = rt::timeLaunch([&](rt::cu::Stream stream, int) {
              plan.launch(stream);
            }).medianUs;
  }
  return (us[1] - us[0]) / static_cast<double>(kMany - kFew);
}

static void timeAll(const Options &options, Report &report) {
  const BlockShape shape{32, 2, 1};
  const Variant variant = variantOf(shape, true);
  for (const std::int64_t blocks :
       {std::int64_t{2}, std::int64_t{rt::Device::get().smCount()}}) {
    const std::string what = "a round of " + std::to_string(blocks) + " blocks";
    if (options.selects(what))
      report.measure(what, timeRound(loadVariant(options, variant), blocks),
                     "us");
  }
}

int main(int argc, char **argv) {
  const Options options =
      parseOptions(argc, argv, "grid_barrier", TLC_KERNEL_SOURCE);
  try {
    if (options.compileOnly) {
      for (const BlockShape &shape : blockShapes())
        compileVariant(options, variantOf(shape, true));
      return 0;
    }
    requireDevice(options);
    Report report("grid_barrier");
    checkAll(options, report);
    if (options.time && !options.onCpu())
      timeAll(options, report);
    return report.finish(options.json);
  } catch (const Error &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return exitCode(error.code());
  }
}
