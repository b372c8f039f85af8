// Launches and blocks of the virtual SM.
#include "compiler/interp/SmMachine.h"

#include "compiler/interp/SmRun.h"
#include "compiler/interp/SmSearch.h"
#include "compiler/interp/TileInterpMachine.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::interp;

/// Registers of an SM, and the most a thread can have.
static constexpr int64_t kRegisters = 65536, kMaxRegisters = 255;
static constexpr int64_t kNamedBarriers = 16;
/// Blocks that a check runs of a launch with a grid barrier.
static constexpr int64_t kNeighbours = 3;

StringRef tlc::interp::spelling(SmSchedule schedule) {
  switch (schedule) {
  case SmSchedule::Canonical:
    return "canonical";
  case SmSchedule::AdversarialEarly:
    return "adversarial-early";
  case SmSchedule::AdversarialLate:
    return "adversarial-late";
  case SmSchedule::Seeded:
    return "seeded";
  case SmSchedule::Exhaustive:
    return "exhaustive";
  }
  return "";
}

SmRun::SmRun(SmProgram &program, const SmOptions &options, SmResult &result)
    : program(program), options(options), result(result), random(options.seed),
      tensors(program.kernel.getNumParams()) {
  host.values.resize(program.numValues);
  for (auto [number, cell] : program.constants)
    host.values[number].set(cell);
}

void SmRun::bindTensor(unsigned param, const TensorArg &tensor) {
  GlobalTensor &bound = tensors[param];
  bound.data = static_cast<uint8_t *>(tensor.data);
  bound.shape.assign(tensor.shape.begin(), tensor.shape.end());
  bound.strides.assign(tensor.strides.begin(), tensor.strides.end());
  if (bound.strides.empty())
    bound.strides = analysis::rowMajorStrides(bound.shape);
}

void SmRun::bindValue(Value value, Cell cell) {
  host.values[program.number(value)].set(cell);
}

void SmRun::run() { runNested(host, *program.body, kAllLanes); }

bool SmRun::lags() const { return options.schedule != SmSchedule::Canonical; }

void SmRun::runLaunch(const SmNode &node) {
  auto op = cast<sm::LaunchOp>(node.op);
  SmallVector<int64_t, 3> grid;
  int64_t total = 1, done = 0;
  for (uint32_t v : node.operands) {
    grid.push_back(std::max<int64_t>(host.values[v].get(0).i, 0));
    total *= grid.back();
  }
  bool meets = false;
  op.walk([&](sm::GridBarrierOp) { meets = true; });
  // Blocks that meet are checked with neighbours.
  if (options.maxBlocks)
    total = std::min(
        total, std::max<int64_t>(options.maxBlocks, meets ? kNeighbours : 0));
  globals = makeGlobalHistory(program, op);
  if (meets)
    return runTogether(op, node, grid, total);
  for (int64_t linear = 0; linear < total && !halted; ++linear) {
    auto run = [&] {
      // A search begins the same block again and again.
      if (options.schedule == SmSchedule::Exhaustive)
        globals = makeGlobalHistory(program, op);
      startLinear(op, node, grid, linear);
    };
    if (options.schedule == SmSchedule::Exhaustive) {
      SmSearch(*this).run(run);
    } else {
      run();
      runBlock();
      finishBlock();
    }
    ++result.stats.blocks;
    if (options.progress)
      options.progress(++done, total);
  }
}

