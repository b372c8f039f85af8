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

TEST_CASE("virtual sm: the search finds a phase that passes before its waiter "
          "looks",
          "[sm]") {
  // In turn the waiter sees phase 0 complete; nothing makes it look in time.
  SmProgramText program(R"(
tile.kernel @alias params [] shapes [] symbols [] {
^bb0:
  %one = arith.constant 1 : i32
  sm.launch grid(%one) threads 64 program [64, 1, 1] shared 8 {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %b = sm.mbarrier "b" offset 0 stages 1 count 32
    sm.elect {
      sm.mbarrier_init %b
    }
    sm.bar_sync 0 threads 64
    sm.role "waits" warps [0, 1] {
      sm.mbarrier_wait %b[%c0] parity %c0
    }
    sm.role "arrives" warps [1, 1] {
      sm.mbarrier_arrive %b[%c0]
      sm.mbarrier_arrive %b[%c0]
    }
  }
})");
  SmResult once = runSm(program.kernel(), {}, scheduled(SmSchedule::Canonical));
  INFO(texts(once));
  CHECK(once.status == SmStatus::Clean);
  SmResult all = runSm(program.kernel(), {}, scheduled(SmSchedule::Exhaustive));
  INFO(texts(all));
  REQUIRE(all.reports.size() == 1);
  CHECK(all.reports.front().text.find("has passed by") != std::string::npos);
}

TEST_CASE("virtual sm: a block whose last warp is not whole", "[sm]") {
  SmProgramText program(R"(
tile.kernel @part params ["y"] shapes [affine_map<() -> (64)>] symbols [] {
^bb0(%y: memref<64xi32, $global>):
  %one = arith.constant 1 : i32
  sm.launch grid(%one) threads 40 program [40, 1, 1] shared 0 {
  ^bb0(%bx: i32):
    %x = tile.thread_id #tile.dim<x>
    tile.store %x to %y[%x] : i32, memref<64xi32, $global>
    sm.bar_sync 0 threads 64
  }
})");
  std::vector<int32_t> y(64, -1);
  TensorArg arg;
  arg.data = y.data();
  arg.shape = {64};
  SmResult result =
      runSm(program.kernel(), {arg}, scheduled(SmSchedule::Canonical));
  INFO(texts(result));
  CHECK(result.status == SmStatus::Clean);
  for (int i = 0; i < 64; ++i)
    CHECK(y[i] == (i < 40 ? i : -1));
}
