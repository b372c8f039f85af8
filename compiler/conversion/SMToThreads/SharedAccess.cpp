// Addresses in shared memory.
#include "compiler/conversion/SMToThreads/MemoryAccess.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::sm;
using analysis::Coords;
using analysis::SharedKind;
using analysis::SharedLayout;

SharedAccess::SharedAccess(const Points &points, SharedTile tile, Slice region)
    : points(points), tile(std::move(tile)), region(std::move(region)) {
  separable = findSeparable();
}

/// Full coordinates of one step of the points.
static Coords toBuffer(const Slice &region, ArrayRef<int64_t> step) {
  Coords result;
  for (int dim : region.dims)
    result.push_back(dim < 0 ? 0 : step[dim]);
  return result;
}

/// The same for a tile whose elements are in another order, by what the low
/// register digits move in memory.
static int64_t maxOrderedVector(const analysis::LinearLayout &layout,
                                const SharedTile &tile, const Slice &region) {
  int64_t bytes = tile.layout.elementBytes(), width = 1;
  for (const analysis::Digit &digit : layout.registerDigits())
    for (int64_t n = 1; n < digit.count; n *= 2) {
      Coords step = toBuffer(region, digit.step);
      for (int64_t &s : step)
        s *= n;
      if (digit.count % (2 * n) != 0 || 2 * width * bytes > 16 ||
          tile.layout.unswizzledOffset(step) != width * bytes)
        return width;
      width *= 2;
    }
  return width;
}

int64_t SharedAccess::maxVector(const analysis::LinearLayout &layout,
                                const SharedTile &tile, const Slice &region) {
  if (!tile.layout.order().isNatural())
    return maxOrderedVector(layout, tile, region);
  int last = region.dims.back();
  if (last < 0)
    return 1;
  int64_t width = layout.vectorWidthAlong(last);
  width = std::min(width, tile.layout.maxVectorElements());
  width = std::min<int64_t>(width, 16 / tile.layout.elementBytes());
  int64_t divisor = divisorOf(region.offsets.back());
  while (width > 1 && divisor % width != 0)
    width /= 2;
  return std::max<int64_t>(width, 1);
}

Coords SharedAccess::bufferStep(ArrayRef<int64_t> step) const {
  return toBuffer(region, step);
}

/// Without swizzle offsets add up. With one, every bit of an unswizzled offset
/// must come from one digit only: then exchange distributes over digits.
bool SharedAccess::findSeparable() {
  const SharedLayout &layout = tile.layout;
  const analysis::LinearLayout &tl = points.layout();
  if (!tl.isAdditive())
    return false;
  if (layout.swizzleMask() == 0 && layout.order().isNatural())
    return layout.kind() == SharedKind::Linear;
  uint64_t used = 0;
  auto claim = [&](const Coords &coords) {
    auto bits = static_cast<uint64_t>(layout.unswizzledOffset(coords));
    bool free = (used & bits) == 0 && llvm::popcount(bits) <= 1;
    used |= bits;
    return free;
  };
  auto claimDigits = [&](ArrayRef<analysis::Digit> digits) {
    for (const analysis::Digit &digit : digits) {
      if (!llvm::isPowerOf2_64(digit.count))
        return false;
      Coords step = bufferStep(digit.step);
      for (int64_t n = digit.count; n > 1; n /= 2) {
        if (!claim(step))
          return false;
        for (int64_t &s : step)
          s *= 2;
      }
    }
    return true;
  };
  if (!claimDigits(tl.threadDigits()) || !claimDigits(tl.registerDigits()))
    return false;
  // Offsets of whole matrices only add; others must be constant and separate.
  size_t rank = region.offsets.size();
  for (size_t i = rank - std::min<size_t>(rank, 2); i < rank; ++i) {
    auto constant = constantOf(region.offsets[i]);
    if (region.offsets[i] && !constant)
      return false;
    if (!constant || *constant == 0)
      continue;
    for (int64_t bit = 1; bit <= *constant; bit *= 2)
      if (*constant & bit) {
        Coords step(rank, 0);
        step[i] = bit;
        if (!claim(step))
          return false;
      }
  }
  return true;
}

/// The bits that swizzling reads or changes end at bit 6 + its width.
bool SharedAccess::isXor(int64_t unswizzled) const {
  int64_t mask = tile.layout.swizzleMask();
  return mask != 0 && (unswizzled & ((mask << 7) | 127)) != 0;
}

void SharedAccess::appendKeys(const RegDigit &digit,
                              SmallVectorImpl<int64_t> &keys) {
  if (!separable)
    return;
  int64_t offset = tile.layout.unswizzledOffset(bufferStep(digit.step));
  keys.push_back(tile.layout.swizzle(offset));
  keys.push_back(isXor(offset) ? digit.reg : 0);
}

