// Launches with a grid barrier: all blocks exist at once, each a run of its own
// that stops when it can only wait for the others.
#include "compiler/interp/SmRun.h"
#include "compiler/interp/TileInterpMachine.h"

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

void SmRun::gridBarrier(Warp &warp, const SmNode &node) {
  if (!oneThread(warp, node) || !grid)
    return;
  if (gridArrived == grid->generation + 1)
    return problem(SmProblem::Barrier, node.op,
                   "a second thread of the block arrives at the grid barrier: "
                   "it lets the blocks go before all have come");
  gridArrived = grid->generation + 1;
  if (++grid->arrived == grid->blocks) {
    grid->arrived = 0;
    ++grid->generation;
    return;
  }
  warp.atGrid = true;
  warp.gridGeneration = grid->generation;
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
  for (int64_t linear = 0; linear < total; ++linear) {
    blocks.push_back(std::make_unique<SmRun>(program, options, result));
    SmRun &block = *blocks.back();
    block.tensors = tensors;
    block.host.values = host.values;
    block.random.seed(options.seed + linear);
    block.grid = &state;
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
