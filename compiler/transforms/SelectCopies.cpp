// Instruction of a copy. Tensor copies (TMA) load and store whole shared tiles;
// a bulk copy loads a contiguous piece of a tensor that lies inside it; threads
// do everything else. Rules: PTX ISA, cp.async.bulk(.tensor); driver API,
// cuTensorMapEncodeTiled.
#include "compiler/transforms/Selection.h"

#include "compiler/analysis/KnownDivisors.h"
#include "compiler/transforms/LayoutInference.h"
#include "compiler/transforms/UserText.h"

#include "llvm/Support/FormatVariadic.h"

#include <numeric>

using namespace mlir;
using namespace tlc::analysis;

namespace tlc::tile {

SharedKind preferredKind(MemRefType type) {
  // A swizzle repeats after 8 rows; with fewer it would only pad.
  if (type.getRank() < 2 || type.getDimSize(type.getRank() - 2) % 8 != 0)
    return SharedKind::Linear;
  return selectCopyKind(type.getShape(), storageBits(type.getElementType()));
}

/// What one cp.async moves past the L1 (PTX ISA, cp.async.cg).
constexpr int64_t kCpAsyncBytes = 16;

/// A rule's answer: empty, or why the instruction is not possible.
using Why = std::string;

static bool isZero(Value offset) { return constantValue(offset) == 0; }

namespace {
/// The tensor and the tile of a copy between global and shared memory.
struct Ends {
  Value tensor, tile;
  OperandRange tileOffsets;
  ArrayRef<int64_t> tensorSizes, tileSizes;
  bool isStore;

  MemRefType tensorType() const { return cast<MemRefType>(tensor.getType()); }
  MemRefType tileType() const { return cast<MemRefType>(tile.getType()); }
};
} // namespace

static Ends endsOf(CopyOp copy) {
  if (isInSpace(copy.getSrc(), Space::Shared))
    return {copy.getDst(),      copy.getSrc(),      copy.getSrcOffsets(),
            copy.getDstSizes(), copy.getSrcSizes(), true};
  return {copy.getSrc(),      copy.getDst(),      copy.getDstOffsets(),
          copy.getSrcSizes(), copy.getDstSizes(), false};
}

static bool isLoad(CopyOp copy) {
  return isInSpace(copy.getSrc(), Space::Global) &&
         isInSpace(copy.getDst(), Space::Shared);
}

static bool isStore(CopyOp copy) {
  return isInSpace(copy.getSrc(), Space::Shared) &&
         isInSpace(copy.getDst(), Space::Global);
}

static Why whyNoLoad(CopyOp copy) {
  if (isLoad(copy))
    return {};
  return "only loads from global to shared memory are asynchronous";
}

/// A tile moves as a whole and as it is.
static Why whyNoPlainTile(CopyOp copy) {
  Ends ends = endsOf(copy);
  Type from = copy.getSrc().getType().getElementType();
  Type to = copy.getDst().getType().getElementType();
  if (from != to)
    return llvm::formatv("{0} is converted to {1} on the way", dtypeName(from),
                         dtypeName(to))
        .str();
  if (ends.tileSizes != ends.tileType().getShape() ||
      !llvm::all_of(ends.tileOffsets, isZero))
    return llvm::formatv("it {0} only a part of '{1}'",
                         ends.isStore ? "stores" : "fills",
                         getBufferName(ends.tile))
        .str();
  return {};
}

/// What all bulk copies need.
static Why whyNoAsync(CopyOp copy, const target::TargetInfo &target,
                      const SelectOptions &options) {
  if (!isLoad(copy) && !isStore(copy))
    return "only copies between global and shared memory are asynchronous";
  if (!target.hasTma)
    return llvm::formatv("{0} has no TMA", target.name).str();
  if (options.disableTma || copy.getDisableTma())
    return "TMA is disabled";
  return whyNoPlainTile(copy);
}

/// Row and higher pitches of the tensor in bytes must be multiples of 16.
/// `unknown` is set if one is known only at launch.
static Why whyBadPitch(const Ends &ends, const target::TmaLimits &limits,
                       bool &unknown) {
  MemRefType type = ends.tensorType();
  int64_t bytes = storageBits(type.getElementType()) / 8;
  for (int64_t dim = type.getRank() - 2; dim >= 0; --dim) {
    if (knownStrideDivisor(ends.tensor, dim) * bytes %
            limits.strideBytesMultiple ==
        0)
      continue;
    ArrayRef<int64_t> inner = type.getShape().drop_front(dim + 1);
    if (llvm::any_of(inner, ShapedType::isDynamic)) {
      unknown = true;
      continue;
    }
    int64_t pitch = std::accumulate(inner.begin(), inner.end(), bytes,
                                    std::multiplies<int64_t>());
    return llvm::formatv("the {0} pitch of '{1}' is {2} bytes, a multiple of "
                         "{3} is needed",
                         dim == type.getRank() - 2 ? "row" : "outer",
                         getBufferName(ends.tensor), pitch,
                         limits.strideBytesMultiple)
        .str();
  }
  return {};
}

/// The tile as a box of the tensor.
static Why whyNoBox(const Ends &ends, const target::TmaLimits &limits) {
  MemRefType tile = ends.tileType();
  if (ends.tensorType().getRank() > limits.maxRank)
    return llvm::formatv("'{0}' has {1} dimensions, TMA has {2}",
                         getBufferName(ends.tensor),
                         ends.tensorType().getRank(), limits.maxRank)
        .str();
  if (ends.tensorSizes.back() != ends.tileSizes.back())
    return llvm::formatv("the rows of '{0}' do not run along the last "
                         "dimension of '{1}'",
                         getBufferName(ends.tile), getBufferName(ends.tensor))
        .str();
  unsigned bits = storageBits(tile.getElementType());
  int64_t rowBytes = tile.getShape().back() * bits / 8;
  if (rowBytes % limits.innerBytesMultiple != 0)
    return llvm::formatv("a row of '{0}' is {1} bytes, a multiple of {2} is "
                         "needed",
                         getBufferName(ends.tile), rowBytes,
                         limits.innerBytesMultiple)
        .str();
  Why reason;
  SharedLayout layout(preferredKind(tile), tile.getShape(), bits);
  if (!layout.tmaBoxes(limits, &reason))
    return reason;
  return {};
}

/// A contiguous piece: everything inside the first cut dimension is whole.
static Why whyNoBulk(CopyOp copy, const target::TmaLimits &limits) {
  Value src = copy.getSrc();
  MemRefType type = copy.getSrc().getType();
  if (preferredKind(copy.getDst().getType()) != SharedKind::Linear)
    return "the tile is swizzled";
  int64_t bytes = storageBits(type.getElementType()) / 8;
  int64_t size = bytes, offset = 0;
  bool cut = false; // some inner dimension is not copied whole
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    std::optional<int64_t> at = constantValue(copy.getSrcOffsets()[dim]);
    int64_t extent = copy.getSrcSizes()[dim], full = type.getDimSize(dim);
    if (!at || ShapedType::isDynamic(full) || *at < 0 || *at + extent > full)
      return "the piece is not known to lie inside the tensor";
    if (cut && extent != 1)
      return "the piece is not contiguous";
    cut |= extent != full;
    size *= extent;
    offset = std::gcd(offset, *at * bytes * knownStrideDivisor(src, dim));
  }
  if (size % limits.bulkBytesMultiple != 0 ||
      offset % limits.bulkBytesMultiple != 0)
    return llvm::formatv("size and place of the piece are no multiples of {0} "
                         "bytes",
                         limits.bulkBytesMultiple)
        .str();
  return {};
}

