// Frames of a warp: structured control flow under a lane mask, and the
// operations that are local to a warp.
#include "compiler/interp/SmRun.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::interp;

const SmNode *SmRun::current(const Warp &warp) const {
  if (warp.frames.empty())
    return nullptr;
  const Frame &frame = warp.frames.back();
  return &frame.block->nodes[frame.pc];
}

/// Runs to the next event, or to the end.
void SmRun::advance(Warp &warp) {
  while (!halted && !warp.frames.empty()) {
    Frame &frame = warp.frames.back();
    if (frame.pc == frame.block->nodes.size()) {
      endOfBlock(warp);
      continue;
    }
    const SmNode &node = frame.block->nodes[frame.pc];
    if (isEvent(node.code))
      return;
    ++frame.pc;
    runLocal(warp, node);
  }
}

/// Runs a block in one go; its events are accesses only.
void SmRun::runNested(Warp &warp, const SmBlock &block, uint32_t mask) {
  size_t depth = warp.frames.size();
  warp.frames.push_back({Frame::Plain, &block, nullptr, 0, mask, mask});
  while (!halted && warp.frames.size() > depth) {
    Frame &frame = warp.frames.back();
    if (frame.pc == frame.block->nodes.size()) {
      endOfBlock(warp);
      continue;
    }
    const SmNode &node = frame.block->nodes[frame.pc++];
    if (isEvent(node.code))
      runEvent(warp, node);
    else
      runLocal(warp, node);
  }
}

void SmRun::runLocal(Warp &warp, const SmNode &node) {
  if (++blockSteps > options.stepBudget)
    return problem(SmProblem::Budget, node.op,
                   "gave up after " + std::to_string(options.stepBudget) +
                       " operations of one block");
  uint32_t mask = warp.frames.back().mask;
  if (node.code == SmCode::Scalar && defer(warp, node, mask))
    return;
  settleUses(warp, node);
  auto setResult = [&](int64_t value) {
    Cell c;
    c.i = value;
    warp.values[node.results[0]].set(c);
  };
  auto counter = [&]() -> uint64_t & {
    return warp.counters[program.counterOf.lookup(node.op->getOperand(0))];
  };
  auto depth = [&] {
    return program
        .counterDepths[program.counterOf.lookup(node.op->getOperand(0))];
  };
  switch (node.code) {
  case SmCode::Scalar:
    return runScalar(warp, node, mask);
  case SmCode::ThreadId: {
    ArrayRef<int64_t> shape = launch.getProgramThreads();
    auto dim = static_cast<unsigned>(cast<tile::ThreadIdOp>(node.op).getDim());
    int64_t below = 1;
    for (unsigned i = 0; i < dim; ++i)
      below *= shape[i];
    Lanes &lanes = warp.values[node.results[0]];
    lanes.uniform = false;
    for (unsigned lane = 0; lane < 32; ++lane)
      lanes.cell[lane].i = (warp.index * 32 + lane) / below % shape[dim];
    return;
  }
  case SmCode::ThreadIndex: {
    Lanes &lanes = warp.values[node.results[0]];
    auto thread = dyn_cast<sm::ThreadOp>(node.op);
    if (!thread)
      return setResult(warp.index - cast<sm::WarpOp>(node.op).getFirst());
    lanes.uniform = false;
    for (unsigned lane = 0; lane < 32; ++lane)
      lanes.cell[lane].i =
          warp.index * 32 + lane - static_cast<int64_t>(thread.getFirst());
    return;
  }
  case SmCode::Slot:
    warp.values[node.results[0]] = warp.values[node.operands[1]];
    return;
  case SmCode::CounterStage:
    return setResult(counter() % depth());
  case SmCode::CounterPhase:
    return setResult((counter() / depth()) & 1);
  case SmCode::CounterAdvance:
    ++counter();
    return;
  default:
    return enter(warp, node);
  }
}

void SmRun::runScalar(Warp &warp, const SmNode &node, uint32_t mask) {
  SmallVector<const Lanes *, 3> operands;
  for (uint32_t operand : node.operands)
    operands.push_back(&warp.values[operand]);
  computeScalar(warp, node, operands, mask);
}

