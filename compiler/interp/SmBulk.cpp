// Bulk and tensor copies: agents that move a box between a tensor and a slot
// of shared memory. A load lands in pieces, at any time and in any order before
// its last complete_tx; each piece has a complete_tx of its own. Who waits for
// the phase knows the copy to be over only when all pieces have landed.
#include "compiler/interp/SmRun.h"

#include <cstring>

using namespace mlir;
using namespace tlc;
using namespace tlc::interp;

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

/// Moves pieces of a box between a tensor and a slot: zeros from outside of the
/// tensor, nothing to there.
void SmRun::moveBox(const BulkCopy &copy, bool load, uint32_t pieces) {
  BulkView view = viewOf(copy.node->op);
  const SmTile &tile = program.tiles[copy.tile];
  const GlobalTensor &tensor = tensors[copy.param];
  uint32_t base = tile.offset + copy.slot * tile.slotBytes;
  unsigned size = tile.elementBytes;
  std::vector<uint8_t> &memory = load ? shared : asyncView;
  SmallVector<int64_t, 4> at(view.sizes.size(), 0);
  for (uint32_t byte : tile.byteOf) {
    if (!(pieces >> pieceOf(byte) & 1)) {
      nextIndex(at, view.sizes);
      continue;
    }
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
  recordGlobalBox(warp, copy, view.sizes, /*write=*/false);
  inFlight.push_back(std::move(copy));
  if (options.schedule == SmSchedule::AdversarialEarly)
    return land(inFlight.size() - 1, kAllPieces);
  if (options.schedule != SmSchedule::AdversarialLate)
    return;
  for (ByteRange r : ranges) {
    std::fill(&shared[r.begin], &shared[r.begin] + (r.end - r.begin), 0xff);
    wroteAsync(r.begin, r.end, kAllPieces);
  }
  land(inFlight.size() - 1, kFirstPieces);
}

/// Bytes of some pieces of a copy into a tile.
static int64_t bytesOf(const SmTile &tile, uint32_t pieces) {
  int64_t bytes = 0;
  for (uint32_t piece = 0; piece < kPieces; ++piece)
    if (pieces >> piece & 1)
      bytes += tile.pieceBytes[piece];
  return bytes;
}

/// Bytes of a copy that have not landed.
int64_t SmRun::bytesLeft(const BulkCopy &copy) const {
  return bytesOf(program.tiles[copy.tile], kAllPieces & ~copy.landed);
}

/// Those of `pieces` land that have not yet, and complete their bytes.
void SmRun::land(size_t index, uint32_t pieces) {
  BulkCopy &copy = inFlight[index];
  pieces &= ~copy.landed;
  const SmTile &tile = program.tiles[copy.tile];
  uint32_t base = tile.offset + copy.slot * tile.slotBytes;
  if (!options.tagsOnly || !isFloat(program.buffers[tile.buffer].elem))
    moveBox(copy, true, pieces);
  wroteAsync(base, base + tile.layout.sizeBytes(), pieces);
  copy.landed |= pieces;
  MBarrier &barrier = barriers[copy.barrier];
  barrier.bytes -= bytesOf(tile, pieces);
  const SmNode &node = *copy.node;
  if (copy.landed == kAllPieces) {
    barrier.current.join(copy.known);
    barrier.current.raise(copy.epoch);
    inFlight.erase(inFlight.begin() + index);
  }
  completed(barrier, node);
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
  recordGlobalBox(warp, copy, view.sizes, /*write=*/true);
  if (options.schedule != SmSchedule::AdversarialLate)
    readStore(copy);
  warp.openStores.push_back(std::move(copy));
}

void SmRun::readStore(BulkCopy &copy) {
  if (!copy.read)
    moveBox(copy, false, kAllPieces);
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
      if (copy.globalAccess != ~0u)
        warp.openWrites.push_back(copy.globalAccess);
    }
    warp.storeGroups.pop_front();
  }
  if (cast<sm::BulkWaitOp>(node.op).getRead())
    return;
  for (uint32_t write : std::exchange(warp.openWrites, {}))
    globals->access(write).isOpen = false;
}
