// Loads of shared memory that lag: they are issued, and get their bytes when
// something needs them or a fence waits for them. What is computed from them in
// registers lags as well, since the compiler of machine code moves it behind
// later instructions (sync.md 0.1): copies to registers, parallel loops that
// end in registers, and scalars. What a later address, branch or store to
// memory needs has arrived before that.
#include "compiler/interp/SmRun.h"

#include <cstring>

using namespace mlir;
using namespace tlc;
using namespace tlc::interp;
using tile::Space;

void SmRun::addPending(Warp &warp, PendingLoad load) {
  for (Sample &sample : load.samples) {
    sample.bytes.resize(sample.addresses.size() * sample.size);
    for (auto [i, address] : llvm::enumerate(sample.addresses))
      std::memcpy(&sample.bytes[i * sample.size], &shared[address],
                  sample.size);
  }
  if (!lags()) {
    load.finish(load.samples);
    return;
  }
  load.epoch = warp.lastLoad;
  for (uint32_t tile : load.writes)
    ++warp.registers[tile].pendingWrites;
  for (uint32_t tile : load.reads)
    ++warp.registers[tile].pendingReads;
  warp.pending.push_back(std::move(load));
}

/// These loads of a warp get their bytes; scalars do so together.
void SmRun::serve(Warp &warp,
                  llvm::function_ref<bool(const PendingLoad &)> which) {
  bool scalars = llvm::any_of(warp.pending, [&](const PendingLoad &load) {
    return load.isScalar && which(load);
  });
  std::vector<PendingLoad> served, others;
  for (PendingLoad &load : warp.pending)
    (which(load) || (scalars && load.isScalar) ? served : others)
        .push_back(std::move(load));
  warp.pending = std::move(others);
  for (PendingLoad &load : served) {
    for (uint32_t tile : load.writes)
      --warp.registers[tile].pendingWrites;
    for (uint32_t tile : load.reads)
      --warp.registers[tile].pendingReads;
    load.finish(load.samples);
  }
  if (!scalars)
    return;
  warp.late.clear();
  for (const Deferred &later : std::exchange(warp.deferred, {})) {
    SmallVector<const Lanes *, 3> operands;
    for (auto [i, operand] : llvm::enumerate(later.operands))
      operands.push_back(later.late >> i & 1
                             ? &warp.values[later.node->operands[i]]
                             : &operand);
    computeScalar(warp, *later.node, operands, later.mask);
  }
}

/// A register tile is needed now.
void SmRun::settle(Warp &warp, uint32_t registerTile, bool write) {
  const RegisterTile &tile = warp.registers[registerTile];
  if (tile.pendingWrites == 0 && (!write || tile.pendingReads == 0))
    return;
  serve(warp, [&](const PendingLoad &load) {
    return llvm::is_contained(load.writes, registerTile) ||
           (write && llvm::is_contained(load.reads, registerTile));
  });
}

