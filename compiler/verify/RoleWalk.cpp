// Control flow of the abstract interpretation: branches join, loops run to a
// fixpoint in silence and then once for the findings.
#include "compiler/verify/RoleWalk.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::verify;

/// The domain is finite and small; more rounds than this mean a mistake of
/// ours.
constexpr unsigned kMaxRounds = 64;

void RoleWalk::run() {
  walkBlock(*role.body);
  finish();
}

void RoleWalk::walkBlock(Block &block) {
  for (Operation &op : block)
    walkOp(&op);
}

void RoleWalk::walkOp(Operation *op) {
  TypeSwitch<Operation *>(op)
      .Case([&](scf::IfOp x) { walkBranch(x); })
      .Case<scf::ForOp, scf::WhileOp>([&](auto x) { walkLoop(x); })
      .Case([&](sm::ElectOp x) { walkElect(x); })
      .Case<sm::CounterStageOp, sm::CounterPhaseOp>(
          [&](auto x) { state.stages[x.getResult()] = {x.getCounter(), 0}; })
      .Case([&](sm::CounterAdvanceOp x) { advance(x.getCounter()); })
      .Case([&](sm::MBarrierWaitOp x) { atWait(x); })
      .Case([&](sm::MBarrierArriveOp x) { atArrive(x); })
      .Case([&](sm::MBarrierArriveExpectTxOp x) { atExpect(x); })
      .Case<sm::TmaLoadOp, sm::BulkLoadOp>([&](auto x) { atLoad(viewLoad(x)); })
      .Case([&](sm::BarSyncOp x) { passBarrier(x); })
      .Case<sm::FenceProxyAsyncOp, tile::FenceProxyAsyncOp>(
          [&](auto) { passProxyFence(); })
      .Case([&](sm::MembarOp) { passMembar(); })
      .Case([&](sm::WgmmaOp x) { atProduct(x); })
      .Case([&](sm::MmaOp x) {
        checkWarps(x, x.getWarpsM() * x.getWarpsN());
        atAccess(x);
      })
      .Case([&](sm::WgmmaFenceOp) { state.unfencedRegisters.clear(); })
      .Case([&](sm::WgmmaCommitOp) { state.products.commit(); })
      .Case([&](sm::WgmmaWaitOp x) { atProductWait(x); })
      .Case([&](sm::TmaStoreOp x) { atStore(x); })
      .Case([&](sm::BulkCommitOp) {
        state.stores.commit();
        state.writes.commit();
      })
      .Case([&](sm::BulkWaitOp x) {
        auto pending = static_cast<int64_t>(x.getPending());
        endReads(state.stores.retire(pending));
        if (!x.getRead())
          endWrites(state.writes.retire(pending));
      })
      .Case([&](sm::GridBarrierOp x) { atGridBarrier(x); })
      .Default([&](Operation *x) { atAccess(x); });
}

void RoleWalk::walkBranch(scf::IfOp branch) {
  State other = state;
  auto walkSide = [&](Block *side) {
    walkBlock(*side);
    if (branch.getNumResults() != 0)
      bindStages(side->getTerminator()->getOperands(), branch.getResults());
  };
  walkSide(branch.thenBlock());
  std::swap(state, other);
  if (Block *otherwise = branch.elseBlock())
    walkSide(otherwise);
  std::swap(state, other);
  reportLonely(branch, state.join(other), /*turn=*/false);
}

/// Stage values that go through loop-carried variables keep their meaning.
void RoleWalk::bindStages(ValueRange from, ValueRange to) {
  SmallVector<std::pair<Value, StageKey>> known;
  for (auto [source, target] : llvm::zip(from, to)) {
    auto it = state.stages.find(source);
    if (it != state.stages.end())
      known.push_back({target, it->second});
    else
      state.stages.erase(target);
  }
  for (auto &[target, key] : known)
    state.stages[target] = key;
}

void RoleWalk::bindResults(ValueRange from, Operation *loop, State &exit) {
  std::swap(state, exit);
  bindStages(from, loop->getResults());
  std::swap(state, exit);
}

/// One turn from the state at the head to that at the back edge; `exit` is the
/// state where the loop is left.
void RoleWalk::runLoopBody(Operation *loop, State &exit) {
  if (auto counted = dyn_cast<scf::ForOp>(loop)) {
    exit = state;
    bindResults(counted.getRegionIterArgs(), loop, exit);
    walkBlock(*counted.getBody());
    bindStages(counted.getBody()->getTerminator()->getOperands(),
               counted.getRegionIterArgs());
    return;
  }
  auto open = cast<scf::WhileOp>(loop);
  walkBlock(*open.getBeforeBody());
  exit = state;
  bindResults(open.getConditionOp().getArgs(), loop, exit);
  bindStages(open.getConditionOp().getArgs(), open.getAfterArguments());
  walkBlock(*open.getAfterBody());
  bindStages(open.getYieldOp().getOperands(), open.getBeforeArguments());
}

void RoleWalk::walkLoop(Operation *loop) {
  if (auto counted = dyn_cast<scf::ForOp>(loop))
    bindStages(counted.getInitArgs(), counted.getRegionIterArgs());
  State head = state, exit;
  {
    Reporter::Silence silence(reporter);
    for (unsigned round = 0; round < kMaxRounds; ++round) {
      state = head;
      runLoopBody(loop, exit);
      State next = head;
      next.join(state);
      if (next == head)
        break;
      head = std::move(next);
    }
  }
  state = head;
  runLoopBody(loop, exit);
  reportLonely(loop, State(head).join(state), /*turn=*/true);
  state = std::move(exit);
}

