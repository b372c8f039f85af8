// A matrix instruction deals out rows of 16 bytes, 8 rows a matrix: lane l
// gets the 32-bit piece l % 4 of row l / 4 (PTX ISA, ldmatrix). Transposed,
// lane l gets elements 2 (l % 4) and 2 (l % 4) + 1 of column l / 4. Lane l
// supplies the address of row l % 8 of matrix l / 8.
#include "compiler/analysis/MatrixAccess.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

namespace tlc::analysis {

namespace {

/// Digits below and from weight `at` on.
struct SplitDigits {
  llvm::SmallVector<Digit, 8> low, high;
};

} // namespace

static std::optional<SplitDigits> splitAt(llvm::ArrayRef<Digit> digits,
                                          int64_t at) {
  SplitDigits split;
  for (Digit digit : digits) {
    int64_t low = std::gcd(digit.count, at);
    if (low != std::min(digit.count, at))
      return std::nullopt;
    if (low > 1)
      split.low.push_back({low, digit.step});
    if (digit.count > low) {
      for (int64_t &step : digit.step)
        step *= low;
      split.high.push_back({digit.count / low, digit.step});
    }
    at /= low;
  }
  if (at != 1)
    return std::nullopt;
  return split;
}

/// The digits as single bits; their counts are powers of two.
static llvm::SmallVector<Coords, 8> toBits(llvm::ArrayRef<Digit> digits) {
  llvm::SmallVector<Coords, 8> bits;
  for (const Digit &digit : digits)
    for (int64_t weight = 1; weight < digit.count; weight *= 2) {
      Coords step(digit.step);
      for (int64_t &s : step)
        s *= weight;
      bits.push_back(step);
    }
  return bits;
}

/// Every bit's step is `unit`, 2 * unit, ... along `dim` and nothing else.
static bool walks(llvm::ArrayRef<Coords> bits, unsigned dim, int64_t unit) {
  for (const Coords &step : bits) {
    for (auto [d, s] : llvm::enumerate(step))
      if (s != (d == dim ? unit : 0))
        return false;
    unit *= 2;
  }
  return true;
}

static bool stepsAreMultiples(llvm::ArrayRef<Digit> digits, unsigned dim,
                              int64_t of) {
  return llvm::all_of(
      digits, [&](const Digit &digit) { return digit.step[dim] % of == 0; });
}

static bool stepsAreMultiples(llvm::ArrayRef<Coords> bits, unsigned dim,
                              int64_t of) {
  return llvm::all_of(bits,
                      [&](const Coords &step) { return step[dim] % of == 0; });
}

/// Checks how the bits of one 32-bit register and of the lane walk a matrix.
/// Returns the three bits that number its rows in memory.
static std::optional<llvm::SmallVector<Coords, 8>>
rowBits(llvm::ArrayRef<Coords> piece, llvm::ArrayRef<Coords> lanes,
        unsigned bits, unsigned dim, bool transposed) {
  int64_t e = 32 / bits;
  llvm::ArrayRef<Coords> columns = lanes.take_front(2);
  llvm::SmallVector<Coords, 8> rows(lanes.drop_front(2));
  if (!transposed) {
    if (!walks(piece, dim, 1) || !walks(columns, dim, e))
      return std::nullopt;
  } else {
    if (bits != 16 || !walks(rows, dim, 1))
      return std::nullopt;
    rows.assign(piece.begin(), piece.end());
    rows.append(columns.begin(), columns.end());
  }
  if (!stepsAreMultiples(rows, dim, 4 * e))
    return std::nullopt;
  return rows;
}

static std::optional<MatrixAccess> accessWith(const LinearLayout &fragment,
                                              unsigned bits, unsigned dim,
                                              int64_t matrices,
                                              bool transposed) {
  int64_t e = 32 / bits;
  auto pieces = splitAt(fragment.registerDigits(), e);
  auto lanes = splitAt(fragment.threadDigits(), 32);
  if (!pieces || !lanes)
    return std::nullopt;
  auto groups = splitAt(pieces->high, matrices);
  auto rows =
      rowBits(toBits(pieces->low), toBits(lanes->low), bits, dim, transposed);
  if (!groups || !rows || !stepsAreMultiples(groups->low, dim, 4 * e) ||
      !stepsAreMultiples(groups->high, dim, 4 * e) ||
      !stepsAreMultiples(lanes->high, dim, 4 * e))
    return std::nullopt;
  // Lane bits 0-2 number the row, the next ones the matrix.
  llvm::SmallVector<Digit, 8> threads;
  for (const Coords &step : *rows)
    threads.push_back({2, step});
  threads.append(groups->low);
  threads.push_back({4 / matrices, Coords(fragment.rank(), 0)});
  threads.append(lanes->high);
  return MatrixAccess{matrices, transposed, e * matrices,
                      LinearLayout(fragment.shape(), groups->high, threads)};
}

std::optional<MatrixAccess> matrixAccess(const LinearLayout &fragment,
                                         unsigned bits, unsigned dim) {
  if ((bits != 8 && bits != 16 && bits != 32) || !fragment.isAdditive() ||
      !fragment.isExact())
    return std::nullopt;
  for (int64_t matrices : {4, 2, 1})
    for (bool transposed : {false, true})
      if (auto access = accessWith(fragment, bits, dim, matrices, transposed))
        return access;
  return std::nullopt;
}

} // namespace tlc::analysis
