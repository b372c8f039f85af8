// The state recurrence of correct_h0, lowered: results and silence in every
// schedule, and what happens without the fence before the release of h.
#include "test/unit/interp/sm/SmTestSupport.h"

#include <cmath>

using namespace tlc;
using namespace tlc::test;
using namespace tlc::interp;

namespace {
struct Form {
  const char *file;
  bool vk;
};
constexpr Form kForms[] = {
    {"state-kv", false}, {"state-vk", true}, {"state-kv-block", false}};

std::vector<std::vector<bool>> flagPatterns() {
  return {{},
          {true},
          {false, true},
          {false, false, false, false, false},
          {true, true, true, true, true},
          {true, false, true, true, false}};
}
} // namespace

TEST_CASE("virtual sm: the state recurrence is right and silent in every "
          "schedule",
          "[sm]") {
  for (const Form &form : kForms) {
    SmProgramText program = SmProgramText::fromFile(form.file);
    for (const std::vector<bool> &flags : flagPatterns())
      for (auto schedule : {SmSchedule::Canonical, SmSchedule::AdversarialEarly,
                            SmSchedule::AdversarialLate, SmSchedule::Seeded}) {
        StateData data(form.vk, flags);
        SmResult result =
            runSm(program.kernel(), data.args(), scheduled(schedule, 11));
        INFO(form.file << ", " << flags.size() << " turns, "
                       << spelling(schedule).str());
        INFO(texts(result));
        CHECK(result.status == SmStatus::Clean);
        CHECK(data.out == data.expected());
      }
  }
}

TEST_CASE("virtual sm: seeds give the same results", "[sm]") {
  for (const Form &form : kForms) {
    SmProgramText program = SmProgramText::fromFile(form.file);
    for (uint64_t seed = 1; seed <= 6; ++seed) {
      StateData data(form.vk, {true, false, true, false, false});
      SmResult result = runSm(program.kernel(), data.args(),
                              scheduled(SmSchedule::Seeded, seed));
      INFO(form.file << ", seed " << seed << "\n" << texts(result));
      CHECK(result.status == SmStatus::Clean);
      CHECK(data.out == data.expected());
    }
  }
}

namespace {
enum class Release { None, Bar, Membar, ProducerFence };

/// Replaces the fence between the last read of h and its release.
void replaceFence(SmProgramText &program, Release release) {
  tile::CopyOp read = program.copyFrom("h_shared");
  mlir::Operation *fence = read->getNextNode();
  REQUIRE(mlir::isa<sm::FenceProxyAsyncOp>(fence));
  mlir::OpBuilder b(fence);
  if (release == Release::Bar)
    sm::BarSyncOp::create(b, fence->getLoc(), 2, 128);
  if (release == Release::Membar)
    sm::MembarOp::create(b, fence->getLoc());
  fence->erase();
  if (release != Release::ProducerFence)
    return;
  for (auto wait : program.on<sm::MBarrierWaitOp>("h_shared_empty")) {
    b.setInsertionPointAfter(wait);
    sm::FenceProxyAsyncOp::create(b, wait.getLoc());
  }
}

/// With all flags off, the state stored in turn t is the h of turn t - 1; what
/// is stored if every read of h that can be overtaken is.
std::vector<float> overtaken(const StateData &data) {
  std::vector<float> out(128 * 32, 0.0f);
  size_t turns = data.flags.size();
  for (size_t turn = 1; turn < turns; ++turn) {
    size_t from = turn + 1 < turns ? turn + 1 : turn - 1;
    std::vector<float> state = data.stateOf(from);
    out.insert(out.end(), state.begin(), state.end());
  }
  return out;
}
} // namespace

TEST_CASE("virtual sm: without a proxy fence before the release of h the next "
          "h but one overtakes the read",
          "[sm]") {
  for (const Form &form : {kForms[0], kForms[1]})
    for (Release release : {Release::None, Release::Bar, Release::Membar}) {
      SmProgramText program = SmProgramText::fromFile(form.file);
      replaceFence(program, release);
      StateData data(form.vk, std::vector<bool>(6, false));
      SmResult result = runSm(program.kernel(), data.args(),
                              scheduled(SmSchedule::AdversarialEarly));
      INFO(form.file << ", release " << int(release) << "\n" << texts(result));
      REQUIRE(result.reports.size() == 1);
      const SmReport &report = result.reports.front();
      CHECK(report.kind == SmProblem::Race);
      CHECK(report.buffer == "h_shared");
      CHECK(report.slot == 0);
      CHECK(report.generation == 0);
      CHECK(report.missingProxyFence);
      CHECK(report.first == program.copyFrom("h_shared").getLoc());
      CHECK(report.second == program.all<sm::TmaLoadOp>().front().getLoc());
      CHECK(report.text.find("2 turns later") != std::string::npos);
      CHECK(report.text.find("h_shared_empty[0]") != std::string::npos);
      CHECK(data.out == overtaken(data));
    }
}

TEST_CASE("virtual sm: every schedule reports the unfenced release of h",
          "[sm]") {
  for (const Form &form : kForms)
    for (auto schedule : {SmSchedule::Canonical, SmSchedule::AdversarialLate,
                          SmSchedule::Seeded, SmSchedule::Exhaustive}) {
      SmProgramText program = SmProgramText::fromFile(form.file);
      replaceFence(program, Release::None);
      StateData data(form.vk, {false, true, false});
      SmOptions options = scheduled(schedule);
      options.maxStates = 500;
      SmResult result = runSm(program.kernel(), data.args(), options);
      INFO(form.file << ", " << spelling(schedule).str() << "\n"
                     << texts(result));
      CHECK(count(result, SmProblem::Race) == 1);
    }
}

TEST_CASE("virtual sm: a proxy fence of the producer after it has acquired the "
          "slot is accepted",
          "[sm]") {
  for (const Form &form : {kForms[0], kForms[1]})
    for (auto schedule :
         {SmSchedule::Canonical, SmSchedule::AdversarialEarly}) {
      SmProgramText program = SmProgramText::fromFile(form.file);
      replaceFence(program, Release::ProducerFence);
      StateData data(form.vk, {false, true, false, false, false});
      SmResult result =
          runSm(program.kernel(), data.args(), scheduled(schedule));
      INFO(texts(result));
      CHECK(result.status == SmStatus::Clean);
    }
}
