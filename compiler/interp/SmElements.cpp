// Registers of a warp and accesses of single elements.
#include "compiler/interp/SmRun.h"

#include <cstring>

using namespace mlir;
using namespace tlc;
using namespace tlc::interp;
using analysis::Coords;
using tile::Space;

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

RegisterTile &SmRun::registers(Warp &warp, const SmBuffer &buffer) {
  RegisterTile &tile = warp.registers[buffer.place];
  if (!tile.data.empty())
    return tile;
  int64_t elements = buffer.numElements();
  bool isLocal = buffer.space == Space::Local;
  tile.data.assign(elements * sizeOf(buffer.elem) * (isLocal ? 32 : 1), 0xff);
  const SmRegisters &info = program.registers[buffer.place];
  if (isLocal || !info.hasLayout)
    return tile;
  auto [known, isNew] = heldCache.try_emplace({buffer.place, warp.index});
  tile.held = known->second;
  if (!isNew)
    return tile;
  tile.held.assign(elements, 0);
  auto role = buffer.value.getDefiningOp()->getParentOfType<sm::RoleOp>();
  int64_t first = 32 * (warp.index - (role ? role.getWarps()[0] : 0));
  SmallVector<int64_t, 4> strides = analysis::rowMajorStrides(buffer.shape);
  for (int64_t t = first; t < first + 32 && t < info.layout.numThreads(); ++t)
    for (int64_t r = 0; r < info.layout.numRegisters(); ++r) {
      Coords at = info.layout.coords(r, t);
      int64_t element = 0;
      bool inside = true;
      for (auto [c, size, stride] : llvm::zip(at, buffer.shape, strides)) {
        inside &= c < size;
        element += c * stride;
      }
      if (inside)
        tile.held[element] = 1;
    }
  known->second = tile.held;
  return tile;
}

/// The registers of a buffer that `op` is about to access.
RegisterTile &SmRun::touch(Warp &warp, const SmBuffer &buffer, Operation *op,
                           bool write) {
  RegisterTile &tile = registers(warp, buffer);
  settle(warp, buffer.place, write);
  if (tile.accumulating)
    problem(SmProblem::Register, op,
            "'" + buffer.name +
                "' is accessed while a wgmma that accumulates into it has not "
                "been waited for");
  if (write && tile.feeding)
    problem(SmProblem::Register, op,
            "'" + buffer.name +
                "' is overwritten while a wgmma that reads it has not been "
                "waited for");
  tile.writtenSinceFence |= write;
  return tile;
}

//===----------------------------------------------------------------------===//
// Single elements
//===----------------------------------------------------------------------===//

uint32_t SmRun::slotBase(const Warp &warp, const SmNode &node, Value buffer,
                         int64_t &slot) {
  const SmTile &tile = program.tiles[program.buffer(buffer).place];
  slot = 0;
  if (buffer.getDefiningOp<sm::SlotOp>()) {
    const Lanes &lanes = warp.values[program.number(buffer)];
    slot = lanes.get(llvm::countr_zero(warp.frames.back().mask)).i;
  }
  if (slot < 0 || slot >= tile.stages) {
    problem(SmProblem::Fault, node.op,
            "slot " + std::to_string(slot) + " of '" +
                program.buffer(buffer).name + "', which has " +
                std::to_string(tile.stages));
    slot = 0;
  }
  return tile.offset + slot * tile.slotBytes;
}

/// The element that indices name in a lane; `inside` is false outside of the
/// buffer, which is an error unless it is global.
int64_t SmRun::elementOf(Warp &warp, const SmNode &node, const SmBuffer &buffer,
                         ArrayRef<uint32_t> indices, unsigned lane,
                         bool &inside) {
  bool global = buffer.space == Space::Global;
  ArrayRef<int64_t> shape =
      global ? ArrayRef<int64_t>(tensors[buffer.param].shape) : buffer.shape;
  int64_t element = 0;
  inside = true;
  for (auto [d, index] : llvm::enumerate(indices)) {
    int64_t at = warp.values[index].get(lane).i;
    if (static_cast<uint64_t>(at) >= static_cast<uint64_t>(shape[d])) {
      inside = false;
      if (!global)
        problem(SmProblem::Fault, node.op,
                "index " + std::to_string(at) + " is outside dimension " +
                    std::to_string(d) + " of '" + buffer.name +
                    "', which has " + std::to_string(shape[d]));
      return 0;
    }
    element = global ? element + at * tensors[buffer.param].strides[d]
                     : element * shape[d] + at;
  }
  return element;
}

