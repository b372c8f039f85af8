// Layouts from layouts (permuted, sliced, reshaped) and the questions a code
// generator asks: reductions, vector widths, conversions in place.
#include "compiler/analysis/Layout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cassert>
#include <numeric>

namespace tlc::analysis {

/// The digits with every step replaced by `change(step)`.
template <typename ChangeFn>
static llvm::SmallVector<Digit, 4> mapSteps(llvm::ArrayRef<Digit> digits,
                                            ChangeFn change) {
  llvm::SmallVector<Digit, 4> result;
  for (const Digit &digit : digits)
    result.push_back({digit.count, change(digit.step), digit.exclusiveOr});
  return result;
}

LinearLayout LinearLayout::permuteDims(llvm::ArrayRef<unsigned> order) const {
  assert(order.size() == rank() && "one source dimension per dimension");
  auto permute = [&](llvm::ArrayRef<int64_t> values) {
    Coords result;
    for (unsigned dim : order)
      result.push_back(values[dim]);
    return result;
  };
  return LinearLayout(permute(tileShape), mapSteps(registers, permute),
                      mapSteps(threads, permute));
}

LinearLayout LinearLayout::transpose() const { return permuteDims({1, 0}); }

static Coords dropEntry(llvm::ArrayRef<int64_t> values, unsigned dim) {
  Coords result(values);
  result.erase(result.begin() + dim);
  return result;
}

/// The register digits that still move something once `dim` is gone.
static bool survivesSlice(const Digit &digit, unsigned dim) {
  return llvm::any_of(llvm::enumerate(digit.step), [&](auto entry) {
    return entry.index() != dim && entry.value() != 0;
  });
}

LinearLayout LinearLayout::sliceDim(unsigned dim) const {
  assert(dim < rank() && rank() > 1 && "a layout keeps one dimension");
  auto drop = [&](llvm::ArrayRef<int64_t> step) {
    return dropEntry(step, dim);
  };
  llvm::SmallVector<Digit, 4> kept;
  for (const Digit &digit : registers)
    if (survivesSlice(digit, dim))
      kept.push_back(digit);
  return LinearLayout(drop(tileShape), mapSteps(kept, drop),
                      mapSteps(threads, drop));
}

llvm::SmallVector<int64_t, 0>
LinearLayout::sliceRegisterMap(unsigned dim) const {
  llvm::SmallVector<int64_t, 0> map;
  for (int64_t reg = 0; reg < numRegisters(); ++reg) {
    int64_t rest = reg, target = 0, weight = 1;
    for (const Digit &digit : registers) {
      if (survivesSlice(digit, dim)) {
        target += rest % digit.count * weight;
        weight *= digit.count;
      }
      rest /= digit.count;
    }
    map.push_back(target);
  }
  return map;
}

LinearLayout LinearLayout::insertUnitDim(unsigned dim) const {
  assert(dim <= rank());
  auto insert = [&](int64_t value) {
    return [=](llvm::ArrayRef<int64_t> values) {
      Coords result(values);
      result.insert(result.begin() + dim, value);
      return result;
    };
  };
  return LinearLayout(insert(1)(tileShape), mapSteps(registers, insert(0)),
                      mapSteps(threads, insert(0)));
}

LinearLayout LinearLayout::reduceDim(unsigned dim) const {
  llvm::SmallVector<Digit, 4> kept;
  for (const Digit &digit : registers)
    if (survivesSlice(digit, dim))
      kept.push_back(digit);
  auto clear = [&](llvm::ArrayRef<int64_t> step) {
    Coords result(step);
    result[dim] = 0;
    return result;
  };
  Coords shape(tileShape);
  shape[dim] = 1;
  return LinearLayout(shape, mapSteps(kept, clear), mapSteps(threads, clear));
}

LinearLayout LinearLayout::withShape(llvm::ArrayRef<int64_t> shape) const {
  assert(shape.size() == rank());
  return LinearLayout(shape, registers, threads);
}

static int64_t linearIndex(llvm::ArrayRef<int64_t> coords,
                           llvm::ArrayRef<int64_t> strides) {
  return std::inner_product(coords.begin(), coords.end(), strides.begin(),
                            int64_t(0));
}

/// The digits of a flattened layout, cut into prime factors (powers of two
/// first) so that each piece can follow another shape's dimensions.
static llvm::SmallVector<Digit, 4>
unflatten(llvm::ArrayRef<Digit> digits, llvm::ArrayRef<int64_t> oldStrides,
          llvm::ArrayRef<int64_t> newStrides) {
  llvm::SmallVector<Digit, 4> result;
  for (const Digit &digit : digits) {
    int64_t step = linearIndex(digit.step, oldStrides), rest = digit.count;
    for (int64_t factor = 2; rest > 1; ++factor)
      for (; rest % factor == 0; rest /= factor) {
        Coords split;
        int64_t left = step;
        for (int64_t stride : newStrides) {
          split.push_back(left / stride);
          left %= stride;
        }
        result.push_back({factor, split});
        step *= factor;
      }
  }
  return result;
}

std::optional<LinearLayout>
LinearLayout::reshape(llvm::ArrayRef<int64_t> shape) const {
  int64_t elements = 1;
  for (int64_t extent : shape)
    elements *= extent;
  if (elements != numElements() || shape.empty() || !isAdditive() || !isExact())
    return std::nullopt;
  auto oldStrides = rowMajorStrides(tileShape);
  auto newStrides = rowMajorStrides(shape);
  LinearLayout result(shape, unflatten(registers, oldStrides, newStrides),
                      unflatten(threads, oldStrides, newStrides));
  // Steps keep the row-major index; what can go wrong is a carry between
  // dimensions, which shows as a coordinate out of range.
  if (!result.isExact())
    return std::nullopt;
  return result;
}

/// Adds one digit of the thread index, `count` values of weight `div`, to the
/// plan; false if it fits neither lanes nor warps.
static bool planDigit(ReductionPlan &plan, int64_t div, int64_t count) {
  constexpr int64_t warp = 32;
  if (div % warp == 0) {
    plan.warpTerms.push_back({div / warp, count, 1});
    return true;
  }
  if (!llvm::isPowerOf2_64(div) || !llvm::isPowerOf2_64(count))
    return false;
  for (int64_t mask = div; mask < warp && mask < div * count; mask *= 2)
    plan.laneMasks.push_back(mask);
  if (div * count > warp)
    plan.warpTerms.push_back({1, div * count / warp, 1});
  return true;
}

ReductionPlan LinearLayout::reductionPlan(unsigned dim) const {
  ReductionPlan plan;
  int64_t div = 1, total = numThreads();
  for (const Digit &digit : threads) {
    if (digit.step[dim] != 0) {
      bool pure = !survivesSlice(digit, dim) && !digit.exclusiveOr;
      if (!pure || total % 32 != 0 || !planDigit(plan, div, digit.count))
        return ReductionPlan{{}, {}, true};
    }
    div *= digit.count;
  }
  for (Term &term : plan.warpTerms)
    if (term.div * term.mod == total / 32)
      term.mod = 0;
  return plan;
}

static int64_t powerOfTwoPart(int64_t value) { return value & -value; }

int64_t LinearLayout::vectorWidthAlong(unsigned dim) const {
  assert(dim < rank());
  if (!isAdditive() || registers.empty() || registers[0].step[dim] != 1 ||
      survivesSlice(registers[0], dim))
    return 1;
  int64_t width = powerOfTwoPart(registers[0].count);
  for (const Digit &digit : llvm::drop_begin(registers))
    width = std::gcd(width, digit.step[dim]);
  for (const Digit &digit : threads)
    width = std::gcd(width, digit.step[dim]);
  int64_t highest = coords(numRegisters() - 1, numThreads() - 1)[dim];
  if (highest >= tileShape[dim])
    width = std::gcd(width, tileShape[dim]);
  return width;
}

int64_t LinearLayout::vectorWidth(llvm::ArrayRef<int64_t> strides) const {
  assert(strides.size() == rank());
  if (!isAdditive())
    return 1;
  int64_t run = 1;
  const Digit *rest = registers.begin();
  for (; rest != registers.end(); ++rest) {
    if (linearIndex(rest->step, strides) != run)
      break;
    run *= rest->count;
  }
  int64_t width = powerOfTwoPart(run);
  for (; rest != registers.end(); ++rest)
    width = std::gcd(width, linearIndex(rest->step, strides));
  for (const Digit &digit : threads)
    width = std::gcd(width, linearIndex(digit.step, strides));
  if (isExact() || width == 1)
    return width;
  // A vector that may be cut by the border must lie along one dimension.
  for (unsigned dim = 0; dim < rank(); ++dim)
    if (strides[dim] == 1 && registers[0].step[dim] == 1)
      return std::gcd(width, vectorWidthAlong(dim));
  return 1;
}

/// Coordinates of every register (thread 0) or thread (register 0).
static std::vector<Coords> shares(const LinearLayout &layout, bool ofThreads) {
  std::vector<Coords> result;
  int64_t count = ofThreads ? layout.numThreads() : layout.numRegisters();
  for (int64_t i = 0; i < count; ++i)
    result.push_back(ofThreads ? layout.coords(0, i) : layout.coords(i, 0));
  return result;
}

std::optional<llvm::SmallVector<int64_t, 0>>
LinearLayout::registerConversion(const LinearLayout &to) const {
  if (tileShape != to.tileShape || numThreads() != to.numThreads())
    return std::nullopt;
  bool separable = isAdditive() && to.isAdditive() &&
                   shares(*this, true) == shares(to, true);
  std::vector<Coords> here = shares(*this, false);
  auto agrees = [&](int64_t from, int64_t reg) {
    if (separable)
      return here[from] == to.coords(reg, 0);
    for (int64_t thread = 0; thread < numThreads(); ++thread)
      if (to.inRange(reg, thread) &&
          coords(from, thread) != to.coords(reg, thread))
        return false;
    return true;
  };
  llvm::SmallVector<int64_t, 0> map;
  for (int64_t reg = 0; reg < to.numRegisters(); ++reg) {
    int64_t from = 0;
    while (from < numRegisters() && !agrees(from, reg))
      ++from;
    if (from == numRegisters()) {
      // A register that is beyond the tile in every thread needs no source.
      bool used = false;
      for (int64_t t = 0; t < numThreads() && !used; ++t)
        used = to.inRange(reg, t);
      if (used)
        return std::nullopt;
      from = 0;
    }
    map.push_back(from);
  }
  return map;
}

} // namespace tlc::analysis
