// V3: a slot is touched only between the wait that gave it to the role and the
// arrive that hands it back, in the same thread. V8, per path: each slot that a
// role waits for is handed back exactly once on every path.
#include "compiler/verify/RoleWalk.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::verify;

void RoleWalk::atWait(sm::MBarrierWaitOp wait) {
  checkPhase(wait);
  // A wait of every thread lets its earlier loads retire (sync.md 0.1): no
  // proof, but the evidence says more than nothing.
  if (!inElect)
    for (Span &span : state.spans)
      span.delayed |= span.pending != nullptr;
  bool fill = false;
  Ring *ring = protocol.ringOfFull(wait.getBarrier());
  if (!ring) {
    ring = protocol.ringOfEmpty(wait.getBarrier());
    fill = true;
  }
  if (!ring)
    return;
  StageKey stage = keyOf(wait.getStage());
  if (Span *open = state.findSpan(ring, fill, stage)) {
    if (!ring->empty)
      return;
    if (!isPoisoned(ring))
      reporter.error(wait,
                     fill ? "the slot of " + ring->text +
                                " is acquired again before it is filled"
                          : "role '" + role.name + "' waits for a slot of " +
                                ring->text + " that it has not handed back",
                     {{open->opened, "the earlier wait is here"}});
    poison(ring);
    return;
  }
  Span span;
  span.ring = ring;
  span.fill = fill;
  span.stage = stage;
  span.opened = wait;
  span.byOne = inElect;
  state.spans.push_back(span);
}

void RoleWalk::atArrive(sm::MBarrierArriveOp arrive) {
  StageKey stage = keyOf(arrive.getStage());
  if (Ring *ring = protocol.ringOfFull(arrive.getBarrier())) {
    if (Span *span = state.findSpan(ring, /*fill=*/true, stage))
      checkCommitFence(arrive, *span);
    return;
  }
  Ring *ring = protocol.ringOfEmpty(arrive.getBarrier());
  if (!ring || isPoisoned(ring))
    return;
  Span *span = state.findSpan(ring, /*fill=*/false, stage);
  if (!span) {
    reporter.error(arrive, "a slot of " + ring->text +
                               " is handed back to the loader that role '" +
                               role.name + "' does not hold here: no wait on " +
                               barrierName(ring->full) +
                               " for the same slot comes before on every path");
    return poison(ring);
  }
  checkHandOver(arrive, *span);
  checkRetired(arrive, *span);
  checkElected(arrive, *span);
  state.spans.erase(span);
}

/// A bulk or tensor copy into a slot: the filler must hold it, and the bytes
/// must be announced on the slot's own barrier.
void RoleWalk::atLoad(const LoadView &load) {
  auto place = resolve(load.dst);
  if (!place || !place->ring || isPoisoned(place->ring))
    return;
  Ring *ring = place->ring;
  std::string name = "'" + place->tile.getName().str() + "'";
  if (keyOf(load.stage) != place->stage && load.dst.getDefiningOp<sm::SlotOp>())
    reporter.error(load.op, "this copy fills one slot of " + name +
                                " and completes on the barrier of another");
  Span *span = state.findSpan(ring, /*fill=*/true, place->stage);
  if (!span) {
    if (!ring->empty && !load.op->getParentOfType<LoopLikeOpInterface>())
      return atOnlyLoad(load);
    reporter.error(load.op,
                   "the slot of " + name +
                       " may still be in use when this copy fills it: a wait "
                       "on its empty barrier is missing before the copy");
    return poison(ring);
  }
  if (!span->fenced && !reporter.isSilent())
    ring->unfencedFill = load.op;
  if (span->expected == 0) {
    reporter.error(load.op, "this copy into " + name +
                                " is issued before its bytes are expected: an "
                                "arrive that expects them is missing before "
                                "it");
    return poison(ring);
  }
  if (span->copied >= 0)
    span->copied += load.bytes();
}

/// A slot that is filled once needs nobody to free it.
void RoleWalk::atOnlyLoad(const LoadView &load) {
  for (Operation *other : protocol.barriers[load.barrier].loads)
    if (other != load.op && viewLoad(other).dst == load.dst)
      reporter.notProved(load.op, "the tile is filled by several copies with "
                                  "no wait between them");
}

/// One thread speaks for all: the others have to have met it before.
void RoleWalk::checkElected(Operation *arrive, const Span &span) {
  if (!inElect)
    return;
  const Hazard &hazard = span.hazard;
  for (Operation *use : {hazard.read, hazard.write, hazard.asyncRead}) {
    if (!use || isElected(use))
      continue;
    reporter.error(arrive,
                   "one thread hands the slot of " + span.ring->text +
                       " back while others may still be using it: a barrier "
                       "is missing between the " +
                       actionName(use) + " and the arrive",
                   {{use, "the slot is used here"}});
    return;
  }
}

/// The span of a slot that is accessed here, or null with an error.
Span *RoleWalk::requireSpan(Operation *op, const Place &place) {
  std::string name = "'" + place.tile.getName().str() + "'";
  for (bool fill : {false, true}) {
    Span *span = state.findSpan(place.ring, fill, place.stage);
    if (!span)
      continue;
    if (span->byOne && !inElect && !isPoisoned(place.ring)) {
      reporter.error(op,
                     "the " + actionName(op) + " uses a slot of " + name +
                         " for which one thread alone has waited: all must "
                         "wait, or meet it at a barrier first",
                     {{span->opened, "the wait is here"}});
      poison(place.ring);
    }
    return span;
  }
  if (isPoisoned(place.ring))
    return nullptr;
  reporter.error(op, "the " + actionName(op) + " uses a slot of " + name +
                         " that role '" + role.name +
                         "' does not hold: it must lie between the wait on " +
                         barrierName(place.ring->full) +
                         " and the arrive that hands the slot back");
  poison(place.ring);
  return nullptr;
}

/// Spans that are open on one path only, or not as they were a turn ago.
void RoleWalk::reportLonely(Operation *at, ArrayRef<Span> spans, bool turn) {
  for (const Span &span : spans) {
    // Without an empty barrier there is nobody to hand a slot back to.
    if (span.fill || !span.ring->empty || isPoisoned(span.ring))
      continue;
    reporter.error(
        at,
        turn ? "the slot of " + span.ring->text +
                   " is not handed back once in each turn of the loop"
             : "the slot of " + span.ring->text +
                   " is held after one branch and not after the other: wait "
                   "and arrive must run on the same paths",
        {{span.opened, "the wait for the slot is here"}});
    poison(span.ring);
  }
}
