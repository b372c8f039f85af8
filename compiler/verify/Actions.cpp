// What barriers do in a run, and what is wrong when it stops: mbarriers with
// arrivals, bytes and phases, named barriers, and the final state.
#include "compiler/verify/Execution.h"

#include <algorithm>

using namespace mlir;
using namespace tlc;
using namespace tlc::verify;

Machine::BarrierStage *Machine::stageOf(Operation *op, Value barrier,
                                        int64_t stage) {
  auto it = barriers.find(barrier);
  if (it == barriers.end())
    return nullptr;
  if (stage < 0 || stage >= static_cast<int64_t>(it->second.size())) {
    fail(op, "stage " + std::to_string(stage) + " of " + barrierName(barrier) +
                 " is used, it has " + std::to_string(it->second.size()));
    return nullptr;
  }
  return &it->second[stage];
}

/// A phase completes with its last arrival and its last byte.
void Machine::flip(BarrierStage &stage, Value barrier) {
  if (stage.pending != 0 || stage.expected != stage.issued)
    return;
  auto decl = barrier.getDefiningOp<sm::MBarrierOp>();
  stage.pending = static_cast<int64_t>(decl.getCount());
  stage.expected = stage.issued = 0;
  ++stage.completed;
}

bool Machine::wait(Agent &agent, sm::MBarrierWaitOp op) {
  Value barrier = op.getBarrier();
  int64_t index = agent.values.number(op.getStage());
  BarrierStage *stage = stageOf(op, barrier, index);
  if (!stage)
    return false;
  flip(*stage, barrier);
  int64_t parity = agent.values.number(op.getParity()) & 1;
  if (op.getInvert())
    parity ^= 1;
  bool passes = (stage->completed & 1) != parity;
  int64_t &turn = agent.waits[{barrier.getAsOpaquePointer(), index}];
  // The n-th wait for a full slot needs n completed phases, the n-th for an
  // empty one, which starts free, n - 1.
  bool isFull = protocol.ringOfFull(barrier);
  bool isRing = isFull || protocol.ringOfEmpty(barrier);
  int64_t needed = turn + (isFull ? 1 : 0);
  agent.wantedPhase = needed;
  agent.wantedStage = index;
  std::string who = "role '" + agent.role->name + "'";
  std::string which =
      "stage " + std::to_string(index) + " of " + barrierName(barrier);
  if (isRing && passes && stage->completed < needed)
    fail(op, "this wait passes before the phase it is for is complete: wait "
             "number " +
                 std::to_string(turn + 1) + " of " + who + " on " + which +
                 " asks for parity " + std::to_string(parity) + ", with " +
                 std::to_string(stage->completed) + " phases complete and " +
                 std::to_string(needed) + " needed");
  else if (isRing && stage->completed > needed)
    fail(op, which + " may complete another phase before " + who +
                 " has seen the one it waits for: phases two apart have the "
                 "same parity and are confused");
  if (!passes)
    return false;
  ++turn;
  return true;
}

void Machine::countArrivals(Operation *op, Value barrier, int64_t index,
                            int64_t arrivals) {
  BarrierStage *stage = stageOf(op, barrier, index);
  if (!stage)
    return;
  flip(*stage, barrier);
  auto decl = barrier.getDefiningOp<sm::MBarrierOp>();
  if (arrivals > stage->pending) {
    fail(op, "more arrivals come in a phase of " + barrierName(barrier) +
                 " than the " + std::to_string(decl.getCount()) + " it counts");
    return;
  }
  stage->pending -= arrivals;
  flip(*stage, barrier);
}

void Machine::arrive(Agent &agent, sm::MBarrierArriveOp op) {
  int64_t threads = agent.isElect ? 1 : agent.threads;
  countArrivals(op, op.getBarrier(), agent.values.number(op.getStage()),
                op.getPerWarp() ? (threads + 31) / 32 : threads);
}

void Machine::expect(Agent &agent, sm::MBarrierArriveExpectTxOp op) {
  int64_t index = agent.values.number(op.getStage());
  BarrierStage *stage = stageOf(op, op.getBarrier(), index);
  if (!stage)
    return;
  flip(*stage, op.getBarrier());
  int64_t threads = agent.isElect ? 1 : agent.threads;
  stage->expected += threads * static_cast<int64_t>(op.getBytes());
  stage->expect = op;
  countArrivals(op, op.getBarrier(), index, threads);
}

