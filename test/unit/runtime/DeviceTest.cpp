// What can be said about the driver side without a device, and a launch where
// there is one.
#include "runtime/core/DeviceBuffer.h"
#include "runtime/core/Module.h"
#include "runtime/core/Stream.h"

#include "test/support/Catch.h"
#include "test/unit/runtime/ErrorText.h"
#include "test/unit/runtime/GemmMetadata.h"

#include "tlc/tlc.h"

#include <filesystem>
#include <fstream>

#include <unistd.h>

using namespace tlc;
using namespace tlc::rt;
using Catch::Contains;
using tlc::test::errorText;

TEST_CASE("device: a missing driver is one clear environment error",
          "[device]") {
  std::string why;
  if (Driver::available(&why)) {
    CHECK(rt::Device::get(0).smCount() > 0);
    CHECK_THAT(errorText([] { rt::Device::get(99); }),
               Contains("there is no CUDA device 99"));
    return;
  }
  CHECK_THAT(why, Contains("libcuda.so.1") || Contains("driver"));
  ErrorCode code = ErrorCode::Internal;
  errorText([] { DeviceBuffer(16); }, &code);
  CHECK(code == ErrorCode::Environment);
}

TEST_CASE("device: memory goes there and back", "[device]") {
  if (!Driver::available()) {
    WARN("no device: skipped");
    return;
  }
  HostTensor host(DType::Float32, {1000});
  fillRandom(host, 5);
  DeviceTensor device(host);
  HostTensor back = device.download();
  CHECK(std::equal(host.bytes().begin(), host.bytes().end(),
                   back.bytes().begin()));
  DeviceTensor empty(DType::Float32, {0, 4});
  CHECK(empty.download().elements() == 0);
}

TEST_CASE("device: which target runs where", "[device]") {
  CHECK(targetRunsOn("sm_90a", 90));
  CHECK_FALSE(targetRunsOn("sm_90a", 100));
  CHECK_FALSE(targetRunsOn("sm_90a", 80));
  CHECK(targetRunsOn("sm_80", 86));
  CHECK_FALSE(targetRunsOn("sm_86", 80));
  CHECK_FALSE(targetRunsOn("sm_80", 90));
  CHECK_FALSE(targetRunsOn("gfx942", 90));
}

TEST_CASE("kernel: loading needs files that belong together", "[kernel]") {
  namespace fs = std::filesystem;
  fs::path folder =
      fs::temp_directory_path() / ("tlc-load-" + std::to_string(getpid()));
  fs::create_directories(folder);
  std::string cubin = (folder / "k.cubin").string();
  CHECK_THAT(errorText([&] { load(cubin); }),
             Contains("k.cubin': No such file"));
  std::ofstream(cubin) << "not an ELF file";
  CHECK_THAT(errorText([&] { load(cubin); }), Contains("is not a cubin"));
  std::ofstream(cubin, std::ios::trunc) << "\177ELF and more";
  CHECK_THAT(errorText([&] { load(cubin); }),
             Contains("k.json': No such file"));
  std::ofstream(folder / "k.json") << test::kGemmJson;
  Kernel kernel = load(cubin);
  CHECK(kernel.name() == "gemm");
  CHECK(kernel.parameters() ==
        std::vector<std::string>{"A", "B", "C", "alpha"});
  std::vector<KernelResources> resources = kernel.resources();
  REQUIRE(resources.size() == 1);
  CHECK(resources[0].registers == 168);
  CHECK(resources[0].dynamicSharedBytes == 197632);
  CHECK_FALSE(resources[0].spillLoadBytes);
  // Arguments are checked before a device is looked for.
  CHECK_THAT(errorText([&] { kernel.launch(nullptr, 1, 2); }),
             Contains("expected 4 inputs"));
  fs::remove_all(folder);
}
