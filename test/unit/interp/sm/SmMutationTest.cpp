// Defects put into correct programs: what the virtual SM says of each.
#include "test/unit/interp/sm/SmTestSupport.h"

#include <chrono>
#include <optional>

using namespace mlir;
using namespace tlc;
using namespace tlc::test;
using namespace tlc::interp;

namespace {
using Mutation = std::function<void(SmProgramText &)>;

struct Defect {
  const char *name;
  const char *file;
  std::vector<bool> flags;
  Mutation mutate;
  std::optional<SmProblem> kind; ///< nothing: depends on the schedule
  const char *says;              ///< in the report
};

scf::IfOp lastIf(SmProgramText &p) { return p.all<scf::IfOp>().back(); }

void moveIntoIf(Operation *op, scf::IfOp branch) {
  op->moveBefore(branch.thenBlock()->getTerminator());
}

std::vector<Defect> defects() {
  using P = SmProgramText;
  const std::vector<bool> off(4, false), on(4, true),
      mixed = {true, false, true, false};
  return {
      {"fence of h after its release", "state-kv", off,
       [](P &p) {
         Operation *fence = p.copyFrom("h_shared")->getNextNode();
         fence->moveAfter(p.on<sm::MBarrierArriveOp>("h_shared_empty")[0]);
       },
       SmProblem::Race, "h_shared"},
      {"fence of m dropped where the product reads it with ordinary loads",
       "state-vk", on,
       [](P &p) { p.all<sm::MmaOp>()[0]->getNextNode()->erase(); },
       SmProblem::Race, "m_shared"},
      {"m released before the product", "state-kv", on,
       [](P &p) {
         p.on<sm::MBarrierArriveOp>("m_shared_empty")[0]->moveBefore(lastIf(p));
       },
       SmProblem::Race, "m_shared"},
      {"wait that leaves a product running", "state-kv", on,
       [](P &p) { p.all<sm::WgmmaWaitOp>()[0].setPending(1); },
       SmProblem::Register, "'h'"},
      {"count 127", "state-kv", mixed,
       [](P &p) { p.barrier("h_shared_empty").setCount(127); },
       SmProblem::Barrier, "128 arrivals in a phase that needs 127"},
      {"count 1", "state-kv", mixed,
       [](P &p) { p.barrier("h_shared_empty").setCount(1); },
       SmProblem::Barrier, "32 arrivals in a phase that needs 1"},
      {"count 129", "state-kv", mixed,
       [](P &p) { p.barrier("h_shared_empty").setCount(129); },
       SmProblem::Deadlock, "lacks 1 of 129 arrivals, consumer made 128"},
      {"release of m skipped with the product", "state-kv", off,
       [](P &p) {
         moveIntoIf(p.on<sm::MBarrierArriveOp>("m_shared_empty")[0], lastIf(p));
       },
       SmProblem::Deadlock, "m_shared_empty"},
      {"wait for m skipped with the product", "state-kv", off,
       [](P &p) {
         Operation *wait = p.on<sm::MBarrierWaitOp>("m_shared_full")[0];
         wait->moveBefore(&lastIf(p).thenBlock()->front());
       },
       std::nullopt, "m_shared"},
      {"wait for m skipped in the last turn",
       "state-kv",
       {false},
       [](P &p) {
         Operation *wait = p.on<sm::MBarrierWaitOp>("m_shared_full")[0];
         wait->moveBefore(&lastIf(p).thenBlock()->front());
       },
       SmProblem::Lifetime,
       "nobody waits for the end"},
      {"parity of the producer not inverted", "state-kv", mixed,
       [](P &p) {
         p.on<sm::MBarrierWaitOp>("h_shared_empty")[0].setInvert(false);
       },
       SmProblem::Deadlock, "arrivals come from consumer"},
      {"parity of the consumer always 0", "state-kv", mixed,
       [](P &p) {
         auto wait = p.on<sm::MBarrierWaitOp>("h_shared_full")[0];
         OpBuilder b(wait);
         Value zero = arith::ConstantOp::create(b, wait.getLoc(),
                                                b.getI32IntegerAttr(0));
         wait.getParityMutable().assign(zero);
       },
       std::nullopt, "h_shared"},
      {"too few bytes expected", "state-kv", mixed,
       [](P &p) {
         p.on<sm::MBarrierArriveExpectTxOp>("h_shared_full")[0].setBytes(4096);
       },
       SmProblem::Barrier, "4096 bytes less than its copies bring"},
      {"too many bytes expected", "state-kv", mixed,
       [](P &p) {
         p.on<sm::MBarrierArriveExpectTxOp>("h_shared_full")[0].setBytes(16384);
       },
       SmProblem::Deadlock, "8192 bytes of bulk copies"},
      {"bytes expected by nobody", "state-kv", mixed,
       [](P &p) {
         p.on<sm::MBarrierArriveExpectTxOp>("h_shared_full")[0].erase();
       },
       SmProblem::Deadlock, "lacks 1 of 1 arrivals"},
      {"no barrier between the stores to hd and the product", "state-kv", on,
       [](P &p) { lastIf(p).thenBlock()->front().erase(); }, SmProblem::Race,
       "hd_shared"},
      {"no barrier between the product and the next stores to hd", "state-kv",
       on, [](P &p) { p.copyTo("hd_shared")->getPrevNode()->erase(); },
       SmProblem::Race, "hd_shared"},
      {"no fence between the stores to hd and wgmma", "state-kv", on,
       [](P &p) {
         // The one before the release of h orders these stores as well.
         p.copyTo("hd_shared")->getNextNode()->erase();
         p.copyFrom("h_shared")->getNextNode()->erase();
       },
       SmProblem::Race, "hd_shared"},
      {"barrier of the block in a role", "state-kv", on,
       [](P &p) {
         auto bar = cast<sm::BarSyncOp>(lastIf(p).thenBlock()->front());
         bar.setId(0);
         bar.setThreads(192);
       },
       SmProblem::Deadlock, "bar.sync 0 of 192 threads, 64 are missing"},
      {"two rings in the same bytes", "state-kv", mixed,
       [](P &p) { p.tile("h_shared").setOffset(0); }, SmProblem::Race,
       "the first names these bytes"},
      {"no wgmma fence", "state-kv", on,
       [](P &p) { p.all<sm::WgmmaFenceOp>()[0].erase(); }, SmProblem::Register,
       "no wgmma_fence"},
      {"one warp issues no wgmma", "state-kv", on,
       [](P &p) {
         // Warp 3 skips the product and its wait: the others wait for it.
         auto wgmma = p.all<sm::WgmmaOp>()[0];
         OpBuilder b(wgmma);
         auto role = sm::RoleOp::create(b, wgmma.getLoc(), "three",
                                        ArrayRef<int64_t>{0, 3});
         role.getBody().emplaceBlock();
         wgmma->moveBefore(&role.getBody().front(),
                           role.getBody().front().end());
       },
       SmProblem::Deadlock, "to issue the same wgmma"},
      {"h read without a wait", "state-kv", off,
       [](P &p) { p.on<sm::MBarrierWaitOp>("h_shared_full")[0].erase(); },
       SmProblem::Race, "h_shared"},
      {"producer does not wait", "state-kv", off,
       [](P &p) { p.on<sm::MBarrierWaitOp>("h_shared_empty")[0].erase(); },
       std::nullopt, "h_shared"},
      {"fence of h dropped without roles", "state-kv-block", off,
       [](P &p) { p.copyFrom("h_shared")->getNextNode()->erase(); },
       SmProblem::Race, "h_shared"},
  };
}

bool isReported(const SmResult &result, const Defect &defect) {
  for (const SmReport &report : result.reports)
    if ((!defect.kind || report.kind == *defect.kind) &&
        report.text.find(defect.says) != std::string::npos)
      return true;
  return false;
}
} // namespace

