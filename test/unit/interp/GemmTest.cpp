// tile.gemm against plain loops.
#include "test/unit/interp/InterpTestSupport.h"

#include "compiler/interp/TileInterpElement.h"

using namespace tlc::test;
namespace interp = tlc::interp;

/// A kernel that copies A, B and C to tiles, multiplies and copies C back.
static std::string gemmKernel(const std::string &ab, const std::string &c,
                              int m, int n, int k, bool transA, bool transB,
                              const std::string &clear) {
  auto type = [](int r, int c, const std::string &e, const std::string &s) {
    return "memref<" + std::to_string(r) + "x" + std::to_string(c) + "x" + e +
           ", " + s + ">";
  };
  auto sizes = [](int r, int c) {
    return " [" + std::to_string(r) + ", " + std::to_string(c) + "]";
  };
  int ar = transA ? k : m, ac = transA ? m : k;
  int br = transB ? n : k, bc = transB ? k : n;
  std::string at = "[%c0, %c0]";
  auto copy = [&](std::string from, std::string to, std::string fromType,
                  std::string toType, std::string s) {
    return "tile.copy " + from + at + s + " to " + to + at + s + " : " +
           fromType + ", " + toType + "\n";
  };
  std::string ag = type(ar, ac, ab, "$global"),
              as = type(ar, ac, ab, "$shared");
  std::string bg = type(br, bc, ab, "$global"),
              bs = type(br, bc, ab, "$shared");
  std::string cg = type(m, n, c, "$global"), cf = type(m, n, c, "$fragment");
  return oneBlock(
      {ag, bg, cg},
      "%as = tile.alloc \"as\" : " + as + "\n%bs = tile.alloc \"bs\" : " + bs +
          "\n%cf = tile.alloc \"cf\" : " + cf + "\n" +
          copy("%A", "%as", ag, as, sizes(ar, ac)) +
          copy("%B", "%bs", bg, bs, sizes(br, bc)) +
          copy("%C", "%cf", cg, cf, sizes(m, n)) + clear + "tile.gemm %as" +
          at + sizes(ar, ac) + (transA ? " trans_a" : "") + ", %bs" + at +
          sizes(br, bc) + (transB ? " trans_b" : "") + ", %cf" +
          (clear.empty() ? "" : " clear %clear") + " : " + as + ", " + bs +
          ", " + cf + "\n" + copy("%cf", "%C", cf, cg, sizes(m, n)));
}

TEST_CASE("interp gemm: bfloat16, odd sizes, all transpositions") {
  const int m = 13, n = 9, k = 21;
  for (int mode = 0; mode < 4; ++mode) {
    bool ta = mode & 1, tb = mode & 2;
    std::vector<uint16_t> a(m * k), b(k * n);
    std::vector<float> c(m * n), expected(m * n);
    auto av = [](int i, int l) { return float((3 * i + 5 * l) % 7 - 3); };
    auto bv = [](int l, int j) { return float((2 * l + 7 * j) % 5 - 2) / 4; };
    for (int l = 0; l < k; ++l) {
      for (int i = 0; i < m; ++i)
        a[ta ? l * m + i : i * k + l] = interp::floatToBf16(av(i, l));
      for (int j = 0; j < n; ++j)
        b[tb ? j * k + l : l * n + j] = interp::floatToBf16(bv(l, j));
    }
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        c[i * n + j] = float(i - j);
        expected[i * n + j] = float(i - j);
        for (int l = 0; l < k; ++l)
          expected[i * n + j] += av(i, l) * bv(l, j);
      }
    std::vector<int64_t> as = {m, k}, bs = {k, n};
    if (ta)
      std::swap(as[0], as[1]);
    if (tb)
      std::swap(bs[0], bs[1]);
    auto outcome = runKernel(gemmKernel("bf16", "f32", m, n, k, ta, tb, ""),
                             {tensor(a, as), tensor(b, bs), tensor(c, {m, n})});
    CHECK(outcome.errors == "");
    CHECK(c == expected);
  }
}

