#include "tools/tlc/Timing.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

namespace tlc::cli {

void StepTimes::end() {
  if (running != kNone)
    steps[running].ms +=
        std::chrono::duration<double, std::milli>(Clock::now() - since).count();
  running = kNone;
}

void StepTimes::begin(llvm::StringRef name) {
  end();
  auto known =
      llvm::find_if(steps, [&](const Step &step) { return step.name == name; });
  running = known - steps.begin();
  if (known == steps.end())
    steps.push_back({name.str()});
  since = Clock::now();
}

void StepTimes::print(llvm::raw_ostream &os) const {
  double total = 0;
  for (const Step &step : steps)
    total += step.ms;
  auto line = [&](llvm::StringRef name, double ms) {
    os << llvm::left_justify(name, 22)
       << llvm::format("%9.2f ms  %5.1f %%\n", ms,
                       total > 0 ? 100 * ms / total : 0.0);
  };
  for (const Step &step : steps)
    line(step.name, step.ms);
  line("all", total);
}

} // namespace tlc::cli
