// Floor division and modulo against their definition, linear forms, intervals.
#include "compiler/frontend/elaborate/Linear.h"
#include "test/support/Catch.h"

#include <cmath>
#include <cstdint>

using namespace tlc::frontend;

TEST_CASE("linear: floor division and modulo follow the divisor's sign",
          "[linear]") {
  for (int64_t a = -20; a <= 20; ++a)
    for (int64_t b = -7; b <= 7; ++b) {
      if (b == 0)
        continue;
      int64_t quotient = std::floor(static_cast<double>(a) / b);
      CHECK(floorDiv(a, b) == quotient);
      CHECK(floorMod(a, b) == a - quotient * b);
    }
  CHECK(floorMod(INT64_MIN, -1) == 0);
}

TEST_CASE("linear: constants add up and overflow is unknown", "[linear]") {
  Linear three = Linear::ofConstant(3), four = Linear::ofConstant(4);
  CHECK(addScaled(three, four, -2)->constant == -5);
  CHECK(*constantDifference(four, three) == 1);
  CHECK_FALSE(addScaled(Linear::ofConstant(INT64_MAX), three, 1));
  CHECK_FALSE(scale(Linear::ofConstant(INT64_MAX), 2));
}

TEST_CASE("linear: intervals hold every result", "[linear]") {
  Interval a{-3, 5}, b{-2, 4};
  Interval sum = *add(a, b), difference = *sub(a, b), product = *mul(a, b);
  for (int64_t x = a.lo; x <= a.hi; ++x)
    for (int64_t y = b.lo; y <= b.hi; ++y) {
      CHECK((sum.lo <= x + y && x + y <= sum.hi));
      CHECK((difference.lo <= x - y && x - y <= difference.hi));
      CHECK((product.lo <= x * y && x * y <= product.hi));
    }
  for (int64_t d = 1; d <= 4; ++d)
    for (int64_t x = a.lo; x <= a.hi; ++x) {
      Interval quotient = floorDiv(a, d), rest = floorMod(a, d);
      CHECK((quotient.lo <= floorDiv(x, d) && floorDiv(x, d) <= quotient.hi));
      CHECK((rest.lo <= floorMod(x, d) && floorMod(x, d) <= rest.hi));
    }
  CHECK(floorMod(Interval{2, 5}, 8).lo == 2);
  CHECK_FALSE(mul(Interval{0, INT64_MAX}, Interval{0, 2}));
}
