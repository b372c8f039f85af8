// Tensors in host memory that own their storage: inputs and results of the
// command line, tests and references.
#pragma once

#include "tlc/Tensor.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace tlc::rt {

/// Compact row-major host storage.
class HostTensor {
public:
  HostTensor() = default;
  /// Zero-filled. Throws tlc::Error on a negative extent or a size that does
  /// not fit.
  HostTensor(DType dtype, const Dims &shape);

  DType dtype() const { return elementType; }
  const Dims &shape() const { return extents; }
  std::int64_t elements() const { return count; }
  std::span<std::byte> bytes() { return storage; }
  std::span<const std::byte> bytes() const { return storage; }
  /// Element pointer for a C++ type of the same size as the dtype.
  template <class T> T *as() { return reinterpret_cast<T *>(storage.data()); }
  template <class T> const T *as() const {
    return reinterpret_cast<const T *>(storage.data());
  }

  /// Element `i` in storage order, converted exactly to double (64-bit integers
  /// beyond 2^53 round).
  double get(std::int64_t i) const;
  /// Stores `value` rounded to nearest even (floats) or truncated and saturated
  /// (integers); fp8 e4m3 saturates only to NaN, as IEEE conversions do.
  void set(std::int64_t i, double value);

  /// A view with DeviceKind::Host. The tensor must outlive it.
  Tensor view();

private:
  DType elementType = DType::Float32;
  Dims extents;
  std::int64_t count = 0;
  std::vector<std::byte> storage;
};

/// N(0, 1) for floats, uniform in [-8, 8] (unsigned [0, 8], bool 0 or 1) for
/// integers. Equal seeds give equal values.
void fillRandom(HostTensor &tensor, std::uint64_t seed);
void fillZeros(HostTensor &tensor);
/// Element i becomes i, rounded or wrapped to the dtype.
void fillIota(HostTensor &tensor);

} // namespace tlc::rt
