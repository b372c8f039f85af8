// What a host program found: lines for a person, JSON for a machine.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tlc::kernels {

class Report {
public:
  explicit Report(std::string kernel) : kernel(std::move(kernel)) {}

  /// One check: printed at once.
  void check(const std::string &what, bool passed, const std::string &text);
  /// One measured number with its unit ("TFLOP/s"), printed at once.
  void measure(const std::string &what, double value, const std::string &unit);

  int failures() const { return failed; }
  /// Prints "N passed, N failed", writes `jsonPath` unless it is empty, and
  /// returns the exit code: 0 or 1.
  int finish(const std::string &jsonPath) const;

private:
  struct Check {
    std::string what, text;
    bool passed;
  };
  struct Measure {
    std::string what, unit;
    double value;
  };
  void writeJson(const std::string &path) const;

  std::string kernel;
  std::vector<Check> checks;
  std::vector<Measure> measures;
  int failed = 0;
};

} // namespace tlc::kernels
