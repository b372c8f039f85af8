// Two accesses of one shared tile by two warps, in every combination of
// proxies, with and without a barrier and fences between them: the decision
// table of sync.md 2.4, both ways round.
#include "test/unit/interp/sm/SmTestSupport.h"

using namespace tlc;
using namespace tlc::test;
using namespace tlc::interp;

namespace {
enum class Kind { GenericRead, GenericWrite, AsyncRead, AsyncWrite };
constexpr Kind kKinds[] = {Kind::GenericRead, Kind::GenericWrite,
                           Kind::AsyncRead, Kind::AsyncWrite};

bool isAsync(Kind k) { return k >= Kind::AsyncRead; }
bool isWrite(Kind k) {
  return k == Kind::GenericWrite || k == Kind::AsyncWrite;
}

/// The access and its end, as its warp knows it.
std::string access(Kind kind, const std::string &barrier) {
  switch (kind) {
  case Kind::GenericRead:
    return R"(
      %f = tile.alloc "f" layout #layout : !f
      tile.copy %t[%c0, %c0] [32, 32] to %f[%c0, %c0] [32, 32]
        inst #tile.copy_inst<vector> layout #layout : !t, !f
)";
  case Kind::GenericWrite:
    return R"(
      %z = arith.constant 1.0 : f32
      tile.fill %z to %t[%c0, %c0] [32, 32] layout #layout : f32, !t
)";
  case Kind::AsyncRead:
    // Each to a tensor of its own.
    return R"(
      sm.elect {
        sm.tma_store %t to )" +
           std::string(barrier == "%b1" ? "%o" : "%q") +
           R"([%c0, %c0] [32, 32] : !t, !g
        sm.bulk_commit
        sm.bulk_wait 0 read
      }
)";
  case Kind::AsyncWrite:
    return R"(
      sm.elect {
        sm.mbarrier_arrive_expect_tx )" +
           barrier + R"([%c0] bytes 4096
        sm.tma_load %g[%c0, %c0] [32, 32] to %t completes )" +
           barrier + R"([%c0] : !g, !t
      }
      sm.mbarrier_wait )" +
           barrier + "[%c0] parity %c0\n";
  }
  return "";
}

std::string programOf(Kind first, Kind second, const std::string &afterFirst,
                      const std::string &beforeSecond) {
  return R"(
#map = affine_map<() -> (32, 32)>
#layout = #tile.fragment_layout<"regs=[32:(0,1)] threads=[32:(1,0)] shape=32x32">
!g = memref<32x32xf32, $global>
!t = memref<32x32xf32, $shared>
!f = memref<32x32xf32, $fragment>
tile.kernel @litmus params ["g", "o", "q"] shapes [#map, #map, #map] symbols [] {
^bb0(%g: !g, %o: !g, %q: !g):
  %one = arith.constant 1 : i32
  sm.launch grid(%one) threads 64 program [64, 1, 1] shared 4112 {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %t = sm.shared "t" offset 0 stages 1 slot_bytes 4096 : !t
    %b1 = sm.mbarrier "b1" offset 4096 stages 1 count 1
    %b2 = sm.mbarrier "b2" offset 4104 stages 1 count 1
    sm.elect {
      sm.mbarrier_init %b1
      sm.mbarrier_init %b2
      sm.fence_mbarrier_init
    }
    sm.bar_sync 0 threads 64
    sm.role "first" warps [0, 1] {)" +
         access(first, "%b1") + afterFirst + R"(
    }
    sm.role "second" warps [1, 1] {)" +
         beforeSecond + access(second, "%b2") + R"(
    }
  }
})";
}

SmResult run(const std::string &text, SmSchedule schedule) {
  SmProgramText program(text);
  std::vector<float> data(32 * 32, 2.0f), stored(32 * 32), more(32 * 32);
  TensorArg arg, out, other;
  arg.data = data.data();
  out.data = stored.data();
  other.data = more.data();
  arg.shape = out.shape = other.shape = {32, 32};
  return runSm(program.kernel(), {arg, out, other}, scheduled(schedule, 5));
}
} // namespace

TEST_CASE("virtual sm: which pairs of accesses need a proxy fence", "[sm]") {
  const std::string bar = "sm.bar_sync 1 threads 64\n",
                    fence = "sm.fence_proxy_async\n", membar = "sm.membar\n";
  for (Kind first : kKinds)
    for (Kind second : kKinds) {
      bool conflict = isWrite(first) || isWrite(second);
      bool crosses = !isAsync(first) && isAsync(second);
      auto check = [&](const std::string &after, const std::string &before,
                       bool isRace) {
        std::string text = programOf(first, second, after, before);
        for (auto schedule :
             {SmSchedule::Canonical, SmSchedule::AdversarialEarly,
              SmSchedule::AdversarialLate, SmSchedule::Seeded,
              SmSchedule::Exhaustive}) {
          SmResult result = run(text, schedule);
          INFO(text << spelling(schedule).str() << "\n" << texts(result));
          CHECK(count(result, SmProblem::Race) == int(isRace));
          CHECK(result.reports.size() == size_t(isRace));
        }
      };
      check("", "", conflict);
      check(fence, fence, conflict);
      check(bar, bar, conflict && crosses);
      check(membar + bar, bar + membar, conflict && crosses);
      check(fence + bar, bar, false);
      check(bar, bar + fence, false);
      // A fence that comes after the arrival of the first is too late.
      check(bar + fence, bar, conflict && crosses);
    }
}

