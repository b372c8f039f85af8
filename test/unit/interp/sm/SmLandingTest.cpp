// A bulk copy lands in pieces: who reads a slot too soon sees some of its
// 16-byte chunks new and some as they were; who waits sees all of them new.
#include "test/unit/interp/sm/SmTestSupport.h"

#include "compiler/interp/TileInterpElement.h"

#include <cmath>
#include <set>

using namespace tlc;
using namespace tlc::test;
using namespace tlc::interp;

namespace {
constexpr int64_t kTurns = 5, kTile = 128 * 32;
/// Elements of 16 bytes, which land together.
constexpr int64_t kChunk = 8;

/// One slot, filled turn by turn; the consumer reads it after `wait` and stores
/// what it has read.
std::string programOf(const std::string &wait, int bytes = 8192) {
  std::string text = R"(
#map = affine_map<() -> (5, 128, 32)>
#layout = #tile.fragment_layout<"regs=[32:(0,1)] threads=[128:(1,0)] shape=128x32">
!g = memref<5x128x32xbf16, $global>
!o = memref<5x128x32xf32, $global>
!t = memref<128x32xbf16, $shared>
!f = memref<128x32xf32, $fragment>
tile.kernel @landing params ["h", "out"] shapes [#map, #map] symbols [] {
^bb0(%h: !g, %out: !o):
  %one = arith.constant 1 : i32
  sm.launch grid(%one) threads 160 program [128, 1, 1] shared 8208 {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %n = arith.constant 5 : i32
    %hs = sm.shared "h_s" offset 0 stages 1 slot_bytes 8192 : !t
    %full = sm.mbarrier "full" offset 8192 stages 1 count 1
    %empty = sm.mbarrier "empty" offset 8200 stages 1 count 128
    sm.elect {
      sm.mbarrier_init %full
      sm.mbarrier_init %empty
      sm.fence_mbarrier_init
    }
    sm.bar_sync 0 threads 160
    sm.role "consumer" warps [0, 4] {
      %uses = sm.counter "uses" depth 1
      %f = tile.alloc "f" layout #layout : !f
      scf.for %i = %c0 to %n step %one : i32 {
        %s = sm.counter_stage %uses
        %p = sm.counter_phase %uses
        WAIT_FIRST
        %slot = sm.slot %hs[%s] : !t
        tile.copy %slot[%c0, %c0] [128, 32] to %f[%c0, %c0] [128, 32]
          inst #tile.copy_inst<vector> layout #layout : !t, !f
        WAIT_LAST
        sm.fence_proxy_async
        sm.mbarrier_arrive %empty[%s]
        tile.copy %f[%c0, %c0] [128, 32] to %out[%i, %c0, %c0] [1, 128, 32]
          inst #tile.copy_inst<vector> layout #layout : !f, !o
        sm.counter_advance %uses
      }
    }
    sm.role "producer" warps [4, 1] {
      %fills = sm.counter "fills" depth 1
      sm.elect {
        scf.for %i = %c0 to %n step %one : i32 {
          %s = sm.counter_stage %fills
          %p = sm.counter_phase %fills
          sm.mbarrier_wait %empty[%s] parity %p invert
          %slot = sm.slot %hs[%s] : !t
          sm.mbarrier_arrive_expect_tx %full[%s] bytes BYTES
          sm.bulk_load %h[%i, %c0, %c0] [1, 128, 32] to %slot
            completes %full[%s] : !g, !t
          sm.counter_advance %fills
        }
      }
    }
  }
})";
  auto put = [&](const std::string &key, const std::string &value) {
    text.replace(text.find(key), key.size(), value);
  };
  std::string waiting = "sm.mbarrier_wait %full[%s] parity %p";
  put("WAIT_FIRST", wait == "before" ? waiting : "");
  put("WAIT_LAST", wait == "after" ? waiting : "");
  put("BYTES", std::to_string(bytes));
  return text;
}

struct Run {
  SmResult result;
  std::vector<float> out;
};

