// Workspaces (T.alloc_global) through the JIT: results against the definition,
// on the CPU and, where there is one, on a GPU; there also calls that overlap
// on several streams and nodes of a graph.
#include "tlc/tlc.h"

#include "runtime/core/Driver.h"
#include "runtime/core/Stream.h"
#include "test/support/Catch.h"
#include "test/unit/runtime/ErrorText.h"

#include <cstdint>
#include <deque>
#include <vector>

using namespace tlc;
using namespace tlc::test;

namespace {

/// C[i, j] = sum over k of 2 A[n - 1 - i, k] B[k, j]: the second launch loads
/// by TMA what blocks of the first one stored in the opposite order.
constexpr char kProduct[] = R"(
n = T.dynamic("n")

@T.prim_func
def product(A: T.Tensor((n, 32), "bfloat16"), B: T.Tensor((32, 64), "bfloat16"),
            C: T.Tensor((n, 64), "float32")):
    W = T.alloc_global((n + 3, 32), "bfloat16")
    with T.Kernel(T.ceildiv(n, 16), threads=128) as b:
        for i, j in T.Parallel(16, 32):
            if b * 16 + i < n:
                W[n - 1 - (b * 16 + i), j] = A[b * 16 + i, j] * 2
    with T.Kernel(T.ceildiv(n, 64), threads=128) as b:
        w = T.alloc_shared((64, 32), "bfloat16")
        y = T.alloc_shared((32, 64), "bfloat16")
        sums = T.alloc_fragment((64, 64), "float32")
        T.clear(sums)
        for k in T.Pipelined(1, num_stages=2):
            T.copy(W[b * 64, 0], w)
            T.copy(B, y)
            T.gemm(w, y, sums)
        T.copy(sums, C[b * 64, 0])
)";

/// Operands of one call and what it must give. Whole numbers that every type
/// holds, and sums below 2^24.
struct Call {
  std::int64_t n;
  std::vector<double> a, b;
  Array inputA, inputB, output;

  Call(std::int64_t n, int seed, Device device)
      : n(n), a(n * 32), b(32 * 64),
        inputA(DType::BFloat16, {n, 32}, device, fill(a, seed, 13)),
        inputB(DType::BFloat16, {32, 64}, device, fill(b, seed, 7)),
        output(DType::Float32, {n, 64}, device) {}

  static const std::vector<double> &fill(std::vector<double> &values, int seed,
                                         int period) {
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] =
          static_cast<double>((i * i + i * seed + seed) % period) - period / 2;
    return values;
  }
  /// Elements that differ from the definition.
  int wrong() const {
    const std::vector<double> c = output.values();
    int count = 0;
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < 64; ++j) {
        double sum = 0;
        for (std::int64_t k = 0; k < 32; ++k)
          sum += 2 * a[(n - 1 - i) * 32 + k] * b[k * 64 + j];
        count += sum != c[i * 64 + j];
      }
    return count;
  }
};

void checkSizes(Device device) {
  Kernel kernel = jit(Source{kProduct, "product.tl"}, {.device = device});
  CHECK(kernel.parameters() == std::vector<std::string>{"A", "B", "C"});
  for (std::int64_t n : {0, 1, 15, 16, 63, 64, 65, 130}) {
    INFO(n);
    Call call(n, 3, device);
    kernel.launch(nullptr, call.inputA, call.inputB, call.output);
    CHECK(call.wrong() == 0);
  }
  Call call(70, 5, device);
  Plan plan = kernel.prepare(call.inputA, call.inputB, call.output);
  plan.launch();
  plan.launch();
  CHECK(call.wrong() == 0);
}

/// T.alloc_global of a size that a caller gives as a number.
constexpr char kShifted[] = R"(
@T.prim_func
def shifted(m: T.int32, C: T.Tensor((4,), "int32")):
    W = T.alloc_global((m - 2,), "int32")
    with T.Kernel(1, threads=32):
        for i in T.Parallel(4):
            if i < m - 2:
                W[i] = i + 5
    with T.Kernel(1, threads=32):
        for i in T.Parallel(4):
            C[i] = 0
            if i < m - 2:
                C[i] = W[m - 3 - i]
)";

