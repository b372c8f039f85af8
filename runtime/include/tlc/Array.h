// Tensors that own their memory, on any device: for programs that have no
// allocator of their own.
#pragma once

#include "tlc/Device.h"
#include "tlc/Tensor.h"

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

namespace tlc {

/// A compact row-major tensor in memory of its device; freed with the object.
/// Converts to a Tensor, so it can be passed to Kernel::launch. Movable, not
/// copyable. Every member throws tlc::Error.
class Array {
public:
  /// Uninitialised. Zero extents are fine and hold no memory.
  Array(DType dtype, const Dims &shape, Device device);
  /// The same with `values`, rounded to `dtype`; there must be one for each
  /// element.
  Array(DType dtype, const Dims &shape, Device device,
        std::span<const double> values);
  Array(DType dtype, const Dims &shape, Device device,
        std::initializer_list<double> values)
      : Array(dtype, shape, device,
              std::span<const double>(values.begin(), values.size())) {}
  Array(Array &&) noexcept;
  Array &operator=(Array &&) noexcept;
  ~Array();

  /// The view; the Array must outlive it.
  const Tensor &tensor() const;
  operator const Tensor &() const { return tensor(); }
  Device device() const;

  /// Replaces all elements. Waits until they are there.
  void assign(std::span<const double> values);
  /// All elements in row-major order. Waits for the work on the device.
  std::vector<double> values() const;

  /// The same as raw bytes; the size must be that of the tensor.
  void upload(std::span<const std::byte> bytes);
  void download(std::span<std::byte> bytes) const;
  /// Sets every byte.
  void fill(unsigned char byte);

private:
  struct Storage;
  std::unique_ptr<Storage> storage;
};

} // namespace tlc