void SmRun::computeScalar(Warp &warp, const SmNode &node,
                          ArrayRef<const Lanes *> operands, uint32_t mask) {
  const Lanes *in[3] = {};
  bool isUniform = true;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    in[i] = operand;
    isUniform &= operand->uniform;
  }
  for (unsigned i = node.operands.size(); i < 3; ++i)
    in[i] = in[0];
  Lanes &out = warp.values[node.results[0]];
  out.uniform = isUniform;
  for (unsigned lane = 0; lane < (isUniform ? 1 : 32); ++lane) {
    if (!isUniform && !(mask >> lane & 1))
      continue;
    if (!evaluateScalar(node.scalar, &node.function, in[0]->get(lane),
                        in[1]->get(lane), in[2]->get(lane), out.cell[lane]))
      return problem(SmProblem::Fault, node.op, "division by zero");
  }
}

/// The value of an operand that must be the same in all active lanes.
int64_t SmRun::uniform(const Warp &warp, const SmNode &node, unsigned operand) {
  const Lanes &lanes = warp.values[node.operands[operand]];
  uint32_t mask = warp.frames.back().mask;
  unsigned first = llvm::countr_zero(mask);
  int64_t value = lanes.get(first).i;
  if (!lanes.uniform)
    for (unsigned lane = first; lane < 32; ++lane)
      if ((mask >> lane & 1) && lanes.cell[lane].i != value) {
        problem(SmProblem::Convergence, node.op,
                "an operand differs between the threads of a warp");
        break;
      }
  return value;
}

/// Moves `from` to the active lanes; all lanes are active if `mask` is
/// `parent`.
void SmRun::assign(Warp &warp, uint32_t to, const Lanes &from, uint32_t mask,
                   uint32_t parent) {
  Lanes &out = warp.values[to];
  if (mask == parent) {
    out = from;
    return;
  }
  out.spread();
  for (unsigned lane = 0; lane < 32; ++lane)
    if (mask >> lane & 1)
      out.cell[lane] = from.get(lane);
}

void SmRun::enter(Warp &warp, const SmNode &node) {
  Frame outer = warp.frames.back();
  switch (node.code) {
  case SmCode::If:
    return enterIf(warp, node, outer);
  case SmCode::For:
    return enterFor(warp, node, outer);
  case SmCode::While:
    return enterWhile(warp, node, outer);
  case SmCode::Role: {
    auto role = cast<sm::RoleOp>(node.op);
    int64_t first = role.getWarps()[0], count = role.getWarps()[1];
    if (warp.index < first || warp.index >= first + count || !node.blocks[0])
      return;
    warp.firstWarp = first;
    warp.roleWarps = count;
    warp.frames.push_back(
        {Frame::RoleBody, node.blocks[0], &node, 0, outer.mask, outer.mask});
    return;
  }
  default: { // Elect
    if (warp.index != warp.firstWarp || !node.blocks[0])
      return;
    uint32_t lowest = outer.mask & -outer.mask;
    warp.frames.push_back(
        {Frame::ElectBody, node.blocks[0], &node, 0, lowest, lowest});
    return;
  }
  }
}

void SmRun::enterIf(Warp &warp, const SmNode &node, const Frame &outer) {
  const Lanes &condition = warp.values[node.operands[0]];
  uint32_t taken = 0;
  for (unsigned lane = 0; lane < 32; ++lane)
    taken |= uint32_t(condition.get(lane).i != 0) << lane;
  uint32_t masks[2] = {outer.mask & taken, outer.mask & ~taken};
  for (int arm : {1, 0}) // the last pushed runs first
    if (masks[arm] && node.blocks[arm])
      warp.frames.push_back(
          {Frame::Arm, node.blocks[arm], &node, 0, masks[arm], outer.mask});
}

static uint32_t lanesBelow(const Lanes &iv, const Lanes &upper, uint32_t mask,
                           bool isUnsigned) {
  uint32_t active = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    int64_t a = iv.get(lane).i, b = upper.get(lane).i;
    bool below = isUnsigned
                     ? static_cast<uint64_t>(a) < static_cast<uint64_t>(b)
                     : a < b;
    active |= uint32_t(below) << lane;
  }
  return active & mask;
}

