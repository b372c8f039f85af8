// Construction, canonical form and evaluation of register layouts. The essay
// is in the header.
#include "compiler/analysis/Layout.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cassert>
#include <unordered_map>

namespace tlc::analysis {

static bool isZero(llvm::ArrayRef<int64_t> step) {
  return llvm::all_of(step, [](int64_t s) { return s == 0; });
}

static bool shareBits(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b) {
  return llvm::any_of(llvm::zip(a, b), [](auto pair) {
    return (std::get<0>(pair) & std::get<1>(pair)) != 0;
  });
}

/// Turns ^ digits that share no bit with another ^ digit of the layout into
/// additive ones: then xor and sum agree.
static void makeAdditive(llvm::SmallVectorImpl<Digit> &registers,
                         llvm::SmallVectorImpl<Digit> &threads) {
  llvm::SmallVector<Digit *, 16> xors;
  for (auto *digits : {&registers, &threads})
    for (Digit &digit : *digits)
      if (digit.exclusiveOr)
        xors.push_back(&digit);
  for (Digit *digit : xors)
    digit->exclusiveOr = llvm::any_of(xors, [&](Digit *other) {
      return other != digit && shareBits(other->step, digit->step);
    });
}

/// Drops digits with one value and fuses neighbours that continue each other.
static llvm::SmallVector<Digit, 4> fuse(llvm::ArrayRef<Digit> digits) {
  llvm::SmallVector<Digit, 4> result;
  auto continues = [&](const Digit &next) {
    if (result.empty() || result.back().exclusiveOr || next.exclusiveOr)
      return false;
    return llvm::all_of(
        llvm::zip(result.back().step, next.step), [&](auto pair) {
          return std::get<0>(pair) * result.back().count == std::get<1>(pair);
        });
  };
  for (const Digit &digit : digits) {
    assert(digit.count >= 1 && "a digit has at least one value");
    assert((!digit.exclusiveOr || digit.count <= 2) && "xor digits are bits");
    if (digit.count == 1)
      continue;
    if (continues(digit))
      result.back().count *= digit.count;
    else
      result.push_back(digit);
  }
  return result;
}

LinearLayout::LinearLayout(llvm::ArrayRef<int64_t> shape,
                           llvm::ArrayRef<Digit> registers,
                           llvm::ArrayRef<Digit> threads)
    : tileShape(shape) {
  llvm::SmallVector<Digit, 8> regs(registers), thrs(threads);
  for ([[maybe_unused]] const Digit &digit : llvm::concat<Digit>(regs, thrs))
    assert(digit.step.size() == shape.size() && "one step per dimension");
  makeAdditive(regs, thrs);
  this->registers = fuse(regs);
  this->threads = fuse(thrs);
}

LinearLayout LinearLayout::replicated(llvm::ArrayRef<int64_t> shape,
                                      int64_t threads) {
  llvm::SmallVector<Digit, 4> regs;
  for (unsigned dim = shape.size(); dim-- > 0;) {
    Coords step(shape.size(), 0);
    step[dim] = 1;
    regs.push_back({shape[dim], step});
  }
  return LinearLayout(shape, regs, {{threads, Coords(shape.size(), 0)}});
}

static int64_t product(llvm::ArrayRef<Digit> digits) {
  int64_t result = 1;
  for (const Digit &digit : digits)
    result *= digit.count;
  return result;
}

int64_t LinearLayout::numElements() const {
  int64_t result = 1;
  for (int64_t extent : tileShape)
    result *= extent;
  return result;
}

int64_t LinearLayout::numThreads() const { return product(threads); }
int64_t LinearLayout::numRegisters() const { return product(registers); }

/// Adds what `index` selects to `sum` and xors what it selects to `bits`.
static void accumulate(llvm::ArrayRef<Digit> digits, int64_t index, Coords &sum,
                       Coords &bits) {
  for (const Digit &digit : digits) {
    int64_t value = index % digit.count;
    index /= digit.count;
    if (value == 0)
      continue;
    for (auto [dim, step] : llvm::enumerate(digit.step)) {
      if (digit.exclusiveOr)
        bits[dim] ^= step;
      else
        sum[dim] += value * step;
    }
  }
}

Coords LinearLayout::coords(int64_t reg, int64_t thread) const {
  assert(reg >= 0 && reg < numRegisters() && "no such register");
  assert(thread >= 0 && thread < numThreads() && "no such thread");
  Coords sum(rank(), 0), bits(rank(), 0);
  accumulate(registers, reg, sum, bits);
  accumulate(threads, thread, sum, bits);
  for (auto [s, b] : llvm::zip(sum, bits))
    s += b;
  return sum;
}

bool LinearLayout::inRange(int64_t reg, int64_t thread) const {
  return llvm::all_of(llvm::zip(coords(reg, thread), tileShape), [](auto pair) {
    return std::get<0>(pair) < std::get<1>(pair);
  });
}

bool LinearLayout::isExact() const {
  if (!isAdditive()) {
    for (int64_t reg = 0; reg < numRegisters(); ++reg)
      for (int64_t thread = 0; thread < numThreads(); ++thread)
        if (!inRange(reg, thread))
          return false;
    return true;
  }
  return inRange(numRegisters() - 1, numThreads() - 1);
}

llvm::SmallVector<Owner, 2>
LinearLayout::ownerOf(llvm::ArrayRef<int64_t> coords) const {
  llvm::SmallVector<Owner, 2> owners;
  Coords wanted(coords);
  if (!isAdditive()) {
    for (int64_t thread = 0; thread < numThreads(); ++thread)
      for (int64_t reg = 0; reg < numRegisters(); ++reg)
        if (this->coords(reg, thread) == wanted)
          owners.push_back({reg, thread});
    return owners;
  }
  // Coordinates are sums: look up what a thread's share leaves over.
  Coords top = this->coords(numRegisters() - 1, 0);
  auto key = [&](const Coords &part) {
    int64_t result = 0;
    for (auto [c, limit] : llvm::zip(part, top))
      result = result * (limit + 1) + c;
    return result;
  };
  std::unordered_map<int64_t, llvm::SmallVector<int64_t, 1>> byPart;
  for (int64_t reg = 0; reg < numRegisters(); ++reg)
    byPart[key(this->coords(reg, 0))].push_back(reg);
  for (int64_t thread = 0; thread < numThreads(); ++thread) {
    Coords rest = this->coords(0, thread);
    bool possible = true;
    for (auto [r, c, limit] : llvm::zip(rest, wanted, top)) {
      r = c - r;
      possible &= r >= 0 && r <= limit;
    }
    if (!possible)
      continue;
    auto found = byPart.find(key(rest));
    if (found == byPart.end())
      continue;
    for (int64_t reg : found->second)
      owners.push_back({reg, thread});
  }
  return owners;
}

std::optional<int64_t> LinearLayout::replication() const {
  llvm::SmallVector<int32_t, 0> holders(numElements(), 0);
  auto strides = rowMajorStrides(tileShape);
  for (int64_t reg = 0; reg < numRegisters(); ++reg)
    for (int64_t thread = 0; thread < numThreads(); ++thread) {
      if (!inRange(reg, thread))
        continue;
      int64_t index = 0;
      for (auto [c, stride] : llvm::zip(coords(reg, thread), strides))
        index += c * stride;
      ++holders[index];
    }
  if (holders.empty() || holders[0] == 0 || !llvm::all_equal(holders))
    return std::nullopt;
  return holders[0];
}

bool LinearLayout::hasReplicatedThreads() const {
  return llvm::any_of(threads, [](const Digit &d) { return isZero(d.step); });
}

bool LinearLayout::isPrimary(int64_t thread) const {
  return llvm::all_of(replicaTerms(), [&](const Term &term) {
    return term.evaluate(thread) == 0;
  });
}

/// The terms of the digits that `stride` gives a non-zero stride, neighbours
/// that continue each other fused.
template <typename StrideFn>
static void collectTerms(llvm::ArrayRef<Digit> digits, StrideFn stride,
                         llvm::SmallVectorImpl<Term> &terms) {
  int64_t div = 1, total = product(digits);
  bool fusable = false;
  for (const Digit &digit : digits) {
    int64_t step = stride(digit);
    if (step != 0) {
      Term *last = fusable ? &terms.back() : nullptr;
      if (last && last->stride * last->mod == step)
        last->mod *= digit.count;
      else
        terms.push_back({div, digit.count, step});
    }
    fusable = step != 0;
    div *= digit.count;
  }
  for (Term &term : terms)
    if (term.div * term.mod == total)
      term.mod = 0;
}

llvm::SmallVector<Term, 2> LinearLayout::replicaTerms() const {
  llvm::SmallVector<Term, 2> terms;
  collectTerms(
      threads, [](const Digit &d) { return isZero(d.step) ? 1 : 0; }, terms);
  return terms;
}

bool LinearLayout::isAdditive() const {
  auto additive = [](const Digit &digit) { return !digit.exclusiveOr; };
  return llvm::all_of(registers, additive) && llvm::all_of(threads, additive);
}

llvm::SmallVector<Term, 4> LinearLayout::threadTerms(unsigned dim) const {
  assert(isAdditive() && dim < rank());
  llvm::SmallVector<Term, 4> terms;
  collectTerms(threads, [&](const Digit &d) { return d.step[dim]; }, terms);
  return terms;
}

llvm::SmallVector<Term, 4> LinearLayout::registerTerms(unsigned dim) const {
  assert(isAdditive() && dim < rank());
  llvm::SmallVector<Term, 4> terms;
  collectTerms(registers, [&](const Digit &d) { return d.step[dim]; }, terms);
  return terms;
}

bool LinearLayout::operator==(const LinearLayout &other) const {
  if (tileShape != other.tileShape || numThreads() != other.numThreads() ||
      numRegisters() != other.numRegisters())
    return false;
  if (registers == other.registers && threads == other.threads)
    return true;
  // The canonical form is unique for additive layouts only.
  if (isAdditive() && other.isAdditive())
    return false;
  for (int64_t reg = 0; reg < numRegisters(); ++reg)
    for (int64_t thread = 0; thread < numThreads(); ++thread)
      if (coords(reg, thread) != other.coords(reg, thread))
        return false;
  return true;
}

llvm::SmallVector<int64_t, 4> rowMajorStrides(llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<int64_t, 4> strides(shape.size(), 1);
  for (unsigned dim = shape.size(); dim-- > 1;)
    strides[dim - 1] = strides[dim] * shape[dim];
  return strides;
}

} // namespace tlc::analysis
