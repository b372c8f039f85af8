#include "compiler/target/nvrtc/Nvrtc.h"

#include "test/support/Catch.h"

#include "llvm/Support/Error.h"

#include <thread>

using namespace tlc::nvrtc;

namespace {

/// Whether NVRTC is installed; says so once when it is not.
bool haveNvrtc() {
  llvm::Expected<Version> found = version();
  if (found)
    return true;
  WARN("skipped: " << llvm::toString(found.takeError()));
  return false;
}

constexpr char kSource[] = R"(
extern "C" __global__ void scale(float *x) { x[threadIdx.x] *= 2; }
extern "C" __global__ void __launch_bounds__(64)
scale_all(float *x, float *y) {
  __shared__ float s[64];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = s[63 - threadIdx.x];
}
)";

const KernelUsage *find(const Output &output, const char *symbol) {
  for (const KernelUsage &usage : output.usage)
    if (usage.symbol == symbol)
      return &usage;
  return nullptr;
}

} // namespace

TEST_CASE("nvrtc: a cubin, its PTX and a record for each kernel", "[nvrtc]") {
  if (!haveNvrtc())
    return;
  llvm::Expected<Output> output = compile(kSource, "scale.cu");
  REQUIRE(bool(output));
  CHECK(output->cubin.substr(0, 4) == "\177ELF");
  CHECK_THAT(output->ptx, Catch::Contains(".entry scale_all"));
  CHECK(output->usage.size() == 2);
  const KernelUsage *scale = find(*output, "scale");
  const KernelUsage *all = find(*output, "scale_all");
  REQUIRE(scale);
  REQUIRE(all);
  REQUIRE(scale->registers);
  CHECK(*scale->registers > 0);
  CHECK(*scale->registers < 32);
  CHECK(scale->spillStoreBytes == 0);
  CHECK(all->staticSharedBytes == 256);
  CHECK(all->barriers == 1);
  CHECK(output->warnings.empty());
}

TEST_CASE("nvrtc: options reach the compiler", "[nvrtc]") {
  if (!haveNvrtc())
    return;
  Options options;
  options.cubin = false;
  options.fastMath = true;
  llvm::Expected<Output> ptx =
      compile("extern \"C\" __global__ void k(float *x) { *x = 1 / *x; }",
              "k.cu", options);
  REQUIRE(bool(ptx));
  CHECK(ptx->cubin.empty());
  CHECK_THAT(ptx->ptx, Catch::Contains(".target sm_90a"));
  CHECK_THAT(ptx->ptx, Catch::Contains("rcp.approx.ftz") ||
                           Catch::Contains("div.approx.ftz"));
  options = Options();
  options.arch = "sm_80";
  options.lineInfo = true;
  options.maxRegisters = 16;
  llvm::Expected<Output> old = compile(kSource, "scale.cu", options);
  REQUIRE(bool(old));
  REQUIRE(find(*old, "scale"));
  CHECK(find(*old, "scale")->registers <= 16);
}

TEST_CASE("nvrtc: mangled names in one module, at every level of -O",
          "[nvrtc]") {
  if (!haveNvrtc())
    return;
  // Both are templates: their names are mangled, and one begins like the other.
  // The first keeps 80 values alive in 32 registers.
  const std::string spilling = R"(
template <int N> __global__ void __launch_bounds__(1024, 2) work(int *x) {
  int v[N];
  #pragma unroll
  for (int i = 0; i < N; ++i) v[i] = x[i * 1024 + threadIdx.x];
  #pragma unroll 1
  for (int r = 0; r < 5; ++r)
    #pragma unroll
    for (int i = 0; i < N; ++i) v[i] = v[i] * 3 + v[(i * 7 + 3) % N];
  #pragma unroll
  for (int i = 0; i < N; ++i) x[i * 1024 + threadIdx.x] = v[i];
}
template __global__ void work<80>(int *);
)";
  const std::string small = R"(
template <int N> __global__ void work_all(int *x) { x[threadIdx.x] += N; }
template __global__ void work_all<80>(int *);
)";
  for (const char *level : {"-O1", "-O2", "-O3"}) {
    INFO(level);
    Options options;
    options.extra = {std::string("--ptxas-options=") + level};
    llvm::Expected<Output> first = compile(spilling, "a.cu", options);
    llvm::Expected<Output> second = compile(small, "b.cu", options);
    llvm::Expected<Output> both = compile(spilling + small, "ab.cu", options);
    llvm::Expected<Output> swapped =
        compile(small + spilling, "ba.cu", options);
    REQUIRE(bool(first));
    REQUIRE(bool(second));
    REQUIRE(bool(both));
    REQUIRE(bool(swapped));
    REQUIRE(first->usage.size() == 1);
    REQUIRE(second->usage.size() == 1);
    CHECK(first->usage[0].spillStoreBytes > 0);
    CHECK(first->usage[0].registers <= 32);
    CHECK(second->usage[0].spillStoreBytes == 0);
    for (const Output *output : {&*both, &*swapped}) {
      CHECK(output->usage.size() == 2);
      for (const KernelUsage &alone : {first->usage[0], second->usage[0]}) {
        const KernelUsage *entry = find(*output, alone.symbol.c_str());
        REQUIRE(entry);
        CHECK(entry->registers == alone.registers);
        CHECK(entry->spillStoreBytes == alone.spillStoreBytes);
        CHECK(entry->spillLoadBytes == alone.spillLoadBytes);
        CHECK(entry->stackBytes == alone.stackBytes);
        CHECK(entry->constantBytes == alone.constantBytes);
        CHECK(entry->barriers == alone.barriers);
      }
    }
  }
}

TEST_CASE("nvrtc: a text that was compiled before has its figures again",
          "[nvrtc]") {
  if (!haveNvrtc())
    return;
  llvm::Expected<Output> first = compile(kSource, "scale.cu");
  llvm::Expected<Output> again = compile(kSource, "scale.cu");
  REQUIRE(bool(first));
  REQUIRE(bool(again));
  REQUIRE(again->usage.size() == 2);
  CHECK(again->usage[0].registers == first->usage[0].registers);
  CHECK(again->log.size() > 0);
}

TEST_CASE("nvrtc: errors carry the log", "[nvrtc]") {
  if (!haveNvrtc())
    return;
  llvm::Expected<Output> output = compile(
      "#line 7 \"k.tl\"\nextern \"C\" __global__ void k() { oops; }", "k.cu");
  REQUIRE_FALSE(bool(output));
  bool handled = false;
  llvm::handleAllErrors(output.takeError(), [&](const NvrtcError &error) {
    handled = true;
    CHECK(error.kind() == NvrtcError::Kind::CompileFailed);
    CHECK_FALSE(error.isEnvironment());
    CHECK_THAT(error.what().str(),
               Catch::Contains("k.tl(7)") && Catch::Contains("\"oops\""));
  });
  CHECK(handled);
}

TEST_CASE("nvrtc: equal text gives equal bytes, also from threads", "[nvrtc]") {
  if (!haveNvrtc())
    return;
  std::vector<std::string> cubins(4);
  std::vector<std::thread> threads;
  for (std::string &cubin : cubins)
    threads.emplace_back([&cubin] {
      if (llvm::Expected<Output> output = compile(kSource, "scale.cu"))
        cubin = output->cubin;
      else
        llvm::consumeError(output.takeError());
    });
  for (std::thread &thread : threads)
    thread.join();
  REQUIRE_FALSE(cubins[0].empty());
  for (const std::string &cubin : cubins)
    CHECK(cubin == cubins[0]);
}
