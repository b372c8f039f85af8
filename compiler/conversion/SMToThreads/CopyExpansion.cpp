// The emission of one copy: endpoints, the widest access, loops over registers.
#include "compiler/conversion/SMToThreads/ExpandCopy.h"

#include "llvm/ADT/Sequence.h"

#include <set>

using namespace mlir;
using namespace tlc;
using namespace tlc::sm;
using analysis::Coords;
using analysis::LinearLayout;

/// Whether every register is another element: then a whole fragment's registers
/// are those of the copy, one by one.
static bool holdsEachOnce(const LinearLayout &layout) {
  if (!layout.isExact() || !layout.isAdditive())
    return false;
  std::set<Coords> seen;
  for (int64_t reg = 0; reg < layout.numRegisters(); ++reg)
    if (!seen.insert(layout.coords(reg, 0)).second)
      return false;
  return true;
}

/// Register map of an endpoint in an array of the thread.
static FailureOr<RegisterMap> mapOf(Operation *op, const Fragment &fragment,
                                    const Slice &region,
                                    const LinearLayout &points) {
  SmallVector<int64_t> starts;
  for (Value offset : region.offsets) {
    auto constant = constantOf(offset);
    if (offset && !constant)
      return op->emitError("moving region of a fragment is not supported yet");
    starts.push_back(constant.value_or(0));
  }
  bool whole = llvm::all_of(starts, [](int64_t s) { return s == 0; }) &&
               llvm::equal(region.dims, llvm::seq<int>(0, starts.size()));
  if (whole && points == fragment.layout && holdsEachOnce(points))
    return llvm::to_vector<0>(llvm::seq<int64_t>(0, points.numRegisters()));
  auto map = mapRegisters(points, fragment.layout, [&](const Coords &at) {
    Coords coords;
    for (auto [start, dim] : llvm::zip(starts, region.dims))
      coords.push_back(start + (dim < 0 ? 0 : at[dim]));
    return std::optional(coords);
  });
  if (!map)
    return op->emitError("copy that moves elements of a fragment to other "
                         "threads is not supported yet");
  return *map;
}

CopyExpansion::CopyExpansion(Expander &x, Operation *op,
                             const LinearLayout &layout)
    : x(x), op(op), loc(op->getLoc()), layout(layout) {}

FailureOr<Endpoint> CopyExpansion::endpoint(Value buffer, Slice region) {
  Endpoint end;
  end.element = cast<MemRefType>(buffer.getType()).getElementType();
  end.region = std::move(region);
  switch (tile::getSpace(buffer.getType())) {
  case tile::Space::Global:
    end.kind = Endpoint::Global;
    end.buffer = x.lookup(buffer);
    return end;
  case tile::Space::Shared: {
    auto tile = x.sharedTile(op, buffer);
    if (failed(tile))
      return failure();
    end.kind = Endpoint::Shared;
    end.tile = *tile;
    return end;
  }
  case tile::Space::Fragment: {
    const Fragment *fragment = x.fragment(buffer);
    if (!fragment)
      return op->emitError("fragment is not a tile.alloc");
    auto map = mapOf(op, *fragment, end.region, layout);
    if (failed(map))
      return failure();
    end.kind = Endpoint::Array;
    end.buffer = fragment->array;
    end.map = *map;
    return end;
  }
  case tile::Space::Local: {
    auto type = cast<MemRefType>(buffer.getType());
    end.kind = Endpoint::Array;
    end.buffer = x.lookup(buffer);
    end.privateArray = true;
    Fragment whole{end.buffer, LinearLayout::replicated(type.getShape(),
                                                        layout.numThreads())};
    auto map = mapOf(op, whole, end.region, layout);
    if (failed(map))
      return failure();
    end.map = *map;
    if (type.getRank() != 1)
      return op->emitError("copy of a thread's array of rank ")
             << type.getRank() << " is not supported yet";
    return end;
  }
  }
  return failure();
}

int64_t CopyExpansion::maxVector(const Endpoint &end) const {
  int64_t bytes = std::max(8u, end.element.getIntOrFloatBitWidth()) / 8;
  if (end.kind == Endpoint::Shared)
    return end.element.isInteger(1)
               ? 1
               : SharedAccess::maxVector(layout, end.tile, end.region);
  int last = end.region.dims.empty() ? -1 : end.region.dims.back();
  if (end.kind == Endpoint::Array || end.kind == Endpoint::Constant)
    return 16;
  if (last < 0 || end.element.isInteger(1))
    return 1;
  return std::min<int64_t>(layout.vectorWidthAlong(last), 16 / bytes);
}

