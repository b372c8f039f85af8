#include "runtime/core/LowPrecision.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tlc::rt {
namespace {

/// A small float format: `mantissa` stored bits, `exponent` bits with bias
/// `bias`. Without infinities the top exponent holds numbers, except that all
/// ones is NaN.
struct Format {
  unsigned exponent;
  unsigned mantissa;
  int bias;
  bool hasInfinity;

  std::uint32_t exponentMask() const { return (1u << exponent) - 1; }
  std::uint32_t mantissaMask() const { return (1u << mantissa) - 1; }
  std::uint32_t signBit() const { return 1u << (exponent + mantissa); }
  std::uint32_t infinity() const { return exponentMask() << mantissa; }
  std::uint32_t nan() const {
    return infinity() | (hasInfinity ? 1u << (mantissa - 1) : mantissaMask());
  }
  // What a finite value beyond the range becomes.
  std::uint32_t overflow() const { return hasInfinity ? infinity() : nan(); }
};

constexpr Format kHalf{5, 10, 15, true};
constexpr Format kBFloat16{8, 7, 127, true};
constexpr Format kE4M3{4, 3, 7, false};
constexpr Format kE5M2{5, 2, 15, true};

constexpr unsigned kDoubleMantissa = 52;
constexpr int kDoubleBias = 1023;
constexpr std::uint64_t kDoubleOne = std::uint64_t{1} << kDoubleMantissa;

/// value / 2^shift, rounded to nearest even.
std::uint64_t roundedShift(std::uint64_t value, unsigned shift) {
  std::uint64_t half = std::uint64_t{1} << (shift - 1);
  std::uint64_t rest = value & (2 * half - 1);
  std::uint64_t quotient = value >> shift;
  return quotient + (rest > half || (rest == half && (quotient & 1)));
}

std::uint32_t encode(double value, const Format &format) {
  std::uint32_t sign = std::signbit(value) ? format.signBit() : 0;
  if (std::isnan(value))
    return sign | format.nan();
  double magnitude = std::fabs(value);
  if (std::isinf(magnitude))
    return sign | format.overflow();
  if (magnitude == 0)
    return sign;

  // One unit in the last place is 2^(exponent - mantissa); below the smallest
  // normal exponent the unit stops shrinking.
  auto pattern = std::bit_cast<std::uint64_t>(magnitude);
  int exponent = static_cast<int>(pattern >> kDoubleMantissa) - kDoubleBias;
  int smallest = 1 - format.bias;
  unsigned shift = kDoubleMantissa - format.mantissa;
  if (exponent < smallest)
    shift += std::min(smallest - exponent, 63 - int(shift));
  std::uint64_t significand = (pattern & (kDoubleOne - 1)) | kDoubleOne;
  std::uint64_t units = roundedShift(significand, shift);
  // A normal number has its leading one at bit `mantissa`; rounding up to the
  // next power of two carries into the exponent by plain addition, and a
  // subnormal has biased exponent 0.
  std::uint64_t biased = std::max(exponent - smallest, 0);
  std::uint64_t bits = (biased << format.mantissa) + units;
  std::uint64_t limit = format.hasInfinity ? format.infinity() : format.nan();
  return sign |
         static_cast<std::uint32_t>(bits >= limit ? format.overflow() : bits);
}

float decode(std::uint32_t bits, const Format &format) {
  float sign = (bits & format.signBit()) ? -1.0f : 1.0f;
  std::uint32_t exponent = (bits >> format.mantissa) & format.exponentMask();
  std::uint32_t mantissa = bits & format.mantissaMask();
  bool special = exponent == format.exponentMask();
  if (special && format.hasInfinity)
    return mantissa == 0 ? sign * HUGE_VALF : std::copysign(NAN, sign);
  if (special && mantissa == format.mantissaMask())
    return std::copysign(NAN, sign);
  int scale = 1 - format.bias - int(format.mantissa);
  if (exponent == 0)
    return sign * std::scalbn(float(mantissa), scale);
  std::uint32_t significand = mantissa | (1u << format.mantissa);
  return sign * std::scalbn(float(significand), scale + int(exponent) - 1);
}

} // namespace

std::uint16_t doubleToHalf(double value) { return encode(value, kHalf); }
std::uint16_t doubleToBFloat16(double value) {
  return encode(value, kBFloat16);
}
std::uint8_t doubleToE4M3(double value) { return encode(value, kE4M3); }
std::uint8_t doubleToE5M2(double value) { return encode(value, kE5M2); }

std::uint16_t floatToHalf(float value) { return encode(value, kHalf); }
std::uint8_t floatToE4M3(float value) { return encode(value, kE4M3); }
std::uint8_t floatToE5M2(float value) { return encode(value, kE5M2); }
float halfToFloat(std::uint16_t bits) { return decode(bits, kHalf); }
float e4m3ToFloat(std::uint8_t bits) { return decode(bits, kE4M3); }
float e5m2ToFloat(std::uint8_t bits) { return decode(bits, kE5M2); }

// bfloat16 is the upper half of a float, so these two need no scaling.
std::uint16_t floatToBFloat16(float value) {
  auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value))
    return static_cast<std::uint16_t>((bits >> 16) | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

float bfloat16ToFloat(std::uint16_t bits) {
  return std::bit_cast<float>(std::uint32_t(bits) << 16);
}

float roundToTF32(float value) {
  auto bits = std::bit_cast<std::uint32_t>(value);
  if (!std::isfinite(value))
    return value;
  bits += 0xfff + ((bits >> 13) & 1);
  return std::bit_cast<float>(bits & ~0x1fffu);
}

} // namespace tlc::rt
