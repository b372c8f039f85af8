// Element types and the non-owning tensor view that kernels take as arguments.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

namespace tlc {

enum class DType : std::uint8_t {
  Bool,
  Int8,
  Int16,
  Int32,
  Int64,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  Float16,
  Float32,
  Float64,
  BFloat16,
  Float8E4M3FN,
  Float8E5M2,
  TFloat32,
};

/// The name a kernel file uses: "bool", "int32", "bfloat16", "float8_e4m3fn"
/// ...
std::string_view name(DType dtype);
/// Storage of one element in bits: 8, 16, 32 or 64 (bool is stored in 8).
unsigned bits(DType dtype);
inline unsigned bytes(DType dtype) { return bits(dtype) / 8; }
/// The type called `name`, also by the short names "half", "float", "double",
/// "bf16", "e4m3" ...; nothing when there is no such type.
std::optional<DType> parseDType(std::string_view name);

/// The highest rank of a tensor argument.
inline constexpr std::size_t kMaxRank = 8;

/// A short list of extents or strides, stored in place.
class Dims {
public:
  Dims() = default;
  Dims(std::initializer_list<std::int64_t> list)
      : Dims(std::span<const std::int64_t>(list.begin(), list.size())) {}
  /// Throws tlc::Error when there are more than kMaxRank values.
  explicit Dims(std::span<const std::int64_t> list);

  std::size_t size() const { return count; }
  bool empty() const { return count == 0; }
  std::int64_t operator[](std::size_t i) const { return values[i]; }
  std::int64_t &operator[](std::size_t i) { return values[i]; }
  const std::int64_t *begin() const { return values.data(); }
  const std::int64_t *end() const { return values.data() + count; }
  void push(std::int64_t value);
  bool operator==(const Dims &other) const;

private:
  std::array<std::int64_t, kMaxRank> values{};
  std::uint8_t count = 0;
};

enum class DeviceKind : std::uint8_t { Host, Cuda };

/// A view of memory that somebody else owns. `strides` are in elements and may
/// be empty for a compact row-major tensor.
struct Tensor {
  void *data = nullptr;
  DType dtype = DType::Float32;
  Dims shape;
  Dims strides;
  DeviceKind device = DeviceKind::Cuda;
  std::int32_t deviceId = 0;

  std::size_t rank() const { return shape.size(); }
  /// Product of the extents; 1 for rank 0, 0 when any extent is 0.
  std::int64_t elements() const;
  /// Bytes of a compact tensor of this shape.
  std::size_t sizeInBytes() const { return elements() * bytes(dtype); }
  bool operator==(const Tensor &other) const = default;
};

/// Row-major strides in elements for `shape`.
Dims compactStrides(const Dims &shape);

} // namespace tlc
