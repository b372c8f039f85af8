// Where kernels run: a GPU, or the CPU standing in for one.
#pragma once

#include "tlc/Tensor.h"

#include <string>

namespace tlc {

/// A GPU by its number, or the virtual device, which runs kernels on the CPU
/// with their sequential meaning: no driver, no GPU, host pointers. A plain
/// value; making one asks nothing of the driver.
class Device {
public:
  static constexpr Device gpu(int ordinal = 0) {
    return Device(DeviceKind::Cuda, ordinal);
  }
  /// The CPU. Launches run before they return, whatever the stream.
  // NOLINTNEXTLINE(readability-identifier-naming): as the manual calls it
  static constexpr Device virtual_sm() { return Device(DeviceKind::Host, 0); }
  /// What TLC_DEVICE says ("gpu", "gpu:1", "virtual"); without it GPU 0 if the
  /// driver finds one, else the virtual device. Throws tlc::Error
  /// (InvalidArgument) for another text.
  static Device best();

  bool isVirtual() const { return deviceKind == DeviceKind::Host; }
  DeviceKind kind() const { return deviceKind; }
  int ordinal() const { return index; }
  /// "NVIDIA H200", or "virtual SM (CPU)". Throws tlc::Error (Environment) when
  /// there is no such GPU.
  std::string name() const;
  bool operator==(const Device &other) const = default;

private:
  constexpr Device(DeviceKind kind, int ordinal)
      : deviceKind(kind), index(ordinal) {}

  DeviceKind deviceKind;
  int index;
};

/// Waits for all work on `device`; throws tlc::Error (Device) when some of it
/// failed. Returns at once on the virtual device.
void synchronize(Device device);

} // namespace tlc
