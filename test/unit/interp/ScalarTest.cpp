// Scalar operations, guards and loops.
#include "test/unit/interp/InterpTestSupport.h"

#include <cmath>

using namespace tlc::test;

TEST_CASE("interp scalar: floor division and modulo of negative numbers") {
  // Python's rule: -7 // 2 = -4 and -7 % 2 = 1, built here as a front end does.
  std::vector<int32_t> a = {-7, 7, -8, 0, -1}, q(5), r(5);
  auto outcome =
      runKernel(oneBlock({"memref<5xi32, $global>", "memref<5xi32, $global>",
                          "memref<5xi32, $global>"},
                         R"(
    %c2 = arith.constant 2 : i32
    tile.parallel [5] {
    ^bb0(%i: i32):
      %x = tile.load %A[%i] : memref<5xi32, $global> -> i32
      %q = arith.floordivsi %x, %c2 : i32
      %p = arith.muli %q, %c2 : i32
      %r = arith.subi %x, %p : i32
      tile.store %q to %B[%i] : i32, memref<5xi32, $global>
      tile.store %r to %C[%i] : i32, memref<5xi32, $global>
    })"),
                {tensor(a, {5}), tensor(q, {5}), tensor(r, {5})});
  CHECK(outcome.errors == "");
  CHECK(q == std::vector<int32_t>{-4, 3, -4, 0, -1});
  CHECK(r == std::vector<int32_t>{1, 1, 0, 0, 1});
}

TEST_CASE("interp scalar: loads outside read zero, stores outside vanish") {
  std::vector<float> a = {1, 2, 3}, b = {9, 9, 9};
  auto outcome = runKernel(
      oneBlock({"memref<3xf32, $global>", "memref<3xf32, $global>"}, R"(
    %c2 = arith.constant 2 : i32
    tile.parallel [6] {
    ^bb0(%i: i32):
      %j = arith.subi %i, %c2 : i32
      %x = tile.load %A[%i] : memref<3xf32, $global> -> f32
      tile.store %x to %B[%j] : f32, memref<3xf32, $global>
    })"),
      {tensor(a, {3}), tensor(b, {3})});
  REQUIRE(outcome.ok);
  CHECK(b == std::vector<float>{3, 0, 0});
}

TEST_CASE("interp scalar: half arithmetic rounds after each operation") {
  // In f16: 2048 + 1 = 2048 (tie to even), then - 2048 = 0.
  std::vector<float> out = {5};
  auto outcome = runKernel(oneBlock({"memref<1xf32, $global>"}, R"(
    %a = arith.constant 2048.0 : f16
    %b = arith.constant 1.0 : f16
    %s = arith.addf %a, %b : f16
    %d = arith.subf %s, %a : f16
    %w = arith.extf %d : f16 to f32
    tile.store %w to %A[%c0] : f32, memref<1xf32, $global>)"),
                           {tensor(out, {1})});
  REQUIRE(outcome.ok);
  CHECK(out[0] == 0);
}

TEST_CASE("interp scalar: integer corner cases") {
  std::vector<int32_t> out(7);
  auto outcome = runKernel(oneBlock({"memref<7xi32, $global>"}, R"(
    %min = arith.constant -2147483648 : i32
    %m1 = arith.constant -1 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %c4 = arith.constant 4 : i32
    %c5 = arith.constant 5 : i32
    %c6 = arith.constant 6 : i32
    %true = arith.constant true
    %q = arith.divsi %min, %m1 : i32
    tile.store %q to %A[%c0] : i32, memref<7xi32, $global>
    %w = arith.addi %min, %m1 : i32
    tile.store %w to %A[%c1] : i32, memref<7xi32, $global>
    %u = arith.divui %m1, %c2 : i32
    tile.store %u to %A[%c2] : i32, memref<7xi32, $global>
    %s = arith.shrsi %min, %c3 : i32
    tile.store %s to %A[%c3] : i32, memref<7xi32, $global>
    %e = arith.extsi %true : i1 to i32
    tile.store %e to %A[%c4] : i32, memref<7xi32, $global>
    %b8 = arith.trunci %min : i32 to i8
    %b = arith.extui %b8 : i8 to i32
    tile.store %b to %A[%c5] : i32, memref<7xi32, $global>
    %lt = arith.cmpi ult, %c1, %m1 : i32
    %l = arith.extui %lt : i1 to i32
    tile.store %l to %A[%c6] : i32, memref<7xi32, $global>)"),
                           {tensor(out, {7})});
  CHECK(outcome.errors == "");
  CHECK(out == std::vector<int32_t>{INT32_MIN, INT32_MAX, INT32_MAX, -268435456,
                                    -1, 0, 1});
}

