// Divisibility of coordinates, sizes and vectors, on parsed programs.
#include "compiler/analysis/KnownDivisors.h"
#include "dialects/tile/Tile.h"
#include "test/support/Catch.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace tlc::analysis;

namespace {
/// A kernel over X: (n, 8 * n, 36), Y: (8, n), and a body that stores.
struct Program {
  MLIRContext context;
  OwningOpRef<ModuleOp> module;

  explicit Program(const std::string &body) {
    context.loadDialect<tlc::tile::TileDialect, arith::ArithDialect,
                        scf::SCFDialect>();
    module =
        parseSourceString<ModuleOp>(
            R"mlir(
tile.kernel @k params ["X", "Y"] shapes [affine_map<()[n] -> (n, n * 8, 36)>,
    affine_map<()[n] -> (8, n)>]
    symbols ["n"] {
^bb0(%X: memref<?x?x36xf16, #tile.space<global>>,
     %Y: memref<8x?xf16, #tile.space<global>>, %n: i32):
  tile.launch grid(%n) threads [32, 1, 1] {
  ^bb0(%b: i32):
    %c0 = arith.constant 0 : i32
    %c12 = arith.constant 12 : i32
    %c64 = arith.constant 64 : i32
    %one = arith.constant 1.0 : f16
)mlir" + body + "}\n}",
            &context);
    REQUIRE(module);
  }
  tlc::tile::StoreOp store() {
    tlc::tile::StoreOp found;
    module->walk([&](tlc::tile::StoreOp op) { found = op; });
    REQUIRE(found);
    return found;
  }
  /// The divisor of the last index of the store.
  int64_t divisor() { return knownDivisor(store().getIndices().back()); }
};

std::string storeAt(const std::string &index) {
  return "tile.store %one to %X[%b, %b, " + index +
         "] : f16, memref<?x?x36xf16, #tile.space<global>>\n";
}
} // namespace

TEST_CASE("known divisors: products, sums, shifts", "[known-divisors]") {
  CHECK(Program(storeAt("%b")).divisor() == 1);
  CHECK(Program(storeAt("%c12")).divisor() == 12);
  CHECK(Program(storeAt("%c0")).divisor() == kDividesZero);
  CHECK(Program("%i = arith.muli %b, %c64 : i32\n" + storeAt("%i")).divisor() ==
        64);
  CHECK(Program("%i = arith.muli %b, %c64 : i32\n"
                "%j = arith.addi %i, %c12 : i32\n" +
                storeAt("%j"))
            .divisor() == 4);
  CHECK(Program("%i = arith.shli %b, %c12 : i32\n" + storeAt("%i")).divisor() ==
        4096);
  // An excessive shift says nothing.
  CHECK(Program("%i = arith.shli %b, %c64 : i32\n" + storeAt("%i")).divisor() ==
        1);
}

TEST_CASE("known divisors: loop variables", "[known-divisors]") {
  CHECK(Program("scf.for %i = %c64 to %n step %c12 : i32 {\n" + storeAt("%i") +
                "}\n")
            .divisor() == 4);
}

TEST_CASE("known divisors: sizes of parameters", "[known-divisors]") {
  Program program(storeAt("%b"));
  Value x = program.store().getBuffer();
  CHECK(knownExtentDivisor(x, 0) == 1);
  CHECK(knownExtentDivisor(x, 1) == 8);
  CHECK(knownExtentDivisor(x, 2) == 36);
  CHECK(knownStrideDivisor(x, 2) == 1);
  CHECK(knownStrideDivisor(x, 1) == 36);
  CHECK(knownStrideDivisor(x, 0) == 288);
}

TEST_CASE("known divisors: a vector stays in its row", "[known-divisors]") {
  auto width = [](const std::string &index) {
    Program program(index);
    auto store = program.store();
    return possibleVectorElements(store.getBuffer(), store.getIndices());
  };
  // Rows of 36 elements: 4 of them at any multiple of 4.
  CHECK(width(storeAt("%c0")) == 4);
  CHECK(width(storeAt("%c64")) == 4);
  CHECK(width(storeAt("%b")) == 1);
  // Rows whose length is known at launch: what the start allows.
  const std::string inY = "] : f16, memref<8x?xf16, #tile.space<global>>\n";
  CHECK(width("tile.store %one to %Y[%b, %c64" + inY) == 64);
  CHECK(width("tile.store %one to %Y[%b, %c12" + inY) == 4);
  CHECK(width("tile.store %one to %Y[%c0, %b" + inY) == 1);
}
