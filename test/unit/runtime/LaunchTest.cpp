// Kernels written by hand, compiled by NVRTC and launched through the runtime:
// every kind of launch argument. Skipped where there is no device or no NVRTC.
#include "compiler/target/nvrtc/Nvrtc.h"
#include "runtime/core/DeviceBuffer.h"
#include "runtime/core/LaunchMetadata.h"
#include "runtime/core/Module.h"
#include "runtime/core/Stream.h"
#include "runtime/core/TensorMap.h"
#include "runtime/core/Timing.h"

#include "test/support/Catch.h"
#include "test/unit/runtime/ErrorText.h"

#include "tlc/tlc.h"

#include <thread>

using namespace tlc;
using namespace tlc::rt;
using Catch::Contains;
using tlc::test::errorText;

namespace {

constexpr char kSource[] = R"cuda(
struct alignas(64) TensorMap { unsigned long long opaque[16]; };

extern "C" __global__ void axpy(const float *x, float *y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}

// One 8 x 64 box of 16-bit elements, 128-byte swizzle, per block; copied out in
// plain order with the swizzle undone (16-byte chunk index xor row).
extern "C" __global__ void boxes(const __grid_constant__ TensorMap map,
                                 unsigned short *out) {
  extern __shared__ __align__(1024) unsigned char smem[];
  __shared__ alignas(8) unsigned long long bar;
  unsigned b = (unsigned)__cvta_generic_to_shared(&bar);
  unsigned d = (unsigned)__cvta_generic_to_shared(smem);
  int x = blockIdx.x * 64, y = blockIdx.y * 8;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(b) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 1024;"
                 :: "r"(b) : "memory");
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier"
                 "::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                 :: "r"(d), "l"(&map), "r"(x), "r"(y), "r"(b) : "memory");
  }
  __syncthreads();
  asm volatile("{ .reg .pred p; L: mbarrier.try_wait.parity.shared::cta.b64 p, "
               "[%0], 0; @!p bra L; }" :: "r"(b) : "memory");
  int block = blockIdx.y * gridDim.x + blockIdx.x;
  for (int i = threadIdx.x; i < 512; i += blockDim.x) {
    int row = i / 64, col = i % 64;
    int chunk = (col / 8) ^ (row % 8);
    out[block * 512 + i] = ((unsigned short *)smem)[row * 64 + chunk * 8 + col % 8];
  }
}

// Every block waits for all: hangs unless they run together.
extern "C" __global__ void meet(unsigned *counter, int *out) {
  if (threadIdx.x == 0) {
    atomicAdd(counter, 1);
    while (atomicAdd(counter, 0) < gridDim.x) ;
    out[blockIdx.x] = *(volatile unsigned *)counter;
  }
}

// 60 values a thread in 32 registers, and static shared memory.
extern "C" __global__ void __launch_bounds__(1024, 2) crowd(int *x) {
  __shared__ int s[1024];
  int v[60];
  #pragma unroll
  for (int i = 0; i < 60; ++i) v[i] = x[i * 1024 + threadIdx.x];
  #pragma unroll 1
  for (int r = 0; r < 5; ++r)
    #pragma unroll
    for (int i = 0; i < 60; ++i) v[i] = v[i] * 3 + v[(i * 7 + 3) % 60];
  s[threadIdx.x] = v[0];
  __syncthreads();
  #pragma unroll
  for (int i = 0; i < 60; ++i) x[i * 1024 + threadIdx.x] = v[i] + s[i];
}
extern "C" __global__ void crowd_2(int *x) { x[threadIdx.x] += 1; }

// Takes clocks, so that two of them overlap; counts arrivals in its workspace.
extern "C" __global__ void alone(unsigned *state, int *out) {
  __shared__ unsigned before;
  if (threadIdx.x == 0) before = atomicAdd(state, 1);
  long long begin = clock64();
  while (clock64() - begin < 50000) ;
  if (threadIdx.x == 0) out[before] += 1;
}

