// Instruction of a product: wgmma if a rule does not forbid it, else mma.sync;
// and how the warps split it (language.md 2.7, PTX ISA wgmma.mma_async, mma).
#include "compiler/transforms/Selection.h"

#include "compiler/analysis/FragmentLayouts.h"
#include "compiler/analysis/KnownDivisors.h"
#include "compiler/analysis/SharedKinds.h"
#include "compiler/transforms/Products.h"
#include "compiler/transforms/UserText.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

#include <numeric>

using namespace mlir;
using namespace tlc::analysis;
using tlc::target::MatrixType;

namespace tlc::tile {

using Why = std::string;

/// Threads that issue one wgmma together.
constexpr int64_t kWarpgroup = 128;
/// Rows of one wgmma.
constexpr int64_t kWgmmaM = 64;

static std::optional<MatrixType> matrixType(Type type, bool operand) {
  return TypeSwitch<Type, std::optional<MatrixType>>(type)
      .Case([](Float16Type) { return MatrixType::F16; })
      .Case([](BFloat16Type) { return MatrixType::BF16; })
      .Case([](FloatTF32Type) { return MatrixType::TF32; })
      .Case([](Float8E4M3FNType) { return MatrixType::E4M3; })
      .Case([](Float8E5M2Type) { return MatrixType::E5M2; })
      .Case([&](Float32Type) {
        return operand ? MatrixType::TF32 : MatrixType::F32;
      })
      .Case([](IntegerType type) -> std::optional<MatrixType> {
        if (type.getWidth() == 8)
          return type.isUnsigned() ? MatrixType::U8 : MatrixType::S8;
        if (type.getWidth() == 32 && !type.isUnsigned())
          return MatrixType::S32;
        return std::nullopt;
      })
      .Default([](Type) { return std::nullopt; });
}

namespace {
/// One product and what the rules ask about it.
struct Product {
  mutable GemmOp gemm; ///< ops are handles
  int64_t M, N, K, threads;
  Type aType, bType, cType;
  std::optional<MatrixType> a, b, c;
  analysis::WarpPolicy policy;

  Product(GemmOp gemm, int64_t threads)
      : gemm(gemm), M(gemm.getM()), N(gemm.getN()), K(gemm.getK()),
        threads(threads), aType(gemm.getA().getType().getElementType()),
        bType(gemm.getB().getType().getElementType()),
        cType(gemm.getC().getType().getElementType()),
        a(matrixType(aType, true)), b(matrixType(bType, true)),
        c(matrixType(cType, false)),
        policy(static_cast<analysis::WarpPolicy>(gemm.getPolicy())) {}

