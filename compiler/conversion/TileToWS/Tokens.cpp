// Uses of slots: liveness on the structured program (sync.md 3.3).
#include "compiler/conversion/TileToWS/Tokens.h"

#include "compiler/conversion/TileToWS/Buffers.h"

using namespace mlir;
using namespace tlc;

SmallVector<SlotAccess> tlc::getSlotAccesses(ws::WaitOp wait) {
  SmallVector<SlotAccess> result;
  for (Value view : wait.getViews())
    for (Operation *op : getAccesses(view)) {
      SmallVector<tile::Effect> effects;
      cast<tile::EffectsOpInterface>(op).getTileEffects(effects);
      for (const tile::Effect &effect : effects)
        if (effect.buffer == view)
          result.push_back({op, effect});
    }
  return result;
}

bool tlc::hasGenericAccess(ws::WaitOp wait) {
  return llvm::any_of(getSlotAccesses(wait), [](const SlotAccess &access) {
    return access.effect.proxy == tile::Proxy::Generic;
  });
}

Operation *tlc::getCompletion(const SlotAccess &access) {
  if (access.effect.completion == tile::Completion::BulkGroup) {
    for (Operation *next = access.op->getNextNode(); next;
         next = next->getNextNode())
      if (auto wait = dyn_cast<ws::StoreWaitOp>(next);
          wait && llvm::is_contained(wait.getDone(), access.effect.buffer))
        return next;
    return access.op;
  }
  if (access.effect.completion != tile::Completion::WgmmaGroup)
    return access.op;
  for (Operation *next = access.op->getNextNode(); next;
       next = next->getNextNode())
    if (isa<ws::MmaWaitOp>(next))
      return next;
  return access.op;
}

Operation *tlc::getLastUse(ws::WaitOp wait) {
  Operation *last = wait;
  for (const SlotAccess &access : getSlotAccesses(wait)) {
    Operation *use = getAncestorIn(wait->getBlock(), getCompletion(access));
    if (use && last->isBeforeInBlock(use))
      last = use;
  }
  return last;
}

std::string tlc::describeLastUse(ws::WaitOp wait) {
  Operation *last = getLastUse(wait);
  Operation *access = nullptr, *end = nullptr;
  for (const SlotAccess &candidate : getSlotAccesses(wait)) {
    Operation *completion = getCompletion(candidate);
    if (!last->isAncestor(completion))
      continue;
    // Inside a branch or loop, the access that comes last as text.
    if (!end || end->getBlock() != completion->getBlock() ||
        end->isBeforeInBlock(completion)) {
      access = candidate.op;
      end = completion;
    }
  }
  if (!access || access == last)
    return describeOp(last);
  std::string until = end == access ? ""
                      : isa<ws::StoreWaitOp>(end)
                          ? ", until the wait for its reads"
                          : ", until the wait that completes the product";
  if (end == last)
    return describeOp(access) + until;
  return describeOp(last) + ", in which the " + describeOp(access) +
         " uses it" + until;
}

bool tlc::isBlocking(Operation *op) {
  return isa<ws::WaitOp, ws::AcquireOp, ws::BarrierOp, ws::MmaWaitOp,
             ws::GroupWaitOp, tile::SyncThreadsOp, tile::SyncGridOp,
             tile::GemmOp>(op);
}

bool tlc::isOrderingOp(Operation *op) {
  if (isa<tile::FenceProxyAsyncOp>(op))
    return true;
  if (auto fence = dyn_cast<ws::FenceOp>(op))
    return fence.getSource();
  auto call = dyn_cast<tile::CallExternOp>(op);
  return call && !call->getNumResults() &&
         llvm::none_of(call.getArgs(), [](Value arg) {
           return tile::hasSpace(arg.getType()) ||
                  arg.getDefiningOp<tile::AccessPtrOp>();
         });
}

SmallVector<ws::ReleaseOp> tlc::getReleases(ws::WaitOp wait) {
  SmallVector<ws::ReleaseOp> releases;
  for (Operation *user : wait.getToken().getUsers())
    if (auto release = dyn_cast<ws::ReleaseOp>(user))
      releases.push_back(release);
  return releases;
}

ws::ReleaseOp tlc::getRelease(ws::WaitOp wait) {
  SmallVector<ws::ReleaseOp> releases = getReleases(wait);
  if (releases.empty())
    return nullptr;
  for (ws::ReleaseOp release : releases)
    for (const SlotAccess &access : getSlotAccesses(wait))
      if (release->getBlock()->findAncestorOpInBlock(*access.op))
        return release;
  return releases.front();
}
