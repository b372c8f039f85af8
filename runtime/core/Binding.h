// Checks the arguments of a launch against the parameters of the kernel and
// solves its dynamic sizes. The order of the checks and their words are those
// of kernels' users: kernel, parameter, expected, actual. No device is needed.
#pragma once

#include "runtime/core/Expr.h"
#include "runtime/core/LaunchMetadata.h"
#include "tlc/Kernel.h"

#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace tlc::rt {

/// What a binding decides: the value of every symbol (declared ones first, then
/// integer scalar parameters) and the device all tensors live on.
struct BoundArguments {
  std::vector<std::int64_t> symbols;
  DeviceKind device = DeviceKind::Cuda;
  std::int32_t deviceId = 0;
};

/// The parameters of one kernel, prepared for checking. Immutable after
/// construction, so any number of threads may bind.
class Binder {
public:
  /// Throws tlc::Error (InvalidArgument) for a symbol that no parameter can
  /// determine. Keeps a reference to `metadata`.
  explicit Binder(const LaunchMetadata &metadata);

  /// Checks `arguments` in the order: count; per tensor present, rank, dtype,
  /// constant extents, strides, data pointer, device; scalars; then the dynamic
  /// sizes, each against every place that uses it. Throws tlc::Error
  /// (InvalidArgument); nothing has been launched then. All tensors must live
  /// on `device`.
  void bind(std::span<const Argument> arguments, BoundArguments &bound,
            DeviceKind device = DeviceKind::Cuda) const;

  /// Names behind BoundArguments::symbols.
  std::span<const std::string> symbolNames() const { return names; }

private:
  struct Extent {
    ExprProgram program;
    std::vector<unsigned> used;
    const Expr *expr;
  };
  struct Param {
    const ParamInfo *info;
    std::vector<Extent> shape;
    std::vector<Extent> strides;
    int symbol = -1; // position of an integer scalar among the symbols
  };
  struct State;

  void checkTensor(const Param &param, const Argument &argument,
                   DeviceKind device, State &state) const;
  void bindScalar(const Param &param, const Argument &argument,
                  State &state) const;
  void solve(std::span<const Argument> arguments, State &state) const;
  bool solveOne(const Extent &extent, std::int64_t actual, State &state) const;
  void checkExtents(std::span<const Argument> arguments, State &state) const;
  void checkDetermined() const;
  [[noreturn]] void fail(const Param &param, const std::string &text) const;

  const LaunchMetadata &metadata;
  std::vector<std::string> names;
  std::vector<Param> params;
};

/// The bit pattern of a scalar argument as `dtype`: numbers are converted as
/// Python would (an integer becomes a float; a float becomes an integer only
/// when it is whole). Throws tlc::Error that names `kernel` and `param`.
std::uint64_t scalarBits(const Argument &argument, DType dtype,
                         const std::string &kernel, const std::string &param);

} // namespace tlc::rt