void checkNumbers(Device device) {
  Kernel kernel = jit(Source{kShifted, "shifted.tl"}, {.device = device});
  Array c(DType::Int32, {4}, device);
  kernel.launch(nullptr, 5, c);
  CHECK(c.values() == std::vector<double>{7, 6, 5, 0});
  kernel.launch(nullptr, 2, c);
  CHECK(c.values() == std::vector<double>{0, 0, 0, 0});
  ErrorCode code{};
  CHECK(errorText([&] { kernel.launch(nullptr, 1, c); }, &code) ==
        "kernel shifted workspace W shape[0] is m - 2 = -1, expected at least "
        "0");
  CHECK(code == ErrorCode::InvalidArgument);
}

bool hasGpu() {
  std::string why;
  if (rt::Driver::available(&why))
    return true;
  WARN("skipped: " << why);
  return false;
}

/// Calls of different data, a stream and a plan for each.
struct Streams {
  static constexpr int kCount = 4;
  std::deque<Call> calls;
  std::vector<Plan> plans;
  std::vector<rt::Stream> streams;

  explicit Streams(const Kernel &kernel) {
    for (int i = 0; i < kCount; ++i) {
      Call &call = calls.emplace_back(4000 + i, i + 1, Device::gpu());
      plans.push_back(kernel.prepare(call.inputA, call.inputB, call.output));
      streams.emplace_back();
    }
    rt::synchronizeDevice();
  }
  void launch() {
    for (int i = 0; i < kCount; ++i)
      plans[i].launch(streams[i].handle());
  }
};

} // namespace

TEST_CASE("jit: launches share a workspace, on the CPU", "[jit]") {
  for (Device device : {Device::virtual_sm(), Device::interp()}) {
    INFO(device.name());
    checkSizes(device);
    checkNumbers(device);
  }
}

TEST_CASE("jit: launches share a workspace, on a GPU", "[jit]") {
  if (!hasGpu())
    return;
  checkSizes(Device::gpu());
  checkNumbers(Device::gpu());
}

TEST_CASE("jit: calls on several streams have workspaces of their own",
          "[jit]") {
  if (!hasGpu())
    return;
  Streams streams(jit(Source{kProduct, "product.tl"}));
  for (int i = 0; i < 200; ++i)
    streams.launch();
  rt::synchronizeDevice();
  for (const Call &call : streams.calls)
    CHECK(call.wrong() == 0);
}

TEST_CASE("jit: branches of a graph have workspaces of their own", "[jit]") {
  if (!hasGpu())
    return;
  Streams streams(jit(Source{kProduct, "product.tl"}));
  const rt::Driver &driver = rt::Driver::get();
  const rt::cu::Stream main = streams.streams[0].handle();
  driver.check(driver.streamBeginCapture(main, rt::cu::kCaptureThreadLocal),
               "beginning a capture");
  const rt::Event fork;
  fork.record(main);
  for (int i = 1; i < Streams::kCount; ++i)
    streams.streams[i].waitFor(fork);
  streams.launch();
  std::deque<rt::Event> joins;
  for (int i = 1; i < Streams::kCount; ++i) {
    joins.emplace_back().record(streams.streams[i].handle());
    streams.streams[0].waitFor(joins.back());
  }
  rt::cu::Graph graph = nullptr;
  driver.check(driver.streamEndCapture(main, &graph), "capturing");
  rt::cu::GraphExec exec = nullptr;
  driver.check(driver.graphInstantiate(&exec, graph, 0), "instantiating");
  for (int i = 0; i < 50; ++i)
    driver.check(driver.graphLaunch(exec, main), "launching a graph");
  rt::synchronizeDevice();
  for (const Call &call : streams.calls)
    CHECK(call.wrong() == 0);
  driver.graphExecDestroy(exec);
  driver.graphDestroy(graph);
}
