// Workspaces and cooperative launches against a driver that only takes notes:
// what it is asked for, and that nothing stays behind when a step fails.
#include "tlc/tlc.h"

#include "runtime/core/Driver.h"
#include "test/support/Catch.h"
#include "test/unit/runtime-jit/fakes/FakeDriver.h"
#include "test/unit/runtime/ErrorText.h"

#include <cstdlib>
#include <dlfcn.h>
#include <string>

using namespace tlc;
using tlc::test::errorText;

namespace {

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

/// One device function, `grid` blocks of `threads`, with these arguments.
std::string launchJson(const std::string &symbol, const std::string &grid,
                       int threads, bool cooperative, const std::string &args,
                       const std::string &cluster = "[1, 1, 1]") {
  return R"({"symbol": ")" + symbol + R"(", "grid": [)" + grid +
         R"(, 1, 1], "block": [)" + std::to_string(threads) +
         R"(, 1, 1], "cluster": )" + cluster +
         R"(, "shared_bytes": 0, "cooperative": )" +
         (cooperative ? "true" : "false") + R"(, "args": [)" + args + "]}";
}

const std::string kState = R"({"kind": "workspace", "bytes": 8, "zero": true})";

/// A kernel of one scalar parameter n and these launches.
Kernel makeKernel(const std::string &launches) {
  static const char cubin[] = "\177ELF";
  return loadFromMemory(
      cubin, R"({"version": 1, "target": "sm_90a", "name": "k", "params": [
        {"name": "n", "kind": "scalar", "dtype": "int32"}], "symbols": [],
        "launches": [)" +
                 launches + "]}");
}

const std::string kOfCall =
    R"({"kind": "pointer", "workspace": "W", "alignment": 16})";

std::string mapJson(const std::string &width, const std::string &box) {
  return R"({"kind": "tensormap", "workspace": "W", "dtype": "float16",
             "rank": 2, "global_dims": [)" +
         width + R"(, 8], "global_strides_bytes": [["*", 2, )" + width +
         R"(]], "box": [)" + box +
         R"(, 8], "element_strides": [1, 1], "swizzle": "none",
             "l2_promotion": "256B", "oob_fill": "zero"})";
}
const std::string kMapOfCall = mapJson("64", "64");
const std::string kMapOfWidth = mapJson(R"("n")", "8");

/// A kernel of one scalar parameter n and a float16 workspace W of this shape.
Kernel makeCallKernel(const std::string &shape, const std::string &launches) {
  static const char cubin[] = "\177ELF";
  return loadFromMemory(
      cubin, R"({"version": 2, "target": "sm_90a", "name": "k", "params": [
        {"name": "n", "kind": "scalar", "dtype": "int32"}], "symbols": [],
        "workspaces": [{"name": "W", "dtype": "float16", "shape": [)" +
                 shape + R"(]}], "launches": [)" + launches + "]}");
}

Kernel barrierKernel(int threads) {
  return makeKernel(launchJson("k_kernel", R"("n")", threads, true, kState));
}

/// An environment variable for the life of this.
struct Setting {
  const char *name;
  Setting(const char *name, const char *value) : name(name) {
    setenv(name, value, 1);
  }
  Setting(const Setting &) = delete;
  Setting &operator=(const Setting &) = delete;
  ~Setting() { unsetenv(name); }
};

} // namespace

TEST_CASE("fake gpu: each launch has barrier state of its own", "[workspace]") {
  Kernel kernel = barrierKernel(64);
  takeLaunches();
  kernel.launch(nullptr, 2);
  FakeLaunches launches = takeLaunches();
  CHECK(launches.count == 1);
  CHECK(launches.cooperative);
  CHECK(launches.workspacesMade == 1);
  CHECK(launches.workspacesLeft == 0);
  Plan plan = kernel.prepare(2);
  plan.launch();
  plan.launch();
  launches = takeLaunches();
  CHECK(launches.workspacesMade == 2);
  CHECK(launches.workspacesLeft == 0);
}

