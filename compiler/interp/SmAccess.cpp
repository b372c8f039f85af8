// Generic accesses of whole regions: copies, fills, parallel loops, calls.
#include "compiler/interp/SmRegion.h"

#include <cstring>

using namespace mlir;
using namespace tlc;
using namespace tlc::interp;
using analysis::LinearLayout;
using tile::Space;

//===----------------------------------------------------------------------===//
// Copies and fills
//===----------------------------------------------------------------------===//

/// Places a region; false after an error.
bool SmRun::makeRegion(Warp &warp, const SmNode &node, Value value,
                       OperandRange offsets, ArrayRef<int64_t> sizes,
                       SmRegion &region) {
  const SmBuffer &buffer = program.buffer(value);
  region.buffer = &buffer;
  unsigned lane = llvm::countr_zero(warp.frames.back().mask);
  int next = 0;
  bool global = buffer.space == Space::Global;
  SmallVector<int64_t, 4> strides;
  if (!global)
    strides = analysis::rowMajorStrides(buffer.shape);
  for (auto [d, size] : llvm::enumerate(sizes)) {
    SmRegion::Dim dim;
    dim.offset = warp.values[program.number(offsets[d])].get(lane).i;
    dim.stride = global ? tensors[buffer.param].strides[d] : strides[d];
    dim.size = global ? tensors[buffer.param].shape[d] : buffer.shape[d];
    dim.domain = size == 1 ? -1 : next++;
    region.dims.push_back(dim);
    if (!global && (dim.offset < 0 || dim.offset + size > dim.size)) {
      int64_t last = dim.offset < 0 ? dim.offset : dim.offset + size - 1;
      problem(SmProblem::Fault, node.op,
              "index " + std::to_string(last) + " is outside dimension " +
                  std::to_string(d) + " of '" + buffer.name + "', which has " +
                  std::to_string(dim.size));
      return false;
    }
  }
  if (global) {
    region.data = tensors[buffer.param].data;
  } else if (buffer.space == Space::Shared) {
    region.tile = &program.tiles[buffer.place];
    region.base = slotBase(warp, node, value, region.slot);
  } else {
    region.registers = &registers(warp, buffer);
    region.data = region.registers->data.data();
  }
  return !halted;
}

static SmallVector<int64_t> domainOf(ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> domain;
  llvm::copy_if(sizes, std::back_inserter(domain),
                [](int64_t s) { return s != 1; });
  if (domain.empty())
    domain.push_back(1);
  return domain;
}

/// Calls `body` with the two elements of every point of a warp; -1 outside of
/// a global tensor.
template <typename Body>
static void forEachPoint(const WarpPoints &points, uint32_t mask,
                         const SmRegion *src, const SmRegion &dst, Body body) {
  for (int64_t reg = 0; reg < points.registers; ++reg)
    for (unsigned lane = 0; lane < 32; ++lane) {
      if (!((points.inside[reg] & mask) >> lane & 1))
        continue;
      const int32_t *at = &points.coords[(reg * 32 + lane) * points.rank];
      body(lane, src ? src->element(at) : 0, dst.element(at));
    }
}

/// Where element `e` of a region lies for a lane.
static uint8_t *bytesOf(std::vector<uint8_t> &shared, const SmRegion &region,
                        int64_t e, unsigned lane) {
  if (region.isIn(Space::Shared))
    return &shared[region.address(e)];
  if (region.isIn(Space::Local))
    e += lane * region.buffer->numElements();
  return region.data + e * region.elementSize();
}

static ByteRanges bytesOfPoints(const WarpPoints &points, uint32_t mask,
                                const SmRegion &region) {
  ByteRanges ranges;
  unsigned size = region.elementSize();
  forEachPoint(points, mask, nullptr, region,
               [&](unsigned, int64_t, int64_t e) {
                 uint32_t at = region.address(e);
                 if (!ranges.empty() && ranges.back().end == at)
                   ranges.back().end = at + size;
                 else
                   ranges.push_back({at, at + size});
               });
  return ranges;
}

