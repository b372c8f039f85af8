// Fragment layouts against the tables of the PTX ISA, written out as loops,
// and blocked layouts over odd sizes.
#include "compiler/analysis/FragmentLayouts.h"

#include "test/support/Catch.h"

#include <cmath>

using namespace tlc::analysis;

namespace {

/// Requires that (reg, thread) lies at (row, col).
void at(const LinearLayout &layout, int64_t reg, int64_t thread, int64_t row,
        int64_t col) {
  Coords coords = layout.coords(reg, thread);
  INFO("reg " << reg << " thread " << thread);
  REQUIRE(coords[0] == row);
  REQUIRE(coords[1] == col);
}

} // namespace

TEST_CASE("fragments: wgmma D, PTX ISA register table", "[layout]") {
  // d[i] of m64nN: row = 16 * warp + lane / 4 + 8 * ((i / 2) % 2),
  //                column = 8 * (i / 4) + 2 * (lane % 4) + i % 2
  for (int64_t n = 8; n <= 256; n += 8) {
    LinearLayout layout = wgmmaAccumulator(64, n, 1, 1);
    REQUIRE(layout.numThreads() == 128);
    REQUIRE(layout.numRegisters() == n / 2);
    for (int64_t t = 0; t < 128; ++t)
      for (int64_t i = 0; i < n / 2; ++i)
        at(layout, i, t, 16 * (t / 32) + t % 32 / 4 + 8 * (i / 2 % 2),
           8 * (i / 4) + 2 * (t % 4) + i % 2);
    REQUIRE(layout.coversExactlyOnce());
    REQUIRE(layout.isExact());
  }
}

TEST_CASE("fragments: wgmma blocks and warpgroups", "[layout]") {
  // 3 warpgroups along M, two m64 blocks each; 2 along N.
  LinearLayout layout = wgmmaAccumulator(384, 48, 3, 2);
  REQUIRE(layout.numThreads() == 768);
  REQUIRE(layout.numRegisters() == 2 * 12);
  REQUIRE(layout.coversExactlyOnce());
  for (int64_t t = 0; t < 768; ++t) {
    int64_t group = t / 128, warp = t / 32 % 4, lane = t % 32;
    for (int64_t block = 0; block < 2; ++block)
      for (int64_t i = 0; i < 12; ++i)
        at(layout, block * 12 + i, t,
           (block * 3 + group % 3) * 64 + warp * 16 + lane / 4 +
               8 * (i / 2 % 2),
           group / 3 * 24 + 8 * (i / 4) + 2 * (lane % 4) + i % 2);
  }
}

TEST_CASE("fragments: owner of a scatter index", "[layout]") {
  // language.md section 6: in a (rows, cols) accumulator of one warpgroup,
  // r % 64 // 16 * 32 + r % 8 * 4 + c % 8 // 2 is the owner of (r, c).
  for (int64_t rows : {64, 128}) {
    LinearLayout layout = wgmmaAccumulator(rows, 32, 1, 1);
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < 32; ++c) {
        auto owners = layout.ownerOf({r, c});
        REQUIRE(owners.size() == 1);
        REQUIRE(owners[0].thread == r % 64 / 16 * 32 + r % 8 * 4 + c % 8 / 2);
      }
  }
}

TEST_CASE("fragments: mma.sync C, several warps", "[layout]") {
  // m16n8: c0,c1 at (lane/4, 2*(lane%4)+{0,1}); c2,c3 eight rows below.
  int64_t M = 96, N = 80, mWarps = 3, nWarps = 2;
  LinearLayout layout = mmaAccumulator(M, N, mWarps, nWarps);
  REQUIRE(layout.coversExactlyOnce());
  for (int64_t t = 0; t < mWarps * nWarps * 32; ++t) {
    int64_t warp = t / 32, lane = t % 32;
    int64_t reg = 0;
    for (int64_t mBlock = 0; mBlock < M / 16 / mWarps; ++mBlock)
      for (int64_t nBlock = 0; nBlock < N / 8 / nWarps; ++nBlock)
        for (int64_t c = 0; c < 4; ++c, ++reg)
          at(layout, reg, t,
             (mBlock * mWarps + warp % mWarps) * 16 + lane / 4 + c / 2 * 8,
             warp / mWarps * (N / nWarps) + nBlock * 8 + lane % 4 * 2 + c % 2);
    REQUIRE(reg == layout.numRegisters());
  }
}

