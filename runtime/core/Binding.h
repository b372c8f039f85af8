// Checks the arguments of a launch against the parameters of the kernel and
// solves its dynamic sizes. The order of the checks and their words are those
// of kernels' users: kernel, parameter, expected, actual. No device is needed.
#pragma once

#include "runtime/core/Expr.h"
#include "runtime/core/LaunchMetadata.h"
#include "tlc/Kernel.h"

#include <cstdint>
#include <span>
#include <string>
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
  /// One extent or stride that a parameter declares.
  struct Extent {
    ExprProgram program;
    const Expr *expr;
    std::uint64_t used = 0;   // bit i: symbol i occurs
    std::uint64_t linear = 0; // bit i: linear in symbol i
  };
  struct Param {
    const ParamInfo *info;
    std::vector<Extent> shape;
    std::vector<Extent> strides;
    int symbol = -1; // position of an integer scalar among the symbols
  };
  struct Origin;
  struct State;

  static std::string placeOf(const Origin &origin);
  Extent makeExtent(const Expr &expr) const;
  std::uint64_t linearSymbols(const Expr &expr) const;
  void checkDetermined() const;
  void checkCount(std::span<const Argument> arguments) const;
  void checkTensor(const Param &param, const Tensor &tensor, DeviceKind device,
                   State &state) const;
  void checkLayout(const Param &param, const Tensor &tensor) const;
  void bindScalar(const Param &param, const Argument &argument,
                  State &state) const;
  template <class Visit>
  void forEachExtent(std::span<const Argument> arguments, Visit visit) const;
  void solve(std::span<const Argument> arguments, State &state) const;
  void solveOne(const Param &param, const Extent &extent, const Origin &origin,
                std::int64_t actual, unsigned symbol, State &state) const;
  void checkExtents(std::span<const Argument> arguments, State &state) const;
  [[noreturn]] void fail(const Param &param, const std::string &text) const;
  [[noreturn]] void failUnbound(unsigned symbol) const;

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
