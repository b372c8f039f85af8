// Plays a pipelined loop with nominal times.
#include "compiler/explain/Timeline.h"

#include "compiler/explain/Wording.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>
#include <set>

namespace tlc::explain {

namespace {

/// Nominal times, in units of a copy between registers and shared memory.
constexpr double kCopy = 1.1, kProduct = 2.0, kProductIssue = 0.9,
                 kCompletion = 1.3, kIssue = 0.6, kShort = 0.42, kLanding = 5.0;

/// One step of a role: an action and whether a branch of the program guards it.
struct Step {
  const Action *action;
  bool guarded;
};

/// The actions nested under `actions[index]`, without else branches; where
/// the first turns take another path than later ones, that of this turn.
std::vector<Step> bodyOf(const std::vector<Action> &actions, size_t index,
                         bool firstTurns) {
  std::vector<Step> steps;
  unsigned depth = actions[index].depth;
  unsigned skipBelow = ~0u, guardBelow = ~0u;
  std::set<unsigned> later; ///< depths of branches whose other path is taken
  for (size_t i = index + 1; i < actions.size(); ++i) {
    const Action &action = actions[i];
    if (action.depth <= depth)
      break;
    if (action.depth <= skipBelow)
      skipBelow = ~0u;
    if (action.depth <= guardBelow)
      guardBelow = ~0u;
    if (skipBelow != ~0u)
      continue;
    if (action.kind == ActionKind::Else) {
      if (!later.erase(action.depth))
        skipBelow = action.depth;
      continue;
    }
    if (action.firstTurns && !firstTurns) {
      later.insert(action.depth);
      skipBelow = action.depth;
      continue;
    }
    // A branch without a line only asks whether there is such a turn.
    if (action.kind == ActionKind::If && action.statement.place.line &&
        guardBelow == ~0u)
      guardBelow = action.depth;
    steps.push_back({&action, guardBelow != ~0u && action.depth > guardBelow});
  }
  return steps;
}

/// What a role runs: fills ahead of the loop, then turns.
struct Agent {
  const Role *role = nullptr;
  std::vector<Step> program; ///< of all turns, in order
  std::vector<unsigned> turnOf;
  size_t loopBegin = 0; ///< of the loop proper in `program`
  size_t next = 0;
  double time = 0;
  size_t lane = 0;
  bool uses = false;
  std::map<std::string, unsigned> fills, waits; ///< spans begun, by ring
};

struct RingState {
  const Ring *ring = nullptr;
  std::vector<double> landed, released; ///< by number of the span
  std::vector<size_t> slotLanes;
  double fillBegin = 0;         ///< of the fill that is being issued
  std::vector<double> useBegin; ///< of each span
};

class Player {
public:
  Player(const Launch &launch, const Loop &loop, unsigned turns)
      : launch(launch), loop(loop), shownTurns(turns) {}

  Timeline run() {
    timeline.loop = loop.statement;
    findAgents();
    placeLanes();
    bool moved = true;
    while (moved) {
      moved = false;
      for (Agent &agent : agents)
        while (step(agent))
          moved = true;
    }
    return std::move(timeline);
  }

private:
  //===--------------------------------------------------------------------===//
  // Who takes part
  //===--------------------------------------------------------------------===//

  void findAgents() {
    std::int64_t deepest = 0;
    for (const Ring &ring : launch.rings)
      deepest = std::max(deepest, ring.depth);
    for (const Role &role : launch.roles)
      for (size_t i = 0; i < role.actions.size(); ++i)
        if (role.actions[i].kind == ActionKind::Loop &&
            role.actions[i].statement == loop.statement)
          addAgent(role, i, shownTurns + static_cast<unsigned>(deepest));
  }