TEST_CASE("fragments: A operands", "[layout]") {
  // 16 bit, m16n8k16: a[i]: row lane/4 + 8 for i in {2,3,6,7}, column
  // 2*(lane%4) + (i & 1) + 8 for i >= 4.
  LinearLayout half = operandALayout(64, 48, 16, {2, 2});
  CHECK(half.replication() == 2);
  for (int64_t t = 0; t < 128; ++t)
    for (int64_t block = 0; block < 2; ++block)
      for (int64_t step = 0; step < 3; ++step)
        for (int64_t i = 0; i < 8; ++i)
          at(half, block * 24 + step * 8 + i, t,
             (block * 2 + t / 32 % 2) * 16 + t % 32 / 4 +
                 (i == 2 || i == 3 || i == 6 || i == 7 ? 8 : 0),
             step * 16 + t % 4 * 2 + i % 2 + (i >= 4 ? 8 : 0));
  // tf32, m16n8k8: a0 (g, l), a1 (g+8, l), a2 (g, l+4), a3 (g+8, l+4).
  LinearLayout tf32 = operandALayout(16, 16, 32, {1, 1});
  for (int64_t t = 0; t < 32; ++t)
    for (int64_t step = 0; step < 2; ++step)
      for (int64_t i = 0; i < 4; ++i)
        at(tf32, step * 4 + i, t, t / 4 + i % 2 * 8,
           step * 8 + t % 4 + i / 2 * 4);
  CHECK(tf32.coversExactlyOnce());
  // 8 bit, m16n8k32: row g for i in 0-3, 8-11; column 4l + i%4, +16 from 8.
  LinearLayout bytes = operandALayout(16, 64, 8, {1, 1});
  for (int64_t t = 0; t < 32; ++t)
    for (int64_t step = 0; step < 2; ++step)
      for (int64_t i = 0; i < 16; ++i)
        at(bytes, step * 16 + i, t, t / 4 + (i / 4 % 2 ? 8 : 0),
           step * 32 + t % 4 * 4 + i % 4 + (i >= 8 ? 16 : 0));
  CHECK(bytes.coversExactlyOnce());
  // The result of one product is the next one's A.
  CHECK(operandALayout(128, 64, 16, {4, 1}) == wgmmaAccumulator(128, 64, 1, 1));
}

TEST_CASE("fragments: B operands", "[layout]") {
  // 16 bit, m16n8k16: b[i] at row 2*(lane%4) + i%2 + 8 for i >= 2, column
  // lane/4.
  LinearLayout half = operandBLayout(32, 48, 16, {2, 2});
  CHECK(half.replication() == 2);
  for (int64_t t = 0; t < 128; ++t)
    for (int64_t nBlock = 0; nBlock < 3; ++nBlock)
      for (int64_t step = 0; step < 2; ++step)
        for (int64_t i = 0; i < 4; ++i)
          at(half, nBlock * 8 + step * 4 + i, t,
             step * 16 + t % 4 * 2 + i % 2 + i / 2 * 8,
             t / 64 * 24 + nBlock * 8 + t % 32 / 4);
  // tf32, m16n8k8: b0 (l, g), b1 (l+4, g).
  LinearLayout tf32 = operandBLayout(8, 8, 32, {1, 1});
  for (int64_t t = 0; t < 32; ++t)
    for (int64_t i = 0; i < 2; ++i)
      at(tf32, i, t, t % 4 + i * 4, t / 4);
  // 8 bit, m16n8k32: b[i] at row 4l + i%4, +16 from i = 4.
  LinearLayout bytes = operandBLayout(32, 8, 8, {1, 1});
  for (int64_t t = 0; t < 32; ++t)
    for (int64_t i = 0; i < 8; ++i)
      at(bytes, i, t, t % 4 * 4 + i % 4 + i / 4 * 16, t / 4);
}

TEST_CASE("fragments: warp partitions", "[layout]") {
  using P = WarpPartition;
  auto choose = [](int64_t M, int64_t N, int64_t warps, WarpPolicy policy,
                   bool wgmma) {
    return chooseWarpPartition(M, N, warps, policy, wgmma);
  };
  CHECK(choose(128, 128, 4, WarpPolicy::Square, false) == P{2, 2});
  CHECK(choose(128, 128, 4, WarpPolicy::Square, true) == P{4, 1});
  CHECK(choose(128, 128, 8, WarpPolicy::FullRow, true) == P{8, 1});
  CHECK(choose(128, 128, 8, WarpPolicy::FullCol, true) == P{4, 2});
  CHECK(choose(64, 128, 8, WarpPolicy::FullRow, true) == P{4, 2});
  CHECK(choose(32, 64, 4, WarpPolicy::FullRow, false) == P{2, 2});
  CHECK(choose(32, 64, 4, WarpPolicy::FullCol, false) == P{1, 4});
  CHECK(choose(32, 32, 4, WarpPolicy::FullCol, false) == P{1, 4});
  CHECK(choose(192, 64, 12, WarpPolicy::FullRow, true) == P{12, 1});
  CHECK(choose(48, 24, 3, WarpPolicy::FullRow, false) == P{3, 1});
  std::string error;
  CHECK_FALSE(chooseWarpPartition(64, 8, 8, WarpPolicy::Square, true, &error));
  CHECK(error.find("no valid warp partition of 8 warps for M = 64, N = 8") ==
        0);
  CHECK_FALSE(choose(40, 64, 4, WarpPolicy::Square, false));
  CHECK_FALSE(choose(0, 0, 4, WarpPolicy::Square, false));
}

