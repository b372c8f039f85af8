// Kernels on the virtual device through the public API: results against the
// definition, in C++.
#include "tlc/tlc.h"

#include "test/support/Catch.h"
#include "test/unit/runtime-jit/Kernels.h"
#include "test/unit/runtime/ErrorText.h"

#include <vector>

using namespace tlc;
using namespace tlc::test;
using Catch::Contains;

namespace {

std::vector<double> counting(std::size_t n) {
  std::vector<double> values(n);
  for (std::size_t i = 0; i < n; ++i)
    values[i] = static_cast<double>(i % 100);
  return values;
}

constexpr Device kCpu = Device::virtual_sm();

} // namespace

TEST_CASE("virtual device: a kernel computes what it says", "[jit]") {
  JitOptions options = onCpu();
  options.params = {{"factor", 3}};
  Kernel kernel = jit(scaleSource(), options);
  CHECK(kernel.isVirtual());
  CHECK(kernel.parameters() == std::vector<std::string>{"X", "Y"});
  for (std::int64_t n : {1, 255, 256, 257, 1000}) {
    const std::vector<double> x = counting(n);
    Array input(DType::Float32, {n}, kCpu, x);
    Array output(DType::Float32, {n}, kCpu);
    kernel.launch(nullptr, input, output);
    const std::vector<double> y = output.values();
    for (std::int64_t i = 0; i < n; ++i)
      REQUIRE(y[i] == x[i] * 3 + 1);
  }
}

TEST_CASE("virtual device: empty tensors need no memory", "[jit]") {
  Kernel kernel = jit(scaleSource(), onCpu());
  Array input(DType::Float32, {0}, kCpu), output(DType::Float32, {0}, kCpu);
  kernel.launch(nullptr, input, output);
  Tensor nothing;
  nothing.shape = {0};
  nothing.device = DeviceKind::Host;
  kernel.launch(nullptr, nothing, nothing);
}

TEST_CASE("virtual device: a plan runs again and again", "[jit]") {
  Kernel kernel = jit(scaleSource(), onCpu());
  Array input(DType::Float32, {4}, kCpu, std::vector<double>{1, 2, 3, 4});
  Array output(DType::Float32, {4}, kCpu);
  Plan plan = kernel.prepare(input, output);
  plan.launch();
  CHECK(output.values() == std::vector<double>{3, 5, 7, 9});
  input.assign(std::vector<double>{0, 0, 1, 1});
  plan.launch();
  CHECK(output.values() == std::vector<double>{1, 1, 3, 3});
}

TEST_CASE("virtual device: scalars, None and allocated outputs", "[jit]") {
  Kernel kernel = jit(addSource(), onCpu());
  std::vector<double> a = counting(80);
  Array input(DType::BFloat16, {5, 16}, kCpu, a);
  std::vector<Array> outputs = kernel.call(nullptr, {"C"}, input, 0.5, nullptr);
  REQUIRE(outputs.size() == 1);
  CHECK(outputs[0].tensor().shape == Dims{5, 16});
  std::vector<double> c = outputs[0].values();
  for (std::size_t i = 0; i < c.size(); ++i)
    REQUIRE(c[i] == a[i] + 0.5);
}