/// The h of turn t is t + 1 everywhere.
Run run(const std::string &text, SmSchedule schedule, uint64_t seed = 1) {
  SmProgramText program(text);
  std::vector<uint16_t> h;
  for (int64_t i = 0; i < kTurns * kTile; ++i)
    h.push_back(floatToBf16(float(1 + i / kTile)));
  Run run;
  run.out.assign(kTurns * kTile, -1);
  TensorArg args[2];
  args[0].data = h.data();
  args[1].data = run.out.data();
  args[0].shape = args[1].shape = {kTurns, 128, 32};
  run.result =
      runSm(program.kernel(), {args[0], args[1]}, scheduled(schedule, seed));
  return run;
}

/// The values that a turn has stored; NaN as -1. Chunks must be whole.
std::set<float> valuesOf(const Run &run, int64_t turn) {
  std::set<float> values;
  for (int64_t i = 0; i < kTile; i += kChunk) {
    const float *chunk = &run.out[turn * kTile + i];
    for (int64_t j = 1; j < kChunk; ++j)
      if (!std::isnan(chunk[0]) && chunk[j] != chunk[0])
        FAIL("a chunk of turn " << turn << " is torn");
    values.insert(std::isnan(chunk[0]) ? -1 : chunk[0]);
  }
  return values;
}
} // namespace

TEST_CASE("virtual sm: who waits for a copy sees all of its pieces", "[sm]") {
  std::string text = programOf("before");
  for (auto schedule : {SmSchedule::Canonical, SmSchedule::AdversarialEarly,
                        SmSchedule::AdversarialLate, SmSchedule::Seeded})
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      Run one = run(text, schedule, seed);
      INFO(spelling(schedule).str() << ", seed " << seed << "\n"
                                    << texts(one.result));
      CHECK(one.result.status == SmStatus::Clean);
      for (int64_t turn = 0; turn < kTurns; ++turn)
        CHECK(valuesOf(one, turn) == std::set<float>{float(turn + 1)});
    }
}

TEST_CASE("virtual sm: late, a read before the wait sees a part of the copy "
          "and poison",
          "[sm]") {
  // Loads that lag get what comes until the wait: the fence is behind it.
  Run one = run(programOf(""), SmSchedule::AdversarialLate);
  INFO(texts(one.result));
  CHECK(count(one.result, SmProblem::Race) >= 1);
  bool isMixed = false;
  for (int64_t turn = 0; turn < kTurns; ++turn) {
    std::set<float> values = valuesOf(one, turn);
    isMixed |= values.size() == 2 && values.contains(-1);
  }
  CHECK(isMixed);
}

TEST_CASE("virtual sm: reads come between the pieces of a copy", "[sm]") {
  std::string text = programOf("");
  std::set<std::set<float>> seen;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    Run one = run(text, SmSchedule::Seeded, seed);
    INFO("seed " << seed << "\n" << texts(one.result));
    CHECK(count(one.result, SmProblem::Race) >= 1);
    for (int64_t turn = 0; turn < kTurns; ++turn)
      seen.insert(valuesOf(one, turn));
  }
  auto hasMix = [&](float a, float b) { return seen.contains({a, b}); };
  // Chunks of what was there before and of what is landing.
  CHECK(hasMix(-1, 1));
  CHECK(hasMix(1, 2));
}

TEST_CASE("virtual sm: a phase that completes between the pieces of a copy is "
          "reported",
          "[sm]") {
  std::string text = programOf("before", 4096);
  for (auto schedule : {SmSchedule::Canonical, SmSchedule::AdversarialEarly,
                        SmSchedule::AdversarialLate, SmSchedule::Seeded,
                        SmSchedule::Exhaustive}) {
    Run one = run(text, schedule, 3);
    INFO(spelling(schedule).str() << "\n" << texts(one.result));
    REQUIRE(one.result.reports.size() == 1);
    CHECK(one.result.reports.front().kind == SmProblem::Barrier);
    CHECK(one.result.reports.front().text.find(
              "4096 bytes less than its copies bring") != std::string::npos);
  }
}
