// V17 through the compiler: a defect in the fence of a slot is seen in the
// machine code that the defective program becomes.
#include "compiler/driver/Compiler.h"
#include "compiler/pipeline/Pipelines.h"
#include "compiler/target/cuda/CudaEmitter.h"
#include "test/support/Catch.h"
#include "test/support/mutations/Mutations.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tlc;

static bool haveNvrtc() {
  llvm::Expected<nvrtc::Version> found = nvrtc::version();
  if (found)
    return true;
  WARN("skipped: " << llvm::toString(found.takeError()));
  return false;
}

/// kernels/correct_h0 with float32 buffers, the paths that lose the race on
/// hardware: nothing uses the values of h before its release.
static CompileOptions stateOptions(const char *vFirst) {
  CompileOptions options;
  options.defines = {{"H", "1"},
                     {"state_v_first", vFirst},
                     {"reverse", "True"},
                     {"dtype", "float32"}};
  return options;
}

/// Compiles the `sm` program after a mutation and checks the cubin.
static MachineCode checkMutated(llvm::StringRef name, const char *vFirst,
                                WarFence policy, LeverSet levers = {}) {
  CompileOptions options = stateOptions(vFirst);
  options.warFence = policy;
  options.levers = levers;
  Compilation compilation(options);
  REQUIRE(compilation.readFile(
              TLC_SOURCE "/kernels/correct_h0/correct_h0.tl") == Status::Ok);
  REQUIRE(compilation.print(Level::SM, llvm::nulls()) == Status::Ok);
  ModuleOp module = compilation.module();
  auto kernel = *module.getOps<tile::KernelOp>().begin();
  if (!name.empty()) {
    const test::Mutation *mutation = test::findMutation(name);
    REQUIRE(mutation);
    REQUIRE(mutation->apply(kernel));
  }
  KernelReleases releases = describeReleases(kernel);
  PassManager pm(module.getContext());
  buildSMToThreads(pm, compilation.options());
  buildVerifyThreads(pm);
  buildThreadCleanup(pm);
  REQUIRE(succeeded(pm.run(module)));
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::SmallVector<cuda::KernelSignature, 1> functions;
  REQUIRE(succeeded(cuda::emitCuda(module, os, functions)));
  auto output = nvrtc::compile(text, "k.cu");
  if (!output)
    FAIL(llvm::toString(output.takeError()));
  return checkMachineCode(output->cubin, functions, releases, policy,
                          compilation.diagnostics());
}

TEST_CASE("machine code: a missing fence is found", "[sass]") {
  if (!haveNvrtc())
    return;
  for (const char *vFirst : {"False", "True"}) {
    INFO("state_v_first=" << vFirst);
    MachineCode correct = checkMutated("", vFirst, WarFence::Proxy);
    CHECK(correct.releases >= 1);
    CHECK(correct.findings == 0);
    CHECK(correct.notChecked.empty());
    for (const char *name :
         {"h-fence-dropped", "h-fence-membar", "h-fence-bar-sync",
          "h-fence-after-release", "h-fence-before-read"}) {
      INFO(name);
      CHECK(checkMutated(name, vFirst, WarFence::Proxy).findings >= 1);
    }
  }
}

TEST_CASE("machine code: the producer's fence is said, not checked", "[sass]") {
  if (!haveNvrtc())
    return;
  // Of all slots, and of one of two whose reads cannot be told apart.
  MachineCode all = checkMutated("", "False", WarFence::ProxyProducer);
  CHECK(all.findings == 0);
  CHECK(all.notChecked.size() == 2);
  LeverSet levers;
  levers.disable(Lever::ReadAhead);
  MachineCode code =
      checkMutated("h-fence-by-producer", "False", WarFence::Proxy, levers);
  CHECK(code.findings == 0);
  REQUIRE(code.notChecked.size() == 2);
  CHECK_THAT(code.notChecked[0],
             Catch::Contains("'h_shared' is on the producer's side"));
}

TEST_CASE("machine code: a cubin that cannot be read is said", "[sass]") {
  Compilation compilation(stateOptions("False"));
  REQUIRE(compilation.readFile(
              TLC_SOURCE "/kernels/correct_h0/correct_h0.tl") == Status::Ok);
  REQUIRE(compilation.print(Level::SM, llvm::nulls()) == Status::Ok);
  auto kernel = *compilation.module().getOps<tile::KernelOp>().begin();
  cuda::KernelSignature function;
  function.symbol = "correct_h0_kernel";
  MachineCode code =
      checkMachineCode("no cubin", function, describeReleases(kernel),
                       WarFence::Proxy, compilation.diagnostics());
  REQUIRE(code.notChecked.size() == 1);
  CHECK_THAT(code.notChecked[0], Catch::Contains("not a cubin"));
  CHECK_FALSE(compilation.diagnostics().hasErrors());
}