  void addAgent(const Role &role, size_t index, unsigned turns) {
    Agent agent;
    agent.role = &role;
    auto append = [&](const std::vector<Step> &steps, unsigned turn) {
      for (const Step &step : steps) {
        agent.program.push_back(step);
        agent.turnOf.push_back(turn);
        noteRing(agent, *step.action);
      }
    };
    unsigned depth = role.actions[index].depth;
    for (size_t i = 0; i < index; ++i) {
      const Action &action = role.actions[i];
      // What the first turn reads ahead.
      if (action.kind == ActionKind::If && action.depth == depth &&
          !action.statement.place.line)
        append(bodyOf(role.actions, i, /*firstTurns=*/true), 0);
      // The loops that fill ahead have no statement of their own.
      if (action.kind == ActionKind::Loop && action.statement.place.line)
        agent.program.clear(), agent.turnOf.clear();
      else if (action.kind == ActionKind::Loop)
        for (unsigned turn = 0; turn < depthIn(role, i); ++turn)
          append(bodyOf(role.actions, i, /*firstTurns=*/true), turn);
    }
    agent.loopBegin = agent.program.size();
    for (unsigned turn = 0; turn < turns; ++turn)
      append(bodyOf(role.actions, index, turn < loop.stages), turn);
    agents.push_back(std::move(agent));
  }

  void noteRing(Agent &agent, const Action &action) {
    if (action.kind == ActionKind::Wait)
      agent.uses = true;
    if (action.kind != ActionKind::Wait && action.kind != ActionKind::Acquire)
      return;
    for (const Ring &ring : launch.rings)
      if (ring.name == action.ring)
        rings[action.ring].ring = &ring;
  }

  /// Depth of the ring that a loop before the loop fills.
  unsigned depthIn(const Role &role, size_t index) {
    for (const Step &step : bodyOf(role.actions, index, /*firstTurns=*/true))
      for (const Ring &ring : launch.rings)
        if (step.action->kind == ActionKind::Acquire &&
            ring.name == step.action->ring)
          return static_cast<unsigned>(ring.depth);
    return 0;
  }

  /// The first half of the rings above the role that uses them, the others
  /// mirrored below it: hand-overs then cross little.
  void placeLanes() {
    std::vector<std::string> names;
    for (const Ring &ring : launch.rings)
      if (rings.count(ring.name))
        names.push_back(ring.name);
    timeline.rings = names;
    size_t above = (names.size() + 1) / 2;
    for (size_t i = 0; i < above; ++i) {
      placeFillers(names[i]);
      placeSlots(names[i], i, /*mirrored=*/false);
    }
    for (Agent &agent : agents)
      if (agent.uses)
        placeRole(agent);
    for (size_t i = above; i < names.size(); ++i) {
      placeSlots(names[i], i, /*mirrored=*/true);
      placeFillers(names[i]);
    }
  }

  void placeFillers(const std::string &ring) {
    for (Agent &agent : agents)
      if (!agent.uses && !placed(agent) &&
          llvm::any_of(agent.program, [&](const Step &step) {
            return step.action->kind == ActionKind::Acquire &&
                   step.action->ring == ring;
          }))
        placeRole(agent);
  }

  bool placed(const Agent &agent) const {
    return llvm::any_of(timeline.lanes, [&](const Lane &lane) {
      return lane.kind == LaneKind::Role && lane.name == agent.role->name;
    });
  }

  void placeRole(Agent &agent) {
    agent.lane = timeline.lanes.size();
    if (agent.uses)
      useLane = agent.lane;
    timeline.lanes.push_back(
        {LaneKind::Role, agent.role->name, 0, !agent.uses});
  }

  void placeSlots(const std::string &name, size_t index, bool mirrored) {
    RingState &state = rings[name];
    size_t depth = static_cast<size_t>(state.ring->depth);
    state.slotLanes.resize(depth);
    for (size_t i = 0; i < depth; ++i) {
      size_t slot = mirrored ? depth - 1 - i : i;
      state.slotLanes[slot] = timeline.lanes.size();
      timeline.lanes.push_back({LaneKind::Slot,
                                "'" + name + "' slot " + std::to_string(slot),
                                index, false});
    }
  }

  //===--------------------------------------------------------------------===//
  // One step
  //===--------------------------------------------------------------------===//