/// An accumulator's quad holds columns 2q, 2q+1 of every eight: four column
/// blocks of a quad are, after the exchange, eight neighbours a lane.
std::optional<CopyExpansion> CopyExpansion::exchanged(const Endpoint &src,
                                                      const Endpoint &dst,
                                                      RegisterMap &map) const {
  unsigned last = layout.rank() - 1;
  auto moves = [&](const analysis::Digit &digit, int64_t by) {
    for (unsigned d = 0; d < layout.rank(); ++d)
      if (digit.step[d] != (d == last ? by : 0))
        return false;
    return true;
  };
  if (src.kind != Endpoint::Array || src.privateArray ||
      dst.kind != Endpoint::Global ||
      dst.element.getIntOrFloatBitWidth() != 16 || !layout.isExact() ||
      layout.hasReplicatedThreads() || dst.region.dims.back() != (int)last ||
      layout.numThreads() != x.role().threads || x.role().threads % 32 != 0 ||
      layout.threadDigits().empty() || layout.registerDigits().empty())
    return std::nullopt;
  SmallVector<analysis::Digit> threads(layout.threadDigits()), rest;
  const analysis::Digit &pair = layout.registerDigits().front();
  if (threads.front().count != 4 || !moves(threads.front(), 2) ||
      pair.count != 2 || !moves(pair, 1))
    return std::nullopt;
  SmallVector<int64_t> restSteps;
  int64_t reg = 2, blockStep = 0;
  for (analysis::Digit digit : layout.registerDigits().drop_front()) {
    int64_t step = reg;
    reg *= digit.count;
    if (moves(digit, 8) && digit.count % 4 == 0) {
      blockStep = step;
      step *= 4;
      digit.count /= 4;
      for (int64_t &s : digit.step)
        s *= 4;
    }
    if (digit.count == 1)
      continue;
    rest.push_back(digit);
    restSteps.push_back(step);
  }
  if (blockStep == 0)
    return std::nullopt;
  for (int64_t &s : threads.front().step)
    s *= 4;
  SmallVector<analysis::Digit> registers;
  analysis::Coords one(layout.rank(), 0);
  one[last] = 1;
  registers.push_back({8, one});
  registers.append(rest);
  map.assign(LinearLayout(layout.shape(), registers, threads).numRegisters(),
             0);
  for (auto [r, at] : llvm::enumerate(map)) {
    int64_t old = r % 8 / 2 * blockStep + r % 2, high = r / 8;
    for (auto [digit, step] : llvm::zip(rest, restSteps)) {
      old += high % digit.count * step;
      high /= digit.count;
    }
    at = src.map[old];
  }
  CopyExpansion result(x, op, LinearLayout(layout.shape(), registers, threads));
  result.exchanges = true;
  return result;
}

/// The widest access that both sides allow; global sides may need a condition
/// that is checked once.
LogicalResult CopyExpansion::emit(Endpoint &src, Endpoint &dst) {
  RegisterMap map;
  if (auto wide = exchanged(src, dst, map)) {
    Endpoint from = src;
    from.map = map;
    int64_t proven =
        GlobalAccess::provenVector(x, loc, dst.buffer, dst.region, 8, true);
    if (proven == 8)
      return wide->emitWith(from, dst, 8);
    if (Value condition =
            GlobalAccess::vectorCondition(x, loc, dst.buffer, dst.region, 8)) {
      auto branch = scf::IfOp::create(x.b, loc, condition, true);
      OpBuilder::InsertionGuard guard(x.b);
      x.b.setInsertionPointToStart(branch.thenBlock());
      if (failed(wide->emitWith(from, dst, 8)))
        return failure();
      x.b.setInsertionPointToStart(branch.elseBlock());
      return emitWith(src, dst, 1, true);
    }
  }
  int64_t width = std::min(maxVector(src), maxVector(dst));
  bool fromMemory =
      src.kind == Endpoint::Shared || src.kind == Endpoint::Global;
  if (dst.kind == Endpoint::Array && !fromMemory)
    width = 1;
  int64_t proven = width;
  for (Endpoint *end : {&src, &dst})
    if (end->kind == Endpoint::Global && width > 1)
      proven =
          std::min(proven, GlobalAccess::provenVector(
                               x, loc, end->buffer, end->region, width, true));
  if (proven == width)
    return emitWith(src, dst, width);
  Value condition;
  for (; width > proven; width /= 2) {
    condition = {};
    bool possible = true;
    for (Endpoint *end : {&src, &dst})
      if (end->kind == Endpoint::Global) {
        Value c = GlobalAccess::vectorCondition(x, loc, end->buffer,
                                                end->region, width);
        possible &= bool(c);
        condition = x.arith(loc).both(condition, c);
      }
    if (possible)
      break;
  }
  if (width <= proven)
    return emitWith(src, dst, proven);
  auto branch = scf::IfOp::create(x.b, loc, condition, true);
  OpBuilder::InsertionGuard guard(x.b);
  x.b.setInsertionPointToStart(branch.thenBlock());
  if (failed(emitWith(src, dst, width)))
    return failure();
  x.b.setInsertionPointToStart(branch.elseBlock());
  return emitWith(src, dst, proven, true);
}

