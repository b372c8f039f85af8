// A grid barrier and a second launch through the JIT: on the CPU and, where
// there is one, on a GPU; compiled anew, from disk and from memory.
#include "tlc/tlc.h"

#include "runtime/core/Driver.h"
#include "runtime/jit/CompiledSource.h"
#include "test/support/Catch.h"
#include "test/unit/runtime-jit/CacheFolder.h"

#include <string>
#include <vector>

using namespace tlc;
using namespace tlc::test;

namespace {

/// Block 1 is late; each block adds what both wrote; a second launch adds up
/// both sums.
Source pairSource(const std::string &threads) {
  return {R"(
@T.prim_func
def pair_sum(
    Spin: T.Tensor((2,), "int32"),
    A: T.Tensor((2,), "int32"),
    B: T.Tensor((2,), "int32"),
    C: T.Tensor((1,), "int32"),
    Waste: T.Tensor((2,), "int32"),
):
    with T.Kernel(2, threads=)" +
              threads + R"() as b:
        x = T.get_thread_binding(0)
        y = T.get_thread_binding(1)
        z = T.get_thread_binding(2)
        if x == 0 and y == 0 and z == 0:
            w = T.alloc_var("int32")
            w = 1
            for i in T.serial(Spin[b]):
                w = (w * 5 + 3) % 1021
            Waste[b] = w
            A[b] = b + 1
        T.sync_grid()
        if x == 0 and y == 0 and z == 0:
            B[b] = A[0] + A[1]
    with T.Kernel(1, threads=32) as b:
        for i in T.Parallel(1):
            C[i] = B[0] * 10 + B[1]
)",
          "pair_sum.tl"};
}

/// Eight calls with everything cleared before each.
void checkCalls(const Kernel &kernel, Device device, int turns) {
  for (int call = 0; call < 8; ++call) {
    std::vector<double> spin{0, 0};
    spin[call % 2] = turns; // block 0 late, block 1 late
    Array delays(DType::Int32, {2}, device, spin);
    Array a(DType::Int32, {2}, device, {0, 0});
    Array b(DType::Int32, {2}, device, {0, 0});
    Array c(DType::Int32, {1}, device, {0});
    Array waste(DType::Int32, {2}, device, {0, 0});
    kernel.launch(nullptr, delays, a, b, c, waste);
    CHECK(b.values() == std::vector<double>{3, 3});
    CHECK(c.values() == std::vector<double>{33});
  }
}

void checkOn(Device device, int turns) {
  for (const char *threads : {"32", "(32, 2)", "(32, 1, 2)", "(16, 2, 2)"}) {
    INFO(threads);
    CacheFolder folder;
    rt::clearMemoryCache();
    const Source source = pairSource(threads);
    const JitCounts begin = jitCounts();
    checkCalls(jit(source, {.device = device}), device, turns);
    checkCalls(jit(source, {.device = device}), device, turns);
    rt::clearMemoryCache(); // as a fresh process finds it
    checkCalls(jit(source, {.device = device}), device, turns);
    checkCalls(jit(source, {.device = device, .cache = false}), device, turns);
    CHECK(jitCounts().compiled - begin.compiled >= 2);
  }
}

} // namespace

TEST_CASE("jit: a grid barrier and a second launch, on the CPU", "[jit]") {
  checkOn(Device::virtual_sm(), 100);
}

TEST_CASE("jit: a grid barrier and a second launch, on a GPU", "[jit]") {
  std::string why;
  if (!rt::Driver::available(&why)) {
    WARN("skipped: " << why);
    return;
  }
  checkOn(Device::gpu(), 20000);
}
