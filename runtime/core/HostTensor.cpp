#include "runtime/core/HostTensor.h"

#include "runtime/core/LowPrecision.h"
#include "tlc/Error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace tlc::rt {
namespace {

template <class T> T saturate(double value) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value);
  } else {
    if (std::isnan(value))
      return 0;
    if (value <= static_cast<double>(std::numeric_limits<T>::min()))
      return std::numeric_limits<T>::min();
    if (value >= static_cast<double>(std::numeric_limits<T>::max()))
      return std::numeric_limits<T>::max();
    return static_cast<T>(value);
  }
}

/// splitmix64 (Steele, Lea, Flood 2014): element i of a stream without keeping
/// state, the same on every machine.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// In (0, 1), never 0, so that its logarithm exists.
double unit(std::uint64_t random) {
  return (static_cast<double>(random >> 11) + 0.5) * 0x1p-53;
}

bool isFloat(DType dtype) { return dtype >= DType::Float16; }

} // namespace

HostTensor::HostTensor(DType dtype, const Dims &shape)
    : elementType(dtype), extents(shape), count(1) {
  for (std::int64_t extent : shape) {
    if (extent < 0)
      throw Error(ErrorCode::InvalidArgument,
                  fmt::format("a tensor extent is negative: {}", extent));
    if (__builtin_mul_overflow(count, extent, &count) ||
        count > std::numeric_limits<std::int64_t>::max() / 8)
      throw Error(ErrorCode::InvalidArgument,
                  "a tensor has more elements than memory can hold");
  }
  storage.resize(static_cast<std::size_t>(count) * tlc::bytes(dtype));
}

double HostTensor::get(std::int64_t i) const {
  switch (elementType) {
  case DType::Bool:
  case DType::UInt8:
    return as<std::uint8_t>()[i];
  case DType::Int8:
    return as<std::int8_t>()[i];
  case DType::Int16:
    return as<std::int16_t>()[i];
  case DType::Int32:
    return as<std::int32_t>()[i];
  case DType::Int64:
    return static_cast<double>(as<std::int64_t>()[i]);
  case DType::UInt16:
    return as<std::uint16_t>()[i];
  case DType::UInt32:
    return as<std::uint32_t>()[i];
  case DType::UInt64:
    return static_cast<double>(as<std::uint64_t>()[i]);
  case DType::Float16:
    return halfToFloat(as<std::uint16_t>()[i]);
  case DType::Float32:
  case DType::TFloat32:
    return as<float>()[i];
  case DType::Float64:
    return as<double>()[i];
  case DType::BFloat16:
    return bfloat16ToFloat(as<std::uint16_t>()[i]);
  case DType::Float8E4M3FN:
    return e4m3ToFloat(as<std::uint8_t>()[i]);
  case DType::Float8E5M2:
    return e5m2ToFloat(as<std::uint8_t>()[i]);
  }
  return 0;
}

void HostTensor::set(std::int64_t i, double value) {
  switch (elementType) {
  case DType::Bool:
    as<std::uint8_t>()[i] = value != 0;
    return;
  case DType::Int8:
    as<std::int8_t>()[i] = saturate<std::int8_t>(value);
    return;
  case DType::Int16:
    as<std::int16_t>()[i] = saturate<std::int16_t>(value);
    return;
  case DType::Int32:
    as<std::int32_t>()[i] = saturate<std::int32_t>(value);
    return;
  case DType::Int64:
    as<std::int64_t>()[i] = saturate<std::int64_t>(value);
    return;
  case DType::UInt8:
    as<std::uint8_t>()[i] = saturate<std::uint8_t>(value);
    return;
  case DType::UInt16:
    as<std::uint16_t>()[i] = saturate<std::uint16_t>(value);
    return;
  case DType::UInt32:
    as<std::uint32_t>()[i] = saturate<std::uint32_t>(value);
    return;
  case DType::UInt64:
    as<std::uint64_t>()[i] = saturate<std::uint64_t>(value);
    return;
  case DType::Float16:
    as<std::uint16_t>()[i] = doubleToHalf(value);
    return;
  case DType::Float32:
  case DType::TFloat32:
    as<float>()[i] = static_cast<float>(value);
    return;
  case DType::Float64:
    as<double>()[i] = value;
    return;
  case DType::BFloat16:
    as<std::uint16_t>()[i] = doubleToBFloat16(value);
    return;
  case DType::Float8E4M3FN:
    as<std::uint8_t>()[i] = doubleToE4M3(value);
    return;
  case DType::Float8E5M2:
    as<std::uint8_t>()[i] = doubleToE5M2(value);
    return;
  }
}

Tensor HostTensor::view() {
  Tensor tensor;
  tensor.data = storage.data();
  tensor.dtype = elementType;
  tensor.shape = extents;
  tensor.device = DeviceKind::Host;
  return tensor;
}

namespace {

/// Pairs of independent N(0, 1) numbers (Box and Muller).
void fillNormal(HostTensor &tensor, std::uint64_t stream) {
  constexpr double kTwoPi = 6.283185307179586;
  for (std::int64_t i = 0; i < tensor.elements(); i += 2) {
    double radius = std::sqrt(-2 * std::log(unit(mix(stream + i))));
    double angle = kTwoPi * unit(mix(stream + i + 1));
    tensor.set(i, radius * std::cos(angle));
    if (i + 1 < tensor.elements())
      tensor.set(i + 1, radius * std::sin(angle));
  }
}

} // namespace

void fillRandom(HostTensor &tensor, std::uint64_t seed) {
  std::uint64_t stream = mix(seed);
  DType dtype = tensor.dtype();
  if (isFloat(dtype))
    return fillNormal(tensor, stream);
  bool isUnsigned = dtype >= DType::UInt8 && dtype <= DType::UInt64;
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    std::uint64_t random = mix(stream + i);
    if (dtype == DType::Bool)
      tensor.set(i, double(random >> 63));
    else if (isUnsigned)
      tensor.set(i, double(random % 9));
    else
      tensor.set(i, double(random % 17) - 8);
  }
}

void fillZeros(HostTensor &tensor) {
  std::ranges::fill(tensor.bytes(), std::byte{0});
}

void fillIota(HostTensor &tensor) {
  DType dtype = tensor.dtype();
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    if (isFloat(dtype) || dtype == DType::Bool) {
      tensor.set(i, double(i));
      continue;
    }
    // Little-endian storage: the low bytes are the value modulo the width.
    unsigned width = tlc::bytes(dtype);
    const auto *value = reinterpret_cast<const std::byte *>(&i);
    std::copy_n(value, width, tensor.bytes().data() + i * width);
  }
}

} // namespace tlc::rt
