// Control flow: launches, blocks, loops and conditions; memory of the run.
#include "compiler/interp/TileInterpMachine.h"

#include <numeric>

using namespace mlir;
using namespace tlc::interp;
namespace tile = tlc::tile;

Machine::Machine(Program &program, const InterpOptions &options)
    : program(program), options(options), cells(program.numCells, Cell{0}),
      buffers(program.buffers.size()), dims(program.buffers.size()),
      storage(program.buffers.size()) {
  for (auto [slot, cell] : program.constants)
    cells[slot] = cell;
  allocate();
}

static SmallVector<int64_t, 8> withStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t, 8> result(shape);
  result.resize(2 * shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    result[shape.size() + i] = stride;
    stride *= shape[i];
  }
  return result;
}

void Machine::allocate() {
  for (auto [i, info] : llvm::enumerate(program.buffers)) {
    Buffer &b = buffers[i];
    b.elem = info.elem;
    b.space = info.space;
    if (info.param >= 0)
      continue;
    b.rank = info.shape.size();
    dims[i] = withStrides(info.shape);
    b.shape = dims[i].data();
    b.strides = dims[i].data() + b.rank;
    b.copyBytes = sizeOf(b.elem);
    for (int64_t d : info.shape)
      b.copyBytes *= d;
    storage[i].resize(b.copyBytes * info.copies);
    b.data = storage[i].data();
    if (info.copies == 1)
      b.copyBytes = 0;
  }
}

void Machine::bindTensor(unsigned param, const TensorArg &tensor) {
  for (auto [i, info] : llvm::enumerate(program.buffers)) {
    if (info.param != static_cast<int>(param))
      continue;
    Buffer &b = buffers[i];
    b.data = static_cast<uint8_t *>(tensor.data);
    b.rank = tensor.shape.size();
    dims[i] = withStrides(tensor.shape);
    if (!tensor.strides.empty())
      llvm::copy(tensor.strides, dims[i].begin() + b.rank);
    b.shape = dims[i].data();
    b.strides = dims[i].data() + b.rank;
  }
}

void Machine::bindCell(unsigned param, Cell value) {
  cells[program.argCells[param]] = value;
}

LogicalResult Machine::run() {
  runNodes(program.nodes, Context{{}, 0, true});
  return success(!failed);
}

void Machine::fail(const Node &node, const std::string &text) {
  if (!failed)
    node.op->emitError(text);
  failed = true;
}

bool Machine::countStep(const Node &node) {
  if (options.maxSteps && ++steps > options.maxSteps)
    fail(node, "gave up after " + std::to_string(options.maxSteps) +
                   " loop iterations");
  return !failed;
}

void Machine::runNodes(const Nodes &nodes, const Context &context) {
  for (const Node &node : nodes) {
    if (node.code >= Code::If && node.code != Code::Copy &&
        node.code != Code::Fill && node.code != Code::Gemm) {
      runControl(node, context);
    } else if (node.perThread && !context.alone) {
      for (uint32_t thread : context.threads)
        step(node, thread);
    } else {
      step(node, context.thread);
    }
    if (failed)
      return;
  }
}

void Machine::runControl(const Node &node, const Context &context) {
  switch (node.code) {
  case Code::If:
    return runIf(node, context);
  case Code::For:
    return runFor(node, context);
  case Code::While:
    return runWhile(node, context);
  case Code::Parallel:
    return runParallel(node);
  case Code::SyncGrid:
    return syncGrid(node);
  default:
    return runLaunch(node);
  }
}

/// Calls `body` once, or for each active thread on its own.
template <typename Body>
void Machine::eachThread(bool split, const Context &context, Body body) {
  if (!split || context.alone)
    return body(context);
  for (uint32_t thread : context.threads)
    body(Context{context.threads, thread, true});
}

void Machine::runIf(const Node &node, const Context &context) {
  const IfInfo &info = program.ifs[node.aux];
  if (node.perThread && !context.alone)
    return runSplitIf(info, context);
  bool taken = at(info.condition, context.thread).i != 0;
  runNodes(taken ? info.thenNodes : info.elseNodes, context);
}

void Machine::runSplitIf(const IfInfo &info, const Context &context) {
  std::vector<uint32_t> taken, others;
  for (uint32_t thread : context.threads)
    (at(info.condition, thread).i ? taken : others).push_back(thread);
  auto arm = [&](const Nodes &nodes, const std::vector<uint32_t> &threads) {
    if (!threads.empty() && !failed)
      runNodes(nodes, Context{threads, threads.front(), false});
  };
  arm(info.thenNodes, taken);
  arm(info.elseNodes, others);
}

