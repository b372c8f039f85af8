// Host expressions: what folds, and what a value of a kernel's body becomes.
#include "compiler/target/cuda/Signature.h"
#include "test/support/Catch.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::cuda;

using K = SizeExpr::Kind;

/// Value for sizes M = 1000, N = 7.
static int64_t evaluate(const SizeExpr &e) {
  if (e.kind == K::Constant)
    return e.value;
  if (e.kind == K::Name)
    return e.name == "M" ? 1000 : 7;
  int64_t x = evaluate(e.operands[0]), y = evaluate(e.operands[1]);
  switch (e.kind) {
  case K::Add:
    return x + y;
  case K::Sub:
    return x - y;
  case K::Mul:
    return x * y;
  case K::FloorDiv:
    return x / y;
  case K::Mod:
    return x % y;
  case K::CeilDiv:
    return (x + y - 1) / y;
  case K::Min:
    return std::min(x, y);
  default:
    return std::max(x, y);
  }
}

TEST_CASE("signature: constants fold, neutral elements vanish", "[signature]") {
  SizeExpr m = SizeExpr::named("M");
  SizeExpr one = SizeExpr::constant(1), zero = SizeExpr::constant(0);
  SizeExpr ten = SizeExpr::constant(10), three = SizeExpr::constant(3);
  CHECK(SizeExpr::binary(K::CeilDiv, ten, three).value == 4);
  CHECK(SizeExpr::binary(K::Mod, ten, three).value == 1);
  CHECK(SizeExpr::binary(K::Mul, one, m).kind == K::Name);
  CHECK(SizeExpr::binary(K::FloorDiv, m, one).kind == K::Name);
  CHECK(SizeExpr::binary(K::Add, m, zero).kind == K::Name);
  CHECK(SizeExpr::binary(K::Add, m, one).operands.size() == 2);
  // Not a number: stays for the host to complain about.
  CHECK(SizeExpr::binary(K::FloorDiv, ten, zero).kind == K::FloorDiv);
}

static const char *const program = R"(
tile.kernel @k params [] shapes [] symbols ["M", "N"] {
^bb0(%m: i32, %n: i32):
  %c7 = arith.constant 7 : i32
  %c127 = arith.constant 127 : i32
  %a = arith.addi %m, %c127 : i32
  %tiles = arith.shrsi %a, %c7 : i32
  %p = arith.muli %n, %m : i32
  %b = arith.minsi %p, %c127 : i32
  sm.launch grid(%tiles, %b, %n) threads 32 program [32, 1, 1] shared 0 {
  ^bb1(%x: i32, %y: i32, %z: i32):
  }
}
)";

TEST_CASE("signature: grids are functions of sizes", "[signature]") {
  MLIRContext context;
  context.loadDialect<tile::TileDialect, sm::SmDialect, arith::ArithDialect>();
  auto module = parseSourceString<ModuleOp>(program, &context);
  REQUIRE(module);
  SmallVector<int64_t> values;
  module->walk([&](sm::LaunchOp launch) {
    for (Value extent : launch.getGrid()) {
      auto size = sizeExprOf(launch, extent);
      REQUIRE(succeeded(size));
      values.push_back(evaluate(*size));
    }
  });
  CHECK(values == SmallVector<int64_t>{8, 127, 7});
}
