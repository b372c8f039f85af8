#include "runtime/core/Driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <deque>

#include <dlfcn.h>

namespace tlc::rt {
namespace {

// cuTensorMapEncodeTiled and cuLaunchKernelEx came with 12.0.
constexpr int kOldestDriver = 12000;
constexpr cu::Result kNoDevice = 100;
// What a pool keeps over a synchronisation; a barrier's state is 256 bytes.
constexpr std::uint64_t kKeptWorkspaceBytes = std::uint64_t{64} << 20;

std::string versionText(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

[[noreturn]] void failEnvironment(const std::string &text) {
  throw Error(ErrorCode::Environment, text);
}

void *openLibrary() {
  std::string reasons;
  for (const char *name : {"libcuda.so.1", "libcuda.so"}) {
    if (void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL))
      return library;
    reasons += fmt::format("\n  {}", dlerror());
  }
  failEnvironment("no CUDA driver: looked for libcuda.so.1 and libcuda.so on "
                  "the library search path; install the NVIDIA driver, or run "
                  "the kernel on the CPU with --device virtual" +
                  reasons);
}

void resolve(void *library, Driver &driver) {
  int version = 0;
  const char *missing = nullptr;
#define TLC_RESOLVE(member, symbol, params)                                    \
  driver.member =                                                              \
      reinterpret_cast<decltype(driver.member)>(dlsym(library, #symbol));      \
  if (!driver.member && !missing)                                              \
    missing = #symbol;
  TLC_DRIVER_FUNCTIONS(TLC_RESOLVE)
#undef TLC_RESOLVE
  if (driver.driverGetVersion)
    driver.driverGetVersion(&version);
  if (version < kOldestDriver || missing)
    failEnvironment(fmt::format(
        "the CUDA driver is too old: it supports CUDA {}, tlc needs {}{}",
        versionText(version), versionText(kOldestDriver),
        missing ? fmt::format(" (function {} is missing)", missing) : ""));
}

} // namespace

const Driver &Driver::get() {
  static std::mutex mutex;
  static Driver driver;
  static std::atomic<bool> ready{false};
  if (ready.load(std::memory_order_acquire))
    return driver;
  std::lock_guard lock(mutex);
  if (ready)
    return driver;
  resolve(openLibrary(), driver);
  cu::Result result = driver.init(0);
  if (result == kNoDevice)
    failEnvironment("the CUDA driver is installed but finds no device; is one "
                    "visible (CUDA_VISIBLE_DEVICES), and may this user open "
                    "/dev/nvidia*?");
  if (result != cu::kSuccess) {
    const char *text = nullptr;
    driver.getErrorString(result, &text);
    failEnvironment(fmt::format("the CUDA driver does not start: {} ({})",
                                text ? text : "unknown error", result));
  }
  ready.store(true, std::memory_order_release);
  return driver;
}

bool Driver::available(std::string *why) {
  try {
    int count = 0;
    const Driver &driver = get();
    driver.check(driver.deviceGetCount(&count), "counting devices");
    if (count > 0)
      return true;
    if (why)
      *why = "the CUDA driver finds no device";
  } catch (const Error &error) {
    if (why)
      *why = error.what();
  }
  return false;
}

void Driver::fail(cu::Result result, const std::string &doing) const {
  const char *name = nullptr, *text = nullptr;
  getErrorName(result, &name);
  getErrorString(result, &text);
  throw Error(ErrorCode::Device,
              fmt::format("{} failed: {} ({})", doing,
                          text ? text : "unknown error",
                          name ? name : std::to_string(result)));
}

const Device &Device::get(int ordinal) {
  // Devices stay where they are.
  static thread_local const Device *last = nullptr;
  if (last && last->index == ordinal)
    return *last;
  static std::mutex mutex;
  static std::deque<Device> devices;
  std::lock_guard lock(mutex);
  auto found = std::ranges::find(devices, ordinal, &Device::index);
  last = found != devices.end() ? &*found : &devices.emplace_back(ordinal);
  return *last;
}

Device::Device(int ordinal) : index(ordinal) {
  const Driver &driver = Driver::get();
  int count = 0;
  driver.check(driver.deviceGetCount(&count), "counting devices");
  if (ordinal < 0 || ordinal >= count)
    failEnvironment(fmt::format("there is no CUDA device {}: the driver finds "
                                "{} device(s)",
                                ordinal, count));
  driver.check(driver.deviceGet(&handle, ordinal), "opening the device");
  driver.check(driver.primaryCtxRetain(&context, handle),
               "creating the device's context");
  char text[128] = {};
  driver.check(driver.deviceGetName(text, sizeof(text) - 1, handle),
               "asking for the device's name");
  deviceName = text;
  capability = attribute(cu::kComputeMajor) * 10 + attribute(cu::kComputeMinor);
}

void Device::makeCurrent() const {
  const Driver &driver = Driver::get();
  cu::Context current = nullptr;
  driver.check(driver.ctxGetCurrent(&current), "asking for the context");
  if (current != context)
    driver.check(driver.ctxSetCurrent(context), "selecting the device");
}

int Device::attribute(cu::DeviceAttribute which) const {
  const Driver &driver = Driver::get();
  int value = 0;
  driver.check(driver.deviceGetAttribute(&value, which, handle),
               "asking for a device attribute");
  return value;
}

cu::MemoryPool Device::workspacePool() const {
  std::lock_guard lock(poolMutex);
  if (pool)
    return pool;
  const Driver &driver = Driver::get();
  cu::MemoryPoolProperties properties;
  properties.locationId = handle;
  cu::MemoryPool made = nullptr;
  driver.check(driver.memPoolCreate(&made, &properties),
               "making a memory pool for workspaces");
  std::uint64_t kept = kKeptWorkspaceBytes;
  driver.check(
      driver.memPoolSetAttribute(made, cu::kPoolReleaseThreshold, &kept),
      "setting up the memory pool for workspaces");
  pool = made;
  return pool;
}

} // namespace tlc::rt
