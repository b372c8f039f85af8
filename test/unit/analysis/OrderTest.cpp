// Orders of elements and numberings of products against their definitions in
// Order.h and the fragments of the PTX ISA.
#include "compiler/analysis/FragmentLayouts.h"
#include "compiler/analysis/SharedLayout.h"

#include "test/support/Catch.h"

#include <set>

using namespace tlc::analysis;

TEST_CASE("order: each slot has the element of the definition", "[order]") {
  for (int64_t block = 0; block < 4; ++block)
    for (int64_t t = 0; t < 4; ++t)
      for (int64_t b = 0; b < 2; ++b) {
        for (int64_t j = 0; j < 2; ++j)
          CHECK(slotOf(Order::Quads, 16 * block + 4 * t + 2 * j + b) ==
                16 * block + 8 * j + 2 * t + b);
        CHECK(slotOf(Order::Pairs, 8 * block + 2 * t + b) ==
              8 * block + 4 * b + t);
      }
  for (int64_t i = 0; i < 100; ++i)
    CHECK(slotOf(Order::Natural, i) == i);
}

TEST_CASE("order: bijective, linear in bits, periodic", "[order]") {
  for (Order order : {Order::Natural, Order::Quads, Order::Pairs}) {
    std::set<int64_t> slots;
    for (int64_t i = 0; i < 256; ++i) {
      slots.insert(slotOf(order, i));
      CHECK(slotOf(order, i) / period(order) == i / period(order));
      CHECK(slotOf(order, i + period(order)) ==
            slotOf(order, i) + period(order));
      for (int64_t k = 0; k < 256; ++k)
        if (slotOf(order, i ^ k) != (slotOf(order, i) ^ slotOf(order, k)))
          FAIL("not linear: " << i << " and " << k);
    }
    CHECK(slots.size() == 256);
    CHECK(*slots.rbegin() == 255);
  }
}

namespace {
/// Row of the numbering that the instruction has at row `at`, with `warps`
/// warps and M rows: block i of warp w is block i * warps + w of 16 rows.
int64_t quadRow(int64_t at, int64_t M, int64_t warps) {
  int64_t T = M / (16 * warps), block = at / 16, inBlock = at % 16;
  int64_t w = block % warps, i = block / warps, h = inBlock / 8,
          g = inBlock % 8;
  return 16 * T * w + 2 * T * g + 2 * i + h;
}

/// Requires that `numbered` holds what `natural` does, renamed.
void checkNumbering(const LinearLayout &natural, const LinearLayout &numbered,
                    int64_t M, int64_t warps, bool quadM, Order columns) {
  REQUIRE(numbered.numThreads() == natural.numThreads());
  REQUIRE(numbered.numRegisters() == natural.numRegisters());
  for (int64_t t = 0; t < natural.numThreads(); ++t)
    for (int64_t r = 0; r < natural.numRegisters(); ++r) {
      Coords from = natural.coords(r, t), to = numbered.coords(r, t);
      INFO("register " << r << ", thread " << t);
      REQUIRE(to[0] == (quadM ? quadRow(from[0], M, warps) : from[0]));
      REQUIRE(slotOf(columns, to[1]) == from[1]);
    }
}
} // namespace

TEST_CASE("order: accumulators of numbered products", "[order]") {
  for (int64_t M : {64, 128, 256})
    for (int64_t N : {16, 32, 48, 192})
      for (int form = 0; form < 4; ++form) {
        Numbering numbering{bool(form & 1), bool(form & 2), false};
        LinearLayout natural = accumulatorLayout(M, N, {4, 1});
        LinearLayout numbered = accumulatorLayout(M, N, {4, 1}, numbering);
        CHECK(numbered.coversExactlyOnce());
        checkNumbering(natural, numbered, M, 4, numbering.quadM,
                       numbering.quadN ? Order::Quads : Order::Natural);
      }
  // Two warpgroups side by side along N.
  checkNumbering(accumulatorLayout(64, 96, {4, 2}),
                 accumulatorLayout(64, 96, {4, 2}, {true, true, false}), 64, 4,
                 true, Order::Quads);
}

