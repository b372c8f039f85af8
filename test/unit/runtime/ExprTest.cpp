#include "runtime/core/Expr.h"

#include "test/support/Catch.h"
#include "test/unit/runtime/ErrorText.h"

#include <cmath>
#include <limits>

using namespace tlc;
using namespace tlc::rt;
using tlc::test::errorText;

namespace {

const std::vector<std::string> kNames{"M", "N"};

std::int64_t evaluate(const Expr &expr, std::int64_t m = 0,
                      std::int64_t n = 0) {
  const std::int64_t values[] = {m, n};
  return ExprProgram(expr, kNames).evaluate(values);
}

} // namespace

TEST_CASE("expr: division and remainder floor for every sign", "[expr]") {
  for (std::int64_t a = -9; a <= 9; ++a)
    for (std::int64_t b = -4; b <= 4; ++b) {
      if (b == 0)
        continue;
      CAPTURE(a, b);
      double exact = double(a) / double(b);
      auto floored = std::int64_t(std::floor(exact));
      CHECK(evaluate({ExprOp::FloorDiv, "M", "N"}, a, b) == floored);
      CHECK(evaluate({ExprOp::Mod, "M", "N"}, a, b) == a - floored * b);
      CHECK(evaluate({ExprOp::CeilDiv, "M", "N"}, a, b) ==
            std::int64_t(std::ceil(exact)));
    }
}

TEST_CASE("expr: arithmetic nests", "[expr]") {
  // max(M * 2 - N, min(M, 7)) at M = 5, N = 3: max(7, 5)
  Expr expr(ExprOp::Max, {ExprOp::Sub, {ExprOp::Mul, "M", 2}, "N"},
            {ExprOp::Min, "M", 7});
  CHECK(evaluate(expr, 5, 3) == 7);
  CHECK(evaluate({ExprOp::Add, "M", {ExprOp::Add, "M", "N"}}, 5, 3) == 13);
  CHECK(ExprProgram(expr, kNames).usedSymbols() == std::vector<unsigned>{0, 1});
  CHECK(ExprProgram(4, kNames).isConstant());
  CHECK_FALSE(ExprProgram("M", kNames).isConstant());
}

TEST_CASE("expr: overflow and division by zero are errors", "[expr]") {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  using Catch::Contains;
  CHECK_THAT(errorText([] { evaluate({ExprOp::FloorDiv, "M", 0}, 3); }),
             Contains("divides 3 by zero"));
  CHECK_THAT(errorText([] { evaluate({ExprOp::Mod, "M", "N"}, 3, 0); }),
             Contains("divides 3 by zero"));
  for (ExprOp op : {ExprOp::Add, ExprOp::Mul})
    CHECK_THAT(errorText([&] { evaluate({op, "M", "M"}, kMax); }),
               Contains("does not fit into 64 bits"));
  CHECK_THAT(errorText([] { evaluate({ExprOp::Sub, "M", 1}, kMin); }),
             Contains("does not fit into 64 bits"));
  CHECK_THAT(errorText([] { evaluate({ExprOp::FloorDiv, "M", -1}, kMin); }),
             Contains("does not fit into 64 bits"));
  CHECK(evaluate({ExprOp::Mod, "M", -1}, kMin) == 0);
}

TEST_CASE("expr: unknown names are errors", "[expr]") {
  CHECK_THAT(errorText([] { ExprProgram("Q", kNames); }),
             Catch::Contains("'Q'"));
}

TEST_CASE("expr: text for messages", "[expr]") {
  CHECK(toString(Expr(ExprOp::Add, "batch", 1)) == "batch + 1");
  CHECK(toString(Expr(ExprOp::Add, "n", -2)) == "n - 2");
  CHECK(toString(Expr(ExprOp::CeilDiv, "N", 64)) == "ceildiv(N, 64)");
  CHECK(toString(Expr(ExprOp::Mul, {ExprOp::Sub, "M", 1}, "N")) ==
        "(M - 1) * N");
  CHECK(toString(Expr(ExprOp::FloorDiv, "N", 2)) == "N // 2");
}