void SmRun::enterFor(Warp &warp, const SmNode &node, const Frame &outer) {
  auto loop = cast<scf::ForOp>(node.op);
  const SmBlock &body = *node.blocks[0];
  const Lanes &lower = warp.values[node.operands[0]];
  const Lanes &upper = warp.values[node.operands[1]];
  const Lanes &step = warp.values[node.operands[2]];
  for (unsigned lane = 0; lane < 32; ++lane)
    if ((outer.mask >> lane & 1) && step.get(lane).i <= 0)
      return problem(SmProblem::Fault, node.op,
                     "the step of this loop is " +
                         std::to_string(step.get(lane).i) +
                         ", it must be positive");
  uint32_t active = lanesBelow(lower, upper, outer.mask, loop.getUnsignedCmp());
  warp.values[body.arguments[0]] = lower;
  for (size_t i = 0; i < node.results.size(); ++i) {
    Lanes init = warp.values[node.operands[3 + i]];
    warp.values[body.arguments[1 + i]] = init;
    warp.values[node.results[i]] = init;
  }
  if (active)
    warp.frames.push_back({Frame::Loop, &body, &node, 0, active, outer.mask});
}

void SmRun::endOfLoop(Warp &warp) {
  Frame &frame = warp.frames.back();
  const SmNode &node = *frame.node;
  const SmBlock &body = *frame.block;
  if (++blockSteps > options.stepBudget)
    return problem(SmProblem::Budget, node.op,
                   "gave up after " + std::to_string(options.stepBudget) +
                       " operations of one block");
  SmallVector<Lanes, 2> next;
  for (uint32_t v : body.yielded)
    next.push_back(warp.values[v]);
  for (auto [i, lanes] : llvm::enumerate(next))
    assign(warp, body.arguments[1 + i], lanes, frame.mask, frame.parent);
  Lanes &iv = warp.values[body.arguments[0]];
  const Lanes &step = warp.values[node.operands[2]];
  if (frame.mask != frame.parent || !step.uniform)
    iv.spread();
  for (unsigned lane = 0; lane < (iv.uniform ? 1 : 32); ++lane)
    if (iv.uniform || (frame.mask >> lane & 1))
      iv.cell[lane].i += step.get(lane).i;
  frame.mask = lanesBelow(iv, warp.values[node.operands[1]], frame.mask,
                          cast<scf::ForOp>(node.op).getUnsignedCmp());
  frame.pc = 0;
  if (frame.mask)
    return;
  for (size_t i = 0; i < node.results.size(); ++i)
    warp.values[node.results[i]] = warp.values[body.arguments[1 + i]];
  warp.frames.pop_back();
}

void SmRun::enterWhile(Warp &warp, const SmNode &node, const Frame &outer) {
  const SmBlock &before = *node.blocks[0];
  for (auto [i, argument] : llvm::enumerate(before.arguments)) {
    Lanes init = warp.values[node.operands[i]];
    warp.values[argument] = init;
  }
  warp.frames.push_back(
      {Frame::Before, &before, &node, 0, outer.mask, outer.mask});
}

/// The condition of a while loop has been computed.
void SmRun::endOfBefore(Warp &warp) {
  Frame &frame = warp.frames.back();
  const SmNode &node = *frame.node;
  const SmBlock &before = *node.blocks[0], &after = *node.blocks[1];
  if (++blockSteps > options.stepBudget)
    return problem(SmProblem::Budget, node.op,
                   "gave up after " + std::to_string(options.stepBudget) +
                       " operations of one block");
  SmallVector<Lanes, 2> passed;
  for (uint32_t v : ArrayRef(before.yielded).drop_front())
    passed.push_back(warp.values[v]);
  for (auto [i, lanes] : llvm::enumerate(passed)) {
    assign(warp, node.results[i], lanes, frame.mask, frame.parent);
    assign(warp, after.arguments[i], lanes, frame.mask, frame.parent);
  }
  const Lanes &condition = warp.values[before.yielded[0]];
  uint32_t active = 0;
  for (unsigned lane = 0; lane < 32; ++lane)
    active |= uint32_t(condition.get(lane).i != 0) << lane;
  frame.mask &= active;
  if (!frame.mask) {
    warp.frames.pop_back();
    return;
  }
  frame.kind = Frame::After;
  frame.block = &after;
  frame.pc = 0;
}