void Machine::runFor(const Node &node, const Context &context) {
  const LoopInfo &info = program.loops[node.aux];
  eachThread(node.perThread, context, [&](const Context &c) {
    int64_t upper = at(info.upper, c.thread).i;
    int64_t step = at(info.step, c.thread).i;
    if (step <= 0 && !info.isUnsigned)
      return fail(node, "the step of this loop is " + std::to_string(step) +
                            ", it must be positive");
    for (int64_t i = at(info.lower, c.thread).i; i < upper && countStep(node);
         i += step) {
      at(info.iv, c.thread).i = i;
      runNodes(info.body, c);
    }
  });
}

void Machine::runWhile(const Node &node, const Context &context) {
  const WhileInfo &info = program.whiles[node.aux];
  eachThread(node.perThread, context, [&](const Context &c) {
    while (countStep(node)) {
      runNodes(info.before, c);
      if (failed || !at(info.condition, c.thread).i)
        return;
      runNodes(info.after, c);
    }
  });
}

void Machine::runParallel(const Node &node) {
  const ParallelInfo &info = program.parallels[node.aux];
  int64_t points = 1;
  for (int64_t extent : info.extents)
    points *= extent;
  uint32_t threads = std::max<size_t>(allThreads.size(), 1);
  for (uint32_t iv : info.ivs)
    cells[iv].i = 0;
  for (int64_t point = 0; point < points && countStep(node); ++point) {
    runNodes(info.body,
             Context{{}, static_cast<uint32_t>(point % threads), true});
    for (size_t d = info.ivs.size(); d-- > 0;) {
      if (++cells[info.ivs[d]].i < info.extents[d])
        break;
      cells[info.ivs[d]].i = 0;
    }
  }
}

void Machine::poison(const LaunchInfo &info) {
  for (uint32_t id : info.allocs)
    std::fill(storage[id].begin(), storage[id].end(), uint8_t(0xff));
}

void Machine::runLaunch(const Node &node) {
  const LaunchInfo &info = program.launches[node.aux];
  launch = &info;
  allThreads.resize(info.threads[0] * info.threads[1] * info.threads[2]);
  std::iota(allThreads.begin(), allThreads.end(), 0);
  int64_t grid[3] = {1, 1, 1};
  for (auto [i, ref] : llvm::enumerate(info.grid))
    grid[i] = std::max<int64_t>(at(ref, 0).i, 0);
  if (info.syncsGrid)
    runTogether(node, grid);
  else
    runInOrder(info, grid);
}

int64_t tlc::interp::blockAt(uint64_t order, int64_t turn, int64_t total) {
  if (order == 0)
    return turn;
  if (order == 1 || total < 3)
    return total - 1 - turn;
  // turn * step mod total visits every block once if they share no factor.
  int64_t step = static_cast<int64_t>(order % static_cast<uint64_t>(total));
  while (std::gcd(step, total) != 1)
    ++step;
  return (turn * step + total / 2) % total;
}

void Machine::runInOrder(const LaunchInfo &info, const int64_t (&grid)[3]) {
  int64_t total = grid[0] * grid[1] * grid[2];
  for (int64_t turn = 0; turn < total; ++turn) {
    int64_t block = blockAt(options.blockOrder, turn, total);
    int64_t id[3] = {block % grid[0], block / grid[0] % grid[1],
                     block / (grid[0] * grid[1])};
    runBlockOfLaunch(info, id, grid);
    if (failed)
      return;
    if (options.progress)
      options.progress(turn + 1, total);
  }
}

/// T.use_swizzle: panels of `panel` rows are walked column by column, every
/// second one from the far end (language.md 2.2).
static void swizzleIds(int64_t panel, int64_t linear, int64_t &x, int64_t &y,
                       int64_t gx, int64_t gy) {
  int64_t area = panel * gx;
  int64_t p = linear / area, o = linear % area;
  int64_t total = (gx * gy + area - 1) / area;
  int64_t stride = p + 1 < total ? panel : (gx * gy - p * area) / gx;
  y = o % stride + p * panel;
  x = o / stride;
  if (p % 2)
    x = gx - 1 - x;
}

void tlc::interp::swizzleBlock(int64_t panel, bool column,
                               MutableArrayRef<int64_t> ids,
                               ArrayRef<int64_t> grid) {
  if (panel <= 0 || ids.size() < 2)
    return;
  int64_t linear = ids[0] + ids[1] * grid[0];
  if (column)
    swizzleIds(panel, linear, ids[1], ids[0], grid[1], grid[0]);
  else
    swizzleIds(panel, linear, ids[0], ids[1], grid[0], grid[1]);
}

void Machine::runBlockOfLaunch(const LaunchInfo &info, const int64_t (&id)[3],
                               const int64_t (&grid)[3]) {
  int64_t ids[3] = {id[0], id[1], id[2]};
  swizzleBlock(info.swizzle, info.swizzleColumn,
               MutableArrayRef(ids, info.ids.size()), grid);
  for (auto [i, slot] : llvm::enumerate(info.ids))
    cells[slot].i = ids[i];
  poison(info);
  runNodes(info.body, Context{allThreads, 0, false});
}
