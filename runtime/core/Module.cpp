#include "runtime/core/Module.h"

#include <fmt/format.h>

#include <cctype>
#include <cstdlib>

namespace tlc::rt {
namespace {

constexpr cu::Result kNotFound = 500; // no such function in the module
constexpr cu::Result kNoBinaryForGpu = 209;

} // namespace

bool targetRunsOn(const std::string &target, int capability) {
  if (!target.starts_with("sm_"))
    return false;
  char *rest = nullptr;
  long number = std::strtol(target.c_str() + 3, &rest, 10);
  if (*rest == 'a')
    return number == capability;
  return number / 10 == capability / 10 && number <= capability;
}

Module::Module(std::span<const char> image, int deviceId,
               const std::string &target)
    : device(Device::get(deviceId)) {
  auto failTarget = [&] {
    throw Error(ErrorCode::Environment,
                fmt::format("the kernel was compiled for {}, but device {} "
                            "({}) is sm_{}; compile it with --arch sm_{}{}",
                            target, deviceId, device.name(),
                            device.computeCapability(),
                            device.computeCapability(),
                            device.computeCapability() >= 90 ? "a" : ""));
  };
  if (!targetRunsOn(target, device.computeCapability()))
    failTarget();
  device.makeCurrent();
  const Driver &driver = Driver::get();
  cu::Result result = driver.moduleLoadData(&handle, image.data());
  if (result == kNoBinaryForGpu)
    failTarget();
  driver.check(result, "loading the cubin");
}

Module::~Module() {
  if (!handle)
    return;
  // A failure here (the driver is shutting down) has nobody to be told.
  Driver::get().moduleUnload(handle);
}

cu::Function Module::function(const std::string &symbol) const {
  const Driver &driver = Driver::get();
  cu::Function function = nullptr;
  cu::Result result =
      driver.moduleGetFunction(&function, handle, symbol.c_str());
  if (result == kNotFound)
    throw Error(ErrorCode::Io,
                fmt::format("the cubin has no kernel '{}' that its metadata "
                            "names; the two files do not belong together",
                            symbol));
  driver.check(result, "looking up a kernel");
  return function;
}

void allowDynamicShared(cu::Function function, std::uint32_t bytes,
                        const Device &device, const std::string &symbol) {
  const Driver &driver = Driver::get();
  int staticBytes = 0;
  driver.check(
      driver.funcGetAttribute(&staticBytes, cu::kStaticSharedBytes, function),
      "asking for a kernel's shared memory");
  int limit = device.maxSharedBytes() - staticBytes;
  if (std::int64_t(bytes) > limit)
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("kernel {} needs {} bytes of shared memory, but "
                            "device {} ({}) offers {} to a block",
                            symbol, bytes, device.ordinal(), device.name(),
                            limit));
  driver.check(driver.funcSetAttribute(function, cu::kMaxDynamicSharedBytes,
                                       static_cast<int>(bytes)),
               "setting a kernel's shared memory");
}

void completeResources(cu::Function function, KernelResources &resources) {
  const Driver &driver = Driver::get();
  struct Row {
    std::optional<std::int64_t> KernelResources::*figure;
    cu::FunctionAttribute attribute;
  };
  constexpr Row kRows[] = {
      {&KernelResources::registers, cu::kRegisters},
      {&KernelResources::staticSharedBytes, cu::kStaticSharedBytes},
      {&KernelResources::constantBytes, cu::kConstantBytes},
      {&KernelResources::stackBytes, cu::kLocalBytes},
  };
  for (const Row &row : kRows) {
    int value = 0;
    if (!(resources.*(row.figure)) &&
        driver.funcGetAttribute(&value, row.attribute, function) ==
            cu::kSuccess)
      resources.*(row.figure) = value;
  }
}

} // namespace tlc::rt
