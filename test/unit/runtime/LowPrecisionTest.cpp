// Every value of each small format against the definition of the format, and
// every rounding boundary between neighbours.
#include "runtime/core/LowPrecision.h"

#include "test/support/Catch.h"

#include <bit>
#include <cmath>
#include <functional>
#include <limits>

using namespace tlc::rt;

namespace {

struct FormatCase {
  const char *name;
  int exponentBits, mantissaBits, bias;
  bool hasInfinity;
  std::function<float(std::uint32_t)> decode;
  std::function<std::uint32_t(double)> encodeDouble;
  std::function<std::uint32_t(float)> encodeFloat;
};

const FormatCase kFormats[] = {
    {"float16", 5, 10, 15, true, halfToFloat, doubleToHalf, floatToHalf},
    {"bfloat16", 8, 7, 127, true, bfloat16ToFloat, doubleToBFloat16,
     floatToBFloat16},
    {"e4m3", 4, 3, 7, false, e4m3ToFloat, doubleToE4M3, floatToE4M3},
    {"e5m2", 5, 2, 15, true, e5m2ToFloat, doubleToE5M2, floatToE5M2},
};

std::uint32_t signOf(const FormatCase &f) {
  return 1u << (f.exponentBits + f.mantissaBits);
}

/// The first positive pattern that is not a finite number.
std::uint32_t firstSpecial(const FormatCase &f) {
  return f.hasInfinity ? ((1u << f.exponentBits) - 1) << f.mantissaBits
                       : signOf(f) - 1;
}

/// The value of a finite positive pattern by the definition of the format.
double definition(const FormatCase &f, std::uint32_t bits) {
  std::uint32_t exponent = bits >> f.mantissaBits;
  double fraction = double(bits & ((1u << f.mantissaBits) - 1)) /
                    double(1u << f.mantissaBits);
  if (exponent == 0)
    return fraction * std::pow(2.0, 1 - f.bias);
  return (1 + fraction) * std::pow(2.0, int(exponent) - f.bias);
}

} // namespace

TEST_CASE("fp: every pattern decodes to its definition and back", "[fp]") {
  for (const FormatCase &f : kFormats) {
    CAPTURE(f.name);
    bool allEqual = true;
    for (std::uint32_t bits = 0; bits < firstSpecial(f); ++bits) {
      double value = definition(f, bits);
      allEqual &= f.decode(bits) == value;
      allEqual &= f.decode(bits | signOf(f)) == -value;
      allEqual &= f.encodeDouble(value) == bits;
      allEqual &= f.encodeDouble(-value) == (bits | signOf(f));
      allEqual &= f.encodeFloat(float(value)) == bits;
    }
    CHECK(allEqual);
    CHECK(std::signbit(f.decode(signOf(f))));
  }
}

TEST_CASE("fp: halfway values go to even, others to the nearest", "[fp]") {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  for (const FormatCase &f : kFormats) {
    CAPTURE(f.name);
    bool allEqual = true;
    for (std::uint32_t low = 0; low + 1 < firstSpecial(f); ++low) {
      double middle = (definition(f, low) + definition(f, low + 1)) / 2;
      std::uint32_t even = low % 2 == 0 ? low : low + 1;
      allEqual &= f.encodeDouble(middle) == even;
      allEqual &= f.encodeDouble(std::nextafter(middle, 0)) == low;
      allEqual &= f.encodeDouble(std::nextafter(middle, kInf)) == low + 1;
      allEqual &= f.encodeDouble(-middle) == (even | signOf(f));
      // A halfway value has one more bit: it is a float, too.
      auto asFloat = float(middle);
      if (double(asFloat) != middle)
        continue;
      allEqual &= f.encodeFloat(asFloat) == even;
      allEqual &= f.encodeFloat(std::nextafter(asFloat, HUGE_VALF)) == low + 1;
    }
    CHECK(allEqual);
  }
}

TEST_CASE("fp: beyond the largest value", "[fp]") {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  CHECK(doubleToHalf(65519.99) == 0x7bff);
  CHECK(doubleToHalf(65520) == 0x7c00); // halfway to 2^16, which is even
  CHECK(doubleToHalf(-1e300) == 0xfc00);
  CHECK(floatToBFloat16(std::numeric_limits<float>::max()) == 0x7f80);
  CHECK(doubleToBFloat16(1e300) == 0x7f80);
  CHECK(doubleToE5M2(57344) == 0x7b);
  CHECK(doubleToE5M2(61440) == 0x7c);
  // e4m3fn has no infinity: the largest is 448, 464 is halfway to NaN's place.
  CHECK(doubleToE4M3(448) == 0x7e);
  CHECK(doubleToE4M3(464) == 0x7e);
  CHECK(doubleToE4M3(464.001) == 0x7f);
  CHECK(doubleToE4M3(-kInf) == 0xff);
  CHECK(doubleToHalf(kInf) == 0x7c00);
  CHECK(doubleToBFloat16(-kInf) == 0xff80);
}

TEST_CASE("fp: specials and tiny values", "[fp]") {
  for (const FormatCase &f : kFormats) {
    CAPTURE(f.name);
    for (std::uint32_t bits = firstSpecial(f); bits < signOf(f); ++bits) {
      bool isInfinity = f.hasInfinity && bits == firstSpecial(f);
      if (isInfinity)
        CHECK(std::isinf(f.decode(bits)));
      else if (!std::isnan(f.decode(bits)))
        FAIL("pattern " << bits << " is no NaN");
    }
    CHECK(std::isnan(f.decode(f.encodeDouble(NAN))));
    CHECK(std::isnan(f.decode(f.encodeFloat(NAN))));
    CHECK(f.encodeDouble(std::numeric_limits<double>::denorm_min()) == 0);
    CHECK(f.encodeDouble(-1e-300) == signOf(f));
    double smallest = definition(f, 1);
    CHECK(f.encodeDouble(smallest / 2) == 0);
    CHECK(f.encodeDouble(std::nextafter(smallest / 2, 1)) == 1);
  }
  // A NaN whose payload lies only in the bits that are cut off stays a NaN.
  CHECK(std::isnan(
      bfloat16ToFloat(floatToBFloat16(std::bit_cast<float>(0x7f800001u)))));
}

TEST_CASE("fp: tf32 keeps ten bits of mantissa", "[fp]") {
  auto bits = [](std::uint32_t pattern) {
    return std::bit_cast<float>(pattern);
  };
  CHECK(roundToTF32(bits(0x3f800fff)) == bits(0x3f800000));
  CHECK(roundToTF32(bits(0x3f801000)) == bits(0x3f800000)); // tie, even
  CHECK(roundToTF32(bits(0x3f803000)) == bits(0x3f804000)); // tie, even
  CHECK(roundToTF32(bits(0x3f801001)) == bits(0x3f802000));
  CHECK(roundToTF32(-0.0f) == 0.0f);
  CHECK(std::isnan(roundToTF32(NAN)));
}