  bool aIsFragment() const { return isInSpace(gemm.getA(), Space::Fragment); }
  int64_t warps() const { return threads / 32; }
  /// "bfloat16 by bfloat16 into float32"
  std::string types() const {
    return llvm::formatv("{0} by {1} into {2}", dtypeName(aType),
                         dtypeName(bType), dtypeName(cType))
        .str();
  }
};
} // namespace

SharedKind wgmmaKind(GemmOp gemm, bool isA, int64_t warpsN) {
  MemRefType type = (isA ? gemm.getA() : gemm.getB()).getType();
  OperandRange offsets = isA ? gemm.getAOffsets() : gemm.getBOffsets();
  bool kMajor = isKMajor(gemm, isA);
  unsigned bits = storageBits(type.getElementType());
  // The dimension that runs along rows in memory.
  bool kColumns = isA ? !gemm.getTransA() : gemm.getTransB();
  size_t dim = type.getRank() - (kMajor == kColumns ? 1 : 2);
  int64_t continuity =
      std::gcd(type.getDimSize(dim), knownDivisor(offsets[dim]));
  // A step along K stays inside a span, so K-major regions may begin at any
  // step; MN-major ones begin at a span.
  if (kMajor)
    continuity = type.getDimSize(dim);
  else
    continuity = std::gcd(continuity, isA ? kWgmmaM : gemm.getN() / warpsN);
  return selectWgmmaKind(continuity, bits);
}

/// Where a shared operand lies in its tile: rows from a multiple of 8 on, K
/// from a whole step on, and all of it known when compiling.
static Why whyBadPlace(const Product &p, bool isA, int64_t stepK) {
  GemmOp gemm = p.gemm;
  Value buffer = isA ? gemm.getA() : gemm.getB();
  OperandRange offsets = isA ? gemm.getAOffsets() : gemm.getBOffsets();
  bool kMajor = isA ? !gemm.getTransA() : gemm.getTransB();
  std::optional<int64_t> row = constantValue(offsets[offsets.size() - 2]);
  std::optional<int64_t> column = constantValue(offsets.back());
  if (!row || !column)
    return llvm::formatv("the part of '{0}' is known only at run time",
                         getBufferName(buffer))
        .str();
  if (*row % (kMajor ? 8 : stepK) != 0 || (kMajor && *column % stepK != 0))
    return llvm::formatv("the part of '{0}' begins inside a core matrix",
                         getBufferName(buffer))
        .str();
  return {};
}

/// What wgmma asks of a shared operand.
static Why whyBadOperand(const Product &p, bool isA, WarpPartition partition,
                         const target::WgmmaShape &shape) {
  GemmOp gemm = p.gemm;
  Value buffer = isA ? gemm.getA() : gemm.getB();
  bool kMajor = isKMajor(gemm, isA);
  std::string name = getBufferName(buffer);
  if (!isInSpace(buffer, Space::Shared))
    return llvm::formatv("'{0}' is not in shared memory", name).str();
  if (!kMajor && !shape.anyMajorness)
    return llvm::formatv("wgmma reads {0} only with K contiguous, '{1}' has "
                         "it in rows",
                         dtypeName(isA ? p.aType : p.bType), name)
        .str();
  Why why = whyBadPlace(p, isA, shape.k);
  if (!why.empty())
    return why;
  SharedKind kind = wgmmaKind(gemm, isA, partition.n);
  if (kind == SharedKind::Panel16 || kind == SharedKind::Linear)
    return llvm::formatv("wgmma reads rows in pieces of 32 bytes or more, "
                         "those of '{0}' do not divide so",
                         name)
        .str();
  MemRefType type = cast<MemRefType>(buffer.getType());
  auto alloc = buffer.getDefiningOp<AllocOp>();
  SharedLayout layout(kind, type.getShape(), storageBits(type.getElementType()),
                      alloc ? tileOrderOf(alloc.getOrderAttr()) : TileOrder());
  Why reason;
  if (!layout.wgmmaOperand(kMajor, &reason))
    return llvm::formatv("'{0}': {1}", name, reason).str();
  return {};
}

/// Why wgmma cannot compute it; else sets the partition.
static Why whyNoWgmma(const Product &p, const target::TargetInfo &target,
                      const SelectOptions &options, bool aInRegisters,
                      WarpPartition &partition) {
  if (!target.hasWgmma)
    return llvm::formatv("{0} has no wgmma", target.name).str();
  if (options.disableWgmma)
    return "wgmma is disabled";
  const target::WgmmaShape *shape = target.findWgmma(*p.a, *p.b, *p.c);
  if (!shape)
    return "wgmma does not multiply " + p.types();
  if (p.threads % kWarpgroup != 0)
    return llvm::formatv("wgmma needs whole warpgroups of {0} threads, the "
                         "block has {1}",
                         kWarpgroup, p.threads)
        .str();
  if (p.M < kWgmmaM)
    return llvm::formatv("M is {0}, wgmma needs {1} or more", p.M, kWgmmaM)
        .str();
  if (p.K % shape->k != 0)
    return llvm::formatv("K is {0}, wgmma needs a multiple of {1}", p.K,
                         shape->k)
        .str();
  std::string error;
  std::optional<WarpPartition> chosen = chooseWarpPartition(
      p.M, p.N, p.warps(), p.policy, /*wgmma=*/true, &error);
  if (!chosen)
    return error;
  partition = *chosen;
  if (target::TargetInfo::wgmmaN(*shape, p.N / partition.n) == 0)
    return llvm::formatv("no wgmma has {0} columns", p.N / partition.n).str();
  Why why;
  if (!p.aIsFragment() && !aInRegisters)
    why = whyBadOperand(p, /*isA=*/true, partition, *shape);
  if (why.empty())
    why = whyBadOperand(p, /*isA=*/false, partition, *shape);
  return why;
}

std::string whyNoWgmma(GemmOp gemm, int64_t threads,
                       const target::TargetInfo &target,
                       const SelectOptions &options, bool aInRegisters) {
  Product p(gemm, threads);
  WarpPartition partition{1, 1};
  if (!p.a || !p.b || !p.c)
    return "no matrix instruction takes these types";
  return whyNoWgmma(p, target, options, aInRegisters, partition);
}

/// Fragment operands are whole fragments.
static LogicalResult checkFragmentOperand(GemmOp gemm, Value operand,
                                          OperandRange offsets,
                                          ArrayRef<int64_t> sizes) {
  auto type = cast<MemRefType>(operand.getType());
  if (!isInSpace(type, Space::Fragment))
    return success();
  bool whole = sizes == type.getShape() && llvm::all_of(offsets, [](Value at) {
                 return constantValue(at) == 0;
               });
  if (whole && type.getRank() == 2)
    return success();
  return gemm.emitError() << "T.gemm: a part of the fragment '"
                          << getBufferName(operand)
                          << "' as operand is not supported yet";
}

static LogicalResult checkOperands(const Product &p,
                                   const target::TargetInfo &target) {
  GemmOp gemm = p.gemm;
  for (Value operand : {Value(gemm.getA()), Value(gemm.getB())})
    if (isInSpace(operand, Space::Local))
      return gemm.emitError()
             << "T.gemm: '" << getBufferName(operand)
             << "' is private to each thread; operands are shared tiles or "
                "fragments";
  if (!p.a || !p.b || !p.c ||
      !target.findMma(*p.a, *p.b, *p.c, 256 / target::bitWidth(*p.a)))
    return gemm.emitError() << "T.gemm: no instruction of " << target.name
                            << " multiplies " << p.types();
  if (failed(checkFragmentOperand(gemm, gemm.getA(), gemm.getAOffsets(),
                                  gemm.getASizes())))
    return failure();
  return checkFragmentOperand(gemm, gemm.getB(), gemm.getBOffsets(),
                              gemm.getBSizes());
}

static LogicalResult checkMultiple(GemmOp gemm, StringRef what, int64_t value,
                                   int64_t multiple) {
  if (value % multiple == 0)
    return success();
  return gemm.emitError() << "T.gemm: " << what << " is " << value
                          << ", a multiple of " << multiple << " is needed";
}

static void choose(GemmOp gemm, GemmInst inst, WarpPartition partition,
                   const Twine &reason) {
  gemm.setInst(inst);
  gemm.setWarpsM(partition.m);
  gemm.setWarpsN(partition.n);
  gemm.setReason(reason.str());
}

LogicalResult selectGemm(GemmOp gemm, int64_t threads,
                         const target::TargetInfo &target,
                         const SelectOptions &options) {
  Product p(gemm, threads);
  if (failed(checkOperands(p, target)))
    return failure();
  // mma.sync takes 32 bytes of K with every type.
  int64_t mmaK = 256 / target::bitWidth(*p.a);
  if (failed(checkMultiple(gemm, "M", p.M, 16)) ||
      failed(checkMultiple(gemm, "N", p.N, 8)) ||
      failed(checkMultiple(gemm, "K", p.K, mmaK)) ||
      failed(checkMultiple(gemm, "the number of threads", threads, 32)))
    return failure();
  WarpPartition partition{1, 1};
  Why why = whyNoWgmma(p, target, options, /*aInRegisters=*/false, partition);
  if (why.empty()) {
    choose(gemm, p.aIsFragment() ? GemmInst::WgmmaRS : GemmInst::WgmmaSS,
           partition,
           p.aIsFragment() ? "wgmma with A in registers"
                           : "wgmma with A and B in shared memory");
    return success();
  }
  std::string error;
  std::optional<WarpPartition> chosen = chooseWarpPartition(
      p.M, p.N, p.warps(), p.policy, /*wgmma=*/false, &error);
  if (!chosen)
    return gemm.emitError()
           << "T.gemm: " << error << "; use fewer threads or a larger tile";
  choose(gemm, GemmInst::MmaSync, *chosen, why);
  return success();
}

} // namespace tlc::tile