static void choose(CopyOp copy, CopyInst inst, const Twine &reason) {
  copy.setInst(inst);
  copy.setReason(reason.str());
}

/// cp.async moves 16 bytes a thread from global to shared memory.
static Why whyNoCpAsync(CopyOp copy, const target::TargetInfo &target) {
  if (Why why = whyNoLoad(copy); !why.empty())
    return why;
  if (!target.hasCpAsync)
    return llvm::formatv("{0} has no cp.async", target.name).str();
  if (Why why = whyNoPlainTile(copy); !why.empty())
    return why;
  if (int64_t bytes = copyVectorBytes(copy); bytes != kCpAsyncBytes)
    return llvm::formatv("neighbours come in pieces of {0} bytes, cp.async "
                         "moves {1}",
                         bytes, kCpAsyncBytes)
        .str();
  // Threads share a tile evenly before they take wide pieces of it.
  MemRefType tile = copy.getDst().getType();
  int64_t tileBytes =
      tile.getNumElements() * storageBits(tile.getElementType()) / 8;
  int64_t threads = copy->getParentOfType<LaunchOp>().getNumThreads();
  if (tileBytes < threads * kCpAsyncBytes)
    return llvm::formatv("'{0}' has {1} bytes, less than {2} for each of {3} "
                         "threads",
                         getBufferName(copy.getDst()), tileBytes, kCpAsyncBytes,
                         threads)
        .str();
  return {};
}

/// Threads make the copy, by cp.async if they can.
static void selectThreadCopy(CopyOp copy, const target::TargetInfo &target) {
  Why why = whyNoCpAsync(copy, target);
  if (why.empty())
    choose(copy, CopyInst::CpAsync,
           "a tile of " + shapeText(copy.getDstSizes()) +
               " is loaded by cp.async, as the options ask");
  else
    choose(copy, CopyInst::Vector, why);
}

LogicalResult selectCopy(CopyOp copy, const target::TargetInfo &target,
                         const SelectOptions &options) {
  if (copy.getPreferCpAsync()) {
    if (Why why = whyNoCpAsync(copy, target); !why.empty())
      return copy.emitError()
             << "T.copy: cp.async cannot be used here: " << why;
    choose(copy, CopyInst::CpAsync, "loaded by cp.async, as asked");
    return success();
  }
  if (options.cpAsync && !copy.getPreferTma()) {
    selectThreadCopy(copy, target);
    return success();
  }
  bool unknownPitch = false;
  Why why = whyNoAsync(copy, target, options);
  bool async = why.empty();
  if (async) {
    Ends ends = endsOf(copy);
    why = whyNoBox(ends, target.tma);
    if (why.empty())
      why = whyBadPitch(ends, target.tma, unknownPitch);
    if (why.empty()) {
      choose(copy, ends.isStore ? CopyInst::TmaStore : CopyInst::TmaLoad,
             "a tile of " + shapeText(ends.tileSizes) + " is " +
                 (ends.isStore ? "stored" : "loaded") + " by TMA" +
                 (unknownPitch
                      ? ", the pitch of '" + getBufferName(ends.tensor) +
                            "' is checked at launch"
                      : std::string()));
      return success();
    }
  }
  if (copy.getPreferTma())
    return copy.emitError() << "T.copy: TMA cannot be used here: " << why;
  if (async && isLoad(copy) && whyNoBulk(copy, target.tma).empty()) {
    choose(copy, CopyInst::BulkLoad, "a contiguous piece is loaded in bulk");
    return success();
  }
  choose(copy, CopyInst::Vector, why);
  return success();
}

} // namespace tlc::tile