TEST_CASE("order: operands A of numbered products", "[order]") {
  for (int64_t M : {64, 128})
    for (int64_t K : {8, 24, 32, 40})
      for (int form = 0; form < 4; ++form) {
        Numbering numbering{bool(form & 1), false, bool(form & 2)};
        checkNumbering(operandALayout(M, K, 32, {4, 1}),
                       operandALayout(M, K, 32, {4, 1}, numbering), M, 4,
                       numbering.quadM,
                       numbering.pairK ? Order::Pairs : Order::Natural);
      }
  checkNumbering(operandALayout(128, 64, 16, {4, 1}),
                 operandALayout(128, 64, 16, {4, 1}, {true, false, false}), 128,
                 4, true, Order::Natural);
}

TEST_CASE("order: tiles in shared memory", "[order]") {
  for (bool transposed : {false, true})
    for (Order rows : {Order::Natural, Order::Quads, Order::Pairs})
      for (Order columns : {Order::Natural, Order::Quads, Order::Pairs}) {
        SharedLayout layout(SharedKind::Swizzle128, {64, 96}, 32,
                            {transposed, rows, columns});
        SharedLayout memory(SharedKind::Swizzle128,
                            transposed ? Coords{96, 64} : Coords{64, 96}, 32);
        CHECK(layout.rows() == memory.rows());
        CHECK(layout.columns() == memory.columns());
        std::set<int64_t> offsets;
        for (int64_t r = 0; r < 64; ++r)
          for (int64_t c = 0; c < 96; ++c) {
            int64_t row = slotOf(rows, r), column = slotOf(columns, c);
            int64_t offset = layout.offsetBytes({r, c});
            REQUIRE(offset == (transposed ? memory.offsetBytes({column, row})
                                          : memory.offsetBytes({row, column})));
            offsets.insert(offset);
          }
        CHECK(offsets.size() == 64 * 96);
        CHECK(*offsets.rbegin() + 4 <= layout.sizeBytes());
      }
  // What the orders do not divide is refused.
  CHECK_FALSE(SharedLayout::isPossible(SharedKind::Linear, {64, 24}, 32,
                                       {false, Order::Natural, Order::Quads}));
  CHECK_FALSE(SharedLayout::isPossible(SharedKind::Linear, {12, 32}, 32,
                                       {false, Order::Pairs, Order::Natural}));
  // 40 columns are no row of 128 bytes, 32 rows are.
  CHECK_FALSE(SharedLayout::isPossible(SharedKind::Swizzle128, {32, 40}, 32));
  CHECK(SharedLayout::isPossible(SharedKind::Swizzle128, {32, 40}, 32,
                                 {true, Order::Natural, Order::Natural}));
}

TEST_CASE("order: a transposed tile as an operand of wgmma", "[order]") {
  // float32 is read with K contiguous only: K x N becomes N x K.
  SharedLayout tile(SharedKind::Swizzle128, {32, 64}, 32,
                    {true, Order::Natural, Order::Natural});
  SharedLayout memory(SharedKind::Swizzle128, {64, 32}, 32);
  auto operand = tile.wgmmaOperand(/*kMajor=*/true);
  auto expected = memory.wgmmaOperand(/*kMajor=*/true);
  REQUIRE(operand);
  REQUIRE(expected);
  CHECK(operand->descriptorBits() == expected->descriptorBits());
  for (int64_t n = 0; n < 64; n += 8)
    for (int64_t k = 0; k < 32; k += 8)
      CHECK(operand->blockOffset(n, k) == expected->blockOffset(n, k));
  CHECK_FALSE(tile.wgmmaOperand(/*kMajor=*/false));
}

TEST_CASE("order: loads of A in pairs of K meet no bank twice", "[order]") {
  // m is stored K x M, 128-byte swizzle; with M = 128 on four warps a thread
  // has four neighbouring rows, 16 bytes. 32 lanes of 16 bytes take 4 passes.
  SharedLayout tile(SharedKind::Swizzle128, {128, 128}, 32);
  for (bool pairs : {false, true}) {
    LinearLayout a = operandALayout(128, 32, 32, {4, 1}, {true, false, pairs});
    for (int64_t warp = 0; warp < 4; ++warp)
      for (int64_t reg = 0; reg < a.numRegisters(); ++reg) {
        Coords offsets;
        for (int64_t lane = 0; lane < 32; ++lane) {
          Coords at = a.coords(reg, 32 * warp + lane);
          offsets.push_back(tile.offsetBytes({at[1], at[0] & ~3}));
        }
        CHECK(sharedWavefronts(offsets, 16) == (pairs ? 4 : 8));
      }
  }
}
