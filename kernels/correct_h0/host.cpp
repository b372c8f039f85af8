// Checks kernels/correct_h0 in its 24 variants over sequence shapes and masks
// against the float64 reference, launches each case many times back to back and
// compares the bits. `tlc bench correct_h0` times it.
#include "kernels/correct_h0/Problem.h"
#include "kernels/harness/Compare.h"
#include "kernels/harness/Options.h"
#include "kernels/harness/Report.h"
#include "kernels/harness/Variants.h"
#include "runtime/core/Stream.h"

#include <cstdio>
#include <cstring>
#include <deque>

using namespace tlc;
using namespace tlc::kernels;

namespace {
constexpr Mask kMasks[] = {Mask::On, Mask::Off, Mask::Mixed};

/// Segments of each sequence: long; one segment and uneven; empty between;
/// nothing but one segment; sequences of nothing; no sequence.
const std::vector<std::int64_t> kShapes[] = {{16}, {3, 1, 5, 2}, {4, 0, 1, 7},
                                             {1},  {0, 0},       {}};
const std::vector<std::int64_t> kQuickShapes[] = {{3, 1}, {4, 0, 2}, {0}, {}};

constexpr std::int64_t kHeads = 4, kQuickHeads = 1;
/// Outputs of launches in flight at once: a race needs warm, busy neighbours.
constexpr int kBatch = 8;
} // namespace

static std::string describe(const StateProblem &problem, Mask mask) {
  std::string text = variantOf(problem).name.substr(sizeof "correct_h0_" - 1);
  text += " [";
  for (std::size_t i = 0; i < problem.lengths.size(); ++i)
    text += (i == 0 ? "" : ",") + std::to_string(problem.lengths[i]);
  return text + "] mask " + nameOf(mask);
}

/// How many of `launches` launches give other bits than `expected`.
static int soak(const Options &options, const StateProblem &problem,
                const std::vector<Operand> &operands,
                const rt::HostTensor &expected) {
  const Kernel kernel = loadVariant(options, variantOf(problem));
  rt::HostTensor poisoned(expected.dtype(), expected.shape());
  poison(poisoned);

  DeviceOperands inputs(operands);
  std::deque<rt::DeviceTensor> outputs;
  std::vector<Plan> plans;
  for (int i = 0; i < kBatch; ++i) {
    outputs.emplace_back(poisoned);
    std::vector<Argument> arguments = inputs.arguments(kernel);
    arguments.back() = outputs.back().view(); // cp_h0 is the last parameter
    plans.push_back(kernel.prepareArguments(arguments));
  }

  int bad = 0;
  for (int done = 0; done < options.launches; done += kBatch) {
    const int count = std::min(kBatch, options.launches - done);
    for (int i = 0; i < count; ++i)
      outputs[i].upload(poisoned);
    for (int i = 0; i < count; ++i)
      plans[i].launch();
    rt::synchronizeDevice();
    for (int i = 0; i < count; ++i) {
      const rt::HostTensor result = outputs[i].download();
      bad += std::memcmp(result.bytes().data(), expected.bytes().data(),
                         expected.bytes().size()) == 0
                 ? 0
                 : 1;
    }
  }
  return bad;
}

static void checkCase(const Options &options, Report &report,
                      const StateProblem &problem, Mask mask) {
  const std::string what = describe(problem, mask);
  if (!options.selects(what))
    return;
  try {
    const StateInputs inputs = makeInputs(problem, mask, 11);
    std::vector<Operand> operands = makeOperands(problem, inputs);
    runVariant(options, variantOf(problem), operands);
    const rt::HostTensor &result = operands.back().tensor;
    const Difference difference =
        compare(result, stateReference(problem, inputs), toleranceOf(problem));
    std::string text = difference.text();
    int bad = 0;
    if (difference.passed && !options.onCpu()) {
      bad = soak(options, problem, operands, result);
      text += ", " + std::to_string(bad) + " of " +
              std::to_string(options.launches) + " launches differ";
    }
    report.check(what, difference.passed && bad == 0, text);
  } catch (const Error &error) {
    report.check(what, false, error.what());
  }
}

static void checkAll(const Options &options, Report &report) {
  const bool quick = options.quick || options.onCpu();
  const std::span<const std::vector<std::int64_t>> shapes =
      quick ? std::span<const std::vector<std::int64_t>>(kQuickShapes)
            : std::span<const std::vector<std::int64_t>>(kShapes);
  for (StateProblem problem : allVariants(quick ? kQuickHeads : kHeads))
    for (const auto &lengths : shapes)
      for (const Mask mask : kMasks) {
        problem.lengths = lengths;
        checkCase(options, report, problem, mask);
      }
}

int main(int argc, char **argv) {
  const Options options =
      parseOptions(argc, argv, "correct_h0", TLC_KERNEL_SOURCE);
  try {
    if (options.compileOnly) {
      for (const StateProblem &problem : allVariants(kHeads))
        compileVariant(options, variantOf(problem));
      return 0;
    }
    requireDevice(options);
    Report report("correct_h0");
    checkAll(options, report);
    return report.finish(options.json);
  } catch (const Error &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return exitCode(error.code());
  }
}