// One meeting of two blocks. `several` sends each thread with x = 0, which in a
// block of shape (32, 2) are two: the defect that a barrier must not have.
extern "C" __global__ void pair_sum(unsigned *state, int *a, int *b,
                                    int several) {
  volatile unsigned *generation = state + 1;
  bool first = threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0;
  bool sent = several ? threadIdx.x == 0 : first;
  if (first) {
    long long begin = clock64();
    while (blockIdx.x == 1 && clock64() - begin < 200000) ;
    a[blockIdx.x] = blockIdx.x + 1;
  }
  __syncthreads();
  if (sent) {
    __threadfence();
    unsigned now = *generation;
    if (atomicAdd(state, 1) == gridDim.x - 1) {
      *state = 0;
      __threadfence();
      *generation = now + 1;
    } else {
      while (*generation == now) ;
    }
    __threadfence();
  }
  __syncthreads();
  if (first) b[blockIdx.x] = ((volatile int *)a)[0] + ((volatile int *)a)[1];
}

extern "C" __global__ void clusters(int *out) {
  unsigned size, rank;
  asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(size));
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  out[blockIdx.x] = size * 10 + rank;
}
)cuda";

/// What ptxas said of each kernel; set with the cubin.
std::vector<nvrtc::KernelUsage> usage;

/// The compiled source, or nothing (with a message) when it cannot run here.
const std::string *cubin() {
  static std::string bytes;
  if (!bytes.empty())
    return &bytes;
  std::string why;
  if (!Driver::available(&why)) {
    WARN("skipped: " << why);
    return nullptr;
  }
  if (rt::Device::get().computeCapability() != 90) {
    WARN("skipped: the kernels of this test are for sm_90a");
    return nullptr;
  }
  auto output = nvrtc::compile(kSource, "launch.cu");
  if (!output) {
    std::string text;
    bool missing = false;
    llvm::handleAllErrors(output.takeError(),
                          [&](const nvrtc::NvrtcError &error) {
                            missing = error.isEnvironment();
                            text = error.what().str();
                          });
    INFO(text);
    REQUIRE(missing);
    WARN("skipped: " << text);
    return nullptr;
  }
  bytes = output->cubin;
  usage = output->usage;
  return &bytes;
}

ParamInfo tensorParam(const std::string &name, DType dtype,
                      std::vector<Expr> shape, Access access) {
  return {name, ParamKind::Tensor, dtype, std::move(shape), {}, access};
}

/// A kernel of one launch from the parts that differ.
Kernel makeKernel(const std::string &symbol, std::vector<ParamInfo> params,
                  std::vector<std::string> symbols, LaunchInfo launch) {
  LaunchMetadata metadata;
  metadata.target = "sm_90a";
  metadata.name = symbol;
  metadata.params = std::move(params);
  metadata.symbols = std::move(symbols);
  launch.symbol = symbol;
  metadata.launches = {std::move(launch)};
  return loadFromMemory(*cubin(), writeMetadata(metadata));
}

Kernel axpyKernel() {
  LaunchInfo launch;
  launch.grid = {Expr(ExprOp::CeilDiv, "n", 256), 1, 1};
  launch.block = {256, 1, 1};
  launch.args = {PointerArg{"x"}, PointerArg{"y"},
                 ScalarArg{"a", {}, DType::Float32},
                 ScalarArg{"", "n", DType::Int32}};
  ParamInfo a{"a", ParamKind::Scalar, DType::Float32, {}, {}, {}};
  return makeKernel("axpy",
                    {tensorParam("x", DType::Float32, {"n"}, Access::Read),
                     tensorParam("y", DType::Float32, {"n"}, Access::ReadWrite),
                     a},
                    {"n"}, launch);
}

Kernel boxesKernel() {
  TensorMapArg map;
  map.param = "x";
  map.dtype = DType::BFloat16;
  map.globalDims = {"N", "M"};
  map.globalStridesBytes = {Expr(ExprOp::Mul, "N", 2)};
  map.box = {64, 8};
  map.elementStrides = {1, 1};
  map.swizzle = Swizzle::B128;
  LaunchInfo launch;
  launch.grid = {Expr(ExprOp::CeilDiv, "N", 64), Expr(ExprOp::CeilDiv, "M", 8),
                 1};
  launch.block = {128, 1, 1};
  launch.sharedBytes = 100 * 1024; // needs the attribute
  launch.args = {map, PointerArg{"out"}};
  return makeKernel(
      "boxes",
      {tensorParam("x", DType::BFloat16, {"M", "N"}, Access::Read),
       tensorParam("out", DType::UInt16, {"blocks", 512}, Access::Write)},
      {"M", "N", "blocks"}, launch);
}

} // namespace

