// Kernels from source text, compiled in this process when they are first asked
// for and kept in memory and on disk. Needs the library tlc::tlc, which holds
// the compiler; the headers have no type of it.
//
//   tlc::Kernel k = tlc::jit("gemm.tl", {.params = {{"dtype", "float16"}}});
//
// Everything here may be called from any number of threads; threads that ask
// for the same kernel at once share one compilation.
#pragma once

#include "tlc/Kernel.h"

#include <concepts>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tlc {

namespace rt {
struct CompiledSource;
} // namespace rt

/// The value of a factory parameter, as `-D NAME=VALUE` takes it.
class ParamValue {
public:
  ParamValue(std::nullptr_t) : spelled("None") {}
  template <std::same_as<bool> T>
  ParamValue(T value) : spelled(value ? "True" : "False") {}
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  ParamValue(T value) : spelled(std::to_string(value)) {}
  /// Throws tlc::Error (InvalidArgument) unless the number is finite.
  ParamValue(double value);
  ParamValue(const char *text) : ParamValue(std::string_view(text)) {}
  ParamValue(const std::string &text) : ParamValue(std::string_view(text)) {}
  ParamValue(std::string_view text);
  ParamValue(DType dtype) : ParamValue(tlc::name(dtype)) {}
  static ParamValue tuple(const std::vector<ParamValue> &items);

  const std::string &text() const { return spelled; }
  bool operator==(const ParamValue &other) const = default;

private:
  std::string spelled;
};

/// What shapes a compilation besides the source.
struct JitOptions {
  /// The kernel, where the file leaves a choice.
  std::string kernel = {};
  /// Parameters of its factory; those with a default may be absent.
  std::map<std::string, ParamValue> params = {};
  /// Device::virtual_sm() and Device::interp() make a kernel that takes host
  /// memory and runs on the CPU. Which GPU a kernel runs on is for its
  /// arguments to say.
  Device device = Device::gpu();
  std::string arch = "sm_90a";
  /// Approximate division, square roots and exponentials.
  bool fastMath = false;
  /// Producer warps beside consumer warps.
  bool warpSpecialize = true;
  /// Without them: threads load tiles by cp.async, not by TMA.
  bool cpAsync = false;
  /// Optimisations that are left out, as `tlc compile --disable` takes them.
  std::string disable = {};
  /// As `tlc compile --war-fence`: proxy, proxy-producer, delay, membar.
  std::string warFence = "proxy";
  /// False compiles anew and keeps nothing.
  bool cache = true;
};

/// A kernel file as text. `name` stands in messages; one that ends in ".mlir"
/// says that the text is a tile program.
struct Source {
  std::string text;
  std::string name = "kernel.tl";
  /// Throws tlc::Error (Io).
  static Source file(const std::string &path);
};

/// The result of a compilation in memory: one or more kernels. Cheap to copy.
class CompiledModule {
public:
  explicit CompiledModule(std::shared_ptr<const rt::CompiledSource> compiled);

  std::vector<std::string> kernels() const;
  /// The kernel called `name`; an empty name where there is only one. Throws
  /// tlc::Error (InvalidArgument) that lists what there is.
  Kernel kernel(std::string_view name = {}) const;
  /// Machine code, for `loadFromMemory` or a file; empty on the virtual device.
  std::string_view cubin(std::string_view kernel = {}) const;
  /// The launch metadata that belongs to it (JSON).
  std::string_view metadata(std::string_view kernel = {}) const;
  /// Warnings of this compilation, rendered; empty after a cache hit on disk.
  std::string_view warnings() const;
  /// Writes `path` ("k.cubin") and the metadata beside it ("k.json") for
  /// `tlc::load`. Throws tlc::Error.
  void save(const std::string &path, std::string_view kernel = {}) const;

private:
  std::shared_ptr<const rt::CompiledSource> compiled;
};

/// Compiles all kernels of a source, or takes them from the cache. Needs no GPU
/// and no driver; NVRTC 12.8 or newer unless the device is virtual or the cache
/// has the result. Throws tlc::Error: Compile or Unsupported with the rendered
/// diagnostics, Environment without NVRTC, InvalidArgument for an option.
CompiledModule compile(const Source &source, const JitOptions &options = {});
/// The same from the file `path`.
CompiledModule compile(const std::string &path, const JitOptions &options = {});

/// The only kernel of a compilation, ready to launch.
Kernel jit(const Source &source, const JitOptions &options = {});
Kernel jit(const std::string &path, const JitOptions &options = {});

/// The disk cache, as the environment sets it: TLC_CACHE_DIR, else
/// $XDG_CACHE_HOME/tlc, else ~/.cache/tlc; TLC_CACHE=off turns it off;
/// TLC_CACHE_MAX_MB bounds it (1024).
struct CacheInfo {
  bool enabled = false;
  std::string folder; ///< or why there is none
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;
  std::uint64_t maxBytes = 0;
};
CacheInfo cacheInfo();
/// Removes every entry on disk and forgets those in memory; kernels in use
/// stay. Returns the number of entries removed. Throws tlc::Error (Io) when one
/// cannot be removed.
std::uint64_t clearCache();

/// How often this process compiled, and what saved it from compiling.
struct JitCounts {
  std::uint64_t compiled = 0;
  std::uint64_t fromDisk = 0;
  std::uint64_t fromMemory = 0; ///< also by waiting for another thread
};
JitCounts jitCounts();

} // namespace tlc
