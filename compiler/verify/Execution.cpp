// The machine of Execution.h.
#include "compiler/verify/Execution.h"

#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>

using namespace mlir;
using namespace tlc;
using namespace tlc::verify;

/// A run that is longer has a loop that nothing here bounds.
constexpr uint64_t kMaxSteps = 200000;

static bool hasElect(ArrayRef<Node> nodes) {
  return llvm::any_of(nodes, [](const Node &node) {
    return node.kind == Node::Elect || hasElect(node.body) ||
           hasElect(node.other);
  });
}

Machine::Machine(const Protocol &protocol,
                 ArrayRef<std::vector<Node>> skeletons, AtomTable &atoms,
                 Choices &choices)
    : protocol(protocol) {
  for (const auto &[value, info] : protocol.barriers)
    if (sm::MBarrierOp decl = info.decl)
      barriers[value] = std::vector<BarrierStage>(
          decl.getStages(),
          BarrierStage{static_cast<int64_t>(decl.getCount())});
  auto add = [&](const RoleInfo &role, bool elected, int64_t threads,
                 const std::vector<Node> &nodes) {
    agents.emplace_back(role, elected, threads, Evaluator(atoms, choices));
    agents.back().frames.push_back({&nodes});
  };
  for (auto [role, nodes] : llvm::zip(protocol.roles, skeletons)) {
    if (!hasElect(nodes)) {
      add(role, false, role.threads, nodes);
      continue;
    }
    int64_t first = std::min<int64_t>(32, role.threads);
    add(role, true, first, nodes);
    if (role.threads > first)
      add(role, false, role.threads - first, nodes);
  }
}

void Machine::fail(Operation *at, std::string text, std::vector<Note> notes) {
  if (!result.failure)
    result.failure = Failure{at, std::move(text), std::move(notes)};
}

RunResult Machine::run(std::optional<size_t> last) {
  while (!result.failure) {
    bool progress = false;
    for (size_t i = 0; i < agents.size() && !result.failure; ++i)
      if (i != last)
        while (step(agents[i]) && !result.failure)
          progress = true;
    if (!progress && !result.failure && last)
      progress = step(agents[*last]);
    if (result.steps > kMaxSteps) {
      result.outOfSteps = true;
      return result;
    }
    if (!progress)
      break;
  }
  if (result.failure)
    return result;
  bool done = llvm::all_of(
      agents, [](const Agent &agent) { return agent.frames.empty(); });
  if (done)
    checkEnd();
  else if (!reportBytes())
    reportBlocked();
  return result;
}

bool Machine::step(Agent &agent) {
  if (agent.frames.empty() || result.steps > kMaxSteps)
    return false;
  ++result.steps;
  Frame &frame = agent.frames.back();
  if (frame.pc == frame.nodes->size())
    return leaveFrame(agent);
  const Node &node = (*frame.nodes)[frame.pc];
  size_t depth = agent.frames.size();
  agent.blocked = nullptr;
  if (!execute(agent, node)) {
    agent.blocked = node.op;
    return false;
  }
  // Ops that open a frame come back to the op behind them.
  ++agent.frames[depth - 1].pc;
  return true;
}

bool Machine::leaveFrame(Agent &agent) {
  Frame &frame = agent.frames.back();
  const Node *owner = frame.owner;
  if (!owner) {
    agent.frames.pop_back();
    return true;
  }
  auto bindAll = [&](ValueRange targets, ValueRange sources) {
    SmallVector<Linear> values;
    for (Value source : sources)
      values.push_back(agent.values.evaluate(source));
    for (auto [target, value] : llvm::zip(targets, values))
      agent.values.bind(target, value);
  };
  if (auto loop = dyn_cast<scf::ForOp>(owner->op)) {
    auto yielded = loop.getBody()->getTerminator()->getOperands();
    bindAll(loop.getRegionIterArgs(), yielded);
    frame.iv += frame.step;
    frame.pc = 0;
    if (frame.iv < frame.upper) {
      Linear iv;
      iv.constant = frame.iv;
      agent.values.bind(loop.getInductionVar(), iv);
      return true;
    }
    for (auto [out, arg] :
         llvm::zip(loop.getResults(), loop.getRegionIterArgs()))
      agent.values.bind(out, agent.values.evaluate(arg));
  } else if (auto loop = dyn_cast<scf::WhileOp>(owner->op)) {
    frame.pc = 0;
    if (frame.after) {
      bindAll(loop.getBeforeArguments(), loop.getYieldOp().getOperands());
      frame.after = false;
      frame.nodes = &owner->body;
      return true;
    }
    scf::ConditionOp condition = loop.getConditionOp();
    bool more = agent.values.number(condition.getCondition()) != 0;
    bindAll(loop.getAfterArguments(), condition.getArgs());
    bindAll(loop.getResults(), condition.getArgs());
    if (more) {
      frame.after = true;
      frame.nodes = &owner->other;
      return true;
    }
  } else if (auto branch = dyn_cast<scf::IfOp>(owner->op)) {
    if (branch.getNumResults() != 0)
      bindAll(branch.getResults(),
              (frame.after ? branch.elseYield() : branch.thenYield())
                  .getOperands());
  } else if (isa<sm::ElectOp>(owner->op)) {
    agent.isElect = false;
  }
  agent.frames.pop_back();
  return true;
}

