// The launches of the test: defects back to back on warm buffers, derived forms
// among other kernels and on two streams at once; and the long comparison of
// the two sides of the fence.
#pragma once

#include "kernels/harness/Report.h"
#include "test/exec/war_race/Evidence.h"
#include "test/exec/war_race/Launches.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tlc::test {

struct RaceOptions {
  std::string compiled;  ///< folder that war_race_variants filled
  std::string json;      ///< where the checks go as JSON; empty: nowhere
  std::string only;      ///< part of the names of the paths to run
  std::string structure; ///< the one to run; empty: all
  std::vector<std::string> releases;  ///< those to run; empty: all
  std::int64_t defectLaunches = 160;  ///< a form, shape and pattern of flags
  std::int64_t exactLaunches = 10000; ///< a derived form and path
  std::uint64_t soak = 0;             ///< launches a side and path; 0: no soak
  double seconds = 1e9;               ///< that the soak may take

  bool selectsPath(const std::string &path) const {
    return path.find(only) != std::string::npos;
  }
  bool selects(const std::string &form, const std::string &release) const;
};

inline constexpr kernels::Mask kMasks[] = {
    kernels::Mask::Off, kernels::Mask::On, kernels::Mask::Mixed};

/// Where the next generation of h is in the output of these forms.
NextGeneration generationOf(const Forms &forms,
                            const kernels::StateProblem &problem,
                            const std::string &structure);

/// Compares outputs with known errors: the judge is judged first.
void checkComparison(kernels::Report &report);

/// Launches every form that is selected. `report` gets a check for each right
/// output against the float64 reference, where that takes no time.
void collectEvidence(const RaceOptions &options, Forms &forms,
                     Evidence &evidence, kernels::Report &report);

/// Compares "proxy" with "proxy-producer" for options.soak launches or
/// options.seconds; prints failures, times and the decision.
void soak(const RaceOptions &options, Forms &forms, kernels::Report &report);

} // namespace tlc::test
