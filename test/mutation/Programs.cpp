#include "test/mutation/Programs.h"

#include "compiler/target/TargetInfo.h"
#include "compiler/verify/Verify.h"

#include "llvm/Support/raw_ostream.h"

#include <chrono>

using namespace mlir;
using namespace tlc;
using namespace tlc::test;
using namespace tlc::interp;

LeverSet tlc::test::noLevers() {
  LeverSet none;
  for (const LeverText &lever : allLevers())
    none.disable(lever.lever);
  return none;
}

Program::Program(std::string name, const std::string &file,
                 std::map<std::string, std::string> defines, bool specialize,
                 bool cpAsync, LeverSet levers)
    : name(std::move(name)) {
  CompileOptions options;
  options.defines = std::move(defines);
  options.warpSpecialize = specialize;
  options.cpAsync = cpAsync;
  options.levers = levers;
  compilation = std::make_unique<Compilation>(std::move(options));
  REQUIRE(compilation->readFile(std::string(TLC_SOURCE) + "/" + file) ==
          Status::Ok);
  Status status = compilation->print(Level::SM, llvm::nulls());
  std::string errors;
  llvm::raw_string_ostream stream(errors);
  compilation->diagnostics().print(stream);
  INFO(this->name << "\n" << errors);
  REQUIRE(status == Status::Ok);
}

OwningOpRef<ModuleOp> Program::copy() const {
  return cast<ModuleOp>(compilation->module()->clone());
}

const std::vector<Program> &tlc::test::allPrograms() {
  static const std::vector<Program> programs = [] {
    const std::string state = "kernels/correct_h0/correct_h0.tl",
                      gemm = "kernels/gemm/gemm.tl";
    auto defines = [](const char *vFirst, const char *reverse) {
      return std::map<std::string, std::string>{{"H", "1"},
                                                {"DV", "32"},
                                                {"state_v_first", vFirst},
                                                {"reverse", reverse}};
    };
    std::vector<Program> all;
    all.emplace_back("kv", state, defines("False", "False"));
    all.emplace_back("kv-bwd", state, defines("False", "True"));
    all.emplace_back("vk", state, defines("True", "False"));
    all.emplace_back("vk-bwd", state, defines("True", "True"));
    all.emplace_back("kv-block", state, defines("False", "False"), false);
    all.emplace_back("kv-cp", state, defines("False", "False"), false, true);
    all.emplace_back("vk-cp", state, defines("True", "False"), false, true);
    std::map<std::string, std::string> sizes = {{"num_stages", "2"}};
    all.emplace_back("gemm", gemm, sizes);
    all.emplace_back("gemm-cp", gemm, sizes, false, true);
    auto best = [&](const char *name, const std::string &file,
                    const std::map<std::string, std::string> &values) {
      all.emplace_back(name, file, values, true, false, LeverSet());
    };
    best("kv-best", state, defines("False", "False"));
    best("kv-bwd-best", state, defines("False", "True"));
    best("vk-best", state, defines("True", "False"));
    best("vk-bwd-best", state, defines("True", "True"));
    best("gemm-best", gemm, sizes);
    auto narrow = [&](const char *reverse) {
      auto values = defines("False", reverse);
      values["DV"] = values["block_DV"] = "16";
      return values;
    };
    best("kv-ahead", state, narrow("False"));
    best("kv-bwd-ahead", state, narrow("True"));
    auto words = defines("False", "True");
    words["dtype"] = "float32";
    best("kv-words-best", state, words);
    sizes.insert({{"block_M", "192"}, {"threads", "384"}});
    all.emplace_back("gemm-three", gemm, sizes);
    sizes.clear();
    all.emplace_back("rounds", "test/mutation/Inputs/rounds.tl", sizes);
    sizes.clear();
    all.emplace_back("exchange", "test/mutation/Inputs/exchange.tl", sizes);
    all.emplace_back("stores", "test/mutation/Inputs/stores.tl", sizes);
    all.emplace_back("copy-ring", "test/exec/copy_ring.tl", sizes);
    all.emplace_back("stores-meet", "test/exec/stores_meet.tl", sizes);
    sizes = {{"y", "2"}, {"clock", "False"}};
    all.emplace_back("grid", "kernels/grid_barrier/grid_barrier.tl", sizes);
    return all;
  }();
  return programs;
}

const Program &tlc::test::programOf(StringRef name) {
  for (const Program &program : allPrograms())
    if (program.name == name)
      return program;
  FAIL("no program " << name.str());
  return allPrograms().front();
}

tile::KernelOp tlc::test::kernelOf(ModuleOp module) {
  return *module.getOps<tile::KernelOp>().begin();
}

static std::string spelling(SmProblem problem) {
  switch (problem) {
  case SmProblem::Race:
    return "race";
  case SmProblem::Deadlock:
    return "deadlock";
  case SmProblem::Barrier:
    return "barrier";
  case SmProblem::Convergence:
    return "convergence";
  case SmProblem::Register:
    return "register";
  case SmProblem::Lifetime:
    return "lifetime";
  case SmProblem::Budget:
    return "budget";
  case SmProblem::Fault:
    return "fault";
  }
  return "";
}

/// The first report of a run, or "-".
static std::string runOnce(tile::KernelOp kernel, ArrayRef<ArgValue> args,
                           SmSchedule schedule) {
  SmOptions options;
  options.schedule = schedule;
  options.seed = 5;
  options.tagsOnly = true;
  options.maxBlocks = 1;
  options.maxStates = 3000;
  auto begin = std::chrono::steady_clock::now();
  SmResult result = runSm(kernel, args, options);
  std::chrono::duration<double> spent =
      std::chrono::steady_clock::now() - begin;
  CHECK(result.status != SmStatus::Invalid);
  if (result.reports.empty())
    return "-";
  const SmReport &report = result.reports.front();
  if (report.kind == SmProblem::Deadlock) {
    CHECK(spent.count() < 1.0);
    INFO(report.text);
    CHECK((report.text.find("waits for") != std::string::npos ||
           report.text.find("wait at the grid barrier") != std::string::npos));
  }
  return spelling(report.kind);
}

static std::string runAll(tile::KernelOp kernel, SmSchedule schedule) {
  SmInputMaker inputs = makeCheckInputs(kernel);
  bool isSearch = schedule == SmSchedule::Exhaustive;
  // One more than a parity period, which loops over `count - 1` need.
  int64_t most = isSearch ? 4 : 7;
  for (int64_t turns = 0; turns <= most; ++turns)
    for (uint64_t flags : {~0ull, 0ull, 0x5555ull, 0xccccull}) {
      SmInputs made = inputs(turns, flags);
      std::string found = runOnce(kernel, made.args, schedule);
      if (found != "-")
        return found;
    }
  return "-";
}

Outcome tlc::test::examine(tile::KernelOp kernel) {
  verify::VerifyReport report =
      verify::verifySm(kernel, *target::lookupTarget("sm_90a"));
  Outcome outcome;
  outcome.verifier = report.errors              ? "error"
                     : report.notProved.empty() ? "-"
                                                : "not proved";
  for (auto [schedule, cell] : llvm::zip(kSchedules, outcome.machine))
    cell = runAll(kernel, schedule);
  return outcome;
}
