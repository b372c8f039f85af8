// The expansion must keep the sequence of ordering actions. This reads both
// programs and compares; it knows nothing of how the expansion works.
#include "compiler/conversion/SMToThreads/OrderCheck.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::sm;

/// What an op does to order, in a word common to both levels; empty: nothing.
static StringRef orderingAction(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case<MBarrierInitOp, MbarInitOp>([](auto) { return "init"; })
      .Case<FenceMBarrierInitOp>([](auto) { return "fence init"; })
      .Case<MBarrierWaitOp, MbarWaitOp>([](auto) { return "wait"; })
      .Case<MBarrierArriveOp, MbarArriveOp>([](auto) { return "arrive"; })
      .Case<MBarrierArriveExpectTxOp, MbarExpectOp>(
          [](auto) { return "expect"; })
      .Case<TmaLoadOp, TmaLoadBoxOp>([](auto) { return "tensor load"; })
      .Case<TmaStoreOp, TmaStoreBoxOp>([](auto) { return "tensor store"; })
      .Case<BulkLoadOp, BulkCopyOp>([](auto) { return "bulk load"; })
      .Case<BulkCommitOp>([](auto) { return "bulk commit"; })
      .Case<BulkWaitOp>([](auto) { return "bulk wait"; })
      .Case<CpAsyncCommitOp>([](auto) { return "cp.async commit"; })
      .Case<CpAsyncWaitOp>([](auto) { return "cp.async wait"; })
      .Case<BarSyncOp, tile::SyncThreadsOp>([](auto) { return "barrier"; })
      .Case<sm::FenceProxyAsyncOp, tile::FenceProxyAsyncOp>(
          [](auto) { return "proxy fence"; })
      .Case<GridBarrierOp>([](auto) { return "grid barrier"; })
      .Case<tile::AtomicOp, sm::AtomicOp>([](auto) { return "atomic"; })
      .Case<MembarOp>([](auto) { return "membar"; })
      .Case<WgmmaFenceOp>([](auto) { return "wgmma fence"; })
      .Case<WgmmaOp, WgmmaInstOp>([](auto) { return "wgmma"; })
      .Case<WgmmaCommitOp>([](auto) { return "wgmma commit"; })
      .Case<WgmmaWaitOp>([](auto) { return "wgmma wait"; })
      .Case<SetMaxNRegOp>([](auto) { return "registers"; })
      .Case<RoleOp>([](auto) { return "role"; })
      .Case<ElectOp>([](auto) { return "elect"; })
      .Default([](auto) { return ""; });
}

/// One tile-sized action may have become several of the same kind.
static bool mayRepeat(StringRef action) {
  return action == "init" || action == "tensor load" ||
         action == "tensor store" || action == "wgmma" || action == "atomic";
}

OrderingSequence sm::orderingSequence(LaunchOp launch) {
  OrderingSequence sequence;
  launch->walk<WalkOrder::PreOrder>([&](Operation *op) {
    StringRef action = orderingAction(op);
    if (action.empty())
      return;
    if (mayRepeat(action) && !sequence.empty() && sequence.back() == action)
      return;
    sequence.push_back(action);
  });
  return sequence;
}

LogicalResult sm::checkOrder(LaunchOp launch, const OrderingSequence &before) {
  OrderingSequence after = orderingSequence(launch);
  for (size_t i = 0; i < std::max(before.size(), after.size()); ++i) {
    StringRef was = i < before.size() ? before[i] : "end";
    StringRef is = i < after.size() ? after[i] : "end";
    if (was != is)
      return launch.emitError("internal error: the expansion changed the order "
                              "of actions: number ")
             << i + 1 << " was '" << was << "' and is '" << is << "'";
  }
  return success();
}
