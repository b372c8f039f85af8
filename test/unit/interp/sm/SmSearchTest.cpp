// The search over all schedules: silent and complete on correct programs, and
// no less telling than running every order of actions.
#include "test/unit/interp/sm/SmTestSupport.h"

#include <random>

using namespace tlc;
using namespace tlc::test;
using namespace tlc::interp;

TEST_CASE("virtual sm: no schedule of a correct program has anything to report",
          "[sm]") {
  for (const char *file : {"state-kv", "state-vk"}) {
    SmProgramText program = SmProgramText::fromFile(file);
    for (std::vector<bool> flags :
         {std::vector<bool>{},
          {true},
          {true, false, true},
          {true, true, false, true, false, false, true}}) {
      StateData data(std::string(file) == "state-vk", flags);
      SmOptions options = scheduled(SmSchedule::Exhaustive);
      SmResult result = runSm(program.kernel(), data.args(), options);
      INFO(file << ", " << flags.size() << " turns, " << result.stats.states
                << " states, " << result.stats.schedules << " schedules\n"
                << texts(result));
      CHECK(result.status == SmStatus::Clean);
      // Its barriers leave no choice.
      CHECK(result.stats.complete);
      CHECK(result.stats.schedules == 1);
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
  // Whoever looks too late waits for ever.
  REQUIRE(all.reports.size() == 1);
  CHECK(all.reports.front().kind == SmProblem::Deadlock);
  CHECK(all.reports.front().text.find(
            "to complete a phase of parity 0; it has completed 2") !=
        std::string::npos);
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

namespace {
/// A few warps that arrive and wait in random order at two mbarriers and two
/// named barriers.
std::string randomProgram(std::mt19937 &random, int warps, int length) {
  auto pick = [&](int n) { return static_cast<int>(random() % n); };
  std::string threads = std::to_string(32 * warps),
              text = R"(
tile.kernel @any params [] shapes [] symbols [] {
^bb0:
  %one = arith.constant 1 : i32
  sm.launch grid(%one) threads )" +
                     threads + " program [" + threads +
                     R"(, 1, 1] shared 16 {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %b0 = sm.mbarrier "b0" offset 0 stages 1 count )" +
                     std::to_string(32 * (1 + pick(2))) +
                     R"(
    %b1 = sm.mbarrier "b1" offset 8 stages 1 count 32
    sm.elect {
      sm.mbarrier_init %b0
      sm.mbarrier_init %b1
    }
    sm.bar_sync 0 threads )" +
                     threads + "\n";
  for (int w = 0; w < warps; ++w) {
    text += "    sm.role \"w" + std::to_string(w) + "\" warps [" +
            std::to_string(w) + ", 1] {\n";
    for (int i = 0; i < length; ++i) {
      std::string barrier = pick(2) ? "%b1" : "%b0";
      switch (pick(5)) {
      case 0:
      case 1:
        text += "      sm.mbarrier_arrive " + barrier + "[%c0]\n";
        break;
      case 2:
      case 3:
        text += "      sm.mbarrier_wait " + barrier + "[%c0] parity %c" +
                std::to_string(pick(2)) + "\n";
        break;
      default:
        text += "      sm.bar_sync " + std::to_string(1 + pick(2)) +
                " threads 64\n";
        break;
      }
    }
    text += "    }\n";
  }
  return text + "  }\n}\n";
}
} // namespace

TEST_CASE("virtual sm: the search finds what running every order finds",
          "[sm]") {
  std::mt19937 random(17);
  int clean = 0, found = 0, onlyBySearch = 0;
  uint64_t reduced = 0, all = 0;
  for (int i = 0; i < 3000; ++i) {
    int warps = 2 + i % 2;
    std::string text = randomProgram(random, warps, warps == 2 ? 5 : 3);
    SmProgramText program(text);
    auto search = [&](bool reduce) {
      SmOptions options = scheduled(SmSchedule::Exhaustive);
      options.reduce = reduce;
      options.maxStates = 1000000;
      SmResult result = runSm(program.kernel(), {}, options);
      CHECK(result.stats.complete);
      return result;
    };
    SmResult one = search(true), every = search(false);
    INFO(text << "\n" << texts(one) << texts(every));
    REQUIRE(one.status == every.status);
    bool isClean = every.status == SmStatus::Clean;
    clean += isClean;
    found += !isClean;
    if (isClean) {
      reduced += one.stats.schedules;
      all += every.stats.schedules;
    } else {
      SmResult once =
          runSm(program.kernel(), {}, scheduled(SmSchedule::Canonical));
      onlyBySearch += once.status == SmStatus::Clean;
    }
  }
  INFO(clean << " clean, " << found << " not, of which " << onlyBySearch
             << " only by the search; " << reduced << " of " << all
             << " schedules");
  // The sample says something of both kinds.
  CHECK(clean >= 30);
  CHECK(found >= 1000);
  CHECK(onlyBySearch >= 50);
  CHECK(reduced * 4 < all);
  if (getenv("SM_SEARCH_COUNTS"))
    WARN(clean << " clean, " << found << " not, of which " << onlyBySearch
               << " only by the search; " << reduced << " of " << all
               << " schedules");
}