  void box(const Agent &agent, BoxKind kind, double begin, double end,
           const std::string &label, const std::string &title) {
    const Step &now = agent.program[agent.next];
    Box &box = timeline.boxes.emplace_back();
    box.kind = kind;
    box.lane = agent.lane;
    box.begin = begin;
    box.end = end;
    box.turn = turnOf(agent);
    bool ofProgram = kind == BoxKind::Statement || kind == BoxKind::Product ||
                     kind == BoxKind::Issue ||
                     (kind == BoxKind::Fence && now.action->written);
    box.line = ofProgram ? now.action->statement.place.line : 0;
    box.guarded = now.guarded;
    box.label = label;
    box.title = title;
  }

  /// What a slot is read for may be a later turn than the one in which it is
  /// read.
  static unsigned turnOf(const Agent &agent) {
    auto waits = agent.waits.find(agent.program[agent.next].action->ring);
    return waits == agent.waits.end() ? agent.turnOf[agent.next]
                                      : waits->second - 1;
  }

  void slotBox(size_t lane, BoxKind kind, double begin, double end,
               unsigned turn, const std::string &title) {
    if (end <= begin)
      return;
    Box &box = timeline.boxes.emplace_back();
    box.kind = kind;
    box.lane = lane;
    box.begin = begin;
    box.end = end;
    box.turn = turn;
    box.title = title;
  }

  void idle(Agent &agent, double until, const std::string &forWhat) {
    if (until <= agent.time)
      return;
    box(agent, BoxKind::Idle, agent.time, until, "waits", forWhat);
    agent.time = until;
  }

  /// Runs the next action of `agent`; false if it waits or has ended.
  bool step(Agent &agent) {
    if (agent.next == agent.program.size())
      return false;
    noteTurn(agent);
    const Action &action = *agent.program[agent.next].action;
    bool done = true;
    if (action.kind == ActionKind::Acquire)
      done = acquire(agent, action);
    else if (action.kind == ActionKind::Wait)
      done = wait(agent, action);
    else
      play(agent, action);
    agent.next += done;
    return done;
  }

  /// Keeps when the role that uses the slots begins each turn.
  void noteTurn(const Agent &agent) {
    if (agent.uses && agent.next >= agent.loopBegin &&
        timeline.turns.size() <= shownTurns &&
        agent.turnOf[agent.next] == timeline.turns.size())
      timeline.turns.push_back(agent.time);
  }

  bool acquire(Agent &agent, const Action &action) {
    RingState &state = rings[action.ring];
    unsigned number = agent.fills[action.ring];
    size_t depth = state.slotLanes.size();
    if (number >= depth) {
      if (state.released.size() <= number - depth)
        return false;
      double free = state.released[number - depth];
      idle(agent, free, "waits until the slot has been released");
      timeline.arrows.push_back({false, useLane, agent.lane, free, agent.time,
                                 static_cast<unsigned>(number - depth)});
    }
    ++agent.fills[action.ring];
    state.fillBegin = agent.time;
    return true;
  }

  bool wait(Agent &agent, const Action &action) {
    RingState &state = rings[action.ring];
    unsigned number = agent.waits[action.ring];
    if (state.landed.size() <= number)
      return false;
    ++agent.waits[action.ring];
    double landed = state.landed[number];
    size_t lane = state.slotLanes[number % state.slotLanes.size()];
    idle(agent, landed, "waits for the tile of turn " + std::to_string(number));
    timeline.arrows.push_back(
        {true, lane, agent.lane, landed, agent.time, number});
    slotBox(lane, BoxKind::Full, landed, agent.time, number,
            "turn " + std::to_string(number) + ": full, not used yet");
    state.useBegin.push_back(agent.time);
    return true;
  }