void Machine::load(Agent &agent, Operation *op) {
  LoadView view = viewLoad(op);
  BarrierStage *stage =
      stageOf(op, view.barrier, agent.values.number(view.stage));
  if (!stage)
    return;
  stage->load = op;
  stage->issued += view.bytes() * (agent.isElect ? 1 : agent.threads);
  if (stage->issued > stage->expected)
    fail(op, "more bytes are copied than are expected on " +
                 barrierName(view.barrier) + ": " +
                 std::to_string(stage->issued) + " instead of " +
                 std::to_string(stage->expected));
}

/// The first visit arrives, later ones look whether the others have come.
bool Machine::bar(Agent &agent, sm::BarSyncOp op) {
  NamedBarrier &barrier = named[static_cast<int64_t>(op.getId())];
  if (agent.barTicket) {
    if (barrier.generation == *agent.barTicket)
      return false;
    agent.barTicket.reset();
    meet(agent);
    return true;
  }
  int64_t threads = static_cast<int64_t>(op.getThreads());
  if (barrier.arrived == 0) {
    barrier.threads = threads;
    barrier.first = op;
  } else if (barrier.threads != threads) {
    fail(op,
         "barrier " + std::to_string(op.getId()) + " waits for " +
             std::to_string(threads) + " threads here and for " +
             std::to_string(barrier.threads) + " elsewhere",
         {{barrier.first, "the other barrier is here"}});
    return false;
  }
  barrier.arrived += llvm::alignTo(agent.threads, 32);
  if (barrier.arrived < threads) {
    agent.barTicket = barrier.generation;
    return false;
  }
  if (barrier.arrived > threads) {
    fail(op, "more threads than the " + std::to_string(threads) +
                 " of barrier " + std::to_string(op.getId()) + " reach it");
    return false;
  }
  barrier.arrived = 0;
  ++barrier.generation;
  meet(agent);
  return true;
}

/// A wedge that bytes explain: arrivals are complete, bytes are not.
bool Machine::reportBytes() {
  for (const auto &[value, info] : protocol.barriers)
    for (const BarrierStage &stage : barriers[value])
      if (stage.expected != stage.issued && stage.expect) {
        fail(stage.expect, barrierName(value) + " expects " +
                               std::to_string(stage.expected) +
                               " bytes in a phase, but " +
                               std::to_string(stage.issued) + " are copied");
        return true;
      }
  return false;
}

void Machine::reportBlocked() {
  std::vector<Note> notes;
  Operation *first = nullptr;
  std::string text;
  for (const Agent &agent : agents) {
    if (!agent.blocked || agent.frames.empty())
      continue;
    std::string what = "role '" + agent.role->name + "' waits ";
    if (auto wait = dyn_cast<sm::MBarrierWaitOp>(agent.blocked)) {
      const BarrierStage &stage =
          barriers[wait.getBarrier()][agent.wantedStage];
      what += "for phase " + std::to_string(agent.wantedPhase) + " of stage " +
              std::to_string(agent.wantedStage) + " of " +
              barrierName(wait.getBarrier()) + ", of which " +
              std::to_string(stage.completed) +
              " are complete and the next lacks " +
              std::to_string(stage.pending) + " arrivals";
    } else {
      what += "here at a barrier for other threads";
    }
    if (first && agent.blocked == notes.back().at)
      continue;
    if (!first)
      first = agent.blocked;
    notes.push_back({agent.blocked, what});
  }
  fail(first ? first : protocol.launch.getOperation(),
       "the roles wait for each other for ever", std::move(notes));
}

/// After the last op: every load was waited for, every phase is whole.
void Machine::checkEnd() {
  if (reportBytes())
    return;
  for (const Agent &agent : agents)
    checkLanded(agent);
  for (const auto &[value, info] : protocol.barriers) {
    for (auto [index, stage] : llvm::enumerate(barriers[value])) {
      flip(stage, value);
      int64_t waited = 0;
      for (Agent &agent : agents)
        waited = std::max(waited, agent.waits[{value.getAsOpaquePointer(),
                                               static_cast<int64_t>(index)}]);
      if (stage.load && waited < stage.completed)
        return fail(stage.load,
                    "the block may end before this copy has landed: of the " +
                        std::to_string(stage.completed) + " loads on stage " +
                        std::to_string(index) + " of " + barrierName(value) +
                        " only " + std::to_string(waited) + " are waited for");
      sm::MBarrierOp decl = info.decl;
      if (decl && stage.pending != static_cast<int64_t>(decl.getCount()))
        return fail(decl, "the last phase of " + barrierName(value) +
                              " gets only some of its " +
                              std::to_string(decl.getCount()) + " arrivals");
    }
  }
}
