// Where kernels run: a GPU, or the CPU in its place.
#pragma once

#include "tlc/Tensor.h"

#include <string>

namespace tlc {

/// A GPU by its number, or one of two devices that run kernels on the CPU, with
/// host pointers and neither driver nor GPU: the virtual SM and the
/// interpreter. A plain value; making one asks nothing of the driver.
class Device {
public:
  static constexpr Device gpu(int ordinal = 0) {
    return Device(DeviceKind::Cuda, ordinal);
  }
  /// The CPU runs what one SM of a GPU would: the lowered program with its
  /// warps, bulk copies and barriers. A race or a deadlock makes the launch
  /// throw. Launches run before they return, whatever the stream.
  // NOLINTNEXTLINE(readability-identifier-naming): as the manual calls it
  static constexpr Device virtual_sm() { return Device(DeviceKind::Host, 0); }
  /// The CPU runs what the source means, line by line: faster, and for kernels
  /// that are still wrong or beyond what can be lowered.
  static constexpr Device interp() { return Device(DeviceKind::Host, 1); }
  /// What TLC_DEVICE says ("gpu", "gpu:1", "virtual", "interp"); without it
  /// GPU 0 if the driver finds one, else the virtual SM. Throws tlc::Error
  /// (InvalidArgument) for another text.
  static Device best();

  /// Whether kernels run on the CPU, on host memory.
  bool isVirtual() const { return deviceKind == DeviceKind::Host; }
  /// Whether it is the interpreter.
  bool isInterp() const { return isVirtual() && index == 1; }
  DeviceKind kind() const { return deviceKind; }
  /// The number of a GPU; 0 for the CPU.
  int ordinal() const { return isVirtual() ? 0 : index; }
  /// "NVIDIA H200", "virtual SM (CPU)" or "interpreter (CPU)". Throws
  /// tlc::Error (Environment) when there is no such GPU.
  std::string name() const;
  bool operator==(const Device &other) const = default;

private:
  constexpr Device(DeviceKind kind, int ordinal)
      : deviceKind(kind), index(ordinal) {}

  DeviceKind deviceKind;
  int index;
};

/// Waits for all work on `device`; throws tlc::Error (Device) when some of it
/// failed. Returns at once on the CPU.
void synchronize(Device device);

} // namespace tlc