  void play(Agent &agent, const Action &action) {
    double begin = agent.time;
    auto work = [&](BoxKind kind, double duration, const std::string &label,
                    const std::string &title) {
      agent.time = begin + duration;
      box(agent, kind, begin, agent.time, label, title);
    };
    switch (action.kind) {
    case ActionKind::Statement:
      playStatement(action, work);
      break;
    case ActionKind::Load:
      work(BoxKind::Issue, kIssue, "start",
           "starts " + action.statement.place.text);
      timeline.boxes.back().turn = agent.fills[action.ring] - 1;
      break;
    case ActionKind::Commit:
      commit(agent, action);
      break;
    case ActionKind::Release:
      work(BoxKind::Release, kShort, "R",
           "releases the slot of '" + action.ring + "': " + action.reason);
      release(agent, action);
      break;
    case ActionKind::Fence:
      work(BoxKind::Fence, kShort, "F",
           action.instruction + ": " + describeReason(action));
      break;
    case ActionKind::Barrier:
      work(BoxKind::Barrier, kShort, "B",
           action.instruction + ": " + action.reason);
      break;
    case ActionKind::CompletionWait:
      playCompletion(agent, action, work);
      break;
    default:
      break;
    }
  }

  template <typename Work>
  static void playStatement(const Action &action, Work work) {
    llvm::StringRef instruction = action.instruction;
    std::string label =
        llvm::StringRef(action.statement.name).split("T.").second.lower();
    if (label.empty())
      label = action.statement.name;
    std::string title = describeAction(action) + ": " + instruction.str() +
                        describePieces(action);
    if (action.statement.name == kOperandLoad)
      label = "load";
    if (instruction.starts_with("TMA store"))
      label = "store";
    if (instruction.contains("wgmma"))
      work(BoxKind::Product, kProductIssue, label, title);
    else if (instruction.contains("mma.sync"))
      work(BoxKind::Product, kProduct, label, title);
    else
      work(BoxKind::Statement, kCopy, label, title);
  }

  /// A group of cp.async is complete when the slot that is waited for next has
  /// landed; closing one takes no time.
  template <typename Work>
  void playCompletion(Agent &agent, const Action &action, Work work) {
    llvm::StringRef instruction = action.instruction;
    std::string title = action.instruction + ": " + action.reason;
    // A tensor store of a turn before has read its tile long since.
    if (instruction.starts_with("cp.async.bulk"))
      return work(BoxKind::Completion, kShort, "S", title);
    if (!instruction.starts_with("cp.async"))
      return work(BoxKind::Completion, kCompletion, "product", title);
    if (instruction.contains("commit"))
      return;
    for (size_t i = agent.next; i < agent.program.size(); ++i) {
      const Action &wait = *agent.program[i].action;
      if (wait.kind != ActionKind::Wait)
        continue;
      const std::vector<double> &landed = rings[wait.ring].landed;
      if (unsigned number = agent.waits[wait.ring]; number < landed.size())
        idle(agent, landed[number], title);
      return;
    }
  }

  void commit(Agent &agent, const Action &action) {
    RingState &state = rings[action.ring];
    unsigned number = static_cast<unsigned>(state.landed.size());
    std::int64_t largest = 1;
    for (const auto &[name, other] : rings)
      largest = std::max(largest, other.ring->bytes);
    double landed =
        agent.time + kLanding *
                         (1 + static_cast<double>(state.ring->bytes) /
                                  static_cast<double>(largest)) /
                         2;
    state.landed.push_back(landed);
    slotBox(state.slotLanes[number % state.slotLanes.size()], BoxKind::Landing,
            state.fillBegin, landed, number,
            "turn " + std::to_string(number) + ": the copy is under way");
  }

  void release(Agent &agent, const Action &action) {
    RingState &state = rings[action.ring];
    unsigned number = static_cast<unsigned>(state.released.size());
    state.released.push_back(agent.time);
    size_t lane = state.slotLanes[number % state.slotLanes.size()];
    slotBox(lane, BoxKind::InUse, state.useBegin[number], agent.time, number,
            "turn " + std::to_string(number) + ": in use; " + action.reason);
  }

  const Launch &launch;
  const Loop &loop;
  unsigned shownTurns;
  Timeline timeline;
  std::vector<Agent> agents;
  std::map<std::string, RingState> rings;
  size_t useLane = 0;
};

} // namespace

std::vector<Timeline> makeTimelines(const Launch &launch, unsigned turns) {
  std::vector<Timeline> result;
  for (const Loop &loop : launch.loops)
    if (loop.plan != "sequential")
      result.push_back(Player(launch, loop, turns).run());
  return result;
}

} // namespace tlc::explain
