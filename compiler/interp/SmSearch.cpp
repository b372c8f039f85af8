// Exhaustive search over the schedules of one block.
#include "compiler/interp/SmSearch.h"

#include "llvm/ADT/Hashing.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::interp;

// Kinds of objects that actions act on.
static constexpr uint64_t kNamedBarrier = uint64_t(1) << 32;
static constexpr uint64_t kRegisterPool = uint64_t(2) << 32;
static constexpr uint64_t kInvisible = ~uint64_t(0);

/// The object of a warp's next event, kInvisible if no order with other
/// agents' actions matters.
uint64_t SmSearch::objectOf(Warp &warp) {
  const SmNode &node = *sm.current(warp);
  switch (node.code) {
  case SmCode::MBarrierWait:
  case SmCode::Arrive:
  case SmCode::ArriveExpect: {
    MBarrier *barrier = sm.barrierAt(warp, node, 1);
    return barrier ? barrier - sm.barriers.data() : 0;
  }
  case SmCode::BarSync:
    return kNamedBarrier + sm.barOf(node).first;
  case SmCode::SetMaxNReg:
    return kRegisterPool;
  default:
    return kInvisible;
  }
}

/// Whether the arrival before a warp completes a phase.
bool SmSearch::completes(Warp &warp) {
  const SmNode &node = *sm.current(warp);
  if (node.code == SmCode::BarSync) {
    auto [id, threads] = sm.barOf(node);
    return sm.named[id].arrived + 32 >= threads;
  }
  if (node.code == SmCode::ArriveExpect)
    return false; // its bytes come later
  if (node.code != SmCode::Arrive)
    return true;
  MBarrier *barrier = sm.barrierAt(warp, node, 1);
  if (!barrier || !barrier->initialized)
    return true;
  bool perWarp = cast<sm::MBarrierArriveOp>(node.op).getPerWarp();
  int64_t count = perWarp ? 1 : llvm::popcount(warp.frames.back().mask);
  return barrier->bytes == 0 && count >= barrier->pending;
}

bool SmSearch::completes(const BulkCopy &copy) {
  const MBarrier &barrier = sm.barriers[copy.barrier];
  const SmTile &tile = sm.program.tiles[copy.tile];
  int64_t bytes = static_cast<int64_t>(tile.byteOf.size()) * tile.elementBytes;
  return barrier.pending == 0 && barrier.bytes <= bytes;
}

bool SmSearch::isWait(Warp &warp) {
  return sm.current(warp)->code == SmCode::MBarrierWait;
}

void SmSearch::runInvisible() {
  for (bool acted = true; acted && !sm.halted;) {
    acted = false;
    for (Warp &warp : sm.warps)
      while (!sm.halted && sm.isEnabled(warp) &&
             (objectOf(warp) == kInvisible || !completes(warp))) {
        sm.step(warp);
        acted = true;
      }
    for (size_t i = 0; i < sm.inFlight.size() && !sm.halted;) {
      if (completes(sm.inFlight[i])) {
        ++i;
        continue;
      }
      sm.land(i, kAllPieces);
      acted = true;
    }
  }
}

SmSearch::Actions SmSearch::enabledActions() {
  Actions actions;
  for (Warp &warp : sm.warps)
    if (sm.isEnabled(warp))
      actions.push_back({warp.index, objectOf(warp), isWait(warp)});
  for (const BulkCopy &copy : sm.inFlight)
    actions.push_back({copy.epoch.agent, copy.barrier, false});
  return actions;
}

void SmSearch::act(const Action &action) {
  if (action.agent < sm.warps.size())
    return sm.step(sm.warps[action.agent]);
  for (size_t i = 0; i < sm.inFlight.size(); ++i)
    if (sm.inFlight[i].epoch.agent == action.agent)
      return sm.land(i, kAllPieces);
}

uint64_t SmSearch::stateHash() {
  llvm::hash_code hash(0);
  auto add = [&](auto value) { hash = llvm::hash_combine(hash, value); };
  for (const Warp &warp : sm.warps) {
    add(warp.frames.size());
    for (const Frame &frame : warp.frames) {
      add(frame.block);
      add(frame.pc);
      add(frame.mask);
      if (frame.kind == Frame::Loop || frame.kind == Frame::After)
        for (uint32_t v : frame.block->arguments)
          add(warp.values[v].cell[0].i);
    }
    for (uint64_t counter : warp.counters)
      add(counter);
    add(warp.atBarrier);
    add(warp.productGroups.size());
    add(warp.maxRegisters);
  }
  for (const MBarrier &barrier : sm.barriers) {
    add(barrier.phase);
    add(barrier.pending);
    add(barrier.bytes);
  }
  std::vector<uint64_t> flights;
  flights.reserve(sm.inFlight.size());
  for (const BulkCopy &copy : sm.inFlight)
    flights.push_back(uint64_t(copy.barrier) << 32 | copy.tile << 8 |
                      copy.slot);
  llvm::sort(flights);
  for (uint64_t flight : flights)
    add(flight);
  return hash;
}

/// The state was continued before with at least the same choices.
bool SmSearch::isKnown(const std::set<Action> &sleep) {
  auto &old = seen[stateHash()];
  for (const std::set<Action> &slept : old)
    if (std::includes(sleep.begin(), sleep.end(), slept.begin(), slept.end()))
      return true;
  old.push_back(sleep);
  ++sm.result.stats.states;
  return false;
}

/// Runs the prefix and then on, first choices first, to an end.
void SmSearch::runPath(llvm::function_ref<void()> start) {
  start();
  ++sm.result.stats.schedules;
  for (size_t depth = 0; !sm.halted; ++depth) {
    runInvisible();
    if (sm.halted)
      return;
    if (sm.isDone() && sm.inFlight.empty())
      return sm.finishBlock();
    if (depth < path.size()) {
      act(path[depth].enabled[path[depth].taken]);
      continue;
    }
    Choice choice;
    if (depth > 0) {
      const Choice &parent = path.back();
      const Action &taken = parent.enabled[parent.taken];
      auto keep = [&](const Action &action) {
        bool commutes =
            action.object != taken.object || (action.isWait && taken.isWait);
        if (action.agent != taken.agent && commutes)
          choice.sleep.insert(action);
      };
      llvm::for_each(parent.sleep, keep);
      for (size_t i = 0; i < parent.taken; ++i)
        keep(parent.enabled[i]);
    }
    Actions all = enabledActions();
    if (sm.halted)
      return;
    if (all.empty())
      return sm.isDone() ? sm.finishBlock() : sm.deadlock();
    if (isKnown(choice.sleep))
      return;
    for (const Action &action : all)
      if (!choice.sleep.contains(action))
        choice.enabled.push_back(action);
    if (choice.enabled.empty())
      return;
    act(choice.enabled.front());
    path.push_back(std::move(choice));
  }
}

/// Moves to the next untried choice; false if there is none.
bool SmSearch::backtrack() {
  while (!path.empty()) {
    Choice &last = path.back();
    if (++last.taken < last.enabled.size())
      return true;
    path.pop_back();
  }
  return false;
}

void SmSearch::run(llvm::function_ref<void()> start) {
  do {
    runPath(start);
    if (sm.halted)
      return;
    if (sm.result.stats.states >= sm.options.maxStates) {
      sm.result.stats.complete = false;
      return;
    }
  } while (backtrack());
}
