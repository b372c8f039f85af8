// The arithmetic of a matrix product: operands are exact except for tf32,
// accumulation is in float, double or modulo 2^32. Private to the library.
#pragma once

#include "compiler/interp/TileInterpElement.h"

#include <type_traits>

namespace tlc::interp {

/// The value of an element as an operand of a product that accumulates in T.
template <typename T> T operand(Elem elem, const uint8_t *p) {
  Cell c = decode(elem, p);
  if constexpr (std::is_same_v<T, float>) {
    // The tensor core does not look at the low 13 bits of a tf32 operand.
    if (elem == Elem::F32 || elem == Elem::TF32)
      return std::bit_cast<float>(std::bit_cast<uint32_t>(c.f) & ~0x1fffu);
    return elem == Elem::F64 ? static_cast<float>(c.d) : c.f;
  } else if constexpr (std::is_same_v<T, double>) {
    return elem == Elem::F64 ? c.d : c.f;
  } else {
    return static_cast<T>(isUnsigned(elem) ? zeroExtend(c.i, intBits(elem))
                                           : static_cast<uint64_t>(c.i));
  }
}

/// Of an accumulator.
template <typename T> T fromCell(Elem elem, Cell c) {
  if constexpr (std::is_floating_point_v<T>)
    return elem == Elem::F64 ? static_cast<T>(c.d) : static_cast<T>(c.f);
  else
    return static_cast<T>(c.i);
}
template <typename T> Cell toCell(Elem elem, T v) {
  Cell c;
  c.i = 0;
  if constexpr (std::is_same_v<T, double>)
    c.d = v;
  else if constexpr (std::is_same_v<T, float>)
    c.f = v;
  else
    c.i = wrapInt(v, intBits(elem));
  return c;
}

} // namespace tlc::interp