TEST_CASE("interp gemm: clear overwrites, a false clear adds") {
  for (int clear = 0; clear < 2; ++clear) {
    std::vector<int8_t> a = {-128, 127}, b = {127, -128};
    std::vector<int32_t> c = {1000};
    auto outcome =
        runKernel(gemmKernel("i8", "i32", 1, 1, 2, false, false,
                             std::string("%clear = arith.constant ") +
                                 (clear ? "true\n" : "false\n")),
                  {tensor(a, {1, 2}), tensor(b, {2, 1}), tensor(c, {1, 1})});
    REQUIRE(outcome.ok);
    CHECK(c[0] == -128 * 127 * 2 + (clear ? 0 : 1000));
  }
}

TEST_CASE("interp gemm: unsigned bytes") {
  std::vector<uint8_t> a = {255, 200}, b = {255, 2};
  std::vector<int32_t> c = {0};
  auto outcome =
      runKernel(gemmKernel("ui8", "i32", 1, 1, 2, false, false, ""),
                {tensor(a, {1, 2}), tensor(b, {2, 1}), tensor(c, {1, 1})});
  REQUIRE(outcome.ok);
  CHECK(c[0] == 255 * 255 + 400);
}

TEST_CASE("interp gemm: float32 operands lose their low 13 bits") {
  std::vector<float> a = {1.0f + 0x1p-10f + 0x1p-11f}, b = {1}, c = {0};
  auto outcome =
      runKernel(gemmKernel("f32", "f32", 1, 1, 1, false, false, ""),
                {tensor(a, {1, 1}), tensor(b, {1, 1}), tensor(c, {1, 1})});
  REQUIRE(outcome.ok);
  CHECK(c[0] == 1.0f + 0x1p-10f);
}

TEST_CASE("interp gemm: a fragment operand and a stage of a ring") {
  // B is stage 1 of two; A is a fragment.
  std::vector<float> a = {1, 2, 3, 4}, b = {9, 9, 9, 9, 1, 0, 0, 1};
  std::vector<float> c(4);
  auto outcome = runKernel(
      oneBlock({"memref<2x2xf32, $global>", "memref<2x2x2xf32, $global>",
                "memref<2x2xf32, $global>"},
               R"(
    %c1 = arith.constant 1 : i32
    %zero = arith.constant 0.0 : f32
    %a = tile.alloc "a" : memref<2x2xf32, $fragment>
    %b = tile.alloc "b" : memref<2x2x2xf32, $shared>
    %acc = tile.alloc "acc" : memref<2x2xf32, $fragment>
    tile.copy %A[%c0, %c0] [2, 2] to %a[%c0, %c0] [2, 2]
      : memref<2x2xf32, $global>, memref<2x2xf32, $fragment>
    tile.copy %B[%c0, %c0, %c0] [2, 2, 2] to %b[%c0, %c0, %c0] [2, 2, 2]
      : memref<2x2x2xf32, $global>, memref<2x2x2xf32, $shared>
    tile.fill %zero to %acc[%c0, %c0] [2, 2] : f32, memref<2x2xf32, $fragment>
    tile.gemm %a[%c0, %c0] [2, 2], %b[%c1, %c0, %c0] [1, 2, 2], %acc
      : memref<2x2xf32, $fragment>, memref<2x2x2xf32, $shared>,
        memref<2x2xf32, $fragment>
    tile.copy %acc[%c0, %c0] [2, 2] to %C[%c0, %c0] [2, 2]
      : memref<2x2xf32, $fragment>, memref<2x2xf32, $global>)"),
      {tensor(a, {2, 2}), tensor(b, {2, 2, 2}), tensor(c, {2, 2})});
  CHECK(outcome.errors == "");
  CHECK(c == a);
}
