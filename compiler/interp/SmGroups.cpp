// Copies of a warp's threads by cp.async: each is an agent that writes at any
// time until the warp waits for its group. It is a generic access that is
// ordered after what the warp had seen at the issue, and that nobody is ordered
// after but who has waited for it, or has met such a warp.
#include "compiler/interp/SmRegion.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::interp;

/// Only the part of a copy that is a generic write of this warp's own is shown
/// early: what is in flight reads as bytes 0xff where copies land late.
void SmRun::issueGroupCopy(Warp &warp, Operation *op, const SmRegion &dst,
                           GroupCopy copy) {
  uint32_t tile = dst.buffer->place;
  int64_t &made = warp.copiesOf[{tile, dst.slot}];
  fills[tile][dst.slot] = std::max(fills[tile][dst.slot], ++made);
  ++result.stats.copies;
  copy.known = warp.frontiers.generic;
  copy.epoch = newAsyncEvent(copy.known);
  asyncAgents[copy.epoch.agent - firstAsyncAgent()].op = op;
  recordAsync(warp, op, tile, dst.slot, true, tile::Proxy::Generic, copy.ranges,
              copy.epoch, copy.known);
  bool late = options.schedule == SmSchedule::AdversarialLate ||
              (options.schedule == SmSchedule::Seeded && random() % 2);
  if (late)
    for (auto [address, byte] : copy.bytes)
      shared[address] = 0xff;
  else
    landGroupCopy(warp, copy);
  warp.openCopies.push_back(std::move(copy));
}

void SmRun::landGroupCopy(Warp &warp, GroupCopy &copy) {
  if (copy.landed)
    return;
  copy.landed = true;
  for (auto [address, byte] : copy.bytes)
    shared[address] = byte;
  // Asynchronous readers see it after a proxy fence.
  unfenced.push_back({copy.epoch, copy.ranges});
}

void SmRun::waitCopies(Warp &warp, const SmNode &node) {
  auto pending =
      static_cast<size_t>(cast<sm::CpAsyncWaitOp>(node.op).getPending());
  while (warp.copyGroups.size() > pending) {
    for (GroupCopy &copy : warp.copyGroups.front()) {
      landGroupCopy(warp, copy);
      warp.frontiers.generic.join(copy.known);
      warp.frontiers.generic.raise(copy.epoch);
    }
    warp.copyGroups.pop_front();
  }
}
