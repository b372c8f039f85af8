// What a launch costs the host, beside a bare cuLaunchKernelEx with the same
// parameters. Hidden and for a machine with a GPU; JitTest "[bench]" prints it.
#include "tlc/tlc.h"

#include "runtime/core/Driver.h"
#include "runtime/core/Launch.h"
#include "runtime/core/Stream.h"
#include "test/support/Catch.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <vector>

using namespace tlc;

namespace {

// As good as empty on the device, so that the host is what is measured.
constexpr char kSix[] = R"(import tilelang.language as T

n = T.dynamic("n")

@T.prim_func
def six(A: T.Tensor((n, 64), "float32"), B: T.Tensor((n, 64), "float32"),
        C: T.Tensor((n, 64), "float32"), D: T.Tensor((n, 64), "float32"),
        E: T.Tensor((n, 64), "float32"), F: T.Tensor((n, 64), "float32")):
    with T.Kernel(1, threads=128) as b:
        for j in T.Parallel(64):
            F[0, j] = A[0, j] + B[0, j] + C[0, j] + D[0, j] + E[0, j]
)";

/// Microseconds a call, the median of batches that the device keeps up with.
double cost(const rt::Stream &stream, const std::function<void(int)> &call) {
  constexpr int kBatches = 50, kCalls = 200;
  std::vector<double> list;
  for (int batch = 0; batch < kBatches; ++batch) {
    stream.synchronize();
    auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kCalls; ++i)
      call(i);
    std::chrono::duration<double, std::micro> time =
        std::chrono::steady_clock::now() - begin;
    list.push_back(time.count() / kCalls);
  }
  std::ranges::sort(list);
  return list[list.size() / 2];
}

std::vector<Array> tensors() {
  std::vector<Array> list;
  for (int i = 0; i < 6; ++i)
    list.emplace_back(DType::Float32, Dims{256, 64}, Device::gpu());
  return list;
}

} // namespace

TEST_CASE("launch cost", "[.][bench]") {
  std::string why;
  if (!rt::Driver::available(&why)) {
    std::printf("launch cost: skipped, %s\n", why.c_str());
    return;
  }
  CompiledModule module = compile(Source{kSix, "six.tl"});
  Kernel kernel = module.kernel();
  std::vector<Array> one = tensors(), other = tensors();
  auto launch = [&](rt::Stream &stream, const std::vector<Array> &t) {
    kernel.launch(stream.handle(), t[0], t[1], t[2], t[3], t[4], t[5]);
  };

  rt::Stream stream;
  const rt::Driver &driver = rt::Driver::get();
  rt::LoadedKernel loaded(
      rt::parseMetadata(module.metadata(), "metadata"),
      std::vector<char>(module.cubin().begin(), module.cubin().end()));
  std::vector<Argument> arguments(one.begin(), one.end());
  rt::PreparedLaunch prepared;
  loaded.prepare(arguments, prepared);
  rt::PackedLaunch &packed = prepared.launches.front();
  packed.config.stream = stream.handle();
  packed.config.attributes = packed.attributes.data();
  Plan plan = kernel.prepareArguments(arguments);

  auto bare = [&](int) {
    driver.check(driver.launchKernelEx(&packed.config, packed.function,
                                       packed.slots.data(), nullptr),
                 "launching");
  };
  cost(stream, bare); // warm
  const double bareUs = cost(stream, bare);
  const double planUs =
      cost(stream, [&](int) { plan.launch(stream.handle()); });
  const double sameUs = cost(stream, [&](int) { launch(stream, one); });
  const double changedUs =
      cost(stream, [&](int i) { launch(stream, i % 2 ? one : other); });
  const double againUs = cost(stream, bare);
  std::printf("six tensors, us a launch: bare %.2f and %.2f, plan %.2f, "
              "checked %.2f, checked with other tensors each time %.2f\n",
              bareUs, againUs, planUs, sameUs, changedUs);
}
