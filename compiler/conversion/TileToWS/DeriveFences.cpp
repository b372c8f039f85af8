// A slot that was read or written through the generic proxy and is refilled
// through the async proxy needs a proxy fence between the last such access and
// the refill, in each accessing thread (sync.md 0, 3.4). membar.cta is none.
//
// The fence goes directly before the release, or, if every generic access lies
// in one branch, to the end of that branch. A fence that the program wrote in
// that place is the fence; a fence in a function that it calls is text that
// nothing here relies on.
#include "compiler/conversion/Conversion.h"
#include "compiler/conversion/TileToWS/Buffers.h"
#include "compiler/conversion/TileToWS/Helpers.h"
#include "compiler/conversion/TileToWS/Tokens.h"
#include "compiler/support/Remarks.h"

namespace tlc {
#define GEN_PASS_DEF_WSDERIVEFENCESPASS
#include "compiler/conversion/Conversion.h.inc"
} // namespace tlc

using namespace mlir;
using namespace tlc;

namespace {

/// Where a fence for a slot has to lie: after `last`, before the end of
/// `block` or before `release`.
struct FencePlace {
  Block *block;
  Operation *last;
};

/// Descends from the block of the wait into the one branch, if it is one, that
/// holds all generic accesses.
FencePlace findPlace(ws::WaitOp wait) {
  SmallVector<Operation *> accesses;
  for (const SlotAccess &access : getSlotAccesses(wait))
    if (access.effect.proxy == tile::Proxy::Generic)
      accesses.push_back(access.op);
  FencePlace place{wait->getBlock(), nullptr};
  while (true) {
    place.last = nullptr;
    for (Operation *access : accesses) {
      Operation *op = getAncestorIn(place.block, access);
      if (!place.last || place.last->isBeforeInBlock(op))
        place.last = op;
    }
    auto branch = dyn_cast<scf::IfOp>(place.last);
    bool alone = branch && llvm::all_of(accesses, [&](Operation *access) {
                   return branch.thenBlock()->findAncestorOpInBlock(*access);
                 });
    if (!alone)
      return place;
    place.block = branch.thenBlock();
  }
}

/// A proxy fence of the program between the last access and the release.
ws::FenceOp findSourceFence(const FencePlace &place, ws::ReleaseOp release) {
  for (Operation *op = place.last->getNextNode(); op && op != release;
       op = op->getNextNode())
    if (auto fence = dyn_cast<ws::FenceOp>(op))
      if (fence.getSource() && fence.getKind() == ws::FenceKind::ProxyAsync)
        return fence;
  return nullptr;
}

class FenceDeriver {
public:
  FenceDeriver(tile::KernelOp kernel, WarFence policy)
      : kernel(kernel), policy(policy) {}

  void run() {
    materialiseSourceFences();
    kernel.walk([&](ws::WaitOp wait) {
      if (wait.getRing().getDefiningOp<ws::RingOp>().getGroups())
        return decide(wait, "none",
                      "'" + getRingName(wait) +
                          "' is refilled by cp.async, through the generic "
                          "proxy, after a barrier of the threads");
      if (!hasGenericAccess(wait))
        return decide(wait, "none", describeAsyncUse(wait));
      if (policy == WarFence::ProxyProducer)
        fenceInProducer(wait);
      else
        fence(wait);
    });
    kernel.walk([&](ws::AcquireOp acquire) {
      if (fencedRings.contains(acquire.getRing()))
        fenceProducer(acquire);
    });
  }

private:
  /// From here on a fence is a ws op, whoever asked for it.
  void materialiseSourceFences() {
    kernel.walk([&](tile::FenceProxyAsyncOp written) {
      OpBuilder b(written);
      ws::FenceOp::create(b, written.getLoc(), ws::FenceKind::ProxyAsync,
                          ValueRange(), /*source=*/true,
                          b.getStringAttr("written in the program"));
      written.erase();
    });
  }

  static std::string getRingName(ws::WaitOp wait) {
    return wait.getRing().getDefiningOp<ws::RingOp>().getName().str();
  }

  static std::string describeGenericUse(ws::WaitOp wait, Operation *last) {
    return "'" + getRingName(wait) + "' is read by the " + describeOp(last) +
           " through the generic proxy and refilled by TMA";
  }

  /// Why a slot without generic accesses needs no fence.
  static std::string describeAsyncUse(ws::WaitOp wait) {
    SmallVector<SlotAccess> accesses = getSlotAccesses(wait);
    if (accesses.empty())
      return "nothing reads the slot";
    return "'" + getRingName(wait) + "' is read only by the " +
           describeOp(accesses.back().op) +
           " through the async proxy, whose completion wait comes before the "
           "release";
  }

  /// Where a fence is that does not stand before its release.
  static std::string describeBranch(const FencePlace &place,
                                    ws::ReleaseOp release) {
    if (place.block == release->getBlock())
      return "";
    return "; it stands at the end of the " +
           describeOp(place.block->getParentOp()) +
           ", outside of which nothing reads the slot so";
  }

