// What the steps of a compilation took: `tlc compile --timing`.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <string>
#include <vector>

namespace tlc::cli {

/// Adds up times by the name of the step, in the order in which they began.
class StepTimes {
public:
  /// Ends the step that runs and begins `step`; one of that name goes on.
  void begin(llvm::StringRef step);
  void end();
  /// One line a step: milliseconds and share of the whole.
  void print(llvm::raw_ostream &os) const;

private:
  using Clock = std::chrono::steady_clock;
  struct Step {
    std::string name;
    double ms = 0;
  };

  std::vector<Step> steps;
  std::size_t running = kNone;
  Clock::time_point since;

  static constexpr std::size_t kNone = ~std::size_t(0);
};

} // namespace tlc::cli
