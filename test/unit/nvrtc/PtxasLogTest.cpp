// Logs as ptxas prints them; the figures were read from them by eye.
#include "compiler/target/nvrtc/Nvrtc.h"

#include "test/support/Catch.h"

using namespace tlc::nvrtc;

namespace {

constexpr char kTwoKernels[] = R"(
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'gemm_kernel_2' for 'sm_90a'
ptxas info    : Function properties for gemm_kernel_2
ptxas         .     216 bytes stack frame, 356 bytes spill stores, 340 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 216 bytes cumulative stack size, 256 bytes smem
ptxas info    : Compile time = 20.534 ms
ptxas info    : Function properties for helper
ptxas         .     8 bytes stack frame, 4 bytes spill stores, 2 bytes spill loads
ptxas info    : Compiling entry function 'gemm_kernel' for 'sm_90a'
ptxas info    : Function properties for gemm_kernel
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 168 registers, used 16 barriers, 640 bytes cmem[0], 8 bytes cmem[2]
ptxas info    : Compile time = 1.234 ms
)";

} // namespace

TEST_CASE("ptxas log: kernels whose names are prefixes stay apart", "[ptxas]") {
  std::vector<KernelUsage> usage = parseUsage(kTwoKernels);
  REQUIRE(usage.size() == 2);
  CHECK(usage[0].symbol == "gemm_kernel_2");
  CHECK(usage[0].registers == 32);
  CHECK(usage[0].stackBytes == 216);
  CHECK(usage[0].spillStoreBytes == 356);
  CHECK(usage[0].spillLoadBytes == 340);
  CHECK(usage[0].staticSharedBytes == 256);
  CHECK(usage[0].barriers == 1);
  CHECK_FALSE(usage[0].constantBytes);
  CHECK(usage[1].symbol == "gemm_kernel");
  CHECK(usage[1].registers == 168);
  CHECK(usage[1].stackBytes == 0);
  CHECK(usage[1].spillStoreBytes == 0);
  CHECK(usage[1].barriers == 16);
  CHECK(usage[1].constantBytes == 648);
  CHECK_FALSE(usage[1].staticSharedBytes);
}

TEST_CASE("ptxas log: a figure that is not printed is unknown", "[ptxas]") {
  std::vector<KernelUsage> usage =
      parseUsage("ptxas info    : Compiling entry function 'k' for 'sm_90a'\n");
  REQUIRE(usage.size() == 1);
  CHECK_FALSE(usage[0].registers);
  CHECK_FALSE(usage[0].spillStoreBytes);
  CHECK_FALSE(usage[0].stackBytes);
  CHECK(parseUsage("").empty());
  CHECK(parseUsage("ptxas info    : Used 3 registers\n").empty());
}

TEST_CASE("ptxas log: the older indented form", "[ptxas]") {
  std::vector<KernelUsage> usage = parseUsage(
      "ptxas info    : Compiling entry function 'k' for 'sm_80'\n"
      "ptxas info    : Function properties for k\n"
      "    16 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads\n"
      "ptxas info    : Used 255 registers, 4096 bytes smem, 352 bytes "
      "cmem[0]\n");
  REQUIRE(usage.size() == 1);
  CHECK(usage[0].stackBytes == 16);
  CHECK(usage[0].spillLoadBytes == 12);
  CHECK(usage[0].registers == 255);
  CHECK(usage[0].staticSharedBytes == 4096);
  CHECK(usage[0].constantBytes == 352);
  CHECK_FALSE(usage[0].barriers);
}

TEST_CASE("ptxas log: warnings with and without a code", "[ptxas]") {
  std::vector<PtxasWarning> warnings = parseWarnings(
      "k.tl(3): warning #177-D: variable \"x\" was declared\n"
      "ptxas info    : (C7514) Potential Performance Loss: wgmma.mma_async "
      "instructions are serialized due to x in function 'k'\n"
      "ptxas warning : Registers are spilled to local memory in function 'k'\n"
      "ptxas info    : Used 8 registers, used 0 barriers\n");
  REQUIRE(warnings.size() == 2);
  CHECK(warnings[0].code == "C7514");
  CHECK_THAT(warnings[0].text,
             Catch::StartsWith("Potential Performance Loss: wgmma"));
  CHECK(warnings[1].code.empty());
  CHECK(warnings[1].text ==
        "Registers are spilled to local memory in function 'k'");
}
