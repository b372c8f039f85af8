// Swizzles of shared tiles. What wgmma reads has the widest swizzle that all
// its products can read; what tensor copies, mma.sync or copies from and to
// fragments touch has the widest that divides a row; a piece that a bulk copy
// fills, and a tile that only scalar code uses, is linear.
#include "compiler/transforms/LayoutInference.h"

#include "compiler/support/Remarks.h"
#include "compiler/transforms/Selection.h"
#include "compiler/transforms/UserText.h"

using namespace mlir;
using namespace tlc::analysis;

namespace tlc::tile {

static Swizzle toSwizzle(SharedKind kind) {
  switch (kind) {
  case SharedKind::Swizzle32:
    return Swizzle::B32;
  case SharedKind::Swizzle64:
    return Swizzle::B64;
  case SharedKind::Swizzle128:
    return Swizzle::B128;
  case SharedKind::Linear:
  case SharedKind::Panel16:
    break;
  }
  return Swizzle::None;
}

static bool isWgmma(GemmOp gemm) {
  return gemm.getInst() && *gemm.getInst() != GemmInst::MmaSync;
}

namespace {
/// What the users of one tile ask for.
struct SharedUses {
  std::optional<SharedKind> wgmma; ///< the widest that every product reads
  GemmOp product;                  ///< the one that decided
  bool wantsSwizzle = false;       ///< moved or read in tiles
  bool mustBeLinear = false;       ///< filled by a bulk copy
  Operation *escape = nullptr;     ///< a call that is given its address
};
} // namespace

static void addProduct(SharedUses &uses, GemmOp gemm, bool isA) {
  uses.wantsSwizzle = true;
  if (!isWgmma(gemm))
    return;
  SharedKind kind = wgmmaKind(gemm, isA, gemm.getWarpsN().value_or(1));
  // Kinds are ordered by their span.
  if (!uses.wgmma || kind < *uses.wgmma) {
    uses.wgmma = kind;
    uses.product = gemm;
  }
}

static SharedUses collectUses(AllocOp alloc) {
  SharedUses uses;
  Value tile = alloc.getResult();
  for (Operation *user : tile.getUsers()) {
    if (auto gemm = dyn_cast<GemmOp>(user)) {
      if (gemm.getA() == tile)
        addProduct(uses, gemm, /*isA=*/true);
      if (gemm.getB() == tile)
        addProduct(uses, gemm, /*isA=*/false);
    } else if (auto copy = dyn_cast<CopyOp>(user)) {
      uses.mustBeLinear |= copy.getInst() == CopyInst::BulkLoad;
      uses.wantsSwizzle |= copy.getInst() == CopyInst::TmaLoad ||
                           copy.getInst() == CopyInst::TmaStore ||
                           copy.getInst() == CopyInst::CpAsync ||
                           isInSpace(copy.getSrc(), Space::Fragment) ||
                           isInSpace(copy.getDst(), Space::Fragment);
    } else if (isa<AccessPtrOp, CallExternOp>(user)) {
      uses.escape = user;
    }
  }
  return uses;
}

/// A swizzle that the program asked for must be one that the products read.
static LogicalResult checkGiven(AllocOp alloc, SharedUses &uses) {
  Swizzle given = *alloc.getSwizzle();
  if (!uses.wgmma ||
      (given != Swizzle::None && given <= toSwizzle(*uses.wgmma)))
    return success();
  InFlightDiagnostic diag =
      alloc.emitError() << "the layout given for '" << alloc.getName()
                        << "' cannot be read by wgmma, which needs a swizzle "
                           "of at most "
                        << spanBytes(*uses.wgmma) << " bytes";
  diag.attachNote(uses.product.getLoc()) << "read here";
  return diag;
}

LogicalResult inferSharedLayouts(LaunchOp launch) {
  WalkResult walk = launch.walk([&](AllocOp alloc) {
    MemRefType type = alloc.getResult().getType();
    if (!isInSpace(type, Space::Shared))
      return WalkResult::advance();
    SharedUses uses = collectUses(alloc);
    if (alloc.getSwizzle())
      return failed(checkGiven(alloc, uses)) ? WalkResult::interrupt()
                                             : WalkResult::advance();
    SharedKind kind = uses.wgmma          ? *uses.wgmma
                      : uses.mustBeLinear ? SharedKind::Linear
                      : uses.wantsSwizzle ? preferredKind(type)
                                          : SharedKind::Linear;
    alloc.setSwizzle(toSwizzle(kind));
    emitDecision(alloc, "layout",
                 "'" + alloc.getName() + "' is " + kindName(kind) +
                     (uses.wgmma ? ", as wgmma reads it" : ""));
    if (uses.escape && kind != SharedKind::Linear)
      emitMissedDecision(uses.escape, "layout",
                         "a pointer to '" + alloc.getName() +
                             "' is passed on: the tile is swizzled, its "
                             "elements are not in row-major order");
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

} // namespace tlc::tile
