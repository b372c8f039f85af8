// Each slot is released after its last use, at the nesting depth of its wait
// (sync.md 3.3). A fence or an extern without a slot that follows the last use
// with nothing blocking between them keeps the slot too (sync.md 3.5): that is
// what its author meant.
#include "compiler/conversion/Conversion.h"
#include "compiler/conversion/TileToWS/Buffers.h"
#include "compiler/conversion/TileToWS/Tokens.h"
#include "compiler/support/Remarks.h"

namespace tlc {
#define GEN_PASS_DEF_WSDERIVERELEASESPASS
#include "compiler/conversion/Conversion.h.inc"
} // namespace tlc

using namespace mlir;
using namespace tlc;

std::optional<WarFence> tlc::parseWarFence(StringRef name) {
  return llvm::StringSwitch<std::optional<WarFence>>(name)
      .Case("proxy", WarFence::Proxy)
      .Case("proxy-producer", WarFence::ProxyProducer)
      .Case("delay", WarFence::Delay)
      .Case("membar", WarFence::Membar)
      .Default(std::nullopt);
}

/// The last ordering op that belongs to a slot last used at `last`.
static Operation *extendToOrderingOps(Operation *last) {
  Operation *result = last;
  for (Operation *op = last->getNextNode(); op && !isBlocking(op);
       op = op->getNextNode())
    if (isOrderingOp(op))
      result = op;
  return result;
}

/// `--war-fence delay`: the next op at which this thread blocks lets the reads
/// retire; null if the turn has none.
static Operation *findDelay(Operation *last) {
  for (Operation *op = last->getNextNode(); op; op = op->getNextNode())
    if (isa<ws::WaitOp, ws::BarrierOp, ws::MmaWaitOp>(op))
      return op;
  return nullptr;
}

static void release(ws::WaitOp wait, WarFence policy) {
  auto ring = wait.getRing().getDefiningOp<ws::RingOp>();
  Operation *use = getLastUse(wait);
  Operation *after = extendToOrderingOps(use);
  std::string reason = use == wait
                           ? "the slot is not used"
                           : "last used by the " + describeLastUse(wait);
  if (after != use) {
    reason += ", ordered by the " + describeOp(after);
    if (isa<tile::CallExternOp>(after))
      emitMissedDecision(after, "release",
                         "an external function without a pointer is taken not "
                         "to touch '" +
                             ring.getName() +
                             "': T.access_ptr declares what it does");
  }
  // Threads that meet before they refill need no delay.
  if (policy == WarFence::Delay && !ring.getGroups() && hasGenericAccess(wait))
    if (Operation *delay = findDelay(after)) {
      after = delay;
      reason += ", delayed past the next wait";
    }
  OpBuilder b(wait->getContext());
  b.setInsertionPointAfter(after);
  auto op = ws::ReleaseOp::create(b, use->getLoc(), wait.getToken(),
                                  b.getStringAttr(reason),
                                  /*fence=*/StringAttr());
  emitDecision(op, "release",
               "slot of '" + ring.getName() + "' released: " + reason);
}

namespace {
struct WSDeriveReleasesPass
    : tlc::impl::WSDeriveReleasesPassBase<WSDeriveReleasesPass> {
  using Base::Base;
  void runOnOperation() override {
    std::optional<WarFence> policy = parseWarFence(fence);
    if (!policy) {
      getOperation().emitError() << "unknown fence policy '" << fence << "'";
      return signalPassFailure();
    }
    getOperation().walk([&](ws::WaitOp wait) { release(wait, *policy); });
  }
};
} // namespace
