#include "runtime/core/DevicePointers.h"

#include "runtime/core/DeviceBuffer.h"
#include "runtime/core/Driver.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <mutex>

namespace tlc::rt {
namespace {

constexpr std::size_t kStandInBytes = 256;
// Addresses whose place a thread remembers: a power of two.
constexpr unsigned kKnownBits = 9;

std::string askDriver(const Tensor &tensor) {
  const Driver &driver = Driver::get();
  unsigned type = 0, managed = 0;
  int ordinal = -1;
  const int attributes[] = {cu::kMemoryType, cu::kIsManaged, cu::kOrdinal};
  void *values[] = {&type, &managed, &ordinal};
  auto address = reinterpret_cast<cu::DevicePtr>(tensor.data);
  cu::Result result =
      driver.pointerGetAttributes(3, attributes, values, address);
  driver.check(result, "asking where a pointer points");
  if (managed)
    return "";
  if (type != cu::kMemoryDevice)
    return fmt::format("data pointer {} is host memory, expected memory of "
                       "device {}; copy the tensor to the device first",
                       tensor.data, tensor.deviceId);
  if (ordinal != tensor.deviceId)
    return fmt::format("data pointer {} belongs to device {}, expected device "
                       "{}",
                       tensor.data, ordinal, tensor.deviceId);
  return "";
}

} // namespace

std::string explainPointerProblem(const Tensor &tensor) {
  struct Known {
    const void *data = nullptr;
    std::int32_t device = -1;
  };
  static thread_local std::array<Known, 1u << kKnownBits> known;
  if (!tensor.data || tensor.elements() == 0)
    return "";
  // Tensors that are used together often lie a power of two apart, so every
  // bit of the address has to count (Fibonacci hashing).
  std::uint64_t address = reinterpret_cast<std::uintptr_t>(tensor.data);
  Known &entry = known[(address * 0x9e3779b97f4a7c15u) >> (64 - kKnownBits)];
  if (entry.data == tensor.data && entry.device == tensor.deviceId)
    return "";
  std::string problem = askDriver(tensor);
  if (problem.empty())
    entry = {tensor.data, tensor.deviceId};
  return problem;
}

std::uint64_t standInAddress(int device, bool writable) {
  static std::mutex mutex;
  // Kept until the process ends: the context is gone before statics are.
  static auto &pieces = *new std::map<std::pair<int, bool>, DeviceBuffer>;
  std::lock_guard lock(mutex);
  auto [entry, isNew] = pieces.try_emplace({device, writable});
  if (isNew) {
    entry->second = DeviceBuffer(kStandInBytes, device);
    entry->second.fill(0);
  }
  return reinterpret_cast<std::uint64_t>(entry->second.data());
}

} // namespace tlc::rt
