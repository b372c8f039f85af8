// Grids, dynamic sizes, scalars, launches.
#include "test/unit/interp/InterpTestSupport.h"

using namespace tlc::test;
namespace interp = tlc::interp;

/// Adds 100 * by + bx to element [by, bx].
static std::string gridKernel(const std::string &clauses) {
  return R"(
tile.kernel @k params ["A"] shapes [affine_map<()[m, n] -> (m, n)>]
    symbols ["m", "n"] {
^bb0(%A: memref<?x?xi32, $global>, %m: i32, %n: i32):
  %c100 = arith.constant 100 : i32
  tile.launch grid(%n, %m) threads [32, 1, 1] )" +
         clauses + R"( {
  ^bb0(%bx: i32, %by: i32):
    %h = arith.muli %by, %c100 : i32
    %v = arith.addi %h, %bx : i32
    %old = tile.load %A[%by, %bx] : memref<?x?xi32, $global> -> i32
    %new = arith.addi %old, %v : i32
    tile.store %new to %A[%by, %bx] : i32, memref<?x?xi32, $global>
  }
})";
}

TEST_CASE("interp launch: every block once, with and without a swizzle") {
  for (const char *clauses : {"", "swizzle 2", "swizzle 3 column"})
    for (auto [m, n] : {std::pair(5, 3), std::pair(4, 7), std::pair(1, 1)}) {
      std::vector<int32_t> a(m * n, 0);
      auto outcome = runKernel(gridKernel(clauses), {tensor(a, {m, n})});
      CHECK(outcome.errors == "");
      for (int i = 0; i < m * n; ++i)
        CHECK(a[i] == i / n * 100 + i % n);
    }
}

TEST_CASE("interp launch: an empty grid runs nothing") {
  std::vector<int32_t> a;
  auto outcome = runKernel(gridKernel(""), {tensor(a, {0, 4})});
  CHECK(outcome.ok);
}

TEST_CASE("interp launch: progress counts blocks") {
  std::vector<int32_t> a(6);
  interp::InterpOptions options;
  int64_t calls = 0, last = 0;
  options.progress = [&](int64_t done, int64_t total) {
    ++calls;
    last = done;
    CHECK(total == 6);
  };
  CHECK(runKernel(gridKernel(""), {tensor(a, {2, 3})}, options).ok);
  CHECK(calls == 6);
  CHECK(last == 6);
}

TEST_CASE("interp launch: scalars take their type, launches run in order") {
  std::vector<float> a = {1, 2};
  std::string text = R"(
tile.kernel @k params ["A", "x", "n"]
    shapes [affine_map<()[s] -> (s + 1)>, affine_map<()[s] -> ()>,
            affine_map<()[s] -> ()>] symbols ["s"] {
^bb0(%A: memref<?xf32, $global>, %x: f32, %n: i8, %s: i32):
  %one = arith.constant 1 : i32
  tile.launch grid(%one) threads [32, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %f = arith.sitofp %n : i8 to f32
    tile.store %f to %A[%c0] : f32, memref<?xf32, $global>
  }
  tile.launch grid(%one) threads [32, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %v = tile.load %A[%c0] : memref<?xf32, $global> -> f32
    %w = arith.mulf %v, %x : f32
    %k = arith.sitofp %s : i32 to f32
    %u = arith.addf %w, %k : f32
    tile.store %u to %A[%s] : f32, memref<?xf32, $global>
  }
})";
  auto outcome = runKernel(text, {tensor(a, {2}), 0.5, int64_t(-6)});
  CHECK(outcome.errors == "");
  CHECK(a == std::vector<float>{-6, -2});
}

TEST_CASE("interp launch: strided tensors") {
  std::vector<int32_t> a(12, 0);
  interp::TensorArg arg = tensor(a, {2, 3});
  arg.strides = {1, 4};
  auto outcome = runKernel(gridKernel(""), {arg});
  CHECK(outcome.errors == "");
  CHECK(a == std::vector<int32_t>{0, 100, 0, 0, 1, 101, 0, 0, 2, 102, 0, 0});
}