TEST_CASE("virtual sm: every defect is reported as what it is", "[sm]") {
  for (const Defect &defect : defects())
    for (auto schedule : {SmSchedule::Canonical, SmSchedule::AdversarialEarly,
                          SmSchedule::AdversarialLate, SmSchedule::Seeded}) {
      SmProgramText program = SmProgramText::fromFile(defect.file);
      defect.mutate(program);
      StateData data(std::string(defect.file) == "state-vk", defect.flags);
      auto start = std::chrono::steady_clock::now();
      SmResult result =
          runSm(program.kernel(), data.args(), scheduled(schedule, 5));
      std::chrono::duration<double> spent =
          std::chrono::steady_clock::now() - start;
      INFO(defect.name << ", " << spelling(schedule).str() << "\n"
                       << texts(result));
      CHECK(result.status == SmStatus::Reported);
      CHECK(isReported(result, defect));
      CHECK(spent.count() < 1.0);
    }
}

TEST_CASE("virtual sm: a deadlock names who waits for whom", "[sm]") {
  SmProgramText program = SmProgramText::fromFile("state-kv");
  program.barrier("h_shared_empty").setCount(129);
  StateData data(false, std::vector<bool>(6, false));
  SmResult result =
      runSm(program.kernel(), data.args(), scheduled(SmSchedule::Canonical));
  REQUIRE(result.reports.size() == 1);
  const SmReport &report = result.reports.front();
  CHECK(report.kind == SmProblem::Deadlock);
  for (const char *part :
       {"consumer (warp 0, 1, 2, 3) waits for 'h_shared_full[0]'",
        "arrivals come from load_h_shared",
        "load_h_shared (warp 4) waits for 'h_shared_empty[0]'",
        "the next one lacks 1 of 129 arrivals, consumer made 128",
        "load_m_shared (warp 5) waits for 'm_shared_empty[0]'",
        "cycle    consumer -> h_shared_full[0] -> load_h_shared -> "
        "h_shared_empty[0] -> consumer",
        "replay   schedule canonical"}) {
    INFO(report.text);
    CHECK(report.text.find(part) != std::string::npos);
  }
}

TEST_CASE("virtual sm: loops without end are given up", "[sm]") {
  SmProgramText program(R"(
tile.kernel @spin params [] shapes [] symbols [] {
^bb0:
  %one = arith.constant 1 : i32
  sm.launch grid(%one) threads 32 program [32, 1, 1] shared 0 {
  ^bb0(%bx: i32):
    scf.while : () -> () {
      %true = arith.constant true
      scf.condition(%true)
    } do {
      scf.yield
    }
  }
})");
  SmOptions options;
  options.stepBudget = 1000;
  SmResult result = runSm(program.kernel(), {}, options);
  CHECK(count(result, SmProblem::Budget) == 1);
}