void SmRun::note(Warp &warp, Operation *op, Value buffer, int64_t slot,
                 bool write, ByteRange bytes) {
  uint32_t tile = program.buffer(buffer).place;
  for (Noted &n : notes)
    if (n.op == op && n.tile == tile && n.slot == slot && n.write == write) {
      n.ranges.push_back(bytes);
      return;
    }
  notes.push_back({op, tile, slot, write, {bytes}});
}

void SmRun::flushNotes(Warp &warp) {
  for (Noted &n : notes) {
    normalize(n.ranges);
    recordGeneric(warp, n.op, n.tile, n.slot, n.write, n.ranges);
  }
  notes.clear();
}

/// Whether an element of a fragment is in no lane of this warp.
static bool isForeign(const Warp &warp, const SmBuffer &buffer,
                      int64_t element) {
  if (buffer.space != Space::Fragment)
    return false;
  const std::vector<uint8_t> &held = warp.registers[buffer.place].held;
  return !held.empty() && !held[element];
}

static std::string foreignText(const SmBuffer &buffer) {
  return "a warp accesses an element of '" + buffer.name +
         "' that other warps hold";
}

/// As touch; what a loop that lags writes is written when it is replayed, and
/// has been touched before.
RegisterTile &SmRun::touchInLoop(Warp &warp, const SmBuffer &buffer,
                                 Operation *op, bool write) {
  return loopLoads && loopLoads->isReplay ? registers(warp, buffer)
                                          : touch(warp, buffer, op, write);
}

/// The loads of one op of a loop that lags.
static size_t numberOf(LoopLoads &loads, Operation *op, unsigned size) {
  auto it = llvm::find(loads.ops, op);
  size_t number = it - loads.ops.begin();
  if (it == loads.ops.end()) {
    loads.ops.push_back(op);
    loads.samples.emplace_back().size = size;
  }
  return number;
}

void SmRun::load(Warp &warp, const SmNode &node, uint32_t mask) {
  auto op = cast<tile::LoadOp>(node.op);
  const SmBuffer &buffer = program.buffer(op.getBuffer());
  ArrayRef<uint32_t> indices = ArrayRef(node.operands).drop_front();
  unsigned size = sizeOf(buffer.elem);
  bool isLocal = buffer.space == Space::Local;
  bool isUniform = !isLocal && llvm::all_of(indices, [&](uint32_t v) {
    return warp.values[v].uniform;
  });
  uint32_t base = 0;
  int64_t slot = 0;
  const uint8_t *data = nullptr;
  const SmTile *tile = nullptr;
  if (buffer.space == Space::Global) {
    data = tensors[buffer.param].data;
  } else if (buffer.space == Space::Shared) {
    tile = &program.tiles[buffer.place];
    base = slotBase(warp, node, op.getBuffer(), slot);
    data = shared.data();
  } else {
    data = touchInLoop(warp, buffer, op, false).data.data();
  }
  LoopLoads *loads = loopLoads;
  bool isReplay = loads && loads->isReplay;
  size_t number = loads && tile ? numberOf(*loads, op, size) : 0;
  bool lagsAlone = tile && !gathering && !loads && lags() && !options.tagsOnly;
  bool follows = !isReplay && followsGlobal(buffer);
  Sample sample;
  sample.size = size;
  Lanes out;
  out.uniform = isUniform;
  for (unsigned lane = isUniform ? llvm::countr_zero(mask) : 0; lane < 32;
       ++lane) {
    if (!(mask >> lane & 1))
      continue;
    bool inside;
    int64_t element = elementOf(warp, node, buffer, indices, lane, inside);
    if (inside && isForeign(warp, buffer, element))
      return problem(SmProblem::Fault, op, foreignText(buffer));
    Cell &cell = out.cell[isUniform ? 0 : lane];
    if (!inside) {
      cell.i = 0;
    } else if (tile && isReplay) {
      size_t next = loads->next[number]++;
      cell = decode(buffer.elem, &loads->samples[number].bytes[next * size]);
    } else if (tile) {
      uint32_t at = base + tile->byteOf[element];
      cell = decode(buffer.elem, data + at);
      note(warp, op, op.getBuffer(), slot, false, {at, at + size});
      if (loads)
        loads->samples[number].addresses.push_back(at);
      else if (lagsAlone)
        sample.addresses.push_back(at);
    } else if (isReplay && buffer.space == Space::Global) {
      cell = loads->global[loads->nextGlobal++];
    } else {
      int64_t copy = isLocal ? lane * buffer.numElements() : 0;
      cell = decode(buffer.elem, data + (copy + element) * size);
      if (loads && buffer.space == Space::Global)
        loads->global.push_back(cell);
      if (follows)
        noteGlobal(op, buffer.param, false, element, false);
    }
    if (isUniform)
      break;
  }
  warp.values[node.results[0]] = out;
  if (!gathering && !isReplay) {
    flushNotes(warp);
    flushGlobalNotes(warp);
  }
  if (lagsAlone && !halted)
    lagScalar(warp, node, std::move(sample), mask, isUniform);
}

