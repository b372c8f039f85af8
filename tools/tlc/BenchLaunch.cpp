// tlc bench --launch: what a launch costs the host.
#include "tools/tlc/Bench.h"

#include "kernels/harness/Statistics.h"
#include "kernels/harness/Table.h"
#include "runtime/core/Launch.h"
#include "runtime/core/Stream.h"
#include "tlc/Jit.h"

#include <chrono>
#include <functional>

namespace tlc::cli {

using kernels::Json;
using kernels::Summary;

// As good as empty on the device, so that the host is what is measured.
static constexpr char kSix[] = R"(import tilelang.language as T

n = T.dynamic("n")

@T.prim_func
def six(A: T.Tensor((n, 64), "float32"), B: T.Tensor((n, 64), "float32"),
        C: T.Tensor((n, 64), "float32"), D: T.Tensor((n, 64), "float32"),
        E: T.Tensor((n, 64), "float32"), F: T.Tensor((n, 64), "float32")):
    with T.Kernel(1, threads=128) as b:
        for j in T.Parallel(64):
            F[0, j] = A[0, j] + B[0, j] + C[0, j] + D[0, j] + E[0, j]
)";

namespace {
struct Way {
  const char *name;
  const char *goal; ///< us over the first
  std::function<void(int)> call;
};
} // namespace

/// Microseconds a call, of batches that the device keeps up with.
static std::vector<double> sample(const rt::Stream &stream,
                                  const std::function<void(int)> &call) {
  constexpr int kBatches = 10, kCalls = 200;
  std::vector<double> list;
  for (int batch = 0; batch < kBatches; ++batch) {
    stream.synchronize();
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kCalls; ++i)
      call(i);
    const std::chrono::duration<double, std::micro> time =
        std::chrono::steady_clock::now() - begin;
    list.push_back(time.count() / kCalls);
  }
  return list;
}

static std::vector<Summary>
takeTurns(const rt::Stream &stream, const std::vector<Way> &ways, int rounds) {
  std::vector<std::vector<std::vector<double>>> found(ways.size());
  sample(stream, ways.front().call); // warm
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < ways.size(); ++i)
      found[i].push_back(sample(stream, ways[i].call));
  std::vector<Summary> summaries;
  summaries.reserve(found.size());
  for (const auto &list : found)
    summaries.push_back(kernels::summarize(list));
  return summaries;
}

static std::vector<Array> tensors() {
  constexpr int kTensors = 6;
  std::vector<Array> list;
  list.reserve(kTensors);
  for (int i = 0; i < kTensors; ++i)
    list.emplace_back(DType::Float32, Dims{256, 64}, Device::gpu());
  return list;
}

static kernels::BenchResult report(const std::vector<Way> &ways,
                                   const std::vector<Summary> &summaries) {
  kernels::BenchResult result;
  result.json = {{"benchmark", "launch"}, {"ways", Json::array()}};
  kernels::Table table({"six tensors", "us", "+-%", "over bare", "goal"});
  for (std::size_t i = 0; i < ways.size(); ++i) {
    table.row({ways[i].name, kernels::fixed(summaries[i].median, 2),
               kernels::fixed(summaries[i].spreadPercent, 1),
               kernels::fixed(summaries[i].median - summaries[0].median, 2),
               ways[i].goal});
    Json json = kernels::jsonOf(summaries[i]);
    json["way"] = ways[i].name;
    result.json["ways"].push_back(std::move(json));
  }
  result.summary = table.text();
  return result;
}

kernels::BenchResult benchLaunch(const kernels::BenchOptions &bench) {
  rt::Device::get().makeCurrent();
  const CompiledModule module = tlc::compile(Source{kSix, "six.tl"});
  const Kernel kernel = module.kernel();
  const std::vector<Array> one = tensors(), other = tensors();
  const rt::Stream stream;
  const auto launch = [&](const std::vector<Array> &t) {
    kernel.launch(stream.handle(), t[0], t[1], t[2], t[3], t[4], t[5]);
  };

  const rt::LoadedKernel loaded(
      rt::parseMetadata(module.metadata(), "metadata"),
      std::vector<char>(module.cubin().begin(), module.cubin().end()));
  const std::vector<Argument> arguments(one.begin(), one.end());
  rt::PreparedLaunch prepared;
  loaded.prepare(arguments, prepared);
  rt::PackedLaunch &packed = prepared.launches.front();
  packed.config.stream = stream.handle();
  packed.config.attributes = packed.attributes.data();
  const Plan plan = kernel.prepareArguments(arguments);
  const rt::Driver &driver = rt::Driver::get();

  const std::vector<Way> ways = {
      {"bare cuLaunchKernelEx", "",
       [&](int) {
         driver.check(driver.launchKernelEx(&packed.config, packed.function,
                                            packed.slots.data(), nullptr),
                      "launching");
       }},
      {"prepared plan", "0.50", [&](int) { plan.launch(stream.handle()); }},
      {"checked, same tensors", "1.50", [&](int) { launch(one); }},
      {"checked, other tensors", "",
       [&](int i) { launch(i % 2 != 0 ? one : other); }}};
  return report(ways, takeTurns(stream, ways, bench.rounds));
}

} // namespace tlc::cli
