// What a GPU architecture can do, as data: memory and register limits, matrix
// instruction shapes, bulk-copy rules, register reallocation. Every hardware
// number another part needs is a row here; nothing else in the compiler spells
// one out. No IR, no MLIR.
#ifndef TLC_COMPILER_TARGET_TARGETINFO_H
#define TLC_COMPILER_TARGET_TARGETINFO_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace tlc::target {

/// Element types of the matrix units.
enum class MatrixType { F16, BF16, TF32, E4M3, E5M2, S8, U8, F32, F64, S32 };

/// Bits of one element as it lies in memory (TF32 is 32).
unsigned bitWidth(MatrixType type);

/// The PTX spelling: "f16", "bf16", "tf32", "e4m3", "s8", ...
llvm::StringRef ptxName(MatrixType type);

/// One family of wgmma instructions, m64nNkK (PTX ISA, wgmma.mma_async).
/// `n` runs over the multiples of nStep from nStep to maxN.
struct WgmmaShape {
  MatrixType a, b, accumulator;
  int64_t k;         ///< elements of K an instruction takes (32 bytes)
  int64_t nStep;     ///< granule of N (8; 16 above 32 columns for 8-bit ints)
  int64_t maxN;      ///< 256
  bool anyMajorness; ///< both operands may also be MN-major (16-bit types)
};

/// One mma.sync instruction (PTX ISA, mma).
struct MmaShape {
  MatrixType a, b, accumulator;
  int64_t m, n, k;
};

/// Rules of cp.async.bulk and cp.async.bulk.tensor (PTX ISA; driver API,
/// cuTensorMapEncodeTiled).
struct TmaLimits {
  int64_t maxRank = 5;
  int64_t maxBoxDim = 256;          ///< elements, each dimension of a box
  int64_t innerBytesMultiple = 16;  ///< innermost box extent in bytes
  int64_t strideBytesMultiple = 16; ///< every global stride but the innermost
  int64_t globalAlignment = 16;     ///< base address in global memory
  int64_t sharedAlignment = 128;    ///< destination of a tensor copy
  int64_t bulkBytesMultiple = 16;   ///< size and addresses of a 1-D bulk copy
};

/// One architecture.
struct TargetInfo {
  llvm::StringRef name; ///< "sm_90a"
  int major, minor;     ///< compute capability
  int64_t warpSize;
  int64_t multiprocessors; ///< SMs of the largest part
  int64_t maxThreadsPerBlock;
  int64_t registersPerBlock; ///< 32-bit registers a block may hold
  int64_t maxRegistersPerThread;
  int64_t maxDynamicSharedBytes; ///< opt-in limit of a block
  int64_t optInSharedBytes;      ///< above it a function attribute is needed
  int64_t namedBarriers;         ///< bar.sync ids
  int64_t maxClusterSize;        ///< portable cluster size; 1 = no clusters
  bool hasCpAsync, hasTma, hasWgmma, hasClusters, hasSetMaxNReg, hasStMatrix;
  TmaLimits tma; ///< meaningful if hasTma
  llvm::ArrayRef<WgmmaShape> wgmmaShapes;
  llvm::ArrayRef<MmaShape> mmaShapes;

  /// The wgmma family for these operand types, or null.
  const WgmmaShape *findWgmma(MatrixType a, MatrixType b,
                              MatrixType accumulator) const;

  /// The mma.sync instruction with the largest K that divides `k`, or null.
  const MmaShape *findMma(MatrixType a, MatrixType b, MatrixType accumulator,
                          int64_t k) const;

  /// The largest N one instruction of `shape` may have when the columns of a
  /// warpgroup, `columns`, are cut into equal instructions; 0 if none fits.
  static int64_t wgmmaN(const WgmmaShape &shape, int64_t columns);

  /// Registers per thread of a kernel compiled for one block of `threads`
  /// threads an SM: a multiple of 8, or the per-thread limit of 255.
  int64_t launchRegisters(int64_t threads) const;
};

/// The architecture called `name` ("sm_80", "sm_90", "sm_90a"), or null.
const TargetInfo *lookupTarget(llvm::StringRef name);

/// Names lookupTarget knows, for messages.
llvm::ArrayRef<llvm::StringRef> targetNames();

/// setmaxnreg values: multiples of 8 in [24, 256] (PTX ISA, setmaxnreg); the
/// compiler itself never asks for more than 240.
constexpr int64_t kMinRegisters = 24, kMaxRegisters = 240, kRegisterStep = 8;

/// One register count per warpgroup of the block.
using RegisterSplit = llvm::SmallVector<int64_t, 4>;

/// Splits the registers of a block of `consumers` + `producers` warpgroups:
/// producers get `producerRegisters` (a multiple of 8, at least 24), the rest
/// is shared equally by the consumers, rounded down to 8 and capped at 240.
/// Producers come last in the result. Empty optional when the target has no
/// setmaxnreg, when the split gains the consumers nothing over the launch
/// value, or when the block does not fit.
std::optional<RegisterSplit> splitRegisters(const TargetInfo &target,
                                            int64_t consumers,
                                            int64_t producers,
                                            int64_t producerRegisters = 24);

} // namespace tlc::target

#endif // TLC_COMPILER_TARGET_TARGETINFO_H
