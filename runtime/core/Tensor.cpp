#include "tlc/Tensor.h"

#include "tlc/Error.h"

#include <fmt/format.h>

#include <algorithm>

namespace tlc {
namespace {

struct DTypeRow {
  DType dtype;
  std::string_view name;
  unsigned bits;
};

// In the order of the enumeration.
constexpr DTypeRow kDTypes[] = {
    {DType::Bool, "bool", 8},
    {DType::Int8, "int8", 8},
    {DType::Int16, "int16", 16},
    {DType::Int32, "int32", 32},
    {DType::Int64, "int64", 64},
    {DType::UInt8, "uint8", 8},
    {DType::UInt16, "uint16", 16},
    {DType::UInt32, "uint32", 32},
    {DType::UInt64, "uint64", 64},
    {DType::Float16, "float16", 16},
    {DType::Float32, "float32", 32},
    {DType::Float64, "float64", 64},
    {DType::BFloat16, "bfloat16", 16},
    {DType::Float8E4M3FN, "float8_e4m3fn", 8},
    {DType::Float8E5M2, "float8_e5m2", 8},
    {DType::TFloat32, "tfloat32", 32},
};

struct Alias {
  std::string_view name;
  DType dtype;
};

constexpr Alias kAliases[] = {
    {"half", DType::Float16},    {"fp16", DType::Float16},
    {"float", DType::Float32},   {"fp32", DType::Float32},
    {"double", DType::Float64},  {"bf16", DType::BFloat16},
    {"short", DType::Int16},     {"int", DType::Int32},
    {"long", DType::Int64},      {"e4m3", DType::Float8E4M3FN},
    {"e5m2", DType::Float8E5M2}, {"float8_e4m3", DType::Float8E4M3FN},
    {"tf32", DType::TFloat32},
};

const DTypeRow &row(DType dtype) {
  return kDTypes[static_cast<std::size_t>(dtype)];
}

} // namespace

std::string_view name(DType dtype) { return row(dtype).name; }
unsigned bits(DType dtype) { return row(dtype).bits; }

std::optional<DType> parseDType(std::string_view name) {
  for (const DTypeRow &entry : kDTypes)
    if (entry.name == name)
      return entry.dtype;
  for (const Alias &alias : kAliases)
    if (alias.name == name)
      return alias.dtype;
  return std::nullopt;
}

Dims::Dims(std::span<const std::int64_t> list) {
  for (std::int64_t value : list)
    push(value);
}

void Dims::push(std::int64_t value) {
  if (count == kMaxRank)
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("a tensor has at most {} dimensions", kMaxRank));
  values[count++] = value;
}

bool Dims::operator==(const Dims &other) const {
  return std::equal(begin(), end(), other.begin(), other.end());
}

std::int64_t Tensor::elements() const {
  std::int64_t product = 1;
  for (std::int64_t extent : shape)
    product *= extent;
  return product;
}

Dims compactStrides(const Dims &shape) {
  Dims strides = shape;
  std::int64_t step = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = step;
    step *= shape[i];
  }
  return strides;
}

} // namespace tlc
