// Launches against a driver that only takes notes: wrong calls launch nothing,
// right ones pass what they should, timing takes turns among copies.
#include "tlc/tlc.h"

#include "runtime/core/Driver.h"
#include "test/support/Catch.h"
#include "test/unit/runtime-jit/fakes/FakeDriver.h"
#include "test/unit/runtime/ErrorText.h"

#include <dlfcn.h>

#include <atomic>
#include <functional>
#include <limits>
#include <string>
#include <thread>
#include <vector>

using namespace tlc;
using tlc::test::errorText;

namespace {

// Every kind of parameter: two that TMA reads, one it does not, a declared
// stride, an integer that is also a size, a float, a bool.
constexpr char kJson[] = R"json({
  "version": 1, "target": "sm_90a", "name": "k",
  "params": [
    {"name": "A", "kind": "tensor", "dtype": "bfloat16", "shape": ["M", 128],
     "access": "r"},
    {"name": "B", "kind": "tensor", "dtype": "bfloat16", "shape": [128, "N"],
     "access": "r"},
    {"name": "C", "kind": "tensor", "dtype": "float32", "shape": ["M", "N"],
     "access": "w"},
    {"name": "S", "kind": "tensor", "dtype": "float32", "shape": ["M", 4],
     "strides": ["ld", 1], "access": "r"},
    {"name": "n", "kind": "scalar", "dtype": "int32"},
    {"name": "D", "kind": "tensor", "dtype": "int64", "shape": [["+", "n", 1]],
     "access": "r"},
    {"name": "alpha", "kind": "scalar", "dtype": "float32"},
    {"name": "flag", "kind": "scalar", "dtype": "bool"}],
  "symbols": [{"name": "M"}, {"name": "N"}, {"name": "ld"}],
  "launches": [
    {"symbol": "k_kernel",
     "grid": [["ceildiv", "N", 128], ["ceildiv", "M", 128], 1],
     "block": [384, 1, 1], "shared_bytes": 1024, "cooperative": false,
     "args": [
       {"kind": "tensormap", "param": "A", "dtype": "bfloat16", "rank": 2,
        "global_dims": [128, "M"], "global_strides_bytes": [256],
        "box": [64, 128], "element_strides": [1, 1], "swizzle": "128B",
        "l2_promotion": "256B", "oob_fill": "zero"},
       {"kind": "tensormap", "param": "B", "dtype": "bfloat16", "rank": 2,
        "global_dims": ["N", 128], "global_strides_bytes": [["*", "N", 2]],
        "box": [64, 128], "element_strides": [1, 1], "swizzle": "128B",
        "l2_promotion": "256B", "oob_fill": "zero"},
       {"kind": "pointer", "param": "C", "alignment": 16},
       {"kind": "scalar", "param": "alpha", "dtype": "float32"}]}]
})json";

Kernel kernel() {
  static const char cubin[] = "\177ELF";
  return loadFromMemory(cubin, kJson);
}

FakeLaunches takeLaunches() {
  rt::Driver::get();
  static void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  auto take =
      reinterpret_cast<decltype(&fakeLaunches)>(dlsym(library, "fakeLaunches"));
  REQUIRE(take);
  FakeLaunches launches;
  take(&launches);
  return launches;
}

/// Arguments that fit, to be spoilt one at a time.
struct Call {
  Array a{DType::BFloat16, {256, 128}, Device::gpu()};
  Array b{DType::BFloat16, {128, 512}, Device::gpu()};
  Array c{DType::Float32, {256, 512}, Device::gpu()};
  Array s{DType::Float32, {256, 4}, Device::gpu()};
  Array d{DType::Int64, {10}, Device::gpu()};
  std::vector<Argument> list{a, b, c, s, 9, d, 0.5, true};

  Tensor tensor(std::size_t i) const { return list[i].tensor(); }
  std::string error(ErrorCode *code = nullptr) const {
    return errorText([&] { kernel().launchArguments(nullptr, list); }, code);
  }
};

/// A call with one mistake, and what its message has to name.
struct Mistake {
  const char *what;
  std::function<void(Call &)> make;
  std::vector<std::string> parts;
};

template <class Change> std::function<void(Call &)> change(int i, Change how) {
  return [i, how](Call &call) {
    Tensor tensor = call.tensor(i);
    how(tensor);
    call.list[i] = tensor;
  };
}

std::function<void(Call &)> replace(int i, const Argument &argument) {
  return [i, argument](Call &call) { call.list[i] = argument; };
}

int hostMemory[4096];

