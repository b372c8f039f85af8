// A proxy fence is dropped where each path from it meets another one before
// anything that its order could be for: an arrival, a barrier, an asynchronous
// action. The later fence then orders what both were for (evidence/golden/
// correct_h0.md, rule 4).
//
//   copy h -> hd; fence          copy h -> hd
//   wait; copy slot -> h    =>   wait; copy slot -> h
//   fence; release               fence; release
#include "compiler/conversion/Conversion.h"
#include "compiler/conversion/TileToWS/Buffers.h"
#include "compiler/support/Remarks.h"

namespace tlc {
#define GEN_PASS_DEF_WSMERGEFENCESPASS
#include "compiler/conversion/Conversion.h.inc"
} // namespace tlc

using namespace mlir;
using namespace tlc;

static bool isProxyFence(Operation *op) {
  auto fence = dyn_cast<ws::FenceOp>(op);
  return fence && fence.getKind() == ws::FenceKind::ProxyAsync;
}

/// Nobody but the thread can tell whether a fence comes before or after it.
static bool isPrivate(Operation *op) {
  if (isMemoryEffectFree(op))
    return true;
  if (auto copy = dyn_cast<tile::CopyOp>(op))
    return copy.getInst().value_or(tile::CopyInst::Vector) ==
           tile::CopyInst::Vector;
  if (isa<scf::IfOp, scf::ForOp, tile::ParallelOp>(op))
    return !op->walk([&](Operation *inner) {
                return inner == op ||
                               inner->hasTrait<OpTrait::IsTerminator>() ||
                               isPrivate(inner)
                           ? WalkResult::advance()
                           : WalkResult::interrupt();
              }).wasInterrupted();
  return isa<ws::WaitOp, tile::LoadOp, tile::StoreOp, tile::FillOp>(op);
}

/// The fence that every path from `fence` meets next, if nothing in between
/// relies on it.
static ws::FenceOp findLater(ws::FenceOp fence) {
  for (Operation *at = fence; at; at = at->getParentOp()) {
    for (Operation *op = at->getNextNode(); op; op = op->getNextNode()) {
      if (isProxyFence(op))
        return cast<ws::FenceOp>(op);
      if (!op->hasTrait<OpTrait::IsTerminator>() && !isPrivate(op))
        return {};
    }
    if (!isa_and_nonnull<scf::IfOp>(at->getParentOp()))
      return {};
  }
  return {};
}

static void merge(ws::FenceOp fence, ws::FenceOp later) {
  std::string what = fence.getReason().value_or("").str();
  later.setReason(later.getReason().value_or("").str() +
                  "; takes the place of "
                  "the fence at " +
                  describeLine(fence.getLoc()) + " (" + what + ")");
  emitDecision(fence, "fence",
               "dropped: nothing relies on it before the fence at " +
                   describeLine(later.getLoc()));
  fence.erase();
}

namespace {
struct WSMergeFencesPass : tlc::impl::WSMergeFencesPassBase<WSMergeFencesPass> {
  using Base::Base;
  void runOnOperation() override {
    SmallVector<ws::FenceOp> fences;
    getOperation().walk([&](ws::FenceOp fence) {
      if (isProxyFence(fence))
        fences.push_back(fence);
    });
    for (ws::FenceOp fence : fences)
      if (ws::FenceOp later = findLater(fence))
        merge(fence, later);
  }
};
} // namespace
