// Exhaustive search over the schedules of one block.
#include "compiler/interp/SmSearch.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::interp;

// Kinds of objects that actions act on; mbarriers have their numbers.
static constexpr uint64_t kNamedBarrier = uint64_t(1) << 32;
static constexpr uint64_t kAtomic = uint64_t(2) << 32;
static constexpr uint64_t kInvisible = ~uint64_t(0);

SmSearch::SmSearch(SmRun &run)
    : sm(run), begin(std::chrono::steady_clock::now()) {
  sm.program.kernel.walk([&](tile::AtomicOp atomic) {
    if (atomic.getResult() && !atomic.getResult().use_empty())
      decisive.insert(atomic.getBuffer());
  });
}

//===----------------------------------------------------------------------===//
// Actions
//===----------------------------------------------------------------------===//

/// The next event of a warp; object kInvisible if no order with other agents'
/// actions matters. Registers go back and forth in sums: whether all can be
/// had does not depend on who asks first.
SmSearch::Action SmSearch::nextAction(Warp &warp) {
  const SmNode &node = *sm.current(warp);
  Action action{warp.index, kInvisible, Kind::Free};
  switch (node.code) {
  case SmCode::MBarrierWait:
  case SmCode::Arrive:
  case SmCode::ArriveExpect: {
    MBarrier *barrier = sm.barrierAt(warp, node, 1);
    action.object = barrier ? barrier - sm.barriers.data() : 0;
    action.kind =
        node.code == SmCode::MBarrierWait ? Kind::Wait : Kind::Contribution;
    return action;
  }
  case SmCode::BarSync:
    action.object = kNamedBarrier + sm.barOf(node).first;
    action.kind = Kind::Contribution;
    return action;
  case SmCode::Atomic: {
    Value buffer = cast<tile::AtomicOp>(node.op).getBuffer();
    if (decisive.contains(buffer)) {
      action.object = kAtomic + sm.program.bufferOf.lookup(buffer);
      action.kind = Kind::Atomic;
    }
    return action;
  }
  default:
    return action;
  }
}

SmallVector<SmSearch::Action, 8> SmSearch::enabledActions() {
  SmallVector<Action, 8> actions;
  for (Warp &warp : sm.warps)
    if (sm.isEnabled(warp))
      actions.push_back(nextAction(warp));
  for (const BulkCopy &copy : sm.inFlight)
    actions.push_back({copy.epoch.agent, copy.barrier, Kind::Contribution});
  return actions;
}

void SmSearch::runInvisible() {
  for (bool acted = true; acted && !sm.halted;) {
    acted = false;
    for (Warp &warp : sm.warps)
      while (!sm.halted && sm.isEnabled(warp) &&
             nextAction(warp).object == kInvisible) {
        size_t copies = sm.inFlight.size();
        sm.step(warp);
        // A copy is ordered after what came before its issue.
        for (size_t i = copies; i < sm.inFlight.size(); ++i)
          pasts[sm.inFlight[i].epoch.agent] = pastOf(warp.index);
        acted = true;
      }
  }
}

SmSearch::Past &SmSearch::pastOf(uint32_t agent) { return pasts[agent]; }

