// Reads the protocol of a launch off its barriers, as the verifier does.
#include "compiler/verify/sass/Releases.h"

#include "compiler/verify/Protocol.h"

using namespace mlir;
using namespace tlc::verify;

namespace tlc::sass {

static sm::SharedOp tileOf(Value buffer) {
  if (auto slot = buffer.getDefiningOp<sm::SlotOp>())
    buffer = slot.getBuffer();
  return buffer.getDefiningOp<sm::SharedOp>();
}

static bool hasOrdinaryRead(sm::LaunchOp launch, const Ring &ring) {
  bool found = false;
  launch.walk([&](tile::EffectsOpInterface op) {
    SmallVector<tile::Effect> effects;
    op.getTileEffects(effects);
    for (const tile::Effect &effect : effects)
      if (effect.kind == tile::AccessKind::Read &&
          effect.proxy == tile::Proxy::Generic)
        if (sm::SharedOp tile = tileOf(effect.buffer))
          found |= llvm::is_contained(ring.members, tile);
  });
  return found;
}

/// Whether the thread that fills a slot fences between its wait for the slot
/// and the copy.
static bool isFencedBefore(Operation *load, const Ring &ring) {
  bool fence = false;
  for (Operation *at = load; at && !isa<sm::LaunchOp>(at);
       at = at->getParentOp())
    for (Operation *op = at->getPrevNode(); op; op = op->getPrevNode()) {
      fence |= isa<sm::FenceProxyAsyncOp>(op);
      auto wait = dyn_cast<sm::MBarrierWaitOp>(op);
      if (wait && wait.getBarrier() == ring.empty)
        return fence;
    }
  return false;
}

static Need needOf(const Protocol &protocol, const Ring &ring) {
  if (!hasOrdinaryRead(protocol.launch, ring))
    return Need::NoOrdinaryRead;
  auto full = protocol.barriers.find(ring.full);
  bool fenced = full != protocol.barriers.end() &&
                llvm::all_of(full->second.loads, [&](Operation *load) {
                  return isFencedBefore(load, ring);
                });
  return fenced ? Need::FencedByProducer : Need::Check;
}

std::vector<ReleaseBarrier> describeReleases(sm::LaunchOp launch) {
  // What is wrong with the program is the verifier's to say.
  VerifyReport report;
  Reporter reporter(report);
  Reporter::Silence silence(reporter);
  Protocol protocol = discoverProtocol(launch, reporter);
  std::vector<ReleaseBarrier> result;
  for (const auto &[value, info] : protocol.barriers) {
    if (!info.decl)
      continue;
    ReleaseBarrier barrier(info.arrives.empty()
                               ? info.decl->getLoc()
                               : info.arrives.front()->getLoc());
    barrier.offset = static_cast<std::int64_t>(info.decl.getOffset());
    barrier.stages = static_cast<std::int64_t>(info.decl.getStages());
    if (const Ring *ring = protocol.ringOfEmpty(value);
        ring && !info.arrives.empty()) {
      barrier.slots = ring->text;
      barrier.need = needOf(protocol, *ring);
    }
    result.push_back(std::move(barrier));
  }
  return result;
}

std::vector<Barrier> lintBarriers(ArrayRef<ReleaseBarrier> releases) {
  std::vector<Barrier> barriers;
  for (const ReleaseBarrier &release : releases)
    barriers.push_back(
        {release.offset, release.stages, release.need == Need::Check});
  return barriers;
}

} // namespace tlc::sass