TEST_CASE("fake gpu: a grid that does not fit is refused with both numbers",
          "[workspace]") {
  // The fake holds 2048 threads on each of its 132 SMs.
  takeLaunches();
  ErrorCode code{};
  CHECK(errorText([] { barrierKernel(1024).launch(nullptr, 265); }, &code) ==
        "kernel k_kernel waits for its whole grid, so all of its blocks must "
        "be on the device at once: 265 blocks of 1024 threads were asked for, "
        "but 264 fit on device 0 (2 on each of 132 SMs); launch at most 264 "
        "blocks and let each do more");
  CHECK(code == ErrorCode::InvalidArgument);
  CHECK_THAT(errorText([] { (void)barrierKernel(64).prepare(4225); }),
             Catch::Contains("4225 blocks of 64 threads") &&
                 Catch::Contains("4224 fit"));
  CHECK(takeLaunches().count == 0);
  barrierKernel(1024).launch(nullptr, 264);
  barrierKernel(64).launch(nullptr, 4224);
  barrierKernel(64).launch(nullptr, 0); // nothing waits for nobody
  CHECK(takeLaunches().count == 2);
  // Without a barrier the blocks take turns.
  makeKernel(launchJson("k_kernel", R"("n")", 1024, false, kState))
      .launch(nullptr, 100000);
  CHECK(takeLaunches().count == 1);
}

TEST_CASE("fake gpu: clusters fit or do not fit as a whole", "[workspace]") {
  // The fake holds 40 clusters.
  Kernel kernel = makeKernel(
      launchJson("k_kernel", R"("n")", 64, true, kState, "[4, 1, 1]"));
  CHECK_THAT(errorText([&] { kernel.launch(nullptr, 164); }),
             Catch::Contains("164 blocks of 64 threads were asked for, but 160 "
                             "fit on device 0; launch"));
  kernel.launch(nullptr, 160);
}

TEST_CASE("fake gpu: a failure leaves no workspace behind", "[workspace]") {
  // The fake's pool gives no more than 1 MiB at once.
  Kernel large = makeKernel(
      launchJson("k_kernel", "1", 64, false, kState + R"(, {"kind": "workspace",
                                "bytes": ["*", "n", 1048577],
                                "zero": false})"));
  takeLaunches();
  ErrorCode code{};
  CHECK_THAT(errorText([&] { large.launch(nullptr, 1); }, &code),
             Catch::StartsWith("allocating a kernel's workspace failed"));
  CHECK(code == ErrorCode::Device);
  FakeLaunches launches = takeLaunches();
  CHECK(launches.count == 0);
  CHECK(launches.workspacesMade == 1);
  CHECK(launches.workspacesLeft == 0);
  large.launch(nullptr, 0); // an empty one is no memory at all
  CHECK(takeLaunches().workspacesMade == 1);

  Kernel barrier = barrierKernel(64);
  {
    Setting refuse("FAKE_CUDA_LAUNCH_RESULT", "1");
    CHECK_THAT(errorText([&] { barrier.launch(nullptr, 2); }),
               Catch::StartsWith("launching kernel k_kernel failed"));
    CHECK(takeLaunches().workspacesLeft == 0);
  }
  {
    // cuLaunchKernelEx: CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE.
    Setting refuse("FAKE_CUDA_LAUNCH_RESULT", "720");
    CHECK_THAT(errorText([&] { barrier.launch(nullptr, 2); }, &code),
               Catch::StartsWith("the driver refuses: kernel k_kernel waits"));
    CHECK(code == ErrorCode::InvalidArgument);
    CHECK(takeLaunches().workspacesLeft == 0);
  }
  barrier.launch(nullptr, 2);
  CHECK(takeLaunches().workspacesLeft == 0);
}