/// Elements of a global tensor that a warp accesses.
static ByteRanges elementsOf(const WarpPoints &points, uint32_t mask,
                             const SmRegion &region) {
  ByteRanges ranges;
  forEachPoint(points, mask, nullptr, region,
               [&](unsigned, int64_t, int64_t e) {
                 if (e < 0)
                   return;
                 auto at = static_cast<uint32_t>(e);
                 if (!ranges.empty() && ranges.back().end == at)
                   ++ranges.back().end;
                 else
                   ranges.push_back({at, at + 1});
               });
  return ranges;
}

static void convertElement(Elem to, uint8_t *dst, Elem from,
                           const uint8_t *src) {
  if (!src)
    std::memset(dst, 0, sizeOf(to));
  else if (to == from)
    std::memcpy(dst, src, sizeOf(to));
  else
    encode(to, dst, convert(decode(from, src), from, to));
}

/// A load of a shared tile into registers, served when they are needed or a
/// fence waits for it.
void SmRun::copyLagging(Warp &warp, const SmRegion &src, const SmRegion &dst,
                        const WarpPoints &points) {
  PendingLoad load;
  load.writes = {uint32_t(dst.buffer->place)};
  Sample sample;
  sample.size = src.elementSize();
  std::vector<uint32_t> elements;
  int64_t copy = dst.isIn(Space::Local) ? dst.buffer->numElements() : 0;
  forEachPoint(points, warp.frames.back().mask, &src, dst,
               [&](unsigned lane, int64_t from, int64_t to) {
                 sample.addresses.push_back(src.address(from));
                 elements.push_back(lane * copy + to);
               });
  load.samples.push_back(std::move(sample));
  Elem from = src.buffer->elem, to = dst.buffer->elem;
  load.finish = [data = dst.data, elements = std::move(elements), from,
                 to](ArrayRef<Sample> samples) {
    const Sample &s = samples.front();
    for (auto [i, e] : llvm::enumerate(elements))
      convertElement(to, data + size_t(e) * sizeOf(to), from,
                     &s.bytes[i * s.size]);
  };
  addPending(warp, std::move(load));
}

/// Whether an element of a region is in no lane of this warp.
static bool isForeign(const SmRegion &region, int64_t element) {
  return region.registers && !region.registers->held.empty() && element >= 0 &&
         !region.registers->held[element];
}

/// What a copy from global to shared memory writes where: zeros for what is
/// outside of the tensor.
static std::vector<std::pair<uint32_t, uint8_t>>
groupBytes(const WarpPoints &points, uint32_t mask, const SmRegion &src,
           const SmRegion &dst) {
  std::vector<std::pair<uint32_t, uint8_t>> bytes;
  unsigned size = dst.elementSize();
  forEachPoint(
      points, mask, &src, dst, [&](unsigned, int64_t from, int64_t to) {
        for (unsigned i = 0; i < size; ++i)
          bytes.push_back({dst.address(to) + i,
                           from < 0 ? uint8_t(0) : src.data[from * size + i]});
      });
  return bytes;
}

