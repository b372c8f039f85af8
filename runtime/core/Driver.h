// The CUDA driver, loaded at run time. A program that links this starts and
// works without a driver until something asks for one.
#pragma once

#include "runtime/core/DriverApi.h"
#include "tlc/Error.h"

#include <mutex>
#include <string>

namespace tlc::rt {

/// The driver's functions. One instance, never unloaded.
struct Driver : cu::Functions {
  /// Loads and initialises the driver at the first call; thread-safe. Throws
  /// tlc::Error (Environment) that says what was looked for: no library, no
  /// device, a driver too old. A failure is not remembered.
  static const Driver &get();
  /// Whether `get` would succeed and there is a device; `why` receives the
  /// reason otherwise.
  static bool available(std::string *why = nullptr);

  /// Throws tlc::Error (Device) with the driver's name and text for `result`
  /// and what was being done ("loading the module of kernel 'gemm'").
  void check(cu::Result result, const char *doing) const {
    if (result != cu::kSuccess)
      fail(result, doing);
  }
  [[noreturn]] void fail(cu::Result result, const std::string &doing) const;
};

/// One device and its primary context, kept for the life of the process.
class Device {
public:
  /// Throws tlc::Error (Environment) when there is no such device.
  static const Device &get(int ordinal = 0);

  /// Makes the primary context current on this thread unless it already is.
  void makeCurrent() const;

  int ordinal() const { return index; }
  const std::string &name() const { return deviceName; }
  /// 90 for compute capability 9.0.
  int computeCapability() const { return capability; }
  int smCount() const { return attribute(cu::kSmCount); }
  int l2Bytes() const { return attribute(cu::kL2Bytes); }
  /// The most dynamic shared memory a block may ask for, in bytes.
  int maxSharedBytes() const { return attribute(cu::kMaxSharedOptin); }
  int attribute(cu::DeviceAttribute which) const;
  /// Where workspaces come from; made at the first call, which must not fall
  /// into a stream capture. A pool of our own, so that the memory of one launch
  /// is kept for the next without a change to the process's default pool.
  cu::MemoryPool workspacePool() const;

  explicit Device(int ordinal);

private:
  int index;
  cu::Device handle = 0;
  cu::Context context = nullptr;
  std::string deviceName;
  int capability = 0;
  mutable std::mutex poolMutex;
  mutable cu::MemoryPool pool = nullptr;
};

} // namespace tlc::rt