TEST_CASE("fake gpu: the launches of a kernel go out in order, or none does",
          "[workspace]") {
  Kernel kernel = makeKernel(
      launchJson("k_kernel_0", "7", 64, false, kState) + "," +
      launchJson("k_kernel_1", R"(["-", "n", 1])", 64, false, kState) + "," +
      launchJson("k_kernel_2", R"("n")", 1024, true, kState));
  takeLaunches();
  kernel.launch(nullptr, 5);
  FakeLaunches launches = takeLaunches();
  CHECK(launches.count == 3);
  CHECK(launches.gridX == 5);
  CHECK(launches.workspacesMade == 3);
  CHECK(launches.workspacesLeft == 0);
  kernel.launch(nullptr, 1); // the middle one has no blocks
  launches = takeLaunches();
  CHECK(launches.count == 2);
  CHECK(launches.workspacesMade == 2);
  CHECK_THAT(errorText([&] { kernel.launch(nullptr, 265); }),
             Catch::Contains("kernel k_kernel_2") &&
                 Catch::Contains("265 blocks"));
  CHECK(takeLaunches().count == 0);
}

TEST_CASE("fake gpu: the launches of a call share its workspaces",
          "[workspace]") {
  const std::string both = launchJson("k_0", R"("n")", 64, false, kOfCall) +
                           "," + launchJson("k_1", "1", 64, false, kMapOfCall) +
                           "," + launchJson("k_2", "1", 64, false, kOfCall);
  Kernel kernel = makeCallKernel(R"(["+", "n", 1], 64)", both);
  takeLaunches();
  kernel.launch(nullptr, 3);
  FakeLaunches launches = takeLaunches();
  CHECK(launches.count == 3);
  CHECK(launches.workspacesMade == 1);
  CHECK(launches.fewestAlive == 1); // from the first launch to the last
  CHECK(launches.workspacesLeft == 0);
  // The pointers, and the address that the map begins with.
  CHECK(launches.distinct == 1);
  CHECK(launches.first[0] != 0);

  kernel.launch(nullptr, 0); // without the first launch
  launches = takeLaunches();
  CHECK(launches.count == 2);
  CHECK(launches.workspacesMade == 1);

  // Each launch of a plan is a call.
  Plan plan = kernel.prepare(3);
  plan.launch();
  plan.launch();
  launches = takeLaunches();
  CHECK(launches.count == 6);
  CHECK(launches.workspacesMade == 2);
  CHECK(launches.workspacesLeft == 0);
}

TEST_CASE("fake gpu: a map follows its workspace", "[workspace]") {
  Kernel kernel =
      makeCallKernel("8, 64", launchJson("k_0", "1", 64, false, kMapOfCall));
  takeLaunches();
  Plan plan = kernel.prepare(1);
  plan.launch();
  plan.launch();
  plan.launch();
  FakeLaunches launches = takeLaunches();
  CHECK(launches.count == 3);
  CHECK(launches.workspacesMade == 3);
  CHECK(launches.distinct == 3); // the fake gives no address twice
}

TEST_CASE("fake gpu: a workspace of no elements is no memory", "[workspace]") {
  Kernel kernel = makeCallKernel(
      R"("n", 64)", launchJson("k_0", "1", 64, false, kOfCall) + "," +
                        launchJson("k_1", "1", 64, false, kMapOfCall));
  takeLaunches();
  kernel.launch(nullptr, 0);
  FakeLaunches launches = takeLaunches();
  CHECK(launches.count == 2);
  CHECK(launches.workspacesMade == 0);
  // Nor is one that only empty launches use.
  Kernel unused =
      makeCallKernel("8, 64", launchJson("k_0", R"("n")", 64, false, kOfCall));
  unused.launch(nullptr, 0);
  launches = takeLaunches();
  CHECK(launches.count == 0);
  CHECK(launches.workspacesMade == 0);
}

