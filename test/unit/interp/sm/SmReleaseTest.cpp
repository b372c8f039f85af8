// The reproducer of the early release (two slots of h by bulk copies, ordinary
// loads, a wait for m after the release) with the releases that were tried on
// hardware: those that failed there are reported, those that held are not.
#include "test/unit/interp/sm/SmTestSupport.h"

#include "compiler/interp/TileInterpElement.h"

#include <cmath>

using namespace tlc;
using namespace tlc::test;
using namespace tlc::interp;

namespace {
/// What the program says at three places.
struct Variant {
  const char *name;
  const char *beforeRelease;
  bool releaseAfterWait;
  const char *afterAcquire;
  bool isRace;
};

std::string programOf(const Variant &variant) {
  std::string release =
      std::string(variant.beforeRelease) + "\n sm.mbarrier_arrive %he[%s]\n";
  std::string text = R"(
#map = affine_map<()[n] -> (n, 128, 32)>
#layout = #tile.fragment_layout<"regs=[32:(0,1)] threads=[128:(1,0)] shape=128x32">
!g = memref<?x128x32xbf16, $global>
!o = memref<?x128x32xf32, $global>
!t = memref<128x32xbf16, $shared>
!f = memref<128x32xf32, $fragment>
tile.kernel @repro params ["h", "m", "out"] shapes [#map, #map, #map]
    symbols ["n"] {
^bb0(%h: !g, %m: !g, %out: !o, %n: i32):
  %one = arith.constant 1 : i32
  sm.launch grid(%one) threads 160 program [128, 1, 1] shared 32832 {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
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
      %f = tile.alloc "f" layout #layout : !f
      %z = arith.constant 0.0 : f32
      tile.fill %z to %f[%c0, %c0] [128, 32] layout #layout : f32, !f
      scf.for %i = %c0 to %n step %one : i32 {
        tile.copy %f[%c0, %c0] [128, 32] to %out[%i, %c0, %c0] [1, 128, 32]
          inst #tile.copy_inst<vector> layout #layout : !f, !o
        %s = sm.counter_stage %uses
        %p = sm.counter_phase %uses
        sm.mbarrier_wait %hf[%s] parity %p
        %slot = sm.slot %hs[%s] : !t
        tile.copy %slot[%c0, %c0] [128, 32] to %f[%c0, %c0] [128, 32]
          inst #tile.copy_inst<vector> layout #layout : !t, !f
        RELEASE_BEFORE
        sm.mbarrier_wait %mf[%s] parity %p
        RELEASE_AFTER
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
          ACQUIRED
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
  put("RELEASE_BEFORE", variant.releaseAfterWait ? "" : release);
  put("RELEASE_AFTER", variant.releaseAfterWait ? release : "");
  put("ACQUIRED", variant.afterAcquire);
  return text;
}

constexpr Variant kVariants[] = {
    {"none", "", false, "", true},
    {"clobber", "tile.call_extern \"clobber\"() : () -> ()", false, "", true},
    {"bar.sync", "sm.bar_sync 4 threads 128", false, "", true},
    {"membar.cta", "sm.membar", false, "", true},
    {"proxy fence", "sm.fence_proxy_async", false, "", false},
    {"producer fence", "", false, "sm.fence_proxy_async", false},
    {"delay", "", true, "", false},
    {"producer membar", "", false, "sm.membar", true}};
} // namespace

TEST_CASE("virtual sm: releases that failed on hardware are reported, those "
          "that held are not",
          "[sm]") {
  constexpr int64_t kTurns = 6, kTile = 128 * 32;
  for (const Variant &variant : kVariants)
    for (auto schedule : {SmSchedule::Canonical, SmSchedule::AdversarialEarly,
                          SmSchedule::AdversarialLate, SmSchedule::Seeded}) {
      SmProgramText program(programOf(variant));
      std::vector<uint16_t> h, m(kTurns * kTile, 0);
      for (int64_t i = 0; i < kTurns * kTile; ++i)
        h.push_back(floatToBf16(float(1 + i / kTile)));
      std::vector<float> out(kTurns * kTile, -1);
      auto tensor = [&](void *data) {
        TensorArg arg;
        arg.data = data;
        arg.shape = {kTurns, 128, 32};
        return arg;
      };
      std::vector<ArgValue> args = {tensor(h.data()), tensor(m.data()),
                                    tensor(out.data())};
      SmResult result = runSm(program.kernel(), args, scheduled(schedule, 3));
      INFO(variant.name << ", " << spelling(schedule).str() << "\n"
                        << texts(result));
      CHECK(count(result, SmProblem::Race) == int(variant.isRace));
      CHECK(result.reports.size() == size_t(variant.isRace));
      // Turn t stores the h of turn t - 1, which is t; overtaken, t + 2.
      for (int64_t turn = 0; turn < kTurns; ++turn)
        for (int64_t i = 0; i < kTile; ++i) {
          float value = out[turn * kTile + i];
          // A copy about to land may have destroyed what it will overwrite.
          bool canBe = value == float(turn) ||
                       (variant.isRace && std::isnan(value)) ||
                       (variant.isRace && turn > 0 && turn + 2 <= kTurns &&
                        value == float(turn + 2));
          if (!canBe)
            FAIL("turn " << turn << " stored " << value);
          if (schedule == SmSchedule::AdversarialEarly && variant.isRace &&
              turn > 0 && turn + 2 <= kTurns && value != float(turn + 2))
            FAIL("turn " << turn << " was not overtaken");
        }
    }
}