/// Code of this many stores one by one, each with its bounds, is worth the
/// time that it costs; so many are left in a turn of a loop where it is not.
constexpr int64_t kUnrolledStores = 32;
constexpr int64_t kStoresOfTurn = 8;

/// What was read at one turn: a vector as it lies in memory, or scalars.
struct CopyExpansion::Chunk {
  Value vector;
  SmallVector<Value> scalars;
};

static Type vectorOf(Type element, int64_t width) {
  Type scalar = tile::getScalarType(element);
  return width == 1 ? scalar : VectorType::get({width}, scalar);
}

CopyExpansion::Chunk CopyExpansion::read(Endpoint &end, const Points &points,
                                         ValueRange ivs) {
  OpBuilder &b = x.b;
  Arith a = x.arith(loc);
  int64_t width = points.vector();
  Type type = vectorOf(end.element, width);
  Chunk chunk;
  Value result;
  switch (end.kind) {
  case Endpoint::Constant:
    chunk.scalars.assign(width, end.value);
    return chunk;
  case Endpoint::Array: {
    for (int64_t lane = 0; lane < width; ++lane)
      chunk.scalars.push_back(tile::LoadOp::create(
          b, loc, tile::getScalarType(end.element), end.buffer,
          points.arrayIndex(end.map, ivs, lane), true));
    return chunk;
  }
  case Endpoint::Shared:
    result = LdSharedOp::create(b, loc, type, end.shared->address(ivs));
    break;
  case Endpoint::Global: {
    Value guard = a.both(end.global->outerGuard(), end.global->innerGuard(ivs));
    result = LdGlobalOp::create(b, loc, type, end.buffer,
                                end.global->index(ivs), guard);
    break;
  }
  }
  if (width == 1)
    chunk.scalars.push_back(result);
  else
    chunk.vector = result;
  return chunk;
}

/// One cp.async moves 16 bytes: cg passes the L1 (PTX ISA, cp.async).
bool CopyExpansion::copyAsync(Endpoint &src, Endpoint &dst, int64_t width,
                              ValueRange ivs) {
  constexpr int64_t kBits = 128;
  if (!inGroups || src.kind != Endpoint::Global ||
      dst.kind != Endpoint::Shared || src.element != dst.element ||
      width * src.element.getIntOrFloatBitWidth() != kBits)
    return false;
  Value inside =
      x.arith(loc).both(src.global->outerGuard(), src.global->innerGuard(ivs));
  CpAsyncOp::create(x.b, loc, src.buffer, src.global->index(ivs),
                    dst.shared->address(ivs), inside);
  return true;
}

static bool packConverts(Type from, Type to) {
  return from.isF32() && (to.isBF16() || to.isF16());
}

/// Scalars of a chunk in the element type of the destination; f32 may stay for
/// a pack that converts.
void CopyExpansion::convert(Chunk &chunk, Type from, Type to, bool packs) {
  OpBuilder &b = x.b;
  Arith a = x.arith(loc);
  Type source = tile::getScalarType(from), target = tile::getScalarType(to);
  if (chunk.vector) {
    int64_t width = cast<VectorType>(chunk.vector.getType()).getNumElements();
    Type scalar = packConverts(target, source) ? target : source;
    auto unpack = UnpackOp::create(b, loc, SmallVector<Type>(width, scalar),
                                   chunk.vector);
    chunk.scalars.assign(unpack.getResults().begin(),
                         unpack.getResults().end());
    chunk.vector = {};
  }
  for (Value &v : chunk.scalars)
    if (!(packs && packConverts(v.getType(), target)))
      v = convertElement(a, v, from, to);
}

