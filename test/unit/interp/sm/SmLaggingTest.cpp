// Loads that lag in every form: without a proxy fence before the release the
// values are those of the turn after the next, with one they are right.
#include "test/unit/interp/sm/SmTestSupport.h"

#include "compiler/interp/TileInterpElement.h"

using namespace tlc;
using namespace tlc::test;
using namespace tlc::interp;

namespace {
constexpr int64_t kTurns = 6, kTile = 128 * 32;

/// How a turn reads its slot, and how it stores what it has read after the
/// release and another wait.
struct Form {
  const char *name, *before, *read, *store;
  /// Stored in the turn whose h is all `h` by a thread; `sum` of all so far.
  std::function<float(float h, float sum, int64_t thread)> value;
  bool lags;
};

constexpr const char *kFragment = R"(
      %f = tile.alloc "f" layout #layout : !f
      %zero = arith.constant 0.0 : f32
      tile.fill %zero to %f[%c0, %c0] [128, 32] layout #layout : f32, !f
)";
constexpr const char *kCopyOut = R"(
        tile.copy %f[%c0, %c0] [128, 32] to %out[%i, %c0, %c0] [1, 128, 32]
          inst #tile.copy_inst<vector> layout #layout : !f, !o
)";
constexpr const char *kScalarOut = R"(
        scf.for %j = %c0 to %c32 step %one : i32 {
          tile.store %r to %out[%i, %t, %j] : f32, !o
        }
)";

std::vector<Form> forms() {
  auto same = [](float h, float, int64_t) { return h; };
  return {
      {"copy to a fragment", kFragment, R"(
        tile.copy %slot[%c0, %c0] [128, 32] to %f[%c0, %c0] [128, 32]
          inst #tile.copy_inst<vector> layout #layout : !t, !f
)",
       kCopyOut, same, true},
      {"parallel loop with arithmetic", kFragment, R"(
        %three = arith.constant 3.0 : f32
        tile.parallel [128, 32] layout #layout {
        ^bb0(%x: i32, %y: i32):
          %v = tile.load %slot[%x, %y] : !t -> bf16
          %w = arith.extf %v : bf16 to f32
          %pr = arith.mulf %w, %three : f32
          tile.store %pr to %f[%x, %y] : f32, !f
        }
)",
       kCopyOut, [](float h, float, int64_t) { return 3 * h; }, true},
      {"parallel loop that accumulates", kFragment, R"(
        tile.parallel [128, 32] layout #layout {
        ^bb0(%x: i32, %y: i32):
          %v = tile.load %slot[%x, %y] : !t -> bf16
          %w = arith.extf %v : bf16 to f32
          %old = tile.load %f[%x, %y] : !f -> f32
          %pr = arith.addf %w, %old : f32
          tile.store %pr to %f[%x, %y] : f32, !f
        }
)",
       kCopyOut, [](float, float sum, int64_t) { return sum; }, true},
      {"parallel loop with the turn and global memory", kFragment, R"(
        tile.parallel [128, 32] layout #layout {
        ^bb0(%x: i32, %y: i32):
          %v = tile.load %slot[%x, %y] : !t -> bf16
          %w = arith.extf %v : bf16 to f32
          %g = tile.load %m[%c0, %x, %y] : !g -> bf16
          %h1 = arith.extf %g : bf16 to f32
          %is = arith.cmpi sge, %x, %i : i32
          scf.if %is {
            %pr = arith.addf %w, %h1 : f32
            tile.store %pr to %f[%x, %y] : f32, !f
          } else {
            %q = arith.subf %w, %h1 : f32
            tile.store %q to %f[%x, %y] : f32, !f
          }
        }
)",
       // m is 100 in turn 0. The turn is h - 1 where nothing overtakes.
       kCopyOut, nullptr, true},
      {"scalar", "", R"(
        %v = tile.load %slot[%c0, %c1] : !t -> bf16
        %r = arith.extf %v : bf16 to f32
)",
       kScalarOut, same, true},
      {"scalar of each thread, with arithmetic", "", R"(
        %v = tile.load %slot[%t, %c1] : !t -> bf16
        %w = arith.extf %v : bf16 to f32
        %ti = arith.sitofp %t : i32 to f32
        %r = arith.addf %w, %ti : f32
)",
       kScalarOut, [](float h, float, int64_t t) { return h + float(t); },
       true},
      {"copy to thread-private memory", R"(
      %l = tile.alloc "l" : memref<32xbf16, $local>
)",
       R"(
        tile.copy %slot[%c0, %c0] [1, 32] to %l[%c0] [32]
          : !t, memref<32xbf16, $local>
)",
       R"(
        %v = tile.load %l[%c1] : memref<32xbf16, $local> -> bf16
        %r = arith.extf %v : bf16 to f32
        scf.for %j = %c0 to %c32 step %one : i32 {
          tile.store %r to %out[%i, %t, %j] : f32, !o
        }
)",
       same, true},
      // A store to memory has its value: the load was served before.
      {"parallel loop that stores to memory", "", R"(
        tile.parallel [128, 32] layout #layout {
        ^bb0(%x: i32, %y: i32):
          %v = tile.load %slot[%x, %y] : !t -> bf16
          %w = arith.extf %v : bf16 to f32
          tile.store %w to %out[%i, %x, %y] : f32, !o
        }
)",
       "", same, false},
      // So was what a branch needs.
      {"branch on a scalar", "", R"(
        %v = tile.load %slot[%c0, %c1] : !t -> bf16
        %r = arith.extf %v : bf16 to f32
        %z = arith.constant 0.0 : f32
        %pos = arith.cmpf ogt, %r, %z : f32
        scf.if %pos {
          scf.for %j = %c0 to %c32 step %one : i32 {
            tile.store %r to %out[%i, %t, %j] : f32, !o
          }
        }
)",
       "", same, false},
  };
}

