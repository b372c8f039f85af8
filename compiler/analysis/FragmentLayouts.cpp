// Constructors of hardware and copy layouts. Element positions are those of
// the PTX ISA, "Matrix fragments for mma.m16n8k..." and "wgmma: register
// fragments".
#include "compiler/analysis/FragmentLayouts.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <cassert>
#include <cstdlib>

namespace tlc::analysis {

bool isValidPartition(int64_t M, int64_t N, WarpPartition partition,
                      bool wgmma) {
  return partition.m > 0 && partition.n > 0 && M > 0 && N > 0 &&
         M % (16 * partition.m) == 0 && N % (8 * partition.n) == 0 &&
         (!wgmma || partition.m % 4 == 0);
}

/// |(M/16m) / (N/8n) - M/N| is M/N * |n/2m - 1|; M/N is common to all
/// candidates. True if `a` is strictly better balanced than `b`.
static bool isMoreBalanced(WarpPartition a, WarpPartition b) {
  return std::abs(a.n - 2 * a.m) * b.m < std::abs(b.n - 2 * b.m) * a.m;
}

std::optional<WarpPartition> chooseWarpPartition(int64_t M, int64_t N,
                                                 int64_t warps,
                                                 WarpPolicy policy, bool wgmma,
                                                 std::string *error) {
  std::optional<WarpPartition> best;
  for (int64_t m = 1; m <= warps; ++m) {
    WarpPartition candidate{m, warps / m};
    if (warps % m != 0 || !isValidPartition(M, N, candidate, wgmma))
      continue;
    bool better = policy == WarpPolicy::FullRow ||
                  (policy == WarpPolicy::Square && best &&
                   isMoreBalanced(candidate, *best));
    if (!best || better)
      best = candidate;
  }
  if (!best && error)
    *error = "no valid warp partition of " + std::to_string(warps) +
             " warps for M = " + std::to_string(M) +
             ", N = " + std::to_string(N) +
             (wgmma ? " with wgmma: 4 | m, 16m | M and 8n | N"
                    : ": 16m | M and 8n | N") +
             " have no solution m * n = " + std::to_string(warps);
  return best;
}

namespace {
/// Steps of the row digits of a fragment: the upper half of a block, the row
/// of a lane, the warp, the next block of the warp.
struct RowSteps {
  int64_t half = 8, lane = 1, warp = 16, block;

  RowSteps(int64_t M, int64_t warps, const Numbering &numbering)
      : block(16 * warps) {
    if (!numbering.quadM)
      return;
    int64_t blocks = M / (16 * warps);
    half = 1, block = 2, lane = 2 * blocks, warp = 16 * blocks;
  }
};
} // namespace

LinearLayout accumulatorLayout(int64_t M, int64_t N, WarpPartition partition,
                               const Numbering &numbering) {
  assert(isValidPartition(M, N, partition, /*wgmma=*/false));
  auto [m, n] = partition;
  RowSteps row(M, m, numbering);
  bool quad = numbering.quadN;
  assert(!quad || N / n % 16 == 0);
  llvm::SmallVector<Digit, 8> registers{{2, {0, 1}}, {2, {row.half, 0}}};
  if (quad)
    registers.push_back({2, {0, 2}});
  int64_t columns = quad ? 16 : 8;
  registers.push_back({N / (columns * n), {0, columns}});
  registers.push_back({M / (16 * m), {row.block, 0}});
  return LinearLayout({M, N}, registers,
                      {{4, {0, quad ? 4 : 2}},
                       {8, {row.lane, 0}},
                       {m, {row.warp, 0}},
                       {n, {0, N / n}}});
}

LinearLayout wgmmaAccumulator(int64_t M, int64_t N, int64_t mGroups,
                              int64_t nGroups, const Numbering &numbering) {
  return accumulatorLayout(M, N, {4 * mGroups, nGroups}, numbering);
}

LinearLayout mmaAccumulator(int64_t M, int64_t N, int64_t mWarps,
                            int64_t nWarps) {
  return accumulatorLayout(M, N, {mWarps, nWarps});
}

LinearLayout operandALayout(int64_t M, int64_t K, unsigned bits,
                            WarpPartition partition,
                            const Numbering &numbering) {
  int64_t e = 32 / bits;
  auto [m, n] = partition;
  assert(M % (16 * m) == 0 && K % (8 * e) == 0);
  assert(!numbering.pairK || bits == 32);
  RowSteps row(M, m, numbering);
  llvm::SmallVector<Digit, 8> registers{{e, {0, 1}}, {2, {row.half, 0}}};
  if (numbering.pairK) {
    registers.push_back({2, {0, 1}});
    registers.push_back({K / 8, {0, 8}});
  } else {
    registers.push_back({K / (4 * e), {0, 4 * e}});
  }
  registers.push_back({M / (16 * m), {row.block, 0}});
  return LinearLayout({M, K}, registers,
                      {{4, {0, numbering.pairK ? 2 : e}},
                       {8, {row.lane, 0}},
                       {m, {row.warp, 0}},
                       {n, {0, 0}}});
}

LinearLayout operandBLayout(int64_t K, int64_t N, unsigned bits,
                            WarpPartition partition) {
  int64_t e = 32 / bits;
  auto [m, n] = partition;
  assert(N % (8 * n) == 0 && K % (8 * e) == 0);
  return LinearLayout(
      {K, N}, {{e, {1, 0}}, {K / (4 * e), {4 * e, 0}}, {N / (8 * n), {0, 8}}},
      {{4, {e, 0}}, {8, {0, 1}}, {m, {0, 0}}, {n, {0, N / n}}});
}

namespace {

/// Searches how many threads lie along each dimension of a tile.
class ThreadSplit {
public:
  ThreadSplit(llvm::ArrayRef<int64_t> shape, unsigned elementBits,
              int64_t vector)
      : shape(shape), elementBits(elementBits), vector(vector) {}

