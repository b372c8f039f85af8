// Entry points of the verifier and its pass.
#include "compiler/verify/Verify.h"

#include "compiler/verify/Obligations.h"
#include "compiler/verify/RoleWalk.h"

namespace tlc::verify {
#define GEN_PASS_DEF_RECORDSMORDERPASS
#define GEN_PASS_DEF_VERIFYSMPASS
#define GEN_PASS_DEF_VERIFYTHREADORDERPASS
#include "compiler/verify/Verify.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/verify/Verify.h.inc"
} // namespace tlc::verify

using namespace mlir;
using namespace tlc;
using namespace tlc::verify;

VerifyReport tlc::verify::verifySm(sm::LaunchOp launch,
                                   const target::TargetInfo &target) {
  VerifyReport report;
  Reporter reporter(report);
  Protocol protocol = discoverProtocol(launch, reporter);
  checkCounts(protocol, reporter);
  checkCounters(protocol, reporter);
  checkNamedBarriers(protocol, reporter);
  checkGridBarriers(protocol, reporter);
  checkLifetimes(protocol, target, reporter);
  checkRegisters(protocol, target, reporter);
  checkExtents(protocol, reporter);
  checkTileOwners(protocol, reporter);
  checkTensorOwners(protocol, reporter);
  for (const RoleInfo &role : protocol.roles)
    RoleWalk(protocol, role, reporter).run();
  checkHandOvers(protocol, reporter);
  // What is wrong already would be found again, in less telling words.
  if (!reporter.hasErrors())
    checkProgress(protocol, reporter);
  return report;
}

VerifyReport tlc::verify::verifySm(tile::KernelOp kernel,
                                   const target::TargetInfo &target) {
  VerifyReport all;
  kernel.walk([&](sm::LaunchOp launch) {
    VerifyReport report = verifySm(launch, target);
    all.errors += report.errors;
    llvm::append_range(all.notProved, report.notProved);
  });
  return all;
}

/// What is not proved is a remark, not a failure.
static LogicalResult conclude(const VerifyReport &report) {
  for (const Unproved &unproved : report.notProved)
    emitRemark(unproved.loc) << "not proved: " << unproved.why;
  return success(report.errors == 0);
}

namespace {
struct VerifySmPass : tlc::verify::impl::VerifySmPassBase<VerifySmPass> {
  using Base::Base;
  void runOnOperation() override {
    const target::TargetInfo *target = target::lookupTarget(arch);
    if (!target) {
      getOperation().emitError() << "unknown architecture '" << arch << "'";
      return signalPassFailure();
    }
    if (failed(conclude(verifySm(getOperation(), *target))))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};

struct RecordSmOrderPass
    : tlc::verify::impl::RecordSmOrderPassBase<RecordSmOrderPass> {
  using Base::Base;
  void runOnOperation() override {
    getOperation().walk([](sm::LaunchOp launch) { recordOrder(launch); });
  }
};

struct VerifyThreadOrderPass
    : tlc::verify::impl::VerifyThreadOrderPassBase<VerifyThreadOrderPass> {
  using Base::Base;
  void runOnOperation() override {
    getOperation().walk([&](sm::LaunchOp launch) {
      if (failed(conclude(verifyExpansion(launch))))
        signalPassFailure();
    });
  }
};
} // namespace

void tlc::verify::registerVerifyPasses() { registerTlcVerifyPasses(); }
