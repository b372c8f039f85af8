// What a kernel compiled in this process can do beyond one that was loaded:
// show its source at any level, and run on the CPU. Implemented by runtime/jit,
// so that core needs no compiler.
#pragma once

#include "tlc/Kernel.h"

#include <cstdint>
#include <span>
#include <string>

namespace tlc::rt {

class KernelOrigin {
public:
  virtual ~KernelOrigin() = default;

  /// The program at `level`. Throws tlc::Error. Thread-safe.
  virtual std::string source(SourceLevel level) const = 0;
  /// Where launches run: on the CPU through `run`, or on the GPU that the
  /// arguments say.
  virtual tlc::Device device() const { return tlc::Device::gpu(); }
  bool isVirtual() const { return device().isVirtual(); }
  /// Runs the kernel on host memory. The arguments have been checked; `symbols`
  /// are the values of LaunchMetadata::symbols. Throws tlc::Error. Thread-safe.
  virtual void run(std::span<const Argument> arguments,
                   std::span<const std::int64_t> symbols) const = 0;
};

} // namespace tlc::rt
