// Order statistics.
#include "kernels/harness/Statistics.h"

#include <algorithm>
#include <cstddef>

namespace tlc::kernels {

double quantile(std::vector<double> values, double fraction) {
  std::ranges::sort(values);
  const double place = fraction * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  const double weight = place - static_cast<double>(below);
  return values[below] * (1 - weight) + values[above] * weight;
}

double median(std::vector<double> values) {
  return quantile(std::move(values), 0.5);
}

Summary summarize(std::span<const std::vector<double>> rounds) {
  std::vector<double> medians;
  for (const std::vector<double> &samples : rounds)
    medians.push_back(median(samples));
  Summary summary;
  summary.median = median(medians);
  summary.least = std::ranges::min(medians);
  summary.most = std::ranges::max(medians);
  if (summary.median > 0)
    summary.spreadPercent =
        50 * (summary.most - summary.least) / summary.median;
  return summary;
}

} // namespace tlc::kernels