TEST_CASE("virtual sm: barriers are initialised, fenced and awaited", "[sm]") {
  std::string good =
      programOf(Kind::AsyncWrite, Kind::GenericRead,
                "sm.bar_sync 1 threads 64\n", "sm.bar_sync 1 threads 64\n");
  CHECK(run(good, SmSchedule::Canonical).status == SmStatus::Clean);
  auto without = [&](const std::string &line) {
    std::string text = good;
    text.replace(text.find(line), line.size(), "");
    return run(text, SmSchedule::Canonical);
  };
  SmResult noFence = without("sm.fence_mbarrier_init");
  CHECK(count(noFence, SmProblem::Barrier) == 1);
  CHECK(texts(noFence).find("fence_mbarrier_init is missing") !=
        std::string::npos);
  CHECK(count(without("sm.mbarrier_init %b1"), SmProblem::Barrier) == 1);
  // The second warp also waits for the copy, without the block's barrier.
  SmResult noBar = run(programOf(Kind::AsyncWrite, Kind::GenericRead, "",
                                 "sm.mbarrier_wait %b1[%c0] parity %c0\n"),
                       SmSchedule::Canonical);
  CHECK(noBar.status == SmStatus::Clean);
  std::string text = programOf(Kind::AsyncWrite, Kind::GenericRead, "",
                               "sm.mbarrier_wait %b1[%c0] parity %c0\n");
  std::string line = "sm.bar_sync 0 threads 64";
  text.replace(text.find(line), line.size(), "");
  CHECK(count(run(text, SmSchedule::Canonical), SmProblem::Barrier) == 1);
}

TEST_CASE("virtual sm: named barriers want whole warps and one count", "[sm]") {
  SmResult counts =
      run(programOf(Kind::GenericWrite, Kind::GenericRead,
                    "sm.bar_sync 1 threads 64\n", "sm.bar_sync 1 threads 96\n"),
          SmSchedule::Canonical);
  CHECK(count(counts, SmProblem::Convergence) == 1);
  SmResult divergent = run(programOf(Kind::GenericWrite, Kind::GenericRead, R"(
      %x = tile.thread_id #tile.dim<x>
      %seven = arith.constant 7 : i32
      %less = arith.cmpi slt, %x, %seven : i32
      scf.if %less {
        sm.bar_sync 1 threads 64
      }
)",
                                     "sm.bar_sync 1 threads 64\n"),
                           SmSchedule::Canonical);
  CHECK(count(divergent, SmProblem::Convergence) == 1);
}

TEST_CASE("virtual sm: the block does not end before its copies do", "[sm]") {
  std::string text = programOf(Kind::AsyncWrite, Kind::GenericRead, "", "");
  std::string wait = "sm.mbarrier_wait %b1[%c0] parity %c0";
  text.replace(text.find(wait), wait.size(), "");
  std::string read = access(Kind::GenericRead, "");
  text.replace(text.find(read), read.size(), "");
  for (auto schedule : {SmSchedule::Canonical, SmSchedule::AdversarialLate}) {
    SmResult result = run(text, schedule);
    INFO(texts(result));
    CHECK(count(result, SmProblem::Lifetime) == 1);
  }
}

TEST_CASE("virtual sm: registers come from a pool", "[sm]") {
  auto roles = [](const std::string &body, int consumers) {
    int warps = 4 + 4 * consumers;
    std::string text = R"(
tile.kernel @pool params [] shapes [] symbols [] {
^bb0:
  %one = arith.constant 1 : i32
  sm.launch grid(%one) threads )" +
                       std::to_string(warps * 32) + " program [" +
                       std::to_string(warps * 32) + R"(, 1, 1] shared 0 {
  ^bb0(%bx: i32):
    sm.role "consumer" warps [4, )" +
                       std::to_string(4 * consumers) + R"(] {
      sm.setmaxnreg 240 increase
    }
    sm.role "producer" warps [0, 4] {)" +
                       body + R"(
    }
  }
})";
    SmProgramText program(text);
    return runSm(program.kernel(), {}, scheduled(SmSchedule::Canonical));
  };
  CHECK(roles("sm.setmaxnreg 24", 2).status == SmStatus::Clean);
  CHECK(count(roles("", 2), SmProblem::Deadlock) == 1);
  CHECK(count(roles("sm.setmaxnreg 24", 3), SmProblem::Deadlock) == 1);
}

TEST_CASE("virtual sm: an external function accesses what it declares",
          "[sm]") {
  const std::string bar = "sm.bar_sync 1 threads 64\n";
  auto call = [&](const std::string &mode, const std::string &fence) {
    // The first warp's own access is of no interest here.
    std::string text =
        programOf(Kind::GenericRead, Kind::AsyncWrite,
                  "%p = tile.access_ptr <" + mode +
                      "> %t[%c0, %c0] [32, 32] : !t\n"
                      "tile.call_extern \"f\"(%p) : (i64) -> ()\n" +
                      fence + bar,
                  bar);
    SmProgramText program(text);
    std::vector<float> data(32 * 32, 2.0f), stored(32 * 32), more(32 * 32);
    TensorArg arg, out, other;
    arg.data = data.data();
    out.data = stored.data();
    other.data = more.data();
    arg.shape = out.shape = other.shape = {32, 32};
    SmOptions options = scheduled(SmSchedule::Canonical);
    options.tagsOnly = true;
    SmResult result = runSm(program.kernel(), {arg, out, other}, options);
    INFO(texts(result));
    std::string found = texts(result);
    return found.find("tile.call_extern") != std::string::npos;
  };
  for (const char *mode : {"r", "w", "rw"}) {
    CHECK(call(mode, ""));
    CHECK(!call(mode, "sm.fence_proxy_async\n"));
  }
}