void CopyExpansion::write(Endpoint &end, Chunk chunk, Type from,
                          const Points &points, ValueRange ivs) {
  OpBuilder &b = x.b;
  int64_t width = points.vector();
  bool memory = end.kind != Endpoint::Array;
  if (!(chunk.vector && memory &&
        tile::getScalarType(from) == tile::getScalarType(end.element)))
    convert(chunk, from, end.element, memory && width > 1);
  if (end.kind == Endpoint::Array) {
    for (auto [lane, v] : llvm::enumerate(chunk.scalars))
      tile::StoreOp::create(b, loc, v, end.buffer,
                            points.arrayIndex(end.map, ivs, lane), true);
    return;
  }
  Value value = chunk.vector;
  if (!value)
    value = width == 1 ? chunk.scalars.front()
                       : PackOp::create(b, loc, vectorOf(end.element, width),
                                        chunk.scalars)
                             .getResult();
  if (end.kind == Endpoint::Shared) {
    StSharedOp::create(b, loc, value, end.shared->address(ivs));
    return;
  }
  Value guard = end.global->innerGuard(ivs);
  if (exchanges) {
    value = QuadTransposeOp::create(b, loc, value);
    guard = x.arith(loc).both(end.global->outerGuard(), guard);
  }
  StGlobalOp::create(b, loc, value, end.buffer, end.global->index(ivs), guard);
}

/// `compact`: what is rarely run shall be quickly compiled.
LogicalResult CopyExpansion::emitWith(Endpoint &src, Endpoint &dst,
                                      int64_t width, bool compact) {
  OpBuilder &b = x.b;
  Arith a = x.arith(loc);
  Points points(x, loc, layout, width);
  for (Endpoint *end : {&src, &dst}) {
    end->shared.reset();
    end->global.reset();
    if (end->kind == Endpoint::Array && !points.isLinear(end->map) &&
        end->map.size() > 1)
      return op->emitError("copy with this pair of layouts is not supported "
                           "yet");
    if (end->kind == Endpoint::Shared)
      end->shared.emplace(points, end->tile, end->region);
    if (end->kind == Endpoint::Global)
      end->global.emplace(points, end->buffer, end->region);
  }
  bool coordinates =
      src.shared || src.global || dst.shared || dst.global || !layout.isExact();
  points.fuse(
      [&](const RegDigit &digit, SmallVectorImpl<int64_t> &keys) {
        for (Endpoint *end : {&src, &dst}) {
          if (end->kind == Endpoint::Array)
            keys.push_back(end->map[digit.reg] - end->map[0]);
          if (end->kind == Endpoint::Shared)
            end->shared->appendKeys(digit, keys);
        }
      },
      coordinates);
  if (compact && src.kind == Endpoint::Array && dst.kind == Endpoint::Global &&
      layout.numRegisters() > kUnrolledStores * width)
    points.roll(src.buffer, src.map, kStoresOfTurn * width);
  Value guard = points.participates();
  bool toMemory = dst.kind == Endpoint::Shared || dst.kind == Endpoint::Global;
  if (toMemory && !src.privateArray)
    guard = a.both(guard, points.primary());
  for (Endpoint *end : {&src, &dst}) {
    if (end->shared)
      end->shared->prepare();
    if (end->global)
      end->global->prepare();
  }
  // All lanes take part in an exchange: then stores alone are guarded.
  if (dst.global && !exchanges)
    guard = a.both(guard, dst.global->outerGuard());
  OpBuilder::InsertionGuard restore(b);
  if (guard) {
    auto branch = scf::IfOp::create(b, loc, guard);
    b.setInsertionPointToStart(branch.thenBlock());
  }
  points.emitLoops([&](ValueRange ivs) {
    if (Value inside = points.inRange(ivs)) {
      auto branch = scf::IfOp::create(b, loc, inside);
      b.setInsertionPointToStart(branch.thenBlock());
    }
    if (!copyAsync(src, dst, width, ivs))
      write(dst, read(src, points, ivs), src.element, points, ivs);
  });
  return success();
}
