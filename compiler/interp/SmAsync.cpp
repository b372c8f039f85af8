// Mbarriers, bulk copies, named barriers and the register pool.
#include "compiler/interp/SmRun.h"

#include <cstring>

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
  if (barrier.pending == 0 && barrier.bytes < 0)
    return problem(SmProblem::Barrier, node.op,
                   nameOf(program, barrier) + " expects " +
                       std::to_string(-barrier.bytes) +
                       " bytes less than its copies bring: the phase completes "
                       "before they have landed");
  barrier.tryComplete();
}

//===----------------------------------------------------------------------===//
// Bulk copies
//===----------------------------------------------------------------------===//

bool SmRun::oneThread(Warp &warp, const SmNode &node) {
  int threads = llvm::popcount(warp.frames.back().mask);
  if (threads == 1)
    return true;
  problem(SmProblem::Convergence, node.op,
          "executed by " + std::to_string(threads) +
              " threads of a warp, it is for one");
  return false;
}

static ByteRanges bytesOfTile(const SmTile &tile, uint32_t base) {
  int64_t bytes = tile.layout.sizeBytes();
  if (static_cast<int64_t>(tile.byteOf.size()) * tile.elementBytes == bytes)
    return {{base, uint32_t(base + bytes)}};
  ByteRanges ranges;
  for (uint32_t at : tile.byteOf)
    ranges.push_back({base + at, uint32_t(base + at + tile.elementBytes)});
  normalize(ranges);
  return ranges;
}

namespace {
/// The parts that loads and stores have in common.
struct BulkView {
  Value global, shared;
  OperandRange coords;
  ArrayRef<int64_t> sizes;
};
} // namespace

static BulkView viewOf(Operation *op) {
  if (auto load = dyn_cast<sm::TmaLoadOp>(op))
    return {load.getSrc(), load.getDst(), load.getCoords(), load.getSizes()};
  if (auto load = dyn_cast<sm::BulkLoadOp>(op))
    return {load.getSrc(), load.getDst(), load.getCoords(), load.getSizes()};
  auto store = cast<sm::TmaStoreOp>(op);
  return {store.getDst(), store.getSrc(), store.getCoords(), store.getSizes()};
}

/// Moves a box between a tensor and a slot: zeros from outside of the tensor,
/// nothing to there.
void SmRun::moveBox(const BulkCopy &copy, bool load) {
  BulkView view = viewOf(copy.node->op);
  const SmTile &tile = program.tiles[copy.tile];
  const GlobalTensor &tensor = tensors[copy.param];
  uint32_t base = tile.offset + copy.slot * tile.slotBytes;
  unsigned size = tile.elementBytes;
  std::vector<uint8_t> &memory = load ? shared : asyncView;
  SmallVector<int64_t, 4> at(view.sizes.size(), 0);
  for (uint32_t byte : tile.byteOf) {
    int64_t element = 0;
    bool inside = true;
    for (size_t d = 0; d < at.size(); ++d) {
      int64_t i = copy.coords[d] + at[d];
      inside &= i >= 0 && i < tensor.shape[d];
      element += i * tensor.strides[d];
    }
    uint8_t *local = &memory[base + byte];
    uint8_t *global = tensor.data + element * size;
    if (load && inside)
      std::memcpy(local, global, size);
    else if (load)
      std::memset(local, 0, size);
    else if (inside)
      std::memcpy(global, local, size);
    nextIndex(at, view.sizes);
  }
}

static BulkCopy makeCopy(const SmProgram &program, Warp &warp,
                         const SmNode &node) {
  BulkView view = viewOf(node.op);
  BulkCopy copy;
  copy.node = &node;
  copy.warp = warp.index;
  copy.tile = program.buffer(view.shared).place;
  copy.param = program.buffer(view.global).param;
  unsigned lane = llvm::countr_zero(warp.frames.back().mask);
  for (Value v : view.coords)
    copy.coords.push_back(warp.values[program.number(v)].get(lane).i);
  copy.known = warp.frontiers.async;
  return copy;
}