void SmRun::copy(Warp &warp, const SmNode &node) {
  auto op = cast<tile::CopyOp>(node.op);
  if (llvm::is_contained(op.getSrcSizes(), 0))
    return;
  SmallVector<int64_t> domain = domainOf(op.getSrcSizes());
  SmRegion src, dst;
  if (!makeRegion(warp, node, op.getSrc(), op.getSrcOffsets(), op.getSrcSizes(),
                  src) ||
      !makeRegion(warp, node, op.getDst(), op.getDstOffsets(), op.getDstSizes(),
                  dst))
    return;
  const WarpPoints &points = pointsOf(warp, node, op.getLayoutAttr(),
                                      {op.getSrc(), op.getDst()}, domain);
  uint32_t mask = warp.frames.back().mask;
  if (dst.isMemory() && !src.isIn(Space::Local))
    mask &= points.primary;
  if (src.registers)
    touch(warp, *src.buffer, op, false);
  if (dst.registers)
    touch(warp, *dst.buffer, op, true);
  if (src.isIn(Space::Shared))
    recordGeneric(warp, op, src.buffer->place, src.slot, false,
                  rangesOf(op, 0, warp, src.base, src.start(),
                           [&] { return bytesOfPoints(points, mask, src); }));
  if (followsGlobal(*src.buffer))
    recordGlobal(warp, op, src.buffer->param, false,
                 elementsOf(points, mask, src), false);
  if (followsGlobal(*dst.buffer))
    recordGlobal(warp, op, dst.buffer->param, true,
                 elementsOf(points, mask, dst), false);
  bool skips = options.tagsOnly && isFloat(dst.buffer->elem);
  if (halted)
    return;
  if (op.getInst() == tile::CopyInst::CpAsync && dst.tile) {
    GroupCopy copy;
    copy.ranges = rangesOf(op, 1, warp, dst.base, dst.start(),
                           [&] { return bytesOfPoints(points, mask, dst); });
    if (!skips)
      copy.bytes = groupBytes(points, mask, src, dst);
    if (!copy.ranges.empty())
      issueGroupCopy(warp, op, dst, std::move(copy));
    return;
  }
  if (src.isIn(Space::Shared) && dst.registers) {
    if (!skips)
      copyLagging(warp, src, dst, points);
    return;
  }
  bool foreign = false;
  if (!skips)
    forEachPoint(
        points, mask, &src, dst, [&](unsigned lane, int64_t from, int64_t to) {
          if (to < 0)
            return;
          foreign |= isForeign(src, from) || isForeign(dst, to);
          convertElement(dst.buffer->elem, bytesOf(shared, dst, to, lane),
                         src.buffer->elem,
                         from < 0 ? nullptr : bytesOf(shared, src, from, lane));
        });
  if (foreign)
    problem(SmProblem::Fault, op,
            "a warp copies elements of a fragment that other warps hold");
  if (dst.isIn(Space::Shared))
    recordGeneric(warp, op, dst.buffer->place, dst.slot, true,
                  rangesOf(op, 1, warp, dst.base, dst.start(),
                           [&] { return bytesOfPoints(points, mask, dst); }));
}

void SmRun::fill(Warp &warp, const SmNode &node) {
  auto op = cast<tile::FillOp>(node.op);
  if (llvm::is_contained(op.getSizes(), 0))
    return;
  SmRegion dst;
  if (!makeRegion(warp, node, op.getDst(), op.getOffsets(), op.getSizes(), dst))
    return;
  const WarpPoints &points = pointsOf(warp, node, op.getLayoutAttr(),
                                      {op.getDst()}, domainOf(op.getSizes()));
  uint32_t mask = warp.frames.back().mask;
  if (dst.isMemory())
    mask &= points.primary;
  if (dst.registers)
    touch(warp, *dst.buffer, op, true);
  if (followsGlobal(*dst.buffer))
    recordGlobal(warp, op, dst.buffer->param, true,
                 elementsOf(points, mask, dst), false);
  const Lanes &value = warp.values[node.operands[0]];
  forEachPoint(points, mask, nullptr, dst,
               [&](unsigned lane, int64_t, int64_t to) {
                 if (to >= 0)
                   encode(dst.buffer->elem, bytesOf(shared, dst, to, lane),
                          value.get(lane));
               });
  if (dst.isIn(Space::Shared))
    recordGeneric(warp, op, dst.buffer->place, dst.slot, true,
                  rangesOf(op, 1, warp, dst.base, dst.start(),
                           [&] { return bytesOfPoints(points, mask, dst); }));
}

//===----------------------------------------------------------------------===//
// Parallel loops and calls
//===----------------------------------------------------------------------===//

void SmRun::parallel(Warp &warp, const SmNode &node) {
  auto op = cast<tile::ParallelOp>(node.op);
  if (llvm::is_contained(op.getExtents(), 0))
    return;
  // A loop without a layout follows a fragment that it indexes as a whole.
  SmallVector<Value> natural;
  op.walk([&](Operation *inner) {
    auto visit = [&](Value buffer, OperandRange indices) {
      if (tile::isInSpace(buffer, Space::Fragment) && natural.empty() &&
          llvm::equal(indices, op.getBody().getArguments()))
        natural.push_back(buffer);
    };
    if (auto load = dyn_cast<tile::LoadOp>(inner))
      visit(load.getBuffer(), load.getIndices());
    if (auto store = dyn_cast<tile::StoreOp>(inner))
      visit(store.getBuffer(), store.getIndices());
  });
  const WarpPoints &points =
      pointsOf(warp, node, op.getLayoutAttr(), natural, op.getExtents());
  const LoopUses &uses = usesOf(node);
  for (auto [tile, write] : uses.registers)
    settle(warp, tile, write);
  if (lags() && uses.canLag && !options.tagsOnly)
    return lagLoop(warp, node, points, uses);
  gathering = true;
  runPoints(warp, node, points, warp.frames.back().mask);
  gathering = false;
  flushNotes(warp);
  flushGlobalNotes(warp);
}