/// The slot of element `i`, see analysis::slotOf.
static Value slotOf(Arith &a, analysis::Order order, Value i) {
  if (order == analysis::Order::Natural || !i)
    return i;
  bool quads = order == analysis::Order::Quads;
  int64_t period = analysis::period(order), low = quads ? 2 : 1;
  Value first = a.sub(i, a.rem(i, period));
  Value owner = a.rem(a.div(i, quads ? 4 : 2), 4);
  Value half = a.rem(a.div(i, quads ? 2 : 1), 2);
  Value slot = a.add(first, a.mul(owner, low));
  slot = a.add(slot, a.mul(half, 4 * low));
  return quads ? a.add(slot, a.rem(i, 2)) : slot;
}

/// Offset from the slot of the element at `coords`, not swizzled.
static Value unswizzled(Arith &a, const SharedLayout &layout,
                        ArrayRef<Value> coords) {
  size_t rank = coords.size();
  int64_t es = layout.elementBytes();
  Value matrix;
  for (size_t i = 0; i + 2 < rank; ++i)
    matrix = a.add(a.mul(matrix, layout.shape()[i]), coords[i]);
  Value offset = a.mul(matrix, layout.matrixBytes());
  Value row = rank >= 2 ? coords[rank - 2] : Value();
  row = slotOf(a, layout.order().rows, row);
  Value column = slotOf(a, layout.order().columns, coords[rank - 1]);
  if (layout.order().transposed)
    std::swap(row, column);
  int64_t span = analysis::spanBytes(layout.kind());
  if (span == 0) {
    int64_t pitch = layout.columns() * es + layout.padBytes();
    return a.add(a.add(offset, a.mul(row, pitch)), a.mul(column, es));
  }
  offset = a.add(offset, a.mul(row, span));
  if (layout.numPanels() > 1) {
    Value panel = a.div(column, span / es);
    offset = a.add(offset, a.mul(panel, layout.panelBytes()));
    column = a.rem(column, span / es);
  }
  return a.add(offset, a.mul(column, es));
}

/// o ^ ((o >> 7) & mask) << 4
static Value swizzled(Arith &a, const SharedLayout &layout, Value offset) {
  if (layout.swizzleMask() == 0 || !offset)
    return offset;
  Value bits = a.bitAnd(a.shiftRight(offset, 3), layout.swizzleMask() << 4);
  return a.bitXor(offset, bits);
}

Value SharedAccess::addressOf(Arith &a, const SharedTile &tile,
                              ArrayRef<Value> coords) {
  Value offset = swizzled(a, tile.layout, unswizzled(a, tile.layout, coords));
  return a.add(tile.address, offset);
}

void SharedAccess::prepare() {
  if (!separable)
    return;
  Arith a =
      points.expander().arith(Expander::named(points.location(), "~offset"));
  SmallVector<Value> near, far(region.dims.size());
  size_t rank = region.dims.size();
  for (auto [i, dim] : llvm::enumerate(region.dims)) {
    Value thread = dim < 0 ? Value() : points.threadCoord(dim);
    bool matrix = i + 2 < rank;
    near.push_back(matrix ? thread : a.add(thread, region.offsets[i]));
    if (matrix)
      far[i] = region.offsets[i];
  }
  threadXor = swizzled(a, tile.layout, unswizzled(a, tile.layout, near));
  base = a.add(tile.address, unswizzled(a, tile.layout, far));
  bool anyXor = llvm::any_of(points.digits(), [&](const RegDigit &digit) {
    return isXor(tile.layout.unswizzledOffset(bufferStep(digit.step)));
  });
  if (!anyXor) {
    base = a.add(base, threadXor);
    threadXor = {};
  }
}

Value SharedAccess::address(ValueRange ivs) const {
  Arith a = points.expander().arith(points.location());
  if (!separable) {
    SmallVector<Value> coords;
    for (auto [dim, offset] : llvm::zip(region.dims, region.offsets))
      coords.push_back(
          a.add(offset, dim < 0 ? Value() : points.coord(dim, ivs)));
    return addressOf(a, tile, coords);
  }
  Value xored = threadXor, added = base;
  for (auto [digit, iv] : llvm::zip(points.digits(), ivs)) {
    int64_t offset = tile.layout.unswizzledOffset(bufferStep(digit.step));
    Value part = a.mul(iv, tile.layout.swizzle(offset));
    if (isXor(offset))
      xored = a.bitXor(xored, part);
    else
      added = a.add(added, part);
  }
  return a.add(added, xored);
}
