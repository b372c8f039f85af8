// Races through global memory: between warps and roles of a block, between the
// proxies, and between blocks.
#include "test/unit/interp/sm/SmTestSupport.h"

using namespace tlc;
using namespace tlc::test;
using namespace tlc::interp;

namespace {
/// A launch of `blocks` blocks of two warps over tensors x, y and c.
SmResult run(const std::string &body, int blocks = 1,
             SmSchedule schedule = SmSchedule::Canonical) {
  SmProgramText program(R"(
#map = affine_map<() -> (32, 32)>
#one = affine_map<() -> (64)>
#layout = #tile.fragment_layout<"regs=[16:(0,1)] threads=[32:(1,0) 2:(0,16)] shape=32x32">
!g = memref<32x32xf32, $global>
!v = memref<64xi32, $global>
!t = memref<32x32xf32, $shared>
tile.kernel @through params ["x", "y", "c"] shapes [#map, #map, #one]
    symbols [] {
^bb0(%x: !g, %y: !g, %c: !v):
  %blocks = arith.constant )" +
                        std::to_string(blocks) + R"( : i32
  sm.launch grid(%blocks) threads 64 program [64, 1, 1] shared 4104 {
  ^bb0(%b: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c5 = arith.constant 5 : i32
    %z = arith.constant 1.0 : f32
    %t = tile.thread_id #tile.dim<x>
    %w = sm.thread 0 count 64
    %first = arith.cmpi eq, %t, %c0 : i32
    %s = sm.shared "s" offset 0 stages 1 slot_bytes 4096 : !t
    %bar = sm.mbarrier "bar" offset 4096 stages 1 count 1
    sm.elect {
      sm.mbarrier_init %bar
      sm.fence_mbarrier_init
    }
    sm.bar_sync 0 threads 64
)" + body + "  }\n}\n");
  std::vector<float> x(32 * 32, 2), y(32 * 32, 3);
  std::vector<int32_t> c(64, 0);
  TensorArg args[3];
  args[0].data = x.data();
  args[1].data = y.data();
  args[2].data = c.data();
  args[0].shape = args[1].shape = {32, 32};
  args[2].shape = {64};
  return runSm(program.kernel(), {args[0], args[1], args[2]},
               scheduled(schedule, 3));
}

void expect(const std::string &body, bool isRace, int blocks = 1) {
  for (auto schedule : {SmSchedule::Canonical, SmSchedule::AdversarialEarly,
                        SmSchedule::AdversarialLate, SmSchedule::Seeded}) {
    SmResult result = run(body, blocks, schedule);
    INFO(body << spelling(schedule).str() << "\n" << texts(result));
    int races = count(result, SmProblem::Race);
    CHECK((races > 0) == isRace);
    CHECK(result.reports.size() == size_t(races));
  }
}

const std::string kBar = "sm.bar_sync 1 threads 64\n",
                  kFence = "sm.fence_proxy_async\n";
const std::string kWrite = R"(
      tile.fill %z to %y[%c0, %c0] [32, 32] layout #layout : f32, !g
)";
/// Of the elements of other threads.
const std::string kRead = R"(
      tile.parallel [32, 32] layout #layout {
      ^bb0(%i: i32, %j: i32):
        %k = arith.xori %j, %c1 : i32
        %k5 = arith.constant 16 : i32
        %o = arith.xori %k, %k5 : i32
        %v = tile.load %y[%i, %o] : !g -> f32
        tile.store %v to %x[%i, %j] : f32, !g
      }
)";
const std::string kLoad = R"(
      sm.role "loader" warps [0, 1] {
        sm.elect {
          sm.mbarrier_arrive_expect_tx %bar[%c0] bytes 4096
          sm.tma_load %y[%c0, %c0] [32, 32] to %s completes %bar[%c0] : !g, !t
        }
        sm.mbarrier_wait %bar[%c0] parity %c0
      }
)";
std::string storeThen(const std::string &wait) {
  return R"(
      tile.fill %z to %s[%c0, %c0] [32, 32] layout #layout : f32, !t
      sm.fence_proxy_async
      sm.bar_sync 1 threads 64
      sm.elect {
        sm.tma_store %s to %y[%c0, %c0] [32, 32] : !t, !g
        sm.bulk_commit
        )" +
         wait + R"(
      }
      sm.bar_sync 1 threads 64
)";
}
} // namespace

TEST_CASE("virtual sm: warps of a block race through global memory", "[sm]") {
  expect(kWrite + kRead, true);
  expect(kWrite + "sm.membar\n" + kRead, true);
  expect(kWrite + kBar + kRead, false);
  // Write after read, and two writes.
  expect(kRead + kWrite, true);
  expect(kRead + kBar + kWrite, false);
  // The same thread writes an element twice: program order.
  expect(kWrite + kWrite, false);
}

TEST_CASE("virtual sm: roles race through global memory", "[sm]") {
  auto roles = [](const std::string &between) {
    return R"(
    sm.role "writer" warps [0, 1] {
      scf.if %first {
        tile.store %c5 to %c[%c1] : i32, !v
      }
)" + between +
           R"(
    }
    sm.role "reader" warps [1, 1] {
)" + between +
           R"(
      %v = tile.load %c[%c1] : !v -> i32
    }
)";
  };
  expect(roles(""), true);
  expect(roles(kFence), true);
  expect(roles(kBar), false);
}

