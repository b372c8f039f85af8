// The layouts that hardware and copies ask for: accumulators and operands of
// wgmma and mma.sync, and distributions of whole tiles over threads.
//
// One rule places warps for all matrix fragments, so that fragments written
// by wgmma and by mma.sync agree: with a partition m x n of the warps, warp w
// has row part w % m and column part w / m. Blocks of 16 rows go to row parts
// in turn (block b to part b % m); columns are cut into n contiguous parts.
// Registers: first those of one instruction, then its column blocks, then
// further row blocks, i.e. wgmma number i of a warpgroup (its i-th 64 rows)
// has registers i*N' .. where N' = columns of the warp / 2.
#ifndef TLC_COMPILER_ANALYSIS_FRAGMENTLAYOUTS_H
#define TLC_COMPILER_ANALYSIS_FRAGMENTLAYOUTS_H

#include "compiler/analysis/Layout.h"
#include "compiler/analysis/Order.h"

namespace tlc::analysis {

/// T.GemmWarpPolicy; the values are those of the language.
enum class WarpPolicy { Square = 0, FullRow = 1, FullCol = 2 };

/// Warps along M and along N.
struct WarpPartition {
  int64_t m, n;

  bool operator==(const WarpPartition &other) const = default;
};

/// m * n warps may compute an M x N product: M % (16m) == 0, N % (8n) == 0,
/// and m % 4 == 0 for wgmma.
bool isValidPartition(int64_t M, int64_t N, WarpPartition partition,
                      bool wgmma);

/// The partition of `warps` warps that `policy` asks for: FullRow the largest
/// valid m, FullCol the largest valid n, Square the valid m with the smallest
/// |(M/16m) / (N/8n) - M/N|, the smallest such m. None valid: fails, and
/// `error` (if given) is "no valid warp partition ..." with the numbers.
std::optional<WarpPartition> chooseWarpPartition(int64_t M, int64_t N,
                                                 int64_t warps,
                                                 WarpPolicy policy, bool wgmma,
                                                 std::string *error = nullptr);

/// C of mma.sync m16n8 (PTX ISA, mma.m16n8k16: c0,c1 at row lane/4, columns
/// 2*(lane%4)+{0,1}; c2,c3 eight rows below), M x N over the partition. Also
/// D of wgmma m64nN (register d[4j+i] at columns 8j), which is the same
/// function when partition.m is a multiple of 4. Requires isValidPartition, and
/// of quadN 16 | N / partition.n.
LinearLayout accumulatorLayout(int64_t M, int64_t N, WarpPartition partition,
                               const Numbering &numbering = {});

/// D of wgmma for `warpgroups` warpgroups side by side along M (mGroups) and
/// N (nGroups): accumulatorLayout with partition {4 * mGroups, nGroups}.
LinearLayout wgmmaAccumulator(int64_t M, int64_t N, int64_t mGroups,
                              int64_t nGroups, const Numbering &numbering = {});
LinearLayout mmaAccumulator(int64_t M, int64_t N, int64_t mWarps,
                            int64_t nWarps);

/// A (M x K) of mma.sync and of wgmma with A in registers, elements of 8, 16
/// or 32 (tf32) bits: e = 32 / bits elements a 32-bit register; e consecutive
/// columns at e * (lane % 4); then eight rows below; then 4e columns on (PTX
/// ISA, mma.m16n8k8/k16/k32). Column parts hold copies. M % (16 m) == 0,
/// K % 8e == 0. For 16 bits it is accumulatorLayout of an M x K tile: the
/// result of one product feeds the next as it is.
LinearLayout operandALayout(int64_t M, int64_t K, unsigned bits,
                            WarpPartition partition,
                            const Numbering &numbering = {});

/// B (K x N) of mma.sync: e consecutive rows at e * (lane % 4), column
/// lane / 4; then 4e rows on (all of K), then column blocks of 8. Row parts
/// hold copies. K % 8e == 0, N % (8 n) == 0.
LinearLayout operandBLayout(int64_t K, int64_t N, unsigned bits,
                            WarpPartition partition);

/// A distribution for copies and parallel loops: vectors of up to
/// `vectorBytes` bytes (a power of two) of consecutive elements of the last
/// dimension, neighbouring threads along the last dimension first, then rows;
/// registers walk vectors of the last dimension first. Any extents and any
/// thread count; each element has exactly one holder, (register, thread)
/// pairs beyond the tile hold nothing. The vector shrinks to a power of two
/// that divides the last extent and leaves every thread something to do, but
/// not below 4 bytes for the latter reason.
LinearLayout blockedLayout(llvm::ArrayRef<int64_t> shape, unsigned elementBits,
                           int64_t threads, int64_t vectorBytes = 16);

} // namespace tlc::analysis

#endif // TLC_COMPILER_ANALYSIS_FRAGMENTLAYOUTS_H
