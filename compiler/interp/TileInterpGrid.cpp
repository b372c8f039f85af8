// Launches with T.sync_grid: every block is a machine of its own on a stack of
// its own, which it leaves at the barrier and returns to when all have come.
#include "compiler/interp/TileInterpMachine.h"

#include <memory>
#include <ucontext.h>

using namespace mlir;
using namespace tlc::interp;

namespace tlc::interp {

class GridRun {
public:
  GridRun(Machine &parent, const Node &node, const int64_t (&grid)[3])
      : parent(parent), node(node), info(parent.program.launches[node.aux]),
        grid{grid[0], grid[1], grid[2]} {}

  void run() {
    int64_t total = grid[0] * grid[1] * grid[2];
    if (total > kMaxTogether)
      return parent.fail(node, "this launch has " + std::to_string(total) +
                                   " blocks that meet at T.sync_grid; the "
                                   "virtual device runs at most " +
                                   std::to_string(kMaxTogether) +
                                   " blocks together");
    for (int64_t block = 0; block < total; ++block)
      blocks.push_back(std::make_unique<Block>(*this, block));
    for (bool waiting = total > 0; waiting && !parent.failed;) {
      waiting = false;
      for (int64_t turn = 0; turn < total && !parent.failed; ++turn) {
        int64_t at = blockAt(parent.options.blockOrder, turn, total);
        resume(*blocks[at]);
        waiting |= !blocks[at]->done;
      }
      if (waiting && !parent.failed)
        checkAllWait();
    }
    if (!parent.failed && parent.options.progress)
      parent.options.progress(total, total);
  }

private:
  /// Room for the nesting of a kernel and for the report of an error.
  static constexpr size_t kStackBytes = 1 << 20;

  struct Block {
    Block(GridRun &run, int64_t number)
        : run(run), number(number),
          machine(run.parent.program, run.parent.options) {}
    GridRun &run;
    int64_t number;
    Machine machine;
    std::unique_ptr<char[]> stack;
    ucontext_t context;
    const Node *barrier = nullptr; ///< where it waits
    bool done = false;
  };

  /// The values of the host and the tensors are those of the parent.
  void prepare(Block &block) {
    Machine &m = block.machine;
    m.cells = parent.cells;
    m.launch = &info;
    m.allThreads = parent.allThreads;
    for (auto [i, buffer] : llvm::enumerate(parent.program.buffers))
      if (buffer.param >= 0)
        m.buffers[i] = parent.buffers[i];
    m.syncGrid = [this, &block](const Node &at) {
      block.barrier = &at;
      swapcontext(&block.context, &scheduler);
    };
    block.stack.reset(new char[kStackBytes]);
    getcontext(&block.context);
    block.context.uc_stack.ss_sp = block.stack.get();
    block.context.uc_stack.ss_size = kStackBytes;
    block.context.uc_link = &scheduler;
    auto address = reinterpret_cast<uintptr_t>(&block);
    makecontext(&block.context, reinterpret_cast<void (*)()>(&enter), 2,
                static_cast<unsigned>(address >> 32),
                static_cast<unsigned>(address));
  }

  /// makecontext passes ints: a pointer comes in two halves.
  static void enter(unsigned high, unsigned low) {
    auto &block = *reinterpret_cast<Block *>(
        static_cast<uintptr_t>(high) << 32 | static_cast<uintptr_t>(low));
    GridRun &run = block.run;
    int64_t n = block.number;
    int64_t id[3] = {n % run.grid[0], n / run.grid[0] % run.grid[1],
                     n / (run.grid[0] * run.grid[1])};
    block.machine.runBlockOfLaunch(run.info, id, run.grid);
    block.done = true;
  }

  void resume(Block &block) {
    if (block.done)
      return;
    if (!block.stack)
      prepare(block);
    block.barrier = nullptr;
    swapcontext(&scheduler, &block.context);
    parent.failed |= block.machine.failed;
  }

  /// Some block waits: then none may have ended.
  void checkAllWait() {
    const Node *barrier = nullptr;
    const Block *ended = nullptr;
    for (auto &block : blocks) {
      if (block->done)
        ended = block.get();
      else
        barrier = block->barrier;
    }
    if (ended)
      parent.fail(*barrier, "block " + std::to_string(ended->number) +
                                " ends without reaching this T.sync_grid: "
                                "the other blocks wait there for ever");
  }

  Machine &parent;
  const Node &node;
  const LaunchInfo &info;
  int64_t grid[3];
  std::vector<std::unique_ptr<Block>> blocks;
  ucontext_t scheduler;
};

} // namespace tlc::interp

void Machine::runTogether(const Node &node, const int64_t (&grid)[3]) {
  GridRun(*this, node, grid).run();
}