TEST_CASE("launch: pointers and scalars", "[launch]") {
  if (!cubin())
    return;
  Kernel axpy = axpyKernel();
  Stream stream;
  for (std::int64_t n : {1, 255, 256, 1000}) {
    HostTensor x(DType::Float32, {n}), y(DType::Float32, {n});
    fillIota(x);
    DeviceTensor dx(x), dy(y);
    synchronizeDevice();
    axpy.launch(stream.handle(), dx.view(), dy.view(), 0.5);
    Plan plan = axpy.prepare(dx.view(), dy.view(), 2);
    plan.launch(stream.handle());
    HostTensor result = dy.download();
    bool allEqual = true;
    for (std::int64_t i = 0; i < n; ++i)
      allEqual &= result.get(i) == 2.5 * double(i);
    CHECK(allEqual);
  }
  // The figures the compiler did not give come from the driver.
  REQUIRE(axpy.resources().size() == 1);
  CHECK(axpy.resources()[0].registers > 0);
}

TEST_CASE("launch: repeated and changed arguments", "[launch]") {
  if (!cubin())
    return;
  Kernel axpy = axpyKernel(), twin = axpyKernel();
  HostTensor ones(DType::Float32, {300});
  for (int i = 0; i < 300; ++i)
    ones.set(i, 1);
  DeviceTensor x(ones), y(HostTensor(DType::Float32, {300})),
      z(HostTensor(DType::Float32, {300}));
  for (int i = 0; i < 3; ++i)
    axpy.launch(nullptr, x.view(), y.view(), 1); // 3
  axpy.launch(nullptr, x.view(), y.view(), 10);  // 13
  twin.launch(nullptr, x.view(), y.view(), 10);  // 23
  axpy.launch(nullptr, x.view(), z.view(), 10);
  CHECK_THAT(errorText([&] { axpy.launch(nullptr, x.view(), z.view()); }),
             Contains("expected 3 inputs"));
  axpy.launch(nullptr, x.view(), y.view(), 1); // 24
  Tensor head = y.view();
  head.shape = {100};
  Tensor headOfX = x.view();
  headOfX.shape = {100};
  axpy.launch(nullptr, headOfX, head, 1); // 25, the first hundred
  HostTensor result = y.download();
  CHECK(result.get(99) == 25);
  CHECK(result.get(100) == 24);
  CHECK(z.download().get(299) == 10);
}

TEST_CASE("launch: an empty grid does nothing", "[launch]") {
  if (!cubin())
    return;
  DeviceTensor empty(DType::Float32, {0});
  axpyKernel().launch(nullptr, empty.view(), empty.view(), 1);
  synchronizeDevice();
}

TEST_CASE("launch: wrong pointers are refused", "[launch]") {
  if (!cubin())
    return;
  Kernel axpy = axpyKernel();
  DeviceTensor y(DType::Float32, {4});
  HostTensor host(DType::Float32, {4});
  Tensor pretending = host.view();
  pretending.device = DeviceKind::Cuda;
  CHECK_THAT(errorText([&] { axpy.launch(nullptr, pretending, y.view(), 1); }),
             Contains("kernel axpy input x data pointer") &&
                 Contains("is host memory, expected memory of device 0"));
  CHECK_THAT(errorText([&] { axpy.launch(nullptr, host.view(), y.view(), 1); }),
             Contains("device_type mismatch, expected cuda, but got cpu"));
}

TEST_CASE("launch: tensor maps, zero fill and their cache", "[launch]") {
  if (!cubin())
    return;
  Kernel boxes = boxesKernel();
  constexpr std::int64_t kRows = 13, kCols = 72; // off the box both ways
  HostTensor x(DType::BFloat16, {kRows, kCols});
  fillRandom(x, 11);
  DeviceTensor dx(x), out(DType::UInt16, {4, 512});
  boxes.launch(nullptr, dx.view(), out.view());
  HostTensor result = out.download();
  bool allEqual = true;
  for (std::int64_t block = 0; block < 4; ++block)
    for (std::int64_t i = 0; i < 512; ++i) {
      std::int64_t row = block / 2 * 8 + i / 64;
      std::int64_t col = block % 2 * 64 + i % 64;
      bool inside = row < kRows && col < kCols;
      std::uint16_t expected =
          inside ? x.as<std::uint16_t>()[row * kCols + col] : 0;
      allEqual &= result.as<std::uint16_t>()[block * 512 + i] == expected;
    }
  CHECK(allEqual);
  std::uint64_t encoded = tensorMapEncodeCount();
  boxes.launch(nullptr, dx.view(), out.view());
  CHECK(tensorMapEncodeCount() == encoded);

  Tensor shifted = dx.view();
  shifted.data = static_cast<char *>(shifted.data) + 2;
  shifted.shape = {4, 72};
  CHECK_THAT(errorText([&] { boxes.launch(nullptr, shifted, out.view()); }),
             Contains("kernel boxes input x data pointer") &&
                 Contains("not a multiple of 16"));
  DeviceTensor narrow(DType::BFloat16, {8, 70});
  CHECK_THAT(
      errorText([&] { boxes.launch(nullptr, narrow.view(), out.view()); }),
      Contains("kernel boxes input x has a row stride of 140 bytes"));
  synchronizeDevice();
}