void SmRun::endOfBlock(Warp &warp) {
  if (!warp.frames.back().block->yielded.empty())
    settleScalars(warp);
  Frame &frame = warp.frames.back();
  switch (frame.kind) {
  case Frame::Loop:
    return endOfLoop(warp);
  case Frame::Before:
    return endOfBefore(warp);
  case Frame::After: {
    const SmBlock &before = *frame.node->blocks[0];
    SmallVector<Lanes, 2> next;
    for (uint32_t v : frame.block->yielded)
      next.push_back(warp.values[v]);
    for (auto [i, lanes] : llvm::enumerate(next))
      assign(warp, before.arguments[i], lanes, frame.mask, frame.parent);
    frame.kind = Frame::Before;
    frame.block = &before;
    frame.pc = 0;
    return;
  }
  case Frame::Arm:
    for (auto [i, v] : llvm::enumerate(frame.block->yielded)) {
      Lanes value = warp.values[v];
      assign(warp, frame.node->results[i], value, frame.mask, frame.parent);
    }
    break;
  default:
    break;
  }
  bool leavesRole = frame.kind == Frame::RoleBody;
  warp.frames.pop_back();
  if (!leavesRole)
    return;
  warp.firstWarp = 0;
  warp.roleWarps = warps.size();
  for (const Frame &outer : warp.frames)
    if (outer.kind == Frame::RoleBody) {
      auto role = cast<sm::RoleOp>(outer.node->op);
      warp.firstWarp = role.getWarps()[0];
      warp.roleWarps = role.getWarps()[1];
    }
}

void SmRun::runEvent(Warp &warp, const SmNode &node) {
  ++result.stats.steps;
  uint32_t mask = warp.frames.back().mask;
  settleUses(warp, node);
  switch (node.code) {
  case SmCode::Load:
    return load(warp, node, mask);
  case SmCode::Store:
    return store(warp, node, mask);
  case SmCode::Atomic:
    return atomic(warp, node, mask);
  case SmCode::Copy:
    return copy(warp, node);
  case SmCode::Fill:
    return fill(warp, node);
  case SmCode::Parallel:
    return parallel(warp, node);
  case SmCode::Extern:
    return callExtern(warp, node);
  case SmCode::MBarrierInit:
    return initBarrier(warp, node);
  case SmCode::FenceMBarrierInit:
    return fenceInit(warp);
  case SmCode::MBarrierWait:
    return waitBarrier(warp, node);
  case SmCode::ArriveExpect: {
    MBarrier *barrier = barrierAt(warp, node, 1);
    if (!barrier || !oneThread(warp, node))
      return;
    auto op = cast<sm::MBarrierArriveExpectTxOp>(node.op);
    barrier->bytes += op.getBytes();
    return arrive(warp, node, *barrier, 1);
  }
  case SmCode::Arrive: {
    MBarrier *barrier = barrierAt(warp, node, 1);
    bool perWarp = cast<sm::MBarrierArriveOp>(node.op).getPerWarp();
    if (barrier)
      arrive(warp, node, *barrier, perWarp ? 1 : llvm::popcount(mask));
    return;
  }
  case SmCode::BarSync:
    return barSync(warp, node);
  case SmCode::FenceProxy:
    return fenceProxy(warp);
  case SmCode::Membar:
    return; // orders generic accesses, which barriers order already
  case SmCode::BulkLoad:
    return issueLoad(warp, node);
  case SmCode::BulkStore:
    return issueStore(warp, node);
  case SmCode::BulkCommit:
    warp.storeGroups.push_back(std::move(warp.openStores));
    warp.openStores.clear();
    return;
  case SmCode::BulkWait:
    return waitBulk(warp, node);
  case SmCode::CpAsyncCommit:
    warp.copyGroups.push_back(std::move(warp.openCopies));
    warp.openCopies.clear();
    return;
  case SmCode::CpAsyncWait:
    return waitCopies(warp, node);
  case SmCode::Wgmma:
    return issueWgmma(warp, node);
  case SmCode::Mma:
    return runMma(warp, node);
  case SmCode::WgmmaFence:
    for (RegisterTile &tile : warp.registers)
      tile.writtenSinceFence = false;
    return;
  case SmCode::WgmmaCommit:
    warp.productGroups.push_back(std::move(warp.openProducts));
    warp.openProducts.clear();
    return;
  case SmCode::WgmmaWait:
    return waitWgmma(warp, node);
  case SmCode::SetMaxNReg:
    return setRegisters(warp, node);
  case SmCode::GridBarrier:
    return gridBarrier(warp, node);
  case SmCode::Launch:
    return runLaunch(node);
  default:
    return;
  }
}
