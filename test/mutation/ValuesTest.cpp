// Without the proxy fence before the release of h the virtual SM computes what
// the hardware did: each read of h takes the chunk of two turns later.
#include "test/mutation/Programs.h"
#include "test/support/mutations/Mutations.h"

#include "compiler/interp/TileInterpElement.h"

#include <fstream>
#include <random>

using namespace mlir;
using namespace tlc;
using namespace tlc::test;
using namespace tlc::interp;

static constexpr int64_t kCount = 7, kState = 128 * 32, kMatrix = 128 * 128;

namespace {
/// Inputs of correct_h0 for one sequence of kCount segments, no flag set.
struct State {
  std::vector<uint16_t> h, m;
  std::vector<uint8_t> mask;
  std::vector<int32_t> first = {0, int32_t(kCount)};
  std::vector<float> out;
  bool vk;

  explicit State(bool vk) : vk(vk) {
    std::mt19937 random(3);
    std::uniform_real_distribution<float> unit(-1, 1);
    for (int64_t i = 0; i < kCount * kState; ++i)
      h.push_back(floatToBf16(unit(random)));
    m.assign(kCount * kMatrix, 0);
    mask.assign(kCount, 0);
    out.assign(kCount * kState, -7);
  }

  std::vector<ArgValue> args() {
    int64_t rows = vk ? 32 : 128, columns = vk ? 128 : 32;
    auto tensor = [](void *data, llvm::ArrayRef<int64_t> shape) {
      TensorArg arg;
      arg.data = data;
      arg.shape.assign(shape.begin(), shape.end());
      return arg;
    };
    return {tensor(h.data(), {kCount, 1, rows, columns}),
            tensor(m.data(), {kCount, 1, 128, 128}),
            tensor(mask.data(), {kCount, 1}), tensor(first.data(), {2}),
            tensor(out.data(), {kCount, 1, rows, columns})};
  }
};
} // namespace

/// What is stored if the read of turn t takes the h of turn t + `ahead`, where
/// there is such a turn: after the h of turn t comes out in turn t + 1.
static std::vector<float> expected(const State &state, bool reverse,
                                   int64_t ahead) {
  auto chunk = [&](int64_t turn) { return reverse ? kCount - 1 - turn : turn; };
  constexpr int64_t turns = kCount - 1;
  std::vector<float> out(kCount * kState, 0);
  for (int64_t turn = 0; turn < turns; ++turn) {
    int64_t from = turn + ahead < turns ? turn + ahead : turn;
    for (int64_t i = 0; i < kState; ++i)
      out[chunk(turn + 1) * kState + i] =
          bf16ToFloat(state.h[chunk(from) * kState + i]);
  }
  return out;
}

/// "correct_h0.tl:N" of the line with this text.
static std::string lineOf(const std::string &text) {
  std::ifstream file(std::string(TLC_SOURCE) +
                     "/kernels/correct_h0/correct_h0.tl");
  std::string line;
  for (int number = 1; std::getline(file, line); ++number)
    if (line.find(text) != std::string::npos)
      return "correct_h0.tl:" + std::to_string(number);
  return "no such line";
}

static SmResult runEarly(ModuleOp module, State &state) {
  SmOptions options;
  options.schedule = SmSchedule::AdversarialEarly;
  return runSm(kernelOf(module), state.args(), options);
}

TEST_CASE("mutation: an unfenced release gives the values of two turns later",
          "[mutation]") {
  for (const char *name : {"kv", "kv-bwd", "vk", "vk-bwd"})
    for (const char *defect : {"h-fence-dropped", "h-fence-clobber",
                               "h-fence-bar-sync", "h-fence-membar"}) {
      bool reverse = StringRef(name).ends_with("bwd");
      OwningOpRef<ModuleOp> module = programOf(name).copy();
      REQUIRE(findMutation(defect)->apply(kernelOf(*module)));
      State state(StringRef(name).starts_with("vk"));
      SmResult result = runEarly(*module, state);
      INFO(name << ", " << defect);
      REQUIRE(result.reports.size() == 1);
      const SmReport &report = result.reports.front();
      INFO(report.text);
      CHECK(report.buffer == "h_shared");
      CHECK(report.slot == 0);
      CHECK(report.missingProxyFence);
      for (const std::string &part :
           {std::string("h_shared, slot 0"), lineOf("T.copy(h_shared, h)"),
            lineOf("T.copy(ht["), std::string("2 turns later")})
        CHECK(report.text.find(part) != std::string::npos);
      CHECK(state.out == expected(state, reverse, 2));
    }
}

TEST_CASE("mutation: with a proxy fence on either side the values are right",
          "[mutation]") {
  for (const char *name : {"kv", "kv-bwd", "vk", "vk-bwd"})
    for (const char *control :
         {"", "h-fence-by-producer", "h-release-delayed"}) {
      OwningOpRef<ModuleOp> module = programOf(name).copy();
      if (*control)
        REQUIRE(findMutation(control)->apply(kernelOf(*module)));
      State state(StringRef(name).starts_with("vk"));
      SmResult result = runEarly(*module, state);
      INFO(name << ", " << control);
      CHECK(result.status == SmStatus::Clean);
      CHECK(state.out == expected(state, StringRef(name).ends_with("bwd"), 0));
    }
}
