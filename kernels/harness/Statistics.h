// What a list of measured times comes down to.
#pragma once

#include <span>
#include <vector>

namespace tlc::kernels {

/// The value at `fraction` (0 to 1) of `values` in order, between its two
/// neighbours where it falls between them. `values` must not be empty.
double quantile(std::vector<double> values, double fraction);

/// The middle value, or the mean of the two middle ones.
double median(std::vector<double> values);

/// Times of one kernel in rounds that took turns with other kernels.
struct Summary {
  double median = 0; ///< of the medians of the rounds
  double least = 0;  ///< the smallest median of a round
  double most = 0;   ///< the largest
  /// Half of the distance between them in percent of `median`: what changes
  /// from round to round, such as the clock, and not what changes from sample
  /// to sample.
  double spreadPercent = 0;
};

/// `rounds` holds the samples of each round; none may be empty.
Summary summarize(std::span<const std::vector<double>> rounds);

} // namespace tlc::kernels
