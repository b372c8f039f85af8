// The instruction and limit tables against the PTX ISA and the programming
// guide, and the register split against numbers worked out by hand.
#include "compiler/target/TargetInfo.h"

#include "test/support/Catch.h"

using namespace tlc::target;
using enum MatrixType;

TEST_CASE("targetinfo: known names and nothing else", "[target]") {
  for (llvm::StringRef name : targetNames()) {
    const TargetInfo *info = lookupTarget(name);
    REQUIRE(info != nullptr);
    CHECK(info->name == name);
  }
  CHECK(lookupTarget("sm_70") == nullptr);
  CHECK(lookupTarget("") == nullptr);
  CHECK(lookupTarget("sm_90A") == nullptr);
}

TEST_CASE("targetinfo: limits", "[target]") {
  const TargetInfo &hopper = *lookupTarget("sm_90a");
  CHECK(hopper.maxDynamicSharedBytes == 227 * 1024);
  CHECK(hopper.maxThreadsPerBlock == 1024);
  CHECK(hopper.registersPerBlock == 64 * 1024);
  CHECK(hopper.tma.maxRank == 5);
  CHECK(hopper.tma.maxBoxDim == 256);
  CHECK((hopper.hasTma && hopper.hasWgmma && hopper.hasSetMaxNReg));
  const TargetInfo &generic = *lookupTarget("sm_90");
  CHECK((generic.hasTma && !generic.hasWgmma && !generic.hasSetMaxNReg));
  CHECK(generic.wgmmaShapes.empty());
  const TargetInfo &ampere = *lookupTarget("sm_80");
  CHECK(ampere.maxDynamicSharedBytes == 163 * 1024);
  CHECK((ampere.hasCpAsync && !ampere.hasTma && !ampere.hasClusters));
}

TEST_CASE("targetinfo: wgmma takes 32 bytes of K", "[target]") {
  const TargetInfo &hopper = *lookupTarget("sm_90a");
  for (const WgmmaShape &shape : hopper.wgmmaShapes) {
    CHECK(shape.k * bitWidth(shape.a) == 256);
    CHECK(bitWidth(shape.a) == bitWidth(shape.b));
    CHECK(shape.anyMajorness == (bitWidth(shape.a) == 16));
  }
  CHECK(hopper.findWgmma(BF16, BF16, F32)->k == 16);
  CHECK(hopper.findWgmma(TF32, TF32, F32)->k == 8);
  CHECK(hopper.findWgmma(E4M3, E5M2, F16)->k == 32);
  CHECK(hopper.findWgmma(BF16, BF16, F16) == nullptr);
  CHECK(hopper.findWgmma(F16, BF16, F32) == nullptr);
  CHECK(hopper.findWgmma(F64, F64, F64) == nullptr);
}

TEST_CASE("targetinfo: columns of one wgmma", "[target]") {
  const TargetInfo &hopper = *lookupTarget("sm_90a");
  const WgmmaShape &bf16 = *hopper.findWgmma(BF16, BF16, F32);
  CHECK(TargetInfo::wgmmaN(bf16, 256) == 256);
  CHECK(TargetInfo::wgmmaN(bf16, 512) == 256);
  CHECK(TargetInfo::wgmmaN(bf16, 264) == 88);
  CHECK(TargetInfo::wgmmaN(bf16, 40) == 40);
  CHECK(TargetInfo::wgmmaN(bf16, 8) == 8);
  CHECK(TargetInfo::wgmmaN(bf16, 12) == 0);
  CHECK(TargetInfo::wgmmaN(bf16, 0) == 0);
  const WgmmaShape &s8 = *hopper.findWgmma(S8, S8, S32);
  CHECK(TargetInfo::wgmmaN(s8, 24) == 24);
  CHECK(TargetInfo::wgmmaN(s8, 40) == 8);
  CHECK(TargetInfo::wgmmaN(s8, 48) == 48);
  CHECK(TargetInfo::wgmmaN(s8, 72) == 24);
}

TEST_CASE("targetinfo: mma.sync with the largest K", "[target]") {
  const TargetInfo &hopper = *lookupTarget("sm_90a");
  CHECK(hopper.findMma(BF16, BF16, F32, 64)->k == 16);
  CHECK(hopper.findMma(BF16, BF16, F32, 24)->k == 8);
  CHECK(hopper.findMma(BF16, BF16, F32, 12) == nullptr);
  CHECK(hopper.findMma(TF32, TF32, F32, 4)->k == 4);
  CHECK(hopper.findMma(E4M3, E4M3, F32, 32)->k == 32);
  CHECK(lookupTarget("sm_80")->findMma(E4M3, E4M3, F32, 32) == nullptr);
}

TEST_CASE("targetinfo: registers by role", "[target]") {
  const TargetInfo &hopper = *lookupTarget("sm_90a");
  CHECK(hopper.launchRegisters(128) == 255);
  CHECK(hopper.launchRegisters(256) == 255);
  CHECK(hopper.launchRegisters(384) == 168);
  CHECK(hopper.launchRegisters(512) == 128);
  CHECK(hopper.launchRegisters(1024) == 64);
  CHECK(*splitRegisters(hopper, 2, 1) == RegisterSplit{240, 240, 24});
  CHECK(*splitRegisters(hopper, 2, 1, 40) == RegisterSplit{232, 232, 40});
  CHECK(*splitRegisters(hopper, 3, 1) == RegisterSplit{160, 160, 160, 24});
  CHECK(*splitRegisters(hopper, 3, 1, 32) == RegisterSplit{160, 160, 160, 32});
  // 256 threads have all they can use without it.
  CHECK_FALSE(splitRegisters(hopper, 1, 1));
  CHECK_FALSE(splitRegisters(hopper, 2, 1, 20));
  CHECK_FALSE(splitRegisters(hopper, 2, 1, 25));
  CHECK_FALSE(splitRegisters(hopper, 8, 1));
  CHECK_FALSE(splitRegisters(*lookupTarget("sm_90"), 2, 1));
  for (int64_t consumers = 1; consumers < 8; ++consumers)
    if (auto split = splitRegisters(hopper, consumers, 1)) {
      int64_t sum = 0;
      for (int64_t registers : *split) {
        CHECK(registers % 8 == 0);
        CHECK(registers <= 240);
        sum += 128 * registers;
      }
      CHECK(sum <= 65536);
    }
}
