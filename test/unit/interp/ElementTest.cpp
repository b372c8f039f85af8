// Conversions between element types against LLVM's soft floats.
#include "compiler/interp/TileInterpElement.h"
#include "test/support/Catch.h"

#include "llvm/ADT/APFloat.h"

#include <cmath>
#include <limits>
#include <vector>

using namespace tlc::interp;
using llvm::APFloat;

static uint32_t reference(float f, const llvm::fltSemantics &semantics) {
  APFloat v(f);
  bool lost;
  v.convert(semantics, APFloat::rmNearestTiesToEven, &lost);
  return static_cast<uint32_t>(v.bitcastToAPInt().getZExtValue());
}

/// Floats that sit on and around every rounding boundary of 16-bit formats.
static std::vector<float> interesting() {
  std::vector<float> values;
  for (uint32_t high = 0; high < 0x10000; high += 7)
    for (uint32_t low : {0u, 1u, 0x0fffu, 0x1000u, 0x1001u, 0x7fffu, 0x8000u,
                         0x8001u, 0xefffu, 0xf000u, 0xffffu})
      values.push_back(std::bit_cast<float>(high << 16 | low));
  return values;
}

TEST_CASE("interp elements: float to f16 and bf16 rounds to nearest even") {
  for (float f : interesting()) {
    if (std::isnan(f)) {
      CHECK(std::isnan(f16ToFloat(floatToF16(f))));
      CHECK(std::isnan(bf16ToFloat(floatToBf16(f))));
      continue;
    }
    if (floatToF16(f) != reference(f, APFloat::IEEEhalf()) ||
        floatToBf16(f) != reference(f, APFloat::BFloat()))
      FAIL("wrong for " << std::bit_cast<uint32_t>(f));
  }
}

TEST_CASE("interp elements: every f16 and bf16 widens exactly") {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    APFloat half(APFloat::IEEEhalf(), llvm::APInt(16, bits));
    APFloat brain(APFloat::BFloat(), llvm::APInt(16, bits));
    uint16_t h = static_cast<uint16_t>(bits);
    if (half.isNaN() != std::isnan(f16ToFloat(h)) ||
        brain.isNaN() != std::isnan(bf16ToFloat(h)))
      FAIL("NaN is lost for " << bits);
    if ((!half.isNaN() && f16ToFloat(h) != half.convertToFloat()) ||
        (!brain.isNaN() && bf16ToFloat(h) != brain.convertToFloat()))
      FAIL("wrong for " << bits);
  }
}

TEST_CASE("interp elements: fp8 values and overflow") {
  CHECK(fp8ToFloat(0x7e, Elem::E4M3) == 448);
  CHECK(std::isnan(fp8ToFloat(0x7f, Elem::E4M3)));
  CHECK(fp8ToFloat(0x01, Elem::E4M3) == 0x1p-9f);
  CHECK(fp8ToFloat(0x7b, Elem::E5M2) == 57344);
  CHECK(floatToFp8(1.0f, Elem::E4M3) == 0x38);
  CHECK(floatToFp8(-1.0f, Elem::E5M2) == 0xbc);
}

TEST_CASE("interp elements: tf32 keeps ten bits") {
  CHECK(roundToTf32(1.0f + 0x1p-10f) == 1.0f + 0x1p-10f);
  CHECK(roundToTf32(1.0f + 0x1p-11f) == 1.0f);
  CHECK(roundToTf32(1.0f + 3 * 0x1p-11f) == 1.0f + 0x1p-9f);
}

static Cell ofInt(int64_t i) {
  Cell c;
  c.i = i;
  return c;
}
static Cell ofFloat(float f) {
  Cell c;
  c.i = 0;
  c.f = f;
  return c;
}
static Cell ofDouble(double d) {
  Cell c;
  c.d = d;
  return c;
}

TEST_CASE("interp elements: integers and floats convert as the hardware does") {
  CHECK(convert(ofFloat(-3.9f), Elem::F32, Elem::I32).i == -3);
  CHECK(convert(ofFloat(1e10f), Elem::F32, Elem::I32).i == 2147483647);
  CHECK(convert(ofFloat(-1e10f), Elem::F32, Elem::I32).i == -2147483648LL);
  CHECK(convert(ofFloat(300.0f), Elem::F32, Elem::U8).i == -1); // 255
  CHECK(convert(ofFloat(-1.0f), Elem::F32, Elem::U8).i == 0);
  CHECK(convert(ofFloat(std::nanf("")), Elem::F32, Elem::I32).i == 0);
  CHECK(convert(ofFloat(0.5f), Elem::F32, Elem::Bool).i == 1);
  CHECK(convert(ofInt(-56), Elem::U8, Elem::F32).f == 200);
  CHECK(convert(ofInt(-56), Elem::I8, Elem::F32).f == -56);
  CHECK(convert(ofInt(-56), Elem::U8, Elem::I32).i == 200);
  CHECK(convert(ofInt(1), Elem::Bool, Elem::BF16).f == 1);
}

TEST_CASE("interp elements: float64 narrows in one rounding") {
  // Through float32 this would become the tie 1 + 2^-8, and then 1.
  double d = 1.0 + 0x1p-8 + 0x1p-40;
  CHECK(convert(ofDouble(d), Elem::F64, Elem::BF16).f == 1.0f + 0x1p-7f);
  CHECK(convert(ofDouble(1.0 + 0x1p-8), Elem::F64, Elem::BF16).f == 1.0f);
  CHECK(convert(ofDouble(-1e300), Elem::F64, Elem::F16).f ==
        -std::numeric_limits<float>::infinity());
}
