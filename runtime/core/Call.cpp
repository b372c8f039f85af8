// Launches that allocate some of their tensors: the shapes follow from those of
// the others.
#include "runtime/core/Binding.h"
#include "runtime/core/Launch.h"

#include <fmt/format.h>

#include <algorithm>

namespace tlc {
namespace {

[[noreturn]] void fail(const rt::LaunchMetadata &metadata,
                       const std::string &text) {
  throw Error(ErrorCode::InvalidArgument,
              fmt::format("kernel {}: {}", metadata.name, text));
}

void checkOutputs(const rt::LaunchMetadata &metadata,
                  std::span<const std::string_view> outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    int index = metadata.paramIndex(outputs[i]);
    if (index < 0)
      fail(metadata,
           fmt::format("there is no parameter '{}' to allocate", outputs[i]));
    if (metadata.params[index].kind != rt::ParamKind::Tensor)
      fail(metadata, fmt::format("the parameter '{}' is no tensor, so it "
                                 "cannot be allocated",
                                 outputs[i]));
    if (std::ranges::count(outputs, outputs[i]) > 1)
      fail(metadata,
           fmt::format("the output '{}' is listed twice", outputs[i]));
  }
}

/// The kernel as it looks without its outputs.
rt::LaunchMetadata inputsOf(const rt::LaunchMetadata &metadata,
                            std::span<const std::string_view> outputs) {
  rt::LaunchMetadata inputs;
  inputs.name = metadata.name;
  inputs.symbols = metadata.symbols;
  for (const rt::ParamInfo &param : metadata.params)
    if (std::ranges::find(outputs, param.name) == outputs.end())
      inputs.params.push_back(param);
  return inputs;
}

Array allocate(const rt::ParamInfo &param, std::span<const std::string> names,
               std::span<const std::int64_t> values, Device device) {
  Dims shape;
  for (const rt::Expr &extent : param.shape)
    shape.push(rt::ExprProgram(extent, names).evaluate(values));
  return Array(param.dtype, shape, device);
}

} // namespace

std::vector<Array>
Kernel::callArguments(StreamHandle stream,
                      std::span<const Argument> inputs) const {
  const rt::LaunchMetadata &metadata = loaded->metadata();
  if (metadata.outputs.empty())
    fail(metadata, "nothing says which tensors are outputs (out_idx of "
                   "@tilelang.jit, or T.empty); name them in call(stream, "
                   "{\"C\"}, ...), or pass them to launch");
  const std::vector<std::string_view> outputs(metadata.outputs.begin(),
                                              metadata.outputs.end());
  return callArguments(stream, outputs, inputs);
}

std::vector<Array>
Kernel::callArguments(StreamHandle stream,
                      std::span<const std::string_view> outputs,
                      std::span<const Argument> inputs) const {
  const rt::LaunchMetadata &metadata = loaded->metadata();
  checkOutputs(metadata, outputs);
  const rt::LaunchMetadata reduced = inputsOf(metadata, outputs);
  rt::BoundArguments bound;
  const rt::Binder binder(reduced);
  binder.bind(inputs, bound, isVirtual() ? DeviceKind::Host : DeviceKind::Cuda);
  Device device =
      isVirtual() ? loaded->origin()->device() : Device::gpu(bound.deviceId);
  std::vector<Array> results;
  for (std::string_view output : outputs)
    results.push_back(allocate(metadata.params[metadata.paramIndex(output)],
                               binder.symbolNames(), bound.symbols, device));
  std::vector<Argument> arguments;
  auto input = inputs.begin();
  for (const rt::ParamInfo &param : metadata.params) {
    auto output = std::ranges::find(outputs, param.name);
    if (output != outputs.end())
      arguments.emplace_back(results[output - outputs.begin()]);
    else
      arguments.push_back(*input++);
  }
  launchArguments(stream, arguments);
  return results;
}

} // namespace tlc
