// A ring of two tiles on one pair of barriers, filled by a loop that begins at
// one inside of a loop around it: counts go on from round to round, stages do
// not follow the loop variable, and bytes and releases are those of both tiles.
#include "test/unit/interp/sm/SmTestSupport.h"

#include "compiler/interp/TileInterpElement.h"

#include <cmath>

using namespace tlc;
using namespace tlc::test;
using namespace tlc::interp;

namespace {
constexpr int64_t kTurns = 3, kRounds = 3, kTile = 32 * 32;

/// What can be wrong; the defaults are right.
struct Ring {
  const char *counterOutside = R"(%uses = sm.counter "uses" depth 2)";
  const char *counterInside = "";
  const char *useStage = "%s = sm.counter_stage %uses";
  const char *usePhase = "%p = sm.counter_phase %uses";
  int bytes = 4096; ///< of both tiles
  const char *secondLoad = R"(
              sm.bulk_load %b[%k, %c0, %c0] [1, 32, 32] to %bslot
                completes %full[%fs] : !g, !t
)";
  const char *releaseFirst = "", *releaseLast = R"(
            sm.fence_proxy_async
            sm.mbarrier_arrive %empty[%s]
)";
};

std::string programOf(const Ring &ring) {
  std::string text = R"(
#map = affine_map<() -> (3, 32, 32)>
#layout = #tile.fragment_layout<"regs=[16:(0,1)] threads=[32:(1,0) 2:(0,16)] shape=32x32">
!g = memref<3x32x32xbf16, $global>
!o = memref<3x32x32xf32, $global>
!t = memref<32x32xbf16, $shared>
!f = memref<32x32xf32, $fragment>
tile.kernel @rounds params ["a", "b", "out"] shapes [#map, #map, #map]
    symbols [] {
^bb0(%a: !g, %b: !g, %out: !o):
  %one = arith.constant 1 : i32
  sm.launch grid(%one) threads 96 program [64, 1, 1] shared 8224 {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %c2 = arith.constant 2 : i32
    %rounds = arith.constant 3 : i32
    %end = arith.constant 4 : i32
    %as = sm.shared "a_s" offset 0 stages 2 slot_bytes 2048 : !t
    %bs = sm.shared "b_s" offset 4096 stages 2 slot_bytes 2048 : !t
    %full = sm.mbarrier "full" offset 8192 stages 2 count 1
    %empty = sm.mbarrier "empty" offset 8208 stages 2 count 64
    sm.elect {
      sm.mbarrier_init %full
      sm.mbarrier_init %empty
      sm.fence_mbarrier_init
    }
    sm.bar_sync 0 threads 96
    sm.role "consumer" warps [0, 2] {
      %f = tile.alloc "f" layout #layout : !f
      %z = arith.constant 0.0 : f32
      tile.fill %z to %f[%c0, %c0] [32, 32] layout #layout : f32, !f
      COUNTER_OUTSIDE
      scf.for %r = %c0 to %rounds step %one : i32 {
        COUNTER_INSIDE
        scf.for %i = %one to %end step %one : i32 {
          USE_STAGE
          USE_PHASE
          sm.mbarrier_wait %full[%s] parity %p
          %aslot = sm.slot %as[%s] : !t
          %bslot = sm.slot %bs[%s] : !t
          tile.parallel [32, 32] layout #layout {
          ^bb0(%x: i32, %y: i32):
            %v = tile.load %aslot[%x, %y] : !t -> bf16
            %w = arith.extf %v : bf16 to f32
            %old = tile.load %f[%x, %y] : !f -> f32
            %new = arith.addf %old, %w : f32
            tile.store %new to %f[%x, %y] : f32, !f
          }
          RELEASE_FIRST
          tile.parallel [32, 32] layout #layout {
          ^bb0(%x: i32, %y: i32):
            %v = tile.load %bslot[%x, %y] : !t -> bf16
            %w = arith.extf %v : bf16 to f32
            %old = tile.load %f[%x, %y] : !f -> f32
            %new = arith.subf %old, %w : f32
            tile.store %new to %f[%x, %y] : f32, !f
          }
          RELEASE_LAST
          sm.counter_advance %uses
        }
        tile.copy %f[%c0, %c0] [32, 32] to %out[%r, %c0, %c0] [1, 32, 32]
          inst #tile.copy_inst<vector> layout #layout : !f, !o
      }
    }
    sm.role "producer" warps [2, 1] {
      %fills = sm.counter "fills" depth 2
      sm.elect {
        scf.for %r = %c0 to %rounds step %one : i32 {
          scf.for %i = %one to %end step %one : i32 {
            %fs = sm.counter_stage %fills
            %fp = sm.counter_phase %fills
            sm.mbarrier_wait %empty[%fs] parity %fp invert
            %aslot = sm.slot %as[%fs] : !t
            %bslot = sm.slot %bs[%fs] : !t
            %k = arith.subi %i, %one : i32
            sm.mbarrier_arrive_expect_tx %full[%fs] bytes BYTES
            sm.bulk_load %a[%k, %c0, %c0] [1, 32, 32] to %aslot
              completes %full[%fs] : !g, !t
            SECOND_LOAD
            sm.counter_advance %fills
          }
        }
      }
    }
  }
})";
  auto put = [&](const std::string &key, const std::string &value) {
    text.replace(text.find(key), key.size(), value);
  };
  put("COUNTER_OUTSIDE", ring.counterOutside);
  put("COUNTER_INSIDE", ring.counterInside);
  put("USE_STAGE", ring.useStage);
  put("USE_PHASE", ring.usePhase);
  put("RELEASE_FIRST", ring.releaseFirst);
  put("RELEASE_LAST", ring.releaseLast);
  put("BYTES", std::to_string(ring.bytes));
  put("SECOND_LOAD", ring.secondLoad);
  return text;
}

