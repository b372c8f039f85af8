// A compiled kernel and how to launch it. No compiler is needed for this header
// or the library behind it: `load` reads a cubin and the metadata beside it.
#pragma once

#include "tlc/Array.h"
#include "tlc/Device.h"
#include "tlc/Error.h"
#include "tlc/Tensor.h"

#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tlc {

namespace rt {
class LoadedKernel;
struct PreparedLaunch;
} // namespace rt

/// A `CUstream`; null is the legacy default stream.
using StreamHandle = void *;

/// One kernel argument: nothing (for a parameter the kernel never reads), a
/// tensor view, or a number that is converted to the declared type.
class Argument {
public:
  enum class Kind : std::uint8_t { None, Tensor, Integer, Float };

  Argument() = default;
  Argument(std::nullptr_t) {}
  Argument(const Tensor &tensor) : argKind(Kind::Tensor), view(tensor) {}
  Argument(const Array &array) : Argument(array.tensor()) {}
  template <std::integral T>
  Argument(T value)
      : argKind(Kind::Integer), integer(static_cast<std::int64_t>(value)) {}
  template <std::floating_point T>
  Argument(T value) : argKind(Kind::Float), real(value) {}

  Kind kind() const { return argKind; }
  const Tensor &tensor() const { return view; }
  std::int64_t asInteger() const { return integer; }
  double asFloat() const { return real; }
  /// Bitwise for floats: 0.0 and -0.0 are different arguments.
  bool operator==(const Argument &other) const {
    return argKind == other.argKind && integer == other.integer &&
           std::bit_cast<std::uint64_t>(real) ==
               std::bit_cast<std::uint64_t>(other.real) &&
           view == other.view;
  }

private:
  Kind argKind = Kind::None;
  std::int64_t integer = 0;
  double real = 0;
  Tensor view;
};

/// What one device function uses. A figure nobody reported is absent, not 0.
struct KernelResources {
  std::string symbol;
  std::optional<std::int64_t> registers;
  std::optional<std::int64_t> spillStoreBytes;
  std::optional<std::int64_t> spillLoadBytes;
  std::optional<std::int64_t> stackBytes;
  std::optional<std::int64_t> staticSharedBytes;
  std::optional<std::int64_t> dynamicSharedBytes;
  std::optional<std::int64_t> constantBytes;
  std::optional<std::int64_t> barriers;
};

/// The levels at which a kernel can be shown, as `tlc compile --emit` calls
/// them.
enum class SourceLevel : std::uint8_t { Ast, Tile, WS, SM, Cuda, Ptx };

/// Checked arguments, encoded once: `launch` only calls the driver. The memory
/// behind the tensors must stay where it was. May be used by one thread at a
/// time.
class Plan {
public:
  Plan(Plan &&) noexcept;
  Plan &operator=(Plan &&) noexcept;
  ~Plan();
  /// Enqueues the kernel; returns at once when a grid extent is 0.
  void launch(StreamHandle stream = nullptr) const;

private:
  friend class Kernel;
  explicit Plan(std::unique_ptr<rt::PreparedLaunch> launch);
  std::unique_ptr<rt::PreparedLaunch> prepared;
};

/// A kernel on disk or in memory, loaded onto a device at its first launch.
/// Cheap to copy; safe to launch from several threads at once.
class Kernel {
public:
  explicit Kernel(std::shared_ptr<rt::LoadedKernel> loaded);

  /// The name of the prim_func.
  const std::string &name() const;
  /// Parameter names in the order that launch takes them.
  std::vector<std::string> parameters() const;
  /// Names of the tensors that `call` allocates when it is told no others:
  /// those of `out_idx` or, in the eager style, of T.empty.
  std::vector<std::string> outputs() const;
  /// Figures of each device function in launch order: the compiler's record,
  /// completed from the driver when a device is present.
  std::vector<KernelResources> resources() const;
  /// Whether launches run on the CPU, on host memory.
  bool isVirtual() const;
  /// The program at `level`, for people. Throws tlc::Error: Unsupported for a
  /// kernel that came from `load`, which has no source.
  std::string source(SourceLevel level) const;

  /// Checks the arguments and enqueues the kernel on `stream`; does not wait.
  /// Nothing is enqueued when a check fails (tlc::Error, InvalidArgument).
  void launchArguments(StreamHandle stream,
                       std::span<const Argument> arguments) const;
  /// Allocates the tensors named in `outputs` on the device of the inputs, with
  /// the declared shapes and uninitialised, launches, and returns them in the
  /// order of `outputs`. `inputs` are the other arguments in order. Throws
  /// tlc::Error (InvalidArgument) when a name is no tensor parameter, is there
  /// twice, or has an extent that the inputs do not determine.
  std::vector<Array> callArguments(StreamHandle stream,
                                   std::span<const std::string_view> outputs,
                                   std::span<const Argument> inputs) const;
  /// The same for `outputs()`. Throws tlc::Error (InvalidArgument) when the
  /// kernel marks none.
  std::vector<Array> callArguments(StreamHandle stream,
                                   std::span<const Argument> inputs) const;
  /// Checks and encodes the arguments for many launches.
  Plan prepareArguments(std::span<const Argument> arguments) const;

  template <class... Args>
  void launch(StreamHandle stream, const Args &...args) const {
    const std::array<Argument, sizeof...(Args)> list{Argument(args)...};
    launchArguments(stream, list);
  }
  template <class... Args> Plan prepare(const Args &...args) const {
    const std::array<Argument, sizeof...(Args)> list{Argument(args)...};
    return prepareArguments(list);
  }

  /// `inputs` are all arguments but `outputs()`, in order.
  template <class... Args>
  std::vector<Array> operator()(StreamHandle stream,
                                const Args &...inputs) const {
    const std::array<Argument, sizeof...(Args)> list{Argument(inputs)...};
    return callArguments(stream, list);
  }
  template <class... Args>
  std::vector<Array> call(StreamHandle stream, const Args &...inputs) const {
    return (*this)(stream, inputs...);
  }
  template <class... Args>
  std::vector<Array> call(StreamHandle stream,
                          std::initializer_list<std::string_view> outputs,
                          const Args &...inputs) const {
    const std::array<Argument, sizeof...(Args)> list{Argument(inputs)...};
    return callArguments(stream, {outputs.begin(), outputs.size()}, list);
  }

private:
  std::shared_ptr<rt::LoadedKernel> loaded;
};

/// Loads `path` ("k.cubin") and the metadata beside it ("k.json"). Needs no
/// device; the first launch does.
Kernel load(const std::string &path);
/// The same from memory: the bytes of a cubin and the text of its metadata.
Kernel loadFromMemory(std::span<const char> cubin, std::string_view metadata);

} // namespace tlc
