// Mbarriers, named barriers and the register pool.
#include "compiler/interp/SmRun.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::interp;

//===----------------------------------------------------------------------===//
// Mbarriers
//===----------------------------------------------------------------------===//

static std::string nameOf(const SmProgram &program, const MBarrier &barrier) {
  return "'" + program.barriers[barrier.decl].name + "[" +
         std::to_string(barrier.stage) + "]'";
}

/// The mbarrier that operand `operand` - 1 (barrier) and `operand` (stage)
/// name; null after an error.
MBarrier *SmRun::barrierAt(Warp &warp, const SmNode &node, unsigned operand) {
  Value value = node.op->getOperand(operand - 1);
  const SmBarrierDecl &decl = program.barriers[program.barrierOf.lookup(value)];
  int64_t stage = uniform(warp, node, operand);
  if (stage < 0 || stage >= decl.stages) {
    problem(SmProblem::Fault, node.op,
            "stage " + std::to_string(stage) + " of '" + decl.name +
                "', which has " + std::to_string(decl.stages));
    return nullptr;
  }
  return &barriers[decl.first + stage];
}

void SmRun::initBarrier(Warp &warp, const SmNode &node) {
  auto op = cast<sm::MBarrierInitOp>(node.op);
  if (!oneThread(warp, node))
    return;
  const SmBarrierDecl &decl =
      program.barriers[program.barrierOf.lookup(op.getBarrier())];
  Epoch epoch{2 * warp.index + 1, ++warp.time};
  warp.frontiers.generic.raise(epoch);
  for (int64_t stage = 0; stage < decl.stages; ++stage) {
    MBarrier &barrier = barriers[decl.first + stage];
    if (barrier.initialized)
      return problem(SmProblem::Barrier, node.op,
                     nameOf(program, barrier) + " is initialised twice");
    barrier.initialized = true;
    barrier.init = epoch;
    barrier.pending = barrier.count;
    barrier.bytes = 0;
    barrier.phase = 0;
    barrier.current.clear();
    barrier.done.clear();
    barrier.arrived.clear();
  }
}

/// fence.mbarrier_init: the initialisations become visible to the async proxy.
void SmRun::fenceInit(Warp &warp) {
  for (MBarrier &barrier : barriers)
    if (barrier.initialized && warp.frontiers.generic.covers(barrier.init))
      warp.frontiers.async.raise(barrier.init);
}

bool SmRun::checkInit(Warp &warp, const SmNode &node, const MBarrier &barrier,
                      const Clock &known) {
  if (barrier.initialized && known.covers(barrier.init))
    return true;
  bool isFenceMissing =
      barrier.initialized && warp.frontiers.generic.covers(barrier.init);
  problem(SmProblem::Barrier, node.op,
          nameOf(program, barrier) +
              (isFenceMissing
                   ? " is not initialised for the async proxy: "
                     "fence_mbarrier_init is missing after its "
                     "initialisation"
                   : " is used without a barrier of the block between its "
                     "initialisation and this place"));
  return false;
}

void SmRun::waitBarrier(Warp &warp, const SmNode &node) {
  MBarrier *barrier = barrierAt(warp, node, 1);
  if (!barrier || !checkInit(warp, node, *barrier, warp.frontiers.generic))
    return;
  warp.waiting = false;
  // The branch of the loop around try_wait waits for the data of all loads
  // before it (sync.md 0.1): no later write overtakes them.
  settleAll(warp);
  if (warp.lastLoad.time)
    warp.frontiers.async.raise(warp.lastLoad);
  if (barrier->phase == 0)
    return;
  warp.frontiers.join(barrier->done);
  log(SyncEvent::Wait, warp, barrier - barriers.data(), barrier->phase - 1,
      node.op);
}

void SmRun::arrive(Warp &warp, const SmNode &node, MBarrier &barrier,
                   int64_t count) {
  if (!checkInit(warp, node, barrier, warp.frontiers.generic))
    return;
  if (count > barrier.pending)
    return problem(SmProblem::Barrier, node.op,
                   nameOf(program, barrier) + " gets " +
                       std::to_string(barrier.count - barrier.pending + count) +
                       " arrivals in a phase that needs " +
                       std::to_string(barrier.count));
  log(SyncEvent::Arrive, warp, &barrier - barriers.data(), barrier.phase,
      node.op);
  barrier.pending -= count;
  barrier.arrived[roleAround(node.op)] += count;
  barrier.current.join(warp.frontiers);
  completed(barrier, node);
}

void SmRun::completed(MBarrier &barrier, const SmNode &node) {
  if (barrier.pending != 0 || barrier.bytes > 0)
    return;
  int64_t missing = -barrier.bytes;
  for (const BulkCopy &copy : inFlight)
    if (&barriers[copy.barrier] == &barrier)
      missing += bytesLeft(copy);
  if (missing > 0)
    return problem(SmProblem::Barrier, node.op,
                   nameOf(program, barrier) + " expects " +
                       std::to_string(missing) +
                       " bytes less than its copies bring: the phase completes "
                       "before they have landed");
  barrier.tryComplete();
}

bool SmRun::oneThread(Warp &warp, const SmNode &node) {
  int threads = llvm::popcount(warp.frames.back().mask);
  if (threads == 1)
    return true;
  problem(SmProblem::Convergence, node.op,
          "executed by " + std::to_string(threads) +
              " threads of a warp, it is for one");
  return false;
}

//===----------------------------------------------------------------------===//
// Named barriers and registers
//===----------------------------------------------------------------------===//

/// Id and threads of a bar.sync.
std::pair<int64_t, int64_t> SmRun::barOf(const SmNode &node) const {
  if (auto bar = dyn_cast<sm::BarSyncOp>(node.op))
    return {bar.getId(), bar.getThreads()};
  return {0, 32 * static_cast<int64_t>(warps.size())};
}

void SmRun::barSync(Warp &warp, const SmNode &node) {
  auto [id, threads] = barOf(node);
  NamedBarrier &bar = named[id];
  if (warp.frames.back().mask != warp.lanes)
    return problem(SmProblem::Convergence, node.op,
                   "bar.sync under a condition that differs between the "
                   "threads of a warp");
  if (bar.threads && bar.threads != threads)
    return problem(
        SmProblem::Convergence, node.op,
        "bar.sync " + std::to_string(id) + " of " + std::to_string(threads) +
            " threads, others wait there with " + std::to_string(bar.threads));
  if (threads % 32 != 0)
    return problem(SmProblem::Convergence, node.op,
                   "bar.sync of " + std::to_string(threads) +
                       " threads: whole warps take part");
  bar.threads = threads;
  bar.arrived += 32;
  bar.joined.join(warp.frontiers);
  log(SyncEvent::Bar, warp, id, 0, node.op);
  if (bar.arrived < threads) {
    bar.warps.push_back(warp.index);
    bar.first = node.op;
    warp.atBarrier = true;
    return;
  }
  warp.frontiers = bar.joined;
  NamedBarrier over = std::move(bar);
  bar = NamedBarrier();
  for (uint32_t i : over.warps) {
    Warp &other = warps[i];
    other.frontiers = over.joined;
    other.atBarrier = false;
    ++other.frames.back().pc;
    advance(other);
  }
}

void SmRun::setRegisters(Warp &warp, const SmNode &node) {
  int64_t wanted = cast<sm::SetMaxNRegOp>(node.op).getRegisters();
  registerPool += (warp.maxRegisters - wanted) * 32;
  warp.maxRegisters = wanted;
}