/// The phase of an object at which an action would be taken now: the one at
/// work, or for a wait the next after that which it has seen complete.
uint64_t SmSearch::phaseOf(const Action &action) const {
  if (action.object < kNamedBarrier)
    return sm.barriers[action.object].phase;
  auto it = meetings.find(action.object);
  return it == meetings.end() ? 0 : it->second;
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

static void join(BitVector &to, const BitVector &from) {
  if (to.size() < from.size())
    to.resize(from.size());
  to |= from;
}

static bool covers(const BitVector &past, uint32_t event) {
  return event < past.size() && past.test(event);
}

static void add(BitVector &past, uint32_t event) {
  if (past.size() <= event)
    past.resize(event + 1);
  past.set(event);
}

void SmSearch::take(const Action &action) {
  Event event{action};
  event.phase = phaseOf(action);
  bool isWarp = action.agent < sm.warps.size();
  if (action.object >= kNamedBarrier && action.kind == Kind::Contribution) {
    auto [id, threads] = sm.barOf(*sm.current(sm.warps[action.agent]));
    event.completes = sm.named[id].arrived + 32 >= threads;
  }
  if (isWarp) {
    sm.step(sm.warps[action.agent]);
  } else {
    for (size_t i = 0; i < sm.inFlight.size(); ++i)
      if (sm.inFlight[i].epoch.agent == action.agent) {
        sm.land(i, kAllPieces);
        break;
      }
  }
  if (action.object < kNamedBarrier && action.kind == Kind::Contribution)
    event.completes = sm.barriers[action.object].phase != event.phase;
  auto number = static_cast<uint32_t>(events.size());
  events.push_back(event);
  behind.push_back(pastInTrace(number));
  order(number);
  add(tracePasts[event.agent], number);
  eventsOn[action.object].push_back(number);
}

/// What an event depends on in this run, conflicts included that could have
/// been the other way round.
SmSearch::Past SmSearch::pastInTrace(uint32_t number) {
  const Event &event = events[number];
  Past &own = tracePasts[event.agent];
  for (uint32_t earlier : eventsOn[event.object]) {
    const Event &other = events[earlier];
    bool lets = event.kind == Kind::Wait && other.kind == Kind::Contribution;
    if (!lets && !canReverse(other, event))
      continue;
    join(own, behind[earlier]);
    add(own, earlier);
  }
  return own;
}

/// Looks for events that could have come after this one, and enters it into
/// what agents and barriers are ordered after.
void SmSearch::order(uint32_t number) {
  const Event event = events[number];
  Past &own = pastOf(event.agent);
  switch (event.kind) {
  case Kind::Contribution: {
    Past &phase = joined[event.object];
    join(phase, own);
    findReversals(number, own, phase);
    add(own, number);
    add(phase, number);
    if (!event.completes)
      return;
    Past over = std::exchange(phase, {});
    if (event.object >= kNamedBarrier) {
      for (uint32_t other : eventsOn[event.object])
        if (events[other].phase == event.phase)
          join(pastOf(events[other].agent), over);
      join(pastOf(event.agent), over);
      meet(number);
      ++meetings[event.object];
    }
    released[event.object] = std::move(over);
    return;
  }
  case Kind::Wait:
    findReversals(number, own, own);
    join(own, released[event.object]);
    add(own, number);
    return;
  default:
    findReversals(number, own, own);
    add(own, number);
    return;
  }
}

/// Those who have met at a named barrier depend on each other's way to it.
void SmSearch::meet(uint32_t number) {
  Past all = behind[number];
  add(all, number);
  auto forOthers = [&](llvm::function_ref<void(uint32_t)> visit) {
    for (uint32_t other : eventsOn[events[number].object])
      if (events[other].phase == events[number].phase)
        visit(other);
  };
  forOthers([&](uint32_t other) {
    join(all, behind[other]);
    add(all, other);
  });
  forOthers(
      [&](uint32_t other) { join(tracePasts[events[other].agent], all); });
  join(tracePasts[events[number].agent], all);
}

/// Whether two actions on one object, not ordered by others, make a difference.
bool SmSearch::canReverse(const Event &earlier, const Event &later) const {
  if (later.kind == Kind::Atomic)
    return true;
  if (later.kind == Kind::Wait)
    // The phase waited for has number `phase` - 1; it has to come first.
    return earlier.kind == Kind::Contribution &&
           earlier.phase + 1 < later.phase;
  if (earlier.kind == Kind::Wait)
    return later.completes;
  return earlier.phase != later.phase;
}

/// `past` is what the event is ordered after; the end of the phase that it may
/// complete is ordered after all that contributes: `phasePast`.
void SmSearch::findReversals(uint32_t number, const Past &past,
                             const Past &phasePast) {
  if (!sm.options.reduce)
    return;
  const Event &event = events[number];
  for (uint32_t earlier : eventsOn[event.object]) {
    const Past &known = events[earlier].kind == Kind::Wait ? phasePast : past;
    if (events[earlier].agent != event.agent && !covers(known, earlier) &&
        canReverse(events[earlier], event))
      addChoice(earlier, number);
  }
}

/// Agents that can begin, from the state before event `at`, a run that has
/// event `number` without `at`: with their first event of those that do not
/// depend on `at`, if it depends on none of these.
SmallVector<uint32_t, 8> SmSearch::beginnings(uint32_t at,
                                              uint32_t number) const {
  SmallVector<uint32_t, 8> agents;
  Past without;
  llvm::SmallDenseSet<uint32_t, 16> seen;
  for (uint32_t e = at + 1; e <= number; ++e) {
    if (e != number && covers(behind[e], at))
      continue;
    bool isFirst = seen.insert(events[e].agent).second;
    if (isFirst && !behind[e].anyCommon(without))
      agents.push_back(events[e].agent);
    add(without, e);
  }
  return agents;
}

/// From the state before event `at`, an agent is to be tried that leads to
/// event `number` without it.
void SmSearch::addChoice(uint32_t at, uint32_t number) {
  Choice &choice = path[at];
  auto isChosen = [&](uint32_t agent) {
    return llvm::is_contained(choice.toTry, agent) ||
           llvm::is_contained(choice.tried, agent);
  };
  SmallVector<uint32_t, 8> first = beginnings(at, number);
  if (llvm::any_of(first, isChosen))
    return;
  for (const Action &action : choice.enabled)
    if (llvm::is_contained(first, action.agent)) {
      choice.toTry.push_back(action.agent);
      return;
    }
  for (const Action &action : choice.enabled)
    if (!isChosen(action.agent))
      choice.toTry.push_back(action.agent);
}

/// Whether an action that was tried before makes a difference again.
bool SmSearch::wakes(const Event &event, const Action &asleep) const {
  if (asleep.agent == event.agent)
    return true;
  if (asleep.object != event.object)
    return false;
  if (asleep.kind == Kind::Wait && event.kind == Kind::Wait)
    return false;
  return asleep.kind != Kind::Contribution ||
         event.kind != Kind::Contribution || event.completes;
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// Picks the action of a new state; false if all were tried before.
bool SmSearch::choose(size_t depth) {
  Choice choice;
  choice.enabled = enabledActions();
  if (sm.halted)
    return false;
  if (choice.enabled.empty()) {
    sm.isDone() ? sm.finishBlock() : sm.deadlock();
    return false;
  }
  if (depth > 0 && sm.options.reduce) {
    const Choice &parent = path.back();
    auto keep = [&](const Action &action) {
      if (!wakes(events.back(), action))
        choice.sleep.push_back(action);
    };
    llvm::for_each(parent.sleep, keep);
    for (const Action &action : parent.enabled)
      if (action.agent != parent.taken &&
          llvm::is_contained(parent.tried, action.agent))
        keep(action);
  }
  auto isAsleep = [&](const Action &action) {
    return llvm::any_of(choice.sleep, [&](const Action &asleep) {
      return asleep.agent == action.agent;
    });
  };
  const Action *first = llvm::find_if_not(choice.enabled, isAsleep);
  if (first == choice.enabled.end())
    return false;
  choice.taken = first->agent;
  choice.tried.push_back(first->agent);
  if (!sm.options.reduce)
    for (const Action &action : choice.enabled)
      choice.toTry.push_back(action.agent);
  path.push_back(std::move(choice));
  ++sm.result.stats.states;
  return true;
}

void SmSearch::beginPath() {
  events.clear();
  eventsOn.clear();
  pasts.clear();
  joined.clear();
  released.clear();
  meetings.clear();
  behind.clear();
  tracePasts.clear();
}

bool SmSearch::isOver() const {
  std::chrono::duration<double> spent =
      std::chrono::steady_clock::now() - begin;
  return sm.result.stats.states >= sm.options.maxStates ||
         (sm.options.searchSeconds > 0 &&
          spent.count() > sm.options.searchSeconds);
}

/// Runs the prefix and then on, first choices first, to an end.
void SmSearch::runPath(llvm::function_ref<void()> start) {
  start();
  beginPath();
  ++sm.result.stats.schedules;
  for (size_t depth = 0; !sm.halted; ++depth) {
    runInvisible();
    if (sm.halted)
      return;
    if (sm.isDone() && sm.inFlight.empty())
      return sm.finishBlock();
    if (depth == path.size() && !choose(depth))
      return;
    const Choice &choice = path[depth];
    take(*llvm::find_if(choice.enabled, [&](const Action &action) {
      return action.agent == choice.taken;
    }));
    if (isOver())
      return;
  }
}

/// Moves to the next choice to be tried; false if there is none.
bool SmSearch::backtrack() {
  while (!path.empty()) {
    Choice &last = path.back();
    while (!last.toTry.empty()) {
      uint32_t agent = last.toTry.pop_back_val();
      bool isAsleep = llvm::any_of(last.sleep, [&](const Action &asleep) {
        return asleep.agent == agent;
      });
      if (isAsleep || llvm::is_contained(last.tried, agent))
        continue;
      last.tried.push_back(agent);
      last.taken = agent;
      return true;
    }
    path.pop_back();
  }
  return false;
}

void SmSearch::run(llvm::function_ref<void()> start) {
  do {
    runPath(start);
    if (sm.halted)
      return;
    if (isOver()) {
      sm.result.stats.complete = false;
      return;
    }
  } while (backtrack());
}
