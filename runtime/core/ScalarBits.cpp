// Numbers from the host as the bits a kernel parameter of a dtype takes.
#include "runtime/core/Binding.h"
#include "runtime/core/LowPrecision.h"
#include "tlc/Error.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>

namespace tlc::rt {
namespace {

std::uint64_t floatBits(double value, DType dtype) {
  switch (dtype) {
  case DType::Float16:
    return doubleToHalf(value);
  case DType::BFloat16:
    return doubleToBFloat16(value);
  case DType::Float8E4M3FN:
    return doubleToE4M3(value);
  case DType::Float8E5M2:
    return doubleToE5M2(value);
  case DType::Float64:
    return std::bit_cast<std::uint64_t>(value);
  default:
    return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  }
}

bool fits(std::int64_t value, DType dtype) {
  unsigned width = bits(dtype);
  bool isUnsigned = dtype >= DType::UInt8 && dtype <= DType::UInt64;
  if (width == 64) // a C++ uint64 beyond int64 arrives wrapped
    return true;
  if (isUnsigned)
    return value >= 0 && value < (std::int64_t{1} << width);
  std::int64_t limit = std::int64_t{1} << (width - 1);
  return value >= -limit && value < limit;
}

} // namespace

std::uint64_t scalarBits(const Argument &argument, DType dtype,
                         const std::string &kernel, const std::string &param) {
  auto fail = [&](const std::string &text) {
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("kernel {} input {} {}", kernel, param, text));
  };
  if (argument.kind() == Argument::Kind::Tensor)
    fail(fmt::format("expected a number ({}), but got a tensor", name(dtype)));
  if (argument.kind() == Argument::Kind::None)
    fail(fmt::format("expected a number ({}), but got None", name(dtype)));
  bool isReal = argument.kind() == Argument::Kind::Float;
  if (dtype >= DType::Float16)
    return floatBits(isReal ? argument.asFloat() : double(argument.asInteger()),
                     dtype);

  std::int64_t value = argument.asInteger();
  if (isReal) {
    double real = argument.asFloat();
    if (dtype == DType::Bool)
      return real != 0;
    if (!(std::fabs(real) < 0x1p63) || real != std::trunc(real))
      fail(fmt::format("expected {}, but got {}, which is not a whole number",
                       name(dtype), real));
    value = static_cast<std::int64_t>(real);
  }
  if (dtype == DType::Bool)
    return value != 0;
  if (!fits(value, dtype))
    fail(fmt::format("expected {}, but got {}, which does not fit", name(dtype),
                     value));
  return static_cast<std::uint64_t>(value);
}

} // namespace tlc::rt
