// Conversions that are not on the hot path.
#include "compiler/interp/TileInterpElement.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"

#include <array>
#include <cmath>

using namespace mlir;
using namespace tlc::interp;

std::optional<Elem> tlc::interp::elemOf(Type type) {
  if (isa<IndexType>(type))
    return Elem::I64;
  if (auto integer = dyn_cast<IntegerType>(type)) {
    bool isUnsigned = integer.isUnsigned();
    switch (integer.getWidth()) {
    case 1:
      return Elem::Bool;
    case 8:
      return isUnsigned ? Elem::U8 : Elem::I8;
    case 16:
      return isUnsigned ? Elem::U16 : Elem::I16;
    case 32:
      return isUnsigned ? Elem::U32 : Elem::I32;
    case 64:
      return isUnsigned ? Elem::U64 : Elem::I64;
    }
    return std::nullopt;
  }
  if (type.isF16())
    return Elem::F16;
  if (type.isBF16())
    return Elem::BF16;
  if (type.isF32())
    return Elem::F32;
  if (type.isF64())
    return Elem::F64;
  if (isa<FloatTF32Type>(type))
    return Elem::TF32;
  if (isa<Float8E4M3FNType>(type))
    return Elem::E4M3;
  if (isa<Float8E5M2Type>(type))
    return Elem::E5M2;
  return std::nullopt;
}

unsigned tlc::interp::sizeOf(Elem elem) {
  switch (elem) {
  case Elem::Bool:
  case Elem::E4M3:
  case Elem::E5M2:
    return 1;
  case Elem::F16:
  case Elem::BF16:
    return 2;
  case Elem::F32:
  case Elem::TF32:
    return 4;
  case Elem::F64:
    return 8;
  default:
    return intBits(elem) / 8;
  }
}

float tlc::interp::roundToTf32(float f) {
  uint32_t u = std::bit_cast<uint32_t>(f);
  if ((u & 0x7f800000) == 0x7f800000)
    return f;
  return std::bit_cast<float>((u + 0xfff + ((u >> 13) & 1)) & ~0x1fffu);
}

static const llvm::fltSemantics &fp8Semantics(Elem elem) {
  return elem == Elem::E4M3 ? llvm::APFloat::Float8E4M3FN()
                            : llvm::APFloat::Float8E5M2();
}

static std::array<float, 256> makeFp8Table(Elem elem) {
  std::array<float, 256> table;
  for (unsigned i = 0; i < 256; ++i) {
    llvm::APFloat v(fp8Semantics(elem), llvm::APInt(8, i));
    table[i] = v.convertToFloat();
  }
  return table;
}

float tlc::interp::fp8ToFloat(uint8_t bits, Elem elem) {
  static const std::array<float, 256> e4m3 = makeFp8Table(Elem::E4M3);
  static const std::array<float, 256> e5m2 = makeFp8Table(Elem::E5M2);
  return elem == Elem::E4M3 ? e4m3[bits] : e5m2[bits];
}

uint8_t tlc::interp::floatToFp8(float f, Elem elem) {
  llvm::APFloat v(f);
  bool lost;
  v.convert(fp8Semantics(elem), llvm::APFloat::rmNearestTiesToEven, &lost);
  return static_cast<uint8_t>(v.bitcastToAPInt().getZExtValue());
}

float tlc::interp::doubleToFloatOdd(double d) {
  float f = static_cast<float>(d);
  if (std::isnan(d) || static_cast<double>(f) == d)
    return f;
  uint32_t u = std::bit_cast<uint32_t>(f);
  // Step back to the truncated value, then make it odd.
  if (std::fabs(static_cast<double>(f)) > std::fabs(d))
    --u;
  return std::bit_cast<float>(u | 1);
}

/// Truncates and saturates to an integer of `bits` bits.
static int64_t doubleToInt(double d, unsigned bits, bool asUnsigned) {
  if (std::isnan(d))
    return 0;
  if (asUnsigned) {
    double limit = std::ldexp(1.0, bits);
    uint64_t v = d <= 0 ? 0
                 : d >= limit
                     ? (bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1)
                     : static_cast<uint64_t>(d);
    return wrapInt(v, bits);
  }
  double limit = std::ldexp(1.0, bits - 1);
  if (d >= limit)
    return static_cast<int64_t>((uint64_t(1) << (bits - 1)) - 1);
  if (d < -limit)
    return -static_cast<int64_t>((uint64_t(1) << (bits - 1)) - 1) - 1;
  return static_cast<int64_t>(d);
}

static Cell intToFloat(int64_t v, bool asUnsigned, Elem to) {
  Cell r;
  r.i = 0;
  if (to == Elem::F64) {
    r.d = asUnsigned ? static_cast<double>(static_cast<uint64_t>(v))
                     : static_cast<double>(v);
  } else if (to == Elem::F32) {
    r.f = asUnsigned ? static_cast<float>(static_cast<uint64_t>(v))
                     : static_cast<float>(v);
  } else {
    double d = asUnsigned ? static_cast<double>(static_cast<uint64_t>(v))
                          : static_cast<double>(v);
    r.f = roundTo(to, doubleToFloatOdd(d));
  }
  return r;
}

Cell tlc::interp::convert(Cell c, Elem from, Elem to) {
  if (from == to)
    return c;
  Cell r;
  r.i = 0;
  if (!isFloat(from)) {
    int64_t v = isUnsigned(from)
                    ? static_cast<int64_t>(zeroExtend(c.i, intBits(from)))
                    : c.i;
    if (isFloat(to))
      return intToFloat(v, isUnsigned(from), to);
    r.i = to == Elem::Bool ? v != 0 : wrapInt(v, intBits(to));
    return r;
  }
  if (!isFloat(to)) {
    double d = from == Elem::F64 ? c.d : static_cast<double>(c.f);
    r.i =
        to == Elem::Bool ? d != 0 : doubleToInt(d, intBits(to), isUnsigned(to));
    return r;
  }
  if (from == Elem::F64)
    r.f = to == Elem::F32 ? static_cast<float>(c.d)
                          : roundTo(to, doubleToFloatOdd(c.d));
  else if (to == Elem::F64)
    r.d = c.f;
  else
    r.f = roundTo(to, c.f);
  return r;
}
