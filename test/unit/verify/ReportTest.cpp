// What a caller of the verifier gets: counts, places, words.
#include "compiler/verify/Verify.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "test/support/Catch.h"

using namespace mlir;
using namespace tlc;

/// One ring of one tile; %s is what lies between the read and the arrive.
static std::string makeProgram(const std::string &order) {
  return R"(
!x = memref<?x64xf32, #tile.space<global>>
!t = memref<8x64xf32, #tile.space<shared>>
!f = memref<8x64xf32, #tile.space<fragment>>
tile.kernel @k params ["x"] shapes [affine_map<()[n] -> (n, 64)>]
    symbols ["n"] {
^bb0(%x: !x, %n: i32):
  %c1 = arith.constant 1 : i32
  sm.launch grid(%c1) threads 160 program [128, 1, 1] shared 8224 {
  ^bb0(%bx: i32):
    %t = sm.shared "tile" offset 0 stages 2 slot_bytes 2048 : !t
    %full = sm.mbarrier "tile_full" offset 8192 stages 2 count 1
    %empty = sm.mbarrier "tile_empty" offset 8208 stages 2 count 128
    sm.elect {
      sm.mbarrier_init %full
      sm.mbarrier_init %empty
      sm.fence_mbarrier_init
    }
    sm.bar_sync 0 threads 160
    sm.role "reader" warps [0, 4] {
      %uses = sm.counter "uses" depth 2
      %c0 = arith.constant 0 : i32
      %f = tile.alloc "f" : !f
      scf.for %i = %c0 to %n step %c1 : i32 {
        %s = sm.counter_stage %uses
        %p = sm.counter_phase %uses
        sm.mbarrier_wait %full[%s] parity %p
        %slot = sm.slot %t[%s] : !t
        tile.copy %slot[%c0, %c0] [8, 64] to %f[%c0, %c0] [8, 64] : !t, !f
        )" +
         order + R"(
        sm.mbarrier_arrive %empty[%s]
        sm.counter_advance %uses
      }
    }
    sm.role "loader" warps [4, 1] {
      %fills = sm.counter "fills" depth 2
      sm.elect {
        %c0 = arith.constant 0 : i32
        scf.for %i = %c0 to %n step %c1 : i32 {
          %s = sm.counter_stage %fills
          %p = sm.counter_phase %fills
          sm.mbarrier_wait %empty[%s] parity %p invert
          %slot = sm.slot %t[%s] : !t
          sm.mbarrier_arrive_expect_tx %full[%s] bytes 2048
          sm.tma_load %x[%i, %c0] [8, 64] to %slot completes %full[%s] : !x, !t
          sm.counter_advance %fills
        }
      }
    }
  }
}
)";
}

namespace {
struct Outcome {
  verify::VerifyReport report;
  std::vector<std::string> messages;
};
} // namespace

static Outcome verifyText(const std::string &text) {
  MLIRContext context;
  context.loadDialect<tile::TileDialect, sm::SmDialect, arith::ArithDialect,
                      scf::SCFDialect>();
  Outcome outcome;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    outcome.messages.push_back(diagnostic.str());
    return success();
  });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  REQUIRE(module);
  REQUIRE(outcome.messages.empty());
  module->walk([&](tile::KernelOp kernel) {
    outcome.report = verify::verifySm(kernel, *target::lookupTarget("sm_90a"));
  });
  // Locations die with the context.
  for (verify::Unproved &unproved : outcome.report.notProved)
    outcome.messages.push_back("not proved: " + unproved.why);
  return outcome;
}

TEST_CASE("verify: a program in order is proved in silence", "[verify]") {
  Outcome outcome = verifyText(makeProgram("sm.fence_proxy_async"));
  CHECK(outcome.report.isProved());
  CHECK(outcome.messages.empty());
}

TEST_CASE("verify: a missing fence is one error that names both places",
          "[verify]") {
  for (const char *order : {"", "sm.membar", "sm.bar_sync 1 threads 128"}) {
    Outcome outcome = verifyText(makeProgram(order));
    CHECK(outcome.report.errors == 1);
    CHECK(outcome.report.notProved.empty());
    REQUIRE(outcome.messages.size() == 1);
    CHECK(outcome.messages[0].find(
              "the slot of 'tile' is handed back to the loader before the copy "
              "at line 29 is ordered: a proxy fence is missing between the "
              "copy and the arrive") == 0);
  }
}

TEST_CASE("verify: what is not decided is neither error nor proof",
          "[verify]") {
  Outcome outcome = verifyText(makeProgram(R"(
        %other = sm.counter_phase %uses
        sm.mbarrier_wait %empty[%s] parity %other invert)"));
  CHECK_FALSE(outcome.report.isProved());
}
