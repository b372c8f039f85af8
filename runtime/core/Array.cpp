// Tensors that own their memory.
#include "tlc/Array.h"

#include "runtime/core/DeviceBuffer.h"
#include "runtime/core/HostTensor.h"
#include "runtime/core/Stream.h"
#include "tlc/Error.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

namespace tlc {

/// One of the two holds the memory.
struct Array::Storage {
  Device device;
  Tensor tensor;
  rt::HostTensor host;
  rt::DeviceBuffer buffer;
};

Array::Array(DType dtype, const Dims &shape, Device device)
    : storage(std::make_unique<Storage>(Storage{device, {}, {}, {}})) {
  for (std::int64_t extent : shape)
    if (extent < 0)
      throw Error(
          ErrorCode::InvalidArgument,
          fmt::format("an array has no negative extent, got {}", extent));
  Tensor &tensor = storage->tensor;
  tensor.dtype = dtype;
  tensor.shape = shape;
  tensor.device = device.kind();
  tensor.deviceId = device.ordinal();
  if (device.isVirtual()) {
    storage->host = rt::HostTensor(dtype, shape);
    tensor.data = storage->host.bytes().data();
  } else {
    storage->buffer = rt::DeviceBuffer(tensor.sizeInBytes(), device.ordinal());
    tensor.data = storage->buffer.data();
  }
}

Array::Array(DType dtype, const Dims &shape, Device device,
             std::span<const double> values)
    : Array(dtype, shape, device) {
  assign(values);
}

Array::Array(Array &&) noexcept = default;
Array &Array::operator=(Array &&) noexcept = default;
Array::~Array() = default;

const Tensor &Array::tensor() const { return storage->tensor; }

Device Array::device() const { return storage->device; }

void Array::assign(std::span<const double> values) {
  const Tensor &tensor = storage->tensor;
  if (std::int64_t(values.size()) != tensor.elements())
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("an array of {} elements is assigned {} values",
                            tensor.elements(), values.size()));
  rt::HostTensor host(tensor.dtype, tensor.shape);
  for (std::size_t i = 0; i < values.size(); ++i)
    host.set(static_cast<std::int64_t>(i), values[i]);
  upload(host.bytes());
}

std::vector<double> Array::values() const {
  rt::HostTensor host(storage->tensor.dtype, storage->tensor.shape);
  download(host.bytes());
  std::vector<double> list(host.elements());
  for (std::size_t i = 0; i < list.size(); ++i)
    list[i] = host.get(static_cast<std::int64_t>(i));
  return list;
}

static void checkBytes(std::size_t given, const Tensor &tensor) {
  if (given != tensor.sizeInBytes())
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("an array of {} bytes is copied from or to {}",
                            tensor.sizeInBytes(), given));
}

void Array::upload(std::span<const std::byte> bytes) {
  checkBytes(bytes.size(), storage->tensor);
  if (bytes.empty())
    return;
  if (device().isVirtual())
    std::memcpy(storage->tensor.data, bytes.data(), bytes.size());
  else
    storage->buffer.upload(bytes);
}

void Array::download(std::span<std::byte> bytes) const {
  checkBytes(bytes.size(), storage->tensor);
  if (bytes.empty())
    return;
  if (device().isVirtual()) {
    std::memcpy(bytes.data(), storage->tensor.data, bytes.size());
    return;
  }
  rt::synchronizeDevice(storage->tensor.deviceId);
  storage->buffer.download(bytes);
}

void Array::fill(unsigned char byte) {
  if (device().isVirtual())
    std::memset(storage->tensor.data, byte, storage->tensor.sizeInBytes());
  else
    storage->buffer.fill(byte);
}

} // namespace tlc
