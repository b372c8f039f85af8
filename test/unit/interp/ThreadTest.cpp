// Values that differ between threads.
#include "test/unit/interp/InterpTestSupport.h"

using namespace tlc::test;

TEST_CASE("interp threads: each has its own local array") {
  // Thread t sums t + k * t^2 for k < 3 in a private array, divergent in parts.
  std::vector<int32_t> out(64, -1);
  auto outcome = runKernel(oneBlock({"memref<64xi32, $global>"}, R"(
    %c1 = arith.constant 1 : i32
    %c3 = arith.constant 3 : i32
    %c32 = arith.constant 32 : i32
    %t = tile.thread_id <x>
    %l = tile.alloc "l" : memref<3xi32, $local>
    scf.for %k = %c0 to %c3 step %c1 : i32 {
      %q = arith.muli %t, %t : i32
      %kq = arith.muli %q, %k : i32
      %v = arith.addi %t, %kq : i32
      tile.store %v to %l[%k] : i32, memref<3xi32, $local>
    }
    %low = arith.cmpi slt, %t, %c32 : i32
    scf.if %low {
      tile.store %c0 to %l[%c0] : i32, memref<3xi32, $local>
    }
    %s = scf.for %k = %c0 to %c3 step %c1 iter_args(%a = %c0) -> (i32) : i32 {
      %v = tile.load %l[%k] : memref<3xi32, $local> -> i32
      %n = arith.addi %a, %v : i32
      scf.yield %n : i32
    }
    tile.store %s to %A[%t] : i32, memref<64xi32, $global>)",
                                    64),
                           {tensor(out, {64})});
  CHECK(outcome.errors == "");
  for (int t = 0; t < 64; ++t)
    CHECK(out[t] == 3 * t + 3 * t * t - (t < 32 ? t : 0));
}

TEST_CASE("interp threads: both arms of a split condition give a value") {
  std::vector<int32_t> out(8);
  auto outcome = runKernel(oneBlock({"memref<8xi32, $global>"}, R"(
    %c3 = arith.constant 3 : i32
    %t = tile.thread_id <x>
    %low = arith.cmpi slt, %t, %c3 : i32
    %v = scf.if %low -> i32 {
      scf.yield %c3 : i32
    } else {
      %d = arith.addi %t, %t : i32
      scf.yield %d : i32
    }
    tile.store %v to %A[%t] : i32, memref<8xi32, $global>)",
                                    8),
                           {tensor(out, {8})});
  REQUIRE(outcome.ok);
  CHECK(out == std::vector<int32_t>{3, 3, 3, 6, 8, 10, 12, 14});
}

TEST_CASE("interp threads: trip counts that differ") {
  std::vector<int32_t> out(5), steps(5);
  auto outcome = runKernel(
      oneBlock({"memref<5xi32, $global>", "memref<5xi32, $global>"}, R"(
    %c1 = arith.constant 1 : i32
    %c10 = arith.constant 10 : i32
    %t = tile.thread_id <x>
    %s = scf.for %k = %c0 to %t step %c1 iter_args(%a = %c0) -> (i32) : i32 {
      %n = arith.addi %a, %k : i32
      scf.yield %n : i32
    }
    tile.store %s to %A[%t] : i32, memref<5xi32, $global>
    %w = scf.while (%x = %t) : (i32) -> i32 {
      %go = arith.cmpi slt, %x, %c10 : i32
      scf.condition(%go) %x : i32
    } do {
    ^bb0(%x: i32):
      %d = arith.addi %x, %x : i32
      %n = arith.addi %d, %c1 : i32
      scf.yield %n : i32
    }
    tile.store %w to %B[%t] : i32, memref<5xi32, $global>)",
               5),
      {tensor(out, {5}), tensor(steps, {5})});
  CHECK(outcome.errors == "");
  CHECK(out == std::vector<int32_t>{0, 0, 1, 3, 6});
  CHECK(steps == std::vector<int32_t>{15, 15, 11, 15, 19});
}

TEST_CASE("interp threads: a uniform update of one element happens once") {
  std::vector<int32_t> out = {0};
  auto outcome = runKernel(oneBlock({"memref<1xi32, $global>"}, R"(
    %c1 = arith.constant 1 : i32
    %x = tile.load %A[%c0] : memref<1xi32, $global> -> i32
    %y = arith.addi %x, %c1 : i32
    tile.store %y to %A[%c0] : i32, memref<1xi32, $global>)"),
                           {tensor(out, {1})});
  REQUIRE(outcome.ok);
  CHECK(out[0] == 1);
}

TEST_CASE("interp threads: a uniform local may steer tile operations") {
  std::vector<int32_t> out = {0};
  auto outcome = runKernel(oneBlock({"memref<1xi32, $global>"}, R"(
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %f = tile.alloc "f" : memref<1xi32, $fragment>
    tile.fill %c0 to %f[%c0] [1] : i32, memref<1xi32, $fragment>
    %v = tile.alloc "v" : memref<1xi32, $local>
    tile.store %c0 to %v[%c0] : i32, memref<1xi32, $local>
    scf.while : () -> () {
      %x = tile.load %v[%c0] : memref<1xi32, $local> -> i32
      %go = arith.cmpi slt, %x, %c4 : i32
      scf.condition(%go)
    } do {
      %x = tile.load %v[%c0] : memref<1xi32, $local> -> i32
      tile.parallel [1] {
      ^bb0(%i: i32):
        %a = tile.load %f[%i] : memref<1xi32, $fragment> -> i32
        %b = arith.addi %a, %x : i32
        tile.store %b to %f[%i] : i32, memref<1xi32, $fragment>
      }
      %n = arith.addi %x, %c1 : i32
      tile.store %n to %v[%c0] : i32, memref<1xi32, $local>
      scf.yield
    }
    tile.copy %f[%c0] [1] to %A[%c0] [1]
      : memref<1xi32, $fragment>, memref<1xi32, $global>)"),
                           {tensor(out, {1})});
  CHECK(outcome.errors == "");
  CHECK(out[0] == 6);
}

TEST_CASE("interp threads: three-dimensional thread numbers") {
  std::vector<int32_t> out(24);
  std::string text = oneBlock({"memref<24xi32, $global>"}, R"(
    %c2 = arith.constant 2 : i32
    %c6 = arith.constant 6 : i32
    %c100 = arith.constant 100 : i32
    %c10 = arith.constant 10 : i32
    %x = tile.thread_id <x>
    %y = tile.thread_id <y>
    %z = tile.thread_id <z>
    %y2 = arith.muli %y, %c2 : i32
    %z6 = arith.muli %z, %c6 : i32
    %p = arith.addi %x, %y2 : i32
    %at = arith.addi %p, %z6 : i32
    %y10 = arith.muli %y, %c10 : i32
    %z100 = arith.muli %z, %c100 : i32
    %s = arith.addi %x, %y10 : i32
    %v = arith.addi %s, %z100 : i32
    tile.store %v to %A[%at] : i32, memref<24xi32, $global>)");
  text.replace(text.find("[128, 1, 1]"), 11, "[2, 3, 4]");
  auto outcome = runKernel(text, {tensor(out, {24})});
  CHECK(outcome.errors == "");
  for (int t = 0; t < 24; ++t)
    CHECK(out[t] == t % 2 + t / 2 % 3 * 10 + t / 6 * 100);
}
