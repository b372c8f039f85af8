// The list of passes.
#include "compiler/pipeline/Pipelines.h"

#include "compiler/conversion/SMToThreads/SMToThreads.h"
#include "compiler/transforms/Passes.h"
#include "compiler/verify/Verify.h"

#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace tlc {

llvm::StringRef spelling(WarFence fence) {
  switch (fence) {
  case WarFence::Proxy:
    return "proxy";
  case WarFence::ProxyProducer:
    return "proxy-producer";
  case WarFence::Delay:
    return "delay";
  case WarFence::Membar:
    return "membar";
  }
  return "proxy";
}

static OpPassManager &onKernels(OpPassManager &pm) {
  return pm.nest<tile::KernelOp>();
}

void buildTileCleanup(OpPassManager &pm) {
  OpPassManager &kernels = onKernels(pm);
  // Fold constants and drop what nothing uses.
  kernels.addPass(createCanonicalizerPass());
  // One computation for equal index expressions.
  kernels.addPass(createCSEPass());
}

void buildTileDecisions(OpPassManager &pm, const CompileOptions &options) {
  OpPassManager &kernels = onKernels(pm);
  // The instruction of each copy and product.
  tile::TileSelectInstructionsPassOptions select;
  select.arch = options.arch;
  select.cpAsync = options.cpAsync && !options.warpSpecialize;
  select.disable = options.levers.disabledText();
  kernels.addPass(tile::createTileSelectInstructionsPass(select));
  // Which fragments leave by TMA.
  if (options.levers.isOn(Lever::StagedStore) && !select.cpAsync) {
    TileStageStoresPassOptions stage;
    stage.arch = options.arch;
    kernels.addPass(createTileStageStoresPass(stage));
  }
  // Where elements live and which thread moves them.
  tile::TileInferLayoutsPassOptions layouts;
  layouts.arch = options.arch;
  layouts.disable = options.levers.disabledText();
  kernels.addPass(tile::createTileInferLayoutsPass(layouts));
  // Rings, and whether the launch is specialised.
  TilePlanPipelinesPassOptions plan;
  plan.warpSpecialize = options.warpSpecialize;
  plan.guardLoads = options.levers.isOn(Lever::GuardLoads);
  plan.delay = options.warFence == WarFence::Delay;
  kernels.addPass(createTilePlanPipelinesPass(plan));
}

void buildTileToWS(OpPassManager &pm, const CompileOptions &options) {
  OpPassManager &kernels = onKernels(pm);
  // Roles and rings.
  ConvertTileToWSPassOptions roles;
  roles.arch = options.arch;
  roles.deeperRings = options.levers.isOn(Lever::RingDepth);
  roles.producerPerRing = options.levers.isOn(Lever::RingProducers);
  kernels.addPass(createConvertTileToWSPass(roles));
  // Flags come one turn ahead.
  if (options.levers.isOn(Lever::PrefetchGuards))
    kernels.addPass(createWSPrefetchGuardsPass());
  // Waits for asynchronous products.
  kernels.addPass(createWSDeriveCompletionsPass());
  // Waits for tensor stores.
  kernels.addPass(createWSDeriveStoresPass());
  // Each slot goes back after its last use.
  WSDeriveReleasesPassOptions releases;
  releases.fence = spelling(options.warFence).str();
  releases.early = options.levers.isOn(Lever::EarlyRelease);
  kernels.addPass(createWSDeriveReleasesPass(releases));
  // Slots are read one turn early. The reproduction of a report stays as it is.
  if (options.levers.isOn(Lever::ReadAhead) &&
      options.warFence != WarFence::Membar) {
    WSReadAheadPassOptions ahead;
    ahead.arch = options.arch;
    kernels.addPass(createWSReadAheadPass(ahead));
  }
  // Proxy fences before asynchronous refills.
  WSDeriveFencesPassOptions fences;
  fences.fence = spelling(options.warFence).str();
  kernels.addPass(createWSDeriveFencesPass(fences));
  // Barriers between the threads of a role.
  kernels.addPass(createWSDeriveBarriersPass());
  // One fence where two follow each other.
  if (options.levers.isOn(Lever::MergeFences))
    kernels.addPass(createWSMergeFencesPass());
  // What was read early is converted where a product takes it.
  if (options.levers.isOn(Lever::ReadAhead))
    kernels.addPass(createWSSinkCopiesPass());
}

void buildWSToSM(OpPassManager &pm, const CompileOptions &options) {
  OpPassManager &kernels = onKernels(pm);
  // Rings become mbarriers and slots; shared memory is planned.
  ConvertWSToSMPassOptions lower;
  lower.arch = options.arch;
  kernels.addPass(createConvertWSToSMPass(lower));
}

void buildVerifySM(OpPassManager &pm, const CompileOptions &options) {
  verify::VerifySmPassOptions verifier;
  verifier.arch = options.arch;
  onKernels(pm).addPass(verify::createVerifySmPass(verifier));
}

void buildSMToThreads(OpPassManager &pm, const CompileOptions &options) {
  OpPassManager &kernels = onKernels(pm);
  // What the expansion must not change.
  kernels.addPass(verify::createRecordSmOrderPass());
  // Fragments become registers, tile actions instructions.
  sm::ConvertSmToThreadsPassOptions expand;
  expand.uniformAddresses = options.levers.isOn(Lever::UniformAddresses);
  kernels.addPass(sm::createConvertSmToThreadsPass(expand));
}

void buildVerifyThreads(OpPassManager &pm) {
  onKernels(pm).addPass(verify::createVerifyThreadOrderPass());
}

void buildThreadCleanup(OpPassManager &pm) {
  OpPassManager &kernels = onKernels(pm);
  // Fold index arithmetic and share it.
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
}

namespace {
struct Tracer : PassInstrumentation {
  Tracer(std::string folder, unsigned &next)
      : folder(std::move(folder)), next(next) {}

  void runAfterPass(Pass *pass, Operation *op) override { write(pass, op, ""); }
  void runAfterPassFailed(Pass *pass, Operation *op) override {
    write(pass, op, "-failed");
  }

private:
  void write(Pass *pass, Operation *op, StringRef suffix) {
    StringRef argument = pass->getArgument();
    if (argument.empty()) // an adaptor that runs nested passes
      return;
    llvm::SmallString<128> path(folder);
    std::string name =
        std::to_string(next) + "-" + argument.str() + suffix.str();
    if (next < 10)
      name.insert(0, "0");
    ++next;
    llvm::sys::path::append(path, name + ".mlir");
    std::error_code error;
    llvm::raw_fd_ostream os(path, error);
    if (!error)
      os << *op << "\n";
  }

  std::string folder;
  unsigned &next;
};
} // namespace

void traceTo(PassManager &pm, StringRef folder, unsigned &next) {
  pm.addInstrumentation(std::make_unique<Tracer>(folder.str(), next));
}

} // namespace tlc