TEST_CASE("launch: cooperative with a zeroed workspace", "[launch]") {
  if (!cubin())
    return;
  int blocks = rt::Device::get().smCount();
  LaunchInfo launch;
  launch.grid = {"blocks", 1, 1};
  launch.block = {32, 1, 1};
  launch.cooperative = true;
  launch.args = {WorkspaceArg{4, true}, PointerArg{"out"}};
  Kernel meet = makeKernel(
      "meet", {tensorParam("out", DType::Int32, {"blocks"}, Access::Write)},
      {"blocks"}, launch);
  DeviceTensor out(DType::Int32, {blocks});
  for (int repeat = 0; repeat < 3; ++repeat)
    meet.launch(nullptr, out.view());
  HostTensor result = out.download();
  for (int i = 0; i < blocks; ++i)
    REQUIRE(result.get(i) == blocks);
}

TEST_CASE("launch: a cooperative grid that does not fit", "[launch]") {
  if (!cubin())
    return;
  LaunchInfo launch;
  launch.grid = {"blocks", 1, 1};
  launch.block = {1024, 1, 1};
  launch.cooperative = true;
  launch.args = {WorkspaceArg{4, true}, PointerArg{"out"}};
  Kernel meet = makeKernel(
      "meet", {tensorParam("out", DType::Int32, {"blocks"}, Access::Write)},
      {"blocks"}, launch);
  // 2048 threads of few registers fit on an SM (compute capability 9.0).
  int fits = 2 * rt::Device::get().smCount();
  DeviceTensor tooMany(DType::Int32, {fits + 1});
  ErrorCode code{};
  CHECK_THAT(errorText([&] { meet.launch(nullptr, tooMany.view()); }, &code),
             Contains(std::to_string(fits + 1) + " blocks of 1024 threads") &&
                 Contains(std::to_string(fits) + " fit"));
  CHECK(code == ErrorCode::InvalidArgument);
  DeviceTensor out(DType::Int32, {fits});
  meet.launch(nullptr, out.view());
  HostTensor result = out.download();
  for (int i = 0; i < fits; ++i)
    REQUIRE(result.get(i) == fits);
}

TEST_CASE("launch: a barrier that counts a block twice shows", "[launch]") {
  if (!cubin())
    return;
  LaunchInfo launch;
  launch.grid = {2, 1, 1};
  launch.block = {32, 2, 1};
  launch.cooperative = true;
  launch.args = {WorkspaceArg{8, true}, PointerArg{"a"}, PointerArg{"b"},
                 ScalarArg{"several", {}, DType::Int32}};
  ParamInfo several{"several", ParamKind::Scalar, DType::Int32, {}, {}, {}};
  Kernel pairSum =
      makeKernel("pair_sum",
                 {tensorParam("a", DType::Int32, {2}, Access::ReadWrite),
                  tensorParam("b", DType::Int32, {2}, Access::Write), several},
                 {}, launch);
  for (int call = 0; call < 8; ++call)
    for (int wrong : {0, 1}) {
      DeviceTensor a(HostTensor(DType::Int32, {2}));
      DeviceTensor b(HostTensor(DType::Int32, {2}));
      pairSum.launch(nullptr, a.view(), b.view(), wrong);
      HostTensor result = b.download();
      CHECK(result.get(0) == (wrong ? 1 : 3)); // did not see the late block
      CHECK(result.get(1) == 3);
    }
}

