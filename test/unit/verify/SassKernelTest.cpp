// V17 on kernels that NVRTC compiles: the witnesses of sync.md 0.1 and 0.3,
// whose releases are known to wait for their loads or not to.
#include "compiler/target/nvrtc/Nvrtc.h"
#include "compiler/verify/sass/Lint.h"
#include "test/support/Catch.h"

#include <chrono>

using namespace tlc::sass;

namespace {

/// Whether NVRTC is installed; says so when it is not.
bool haveNvrtc() {
  llvm::Expected<tlc::nvrtc::Version> found = tlc::nvrtc::version();
  if (found)
    return true;
  WARN("skipped: " << llvm::toString(found.takeError()));
  return false;
}

const std::string kPrelude = R"(
typedef unsigned u32;
__device__ __forceinline__ void arrive(u32 b) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(b) : "memory");
}
__device__ __forceinline__ void wait(u32 b, u32 p) {
  asm volatile("{\n.reg .pred P;\nL_%=:\n"
    "mbarrier.try_wait.parity.shared::cta.b64 P, [%0], %1;\n@P bra D_%=;\n"
    "bra L_%=;\nD_%=:\n}" ::"r"(b), "r"(p) : "memory");
}
__device__ __forceinline__ u32 read(u32 a) {
  u32 v;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(a) : "memory");
  return v;
}
__device__ __forceinline__ u32 base() {
  extern __shared__ char memory[];
  return (u32)__cvta_generic_to_shared(memory);
}
)";

/// Reads a slot of h, releases it and waits for a slot of m; before the release
/// and behind the wait stands what is asked for.
std::string ringKernel(const std::string &before, const std::string &release,
                       const std::string &after) {
  return kPrelude + R"(
extern "C" __global__ void __launch_bounds__(128, 1)
k(float *out, int n) {
  u32 h = base() + threadIdx.x * 4, bar = base() + 65536;
  u32 f[32];
#pragma unroll 1
  for (int i = 0; i < n; ++i) {
    u32 s = i & 1, p = i >> 1 & 1;
    wait(bar + s * 8, p);
#pragma unroll
    for (int j = 0; j < 32; ++j)
      f[j] = read(h + s * 16384 + j * 512);
)" + before +
         "\n" + release + R"(
    wait(bar + 32 + s * 8, p);
)" + after +
         R"(
#pragma unroll
    for (int j = 0; j < 32; ++j)
      out[(i * 32 + j) * 128 + threadIdx.x] = __uint_as_float(f[j]) * 1.5f + 2;
  }
}
)";
}

/// ldmatrix and mma, then the release, as a product of 16 rows is lowered.
std::string productKernel(const std::string &before) {
  return kPrelude + R"(
extern "C" __global__ void k(float *out, int n) {
  u32 bar = base() + 65536, lane = threadIdx.x & 31;
  float c[4] = {};
#pragma unroll 1
  for (int i = 0; i < n; ++i) {
    u32 s = i & 1;
    wait(bar + s * 8, i >> 1 & 1);
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      u32 a[4], b[4], at = base() + s * 16384 + lane * 256 + j * 32;
      asm volatile("ldmatrix.sync.aligned.x4.m8n8.shared.b16 "
        "{%0, %1, %2, %3}, [%4];"
        : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3]) : "r"(at));
      asm volatile("ldmatrix.sync.aligned.x4.m8n8.shared.b16 "
        "{%0, %1, %2, %3}, [%4];"
        : "=r"(b[0]), "=r"(b[1]), "=r"(b[2]), "=r"(b[3]) : "r"(at + 8192));
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
)" + before +
         R"(
    arrive(bar + 16 + s * 8);
  }
  for (int j = 0; j < 4; ++j)
    out[threadIdx.x * 4 + j] = c[j];
}
)";
}

LintResult check(const std::string &source) {
  auto output = tlc::nvrtc::compile(source, "k.cu");
  if (!output)
    FAIL(llvm::toString(output.takeError()));
  auto cubin = readCubin(output->cubin);
  if (!cubin)
    FAIL(llvm::toString(cubin.takeError()));
  CHECK(cubin->sm == 90);
  return lint(*cubin, "k", {{65536 + 16, 2, true}});
}

std::string statement(const std::string &ptx) {
  return "asm volatile(\"" + ptx + "\" ::: \"memory\");";
}

const std::string kRelease = "arrive(bar + 16 + s * 8);";

} // namespace

TEST_CASE("sass: releases behind ordinary loads", "[sass]") {
  if (!haveNvrtc())
    return;
  for (const char *ptx : {"", "bar.sync 4, 128;", "membar.cta;"}) {
    INFO(ptx);
    LintResult result = check(ringKernel(statement(ptx), kRelease, ""));
    CHECK(result.skipped == "");
    CHECK(result.findings.size() == 1);
  }
  for (const char *ptx :
       {"fence.proxy.async.shared::cta;", "fence.acq_rel.cta;"}) {
    INFO(ptx);
    LintResult result = check(ringKernel(statement(ptx), kRelease, ""));
    CHECK(result.skipped == "");
    CHECK(result.releases == 1);
    CHECK(result.findings.empty());
  }
}

TEST_CASE("sass: a release behind the use of the values", "[sass]") {
  if (!haveNvrtc())
    return;
  // A branch on a value cannot be issued without it; nor can the arrive.
  const std::string use = "u32 sum = 0;\n"
                          "for (int j = 0; j < 32; ++j)\n  sum |= f[j];\n"
                          "if (sum == 12345) { out[0] = 1; " +
                          statement("membar.gl;") + " }";
  CHECK(check(ringKernel(use, kRelease, "")).isClean());
}

TEST_CASE("sass: releases behind ldmatrix", "[sass]") {
  if (!haveNvrtc())
    return;
  CHECK(check(productKernel("")).findings.size() == 1);
  CHECK(check(productKernel(statement("bar.sync 4, 128;"))).findings.size() ==
        1);
  CHECK(check(productKernel(statement("fence.proxy.async.shared::cta;")))
            .isClean());
}

TEST_CASE("sass: the lint takes less than a few milliseconds", "[sass]") {
  if (!haveNvrtc())
    return;
  auto output = tlc::nvrtc::compile(ringKernel("", kRelease, ""), "k.cu");
  REQUIRE(bool(output));
  auto begin = std::chrono::steady_clock::now();
  auto cubin = readCubin(output->cubin);
  REQUIRE(bool(cubin));
  lint(*cubin, "k", {});
  CHECK(std::chrono::steady_clock::now() - begin <
        std::chrono::milliseconds(50));
}
