#include "runtime/core/DeviceBuffer.h"

#include "runtime/core/Stream.h"

#include <fmt/format.h>

namespace tlc::rt {
namespace {

/// The driver may return before the last bytes have arrived, and streams of
/// ours do not wait for the default stream.
void finish() {
  const Driver &driver = Driver::get();
  driver.check(driver.streamSynchronize(nullptr), "waiting for the device");
}

} // namespace

DeviceBuffer::DeviceBuffer(std::size_t size, int device)
    : byteCount(size), deviceId(device) {
  Device::get(device).makeCurrent();
  if (size == 0)
    return;
  const Driver &driver = Driver::get();
  cu::Result result = driver.memAlloc(&pointer, size);
  if (result != cu::kSuccess)
    driver.fail(result,
                fmt::format("allocating {} bytes on device {}", size, device));
}

DeviceBuffer::~DeviceBuffer() {
  if (pointer)
    Driver::get().memFree(pointer);
}

void DeviceBuffer::upload(std::span<const std::byte> bytes) {
  if (bytes.size() != byteCount)
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("upload of {} bytes into a buffer of {}",
                            bytes.size(), byteCount));
  if (byteCount == 0)
    return;
  Device::get(deviceId).makeCurrent();
  const Driver &driver = Driver::get();
  driver.check(driver.memcpyHtoD(pointer, bytes.data(), byteCount),
               "copying to the device");
  finish();
}

void DeviceBuffer::download(std::span<std::byte> bytes) const {
  if (bytes.size() != byteCount)
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("download of {} bytes from a buffer of {}",
                            bytes.size(), byteCount));
  if (byteCount == 0)
    return;
  Device::get(deviceId).makeCurrent();
  const Driver &driver = Driver::get();
  driver.check(driver.memcpyDtoH(bytes.data(), pointer, byteCount),
               "copying from the device");
}

void DeviceBuffer::fill(unsigned char value) {
  if (byteCount == 0)
    return;
  Device::get(deviceId).makeCurrent();
  const Driver &driver = Driver::get();
  driver.check(driver.memsetD8(pointer, value, byteCount),
               "filling device memory");
  finish();
}

DeviceTensor::DeviceTensor(DType dtype, const Dims &shape, int device) {
  tensor.dtype = dtype;
  tensor.shape = shape;
  tensor.deviceId = device;
  buffer = DeviceBuffer(tensor.sizeInBytes(), device);
  tensor.data = buffer.data();
}

DeviceTensor::DeviceTensor(const HostTensor &host, int device)
    : DeviceTensor(host.dtype(), host.shape(), device) {
  upload(host);
}

HostTensor DeviceTensor::download() const {
  synchronizeDevice(tensor.deviceId);
  HostTensor host(tensor.dtype, tensor.shape);
  buffer.download(host.bytes());
  return host;
}

void DeviceTensor::upload(const HostTensor &host) {
  buffer.upload(host.bytes());
}

} // namespace tlc::rt
