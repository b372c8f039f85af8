// The tables. Sources: PTX ISA (wgmma.mma_async, mma, setmaxnreg, cp.async
// .bulk), CUDA C programming guide, "Compute capabilities".
#include "compiler/target/TargetInfo.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

#include <algorithm>

namespace tlc::target {

using enum MatrixType;

unsigned bitWidth(MatrixType type) {
  switch (type) {
  case F16:
  case BF16:
    return 16;
  case E4M3:
  case E5M2:
  case S8:
  case U8:
    return 8;
  case TF32:
  case F32:
  case S32:
    return 32;
  case F64:
    return 64;
  }
  llvm_unreachable("all types are listed");
}

llvm::StringRef ptxName(MatrixType type) {
  switch (type) {
  case F16:
    return "f16";
  case BF16:
    return "bf16";
  case TF32:
    return "tf32";
  case E4M3:
    return "e4m3";
  case E5M2:
    return "e5m2";
  case S8:
    return "s8";
  case U8:
    return "u8";
  case F32:
    return "f32";
  case F64:
    return "f64";
  case S32:
    return "s32";
  }
  llvm_unreachable("all types are listed");
}

// wgmma takes 32 bytes of K.
static constexpr WgmmaShape kWgmma[] = {
    {F16, F16, F32, 16, 8, 256, true},    {F16, F16, F16, 16, 8, 256, true},
    {BF16, BF16, F32, 16, 8, 256, true},  {TF32, TF32, F32, 8, 8, 256, false},
    {E4M3, E4M3, F32, 32, 8, 256, false}, {E4M3, E5M2, F32, 32, 8, 256, false},
    {E5M2, E4M3, F32, 32, 8, 256, false}, {E5M2, E5M2, F32, 32, 8, 256, false},
    {E4M3, E4M3, F16, 32, 8, 256, false}, {E4M3, E5M2, F16, 32, 8, 256, false},
    {E5M2, E4M3, F16, 32, 8, 256, false}, {E5M2, E5M2, F16, 32, 8, 256, false},
    {S8, S8, S32, 32, 16, 256, false},    {S8, U8, S32, 32, 16, 256, false},
    {U8, S8, S32, 32, 16, 256, false},    {U8, U8, S32, 32, 16, 256, false},
};

static constexpr MmaShape kMma80[] = {
    {F16, F16, F32, 16, 8, 16},   {F16, F16, F32, 16, 8, 8},
    {F16, F16, F16, 16, 8, 16},   {F16, F16, F16, 16, 8, 8},
    {BF16, BF16, F32, 16, 8, 16}, {BF16, BF16, F32, 16, 8, 8},
    {TF32, TF32, F32, 16, 8, 8},  {TF32, TF32, F32, 16, 8, 4},
    {S8, S8, S32, 16, 8, 32},     {S8, S8, S32, 16, 8, 16},
    {S8, U8, S32, 16, 8, 32},     {S8, U8, S32, 16, 8, 16},
    {U8, S8, S32, 16, 8, 32},     {U8, S8, S32, 16, 8, 16},
    {U8, U8, S32, 16, 8, 32},     {U8, U8, S32, 16, 8, 16},
    {F64, F64, F64, 8, 8, 4},
};

// sm_90 adds fp8 (since sm_89).
static constexpr MmaShape kMma90[] = {
    {F16, F16, F32, 16, 8, 16},   {F16, F16, F32, 16, 8, 8},
    {F16, F16, F16, 16, 8, 16},   {F16, F16, F16, 16, 8, 8},
    {BF16, BF16, F32, 16, 8, 16}, {BF16, BF16, F32, 16, 8, 8},
    {TF32, TF32, F32, 16, 8, 8},  {TF32, TF32, F32, 16, 8, 4},
    {E4M3, E4M3, F32, 16, 8, 32}, {E4M3, E5M2, F32, 16, 8, 32},
    {E5M2, E4M3, F32, 16, 8, 32}, {E5M2, E5M2, F32, 16, 8, 32},
    {S8, S8, S32, 16, 8, 32},     {S8, S8, S32, 16, 8, 16},
    {S8, U8, S32, 16, 8, 32},     {S8, U8, S32, 16, 8, 16},
    {U8, S8, S32, 16, 8, 32},     {U8, S8, S32, 16, 8, 16},
    {U8, U8, S32, 16, 8, 32},     {U8, U8, S32, 16, 8, 16},
    {F64, F64, F64, 8, 8, 4},
};

static const TargetInfo &sm80() {
  static const TargetInfo info{.name = "sm_80",
                               .major = 8,
                               .minor = 0,
                               .warpSize = 32,
                               .multiprocessors = 108,
                               .maxThreadsPerBlock = 1024,
                               .registersPerBlock = 65536,
                               .maxRegistersPerThread = 255,
                               .maxDynamicSharedBytes = 166912,
                               .optInSharedBytes = 49152,
                               .namedBarriers = 16,
                               .maxClusterSize = 1,
                               .hasCpAsync = true,
                               .hasTma = false,
                               .hasWgmma = false,
                               .hasClusters = false,
                               .hasSetMaxNReg = false,
                               .hasStMatrix = false,
                               .tma = {},
                               .wgmmaShapes = {},
                               .mmaShapes = kMma80};
  return info;
}

static const TargetInfo &sm90() {
  static const TargetInfo info = [] {
    TargetInfo hopper = sm80();
    hopper.name = "sm_90";
    hopper.major = 9;
    hopper.multiprocessors = 132;
    hopper.maxDynamicSharedBytes = 232448;
    hopper.maxClusterSize = 8;
    hopper.hasTma = hopper.hasClusters = hopper.hasStMatrix = true;
    hopper.mmaShapes = kMma90;
    return hopper;
  }();
  return info;
}

static const TargetInfo &sm90a() {
  static const TargetInfo info = [] {
    TargetInfo hopper = sm90();
    hopper.name = "sm_90a";
    hopper.hasWgmma = hopper.hasSetMaxNReg = true;
    hopper.wgmmaShapes = kWgmma;
    return hopper;
  }();
  return info;
}

const TargetInfo *lookupTarget(llvm::StringRef name) {
  for (const TargetInfo *info : {&sm80(), &sm90(), &sm90a()})
    if (info->name == name)
      return info;
  return nullptr;
}

llvm::ArrayRef<llvm::StringRef> targetNames() {
  static const llvm::StringRef names[] = {"sm_80", "sm_90", "sm_90a"};
  return names;
}

const WgmmaShape *TargetInfo::findWgmma(MatrixType a, MatrixType b,
                                        MatrixType accumulator) const {
  for (const WgmmaShape &shape : wgmmaShapes)
    if (shape.a == a && shape.b == b && shape.accumulator == accumulator)
      return &shape;
  return nullptr;
}

const MmaShape *TargetInfo::findMma(MatrixType a, MatrixType b,
                                    MatrixType accumulator, int64_t k) const {
  const MmaShape *best = nullptr;
  for (const MmaShape &shape : mmaShapes)
    if (shape.a == a && shape.b == b && shape.accumulator == accumulator &&
        k % shape.k == 0 && (!best || shape.k > best->k))
      best = &shape;
  return best;
}

int64_t TargetInfo::wgmmaN(const WgmmaShape &shape, int64_t columns) {
  // 8-bit integers skip the odd multiples of 8 above 32 (PTX ISA).
  auto exists = [&](int64_t n) {
    return n % shape.nStep == 0 || (n <= 32 && n % 8 == 0);
  };
  for (int64_t n = std::min(columns, shape.maxN) / 8 * 8; n > 0; n -= 8)
    if (columns % n == 0 && exists(n))
      return n;
  return 0;
}

int64_t TargetInfo::launchRegisters(int64_t threads) const {
  // Registers are given to warps in units of 8 a thread.
  int64_t warps = (threads + warpSize - 1) / warpSize;
  int64_t each = registersPerBlock / (warps * warpSize) / 8 * 8;
  return std::min(each, maxRegistersPerThread);
}

std::optional<RegisterSplit> splitRegisters(const TargetInfo &target,
                                            int64_t consumers,
                                            int64_t producers,
                                            int64_t producerRegisters) {
  constexpr int64_t groupThreads = 128;
  int64_t groups = consumers + producers;
  if (!target.hasSetMaxNReg || consumers < 1 || producers < 1 ||
      groups * groupThreads > target.maxThreadsPerBlock ||
      producerRegisters < kMinRegisters ||
      producerRegisters % kRegisterStep != 0)
    return std::nullopt;
  int64_t launch = target.launchRegisters(groups * groupThreads);
  int64_t left = launch * groups - producerRegisters * producers;
  int64_t each =
      std::min(left / consumers / kRegisterStep * kRegisterStep, kMaxRegisters);
  if (each <= launch)
    return std::nullopt;
  RegisterSplit split(consumers, each);
  split.append(producers, producerRegisters);
  return split;
}

} // namespace tlc::target
