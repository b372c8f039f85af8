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

void Machine::enterWhile(Agent &agent, const Node &node) {
  auto loop = cast<scf::WhileOp>(node.op);
  for (auto [arg, init] : llvm::zip(loop.getBeforeArguments(), loop.getInits()))
    agent.values.bind(arg, agent.values.evaluate(init));
  agent.frames.push_back({&node.body, 0, &node});
}

void Machine::readCounter(Agent &agent, const Node &node) {
  Value counter = node.op->getOperand(0);
  auto decl = counter.getDefiningOp<sm::CounterOp>();
  int64_t depth = decl ? std::max<int64_t>(1, decl.getDepth()) : 1;
  int64_t count = agent.counters[counter];
  Linear value;
  value.constant = node.kind == Node::Stage ? count % depth : count / depth & 1;
  agent.values.bind(node.op->getResult(0), value);
}

/// What memory holds: another unknown at each visit, the same in all warps of
/// the role.
void Machine::bindUnknown(Agent &agent, Operation *op) {
  std::string key = agent.role->name + " reads ";
  llvm::raw_string_ostream(key) << op << " " << agent.visits[op]++;
  Value value = op->getResult(0);
  agent.values.bind(value, agent.values.makeAtom(
                               key, value.getType().isInteger(1), {nullptr}));
}

bool Machine::execute(Agent &agent, const Node &node) {
  Operation *op = node.op;
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
  case Node::Phase:
    readCounter(agent, node);
    return true;
  case Node::Touch:
  case Node::Fence:
  case Node::GroupCommit:
  case Node::GroupWait:
  case Node::Product:
  case Node::ProductCommit:
  case Node::ProductWait:
    runGroupNode(agent, node);
    return true;
  case Node::ReadLocal:
    readLocal(agent, cast<tile::LoadOp>(op));
    return true;
  case Node::WriteLocal:
    writeLocal(agent, cast<tile::StoreOp>(op));
    return true;
  case Node::Unknown:
    bindUnknown(agent, op);
    return true;
  case Node::For:
    return enterFor(agent, node);
  case Node::While:
    enterWhile(agent, node);
    return true;
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

/// The element as a number, or nothing if it depends on an unknown.
std::optional<int64_t> Machine::elementOf(Agent &agent, ValueRange indices,
                                          MemRefType type) {
  int64_t element = 0;
  for (auto [index, extent] : llvm::zip(indices, type.getShape())) {
    Linear at = agent.values.evaluate(index);
    if (!at.isConstant())
      return std::nullopt;
    element = element * extent + at.constant;
  }
  return element;
}

void Machine::readLocal(Agent &agent, tile::LoadOp op) {
  auto element = elementOf(agent, op.getIndices(), op.getBuffer().getType());
  const auto &cells = agent.locals[op.getBuffer()];
  auto it = element ? cells.find(*element) : cells.end();
  if (it == cells.end())
    return bindUnknown(agent, op);
  agent.values.bind(op.getResult(), it->second);
}

void Machine::writeLocal(Agent &agent, tile::StoreOp op) {
  auto element = elementOf(agent, op.getIndices(), op.getBuffer().getType());
  auto &cells = agent.locals[op.getBuffer()];
  if (element)
    cells[*element] = agent.values.evaluate(op.getValue());
  else
    cells.clear();
}
