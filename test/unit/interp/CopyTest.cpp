// tile.copy and tile.fill: clipping, zero fill, pairing, conversion.
#include "test/unit/interp/InterpTestSupport.h"

using namespace tlc::test;

TEST_CASE("interp copy: a tile past both ends of a tensor") {
  // 5 x 7 into a 4 x 8 tile from (-1, 3), and back to (3, -2).
  std::vector<float> a(35), b(35, 99);
  for (int i = 0; i < 35; ++i)
    a[i] = static_cast<float>(i + 1);
  auto outcome = runKernel(
      oneBlock({"memref<5x7xf32, $global>", "memref<5x7xf32, $global>"}, R"(
    %m1 = arith.constant -1 : i32
    %m2 = arith.constant -2 : i32
    %c3 = arith.constant 3 : i32
    %t = tile.alloc "t" : memref<4x8xf32, $shared>
    tile.copy %A[%m1, %c3] [4, 8] to %t[%c0, %c0] [4, 8]
      : memref<5x7xf32, $global>, memref<4x8xf32, $shared>
    tile.copy %t[%c0, %c0] [4, 8] to %B[%c3, %m2] [4, 8]
      : memref<4x8xf32, $shared>, memref<5x7xf32, $global>)"),
      {tensor(a, {5, 7}), tensor(b, {5, 7})});
  CHECK(outcome.errors == "");
  REQUIRE(outcome.ok);
  for (int r = 0; r < 5; ++r)
    for (int c = 0; c < 7; ++c) {
      float expected = 99;
      int tr = r - 3, tc = c + 2; // position in the tile
      if (tr >= 0 && tr < 4 && tc < 8) {
        int ar = tr - 1, ac = tc + 3;
        bool inside = ar >= 0 && ar < 5 && ac < 7;
        expected = inside ? a[ar * 7 + ac] : 0.0f;
      }
      INFO(r << ", " << c);
      CHECK(b[r * 7 + c] == expected);
    }
}

TEST_CASE("interp copy: unit dimensions are skipped when pairing") {
  // A[1, 0:3, 2, 0:4] to a 3 x 4 tile; A[5, ...] is outside: zeros.
  std::vector<int16_t> a(2 * 3 * 3 * 4);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = static_cast<int16_t>(i);
  std::vector<int32_t> b(12, -1), c(12, -1);
  auto outcome = runKernel(
      oneBlock({"memref<2x3x3x4xi16, $global>", "memref<3x4xi32, $global>",
                "memref<3x4xi32, $global>"},
               R"(
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c5 = arith.constant 5 : i32
    %t = tile.alloc "t" : memref<3x4xi32, $fragment>
    tile.copy %A[%c1, %c0, %c2, %c0] [1, 3, 1, 4] to %t[%c0, %c0] [3, 4]
      : memref<2x3x3x4xi16, $global>, memref<3x4xi32, $fragment>
    tile.copy %t[%c0, %c0] [3, 4] to %B[%c0, %c0] [3, 4]
      : memref<3x4xi32, $fragment>, memref<3x4xi32, $global>
    tile.copy %A[%c5, %c0, %c2, %c0] [1, 3, 1, 4] to %C[%c0, %c0] [3, 4]
      : memref<2x3x3x4xi16, $global>, memref<3x4xi32, $global>)"),
      {tensor(a, {2, 3, 3, 4}), tensor(b, {3, 4}), tensor(c, {3, 4})});
  REQUIRE(outcome.ok);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j) {
      CHECK(b[i * 4 + j] == 36 + i * 12 + 8 + j);
      CHECK(c[i * 4 + j] == 0);
    }
}

TEST_CASE("interp copy: float32 to bfloat16 rounds to nearest even") {
  std::vector<float> a = {1.0f, 1.00390625f, 1.01171875f, -2.5f};
  std::vector<uint16_t> b(4);
  auto outcome = runKernel(
      oneBlock({"memref<4xf32, $global>", "memref<4xbf16, $global>"}, R"(
    tile.copy %A[%c0] [4] to %B[%c0] [4]
      : memref<4xf32, $global>, memref<4xbf16, $global>)"),
      {tensor(a, {4}), tensor(b, {4})});
  REQUIRE(outcome.ok);
  // 1 + 2^-8 is a tie and goes to 1; 1 + 3 * 2^-8 is a tie and goes up.
  CHECK(b == std::vector<uint16_t>{0x3f80, 0x3f80, 0x3f82, 0xc020});
}

TEST_CASE("interp copy: an unsigned source keeps its sign") {
  std::vector<uint8_t> a = {0, 127, 128, 255};
  std::vector<float> b(4);
  auto outcome = runKernel(
      oneBlock({"memref<4xui8, $global>", "memref<4xf32, $global>"}, R"(
    tile.copy %A[%c0] [4] to %B[%c0] [4]
      : memref<4xui8, $global>, memref<4xf32, $global>)"),
      {tensor(a, {4}), tensor(b, {4})});
  REQUIRE(outcome.ok);
  CHECK(b == std::vector<float>{0, 127, 128, 255});
}

TEST_CASE("interp fill: a region, clipped in a global tensor") {
  std::vector<int32_t> a(12, 7);
  auto outcome = runKernel(oneBlock({"memref<3x4xi32, $global>"}, R"(
    %c2 = arith.constant 2 : i32
    %v = arith.constant -5 : i32
    tile.fill %v to %A[%c2, %c2] [2, 8] : i32, memref<3x4xi32, $global>)"),
                           {tensor(a, {3, 4})});
  REQUIRE(outcome.ok);
  CHECK(a == std::vector<int32_t>{7, 7, 7, 7, 7, 7, 7, 7, 7, 7, -5, -5});
}

TEST_CASE("interp alloc: what was not written is not zero") {
  std::vector<int32_t> a(4, 0);
  auto outcome = runKernel(oneBlock({"memref<4xi32, $global>"}, R"(
    %t = tile.alloc "t" : memref<4xi32, $shared>
    tile.copy %t[%c0] [4] to %A[%c0] [4]
      : memref<4xi32, $shared>, memref<4xi32, $global>)"),
                           {tensor(a, {4})});
  REQUIRE(outcome.ok);
  CHECK(a == std::vector<int32_t>{-1, -1, -1, -1});
}