TEST_CASE("fragments: partitions against the formula", "[layout]") {
  // language.md 2.7 in floating point, as written there.
  for (int64_t M = 16; M <= 256; M += 16)
    for (int64_t N = 8; N <= 256; N += 8)
      for (int64_t warps : {1, 2, 3, 4, 6, 8, 12, 16})
        for (bool wgmma : {false, true}) {
          std::optional<WarpPartition> square, fullRow, fullCol;
          double best = 0;
          for (int64_t m = 1; m <= warps; ++m) {
            int64_t n = warps / m;
            if (m * n != warps || M % (16 * m) != 0 || N % (8 * n) != 0 ||
                (wgmma && m % 4 != 0))
              continue;
            double balance =
                std::abs((M / (16.0 * m)) / (N / (8.0 * n)) - double(M) / N);
            if (!square || balance < best - 1e-9) {
              square = WarpPartition{m, n};
              best = balance;
            }
            fullRow = WarpPartition{m, n};
            if (!fullCol)
              fullCol = WarpPartition{m, n};
          }
          auto check = [&](WarpPolicy policy,
                           std::optional<WarpPartition> expected) {
            REQUIRE(chooseWarpPartition(M, N, warps, policy, wgmma) ==
                    expected);
          };
          check(WarpPolicy::Square, square);
          check(WarpPolicy::FullRow, fullRow);
          check(WarpPolicy::FullCol, fullCol);
          if (fullRow)
            REQUIRE(accumulatorLayout(M, N, *fullRow).coversExactlyOnce());
        }
}

TEST_CASE("blocked: every element once, any size", "[layout]") {
  for (int64_t threads : {1, 32, 96, 128, 160, 384})
    for (unsigned bits : {8u, 16u, 32u, 64u})
      for (std::vector<int64_t> shape : {std::vector<int64_t>{1},
                                         {3},
                                         {64},
                                         {1000},
                                         {1, 1},
                                         {48, 200},
                                         {200, 3},
                                         {64, 50},
                                         {17, 16},
                                         {128, 128},
                                         {4, 17, 16},
                                         {3, 5, 7},
                                         {2, 1, 3, 40}}) {
        LinearLayout layout = blockedLayout(shape, bits, threads);
        INFO(layout.toString());
        REQUIRE(layout.numThreads() == threads);
        REQUIRE(layout.coversExactlyOnce());
        REQUIRE(layout.isAdditive());
        REQUIRE(LinearLayout::parse(layout.toString()) == layout);
      }
}

TEST_CASE("blocked: vectors and coalescing", "[layout]") {
  LinearLayout half = blockedLayout({128, 64}, 16, 128);
  CHECK(half.toString() == "regs=[8:(0,1) 8:(16,0)] threads=[8:(0,8) 16:(1,0)] "
                           "shape=128x64");
  CHECK(half.vectorWidth({64, 1}) == 8);
  CHECK(blockedLayout({64, 64}, 32, 128).vectorWidth({64, 1}) == 4);
  // 200 columns of 16 bits: vectors of 8 divide them.
  CHECK(blockedLayout({48, 200}, 16, 96).vectorWidthAlong(1) == 8);
  // 50 columns: pairs.
  CHECK(blockedLayout({64, 50}, 16, 128).vectorWidthAlong(1) == 2);
  CHECK(blockedLayout({200, 3}, 32, 128).vectorWidthAlong(1) == 1);
  // A narrow request is honoured.
  CHECK(blockedLayout({128, 64}, 16, 128, 4).vectorWidth({64, 1}) == 2);
  CHECK(blockedLayout({128, 64}, 16, 128, 1).vectorWidth({64, 1}) == 1);
  // 512 elements for 128 threads: four each, all threads busy.
  LinearLayout small = blockedLayout({64, 8}, 16, 128);
  CHECK(small.numRegisters() == 4);
  CHECK(small.isExact());
  // Fewer elements than threads: the rest is out of range.
  LinearLayout tiny = blockedLayout({10}, 32, 128);
  for (int64_t t = 0; t < 128; ++t)
    CHECK(tiny.inRange(0, t) == (t < 10));
}
