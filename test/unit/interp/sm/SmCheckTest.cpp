// Checks of whole kernels over trip counts, flags and schedules: the shipped
// kernels have nothing to report, a defect is found with its inputs.
#include "compiler/interp/SmCheck.h"
#include "compiler/driver/Compiler.h"
#include "dialects/sm/Sm.h"
#include "test/support/Catch.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::interp;

namespace {
class Lowered {
public:
  Lowered(const std::string &file, std::map<std::string, std::string> defines,
          bool specialize = true, WarFence fence = WarFence::Proxy) {
    CompileOptions options;
    options.defines = std::move(defines);
    options.warpSpecialize = specialize;
    options.warFence = fence;
    compilation = std::make_unique<Compilation>(options);
    REQUIRE(compilation->readFile(std::string(TLC_SOURCE) + "/" + file) ==
            Status::Ok);
    std::string text;
    llvm::raw_string_ostream out(text);
    if (compilation->print(Level::SM, out) != Status::Ok) {
      std::string errors;
      llvm::raw_string_ostream stream(errors);
      compilation->diagnostics().print(stream);
      FAIL(errors);
    }
  }
  tile::KernelOp kernel() {
    return *compilation->module().getOps<tile::KernelOp>().begin();
  }

private:
  std::unique_ptr<Compilation> compilation;
};

SmCheckOptions brief() {
  SmCheckOptions options;
  options.seconds = 30;
  return options;
}

void expectClean(const SmCheckResult &result) {
  for (const SmReport &report : result.reports)
    UNSCOPED_INFO(report.text);
  INFO(result.runs << " of " << result.planned << " runs in " << result.seconds
                   << " s, up to " << result.maxTurns << " turns");
  CHECK(result.status == SmStatus::Clean);
  CHECK(result.runs == result.planned);
  CHECK(result.searchedTurns == result.maxTurns);
  if (getenv("SM_CHECK_TIMES"))
    WARN(result.runs << " runs in " << result.seconds << " s, searched "
                     << result.searchedTurns << " turns, " << result.schedules
                     << " schedules");
}
} // namespace

TEST_CASE("virtual sm: every variant of correct_h0 is clean", "[sm][check]") {
  for (int variant = 0; variant < 16; ++variant) {
    auto flag = [&](int bit) { return variant >> bit & 1 ? "True" : "False"; };
    Lowered lowered("kernels/correct_h0/correct_h0.tl",
                    {{"H", "1"},
                     {"DV", "32"},
                     {"state_v_first", flag(0)},
                     {"reverse", flag(1)},
                     {"transpose_m", flag(2)},
                     {"use_raw_h0", flag(3)}});
    INFO("variant " << variant);
    SmCheckResult result = checkKernel(lowered.kernel(), brief());
    CHECK(result.hasFlags);
    CHECK(result.maxTurns >= 6);
    expectClean(result);
  }
}

TEST_CASE("virtual sm: gemm is clean at every depth, with and without roles",
          "[sm][check]") {
  for (const char *stages : {"1", "2", "3", "4"})
    for (bool specialize : {true, false}) {
      Lowered lowered("kernels/gemm/gemm.tl", {{"num_stages", stages}},
                      specialize);
      INFO(stages << " stages, roles " << specialize);
      expectClean(checkKernel(lowered.kernel(), brief()));
    }
}

TEST_CASE("virtual sm: a check finds a defect that needs two turns with the "
          "flag and names the inputs",
          "[sm][check]") {
  Lowered lowered("kernels/correct_h0/correct_h0.tl",
                  {{"H", "1"}, {"DV", "32"}});
  // Without the barrier before the stores to hd the product of the turn before
  // may still be reading it.
  Operation *bar = nullptr;
  lowered.kernel().walk([&](tile::CopyOp copy) {
    if (tile::getBufferName(copy.getDst()).find("hd") != std::string::npos ||
        (copy.getDst().getDefiningOp<sm::SharedOp>() &&
         copy.getDst().getDefiningOp<sm::SharedOp>().getName() == "hd_shared"))
      bar = copy->getPrevNode();
  });
  REQUIRE(bar);
  REQUIRE(isa<sm::BarSyncOp>(bar));
  bar->erase();
  SmCheckResult result = checkKernel(lowered.kernel(), brief());
  REQUIRE(result.status == SmStatus::Reported);
  const std::string &text = result.reports.front().text;
  INFO(text);
  CHECK(result.reports.front().buffer == "hd_shared");
  CHECK(text.find("turns, flags 11") != std::string::npos);
}

TEST_CASE("virtual sm: of the fences that can be asked for membar races",
          "[sm][check]") {
  for (auto fence :
       {WarFence::ProxyProducer, WarFence::Delay, WarFence::Membar})
    for (const char *vk : {"False", "True"}) {
      Lowered lowered("kernels/correct_h0/correct_h0.tl",
                      {{"H", "1"}, {"DV", "32"}, {"state_v_first", vk}}, true,
                      fence);
      SmCheckResult result = checkKernel(lowered.kernel(), brief());
      INFO("fence " << spelling(fence).str() << ", vk " << vk);
      if (fence != WarFence::Membar) {
        expectClean(result);
        continue;
      }
      REQUIRE(result.status == SmStatus::Reported);
      CHECK(result.reports.front().buffer == "h_shared");
      CHECK(result.reports.front().missingProxyFence);
    }
}