struct Run {
  SmResult result;
  std::vector<float> out;
};

/// a of turn t is 10 (t + 1) everywhere, b is t.
Run run(const Ring &ring, SmSchedule schedule, uint64_t seed = 3) {
  SmProgramText program(programOf(ring));
  std::vector<uint16_t> a, b;
  for (int64_t i = 0; i < kTurns * kTile; ++i) {
    a.push_back(floatToBf16(float(10 * (i / kTile + 1))));
    b.push_back(floatToBf16(float(i / kTile)));
  }
  Run run;
  run.out.assign(kRounds * kTile, -1);
  TensorArg args[3];
  args[0].data = a.data();
  args[1].data = b.data();
  args[2].data = run.out.data();
  for (TensorArg &arg : args)
    arg.shape = {kTurns, 32, 32};
  run.result = runSm(program.kernel(), {args[0], args[1], args[2]},
                     scheduled(schedule, seed));
  return run;
}

constexpr SmSchedule kSchedules[] = {
    SmSchedule::Canonical, SmSchedule::AdversarialEarly,
    SmSchedule::AdversarialLate, SmSchedule::Seeded, SmSchedule::Exhaustive};

/// Every schedule reports it, as one of these kinds.
void expectReport(const char *what, const Ring &ring,
                  std::initializer_list<SmProblem> kinds) {
  for (SmSchedule schedule : kSchedules) {
    Run one = run(ring, schedule);
    INFO(what << ", " << spelling(schedule).str() << "\n" << texts(one.result));
    REQUIRE(one.result.status == SmStatus::Reported);
    CHECK(llvm::is_contained(kinds, one.result.reports.front().kind));
  }
}
} // namespace

TEST_CASE("virtual sm: a ring of two tiles goes on from round to round",
          "[sm]") {
  for (SmSchedule schedule : kSchedules)
    for (uint64_t seed = 1; seed <= 10; ++seed) {
      Run one = run({}, schedule, seed);
      INFO(spelling(schedule).str() << "\n" << texts(one.result));
      CHECK(one.result.status == SmStatus::Clean);
      if (schedule == SmSchedule::Exhaustive) {
        CHECK(one.result.stats.complete);
        continue;
      }
      // A round adds 10 + 20 + 30 and takes 0 + 1 + 2.
      for (int64_t i = 0; i < kRounds * kTile; ++i)
        if (one.out[i] != float(57 * (i / kTile + 1)))
          FAIL("element " << i << " is " << one.out[i]);
    }
}

TEST_CASE("virtual sm: a phase that starts again in each round is reported",
          "[sm]") {
  // Three turns a round: the second round begins in the middle of a period.
  Ring ring;
  ring.counterOutside = "";
  ring.counterInside = R"(%start = arith.constant 1 : i32
          %uses = sm.counter "uses" depth 2)";
  ring.useStage = R"(%j = arith.subi %i, %one : i32
            %s = arith.remsi %j, %c2 : i32)";
  ring.usePhase = "%p = arith.divsi %j, %c2 : i32";
  expectReport("counts of the round", ring,
               {SmProblem::Deadlock, SmProblem::Race, SmProblem::Barrier});
}

TEST_CASE("virtual sm: a stage that ignores where its loop begins is reported",
          "[sm]") {
  Ring ring;
  ring.useStage = "%s = arith.remsi %i, %c2 : i32";
  ring.usePhase = "%p = sm.counter_phase %uses";
  expectReport("stage of the loop variable", ring,
               {SmProblem::Deadlock, SmProblem::Race, SmProblem::Barrier});
}

TEST_CASE("virtual sm: two tiles on one barrier have the bytes of both",
          "[sm]") {
  Ring ring;
  ring.bytes = 2048;
  expectReport("bytes of one tile", ring,
               {SmProblem::Barrier, SmProblem::Race, SmProblem::Deadlock});
  ring = {};
  ring.secondLoad = "";
  expectReport("one tile is not loaded", ring, {SmProblem::Deadlock});
  ring.bytes = 2048;
  Run one = run(ring, SmSchedule::Canonical);
  INFO(texts(one.result));
  // Nobody fills the second tile: it holds what was never written.
  CHECK(std::isnan(one.out[0]));
}

TEST_CASE("virtual sm: two tiles on one barrier are released after both reads",
          "[sm]") {
  Ring ring;
  std::swap(ring.releaseFirst, ring.releaseLast);
  for (SmSchedule schedule : kSchedules) {
    Run one = run(ring, schedule);
    INFO(spelling(schedule).str() << "\n" << texts(one.result));
    REQUIRE(count(one.result, SmProblem::Race) >= 1);
    CHECK(one.result.reports.front().buffer == "b_s");
  }
}