/// One thread runs the body; what it orders, it orders for itself only.
void RoleWalk::walkElect(sm::ElectOp elect) {
  bool before = std::exchange(inElect, true);
  walkBlock(elect.getBody().front());
  inElect = before;
}

StageKey RoleWalk::keyOf(Value stage) const {
  auto it = state.stages.find(stage);
  return it == state.stages.end() ? StageKey{stage} : it->second;
}

std::optional<Place> RoleWalk::resolve(Value buffer) {
  if (tile::isInSpace(buffer, tile::Space::Fragment)) {
    Place place;
    place.fragment = buffer;
    return place;
  }
  if (!tile::isInSpace(buffer, tile::Space::Shared))
    return std::nullopt;
  Place place;
  if (auto slot = buffer.getDefiningOp<sm::SlotOp>()) {
    place.stage = keyOf(slot.getStage());
    buffer = slot.getBuffer();
  }
  place.tile = buffer.getDefiningOp<sm::SharedOp>();
  if (!place.tile)
    return std::nullopt;
  place.ring = protocol.ringOfTile(place.tile);
  if (!place.ring)
    place.stage = {};
  return place;
}

/// A copy, fill, element loop, scalar access or call of all threads, and mma
/// products: everything that is over in program order.
void RoleWalk::atAccess(Operation *op) {
  if (op->getNumRegions() != 0 && !isa<tile::ParallelOp>(op))
    reporter.notProved(op, "the order inside '" + op->getName().getStringRef() +
                               "' is not understood");
  struct Access {
    Place place;
    bool write;
  };
  SmallVector<Access> accesses;
  op->walk([&](tile::EffectsOpInterface inner) {
    SmallVector<tile::Effect> effects;
    inner.getTileEffects(effects);
    for (const tile::Effect &effect : effects) {
      bool write = effect.kind == tile::AccessKind::Write;
      if (auto place = resolve(effect.buffer))
        accesses.push_back({*place, write});
      else if (tile::isInSpace(effect.buffer, tile::Space::Global))
        atGlobal(op, effect.buffer, write);
    }
  });
  if (auto alloc = dyn_cast<tile::AllocOp>(op))
    if (tile::isInSpace(alloc.getResult(), tile::Space::Fragment))
      state.unfencedRegisters[alloc.getResult()] = op;
  for (Access &access : accesses) {
    if (access.place.fragment)
      atRegisterAccess(op, access.place.fragment, access.write);
    else
      checkCollision(op, access.place, access.write);
  }
  for (Access &access : accesses)
    if (!access.place.fragment)
      recordAccess(op, access.place, access.write);
}

void RoleWalk::passBarrier(sm::BarSyncOp bar) {
  // A barrier of fewer threads, or of one, orders nothing between all.
  if (inElect || static_cast<int64_t>(bar.getThreads()) < role.threads)
    return;
  state.forEachHazard([](Hazard &hazard) { hazard.passBarrier(); });
  for (Span &span : state.spans) {
    span.barrier = true;
    span.byOne &= span.fill;
  }
}

void RoleWalk::passProxyFence() {
  for (Span &span : state.spans)
    span.fenced = true;
  if (inElect)
    return;
  state.forEachHazard([](Hazard &hazard) {
    if (hazard.unfenced)
      hazard.unsynced = hazard.unfenced;
    hazard.unfenced = nullptr;
  });
  for (Span &span : state.spans)
    span.pending = nullptr;
}

void RoleWalk::passMembar() {
  for (Span &span : state.spans)
    span.membar = true;
}

void RoleWalk::advance(Value counter) {
  auto grow = [&](StageKey &key) {
    if (key.origin == counter && key.age >= 0)
      ++key.age;
  };
  for (auto &[value, key] : state.stages)
    grow(key);
  auto growGroup = [&](AsyncGroup &group) {
    for (AsyncSource &source : group.sources)
      grow(source.stage);
  };
  state.products.forEach(growGroup);
  state.stores.forEach(growGroup);
  for (Span &span : state.spans)
    grow(span.stage);
  // A filled slot leaves the hands of the filler with the count.
  llvm::erase_if(state.spans, [&](const Span &span) {
    if (!span.fill || span.stage.origin != counter)
      return false;
    checkBytes(span, span.opened);
    return true;
  });
}

void RoleWalk::finish() {
  for (const Span &span : state.spans) {
    if (span.fill)
      checkBytes(span, span.opened);
    else if (span.ring->empty && !isPoisoned(span.ring))
      reporter.error(span.opened,
                     "the slot of " + span.ring->text +
                         " that this waits for is never handed back to the "
                         "loader: an arrive on " +
                         barrierName(span.ring->empty) + " is missing");
  }
  state.products.forEach([&](AsyncGroup &group) {
    if (group.op && !isPoisoned(group.op))
      reporter.error(group.op, "role '" + role.name +
                                   "' ends while this product may still run: "
                                   "a wgmma_wait 0 is missing after it");
  });
  state.stores.forEach([&](AsyncGroup &group) {
    if (group.op)
      reporter.error(group.op,
                     "the block may end before this tensor store has read its "
                     "tile: a bulk_wait 0 is missing after it");
  });
}