  /// Writes the decision about a slot where the slot is released.
  static void decide(ws::WaitOp wait, StringRef kind, const Twine &why) {
    ws::ReleaseOp release = getRelease(wait);
    std::string text = (kind + ": " + why).str();
    release.setFence(text);
    emitDecision(release, "fence",
                 "fence of the slot of '" + getRingName(wait) + "': " + text);
  }

  void fenceInProducer(ws::WaitOp wait) {
    fencedRings.insert(wait.getRing());
    decide(wait, "producer",
           describeGenericUse(wait, findPlace(wait).last) +
               "; the thread that refills it fences after its acquire");
  }

  void fence(ws::WaitOp wait) {
    ws::ReleaseOp release = getRelease(wait);
    FencePlace place = findPlace(wait);
    std::string why = describeGenericUse(wait, place.last);
    if (ws::FenceOp fence = findSourceFence(place, release)) {
      fence.setReason(fence.getReason().value_or("").str() +
                      "; protects the slot of '" + getRingName(wait) + "'");
      return decide(wait, "source",
                    why + "; the program fences at " +
                        describeLine(fence.getLoc()));
    }
    // A release that was moved past a wait needs none.
    if (policy == WarFence::Delay && isDelayed(place, release))
      return decide(wait, "none",
                    why + ", but the release was delayed past the next wait");
    OpBuilder b(wait->getContext());
    if (place.block == release->getBlock())
      b.setInsertionPoint(release);
    else
      b.setInsertionPoint(place.block->getTerminator());
    bool membar = policy == WarFence::Membar;
    if (!membar)
      why += describeHelpers(wait, place, release);
    auto op = ws::FenceOp::create(
        b, place.last->getLoc(),
        membar ? ws::FenceKind::Membar : ws::FenceKind::ProxyAsync,
        wait.getViews(), /*source=*/false, b.getStringAttr(why));
    decide(wait, membar ? "membar" : "derived",
           why + describeBranch(place, release));
    if (membar)
      op.emitWarning() << "membar.cta does not protect the slot of '"
                       << getRingName(wait)
                       << "': it is known to give wrong results and exists "
                          "only to reproduce a report";
  }

  /// What functions of the program that stand between the last access and the
  /// release do about order. A fence that orders no proxies is worth a remark:
  /// it is the repair that was adopted once and fails.
  static std::string describeHelpers(ws::WaitOp wait, const FencePlace &place,
                                     ws::ReleaseOp release) {
    std::string text;
    for (tile::CallExternOp call : findThreadFences(place.last, release)) {
      text += "; the " + describeOp(call) +
              " asks for a fence of threads (membar.cta), which does not order "
              "proxies";
      call.emitRemark() << "'" << call.getCallee()
                        << "' asks for a fence of threads, which does not "
                           "order the reads of '"
                        << getRingName(wait) << "' before TMA refills the slot";
    }
    auto call = dyn_cast<tile::CallExternOp>(place.last);
    if (call && findHelperFence(call) == HelperFence::Proxy)
      text += "; the function has a proxy fence of its own, which is text that "
              "is not relied on";
    return text;
  }

  /// Every path from the last access to the release meets a wait for a slot.
  static bool isDelayed(const FencePlace &place, ws::ReleaseOp release) {
    for (Operation *at = place.last; at; at = at->getParentOp()) {
      for (Operation *op = at->getNextNode(); op; op = op->getNextNode()) {
        if (op == release)
          return false;
        if (isa<ws::WaitOp>(op))
          return true;
      }
      if (at->getBlock() == release->getBlock())
        return false;
    }
    return false;
  }

  /// The model accepts the fence on the side of the refill as well: the issuing
  /// thread lifts what it has acquired into the async proxy (sync.md 2.4).
  void fenceProducer(ws::AcquireOp acquire) {
    OpBuilder b(acquire->getContext());
    b.setInsertionPointAfter(acquire);
    std::string ring =
        acquire.getRing().getDefiningOp<ws::RingOp>().getName().str();
    ws::FenceOp::create(
        b, acquire.getLoc(), ws::FenceKind::ProxyAsync, acquire.getViews(),
        /*source=*/false,
        b.getStringAttr("'" + ring + "' was read through the generic proxy"));
  }

  tile::KernelOp kernel;
  WarFence policy;
  llvm::DenseSet<Value> fencedRings;
};

struct WSDeriveFencesPass
    : tlc::impl::WSDeriveFencesPassBase<WSDeriveFencesPass> {
  using Base::Base;
  void runOnOperation() override {
    std::optional<WarFence> policy = parseWarFence(fence);
    if (!policy) {
      getOperation().emitError() << "unknown fence policy '" << fence << "'";
      return signalPassFailure();
    }
    FenceDeriver(getOperation(), *policy).run();
  }
};

} // namespace
