// One thread issues a tensor store for all: they must agree on whether and
// where, and what they did to the tensor before must be nothing, since its
// order would take a proxy fence of global memory.
#include "compiler/conversion/TileToWS/Stores.h"

#include "compiler/analysis/KnownDivisors.h"
#include "compiler/conversion/TileToWS/Buffers.h"
#include "compiler/conversion/TileToWS/Paths.h"
#include "compiler/conversion/TileToWS/Slices.h"
#include "compiler/target/TargetInfo.h"
#include "compiler/transforms/UserText.h"

using namespace mlir;
using namespace tlc;

/// Bytes of an element.
static int64_t bytesOf(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  return tile::storageBits(type.getElementType()) / 8;
}

/// Pitches of a tensor that are known only at launch, innermost first.
static SmallVector<AffineExpr> findUnknownPitches(Value tensor) {
  auto arg = dyn_cast<BlockArgument>(tensor);
  auto kernel =
      arg ? dyn_cast<tile::KernelOp>(arg.getOwner()->getParentOp()) : nullptr;
  SmallVector<AffineExpr> unknown;
  if (!kernel || arg.getArgNumber() >= kernel.getNumParams())
    return unknown;
  AffineMap shape = kernel.getParamShape(arg.getArgNumber());
  AffineExpr pitch = getAffineConstantExpr(1, kernel.getContext());
  for (int64_t dim = cast<MemRefType>(tensor.getType()).getRank() - 2; dim >= 0;
       --dim) {
    pitch = pitch * shape.getResult(dim + 1);
    if (analysis::knownStrideDivisor(tensor, dim) * bytesOf(tensor) %
            target::TmaLimits().strideBytesMultiple !=
        0)
      unknown.push_back(pitch);
  }
  return unknown;
}

/// A launch that threads could run must not fail for a store: what TMA needs to
/// know of a pitch only then, a load ahead has to ask for already.
static bool isAskedFor(AffineExpr pitch, tile::CopyOp store,
                       tile::LaunchOp launch) {
  auto asks = [&](tile::CopyOp load) {
    return load.getInst() == tile::CopyInst::TmaLoad &&
           load->getParentOfType<tile::PipelinedOp>() &&
           bytesOf(load.getSrc()) <= bytesOf(store.getDst()) &&
           llvm::is_contained(findUnknownPitches(load.getSrc()), pitch);
  };
  return launch
      .walk([&](tile::CopyOp load) {
        return asks(load) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether `a` runs before `b` in some turn.
static bool mayPrecede(Operation *a, Operation *b, Operation *launch) {
  for (Operation *at = b; at != launch; at = at->getParentOp()) {
    if (!isa<scf::IfOp>(at) && at != b && at->isAncestor(a))
      return true;
    Operation *other = getAncestorIn(at->getBlock(), a);
    if (other && other != at && other->isBeforeInBlock(at))
      return true;
  }
  return false;
}

/// An access by threads that comes before the store; null if there is none.
static Operation *findEarlierUse(tile::CopyOp store, tile::LaunchOp launch,
                                 Operation *replaced) {
  for (Operation *access : getAccesses(store.getDst())) {
    auto other = dyn_cast<tile::CopyOp>(access);
    if (access != store && access != replaced && launch->isAncestor(access) &&
        !(other && other.getInst() == tile::CopyInst::TmaStore) &&
        mayPrecede(access, store, launch))
      return access;
  }
  return nullptr;
}

std::string tlc::whyNoTensorStore(tile::CopyOp copy, tile::LaunchOp launch,
                                  Operation *replaced) {
  auto differs = [&](Value value) { return dependsOnThread(value, launch); };
  std::string tensor = "'" + tile::getBufferName(copy.getDst()) + "'";
  // One thread is elected among those of a whole warp.
  if (launch.getNumThreads() % 32 != 0)
    return "the block has " + std::to_string(launch.getNumThreads()) +
           " threads, no whole warps";
  if (!copy.getPreferTma())
    for (AffineExpr pitch : findUnknownPitches(copy.getDst()))
      if (!isAskedFor(pitch, copy, launch))
        return "a pitch of " + tensor +
               " is known only at launch, and no load by TMA asks for it to be "
               "a multiple of 16 bytes";
  if (llvm::any_of(copy.getDstOffsets(), differs))
    return "where it stores depends on the thread";
  for (Operation *parent = copy->getParentOp(); parent != launch;
       parent = parent->getParentOp())
    if (llvm::any_of(getConditions(parent), differs))
      return "whether it runs, at the " + describeOp(parent) +
             ", depends on the thread";
  if (Operation *use = findEarlierUse(copy, launch, replaced))
    return tensor + " is used by the threads before, in the " +
           describeOp(use) +
           ", and only a fence of global memory orders that before a TMA store";
  return "";
}

static bool writesGlobal(Operation *op) {
  SmallVector<tile::Effect> effects;
  collectEffects(op, effects);
  return llvm::any_of(effects, [](const tile::Effect &effect) {
    return effect.kind == tile::AccessKind::Write &&
           tile::isInSpace(effect.buffer, tile::Space::Global);
  });
}

Operation *tlc::findSignal(Operation *scope) {
  Operation *signal = nullptr;
  scope->walk([&](Operation *op) {
    if (isa<tile::SyncGridOp>(op) ||
        (isa<tile::CallExternOp, tile::AtomicOp>(op) && writesGlobal(op)))
      signal = op;
  });
  return signal;
}