  Coords find(int64_t threads) {
    Coords current(shape.size(), 1);
    visit(shape.size() - 1, threads, current);
    return best;
  }

  /// Vectors (last dimension) or elements a thread visits along `dim`.
  int64_t repeats(unsigned dim, int64_t threads) const {
    int64_t unit = dim + 1 == shape.size() ? vector : 1;
    return llvm::divideCeil(shape[dim], threads * unit);
  }

private:
  /// Tries every divisor of `left` for `dim`; the outermost dimension takes
  /// what is left. Larger counts come last, so that they win ties.
  void visit(unsigned dim, int64_t left, Coords &current) {
    if (dim == 0) {
      current[0] = left;
      int64_t now = cost(current);
      if (best.empty() || now <= bestCost) {
        best = current;
        bestCost = now;
      }
      return;
    }
    for (int64_t count = 1; count <= left; ++count) {
      if (left % count != 0)
        continue;
      current[dim] = count;
      visit(dim - 1, left / count, current);
    }
  }

  /// Registers a thread needs, weighted by how badly a row segment of
  /// neighbouring threads fills memory sectors (32 bytes) and lines.
  int64_t cost(const Coords &counts) const {
    int64_t visits = 1;
    for (unsigned dim = 0; dim < shape.size(); ++dim)
      visits *= repeats(dim, counts[dim]);
    int64_t covered = counts.back() * vector;
    int64_t bytes = covered * elementBits / 8;
    int64_t percent = covered >= shape.back() || bytes >= 128 ? 100
                      : bytes >= 64                           ? 110
                      : bytes >= 32                           ? 125
                                                              : 200;
    return visits * percent;
  }

  llvm::ArrayRef<int64_t> shape;
  int64_t elementBits, vector, bestCost = 0;
  Coords best;
};

} // namespace

/// Elements of a vector access: divides the last extent, at most maxBytes,
/// and, above 4 bytes, no more than an even share of the tile.
static int64_t chooseVector(llvm::ArrayRef<int64_t> shape, unsigned elementBits,
                            int64_t threads, int64_t maxBytes) {
  int64_t elements = 1;
  for (int64_t extent : shape)
    elements *= extent;
  int64_t share = llvm::divideCeil(elements, threads);
  auto fits = [&](int64_t vector) {
    int64_t bytes = vector * elementBits / 8;
    return shape.back() % vector == 0 && bytes <= maxBytes &&
           (bytes <= 4 || vector <= share);
  };
  int64_t vector = 1;
  while (fits(2 * vector))
    vector *= 2;
  return vector;
}

LinearLayout blockedLayout(llvm::ArrayRef<int64_t> shape, unsigned elementBits,
                           int64_t threads, int64_t vectorBytes) {
  assert(!shape.empty() && threads > 0 && elementBits > 0);
  int64_t vector = chooseVector(shape, elementBits, threads, vectorBytes);
  ThreadSplit split(shape, elementBits, vector);
  Coords counts = split.find(threads);
  unsigned rank = shape.size();
  auto unit = [&](unsigned dim, int64_t value) {
    Coords step(rank, 0);
    step[dim] = value;
    return step;
  };
  llvm::SmallVector<Digit, 4> regs{{vector, unit(rank - 1, 1)}}, thrs;
  for (unsigned dim = rank; dim-- > 0;) {
    int64_t grain = dim + 1 == rank ? vector : 1;
    thrs.push_back({counts[dim], unit(dim, grain)});
    regs.push_back(
        {split.repeats(dim, counts[dim]), unit(dim, grain * counts[dim])});
  }
  return LinearLayout(shape, regs, thrs);
}

} // namespace tlc::analysis