TEST_CASE("virtual device: out_idx and T.empty say what is allocated",
          "[jit]") {
  std::vector<double> x = counting(70);
  Array input(DType::Float32, {70}, kCpu, x);
  // Y before X in the order of the parameters, returned as out_idx lists them.
  Kernel lazy = jit(Source{R"(import tilelang
import tilelang.language as T

n = T.dynamic("n")

@tilelang.jit(out_idx=[-1, 0])
def double():
    @T.prim_func
    def main(Y: T.Tensor((n,), "float32"), X: T.Tensor((n,), "float32"),
             Z: T.Tensor((2, n), "float32")):
        with T.Kernel(T.ceildiv(n, 64), threads=64) as b:
            for i in T.Parallel(64):
                if b * 64 + i < n:
                    Y[b * 64 + i] = X[b * 64 + i] * 2
                    Z[1, b * 64 + i] = X[b * 64 + i] * 3
                    Z[0, b * 64 + i] = 0
    return main
)",
                           "lazy.tl"},
                    onCpu());
  CHECK(lazy.outputs() == std::vector<std::string>{"Z", "Y"});
  std::vector<Array> results = lazy(nullptr, input);
  REQUIRE(results.size() == 2);
  CHECK(results[0].tensor().shape == Dims{2, 70});
  CHECK(results[1].tensor().shape == Dims{70});
  for (int i = 0; i < 70; ++i) {
    REQUIRE(results[0].values()[70 + i] == x[i] * 3);
    REQUIRE(results[1].values()[i] == x[i] * 2);
  }

  Kernel eager = jit(Source{R"(import tilelang
import tilelang.language as T

@tilelang.jit
def triple(X):
    m = T.dynamic("m")
    X: T.Tensor((m,), "float32")
    Y = T.empty((m + 1,), "float32")
    with T.Kernel(m + 1, threads=32) as b:
        Y[b] = T.if_then_else(b < m, X[b] * 3, 0)
    return Y
)",
                            "eager.tl"},
                     onCpu());
  CHECK(eager.outputs() == std::vector<std::string>{"Y"});
  std::vector<Array> tripled = eager.call(nullptr, input);
  REQUIRE(tripled.size() == 1);
  REQUIRE(tripled[0].tensor().shape == Dims{71});
  CHECK(tripled[0].values()[69] == x[69] * 3);
  CHECK(tripled[0].values()[70] == 0);
  CHECK_THAT(errorText([&] { jit(scaleSource(), onCpu())(nullptr, input); }),
             Catch::StartsWith("kernel main: nothing says which tensors are "
                               "outputs"));
}

TEST_CASE("virtual device: what cannot be allocated is named", "[jit]") {
  Kernel kernel = jit(addSource(), onCpu());
  Array input(DType::BFloat16, {5, 16}, kCpu);
  Array unused(DType::Int32, {5}, kCpu);
  CHECK(errorText([&] { kernel.call(nullptr, {"D"}, input, 1.0, unused); }) ==
        "kernel add: there is no parameter 'D' to allocate");
  CHECK(errorText([&] { kernel.call(nullptr, {"s"}, input, unused); }) ==
        "kernel add: the parameter 's' is no tensor, so it cannot be "
        "allocated");
  CHECK(errorText([&] {
          kernel.call(nullptr, {"C", "C"}, input, 1.0, unused);
        }) == "kernel add: the output 'C' is listed twice");
  CHECK(errorText([&] { kernel.call(nullptr, {"C"}, input, 1.0); }) ==
        "kernel add expected 3 inputs (A, s, unused), but 2 are provided");
  // Nothing is left that m could come from.
  CHECK_THAT(
      errorText([&] { kernel.call(nullptr, {"A", "unused", "C"}, 1.0); }),
      Contains("no argument determines the dynamic size 'm'"));
}

TEST_CASE("virtual device: levels of a kernel can be shown", "[jit]") {
  Kernel kernel = jit(scaleSource(), onCpu());
  CHECK_THAT(kernel.source(SourceLevel::Tile), Contains("tile.kernel"));
  CHECK_THAT(kernel.source(SourceLevel::Ast), Contains("FunctionDef"));
}

TEST_CASE("virtual device: runs are timed", "[jit]") {
  Kernel kernel = jit(scaleSource(), onCpu());
  Array input(DType::Float32, {256}, kCpu), output(DType::Float32, {256}, kCpu);
  TimeOptions options;
  options.samples = 5;
  TimeResult result = time(kernel, options, input, output);
  CHECK(result.samplesUs.size() == 5);
  CHECK(result.minUs > 0);
  CHECK(result.minUs <= result.medianUs);
  CHECK(result.medianUs <= result.maxUs);
  options.samples = 0;
  CHECK(errorText([&] { time(kernel, options, input, output); }) ==
        "timing needs at least one sample of one launch");
}