TEST_CASE("launch: launches that overlap share no workspace", "[launch]") {
  if (!cubin())
    return;
  LaunchInfo launch;
  launch.grid = {4, 1, 1};
  launch.block = {32, 1, 1};
  launch.args = {WorkspaceArg{4, true}, PointerArg{"out"}};
  Kernel alone = makeKernel(
      "alone", {tensorParam("out", DType::Int32, {4}, Access::ReadWrite)}, {},
      launch);
  constexpr int kStreams = 4, kLaunches = 50;
  std::vector<Stream> streams(kStreams);
  std::vector<DeviceTensor> outs;
  for (int s = 0; s < kStreams; ++s)
    outs.emplace_back(HostTensor(DType::Int32, {4}));
  synchronizeDevice();
  for (int i = 0; i < kLaunches; ++i)
    for (int s = 0; s < kStreams; ++s)
      alone.launch(streams[s].handle(), outs[s].view());
  for (int s = 0; s < kStreams; ++s) {
    streams[s].synchronize();
    HostTensor result = outs[s].download();
    // The arrivals of every launch began at 0 and ended at 3.
    for (int i = 0; i < 4; ++i)
      CHECK(result.get(i) == kLaunches);
  }
}

TEST_CASE("launch: the figures of ptxas are those of the module", "[launch]") {
  if (!cubin())
    return;
  std::vector<char> image(cubin()->begin(), cubin()->end());
  Module module(image, 0, "sm_90a");
  CHECK(usage.size() == 8);
  for (const nvrtc::KernelUsage &ours : usage) {
    INFO(ours.symbol);
    KernelResources theirs;
    completeResources(module.function(ours.symbol), theirs);
    REQUIRE(ours.registers);
    CHECK(ours.registers == theirs.registers);
    CHECK(ours.stackBytes == theirs.stackBytes);
    // ptxas says nothing of shared memory where there is none.
    CHECK(ours.staticSharedBytes.value_or(0) == theirs.staticSharedBytes);
    if (ours.symbol == "crowd") {
      CHECK(ours.spillStoreBytes > 0);
      CHECK(ours.registers <= 32);
      CHECK(ours.staticSharedBytes == 4096);
    } else {
      CHECK(ours.spillStoreBytes == 0);
    }
  }
}

TEST_CASE("launch: clusters", "[launch]") {
  if (!cubin())
    return;
  LaunchInfo launch;
  launch.grid = {8, 1, 1};
  launch.block = {32, 1, 1};
  launch.cluster = {2, 1, 1};
  launch.args = {PointerArg{"out"}};
  Kernel clusters = makeKernel(
      "clusters", {tensorParam("out", DType::Int32, {8}, Access::Write)}, {},
      launch);
  DeviceTensor out(DType::Int32, {8});
  clusters.launch(nullptr, out.view());
  HostTensor result = out.download();
  for (int i = 0; i < 8; ++i)
    CHECK(result.get(i) == 20 + i % 2);
}

TEST_CASE("launch: from several threads at once", "[launch]") {
  if (!cubin())
    return;
  Kernel axpy = axpyKernel(); // loaded by whichever thread is first
  constexpr int kThreads = 8, kLaunches = 100;
  std::vector<std::thread> threads;
  std::vector<int> good(kThreads, 0);
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      HostTensor x(DType::Float32, {1000});
      fillIota(x);
      DeviceTensor dx(x), dy(HostTensor(DType::Float32, {1000}));
      Stream stream;
      for (int i = 0; i < kLaunches; ++i)
        axpy.launch(stream.handle(), dx.view(), dy.view(), t);
      stream.synchronize();
      good[t] = dy.download().get(999) == 999.0 * t * kLaunches;
    });
  for (std::thread &thread : threads)
    thread.join();
  for (int ok : good)
    CHECK(ok == 1);
}

TEST_CASE("launch: timing by graph and by events", "[launch]") {
  if (!cubin())
    return;
  Kernel axpy = axpyKernel();
  DeviceTensor x(HostTensor(DType::Float32, {1 << 24}));
  DeviceTensor y(HostTensor(DType::Float32, {1 << 24}));
  Plan plan = axpy.prepare(x.view(), y.view(), 1);
  for (TimingMethod method : {TimingMethod::Graph, TimingMethod::Events}) {
    TimingOptions options;
    options.method = method;
    TimingResult time = timeLaunch(
        [&](cu::Stream stream, int) { plan.launch(stream); }, options);
    // 192 MB at less than 10 TB/s, and more than 0.1 TB/s.
    CHECK(time.medianUs > 19);
    CHECK(time.medianUs < 2000);
    CHECK(time.minUs <= time.medianUs);
    CHECK(time.samplesUs.size() == 20);
  }
}