std::vector<Mistake> mistakes() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return {
      {"an argument is missing",
       [](Call &call) { call.list.pop_back(); },
       {"k expected 8 inputs (A, B, C, S, n, D, alpha, flag)", "7"}},
      {"an argument is too many",
       [](Call &call) { call.list.push_back(1); },
       {"k expected 8 inputs", "9"}},
      {"no argument at all",
       [](Call &call) { call.list.clear(); },
       {"k expected 8 inputs", "0"}},
      {"None for what is read",
       replace(0, nullptr),
       {"k input A", "expected a tensor", "None"}},
      {"a number for a tensor",
       replace(1, 3),
       {"k input B", "expected a tensor", "a number"}},
      {"a rank too low",
       change(0, [](Tensor &t) { t.shape = {256}; }),
       {"k input A", "ndim mismatch", "expected 2", "got 1"}},
      {"a rank too high",
       change(2, [](Tensor &t) { t.shape = {1, 256, 512}; }),
       {"k input C", "ndim mismatch", "expected 2", "got 3"}},
      {"rank 0",
       change(5, [](Tensor &t) { t.shape = {}; }),
       {"k input D", "ndim mismatch", "expected 1", "got 0"}},
      {"another float",
       change(0, [](Tensor &t) { t.dtype = DType::Float16; }),
       {"k input A", "dtype mismatch", "expected bfloat16", "got float16"}},
      {"another width",
       change(5, [](Tensor &t) { t.dtype = DType::Int32; }),
       {"k input D", "dtype mismatch", "expected int64", "got int32"}},
      {"a wrong constant size",
       change(0, [](Tensor &t) { t.shape = {256, 64}; }),
       {"k input A", "shape[1]", "expected 128", "got 64"}},
      {"a negative size",
       change(1, [](Tensor &t) { t.shape = {128, -512}; }),
       {"k input B", "shape[1]", "expected at least 0", "got -512"}},
      {"M twice and different",
       change(2, [](Tensor &t) { t.shape = {255, 512}; }),
       {"k input C", "shape[0]", "expected M = 256", "got 255",
        "from A.shape[0]"}},
      {"N twice and different",
       change(2, [](Tensor &t) { t.shape = {256, 513}; }),
       {"k input C", "shape[1]", "expected N = 512", "got 513",
        "from B.shape[1]"}},
      {"M of a third tensor",
       change(3, [](Tensor &t) { t.shape = {7, 4}; }),
       {"k input S", "shape[0]", "expected M = 256", "got 7"}},
      {"a size against a scalar",
       replace(4, 8),
       {"k input D", "shape[0]", "expected n + 1 = 9", "got 10",
        "n = 8 from argument n"}},
      {"a transposed view",
       change(0, [](Tensor &t) { t.strides = {1, 256}; }),
       {"k input A", "compact", "[128, 1]", "[1, 256]"}},
      {"too few strides",
       change(3, [](Tensor &t) { t.strides = {4}; }),
       {"k input S", "expected 2 strides", "got 1"}},
      {"a stride that is not the declared one",
       change(3, [](Tensor &t) { t.strides = {8, 2}; }),
       {"k input S", "stride[1]", "expected 1", "got 2"}},
      {"no memory",
       change(0, [](Tensor &t) { t.data = nullptr; }),
       {"k input A", "data pointer is NULL", "32768 elements"}},
      {"a tensor of the host",
       change(1, [](Tensor &t) { t.device = DeviceKind::Host; }),
       {"k input B", "device_type mismatch", "expected cuda", "got cpu"}},
      {"a tensor of another device",
       change(1, [](Tensor &t) { t.deviceId = 1; }),
       {"k input B", "device_id mismatch", "expected 0", "got 1"}},
      {"a pointer of the host",
       change(5, [](Tensor &t) { t.data = hostMemory; }),
       {"k input D", "is host memory", "expected memory of device 0"}},
      {"a pointer of another device",
       [](Call &call) {
         static Array other(DType::Float32, {256, 512}, Device::gpu(1));
         call.list[2] = other;
         Tensor tensor = call.tensor(2);
         tensor.deviceId = 0;
         call.list[2] = tensor;
       },
       {"k input C", "belongs to device 1", "expected device 0"}},
      {"a start that TMA cannot take",
       [](Call &call) {
         static Array larger(DType::BFloat16, {257, 128}, Device::gpu());
         Tensor tensor = larger;
         tensor.data = static_cast<char *>(tensor.data) + 2;
         tensor.shape = {256, 128};
         call.list[0] = tensor;
       },
       {"k input A", "not a multiple of 16", "pass a tensor that starts"}},
      {"a start that vector accesses cannot take",
       [](Call &call) {
         static Array larger(DType::Float32, {257, 512}, Device::gpu());
         Tensor tensor = larger;
         tensor.data = static_cast<char *>(tensor.data) + 8;
         tensor.shape = {256, 512};
         call.list[2] = tensor;
       },
       {"k input C", "aligned to 8 bytes", "expected a multiple of 16",
        "pass a tensor that starts"}},
      {"rows that TMA cannot take",
       [](Call &call) {
         static Array b(DType::BFloat16, {128, 511}, Device::gpu());
         static Array c(DType::Float32, {256, 511}, Device::gpu());
         call.list[1] = b;
         call.list[2] = c;
       },
       {"k input B", "row stride of 1022 bytes", "multiple of 16", "pad"}},
      {"a tensor for a number",
       [](Call &call) { call.list[6] = call.list[0]; },
       {"k input alpha", "expected", "tensor"}},
      {"None for a number",
       replace(6, nullptr),
       {"k input alpha", "expected", "None"}},
      {"a fraction for an integer",
       replace(4, 9.5),
       {"k input n", "int32", "9.5"}},
      {"an integer that does not fit",
       replace(4, std::int64_t{1} << 40),
       {"k input n", "int32", "1099511627776"}},
      {"infinity for an integer",
       replace(4, kInfinity),
       {"k input n", "int32", "inf"}},
      {"more blocks than a grid has",
       [](Call &call) {
         Tensor a = call.tensor(0), c = call.tensor(2), s = call.tensor(3);
         Tensor b = call.tensor(1);
         a.shape = {128LL * 65536, 128};
         b.shape = {128, 0};
         c.shape = {128LL * 65536, 0};
         s.shape = {128LL * 65536, 4};
         call.list[0] = a;
         call.list[1] = b;
         call.list[2] = c;
         call.list[3] = s;
       },
       {"kernel k", "grid extent y", "ceildiv(M, 128) = 65536", "65535"}},
  };
}

} // namespace