TEST_CASE("fake gpu: a workspace that cannot be is refused before anything",
          "[workspace]") {
  auto pair = launchJson("k_0", "1", 64, false, kOfCall);
  Kernel shifted = makeCallKernel(R"(["-", "n", 5], 64)", pair);
  takeLaunches();
  ErrorCode code{};
  CHECK(errorText([&] { shifted.launch(nullptr, 3); }, &code) ==
        "kernel k workspace W shape[0] is n - 5 = -2, expected at least 0");
  CHECK(code == ErrorCode::InvalidArgument);
  CHECK_THAT(errorText([&] { (void)shifted.prepare(-4); }),
             Catch::Contains("n - 5 = -9"));
  shifted.launch(nullptr, 5);
  CHECK(takeLaunches().count == 1);
  // Two negative sizes are not a positive one.
  Kernel square = makeCallKernel(R"(["-", "n", 5], ["-", "n", 5])", pair);
  CHECK_THAT(errorText([&] { square.launch(nullptr, 3); }),
             Catch::Contains("shape[0] is n - 5 = -2"));
  Kernel large = makeCallKernel(R"("n", 4611686018427387904)", pair);
  CHECK(errorText([&] { large.launch(nullptr, 2); }, &code) ==
        "kernel k workspace W of shape [2, 4611686018427387904] is larger than "
        "any memory");
  CHECK(code == ErrorCode::InvalidArgument);
  // The rows of a map are 16 bytes apart, or TMA cannot read it.
  Kernel narrow = makeCallKernel(
      R"(8, "n")", launchJson("k_0", "1", 64, false, kMapOfWidth));
  CHECK_THAT(errorText([&] { narrow.launch(nullptr, 3); }),
             Catch::StartsWith("kernel k workspace W has a row stride of 6 "
                               "bytes"));
  narrow.launch(nullptr, 8);
  CHECK(takeLaunches().count == 1);
}

TEST_CASE("fake gpu: a failure leaves no workspace of the call behind",
          "[workspace]") {
  Kernel kernel = makeCallKernel(
      R"("n", 64)", launchJson("k_0", "1", 64, false, kOfCall) + "," +
                        launchJson("k_1", "1", 64, false, kOfCall));
  takeLaunches();
  ErrorCode code{};
  // 2 bytes an element; the fake's pool gives no more than 1 MiB at once.
  CHECK_THAT(errorText([&] { kernel.launch(nullptr, 8193); }, &code),
             Catch::StartsWith("allocating the workspace W of kernel k "
                               "(1048704 bytes) failed"));
  CHECK(code == ErrorCode::Device);
  CHECK(takeLaunches().count == 0);
  kernel.launch(nullptr, 8192);
  CHECK(takeLaunches().count == 2);
  Setting refuse("FAKE_CUDA_LAUNCH_RESULT", "1");
  CHECK_THAT(errorText([&] { kernel.launch(nullptr, 2); }),
             Catch::StartsWith("launching kernel k_0 failed"));
  FakeLaunches launches = takeLaunches();
  CHECK(launches.count == 1);
  CHECK(launches.workspacesMade == 1);
  CHECK(launches.workspacesLeft == 0);
}

TEST_CASE("fake gpu: every function has its own figures", "[resources]") {
  static const char cubin[] = "\177ELF";
  Kernel kernel = loadFromMemory(
      cubin,
      R"({"version": 1, "target": "sm_90a", "name": "k", "params": [],
          "symbols": [], "launches": [)" +
          launchJson("k_kernel_1", "1", 64, false, kState) + "," +
          launchJson("k_kernel_10", "1", 64, false, kState) + "," +
          launchJson("k_kernel", "1", 64, false, kState) +
          R"(], "resources": {
              "k_kernel": {"registers": 10, "stack_bytes": 0},
              "k_kernel_10": {"registers": 64, "stack_bytes": 280,
                "spill_store_bytes": 544, "spill_load_bytes": 540}}})");
  std::vector<KernelResources> list = kernel.resources();
  REQUIRE(list.size() == 3);
  CHECK(list[0].symbol == "k_kernel_1");
  CHECK_FALSE(list[0].registers);
  CHECK_FALSE(list[0].spillStoreBytes);
  CHECK(list[0].dynamicSharedBytes == 0);
  CHECK(list[1].symbol == "k_kernel_10");
  CHECK(list[1].registers == 64);
  CHECK(list[1].stackBytes == 280);
  CHECK(list[1].spillStoreBytes == 544);
  CHECK(list[1].spillLoadBytes == 540);
  CHECK_FALSE(list[1].barriers);
  CHECK(list[2].symbol == "k_kernel");
  CHECK(list[2].registers == 10);
  CHECK(list[2].stackBytes == 0);
  CHECK_FALSE(list[2].spillLoadBytes);
}