TEST_CASE("interp scalar: bit casts") {
  std::vector<int32_t> out(1);
  auto outcome = runKernel(oneBlock({"memref<1xi32, $global>"}, R"(
    %f = arith.constant -1.5 : bf16
    %i = arith.bitcast %f : bf16 to i16
    %w = arith.extui %i : i16 to i32
    tile.store %w to %A[%c0] : i32, memref<1xi32, $global>)"),
                           {tensor(out, {1})});
  REQUIRE(outcome.ok);
  CHECK(out[0] == 0xbfc0);
}

TEST_CASE("interp scalar: math functions in float32") {
  std::vector<float> in = {0.25f, 1, 3}, out(3);
  auto outcome = runKernel(
      oneBlock({"memref<3xf32, $global>", "memref<3xf32, $global>"}, R"(
    tile.parallel [3] {
    ^bb0(%i: i32):
      %x = tile.load %A[%i] : memref<3xf32, $global> -> f32
      %e = math.exp2 %x : f32
      %r = math.rsqrt %e : f32
      %n = arith.negf %r : f32
      %m = arith.maximumf %n, %x : f32
      tile.store %m to %B[%i] : f32, memref<3xf32, $global>
    })"),
      {tensor(in, {3}), tensor(out, {3})});
  REQUIRE(outcome.ok);
  for (int i = 0; i < 3; ++i)
    CHECK(out[i] ==
          std::max(-1 / std::sqrt(std::exp2(double(in[i]))), double(in[i])));
}

TEST_CASE("interp loops: zero and negative trip counts do nothing") {
  for (int trips : {-3, 0, 1, 5}) {
    std::vector<int32_t> out = {0, 0};
    std::string n = std::to_string(trips);
    auto outcome = runKernel(oneBlock({"memref<2xi32, $global>"}, R"(
    %c1 = arith.constant 1 : i32
    %n = arith.constant )" + n + R"( : i32
    tile.pipelined %c0 to %n stages 3 {
    ^bb0(%i: i32):
      %x = tile.load %A[%c0] : memref<2xi32, $global> -> i32
      %y = arith.addi %x, %c1 : i32
      tile.store %y to %A[%c0] : i32, memref<2xi32, $global>
    }
    scf.for %i = %c0 to %n step %c1 : i32 {
      %x = tile.load %A[%c1] : memref<2xi32, $global> -> i32
      %y = arith.addi %x, %i : i32
      tile.store %y to %A[%c1] : i32, memref<2xi32, $global>
    })"),
                             {tensor(out, {2})});
    REQUIRE(outcome.ok);
    int count = std::max(trips, 0);
    CHECK(out == std::vector<int32_t>{count, count * (count - 1) / 2});
  }
}

TEST_CASE("interp loops: carried values may be exchanged") {
  std::vector<int32_t> out = {0, 0};
  auto outcome = runKernel(oneBlock({"memref<2xi32, $global>"}, R"(
    %c1 = arith.constant 1 : i32
    %c7 = arith.constant 7 : i32
    %r:2 = scf.for %i = %c0 to %c7 step %c1
        iter_args(%a = %c0, %b = %c1) -> (i32, i32) : i32 {
      %s = arith.addi %a, %b : i32
      scf.yield %b, %s : i32, i32
    }
    tile.store %r#0 to %A[%c0] : i32, memref<2xi32, $global>
    tile.store %r#1 to %A[%c1] : i32, memref<2xi32, $global>)"),
                           {tensor(out, {2})});
  CHECK(outcome.errors == "");
  CHECK(out == std::vector<int32_t>{13, 21});
}

TEST_CASE("interp loops: while") {
  // Collatz steps of 27.
  std::vector<int32_t> out = {0};
  auto outcome = runKernel(oneBlock({"memref<1xi32, $global>"}, R"(
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %start = arith.constant 27 : i32
    %r:2 = scf.while (%n = %start, %k = %c0) : (i32, i32) -> (i32, i32) {
      %go = arith.cmpi ne, %n, %c1 : i32
      scf.condition(%go) %n, %k : i32, i32
    } do {
    ^bb0(%n: i32, %k: i32):
      %bit = arith.andi %n, %c1 : i32
      %odd = arith.cmpi eq, %bit, %c1 : i32
      %next = scf.if %odd -> i32 {
        %t = arith.muli %n, %c3 : i32
        %u = arith.addi %t, %c1 : i32
        scf.yield %u : i32
      } else {
        %h = arith.shrui %n, %c1 : i32
        scf.yield %h : i32
      }
      %k1 = arith.addi %k, %c1 : i32
      scf.yield %next, %k1 : i32, i32
    }
    tile.store %r#1 to %A[%c0] : i32, memref<1xi32, $global>)"),
                           {tensor(out, {1})});
  CHECK(outcome.errors == "");
  CHECK(out[0] == 111);
}
