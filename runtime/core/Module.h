// A cubin loaded onto one device.
#pragma once

#include "runtime/core/Driver.h"
#include "tlc/Kernel.h"

#include <span>
#include <string>

namespace tlc::rt {

class Module {
public:
  /// Loads `image` onto `device`. Throws tlc::Error: Environment when the cubin
  /// was compiled for `target` ("sm_90a") and the device cannot run that.
  Module(std::span<const char> image, int device, const std::string &target);
  Module(const Module &) = delete;
  Module &operator=(const Module &) = delete;
  ~Module();

  /// Throws tlc::Error (Io) when the cubin has no function of that name.
  cu::Function function(const std::string &symbol) const;

private:
  cu::Module handle = nullptr;
  const Device &device;
};

/// Allows `function` `bytes` of dynamic shared memory. Throws tlc::Error
/// (InvalidArgument) above the device's limit, naming both.
void allowDynamicShared(cu::Function function, std::uint32_t bytes,
                        const Device &device, const std::string &symbol);
/// Fills what `resources` lacks from the driver's function attributes.
void completeResources(cu::Function function, KernelResources &resources);

/// Whether code for `target` ("sm_90a", "sm_80") runs on a device of compute
/// capability `capability` (90): an "a" target on exactly its own, others on
/// the same major version from their minor on.
bool targetRunsOn(const std::string &target, int capability);

} // namespace tlc::rt