std::string programOf(const Form &form, bool fenced) {
  std::string text = R"(
#map = affine_map<() -> (6, 128, 32)>
#layout = #tile.fragment_layout<"regs=[32:(0,1)] threads=[128:(1,0)] shape=128x32">
!g = memref<6x128x32xbf16, $global>
!o = memref<6x128x32xf32, $global>
!t = memref<128x32xbf16, $shared>
!f = memref<128x32xf32, $fragment>
tile.kernel @lag params ["h", "m", "out"] shapes [#map, #map, #map] symbols [] {
^bb0(%h: !g, %m: !g, %out: !o):
  %one = arith.constant 1 : i32
  sm.launch grid(%one) threads 160 program [128, 1, 1] shared 32832 {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c32 = arith.constant 32 : i32
    %n = arith.constant 6 : i32
    %t = tile.thread_id #tile.dim<x>
    %hs = sm.shared "h_s" offset 0 stages 2 slot_bytes 8192 : !t
    %ms = sm.shared "m_s" offset 16384 stages 2 slot_bytes 8192 : !t
    %hf = sm.mbarrier "h_full" offset 32768 stages 2 count 1
    %he = sm.mbarrier "h_empty" offset 32784 stages 2 count 128
    %mf = sm.mbarrier "m_full" offset 32800 stages 2 count 1
    %me = sm.mbarrier "m_empty" offset 32816 stages 2 count 128
    sm.elect {
      sm.mbarrier_init %hf
      sm.mbarrier_init %he
      sm.mbarrier_init %mf
      sm.mbarrier_init %me
      sm.fence_mbarrier_init
    }
    sm.bar_sync 0 threads 160
    sm.role "consumer" warps [0, 4] {
      %uses = sm.counter "uses" depth 2
      BEFORE
      scf.for %i = %c0 to %n step %one : i32 {
        %s = sm.counter_stage %uses
        %p = sm.counter_phase %uses
        sm.mbarrier_wait %hf[%s] parity %p
        %slot = sm.slot %hs[%s] : !t
        READ
        FENCE
        sm.mbarrier_arrive %he[%s]
        sm.mbarrier_wait %mf[%s] parity %p
        STORE
        sm.mbarrier_arrive %me[%s]
        sm.counter_advance %uses
      }
    }
    sm.role "producer" warps [4, 1] {
      %fills = sm.counter "fills" depth 2
      sm.elect {
        scf.for %i = %c0 to %n step %one : i32 {
          %s = sm.counter_stage %fills
          %p = sm.counter_phase %fills
          sm.mbarrier_wait %he[%s] parity %p invert
          %slot = sm.slot %hs[%s] : !t
          sm.mbarrier_arrive_expect_tx %hf[%s] bytes 8192
          sm.bulk_load %h[%i, %c0, %c0] [1, 128, 32] to %slot completes %hf[%s]
            : !g, !t
          sm.mbarrier_wait %me[%s] parity %p invert
          %mslot = sm.slot %ms[%s] : !t
          sm.mbarrier_arrive_expect_tx %mf[%s] bytes 8192
          sm.bulk_load %m[%i, %c0, %c0] [1, 128, 32] to %mslot completes %mf[%s]
            : !g, !t
          sm.counter_advance %fills
        }
      }
    }
  }
})";
  auto put = [&](const std::string &key, const std::string &value) {
    text.replace(text.find(key), key.size(), value);
  };
  put("BEFORE", form.before);
  put("READ", form.read);
  put("FENCE", fenced ? "sm.fence_proxy_async" : "");
  put("STORE", form.store);
  return text;
}