TEST_CASE("fake gpu: a right call passes what it should", "[launch]") {
  takeLaunches();
  Call call;
  kernel().launchArguments(nullptr, call.list);
  FakeLaunches launches = takeLaunches();
  CHECK(launches.count == 1);
  CHECK(launches.gridX == 4); // 512 / 128
  CHECK(launches.gridY == 2); // 256 / 128
  CHECK(launches.first[0] ==
        reinterpret_cast<std::uint64_t>(call.tensor(0).data));
}

TEST_CASE("fake gpu: each wrong call has its message and launches nothing",
          "[launch]") {
  const std::vector<Mistake> list = mistakes();
  CHECK(list.size() >= 30);
  takeLaunches();
  for (const Mistake &mistake : list) {
    Call call;
    mistake.make(call);
    ErrorCode code = ErrorCode::Internal;
    const std::string text = call.error(&code);
    INFO(mistake.what << ": " << text);
    CHECK(code == ErrorCode::InvalidArgument);
    CHECK(errorText([&] { kernel().prepareArguments(call.list); }) == text);
    for (const std::string &part : mistake.parts)
      CHECK_THAT(text, Catch::Contains(part));
  }
  CHECK(takeLaunches().count == 0);
}

TEST_CASE("fake gpu: tensors a power of two apart are asked about once",
          "[launch]") {
  // What an allocator gives for tensors of one size: nothing but high bits
  // tells their addresses apart.
  constexpr int kTensors = 24;
  constexpr std::size_t kApart = 64 << 10;
  const Array memory(DType::Int8, {kTensors * std::int64_t(kApart)},
                     Device::gpu());
  Call call;
  takeLaunches();
  for (int round = 0; round < 10; ++round)
    for (int i = 0; i < kTensors; ++i) {
      Tensor tensor = call.tensor(5);
      tensor.data = static_cast<char *>(memory.tensor().data) + i * kApart;
      call.list[5] = tensor;
      kernel().launchArguments(nullptr, call.list);
    }
  const FakeLaunches launches = takeLaunches();
  CHECK(launches.count == 10 * kTensors);
  // Four more tensors; two that share a place in the table would ask each time.
  CHECK(launches.pointerQueries <= kTensors + 4 + 20);
}