void SmRun::startBlock(sm::LaunchOp op, const SmNode &node,
                       ArrayRef<int64_t> ids) {
  launch = op;
  blockNumber = globals->newBlock();
  acquired.clear();
  globalNotes.clear();
  blockName.clear();
  for (int64_t id : ids)
    blockName += (blockName.empty() ? "" : ", ") + std::to_string(id);
  int64_t threads = op.getThreads(), count = (threads + 31) / 32;
  int64_t bytes = op.getSharedBytes();
  for (const SmTile &tile : program.tiles)
    bytes = std::max(bytes, tile.offset + tile.stages * tile.slotBytes);
  shared.assign(bytes, 0xff);
  asyncView = shared;
  unfenced.clear();
  history = std::make_unique<AccessHistory>(bytes);
  barriers.assign(program.numStages, {});
  for (auto [i, decl] : llvm::enumerate(program.barriers))
    for (int64_t stage = 0; stage < decl.stages; ++stage) {
      MBarrier &barrier = barriers[decl.first + stage];
      barrier.decl = i;
      barrier.stage = stage;
      barrier.count = decl.count;
    }
  named.assign(kNamedBarriers, {});
  inFlight.clear();
  asyncAgents.clear();
  fills.clear();
  for (const SmTile &tile : program.tiles)
    fills.emplace_back(tile.stages, 0);
  events.clear();
  notes.clear();
  nextWarp = 0;
  blockSteps = 0;
  int64_t each = std::min(kRegisters / (count * 32), kMaxRegisters) / 8 * 8;
  registerPool = kRegisters - each * count * 32;
  warps.clear();
  warps.resize(count);
  for (auto [i, warp] : llvm::enumerate(warps)) {
    warp.index = i;
    if (int64_t present = threads - 32 * i; present < 32)
      warp.lanes = (1u << present) - 1;
    warp.values = host.values;
    warp.counters.assign(program.counterDepths.size(), 0);
    warp.registers.resize(program.registers.size());
    warp.roleWarps = count;
    warp.maxRegisters = each;
    for (auto [argument, id] : llvm::zip(node.blocks[0]->arguments, ids)) {
      Cell c;
      c.i = id;
      warp.values[argument].set(c);
    }
    warp.frames.push_back(
        {Frame::Plain, node.blocks[0], nullptr, 0, warp.lanes, warp.lanes});
  }
  for (Warp &warp : warps)
    advance(warp);
}

void SmRun::finishBlock() {
  if (!halted)
    checkLifetimes();
}

/// Asynchronous operations that no thread has seen the end of (sync.md E17).
void SmRun::checkLifetimes() {
  Clock known;
  for (Warp &warp : warps)
    known.join(warp.frontiers.generic);
  for (auto [i, agent] : llvm::enumerate(asyncAgents))
    if (!known.covers({uint32_t(firstAsyncAgent() + i), agent.last}))
      problem(SmProblem::Lifetime, agent.op,
              "nobody waits for the end of this operation before the block "
              "ends");
}

SmResult tlc::interp::runSm(tile::KernelOp kernel, ArrayRef<ArgValue> args,
                            const SmOptions &options) {
  SmResult result;
  result.status = SmStatus::Invalid;
  FailureOr<SmallVector<int64_t>> sizes = solveSizes(kernel, args);
  SmallVector<ArgValue> all(args);
  WorkspaceMemory workspaces;
  if (failed(sizes) || failed(workspaces.add(kernel, *sizes, all)) ||
      failed(checkArguments(kernel, all, *sizes)))
    return result;
  SmProgram program;
  if (failed(buildSmProgram(kernel, program)))
    return result;
  SmOptions own = options;
  own.tagsOnly |= options.schedule == SmSchedule::Exhaustive;
  SmRun run(program, own, result);
  for (auto [i, arg] : llvm::enumerate(all)) {
    if (auto *tensor = std::get_if<TensorArg>(&arg))
      run.bindTensor(i, *tensor);
    else
      run.bindValue(kernel.getParam(i),
                    scalarCell(arg, kernel.getParam(i).getType()));
  }
  for (auto [i, size] : llvm::enumerate(*sizes)) {
    Cell c;
    c.i = size;
    run.bindValue(kernel.getSymbolValue(i), c);
  }
  run.run();
  result.status = result.reports.empty() ? SmStatus::Clean : SmStatus::Reported;
  return result;
}
