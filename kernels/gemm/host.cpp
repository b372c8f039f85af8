// Checks kernels/gemm over layouts, dtypes and sizes against the float64
// reference, and times it beside cuBLAS.
#include "kernels/gemm/Cublas.h"
#include "kernels/gemm/reference.h"
#include "kernels/harness/Compare.h"
#include "kernels/harness/Options.h"
#include "kernels/harness/Report.h"
#include "kernels/harness/Variants.h"
#include "runtime/core/Timing.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace tlc;
using namespace tlc::kernels;

namespace {
struct Layout {
  const char *name;
  bool transA, transB;
};
constexpr Layout kLayouts[] = {{"nn", false, false},
                               {"nt", false, true},
                               {"tn", true, false},
                               {"tt", true, true}};
constexpr DType kTypes[] = {DType::BFloat16, DType::Float16};

struct Size {
  std::int64_t m, n, k;
};
/// On the tile, smaller than a tile, off the tile in one dimension and in all,
/// one K step, many. The last two have odd row counts, which only layouts whose
/// row lengths are other sizes can take.
constexpr Size kSizes[] = {{128, 128, 64},    {256, 384, 512}, {136, 264, 72},
                           {1000, 1416, 776}, {8, 520, 1096},  {264, 8, 8},
                           {257, 264, 200},   {257, 251, 72}};
constexpr Size kQuickSizes[] = {{128, 128, 64}, {136, 264, 72}};
constexpr Size kTimedSizes[] = {{4096, 4096, 4096}, {8192, 8192, 8192}};
} // namespace

/// TMA takes rows of a multiple of 16 bytes.
static bool rowsFitTma(const GemmProblem &p) {
  return p.shapeA()[1] % 8 == 0 && p.shapeB()[1] % 8 == 0;
}

static Variant variantOf(const Layout &layout, DType dtype) {
  const bool half = dtype == DType::Float16;
  return {std::string("gemm_") + layout.name + (half ? "_fp16" : "_bf16"),
          {std::string("dtype=") + (half ? "float16" : "bfloat16"),
           std::string("trans_A=") + (layout.transA ? "True" : "False"),
           std::string("trans_B=") + (layout.transB ? "True" : "False")}};
}

static std::vector<Operand> makeOperands(const GemmProblem &problem,
                                         DType dtype, std::uint64_t seed) {
  std::vector<Operand> operands{
      {"A", rt::HostTensor(dtype, problem.shapeA())},
      {"B", rt::HostTensor(dtype, problem.shapeB())},
      {"C", rt::HostTensor(dtype, problem.shapeC()), true}};
  rt::fillRandom(operands[0].tensor, seed);
  rt::fillRandom(operands[1].tensor, seed + 1);
  return operands;
}

/// A rounded result is off by half a unit in the last place; the float32 sum
/// before it may move it by one more near a tie, and by its own error near 0.
static Tolerance toleranceOf(DType dtype, std::int64_t k) {
  const double unit = dtype == DType::Float16 ? 0x1p-10 : 0x1p-7;
  const double sum = 0x1p-22 * std::sqrt(static_cast<double>(k)) * 16;
  return {.absolute = sum + unit * 1e-2,
          .relative = unit,
          .norm = unit * 0.35 + 1e-6};
}

static std::string describe(const Variant &variant, const Size &size) {
  char text[96];
  std::snprintf(text, sizeof text, "%s %lldx%lldx%lld", variant.name.c_str(),
                static_cast<long long>(size.m), static_cast<long long>(size.n),
                static_cast<long long>(size.k));
  return text;
}

static void checkSize(const Options &options, Report &report,
                      const Variant &variant, DType dtype,
                      const GemmProblem &problem) {
  const std::string what = describe(variant, {problem.m, problem.n, problem.k});
  if (!options.selects(what))
    return;
  std::vector<Operand> operands = makeOperands(problem, dtype, problem.n);
  try {
    runVariant(options, variant, operands);
  } catch (const Error &error) {
    report.check(what, false, error.what());
    return;
  }
  const std::vector<double> reference =
      gemmReference(problem, operands[0].tensor, operands[1].tensor);
  const Difference difference =
      compare(operands[2].tensor, reference, toleranceOf(dtype, problem.k));
  report.check(what, difference.passed, difference.text());
}