TEST_CASE("fake gpu: many threads launch at once", "[launch]") {
  const Kernel shared = kernel();
  constexpr int kThreads = 8, kLaunches = 200;
  takeLaunches();
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] {
      // Two devices, tensors of its own, and a wrong call in between.
      Array a(DType::BFloat16, {256, 128}, Device::gpu(i % 2));
      Array b(DType::BFloat16, {128, 512}, Device::gpu(i % 2));
      Array c(DType::Float32, {256, 512}, Device::gpu(i % 2));
      Array s(DType::Float32, {256, 4}, Device::gpu(i % 2));
      Array d(DType::Int64, {10}, Device::gpu(i % 2));
      Plan plan = shared.prepare(a, b, c, s, 9, d, 0.5, true);
      for (int j = 0; j < kLaunches; ++j) {
        shared.launch(nullptr, a, b, c, s, 9, d, j, true);
        plan.launch();
        wrong += errorText([&] {
                   shared.launch(nullptr, a, b, c, s, j, d, 0.5, true);
                 }) != "no error" &&
                 j == 9;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(wrong == 0);
  // Each also launched the one call whose n is right.
  CHECK(takeLaunches().count == kThreads * (2 * kLaunches + 1));
}

TEST_CASE("fake gpu: a device that is not there", "[launch]") {
  Call call;
  for (std::size_t i : {0, 1, 2, 3, 5}) {
    Tensor tensor = call.tensor(i);
    tensor.deviceId = 7;
    call.list[i] = tensor;
  }
  ErrorCode code{};
  CHECK(call.error(&code) ==
        "there is no CUDA device 7: the driver finds 2 device(s)");
  CHECK(code == ErrorCode::Environment);
}

TEST_CASE("fake gpu: arrays copy there and back", "[launch]") {
  Array array(DType::BFloat16, {3}, Device::gpu(1), {1, 2.5, -3});
  CHECK(array.values() == std::vector<double>{1, 2.5, -3});
  CHECK(array.device() == Device::gpu(1));
  array.fill(0);
  CHECK(array.values() == std::vector<double>(3, 0.0));
  CHECK(errorText([&] { array.assign(std::vector<double>(2)); }) ==
        "an array of 3 elements is assigned 2 values");
  CHECK(errorText([] { Array(DType::Int8, {-1}, Device::gpu()); }) ==
        "an array has no negative extent, got -1");
  CHECK(Device::gpu().name() == "Fake H200");
}

TEST_CASE("fake gpu: outputs are allocated beside the inputs", "[launch]") {
  takeLaunches();
  Call call;
  std::vector<Argument> inputs = call.list;
  inputs.erase(inputs.begin() + 2);
  const std::string_view outputs[] = {"C"};
  std::vector<Array> results = kernel().callArguments(nullptr, outputs, inputs);
  REQUIRE(results.size() == 1);
  CHECK(results[0].tensor().shape == Dims{256, 512});
  CHECK(results[0].device() == Device::gpu(0));
  CHECK(takeLaunches().count == 1);
}

TEST_CASE("fake gpu: marked outputs need not be named", "[launch]") {
  takeLaunches();
  Call call;
  std::string text = kJson;
  text.replace(text.find("\"launches\""), 0, "\"outputs\": [\"C\"], ");
  const Kernel marked = loadFromMemory("\177ELF", text);
  CHECK(marked.outputs() == std::vector<std::string>{"C"});
  for (bool operators : {false, true}) {
    auto results =
        operators
            ? marked(nullptr, call.a, call.b, call.s, 9, call.d, 0.5, 1)
            : marked.call(nullptr, call.a, call.b, call.s, 9, call.d, 0.5, 1);
    REQUIRE(results.size() == 1);
    CHECK(results[0].tensor().shape == Dims{256, 512});
    CHECK(results[0].device() == Device::gpu(0));
    CHECK(takeLaunches().count == 1);
  }
  // All of them is what launch takes, whatever is marked.
  marked.launchArguments(nullptr, call.list);
  CHECK(takeLaunches().count == 1);

  ErrorCode code{};
  CHECK(errorText([&] { marked(nullptr, call.a, call.b); }, &code) ==
        "kernel k expected 7 inputs (A, B, S, n, D, alpha, flag), but 2 are "
        "provided");
  CHECK(code == ErrorCode::InvalidArgument);
  CHECK(errorText([&] {
          marked.launch(nullptr, call.a, call.b, call.s, 9, call.d, 0.5, 1);
        }) == "kernel k expected 8 inputs (A, B, C, S, n, D, alpha, flag), but "
              "7 are provided; call allocates C, launch does not");
  CHECK_THAT(errorText([&] { kernel()(nullptr, call.a, call.b); }),
             Catch::StartsWith("kernel k: nothing says which tensors are "
                               "outputs"));
  CHECK(takeLaunches().count == 0);
}

TEST_CASE("fake gpu: timing takes turns among copies past the cache",
          "[launch]") {
  takeLaunches();
  Call call;
  TimeOptions options;
  options.launchesPerSample = 4;
  options.samples = 3;
  options.method = TimeMethod::Events;
  // A, B, C, S and D hold 64K + 128K + 512K + 4K bytes and 80; the cache 1M.
  TimeResult result = timeArguments(kernel(), call.list, options);
  CHECK(result.copies == 4);
  CHECK(result.samplesUs.size() == 3);
  CHECK(result.medianUs == Approx(2000.0 / 4)); // 2 ms for four launches
  CHECK(takeLaunches().distinct == 4);

  options.method = TimeMethod::Graph;
  options.rotate = false;
  CHECK(timeArguments(kernel(), call.list, options).copies == 1);
  CHECK(takeLaunches().distinct == 1);
}
