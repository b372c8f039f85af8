#include "runtime/core/Binding.h"

#include "tlc/Error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

namespace tlc::rt {
namespace {

constexpr unsigned kMaxSymbols = 64; // one bit each in a mask

std::uint64_t bit(unsigned i) { return std::uint64_t{1} << i; }

bool isInteger(DType dtype) { return dtype < DType::Float16; }

/// Whether storage of `actual` can be passed for `declared`.
bool compatible(DType declared, DType actual) {
  auto isByte = [](DType t) { return t == DType::Int8 || t == DType::UInt8; };
  auto isFp8 = [](DType t) {
    return t == DType::Float8E4M3FN || t == DType::Float8E5M2;
  };
  auto isWord = [](DType t) {
    return t == DType::Float32 || t == DType::TFloat32;
  };
  return declared == actual || (declared == DType::Bool && isByte(actual)) ||
         (isFp8(declared) && isFp8(actual)) ||
         (isWord(declared) && isWord(actual));
}

std::string toString(const Dims &dims) {
  return fmt::format("[{}]", fmt::join(dims.begin(), dims.end(), ", "));
}

std::string deviceName(DeviceKind kind) {
  return kind == DeviceKind::Cuda ? "cuda" : "cpu";
}

/// Extents of 1 never step, and an empty tensor is never read.
bool isCompact(const Tensor &tensor) {
  if (tensor.strides.empty() || tensor.elements() == 0)
    return true;
  Dims compact = compactStrides(tensor.shape);
  for (std::size_t i = 0; i < tensor.rank(); ++i)
    if (tensor.shape[i] != 1 && tensor.strides[i] != compact[i])
      return false;
  return true;
}

} // namespace

/// Where a symbol got its value, for messages: parameter and dimension.
struct Binder::Origin {
  const ParamInfo *param = nullptr;
  bool stride = false;
  std::size_t dim = 0;
};

std::string Binder::placeOf(const Origin &origin) {
  if (origin.param->kind == ParamKind::Scalar)
    return "argument " + origin.param->name;
  return fmt::format("{}.{}[{}]", origin.param->name,
                     origin.stride ? "stride" : "shape", origin.dim);
}

struct Binder::State {
  BoundArguments &bound;
  std::uint64_t known = 0;
  const Param *firstTensor = nullptr;
  std::array<Origin, kMaxSymbols> origins{};
};

Binder::Binder(const LaunchMetadata &metadata)
    : metadata(metadata), names(metadata.symbols) {
  for (const ParamInfo &info : metadata.params) {
    Param param;
    param.info = &info;
    if (info.kind == ParamKind::Scalar && isInteger(info.dtype)) {
      // A scalar parameter that is also declared as a size binds that size.
      auto found = std::find(names.begin(), names.end(), info.name);
      param.symbol = static_cast<int>(found - names.begin());
      if (found == names.end())
        names.push_back(info.name);
    }
    params.push_back(std::move(param));
  }
  if (names.size() > kMaxSymbols)
    throw Error(ErrorCode::Unsupported,
                fmt::format("kernel {} has {} dynamic sizes and integer "
                            "parameters; {} are supported",
                            metadata.name, names.size(), kMaxSymbols));
  for (Param &param : params) {
    for (const Expr &expr : param.info->shape)
      param.shape.push_back(makeExtent(expr));
    for (const Expr &expr : param.info->strides)
      param.strides.push_back(makeExtent(expr));
  }
  checkDetermined();
}

Binder::Extent Binder::makeExtent(const Expr &expr) const {
  Extent extent;
  extent.program = ExprProgram(expr, names);
  extent.expr = &expr;
  for (unsigned symbol : extent.program.usedSymbols())
    extent.used |= bit(symbol);
  extent.linear = linearSymbols(expr);
  return extent;
}

/// The symbols x for which `expr` is a * x + b with a, b free of x.
std::uint64_t Binder::linearSymbols(const Expr &expr) const {
  if (expr.op == ExprOp::Symbol)
    return bit(std::find(names.begin(), names.end(), expr.symbol) -
               names.begin());
  if (expr.op != ExprOp::Add && expr.op != ExprOp::Sub &&
      expr.op != ExprOp::Mul)
    return 0;
  auto used = [&](const Expr &side) {
    std::uint64_t mask = 0;
    for (unsigned symbol : ExprProgram(side, names).usedSymbols())
      mask |= bit(symbol);
    return mask;
  };
  const Expr &lhs = expr.operands[0], &rhs = expr.operands[1];
  std::uint64_t left = linearSymbols(lhs), right = linearSymbols(rhs);
  std::uint64_t onlyLeft = left & ~used(rhs), onlyRight = right & ~used(lhs);
  std::uint64_t both = expr.op == ExprOp::Mul ? 0 : left & right;
  return onlyLeft | onlyRight | both;
}

void Binder::checkDetermined() const {
  std::uint64_t known = 0, before = 0;
  for (const Param &param : params)
    if (param.symbol >= 0)
      known |= bit(param.symbol);
  do {
    before = known;
    for (const Param &param : params)
      for (const auto *list : {&param.shape, &param.strides})
        for (const Extent &extent : *list) {
          std::uint64_t unknown = extent.used & ~known;
          if (std::has_single_bit(unknown) && (unknown & extent.linear))
            known |= unknown;
        }
  } while (known != before);
  for (unsigned i = 0; i < names.size(); ++i)
    if (!(known & bit(i)))
      throw Error(ErrorCode::InvalidArgument,
                  fmt::format("kernel {}: no argument determines the dynamic "
                              "size '{}': it must be an extent or stride of a "
                              "tensor, alone or in a linear expression, or a "
                              "scalar parameter",
                              metadata.name, names[i]));
}

void Binder::fail(const Param &param, const std::string &text) const {
  throw Error(ErrorCode::InvalidArgument,
              fmt::format("kernel {} input {} {}", metadata.name,
                          param.info->name, text));
}

void Binder::bind(std::span<const Argument> arguments, BoundArguments &bound,
                  DeviceKind device) const {
  checkCount(arguments);
  bound.symbols.assign(names.size(), 0);
  bound.device = device;
  bound.deviceId = 0;
  State state{bound};
  for (std::size_t i = 0; i < params.size(); ++i) {
    const Param &param = params[i];
    const Argument &argument = arguments[i];
    if (param.info->kind == ParamKind::Scalar) {
      bindScalar(param, argument, state);
    } else if (param.info->kind == ParamKind::Handle) {
      if (argument.kind() == Argument::Kind::Float)
        fail(param, "expected a device address, but got a float");
    } else if (argument.kind() == Argument::Kind::Tensor) {
      checkTensor(param, argument.tensor(), device, state);
    } else if (argument.kind() != Argument::Kind::None) {
      fail(param, "expected a tensor, but got a number");
    } else if (param.info->access != Access::None) {
      fail(param, "expected a tensor, but got None (only a parameter that the "
                  "kernel never accesses may be None)");
    }
  }
  solve(arguments, state);
  checkExtents(arguments, state);
}

void Binder::checkCount(std::span<const Argument> arguments) const {
  if (arguments.size() == params.size())
    return;
  std::vector<std::string_view> list;
  list.reserve(params.size());
  for (const Param &param : params)
    list.push_back(param.info->name);
  std::string hint;
  if (!metadata.outputs.empty() &&
      arguments.size() + metadata.outputs.size() == params.size())
    hint = fmt::format("; call allocates {}, launch does not",
                       fmt::join(metadata.outputs, ", "));
  throw Error(ErrorCode::InvalidArgument,
              fmt::format("kernel {} expected {} inputs ({}), but {} are "
                          "provided{}",
                          metadata.name, params.size(), fmt::join(list, ", "),
                          arguments.size(), hint));
}

void Binder::checkTensor(const Param &param, const Tensor &tensor,
                         DeviceKind device, State &state) const {
  const ParamInfo &info = *param.info;
  if (tensor.rank() != param.shape.size())
    fail(param, fmt::format("ndim mismatch, expected {}, but got {} (shape {})",
                            param.shape.size(), tensor.rank(),
                            toString(tensor.shape)));
  if (!compatible(info.dtype, tensor.dtype))
    fail(param, fmt::format("dtype mismatch, expected {}, but got {}",
                            name(info.dtype), name(tensor.dtype)));
  for (std::size_t i = 0; i < tensor.rank(); ++i) {
    if (tensor.shape[i] < 0)
      fail(param, fmt::format("shape[{}] is negative, expected at least 0, but "
                              "got {}",
                              i, tensor.shape[i]));
    const Expr &expected = *param.shape[i].expr;
    if (expected.isConstant() && expected.value != tensor.shape[i])
      fail(param, fmt::format("shape[{}] violates packed ABI constraint, "
                              "expected {}, but got {} (shape {})",
                              i, expected.value, tensor.shape[i],
                              toString(tensor.shape)));
  }
  checkLayout(param, tensor);
  if (!tensor.data && tensor.elements() != 0)
    fail(param, fmt::format("data pointer is NULL, expected {} elements",
                            tensor.elements()));
  if (tensor.device != device)
    fail(param, fmt::format("device_type mismatch, expected {}, but got {}",
                            deviceName(device), deviceName(tensor.device)));
  if (!state.firstTensor) {
    state.firstTensor = &param;
    state.bound.deviceId = tensor.deviceId;
  } else if (tensor.deviceId != state.bound.deviceId) {
    fail(param, fmt::format("device_id mismatch, expected {} as for {}, but "
                            "got {}",
                            state.bound.deviceId, state.firstTensor->info->name,
                            tensor.deviceId));
  }
}

void Binder::checkLayout(const Param &param, const Tensor &tensor) const {
  if (!tensor.strides.empty() && tensor.strides.size() != tensor.rank())
    fail(param, fmt::format("expected {} strides, one for each dimension, but "
                            "got {}",
                            tensor.rank(), tensor.strides.size()));
  if (param.strides.empty() && !isCompact(tensor))
    fail(param, fmt::format("expected to be compact array, but got "
                            "non-compact strides (expected {}, got {}); pass a "
                            "contiguous copy",
                            toString(compactStrides(tensor.shape)),
                            toString(tensor.strides)));
}

void Binder::bindScalar(const Param &param, const Argument &argument,
                        State &state) const {
  // Converting finds out whether the value fits; integers bind their name.
  std::uint64_t bits =
      scalarBits(argument, param.info->dtype, metadata.name, param.info->name);
  if (param.symbol < 0)
    return;
  std::int64_t value = static_cast<std::int64_t>(bits);
  if (argument.kind() == Argument::Kind::Integer)
    value = argument.asInteger();
  if (param.info->dtype == DType::Bool)
    value = value != 0;
  state.bound.symbols[param.symbol] = value;
  state.known |= bit(param.symbol);
  state.origins[param.symbol] = {param.info, false, 0};
}

/// Calls visit(param, extent, isStride, dimension, actual) for each extent and
/// stride that the tensors present give.
template <class Visit>
void Binder::forEachExtent(std::span<const Argument> arguments,
                           Visit visit) const {
  for (std::size_t i = 0; i < params.size(); ++i) {
    const Param &param = params[i];
    if (param.info->kind != ParamKind::Tensor ||
        arguments[i].kind() != Argument::Kind::Tensor)
      continue;
    const Tensor &tensor = arguments[i].tensor();
    for (std::size_t d = 0; d < param.shape.size(); ++d)
      visit(param, param.shape[d], false, d, tensor.shape[d]);
    if (param.strides.empty())
      continue;
    Dims strides =
        tensor.strides.empty() ? compactStrides(tensor.shape) : tensor.strides;
    for (std::size_t d = 0; d < param.strides.size(); ++d)
      if (tensor.shape[d] != 1)
        visit(param, param.strides[d], true, d, strides[d]);
  }
}

void Binder::solve(std::span<const Argument> arguments, State &state) const {
  std::uint64_t wanted =
      names.size() == kMaxSymbols ? ~std::uint64_t{0} : bit(names.size()) - 1;
  std::uint64_t before = 0;
  do {
    before = state.known;
    if (before == wanted)
      return;
    forEachExtent(arguments, [&](const Param &param, const Extent &extent,
                                 bool stride, std::size_t dim,
                                 std::int64_t actual) {
      std::uint64_t unknown = extent.used & ~state.known;
      if (!std::has_single_bit(unknown) || !(unknown & extent.linear))
        return;
      unsigned symbol = std::countr_zero(unknown);
      solveOne(param, extent, {param.info, stride, dim}, actual, symbol, state);
    });
  } while (state.known != before);
  failUnbound(std::countr_zero(wanted & ~state.known));
}

/// extent = a * symbol + b = actual, with a and b from two evaluations.
void Binder::solveOne(const Param &param, const Extent &extent,
                      const Origin &origin, std::int64_t actual,
                      unsigned symbol, State &state) const {
  std::int64_t &value = state.bound.symbols[symbol];
  value = 0;
  std::int64_t offset = extent.program.evaluate(state.bound.symbols);
  value = 1;
  std::int64_t factor = 0, rest = 0;
  if (__builtin_sub_overflow(extent.program.evaluate(state.bound.symbols),
                             offset, &factor) ||
      __builtin_sub_overflow(actual, offset, &rest))
    fail(param,
         fmt::format("{} = {} is out of range", placeOf(origin), actual));
  bool solvable = factor != 0 && (factor == -1 || rest % factor == 0);
  if (!solvable)
    fail(param,
         fmt::format("{} = {} cannot be {} for any integer {}", placeOf(origin),
                     actual, rt::toString(*extent.expr), names[symbol]));
  value = factor == -1 ? -rest : rest / factor;
  if (value < 0)
    fail(param, fmt::format("{} = {} makes the dynamic size {} negative: {}",
                            placeOf(origin), actual, names[symbol], value));
  state.known |= bit(symbol);
  state.origins[symbol] = origin;
}

void Binder::failUnbound(unsigned symbol) const {
  std::vector<std::string_view> list;
  for (const Param &param : params)
    for (const auto *extents : {&param.shape, &param.strides})
      for (const Extent &extent : *extents)
        if ((extent.used & bit(symbol)) &&
            (list.empty() || list.back() != param.info->name))
          list.push_back(param.info->name);
  throw Error(ErrorCode::InvalidArgument,
              fmt::format("kernel {}: Symbolic shape variable {} requires at "
                          "least one non-null buffer among: {}",
                          metadata.name, names[symbol], fmt::join(list, ", ")));
}

void Binder::checkExtents(std::span<const Argument> arguments,
                          State &state) const {
  forEachExtent(arguments, [&](const Param &param, const Extent &extent,
                               bool stride, std::size_t dim,
                               std::int64_t actual) {
    std::int64_t expected = extent.program.evaluate(state.bound.symbols);
    if (expected == actual)
      return;
    std::string why;
    for (unsigned symbol : extent.program.usedSymbols()) {
      why += fmt::format("{}{} = {} from {}", why.empty() ? "" : ", ",
                         names[symbol], state.bound.symbols[symbol],
                         placeOf(state.origins[symbol]));
    }
    std::string declared = rt::toString(*extent.expr);
    fail(param,
         fmt::format("{}[{}] violates packed ABI constraint, expected {}{}, "
                     "but got {}",
                     stride ? "stride" : "shape", dim,
                     extent.used ? declared + " = " : std::string(), expected,
                     actual) +
             (why.empty() ? "" : " (" + why + ")"));
  });
}

} // namespace tlc::rt