TEST_CASE("virtual sm: a tensor copy reads what threads wrote after a proxy "
          "fence",
          "[sm]") {
  expect(kWrite + kLoad, true);
  expect(kWrite + kBar + kLoad, true);
  SmResult result = run(kWrite + kBar + kLoad);
  REQUIRE(result.reports.size() == 1);
  CHECK(result.reports.front().missingProxyFence);
  CHECK(result.reports.front().buffer == "y");
  expect(kWrite + kFence + kBar + kLoad, false);
  expect(kWrite + kBar + kFence + kLoad, false);
  // After the copy has landed the tensor may be overwritten.
  expect(kLoad + kBar + kWrite, false);
  expect(kLoad + kWrite, true);
}

TEST_CASE("virtual sm: a bulk store is over when it has been waited for as a "
          "whole",
          "[sm]") {
  expect(storeThen("sm.bulk_wait 0 read") + kRead, true);
  expect(storeThen("sm.bulk_wait 0") + kRead, false);
  expect(storeThen("sm.bulk_wait 0 read\n sm.bulk_wait 0") + kRead, false);
  CHECK(texts(run(storeThen("sm.bulk_wait 0 read") + kRead))
            .find("nobody has waited for the write") != std::string::npos);
}

TEST_CASE("virtual sm: blocks race through global memory", "[sm]") {
  const std::string own = R"(
    scf.if %first {
      tile.store %b to %c[%b] : i32, !v
    }
)",
                    other = R"(
    scf.if %first {
      %v = tile.load %c[%c0] : !v -> i32
    }
)",
                    meet = R"(
    sm.bar_sync 0 threads 64
    %leader = arith.cmpi eq, %w, %c0 : i32
    scf.if %leader {
      sm.grid_barrier
    }
    sm.bar_sync 0 threads 64
)";
  expect(own, false, 3);
  expect(own + other, true, 3);
  expect(own + meet + other, false, 3);
  // A thread that did not meet the leader before the barrier.
  const std::string last = R"(
    %c63 = arith.constant 63 : i32
    %isLast = arith.cmpi eq, %t, %c63 : i32
    scf.if %isLast {
      tile.store %b to %c[%b] : i32, !v
    }
    %leader = arith.cmpi eq, %w, %c0 : i32
    scf.if %leader {
      sm.grid_barrier
    }
    sm.bar_sync 0 threads 64
)";
  expect(last + other, true, 3);
  // Writes of one value, and of different ones.
  expect(R"(
    scf.if %first {
      tile.store %c5 to %c[%c1] : i32, !v
    }
)",
         false, 3);
  expect(R"(
    scf.if %first {
      tile.store %b to %c[%c1] : i32, !v
    }
)",
         true, 3);
  // Every block writes the whole tile.
  expect(kWrite, true, 2);
  // A tensor copy after the meeting needs the proxy fence.
  expect(R"(
    %isZero = arith.cmpi eq, %b, %c0 : i32
    scf.if %isZero {)" +
             kWrite + "}" + meet + kLoad,
         true, 2);
  expect(R"(
    %isZero = arith.cmpi eq, %b, %c0 : i32
    scf.if %isZero {)" +
             kWrite + kFence + "}" + meet + kLoad,
         false, 2);
  expect(R"(
    %isZero = arith.cmpi eq, %b, %c0 : i32
    scf.if %isZero {)" +
             kWrite + "}" + meet + kFence + kLoad,
         false, 2);
}

TEST_CASE("virtual sm: atomics that release and acquire order blocks", "[sm]") {
  auto handOver = [](const std::string &release, const std::string &acquire) {
    return R"(
    scf.if %first {
      %at = arith.addi %b, %c5 : i32
      tile.store %b to %c[%at] : i32, !v
      tile.atomic <add> <)" +
           release + R"(> %c[%c0] by %c1 : i32 : !v
      %n = tile.atomic <load> <)" +
           acquire + R"(> %c[%c0] : !v -> i32
      %last = arith.addi %n, %c5 : i32
      %before = arith.subi %last, %c1 : i32
      %v = tile.load %c[%c5] : !v -> i32
    }
)";
  };
  // Blocks come one after the other: the second reads what the first wrote.
  expect(handOver("release", "acquire"), false, 2);
  expect(handOver("acq_rel", "relaxed"), false, 2);
  expect(handOver("relaxed", "acquire"), true, 2);
  expect(handOver("release", "relaxed"), true, 2);
  // Atomics of one element are no race among themselves.
  expect("tile.atomic <add> <relaxed> %c[%c0] by %c1 : i32 : !v\n", false, 3);
  // A plain store of it is.
  expect(R"(
    tile.atomic <add> <relaxed> %c[%c0] by %c1 : i32 : !v
    sm.bar_sync 0 threads 64
    scf.if %first {
      tile.store %b to %c[%c0] : i32, !v
    }
)",
         true, 2);
}
