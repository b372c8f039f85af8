// Blocks that meet at a grid barrier, and atomics.
#include "test/unit/interp/sm/SmTestSupport.h"

#include <algorithm>

using namespace tlc;
using namespace tlc::test;
using namespace tlc::interp;

namespace {
/// Each block writes its number; after the barrier each adds all of them.
std::string programOf(const std::string &isLeader, const std::string &around) {
  return R"(
#map = affine_map<() -> (4)>
!g = memref<4xi32, $global>
tile.kernel @meet params ["x", "y"] shapes [#map, #map] symbols [] {
^bb0(%x: !g, %y: !g):
  %four = arith.constant 4 : i32
  sm.launch grid(%four) threads 64 program [32, 2, 1] shared 0 {
  ^bb0(%b: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %t = sm.thread 0 count 64
    %tx = tile.thread_id #tile.dim<x>
    %first = arith.cmpi eq, %t, %c0 : i32
    %leader = arith.cmpi eq, )" +
         isLeader + R"(, %c0 : i32
    %is3 = arith.cmpi eq, %b, %c3 : i32
    %not3 = arith.cmpi ne, %b, %c3 : i32
    scf.if %first {
      %n = arith.addi %b, %c1 : i32
      tile.store %n to %x[%b] : i32, !g
    }
    )" + around +
         R"( {
    sm.bar_sync 0 threads 64
    scf.if %leader {
      sm.grid_barrier
    }
    sm.bar_sync 0 threads 64
    }
    scf.if %first {
      %v0 = tile.load %x[%c0] : !g -> i32
      %v1 = tile.load %x[%c1] : !g -> i32
      %v2 = tile.load %x[%c2] : !g -> i32
      %v3 = tile.load %x[%c3] : !g -> i32
      %s0 = arith.addi %v0, %v1 : i32
      %s1 = arith.addi %v2, %v3 : i32
      %s = arith.addi %s0, %s1 : i32
      tile.store %s to %y[%b] : i32, !g
    }
  }
})";
}

SmResult run(const std::string &text, std::vector<int32_t> &y,
             SmSchedule schedule) {
  SmProgramText program(text);
  std::vector<int32_t> x(4, 0);
  y.assign(4, 0);
  TensorArg args[2];
  args[0].data = x.data();
  args[1].data = y.data();
  args[0].shape = args[1].shape = {4};
  return runSm(program.kernel(), {args[0], args[1]}, scheduled(schedule));
}
constexpr const char *kAlways = "%true = arith.constant true\n    scf.if %true";
} // namespace

TEST_CASE("virtual sm: blocks meet at a grid barrier", "[sm]") {
  for (auto schedule : {SmSchedule::Canonical, SmSchedule::AdversarialEarly,
                        SmSchedule::AdversarialLate, SmSchedule::Seeded}) {
    std::vector<int32_t> y;
    SmResult result = run(programOf("%t", kAlways), y, schedule);
    INFO(texts(result));
    CHECK(result.status == SmStatus::Clean);
    CHECK(result.stats.blocks == 4);
    CHECK(y == std::vector<int32_t>(4, 10));
  }
}

TEST_CASE("virtual sm: two leaders in a block are reported", "[sm]") {
  for (auto schedule : {SmSchedule::Canonical, SmSchedule::Seeded}) {
    std::vector<int32_t> y;
    SmResult result = run(programOf("%tx", kAlways), y, schedule);
    INFO(texts(result));
    REQUIRE(count(result, SmProblem::Barrier) == 1);
    CHECK(result.reports.front().kind == SmProblem::Barrier);
    // What the blocks read of each other is no longer ordered.
    CHECK(count(result, SmProblem::Race) >= 1);
    CHECK(texts(result).find("a second thread of the block") !=
          std::string::npos);
  }
}

TEST_CASE("virtual sm: a block that does not come is named", "[sm]") {
  std::vector<int32_t> y;
  SmResult result =
      run(programOf("%t", "scf.if %not3"), y, SmSchedule::Canonical);
  INFO(texts(result));
  // What it reads without having met the others races with their writes.
  CHECK(count(result, SmProblem::Race) == 3);
  REQUIRE(count(result, SmProblem::Deadlock) == 1);
  CHECK(result.reports.back().kind == SmProblem::Deadlock);
  CHECK(texts(result).find("3 of 4 blocks wait at the grid barrier; block (3) "
                           "ends without reaching it") != std::string::npos);
}

TEST_CASE("virtual sm: atomics of all threads add up in every schedule",
          "[sm]") {
  SmProgramText program(R"(
#one = affine_map<() -> (1)>
#map = affine_map<() -> (256)>
!c = memref<1xi32, $global>
!g = memref<256xi32, $global>
tile.kernel @count params ["c", "slot"] shapes [#one, #map] symbols [] {
^bb0(%c: !c, %slot: !g):
  %two = arith.constant 2 : i32
  sm.launch grid(%two) threads 128 program [128, 1, 1] shared 16 {
  ^bb0(%b: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c128 = arith.constant 128 : i32
    %s = sm.shared "s" offset 0 stages 1 slot_bytes 16 : memref<1xi32, $shared>
    %t = tile.thread_id #tile.dim<x>
    %first = arith.cmpi eq, %t, %c0 : i32
    scf.if %first {
      tile.store %c0 to %s[%c0] : i32, memref<1xi32, $shared>
    }
    sm.bar_sync 0 threads 128
    tile.atomic <add> <relaxed> %s[%c0] by %c1 : i32 : memref<1xi32, $shared>
    %p = tile.atomic <add> <relaxed> %c[%c0] by %c1 : i32 : !c -> i32
    %o = arith.muli %b, %c128 : i32
    %i = arith.addi %o, %t : i32
    tile.store %i to %slot[%p] : i32, !g
    sm.bar_sync 0 threads 128
    scf.if %first {
      %n = tile.load %s[%c0] : memref<1xi32, $shared> -> i32
      %m = arith.subi %n, %c128 : i32
      tile.atomic <add> <relaxed> %c[%c0] by %m : i32 : !c
    }
  }
})");
  for (auto schedule : {SmSchedule::Canonical, SmSchedule::AdversarialEarly,
                        SmSchedule::Seeded}) {
    int32_t count = 0;
    std::vector<int32_t> slot(256, -1);
    TensorArg args[2];
    args[0].data = &count;
    args[0].shape = {1};
    args[1].data = slot.data();
    args[1].shape = {256};
    SmResult result =
        runSm(program.kernel(), {args[0], args[1]}, scheduled(schedule, 9));
    INFO(texts(result));
    CHECK(result.status == SmStatus::Clean);
    CHECK(count == 256);
    std::sort(slot.begin(), slot.end());
    for (int i = 0; i < 256; ++i)
      CHECK(slot[i] == i);
  }
}
