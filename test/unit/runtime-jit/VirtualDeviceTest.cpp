// Kernels on the virtual device through the public API: results against the
// definition, in C++.
#include "tlc/tlc.h"

#include "test/support/Catch.h"
#include "test/unit/runtime-jit/Kernels.h"
#include "test/unit/runtime/ErrorText.h"

#include <cstdlib>
#include <string>
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

TEST_CASE("virtual device: the interpreter is a device of its own", "[jit]") {
  constexpr Device kInterp = Device::interp();
  CHECK(kInterp.isVirtual());
  CHECK(kInterp.isInterp());
  CHECK(!kCpu.isInterp());
  CHECK(kInterp != kCpu);
  CHECK(kInterp.name() == "interpreter (CPU)");
  CHECK(kCpu.name() == "virtual SM (CPU)");
  JitOptions options;
  options.device = kInterp;
  Kernel kernel = jit(scaleSource(), options);
  CHECK(kernel.isVirtual());
  Array input(DType::Float32, {3}, kInterp, {1, 2, 3});
  // Host memory is host memory, whichever of the two it was made for.
  Array output(DType::Float32, {3}, kCpu);
  kernel.launch(nullptr, input, output);
  CHECK(output.values() == std::vector<double>{3, 5, 7});
  CHECK(input.device() == kInterp);
  CHECK(kernel.call(nullptr, {"Y"}, input)[0].device() == kInterp);
}

TEST_CASE("virtual device: TLC_DEVICE chooses", "[jit]") {
  const char *old = std::getenv("TLC_DEVICE");
  const std::string before = old ? old : "";
  setenv("TLC_DEVICE", "virtual", 1);
  CHECK(Device::best() == Device::virtual_sm());
  setenv("TLC_DEVICE", "interp", 1);
  CHECK(Device::best() == Device::interp());
  setenv("TLC_DEVICE", "gpu:1", 1);
  CHECK(Device::best() == Device::gpu(1));
  setenv("TLC_DEVICE", "cpu", 1);
  CHECK(errorText([] { Device::best(); }) ==
        "TLC_DEVICE is 'cpu', expected gpu, gpu:N, virtual or interp");
  if (old)
    setenv("TLC_DEVICE", before.c_str(), 1);
  else
    unsetenv("TLC_DEVICE");
}

TEST_CASE("virtual device: the lowered program runs, and its race is an error",
          "[jit]") {
  const Source source{R"(import tilelang.language as T

@T.prim_func
def total(A: T.Tensor((9, 64, 64), "float32"),
          B: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=128) as b:
        s = T.alloc_shared((64, 64), "float32")
        c = T.alloc_fragment((64, 64), "float32")
        T.clear(c)
        for k in T.Pipelined(9, num_stages=2):
            T.copy(A[k, :, :], s)
            for i, j in T.Parallel(64, 64):
                c[i, j] = c[i, j] + s[i, j]
        T.copy(c, B)
)",
                      "total.tl"};
  const std::vector<double> a = counting(9 * 64 * 64);
  const Array input(DType::Float32, {9, 64, 64}, kCpu, a);
  Array output(DType::Float32, {64, 64}, kCpu);
  Kernel right = jit(source, onCpu());
  right.launch(nullptr, input, output);
  const std::vector<double> sums = output.values();
  for (std::size_t i = 0; i < sums.size(); ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < 9; ++k)
      sum += a[k * sums.size() + i];
    REQUIRE(sums[i] == sum);
  }

  // What is known to fail on hardware, too, and is right as it is written.
  JitOptions options = onCpu();
  options.warFence = "membar";
  Kernel racing = jit(source, options);
  try {
    racing.launch(nullptr, input, output);
    FAIL("no race found");
  } catch (const Error &error) {
    CHECK(error.code() == ErrorCode::Device);
    CHECK_THAT(error.what(),
               Catch::StartsWith("running kernel total on the virtual SM (CPU) "
                                 "failed:\nRACE  s, slot "));
    const std::string report(error.diagnostics());
    CHECK_THAT(report, Contains("total.tl:11") && Contains("total.tl:12") &&
                           Contains("fence.proxy.async between"));
  }
  options.device = Device::interp();
  jit(source, options).launch(nullptr, input, output);
  CHECK(output.values() == sums);
}

TEST_CASE("virtual device: an index outside is an error of the run", "[jit]") {
  const Source source{R"(import tilelang.language as T

@T.prim_func
def pick(I: T.Tensor((1,), "int32"), Y: T.Tensor((1,), "int32")):
    with T.Kernel(1, threads=32) as b:
        s = T.alloc_shared((4,), "int32")
        for i in T.Parallel(4):
            s[i] = i * 10
        Y[0] = s[I[0]]
)",
                      "pick.tl"};
  for (Device device : {Device::virtual_sm(), Device::interp()}) {
    JitOptions options;
    options.device = device;
    Kernel kernel = jit(source, options);
    Array index(DType::Int32, {1}, device, {3});
    Array output(DType::Int32, {1}, device);
    kernel.launch(nullptr, index, output);
    CHECK(output.values()[0] == 30);
    index.assign(std::vector<double>{4});
    ErrorCode code{};
    const std::string text =
        errorText([&] { kernel.launch(nullptr, index, output); }, &code);
    INFO(text);
    CHECK(code == ErrorCode::Device);
    CHECK_THAT(text, Catch::StartsWith("running kernel pick on the " +
                                       device.name() + " failed:\n"));
    CHECK_THAT(text, Contains("pick.tl:9"));
    // The kernel is as good as before.
    index.assign(std::vector<double>{2});
    kernel.launch(nullptr, index, output);
    CHECK(output.values()[0] == 20);
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