void SmRun::settleAll(Warp &warp) {
  if (!warp.pending.empty())
    serve(warp, [](const PendingLoad &) { return true; });
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

void SmRun::settleScalars(Warp &warp) {
  // A loop that lags has values of its own, from before these.
  if (!warp.late.empty() && !loopLoads)
    serve(warp, [](const PendingLoad &load) { return load.isScalar; });
}

/// The value of a load outside of parallel loops, one for each lane or for all.
void SmRun::lagScalar(Warp &warp, const SmNode &node, Sample sample,
                      uint32_t mask, bool isUniform) {
  PendingLoad load;
  load.isScalar = true;
  load.samples.push_back(std::move(sample));
  uint32_t result = node.results[0];
  Elem elem = program.buffer(node.op->getOperand(0)).elem;
  load.finish = [=, &warp](ArrayRef<Sample> samples) {
    const Sample &s = samples.front();
    Lanes &out = warp.values[result];
    size_t next = 0;
    for (unsigned lane = 0; lane < 32 && next < s.addresses.size(); ++lane)
      if (mask >> lane & 1)
        out.cell[isUniform ? 0 : lane] =
            decode(elem, &s.bytes[next++ * s.size]);
  };
  warp.late.push_back(result);
  addPending(warp, std::move(load));
}

/// Puts off a scalar operation on values that wait for loads.
bool SmRun::defer(Warp &warp, const SmNode &node, uint32_t mask) {
  if (warp.late.empty() || loopLoads)
    return false;
  if (llvm::is_contained(warp.late, node.results[0])) {
    settleScalars(warp);
    return false;
  }
  Deferred later{&node, mask, 0, {}};
  for (auto [i, operand] : llvm::enumerate(node.operands)) {
    bool isLate = llvm::is_contained(warp.late, operand);
    later.late |= uint32_t(isLate) << i;
    later.operands.push_back(isLate ? Lanes() : warp.values[operand]);
  }
  if (!later.late)
    return false;
  warp.deferred.push_back(std::move(later));
  warp.late.push_back(node.results[0]);
  return true;
}

/// What an operation uses has arrived before it.
void SmRun::settleUses(Warp &warp, const SmNode &node) {
  if (warp.late.empty() || loopLoads)
    return;
  auto isLate = [&](uint32_t v) { return llvm::is_contained(warp.late, v); };
  if (llvm::any_of(node.operands, isLate) ||
      llvm::any_of(node.results, isLate) ||
      (node.code == SmCode::Parallel &&
       llvm::any_of(usesOf(node).values, isLate)))
    settleScalars(warp);
}

//===----------------------------------------------------------------------===//
// Parallel loops
//===----------------------------------------------------------------------===//

namespace {
/// What a parallel loop uses, and whether its end can wait: it ends in
/// registers only, and neither a path nor an address depends on its loads.
class LoopScan {
public:
  LoopScan(const SmProgram &program, LoopUses &uses)
      : program(program), uses(uses) {}

  void scan(tile::ParallelOp loop) {
    loop.walk([&](tile::StoreOp store) { stored.insert(store.getBuffer()); });
    uses.canLag = true;
    bool loads = false;
    loop.getBody().walk<WalkOrder::PreOrder>(
        [&](Operation *op) { loads |= visit(op); });
    uses.canLag &= loads;
  }

private:
  bool isLate(Value v) const { return late.contains(v); }
  void need(ValueRange values) {
    uses.canLag &= llvm::none_of(values, [&](Value v) { return isLate(v); });
  }
  void addRegisters(Value buffer, bool write) {
    std::pair<uint32_t, bool> use(program.buffer(buffer).place, write);
    if (!llvm::is_contained(uses.registers, use))
      uses.registers.push_back(use);
  }
  static bool isMemory(Value buffer) {
    return tile::isInSpace(buffer, Space::Shared) ||
           tile::isInSpace(buffer, Space::Global);
  }

  /// True for a load of shared memory.
  bool visit(Operation *op) {
    if (auto load = dyn_cast<tile::LoadOp>(op)) {
      need(load.getIndices());
      bool isShared = tile::isInSpace(load.getBuffer(), Space::Shared);
      if (!isMemory(load.getBuffer()))
        addRegisters(load.getBuffer(), false);
      if (isShared || stored.contains(load.getBuffer()))
        late.insert(load.getResult());
      return isShared;
    }
    if (auto store = dyn_cast<tile::StoreOp>(op)) {
      need(store.getIndices());
      if (isMemory(store.getBuffer()))
        uses.canLag = false;
      else
        addRegisters(store.getBuffer(), true);
      return false;
    }
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      need(op->getOperands().take_front(3));
      for (BlockArgument arg : loop.getRegionIterArgs())
        late.insert(arg);
      late.insert(op->result_begin(), op->result_end());
    } else if (isa<scf::IfOp>(op)) {
      need(op->getOperands());
      late.insert(op->result_begin(), op->result_end());
    } else if (!isa<sm::SlotOp, scf::YieldOp>(op) && !isMemoryEffectFree(op)) {
      uses.canLag = false;
    } else if (llvm::any_of(op->getOperands(),
                            [&](Value v) { return isLate(v); })) {
      late.insert(op->result_begin(), op->result_end());
    }
    return false;
  }

  const SmProgram &program;
  LoopUses &uses;
  llvm::DenseSet<Value> stored, late;
};
} // namespace

/// Numbers of values that a block uses and does not define.
static void addOutside(const SmBlock &block, std::vector<uint32_t> &outside,
                       llvm::DenseSet<uint32_t> &defined) {
  auto use = [&](uint32_t v) {
    if (!defined.contains(v) && !llvm::is_contained(outside, v))
      outside.push_back(v);
  };
  defined.insert(block.arguments.begin(), block.arguments.end());
  for (const SmNode &node : block.nodes) {
    llvm::for_each(node.operands, use);
    defined.insert(node.results.begin(), node.results.end());
    for (const SmBlock *inner : node.blocks)
      if (inner)
        addOutside(*inner, outside, defined);
  }
  llvm::for_each(block.yielded, use);
}

const LoopUses &SmRun::usesOf(const SmNode &loop) {
  auto [it, isNew] = loopUses.try_emplace(&loop);
  if (isNew) {
    LoopScan(program, it->second).scan(cast<tile::ParallelOp>(loop.op));
    llvm::DenseSet<uint32_t> defined;
    addOutside(*loop.blocks[0], it->second.values, defined);
  }
  return it->second;
}

/// Runs a loop twice: now for its accesses, and for its values when they are
/// needed, with the values from outside that it has now.
void SmRun::lagLoop(Warp &warp, const SmNode &node, const WarpPoints &points,
                    const LoopUses &uses) {
  auto log = std::make_shared<LoopLoads>();
  uint32_t mask = warp.frames.back().mask;
  gathering = true;
  loopLoads = log.get();
  runPoints(warp, node, points, mask);
  loopLoads = nullptr;
  gathering = false;
  flushNotes(warp);
  flushGlobalNotes(warp);
  if (halted)
    return;
  PendingLoad load;
  for (auto [tile, write] : uses.registers)
    (write ? load.writes : load.reads).push_back(tile);
  load.samples.assign(std::make_move_iterator(log->samples.begin()),
                      std::make_move_iterator(log->samples.end()));
  std::vector<Lanes> values;
  for (uint32_t v : uses.values)
    values.push_back(warp.values[v]);
  load.finish = [=, this, &warp, &node, &points, &uses,
                 values = std::move(values)](ArrayRef<Sample> samples) mutable {
    log->isReplay = true;
    log->samples.assign(samples.begin(), samples.end());
    log->next.assign(log->ops.size(), 0);
    auto exchange = [&] {
      for (auto [v, value] : llvm::zip(uses.values, values))
        std::swap(warp.values[v], value);
    };
    exchange();
    LoopLoads *outer = std::exchange(loopLoads, log.get());
    runPoints(warp, node, points, mask);
    loopLoads = outer;
    exchange();
  };
  addPending(warp, std::move(load));
}