static void checkAll(const Options &options, Report &report) {
  std::vector<Size> sizes(std::begin(kSizes), std::end(kSizes));
  if (options.quick || options.onCpu())
    sizes.assign(std::begin(kQuickSizes), std::end(kQuickSizes));
  for (const DType dtype : kTypes)
    for (const Layout &layout : kLayouts)
      for (const Size &size : sizes) {
        const GemmProblem problem{size.m, size.n, size.k, layout.transA,
                                  layout.transB};
        if (rowsFitTma(problem))
          checkSize(options, report, variantOf(layout, dtype), dtype, problem);
      }
}

/// Compares elements spread over the result with the reference.
static Difference sample(const GemmProblem &problem, DType dtype,
                         const std::vector<Operand> &operands) {
  constexpr std::int64_t kSamples = 4096;
  rt::HostTensor taken(dtype, {kSamples});
  std::vector<double> reference;
  for (std::int64_t s = 0; s < kSamples; ++s) {
    // Steps of two primes visit every row and column offset of a tile.
    const std::int64_t i = (s * 7919) % problem.m, j = (s * 104729) % problem.n;
    taken.set(s, operands[2].tensor.get(i * problem.n + j));
    reference.push_back(
        gemmElement(problem, operands[0].tensor, operands[1].tensor, i, j));
  }
  return compare(taken, reference, toleranceOf(dtype, problem.k));
}

static double teraflops(const GemmProblem &p, double microseconds) {
  return 2.0 * static_cast<double>(p.m) * static_cast<double>(p.n) *
         static_cast<double>(p.k) / microseconds / 1e6;
}

static void timeSize(const Options &options, Report &report,
                     const Cublas *cublas, const Layout &layout,
                     const Size &size) {
  const GemmProblem problem{size.m, size.n, size.k, layout.transA,
                            layout.transB};
  const DType dtype = DType::BFloat16;
  const Variant variant = variantOf(layout, dtype);
  const std::string what = describe(variant, size);
  const Kernel kernel = loadVariant(options, variant);
  std::vector<Operand> operands = makeOperands(problem, dtype, 7);
  poison(operands[2].tensor);
  DeviceOperands device(operands);
  const Plan plan = kernel.prepareArguments(device.arguments(kernel));

  const rt::TimingOptions timing{.method = rt::TimingMethod::Events,
                                 .warmups = 5,
                                 .samples = 15,
                                 .launchesPerSample = 10};
  const auto ours = rt::timeLaunch(
      [&](rt::cu::Stream stream, int) { plan.launch(stream); }, timing);
  operands[2].tensor = device["C"].download();
  const Difference difference = sample(problem, dtype, operands);
  report.check(what + " (sampled)", difference.passed, difference.text());
  report.measure(what, teraflops(problem, ours.medianUs), "TFLOP/s");
  if (cublas == nullptr)
    return;

  const auto theirs = rt::timeLaunch(
      [&](rt::cu::Stream stream, int) {
        cublas->gemm(problem, device["A"].view(), device["B"].view(),
                     device["C"].view(), stream);
      },
      timing);
  report.measure(what + " cuBLAS", teraflops(problem, theirs.medianUs),
                 "TFLOP/s");
  report.measure(what + " ratio", theirs.medianUs / ours.medianUs, "x cuBLAS");
}

static void timeAll(const Options &options, Report &report) {
  rt::Device::get().makeCurrent();
  std::string why;
  const std::unique_ptr<Cublas> cublas = Cublas::open(why);
  if (!cublas)
    std::printf("       cuBLAS is not timed: %s\n", why.c_str());
  for (const Size &size : kTimedSizes)
    for (const Layout &layout : {kLayouts[0], kLayouts[1]}) {
      const std::string what =
          describe(variantOf(layout, DType::BFloat16), size);
      if (!options.selects(what))
        continue;
      try {
        timeSize(options, report, cublas.get(), layout, size);
      } catch (const Error &error) {
        report.check(what, false, error.what());
      }
    }
}

int main(int argc, char **argv) {
  const Options options = parseOptions(argc, argv, "gemm", TLC_KERNEL_SOURCE);
  try {
    if (options.compileOnly) {
      for (const DType dtype : kTypes)
        for (const Layout &layout : kLayouts)
          compileVariant(options, variantOf(layout, dtype));
      return 0;
    }
    requireDevice(options);
    Report report("gemm");
    checkAll(options, report);
    if (options.time && !options.onCpu())
      timeAll(options, report);
    return report.finish(options.json);
  } catch (const Error &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return exitCode(error.code());
  }
}