/// The box and the tile have the same elements.
static bool coversTile(const SmTile &tile, ArrayRef<int64_t> sizes) {
  int64_t elements = 1;
  for (int64_t s : sizes)
    elements *= s;
  return elements == static_cast<int64_t>(tile.byteOf.size());
}

void SmRun::issueLoad(Warp &warp, const SmNode &node) {
  BulkView view = viewOf(node.op);
  BulkCopy copy = makeCopy(program, warp, node);
  const SmTile &tile = program.tiles[copy.tile];
  MBarrier *barrier = barrierAt(warp, node, node.operands.size() - 1);
  if (!barrier || !oneThread(warp, node) ||
      !checkInit(warp, node, *barrier, warp.frontiers.async))
    return;
  if (!coversTile(tile, view.sizes))
    return problem(SmProblem::Fault, node.op,
                   "a bulk copy of a part of a shared tile is not supported "
                   "yet");
  uint32_t base = slotBase(warp, node, view.shared, copy.slot);
  if (halted)
    return;
  ++result.stats.copies;
  ++fills[copy.tile][copy.slot];
  copy.barrier = barrier - barriers.data();
  copy.epoch = newAsyncEvent(copy.known);
  asyncAgents[copy.epoch.agent - firstAsyncAgent()].op = node.op;
  ByteRanges ranges = bytesOfTile(tile, base);
  recordAsync(warp, node.op, copy.tile, copy.slot, true, tile::Proxy::AsyncCopy,
              ranges, copy.epoch, copy.known);
  if (options.schedule == SmSchedule::AdversarialEarly)
    return land(copy);
  if (options.schedule == SmSchedule::AdversarialLate)
    for (ByteRange r : ranges) {
      std::fill(&shared[r.begin], &shared[r.begin] + (r.end - r.begin), 0xff);
      wroteAsync(r.begin, r.end);
    }
  inFlight.push_back(std::move(copy));
}

void SmRun::land(const BulkCopy &copy) {
  const SmTile &tile = program.tiles[copy.tile];
  uint32_t base = tile.offset + copy.slot * tile.slotBytes;
  if (!options.tagsOnly || !isFloat(program.buffers[tile.buffer].elem))
    moveBox(copy, true);
  wroteAsync(base, base + tile.layout.sizeBytes());
  MBarrier &barrier = barriers[copy.barrier];
  barrier.current.join(copy.known);
  barrier.current.raise(copy.epoch);
  barrier.bytes -= static_cast<int64_t>(tile.byteOf.size()) * tile.elementBytes;
  completed(barrier, *copy.node);
}

void SmRun::issueStore(Warp &warp, const SmNode &node) {
  BulkView view = viewOf(node.op);
  BulkCopy copy = makeCopy(program, warp, node);
  const SmTile &tile = program.tiles[copy.tile];
  if (!oneThread(warp, node))
    return;
  if (!coversTile(tile, view.sizes))
    return problem(SmProblem::Fault, node.op,
                   "a bulk copy of a part of a shared tile is not supported "
                   "yet");
  uint32_t base = slotBase(warp, node, view.shared, copy.slot);
  if (halted)
    return;
  ++result.stats.copies;
  copy.epoch = newAsyncEvent(copy.known);
  asyncAgents[copy.epoch.agent - firstAsyncAgent()].op = node.op;
  recordAsync(warp, node.op, copy.tile, copy.slot, false,
              tile::Proxy::AsyncCopy, bytesOfTile(tile, base), copy.epoch,
              copy.known);
  if (options.schedule != SmSchedule::AdversarialLate)
    readStore(copy);
  warp.openStores.push_back(std::move(copy));
}

void SmRun::readStore(BulkCopy &copy) {
  if (!copy.read)
    moveBox(copy, false);
  copy.read = true;
}

void SmRun::waitBulk(Warp &warp, const SmNode &node) {
  auto pending =
      static_cast<size_t>(cast<sm::BulkWaitOp>(node.op).getPending());
  while (warp.storeGroups.size() > pending) {
    for (BulkCopy &copy : warp.storeGroups.front()) {
      readStore(copy);
      warp.frontiers.join(copy.known);
      warp.frontiers.raise(copy.epoch);
    }
    warp.storeGroups.pop_front();
  }
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
