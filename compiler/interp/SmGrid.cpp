// Launches with a grid barrier: all blocks exist at once, each a run of its own
// that stops when it can only wait for the others.
#include "compiler/interp/SmRun.h"
#include "compiler/interp/TileInterpMachine.h"

#include "llvm/ADT/Sequence.h"

#include <algorithm>
#include <random>

using namespace mlir;
using namespace tlc;
using namespace tlc::interp;

void SmRun::startLinear(sm::LaunchOp op, const SmNode &node,
                        ArrayRef<int64_t> extents, int64_t linear) {
  SmallVector<int64_t, 3> ids;
  for (int64_t extent : extents) {
    ids.push_back(linear % extent);
    linear /= extent;
  }
  swizzleBlock(op.getSwizzle(), op.getSwizzleColumn(), ids, extents);
  startBlock(op, node, ids);
}

/// A warp that waits for other blocks; null if there is none.
const Warp *SmRun::atGrid() const {
  for (const Warp &warp : warps)
    if (warp.atGrid)
      return &warp;
  return nullptr;
}

/// Counts every thread that arrives, as the counter in global memory does: a
/// block that arrives twice lets blocks go before all have come, and what they
/// then compute is what the hardware would.
void SmRun::gridBarrier(Warp &warp, const SmNode &node) {
  if (!grid)
    return;
  int arrivals = llvm::popcount(warp.frames.back().mask);
  if (arrivals > 1 || (arrivals == 1 && gridArrived == grid->generation + 1))
    reportSecondArrival(node);
  if (arrivals > 0)
    addKnowledge(warp, grid->gathered);
  for (int i = 0; i < arrivals; ++i) {
    gridArrived = grid->generation + 1;
    warp.atGrid = ++grid->arrived != grid->blocks;
    if (!warp.atGrid) {
      grid->arrived = 0;
      ++grid->generation;
      grid->released =
          std::make_shared<BlockFrontiers>(std::exchange(grid->gathered, {}));
    }
    warp.gridGeneration = grid->generation;
  }
  if (arrivals > 0 && !warp.atGrid)
    acquireGrid(warp);
}

/// Once for each barrier: every block makes the same mistake.
void SmRun::reportSecondArrival(const SmNode &node) {
  if (llvm::any_of(result.reports, [&](const SmReport &known) {
        return known.kind == SmProblem::Barrier &&
               known.first == node.op->getLoc();
      }))
    return;
  bool before = halted;
  problem(SmProblem::Barrier, node.op,
          "a second thread of the block arrives at the grid barrier: it lets "
          "the blocks go before all have come");
  halted = before || result.reports.size() >= options.maxReports;
}

/// Every block that has not ended runs as far as it can; false if that lets no
/// block pass the barrier and some wait for it.
bool SmRun::runBlocks(ArrayRef<std::unique_ptr<SmRun>> blocks,
                      GridState &state) {
  uint64_t before = state.generation;
  SmRun *waiting = nullptr, *ended = nullptr;
  for (auto &block : blocks) {
    if (!block->isDone())
      block->runBlock();
    halted |= block->halted;
    if (halted)
      return false;
    (block->isDone() ? ended : waiting) = block.get();
  }
  if (!waiting)
    return false;
  if (state.generation != before)
    return true;
  std::string text = std::to_string(state.arrived) + " of " +
                     std::to_string(state.blocks) +
                     " blocks wait at the grid barrier";
  if (ended)
    text += "; block (" + ended->blockName + ") ends without reaching it";
  const Warp &warp = *waiting->atGrid();
  waiting->problem(SmProblem::Deadlock, current(warp)->op, text);
  halted = true;
  return false;
}

void SmRun::runTogether(sm::LaunchOp op, const SmNode &node,
                        ArrayRef<int64_t> extents, int64_t total) {
  if (total > kMaxTogether)
    return problem(SmProblem::Fault, op,
                   "this launch has " + std::to_string(total) +
                       " blocks that meet at a grid barrier; the virtual SM "
                       "runs at most " +
                       std::to_string(kMaxTogether) + " together");
  GridState state;
  state.blocks = total;
  std::vector<std::unique_ptr<SmRun>> blocks;
  // The first in this list runs first and so arrives first.
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, total));
  if (options.schedule == SmSchedule::AdversarialLate)
    std::reverse(order.begin(), order.end());
  else if (options.schedule == SmSchedule::Seeded)
    std::shuffle(order.begin(), order.end(), std::mt19937_64(options.seed));
  for (int64_t linear : order) {
    blocks.push_back(std::make_unique<SmRun>(program, options, result));
    SmRun &block = *blocks.back();
    block.tensors = tensors;
    block.host.values = host.values;
    block.random.seed(options.seed + linear);
    block.grid = &state;
    block.globals = globals;
    block.startLinear(op, node, extents, linear);
  }
  while (runBlocks(blocks, state))
    ;
  for (auto &block : blocks) {
    if (!halted)
      block->finishBlock();
    halted |= block->halted;
  }
  result.stats.blocks += total;
  if (options.progress)
    options.progress(total, total);
}