bool Machine::enterFor(Agent &agent, const Node &node) {
  auto loop = cast<scf::ForOp>(node.op);
  int64_t lower = agent.values.number(loop.getLowerBound());
  int64_t step = agent.values.number(loop.getStep());
  int64_t turns =
      agent.values.number(agent.values.evaluate(loop.getUpperBound()));
  for (auto [arg, init] :
       llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs()))
    agent.values.bind(arg, agent.values.evaluate(init));
  if (lower >= turns) {
    for (auto [out, init] : llvm::zip(loop.getResults(), loop.getInitArgs()))
      agent.values.bind(out, agent.values.evaluate(init));
    return true;
  }
  Linear iv;
  iv.constant = lower;
  agent.values.bind(loop.getInductionVar(), iv);
  Frame frame{&node.body, 0, &node};
  frame.iv = lower;
  frame.upper = turns;
  frame.step = std::max<int64_t>(1, step);
  agent.frames.push_back(frame);
  return true;
}

void Machine::enterIf(Agent &agent, const Node &node) {
  auto branch = cast<scf::IfOp>(node.op);
  bool taken =
      agent.values.number(branch.getCondition(), /*minor=*/!node.isShared) != 0;
  Frame frame{taken ? &node.body : &node.other, 0, &node};
  frame.after = !taken;
  agent.frames.push_back(frame);
}

bool Machine::execute(Agent &agent, const Node &node) {
  Operation *op = node.op;
  auto constant = [&](Value value, int64_t number) {
    Linear linear;
    linear.constant = number;
    agent.values.bind(value, linear);
  };
  switch (node.kind) {
  case Node::Wait:
    return wait(agent, cast<sm::MBarrierWaitOp>(op));
  case Node::Arrive:
    arrive(agent, cast<sm::MBarrierArriveOp>(op));
    return true;
  case Node::Expect:
    expect(agent, cast<sm::MBarrierArriveExpectTxOp>(op));
    return true;
  case Node::Load:
    load(agent, op);
    return true;
  case Node::Bar:
    return bar(agent, cast<sm::BarSyncOp>(op));
  case Node::Counter:
    agent.counters[cast<sm::CounterOp>(op).getResult()] = 0;
    return true;
  case Node::Advance:
    ++agent.counters[cast<sm::CounterAdvanceOp>(op).getCounter()];
    return true;
  case Node::Stage:
  case Node::Phase: {
    Value counter = op->getOperand(0);
    auto decl = counter.getDefiningOp<sm::CounterOp>();
    int64_t depth = decl ? std::max<int64_t>(1, decl.getDepth()) : 1;
    int64_t count = agent.counters[counter];
    constant(op->getResult(0),
             node.kind == Node::Stage ? count % depth : count / depth & 1);
    return true;
  }
  case Node::ReadLocal:
    readLocal(agent, cast<tile::LoadOp>(op));
    return true;
  case Node::WriteLocal:
    writeLocal(agent, cast<tile::StoreOp>(op));
    return true;
  case Node::Unknown: {
    std::string key = agent.role->name + " reads ";
    llvm::raw_string_ostream(key) << op << " " << agent.visits[op]++;
    agent.values.bind(
        op->getResult(0),
        agent.values.makeAtom(key, op->getResult(0).getType().isInteger(1)));
    result.guessed = true;
    return true;
  }
  case Node::For:
    return enterFor(agent, node);
  case Node::While: {
    auto loop = cast<scf::WhileOp>(op);
    for (auto [arg, init] :
         llvm::zip(loop.getBeforeArguments(), loop.getInits()))
      agent.values.bind(arg, agent.values.evaluate(init));
    agent.frames.push_back({&node.body, 0, &node});
    return true;
  }
  case Node::If:
    enterIf(agent, node);
    return true;
  case Node::Elect:
    if (agent.elected) {
      agent.isElect = true;
      agent.frames.push_back({&node.body, 0, &node});
    }
    return true;
  }
  return true;
}

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
  return true;
}

void Machine::readLocal(Agent &agent, tile::LoadOp op) {
  int64_t index = 0;
  for (Value at : op.getIndices())
    index = index * 4096 + agent.values.number(at);
  auto it = agent.locals.find({op.getBuffer().getAsOpaquePointer(), index});
  if (it != agent.locals.end())
    return agent.values.bind(op.getResult(), it->second);
  std::string key = agent.role->name + " has ";
  llvm::raw_string_ostream(key) << op.getBuffer().getAsOpaquePointer() << " "
                                << index << " " << agent.visits[op]++;
  agent.values.bind(
      op.getResult(),
      agent.values.makeAtom(key, op.getResult().getType().isInteger(1)));
}

void Machine::writeLocal(Agent &agent, tile::StoreOp op) {
  int64_t index = 0;
  for (Value at : op.getIndices())
    index = index * 4096 + agent.values.number(at);
  agent.locals[{op.getBuffer().getAsOpaquePointer(), index}] =
      agent.values.evaluate(op.getValue());
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