void SmRun::store(Warp &warp, const SmNode &node, uint32_t mask) {
  auto op = cast<tile::StoreOp>(node.op);
  const SmBuffer &buffer = program.buffer(op.getBuffer());
  ArrayRef<uint32_t> indices = ArrayRef(node.operands).drop_front(2);
  unsigned size = sizeOf(buffer.elem);
  bool isLocal = buffer.space == Space::Local;
  uint32_t base = 0;
  int64_t slot = 0;
  uint8_t *data = nullptr;
  const SmTile *tile = nullptr;
  if (buffer.space == Space::Global) {
    data = tensors[buffer.param].data;
    mask &= warp.storeMask;
  } else if (buffer.space == Space::Shared) {
    tile = &program.tiles[buffer.place];
    base = slotBase(warp, node, op.getBuffer(), slot);
    data = shared.data();
    mask &= warp.storeMask;
  } else {
    data = touchInLoop(warp, buffer, op, true).data.data();
    if (loopLoads && !loopLoads->isReplay)
      return;
  }
  bool follows = followsGlobal(buffer);
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    bool inside;
    int64_t element = elementOf(warp, node, buffer, indices, lane, inside);
    if (!inside)
      continue;
    if (isForeign(warp, buffer, element))
      return problem(SmProblem::Fault, op, foreignText(buffer));
    Cell value = warp.values[node.operands[0]].get(lane);
    if (tile) {
      uint32_t at = base + tile->byteOf[element];
      encode(buffer.elem, data + at, value);
      note(warp, op, op.getBuffer(), slot, true, {at, at + size});
    } else {
      int64_t copy = isLocal ? lane * buffer.numElements() : 0;
      uint8_t *at = data + (copy + element) * size;
      uint8_t old[8];
      std::memcpy(old, at, size);
      encode(buffer.elem, at, value);
      if (follows)
        noteGlobal(op, buffer.param, true, element,
                   std::memcmp(old, at, size) == 0);
    }
  }
  if (!gathering) {
    flushNotes(warp);
    flushGlobalNotes(warp);
  }
}

/// One lane after the other: each sees what the one before it left.
void SmRun::atomic(Warp &warp, const SmNode &node, uint32_t mask) {
  auto op = cast<tile::AtomicOp>(node.op);
  const SmBuffer &buffer = program.buffer(op.getBuffer());
  size_t count = op.getIndices().size();
  ArrayRef<uint32_t> indices = ArrayRef(node.operands).slice(1, count);
  bool isShared = buffer.space == Space::Shared;
  bool writes = op.getKind() != tile::AtomicKind::Load;
  unsigned size = sizeOf(buffer.elem);
  int64_t slot = 0;
  uint32_t base = isShared ? slotBase(warp, node, op.getBuffer(), slot) : 0;
  Lanes out;
  out.uniform = false;
  std::fill(std::begin(out.cell), std::end(out.cell), Cell{0});
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!((mask & warp.storeMask) >> lane & 1))
      continue;
    bool inside;
    int64_t element = elementOf(warp, node, buffer, indices, lane, inside);
    if (!inside)
      continue;
    uint32_t at =
        isShared ? base + program.tiles[buffer.place].byteOf[element] : 0;
    uint8_t *p =
        isShared ? &shared[at] : tensors[buffer.param].data + element * size;
    Cell old = decode(buffer.elem, p);
    out.cell[lane] = old;
    if (writes)
      encode(buffer.elem, p,
             combineAtomic(op.getKind(), buffer.elem, old,
                           warp.values[node.operands[1 + count]].get(lane)));
    if (isShared) {
      note(warp, op, op.getBuffer(), slot, writes, {at, at + size});
      continue;
    }
    if (followsGlobal(buffer))
      noteGlobal(op, buffer.param, writes, element, false);
    orderAtomic(warp, op, buffer.param, element);
  }
  if (!node.results.empty())
    warp.values[node.results[0]] = out;
  if (!gathering) {
    flushNotes(warp);
    flushGlobalNotes(warp);
  }
}
