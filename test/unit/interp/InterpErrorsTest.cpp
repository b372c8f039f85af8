// What the interpreter refuses, and in which words.
#include "test/unit/interp/InterpTestSupport.h"

using namespace tlc::test;
using Catch::Matchers::Contains;

static std::string errorsOf(const std::string &body) {
  std::vector<int32_t> a(4);
  auto outcome =
      runKernel(oneBlock({"memref<4xi32, $global>"}, body), {tensor(a, {4})});
  CHECK_FALSE(outcome.ok);
  return outcome.errors;
}

TEST_CASE("interp errors: an index outside a shared tile") {
  CHECK_THAT(errorsOf(R"(
    %c9 = arith.constant 9 : i32
    %t = tile.alloc "ring" : memref<2x8xi32, $shared>
    %x = tile.load %t[%c0, %c9] : memref<2x8xi32, $shared> -> i32)"),
             Contains("index 9 is outside dimension 1 of 'ring', which has 8"));
  CHECK_THAT(errorsOf(R"(
    %m1 = arith.constant -1 : i32
    %t = tile.alloc "ring" : memref<8xi32, $shared>
    tile.copy %A[%c0] [4] to %t[%m1] [4]
      : memref<4xi32, $global>, memref<8xi32, $shared>)"),
             Contains("index -1 is outside dimension 0 of 'ring'"));
}

TEST_CASE("interp errors: an access that claims to be inside and is not") {
  CHECK_THAT(errorsOf(R"(
    %c4 = arith.constant 4 : i32
    %x = tile.load %A[%c4] in_bounds : memref<4xi32, $global> -> i32)"),
             Contains("index 4 is outside dimension 0 of 'A', which has 4"));
}

TEST_CASE("interp errors: a tile operation of some threads only") {
  CHECK_THAT(errorsOf(R"(
    %t = tile.thread_id <x>
    %b = arith.cmpi eq, %t, %c0 : i32
    scf.if %b {
      tile.fill %c0 to %A[%c0] [4] : i32, memref<4xi32, $global>
    })"),
             Contains("a condition that differs between threads"));
  CHECK_THAT(errorsOf(R"(
    %t = tile.thread_id <x>
    tile.fill %c0 to %A[%t] [4] : i32, memref<4xi32, $global>)"),
             Contains("differs between threads"));
  CHECK_THAT(errorsOf(R"(
    %t = tile.thread_id <x>
    %b = arith.cmpi eq, %t, %c0 : i32
    scf.if %b {
      tile.sync_threads
    })"),
             Contains("a condition that differs between threads"));
}

TEST_CASE("interp errors: division by zero") {
  CHECK_THAT(errorsOf("%x = arith.divsi %bx, %c0 : i32"),
             Contains("division by zero"));
}

TEST_CASE("interp errors: an external function that may write") {
  CHECK_THAT(errorsOf("tile.call_extern \"spin\"(%A) : "
                      "(memref<4xi32, $global>) -> ()"),
             Contains("external function 'spin'"));
}

TEST_CASE("interp: an external function that only reads is left out") {
  std::vector<int32_t> a = {1, 2, 3, 4};
  auto outcome = runKernel(oneBlock({"memref<4xi32, $global>"}, R"(
    %p = tile.access_ptr <r> %A[%c0] [4] : memref<4xi32, $global>
    tile.call_extern "spin"(%p) : (i64) -> ())"),
                           {tensor(a, {4})});
  CHECK(outcome.errors == "");
  CHECK(a == std::vector<int32_t>{1, 2, 3, 4});
}

TEST_CASE("interp errors: a loop without end is given up") {
  std::vector<int32_t> a(4);
  tlc::interp::InterpOptions options;
  options.maxSteps = 1000;
  auto outcome = runKernel(oneBlock({"memref<4xi32, $global>"}, R"(
    %true = arith.constant true
    scf.while : () -> () {
      scf.condition(%true)
    } do {
      scf.yield
    })"),
                           {tensor(a, {4})}, options);
  CHECK_FALSE(outcome.ok);
  CHECK_THAT(outcome.errors, Contains("gave up after 1000"));
}

static const char *kTwoSizes = R"(
tile.kernel @k params ["A", "B", "x"]
    shapes [affine_map<()[n] -> (n, n * 2)>, affine_map<()[n] -> (n)>,
            affine_map<()[n] -> ()>] symbols ["n"] {
^bb0(%A: memref<?x?xi32, $global>, %B: memref<?xi32, $global>, %x: i32,
     %n: i32):
})";

TEST_CASE("interp errors: arguments") {
  std::vector<int32_t> a(8), b(2);
  auto errors = [&](std::vector<tlc::interp::ArgValue> args) {
    auto outcome = runKernel(kTwoSizes, args);
    CHECK_FALSE(outcome.ok);
    return outcome.errors;
  };
  CHECK_THAT(errors({tensor(a, {2, 4})}), Contains("expected 3 arguments"));
  CHECK_THAT(errors({tensor(a, {2, 4}), tensor(b, {3}), int64_t(1)}),
             Contains("argument 'B': expected the shape (2,), got (3,)"));
  CHECK_THAT(errors({tensor(a, {2, 5}), tensor(b, {2}), int64_t(1)}),
             Contains("argument 'A': expected the shape (2, 4), got (2, 5)"));
  CHECK_THAT(errors({tensor(a, {2, 4}), tensor(b, {2}), tensor(b, {2})}),
             Contains("argument 'x': expected a number"));
  CHECK_THAT(errors({tensor(a, {2, 4}), int64_t(1), int64_t(1)}),
             Contains("argument 'B': expected a tensor"));
}
