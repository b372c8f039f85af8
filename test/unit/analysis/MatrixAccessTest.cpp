// ldmatrix and stmatrix simulated from the PTX ISA: what each lane receives
// when every lane points to the row that matrixAccess gives.
#include "compiler/analysis/MatrixAccess.h"
#include "compiler/analysis/FragmentLayouts.h"

#include "test/support/Catch.h"

using namespace tlc::analysis;

namespace {

/// Requires that loading by `access` gives every thread its registers.
void checkLoad(const LinearLayout &fragment, unsigned bits, unsigned dim,
               int64_t matrices, bool transposed) {
  INFO(fragment.toString());
  auto access = matrixAccess(fragment, bits, dim);
  REQUIRE(access);
  CHECK(access->matrices == matrices);
  CHECK(access->transposed == transposed);
  int64_t e = 32 / bits, perInstruction = access->registersPerInstruction;
  REQUIRE(perInstruction == e * matrices);
  REQUIRE(access->rows.numThreads() == fragment.numThreads());
  REQUIRE(access->rows.numRegisters() * perInstruction ==
          fragment.numRegisters());
  for (int64_t t = 0; t < fragment.numThreads(); ++t)
    for (int64_t r = 0; r < fragment.numRegisters(); ++r) {
      int64_t warp = t / 32 * 32, lane = t % 32, within = r % perInstruction;
      int64_t matrix = within / e;
      int64_t row = lane / 4, column = lane % 4 * e + within % e;
      if (transposed)
        std::swap(row, column);
      Coords at =
          access->rows.coords(r / perInstruction, warp + matrix * 8 + row);
      REQUIRE(at[dim] % (4 * e) == 0);
      at[dim] += column;
      REQUIRE(at == fragment.coords(r, t));
    }
}

} // namespace

TEST_CASE("matrix access: operands and accumulators", "[layout]") {
  // Accumulator of one warpgroup, row-major memory: the golden epilogue.
  checkLoad(wgmmaAccumulator(128, 64, 1, 1), 16, 1, 4, false);
  // Column-major memory: transposed.
  checkLoad(wgmmaAccumulator(64, 64, 1, 1), 16, 0, 4, true);
  checkLoad(wgmmaAccumulator(64, 8, 1, 1), 16, 1, 2, false);
  checkLoad(mmaAccumulator(96, 64, 3, 2), 16, 1, 4, false);
  // Three column blocks a warp: pairs of them would straddle row blocks.
  checkLoad(mmaAccumulator(96, 48, 3, 2), 16, 1, 2, false);
  checkLoad(operandALayout(64, 64, 16, {2, 2}), 16, 1, 4, false);
  checkLoad(operandALayout(64, 64, 16, {2, 2}), 16, 0, 4, true);
  checkLoad(operandALayout(32, 16, 32, {2, 1}), 32, 1, 4, false);
  checkLoad(operandALayout(32, 64, 8, {2, 1}), 8, 1, 4, false);
  // B is K x N: contiguous K is plain, contiguous N is transposed.
  checkLoad(operandBLayout(32, 64, 16, {2, 2}), 16, 0, 4, false);
  checkLoad(operandBLayout(32, 64, 16, {2, 2}), 16, 1, 4, true);
  checkLoad(operandBLayout(16, 8, 16, {1, 1}), 16, 0, 2, false);
  checkLoad(operandBLayout(16, 16, 32, {1, 1}), 32, 0, 4, false);
}

TEST_CASE("matrix access: the golden epilogue's lane addresses", "[layout]") {
  // Row lane % 16, unit 2j + lane / 16 of 16 bytes.
  auto access = matrixAccess(wgmmaAccumulator(64, 64, 1, 1), 16, 1);
  REQUIRE(access);
  for (int64_t t = 0; t < 128; ++t)
    for (int64_t j = 0; j < 4; ++j)
      CHECK(access->rows.coords(j, t) ==
            Coords{t / 32 * 16 + t % 16, (2 * j + t % 32 / 16) * 8});
}

TEST_CASE("matrix access: what cannot", "[layout]") {
  LinearLayout acc = wgmmaAccumulator(64, 64, 1, 1);
  CHECK_FALSE(matrixAccess(acc, 32, 1)); // pairs of 32 bits are no rows
  CHECK_FALSE(matrixAccess(acc, 8, 1));
  CHECK_FALSE(matrixAccess(acc, 64, 1));
  CHECK_FALSE(matrixAccess(operandALayout(16, 16, 32, {1, 1}), 32, 0));
  CHECK_FALSE(matrixAccess(blockedLayout({64, 64}, 16, 128), 16, 1));
  CHECK_FALSE(matrixAccess(blockedLayout({64, 50}, 16, 128), 16, 1));
  CHECK_FALSE(matrixAccess(LinearLayout::replicated({8, 8}, 96), 16, 1));
  CHECK_FALSE(matrixAccess(LinearLayout({4}, {{4, {1}}}, {}), 16, 0));
}
