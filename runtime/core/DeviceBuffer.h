// Device memory that frees itself.
#pragma once

#include "runtime/core/Driver.h"
#include "runtime/core/HostTensor.h"
#include "tlc/Tensor.h"

#include <cstddef>
#include <utility>

namespace tlc::rt {

/// `size` bytes on a device, uninitialised. Size 0 holds a null pointer.
class DeviceBuffer {
public:
  DeviceBuffer() = default;
  explicit DeviceBuffer(std::size_t size, int device = 0);
  DeviceBuffer(DeviceBuffer &&other) noexcept { swap(other); }
  DeviceBuffer &operator=(DeviceBuffer &&other) noexcept {
    swap(other);
    return *this;
  }
  ~DeviceBuffer();

  // A device address is an integer to the driver and a pointer to C++.
  void *data() const {
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    return reinterpret_cast<void *>(pointer);
  }
  std::size_t size() const { return byteCount; }

  /// Blocking copies of the whole buffer; `bytes` must be `size()`.
  void upload(std::span<const std::byte> bytes);
  void download(std::span<std::byte> bytes) const;
  /// Sets every byte; blocking.
  void fill(unsigned char value);

private:
  void swap(DeviceBuffer &other) noexcept {
    std::swap(pointer, other.pointer);
    std::swap(byteCount, other.byteCount);
    std::swap(deviceId, other.deviceId);
  }

  cu::DevicePtr pointer = 0;
  std::size_t byteCount = 0;
  int deviceId = 0;
};

/// A compact tensor in device memory.
class DeviceTensor {
public:
  DeviceTensor(DType dtype, const Dims &shape, int device = 0);
  /// A copy of `host` on the device.
  explicit DeviceTensor(const HostTensor &host, int device = 0);

  /// A view for `Kernel::launch`. The buffer must outlive it.
  Tensor view() const { return tensor; }
  /// Waits for all work on the device, then copies back.
  HostTensor download() const;
  void upload(const HostTensor &host);

private:
  DeviceBuffer buffer;
  Tensor tensor;
};

} // namespace tlc::rt
