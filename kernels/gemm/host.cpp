// Checks kernels/gemm over layouts, dtypes and sizes against the float64
// reference. `tlc bench gemm` times it beside cuBLAS.
#include "kernels/gemm/Problem.h"
#include "kernels/gemm/reference.h"
#include "kernels/harness/Compare.h"
#include "kernels/harness/Options.h"
#include "kernels/harness/Report.h"
#include "kernels/harness/Variants.h"

#include <cstdio>

using namespace tlc;
using namespace tlc::kernels;

namespace {
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
} // namespace

/// TMA takes rows of a multiple of 16 bytes.
static bool rowsFitTma(const GemmProblem &p) {
  return p.shapeA()[1] % 8 == 0 && p.shapeB()[1] % 8 == 0;
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
  std::vector<Operand> operands = gemmOperands(problem, dtype, problem.n);
  try {
    runVariant(options, variant, operands);
  } catch (const Error &error) {
    report.check(what, false, error.what());
    return;
  }
  const std::vector<double> reference =
      gemmReference(problem, operands[0].tensor, operands[1].tensor);
  const Difference difference =
      compare(operands[2].tensor, reference, gemmTolerance(dtype, problem.k));
  report.check(what, difference.passed, difference.text());
}

static void checkAll(const Options &options, Report &report) {
  std::vector<Size> sizes(std::begin(kSizes), std::end(kSizes));
  if (options.quick || options.onCpu())
    sizes.assign(std::begin(kQuickSizes), std::end(kQuickSizes));
  for (const DType dtype : kTypes)
    for (const GemmLayout &layout : gemmLayouts())
      for (const Size &size : sizes) {
        const GemmProblem problem{size.m, size.n, size.k, layout.transA,
                                  layout.transB};
        if (rowsFitTma(problem))
          checkSize(options, report, gemmVariant(layout, dtype), dtype,
                    problem);
      }
}

int main(int argc, char **argv) {
  const Options options = parseOptions(argc, argv, "gemm", TLC_KERNEL_SOURCE);
  try {
    if (options.compileOnly) {
      for (const DType dtype : kTypes)
        for (const GemmLayout &layout : gemmLayouts())
          compileVariant(options, gemmVariant(layout, dtype));
      return 0;
    }
    requireDevice(options);
    Report report("gemm");
    checkAll(options, report);
    return report.finish(options.json);
  } catch (const Error &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return exitCode(error.code());
  }
}
