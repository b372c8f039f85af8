// Arithmetic on linear forms and intervals; overflow gives "unknown".
#include "compiler/frontend/elaborate/Linear.h"

#include "llvm/Support/MathExtras.h"
#include <algorithm>

namespace tlc::frontend {

std::optional<Linear> addScaled(const Linear &a, const Linear &b,
                                int64_t factor) {
  Linear result = a;
  int64_t product;
  if (llvm::MulOverflow(b.constant, factor, product) ||
      llvm::AddOverflow(result.constant, product, result.constant))
    return std::nullopt;
  for (auto [value, coefficient] : b.terms) {
    if (llvm::MulOverflow(coefficient, factor, product))
      return std::nullopt;
    auto it = llvm::find_if(result.terms,
                            [v = value](auto &t) { return t.first == v; });
    if (it == result.terms.end()) {
      if (product != 0)
        result.terms.push_back({value, product});
      continue;
    }
    if (llvm::AddOverflow(it->second, product, it->second))
      return std::nullopt;
    if (it->second == 0)
      result.terms.erase(it);
  }
  return result;
}

std::optional<Linear> scale(const Linear &a, int64_t factor) {
  return addScaled(Linear(), a, factor);
}

std::optional<int64_t> constantDifference(const Linear &a, const Linear &b) {
  auto difference = addScaled(a, b, -1);
  if (!difference || !difference->isConstant())
    return std::nullopt;
  return difference->constant;
}

std::optional<Interval> add(Interval a, Interval b) {
  Interval r;
  if (llvm::AddOverflow(a.lo, b.lo, r.lo) ||
      llvm::AddOverflow(a.hi, b.hi, r.hi))
    return std::nullopt;
  return r;
}

std::optional<Interval> sub(Interval a, Interval b) {
  Interval r;
  if (llvm::SubOverflow(a.lo, b.hi, r.lo) ||
      llvm::SubOverflow(a.hi, b.lo, r.hi))
    return std::nullopt;
  return r;
}

std::optional<Interval> mul(Interval a, Interval b) {
  int64_t p[4];
  if (llvm::MulOverflow(a.lo, b.lo, p[0]) ||
      llvm::MulOverflow(a.lo, b.hi, p[1]) ||
      llvm::MulOverflow(a.hi, b.lo, p[2]) ||
      llvm::MulOverflow(a.hi, b.hi, p[3]))
    return std::nullopt;
  auto [lo, hi] = std::minmax_element(p, p + 4);
  return Interval{*lo, *hi};
}

int64_t floorDiv(int64_t a, int64_t b) {
  if (b == -1)
    return static_cast<int64_t>(0 - static_cast<uint64_t>(a));
  int64_t q = a / b;
  return (a % b != 0 && (a % b < 0) != (b < 0)) ? q - 1 : q;
}

int64_t floorMod(int64_t a, int64_t b) {
  if (b == -1)
    return 0;
  int64_t r = a % b;
  return (r != 0 && (r < 0) != (b < 0)) ? r + b : r;
}

Interval floorDiv(Interval a, int64_t divisor) {
  return {floorDiv(a.lo, divisor), floorDiv(a.hi, divisor)};
}

Interval floorMod(Interval a, int64_t divisor) {
  if (a.lo >= 0 && a.hi < divisor)
    return a;
  return {0, divisor - 1};
}

Interval join(Interval a, Interval b) {
  return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
}

} // namespace tlc::frontend