struct Run {
  SmResult result;
  std::vector<float> out;
};

/// The h of turn t is t + 1 everywhere.
Run run(const std::string &text, SmSchedule schedule) {
  SmProgramText program(text);
  std::vector<uint16_t> h, m(kTurns * kTile, 0);
  for (int64_t i = 0; i < kTurns * kTile; ++i)
    h.push_back(floatToBf16(float(1 + i / kTile)));
  for (int64_t i = 0; i < kTile; ++i)
    m[i] = floatToBf16(100);
  Run run;
  run.out.assign(kTurns * kTile, -1);
  TensorArg args[3];
  args[0].data = h.data();
  args[1].data = m.data();
  args[2].data = run.out.data();
  for (TensorArg &arg : args)
    arg.shape = {kTurns, 128, 32};
  run.result = runSm(program.kernel(), {args[0], args[1], args[2]},
                     scheduled(schedule, 7));
  return run;
}

/// What is stored if each read takes the h of `ahead` turns later, where there
/// is such a turn.
std::vector<float> expected(const Form &form, int64_t ahead) {
  std::vector<float> out;
  float sum = 0;
  for (int64_t turn = 0; turn < kTurns; ++turn) {
    int64_t from = turn + ahead < kTurns ? turn + ahead : turn;
    float h = float(from + 1);
    sum += h;
    for (int64_t i = 0; i < kTile; ++i) {
      int64_t thread = i / 32;
      out.push_back(form.value       ? form.value(h, sum, thread)
                    : thread >= turn ? h + 100
                                     : h - 100);
    }
  }
  return out;
}
} // namespace

TEST_CASE("virtual sm: a load in any form that lags takes what overtakes it",
          "[sm]") {
  for (const Form &form : forms()) {
    Run early = run(programOf(form, false), SmSchedule::AdversarialEarly);
    INFO(form.name << "\n" << texts(early.result));
    CHECK(count(early.result, SmProblem::Race) == 1);
    CHECK(early.result.reports.size() == 1);
    CHECK(early.out == expected(form, form.lags ? 2 : 0));
    // Nothing lags in turn: the race is reported, the values are right.
    Run canonical = run(programOf(form, false), SmSchedule::Canonical);
    CHECK(count(canonical.result, SmProblem::Race) == 1);
    CHECK(canonical.out == expected(form, 0));
  }
}

TEST_CASE("virtual sm: a proxy fence waits for the loads in every form",
          "[sm]") {
  for (const Form &form : forms())
    for (auto schedule : {SmSchedule::Canonical, SmSchedule::AdversarialEarly,
                          SmSchedule::AdversarialLate, SmSchedule::Seeded}) {
      Run one = run(programOf(form, true), schedule);
      INFO(form.name << ", " << spelling(schedule).str() << "\n"
                     << texts(one.result));
      CHECK(one.result.status == SmStatus::Clean);
      CHECK(one.out == expected(form, 0));
    }
}