/// The body of a parallel loop for every point of a warp.
void SmRun::runPoints(Warp &warp, const SmNode &node, const WarpPoints &points,
                      uint32_t mask) {
  const SmBlock &body = *node.blocks[0];
  uint32_t outerStores = warp.storeMask;
  warp.storeMask = points.primary;
  for (int64_t reg = 0; reg < points.registers && !halted; ++reg) {
    uint32_t active = points.inside[reg] & mask;
    if (!active)
      continue;
    for (auto [d, argument] : llvm::enumerate(body.arguments)) {
      Lanes &lanes = warp.values[argument];
      lanes.uniform = false;
      for (unsigned lane = 0; lane < 32; ++lane)
        lanes.cell[lane].i = points.coords[(reg * 32 + lane) * points.rank + d];
    }
    runNested(warp, body, active);
  }
  warp.storeMask = outerStores;
}

/// What a call is declared to do to a region of a shared tile. Its threads may
/// divide the region as they like: each warp is taken to access all of it.
void SmRun::accessExtern(Warp &warp, const SmNode &node,
                         tile::AccessPtrOp ptr) {
  if (!tile::isInSpace(ptr.getBuffer(), Space::Shared))
    return;
  SmRegion region;
  if (!makeRegion(warp, node, ptr.getBuffer(), ptr.getOffsets(), ptr.getSizes(),
                  region))
    return;
  const ByteRanges &ranges =
      rangesOf(ptr, 0, warp, region.base, region.start(), [&] {
        SmallVector<int64_t> domain = domainOf(ptr.getSizes());
        return bytesOfPoints(
            visitPoints(LinearLayout::replicated(domain, 32), 0), 1, region);
      });
  auto mode = static_cast<unsigned>(ptr.getMode());
  auto record = [&](tile::AccessMode access, bool write) {
    if (mode & static_cast<unsigned>(access))
      recordGeneric(warp, node.op, region.buffer->place, region.slot, write,
                    ranges);
  };
  record(tile::AccessMode::Read, false);
  record(tile::AccessMode::Write, true);
}

/// A buffer that is passed as it is may be read and written.
void SmRun::accessWhole(Warp &warp, const SmNode &node, Value buffer) {
  uint32_t place = program.buffer(buffer).place;
  const SmTile &tile = program.tiles[place];
  int64_t slot = 0;
  uint32_t base = slotBase(warp, node, buffer, slot);
  ByteRanges ranges;
  for (uint32_t byte : tile.byteOf)
    ranges.push_back({base + byte, uint32_t(base + byte + tile.elementBytes)});
  normalize(ranges);
  for (bool write : {false, true})
    recordGeneric(warp, node.op, place, slot, write, ranges);
}

/// The function is CUDA code: its declared accesses are recorded. What writes
/// or returns something cannot be computed.
void SmRun::callExtern(Warp &warp, const SmNode &node) {
  auto op = cast<tile::CallExternOp>(node.op);
  bool computes = !node.results.empty();
  for (Value arg : op.getArgs()) {
    auto ptr = arg.getDefiningOp<tile::AccessPtrOp>();
    computes |= isa<MemRefType>(arg.getType()) ||
                (ptr && ptr.getMode() != tile::AccessMode::Read);
    if (ptr)
      accessExtern(warp, node, ptr);
    else if (tile::hasSpace(arg.getType()) &&
             tile::isInSpace(arg, Space::Shared))
      accessWhole(warp, node, arg);
  }
  if (computes && !options.tagsOnly)
    return problem(SmProblem::Fault, op,
                   "cannot run the external function '" + op.getCallee().str() +
                       "' on the virtual device: it is CUDA code");
  if (!node.results.empty())
    warp.values[node.results[0]].set(Cell{0});
}
