// Each slot is released after its last use, at the nesting depth of its wait
// (sync.md 3.3). A fence or an extern without a slot that follows the last use
// with nothing blocking between them keeps the slot too (sync.md 3.5): that is
// what its author meant.
#include "compiler/conversion/Conversion.h"
#include "compiler/conversion/TileToWS/Buffers.h"
#include "compiler/conversion/TileToWS/Paths.h"
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

/// `--war-fence delay`: the next wait for a slot lets the reads retire, since
/// the branch after it needs what they have loaded (sync.md 0.1); bar.sync and
/// waits for products do not. Null if the turn has none.
static Operation *findDelay(Operation *last) {
  for (Operation *op = last->getNextNode(); op; op = op->getNextNode())
    if (isa<ws::WaitOp>(op))
      return op;
  return nullptr;
}

/// The products in flight when the last reads of a slot are over: the slot is
/// released before the wait for them. Null if `last` is such a wait, or none
/// follows in its block.
static Operation *findFlight(Operation *last) {
  if (isa<ws::MmaWaitOp>(last))
    return nullptr;
  for (Operation *op = last->getNextNode(); op; op = op->getNextNode()) {
    if (isa<ws::MmaWaitOp>(op))
      return op;
    if (isOrderingOp(op) || isa<ws::WaitOp, ws::AcquireOp>(op))
      return nullptr;
  }
  return nullptr;
}

/// The last op in `block` by which an access of the slot in it is over; null
/// if none is in it.
static Operation *getLastUseIn(Block *block, ws::WaitOp wait) {
  Operation *last = nullptr;
  for (const SlotAccess &access : getSlotAccesses(wait)) {
    Operation *use = block->findAncestorOpInBlock(*getCompletion(access));
    if (use && (!last || last->isBeforeInBlock(use)))
      last = use;
  }
  return last;
}

static void createRelease(OpBuilder &b, Location loc, ws::WaitOp wait,
                          const std::string &reason) {
  auto ring = wait.getRing().getDefiningOp<ws::RingOp>();
  auto op =
      ws::ReleaseOp::create(b, loc, wait.getToken(), b.getStringAttr(reason),
                            /*fence=*/StringAttr());
  emitDecision(op, "release",
               "slot of '" + ring.getName() + "' released: " + reason);
}

/// Where a branch uses the slot last and then waits for products that do not
/// read it, the slot is released before that wait, and on the other path
/// (evidence/golden/correct_h0.md, rule 7).
static bool releaseEarly(ws::WaitOp wait, WarFence policy) {
  Operation *use = getLastUse(wait);
  auto branch = dyn_cast<scf::IfOp>(use);
  // What the program orders after the branch keeps the slot.
  if (extendToOrderingOps(use) != use)
    return false;
  if (policy == WarFence::Delay || (branch && branch.getNumResults() != 0))
    return false;
  Block *block = branch ? branch.thenBlock() : use->getBlock();
  Operation *last = branch ? getLastUseIn(block, wait) : use;
  if (!last ||
      (branch && branch.elseBlock() && getLastUseIn(branch.elseBlock(), wait)))
    return false;
  Operation *flight = findFlight(last);
  if (!flight)
    return false;
  OpBuilder b(flight);
  std::string used = "last used by the " + describeOp(last);
  createRelease(b, last->getLoc(), wait,
                used + ", before the wait for the products that follow");
  if (!branch)
    return true;
  b.setInsertionPointToStart(getOrCreateElse(branch));
  createRelease(b, branch.getLoc(), wait,
                "the branch that uses the slot is not taken");
  return true;
}

static void release(ws::WaitOp wait, WarFence policy, bool early) {
  if (early && releaseEarly(wait, policy))
    return;
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
  if (policy == WarFence::Delay && !ring.getGroups() &&
      hasGenericAccess(wait)) {
    if (Operation *delay = findDelay(after)) {
      after = delay;
      reason += ", delayed past the next wait";
    } else {
      reason += ", with no wait after it in the turn to delay it past";
    }
  }
  OpBuilder b(wait->getContext());
  b.setInsertionPointAfter(after);
  createRelease(b, use->getLoc(), wait, reason);
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
    getOperation().walk(
        [&](ws::WaitOp wait) { release(wait, *policy, early); });
  }
};
} // namespace
