// tlc bench FILE.tl: a kernel on inputs of its signature.
#include "tools/tlc/Bench.h"

#include "compiler/driver/Compiler.h"
#include "kernels/harness/Statistics.h"
#include "kernels/harness/Table.h"
#include "runtime/core/DeviceBuffer.h"
#include "tlc/Timing.h"
#include "tools/tlc/Options.h"

#include "llvm/ADT/StringExtras.h"

#include <cstdio>
#include <optional>

namespace tlc::cli {

using kernels::Json;
using kernels::Summary;

namespace {
/// One way to time the same launches.
struct Method {
  const char *name;
  TimeMethod method;
  bool rotate;
};
constexpr Method kMethods[] = {{"graph, cold", TimeMethod::Graph, true},
                               {"graph, warm", TimeMethod::Graph, false},
                               {"events, cold", TimeMethod::Events, true}};

/// Arguments with the tensors on the device.
struct DeviceArguments {
  std::vector<std::optional<rt::DeviceTensor>> tensors;
  std::vector<Argument> list;

  explicit DeviceArguments(std::vector<RunArgument> &host)
      : tensors(host.size()) {
    for (size_t i = 0; i < host.size(); ++i) {
      if (host[i].tensor)
        tensors[i].emplace(*host[i].tensor);
      list.push_back(tensors[i] ? Argument(tensors[i]->view())
                                : host[i].argument());
    }
  }
};
} // namespace

/// The kernel at the tile level as metadata, or nothing after a report.
static std::optional<rt::LaunchMetadata> describe(Compilation &compilation,
                                                  Status &status) {
  status = compilation.elaborate();
  if (status != Status::Ok)
    return std::nullopt;
  tile::KernelOp kernel;
  std::vector<std::string> names;
  for (auto candidate : compilation.module().getOps<tile::KernelOp>()) {
    names.push_back(candidate.getSymName().str());
    kernel = candidate;
  }
  if (names.size() == 1)
    return rt::parseMetadata(
        Compilation::describe(kernel, compilation.options().arch), "metadata");
  compilation.diagnostics().report(names.empty() ? Diag::NoKernel
                                                 : Diag::AmbiguousKernel)
      << llvm::join(names, ", ");
  status = Status::Input;
  return std::nullopt;
}

/// Bytes of all tensors, each once for each way the kernel uses it.
static double trafficOf(const std::vector<RunArgument> &list) {
  double bytes = 0;
  for (const RunArgument &argument : list)
    if (argument.tensor) {
      const double size = static_cast<double>(argument.tensor->bytes().size());
      const rt::Access access = argument.param->access;
      bytes += access == rt::Access::ReadWrite ? 2 * size
               : access == rt::Access::None    ? 0
                                               : size;
    }
  return bytes;
}

static std::vector<Summary> timeMethods(const Kernel &kernel,
                                        std::span<const Argument> arguments,
                                        const kernels::BenchOptions &bench) {
  std::vector<std::vector<std::vector<double>>> found(std::size(kMethods));
  for (int round = 0; round < bench.rounds; ++round)
    for (size_t i = 0; i < std::size(kMethods); ++i)
      found[i].push_back(timeArguments(kernel, arguments,
                                       {.method = kMethods[i].method,
                                        .warmups = 2,
                                        .samples = bench.samples,
                                        .launchesPerSample = bench.launches,
                                        .rotate = kMethods[i].rotate})
                             .samplesUs);
  std::vector<Summary> summaries;
  summaries.reserve(found.size());
  for (const auto &rounds : found)
    summaries.push_back(kernels::summarize(rounds));
  return summaries;
}

static kernels::BenchResult report(const std::string &name, double bytes,
                                   const std::vector<Summary> &summaries) {
  kernels::BenchResult result;
  result.json = {{"benchmark", name}, {"bytes", bytes}};
  kernels::Table table({name, "us", "+-%", "fastest", "slowest", "GB/s"});
  for (size_t i = 0; i < summaries.size(); ++i) {
    const Summary &s = summaries[i];
    const double rate = bytes / s.median * 1e6;
    table.row({kMethods[i].name, kernels::fixed(s.median, 2),
               kernels::fixed(s.spreadPercent, 1), kernels::fixed(s.least, 2),
               kernels::fixed(s.most, 2), kernels::fixed(rate / 1e9, 1)});
    Json json = kernels::jsonOf(s);
    json["bytes_per_second"] = rate;
    result.json[kMethods[i].name] = std::move(json);
  }
  result.summary = table.text() + kernels::fixed(bytes / 1e6, 2) +
                   " MB: each tensor once for each way it is used\n";
  return result;
}

kernels::BenchResult benchFile(const std::string &path,
                               const CompileOptions &options,
                               const RunRequest &request,
                               const kernels::BenchOptions &bench, int &code) {
  Compilation compilation(options);
  const auto stop = [&](Status status) {
    code = std::max(code, finish(compilation, status));
    kernels::BenchResult failed;
    failed.json = {{"benchmark", path}, {"exit", static_cast<int>(status)}};
    return failed;
  };
  Status status = compilation.readFile(path);
  if (status != Status::Ok)
    return stop(status);
  const std::optional<rt::LaunchMetadata> metadata =
      describe(compilation, status);
  if (!metadata)
    return stop(status);
  std::optional<RunArguments> arguments =
      makeArguments(*metadata, request, compilation.diagnostics());
  if (!arguments)
    return stop(Status::Input);
  rt::Device::get().makeCurrent();
  status = compilation.compile();
  if (status != Status::Ok)
    return stop(status);
  finish(compilation, Status::Ok); // its warnings
  const CompiledKernel &compiled = compilation.kernels().front();
  const Kernel kernel = loadFromMemory(compiled.cubin, compiled.metadata);
  DeviceArguments device(arguments->list);
  return report(metadata->name, trafficOf(arguments->list),
                timeMethods(kernel, device.list, bench));
}

} // namespace tlc::cli
