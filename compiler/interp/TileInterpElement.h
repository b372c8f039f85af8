// Element types of the interpreter: how an element lies in memory, how its
// value lies in a cell, and the conversions between types.
//
// A cell holds integers sign-extended to 64 bits (i1 as 0 or 1), float64 as
// double and every other float as float, already rounded to its type.
// Narrowing rounds to nearest even; float to integer truncates and saturates,
// NaN becomes 0 (PTX ISA, cvt.rzi).
#pragma once

#include "mlir/IR/Types.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>

namespace tlc::interp {

enum class Elem : uint8_t {
  Bool,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64,
  F16,
  BF16,
  F32,
  TF32,
  F64,
  E4M3,
  E5M2,
};

/// The element of a buffer or scalar of this type; index is I64. Nothing for a
/// type that the interpreter does not know.
std::optional<Elem> elemOf(mlir::Type type);
/// Bytes of one element in memory.
unsigned sizeOf(Elem elem);
inline bool isFloat(Elem e) { return e >= Elem::F16; }
inline bool isUnsigned(Elem e) { return e >= Elem::U8 && e <= Elem::U64; }
/// Width of an integer value: 1 for Bool.
inline unsigned intBits(Elem e) {
  if (e == Elem::Bool)
    return 1;
  unsigned i = static_cast<unsigned>(e) - static_cast<unsigned>(Elem::I8);
  return 8u << (i & 3);
}

union Cell {
  int64_t i;
  double d;
  float f;
};

/// The canonical form of an integer of `bits` bits.
inline int64_t wrapInt(uint64_t v, unsigned bits) {
  if (bits == 1)
    return static_cast<int64_t>(v & 1);
  unsigned s = 64 - bits;
  return static_cast<int64_t>(v << s) >> s;
}
/// The value of a canonical integer read as unsigned.
inline uint64_t zeroExtend(int64_t v, unsigned bits) {
  return bits == 64 ? static_cast<uint64_t>(v)
                    : static_cast<uint64_t>(v) & ((uint64_t(1) << bits) - 1);
}

inline float bf16ToFloat(uint16_t h) {
  return std::bit_cast<float>(static_cast<uint32_t>(h) << 16);
}
inline uint16_t floatToBf16(float f) {
  uint32_t u = std::bit_cast<uint32_t>(f);
  if ((u & 0x7fffffff) > 0x7f800000)
    return static_cast<uint16_t>((u >> 16) | 0x40);
  return static_cast<uint16_t>((u + 0x7fff + ((u >> 16) & 1)) >> 16);
}
inline float f16ToFloat(uint16_t h) {
  uint32_t sign = static_cast<uint32_t>(h & 0x8000) << 16;
  uint32_t rest = static_cast<uint32_t>(h & 0x7fff) << 13;
  if (rest >= 0x0f800000) // infinity and NaN
    return std::bit_cast<float>(sign | rest | 0x70000000);
  // Scaling by 2^112 places the exponent and normalises subnormals.
  float f = std::bit_cast<float>(rest) * 0x1p112f;
  return std::bit_cast<float>(std::bit_cast<uint32_t>(f) | sign);
}
inline uint16_t floatToF16(float f) {
  uint32_t u = std::bit_cast<uint32_t>(f);
  uint16_t sign = static_cast<uint16_t>((u >> 16) & 0x8000);
  uint32_t a = u & 0x7fffffff;
  if (a > 0x7f800000)
    return sign | 0x7e00;
  if (a >= 0x477ff000) // 65520 and above
    return sign | 0x7c00;
  if (a < 0x38800000) { // below 2^-14: one unit is 2^-24
    float shifted = std::bit_cast<float>(a) + 0.5f;
    return sign |
           static_cast<uint16_t>(std::bit_cast<uint32_t>(shifted) - 0x3f000000);
  }
  uint32_t odd = (a >> 13) & 1;
  return sign | static_cast<uint16_t>((a - 0x38000000 + 0xfff + odd) >> 13);
}
/// Rounds to the 10 mantissa bits of tf32, to nearest even.
float roundToTf32(float f);
float fp8ToFloat(uint8_t bits, Elem elem);
uint8_t floatToFp8(float f, Elem elem);
/// The float nearest to `d` with the last bit set if inexact: narrowing it
/// further rounds once.
float doubleToFloatOdd(double d);

/// `f` rounded to a float type of at most 32 bits.
inline float roundTo(Elem e, float f) {
  switch (e) {
  case Elem::BF16:
    return bf16ToFloat(floatToBf16(f));
  case Elem::F16:
    return f16ToFloat(floatToF16(f));
  case Elem::TF32:
    return roundToTf32(f);
  case Elem::E4M3:
  case Elem::E5M2:
    return fp8ToFloat(floatToFp8(f, e), e);
  default:
    return f;
  }
}

template <typename T> inline T loadAs(const uint8_t *p) {
  T v;
  std::memcpy(&v, p, sizeof(T));
  return v;
}
template <typename T> inline void storeAs(uint8_t *p, T v) {
  std::memcpy(p, &v, sizeof(T));
}

inline Cell decode(Elem e, const uint8_t *p) {
  Cell c;
  c.i = 0;
  switch (e) {
  case Elem::Bool:
    c.i = *p != 0;
    break;
  case Elem::I8:
  case Elem::U8:
    c.i = wrapInt(*p, 8);
    break;
  case Elem::I16:
  case Elem::U16:
    c.i = loadAs<int16_t>(p);
    break;
  case Elem::I32:
  case Elem::U32:
    c.i = loadAs<int32_t>(p);
    break;
  case Elem::I64:
  case Elem::U64:
    c.i = loadAs<int64_t>(p);
    break;
  case Elem::F16:
    c.f = f16ToFloat(loadAs<uint16_t>(p));
    break;
  case Elem::BF16:
    c.f = bf16ToFloat(loadAs<uint16_t>(p));
    break;
  case Elem::F32:
  case Elem::TF32:
    c.f = loadAs<float>(p);
    break;
  case Elem::F64:
    c.d = loadAs<double>(p);
    break;
  case Elem::E4M3:
  case Elem::E5M2:
    c.f = fp8ToFloat(*p, e);
    break;
  }
  return c;
}

inline void encode(Elem e, uint8_t *p, Cell c) {
  switch (e) {
  case Elem::Bool:
    *p = c.i != 0;
    break;
  case Elem::I8:
  case Elem::U8:
    *p = static_cast<uint8_t>(c.i);
    break;
  case Elem::I16:
  case Elem::U16:
    storeAs(p, static_cast<uint16_t>(c.i));
    break;
  case Elem::I32:
  case Elem::U32:
    storeAs(p, static_cast<uint32_t>(c.i));
    break;
  case Elem::I64:
  case Elem::U64:
    storeAs(p, c.i);
    break;
  case Elem::F16:
    storeAs(p, floatToF16(c.f));
    break;
  case Elem::BF16:
    storeAs(p, floatToBf16(c.f));
    break;
  case Elem::F32:
    storeAs(p, c.f);
    break;
  case Elem::TF32:
    storeAs(p, roundToTf32(c.f));
    break;
  case Elem::F64:
    storeAs(p, c.d);
    break;
  case Elem::E4M3:
  case Elem::E5M2:
    *p = floatToFp8(c.f, e);
    break;
  }
}

/// Converts a value between element types, whose signedness counts: u8 200 to
/// float is 200, i8 -56 is -56.
Cell convert(Cell c, Elem from, Elem to);

} // namespace tlc::interp
