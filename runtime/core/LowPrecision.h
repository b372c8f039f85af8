// Conversions between float and the 16-bit and 8-bit float formats, rounding to
// nearest even; NaN stays NaN, signs are kept. fp8 follows the OCP formats:
// e5m2 has infinities; e4m3fn has none, and overflow becomes NaN.
#pragma once

#include <cstdint>

namespace tlc::rt {

std::uint16_t floatToHalf(float value);
float halfToFloat(std::uint16_t bits);
std::uint16_t floatToBFloat16(float value);
float bfloat16ToFloat(std::uint16_t bits);
std::uint8_t floatToE4M3(float value);
float e4m3ToFloat(std::uint8_t bits);
std::uint8_t floatToE5M2(float value);
float e5m2ToFloat(std::uint8_t bits);
/// `value` with its mantissa rounded to the 10 bits of tf32.
float roundToTF32(float value);

/// The same from double in one rounding (through float would round twice).
std::uint16_t doubleToHalf(double value);
std::uint16_t doubleToBFloat16(double value);
std::uint8_t doubleToE4M3(double value);
std::uint8_t doubleToE5M2(double value);

} // namespace tlc::rt
