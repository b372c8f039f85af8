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

static ReleaseBarrier describeBarrier(const Protocol &protocol, Value value,
                                      const BarrierInfo &info) {
  ReleaseBarrier barrier(info.arrives.empty() ? info.decl->getLoc()
                                              : info.arrives.front()->getLoc());
  barrier.offset = static_cast<std::int64_t>(info.decl.getOffset());
  barrier.stages = static_cast<std::int64_t>(info.decl.getStages());
  const Ring *ring = protocol.ringOfEmpty(value);
  if (ring && !info.arrives.empty()) {
    barrier.slots = ring->text;
    barrier.need = needOf(protocol, *ring);
  }
  return barrier;
}

/// Tiles may share bytes; those of a slot to be protected are never left out.
static std::vector<Region> otherTiles(const Protocol &protocol) {
  std::vector<Region> slots, others;
  protocol.launch.walk([&](sm::SharedOp tile) {
    const Ring *ring = protocol.ringOfTile(tile);
    bool counts = ring && needOf(protocol, *ring) == Need::Check;
    (counts ? slots : others)
        .push_back({static_cast<std::int64_t>(tile.getOffset()),
                    static_cast<std::int64_t>(tile.getStages() *
                                              tile.getSlotBytes())});
  });
  llvm::erase_if(others, [&](const Region &other) {
    return llvm::any_of(slots, [&](const Region &slot) {
      return other.offset < slot.offset + slot.bytes &&
             slot.offset < other.offset + other.bytes;
    });
  });
  return others;
}

LaunchReleases describeReleases(sm::LaunchOp launch) {
  // What is wrong with the program is the verifier's to say.
  VerifyReport report;
  Reporter reporter(report);
  Reporter::Silence silence(reporter);
  Protocol protocol = discoverProtocol(launch, reporter);
  LaunchReleases result;
  for (const auto &[value, info] : protocol.barriers)
    if (info.decl)
      result.barriers.push_back(describeBarrier(protocol, value, info));
  result.elsewhere = otherTiles(protocol);
  return result;
}

std::vector<Barrier> LaunchReleases::lintBarriers() const {
  std::vector<Barrier> result;
  for (const ReleaseBarrier &barrier : barriers)
    result.push_back(
        {barrier.offset, barrier.stages, barrier.need == Need::Check});
  return result;
}

const ReleaseBarrier *LaunchReleases::find(Need need) const {
  for (const ReleaseBarrier &barrier : barriers)
    if (barrier.need == need)
      return &barrier;
  return nullptr;
}

} // namespace tlc::sass
