// Indices, bounds and alignment in global memory.
#include "compiler/conversion/SMToThreads/MemoryAccess.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::sm;

GlobalAccess::GlobalAccess(const Points &points, Value param, Slice region)
    : points(points), param(param), region(std::move(region)) {}

void GlobalAccess::prepare() {
  Expander &x = points.expander();
  Arith a = x.arith(Expander::named(points.location(), "~index"));
  for (auto [i, dim] : llvm::enumerate(region.dims)) {
    strides.push_back(x.stride(param, i));
    Value start =
        a.add(region.offsets[i], dim < 0 ? Value() : points.threadCoord(dim));
    Value part = a.wide(start);
    base = a.add(base, strides[i] ? a.mul(part, strides[i]) : part);
    Value limit = x.dimension(param, i);
    int64_t extent = dim < 0 ? 1 : points.layout().shape()[dim];
    auto first = rangeOf(region.offsets[i]);
    auto size = constantOf(limit);
    if (first && size && first->low >= 0 && first->high + extent <= *size)
      continue;
    if (dim >= 0 && points.moves(dim))
      loopDims.push_back(i);
    else
      outer = a.both(outer, a.below(start, limit));
  }
}

Value GlobalAccess::index(ValueRange ivs) const {
  Arith a = points.expander().arith(points.location());
  Value sum = base;
  for (auto [i, dim] : llvm::enumerate(region.dims)) {
    if (dim < 0)
      continue;
    Value part;
    for (auto [digit, iv] : llvm::zip(points.digits(), ivs))
      part = a.add(part, a.mul(iv, digit.step[dim]));
    part = a.wide(part);
    sum = a.add(sum, strides[i] ? a.mul(part, strides[i]) : part);
  }
  return sum ? sum : a.i64(0);
}

Value GlobalAccess::innerGuard(ValueRange ivs) const {
  Expander &x = points.expander();
  Arith a = x.arith(points.location());
  Value all;
  for (unsigned i : loopDims) {
    Value at = a.add(region.offsets[i], points.coord(region.dims[i], ivs));
    all = a.both(all, a.below(at, x.dimension(param, i)));
  }
  return all;
}

int64_t GlobalAccess::provenVector(Expander &x, Location loc, Value param,
                                   const Slice &region, int64_t width,
                                   bool baseAligned) {
  // The size counts too: a vector lies inside or outside as a whole.
  unsigned last = region.dims.size() - 1;
  int64_t divisor = std::gcd(divisorOf(region.offsets.back()),
                             divisorOf(x.dimension(param, last)));
  for (unsigned i = 0; i < last; ++i)
    divisor = std::gcd(divisor, divisorOf(x.stride(param, i)));
  if (!baseAligned)
    return 1;
  while (width > 1 && divisor % width != 0)
    width /= 2;
  return width;
}

Value GlobalAccess::vectorCondition(Expander &x, Location loc, Value param,
                                    const Slice &region, int64_t width) {
  if (divisorOf(region.offsets.back()) % width != 0)
    return {};
  Arith a = x.arith(loc);
  Value condition;
  // The pitch of every dimension is a multiple of the last dimension's size,
  // and a vector lies inside or outside of the tensor as a whole.
  Value size = x.dimension(param, region.dims.size() - 1);
  if (divisorOf(size) % width != 0) {
    if (constantOf(size))
      return {};
    Value rest = a.orZero(a.bitAnd(size, width - 1));
    condition = a.compare(arith::CmpIPredicate::eq, rest, a.i32(0));
  }
  auto type = cast<MemRefType>(param.getType());
  int64_t bytes = width * std::max(8u, type.getElementTypeBitWidth()) / 8;
  Value aligned = GlobalAlignedOp::create(x.b, loc, param, bytes);
  return a.both(condition, aligned);
}

std::pair<Value, Value> GlobalAccess::elementAt(Expander &x, Location loc,
                                                Value param,
                                                ArrayRef<Value> coords,
                                                bool inBounds) {
  Arith a = x.arith(loc);
  Value index, guard;
  for (auto [i, coord] : llvm::enumerate(coords)) {
    Value part = a.wide(coord), stride = x.stride(param, i);
    index = a.add(index, stride ? a.mul(part, stride) : part);
    if (!inBounds)
      guard = a.both(guard, a.below(coord, x.dimension(param, i)));
  }
  return {index ? index : a.i64(0), guard};
}
