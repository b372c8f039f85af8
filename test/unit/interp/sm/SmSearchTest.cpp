// The search over all schedules: silent on correct programs, complete for
// short ones.
#include "test/unit/interp/sm/SmTestSupport.h"

using namespace tlc;
using namespace tlc::test;
using namespace tlc::interp;

TEST_CASE("virtual sm: no schedule of a correct program has anything to report",
          "[sm]") {
  for (const char *file : {"state-kv", "state-vk"}) {
    SmProgramText program = SmProgramText::fromFile(file);
    for (std::vector<bool> flags :
         {std::vector<bool>{}, {true}, {true, false, true}}) {
      StateData data(std::string(file) == "state-vk", flags);
      SmOptions options = scheduled(SmSchedule::Exhaustive);
      options.maxStates = 2000;
      SmResult result = runSm(program.kernel(), data.args(), options);
      INFO(file << ", " << flags.size() << " turns, " << result.stats.states
                << " states, " << result.stats.schedules << " schedules\n"
                << texts(result));
      CHECK(result.status == SmStatus::Clean);
      if (flags.size() <= 1)
        CHECK(result.stats.complete);
    }
  }
}
