// Element-wise and norm-wise comparison.
#include "kernels/harness/Compare.h"

#include <cmath>
#include <cstdio>
#include <cstring>

namespace tlc::kernels {

namespace {
/// Sums over a tensor, kept apart from the verdict.
struct Norms {
  double error = 0;
  double reference = 0;
};
} // namespace

static void note(Difference &difference, std::int64_t index, double ratio,
                 double got, double want) {
  difference.worst = ratio;
  difference.where = index;
  difference.got = got;
  difference.want = want;
}

static void compareElement(Difference &difference, Norms &norms,
                           std::int64_t index, double got, double want,
                           const Tolerance &tolerance) {
  if (std::isnan(want)) {
    if (std::isnan(got))
      return;
    ++difference.wrong;
    note(difference, index, INFINITY, got, want);
    return;
  }
  const double error = std::abs(got - want);
  const double allowed =
      tolerance.absolute + tolerance.relative * std::abs(want);
  // A NaN result compares false with everything.
  const double ratio = error <= allowed    ? error / allowed
                       : std::isnan(error) ? INFINITY
                                           : error / allowed;
  if (!(error <= allowed))
    ++difference.wrong;
  if (ratio > difference.worst)
    note(difference, index, ratio, got, want);
  norms.error += error * error;
  norms.reference += want * want;
}

Difference compare(const rt::HostTensor &result,
                   std::span<const double> reference,
                   const Tolerance &tolerance) {
  Difference difference;
  Norms norms;
  const auto count = static_cast<std::int64_t>(reference.size());
  if (result.elements() != count) {
    difference.passed = false;
    difference.wrong = result.elements();
    return difference;
  }
  for (std::int64_t i = 0; i < count; ++i)
    compareElement(difference, norms, i, result.get(i), reference[i],
                   tolerance);
  difference.norm = norms.reference > 0
                        ? std::sqrt(norms.error / norms.reference)
                        : std::sqrt(norms.error);
  difference.passed =
      difference.wrong == 0 && difference.norm <= tolerance.norm;
  return difference;
}

std::string Difference::text() const {
  char buffer[128];
  if (passed)
    std::snprintf(buffer, sizeof buffer, "ok %.1e", norm);
  else if (wrong > 0)
    std::snprintf(buffer, sizeof buffer, "%lld wrong, [%lld]=%.5g want %.5g",
                  static_cast<long long>(wrong), static_cast<long long>(where),
                  got, want);
  else
    std::snprintf(buffer, sizeof buffer, "error %.1e too large", norm);
  return buffer;
}

void poison(rt::HostTensor &tensor) {
  const auto bytes = tensor.bytes();
  if (!bytes.empty())
    std::memset(bytes.data(), 0xff, bytes.size());
}

} // namespace tlc::kernels
