// A copy from registers to an accumulator goes into the branch of the product
// that adds to it, directly before the product, and to the start of the other
// path.
//
//   copy a -> c; if p {...; mma_fence; product c}
// becomes
//   if p {...; copy a -> c; mma_fence; product c} else {copy a -> c}
//
// On the way to the product the conversion then writes the registers that the
// product takes; before the branch it would write those in which both paths
// leave the fragment, and each would be moved once more.
#include "compiler/conversion/Conversion.h"
#include "compiler/conversion/TileToWS/Buffers.h"
#include "compiler/conversion/TileToWS/Paths.h"

namespace tlc {
#define GEN_PASS_DEF_WSSINKCOPIESPASS
#include "compiler/conversion/Conversion.h.inc"
} // namespace tlc

using namespace mlir;
using namespace tlc;

static bool isRegisterCopy(tile::CopyOp copy) {
  return tile::isInSpace(copy.getSrc(), tile::Space::Fragment) &&
         tile::isInSpace(copy.getDst(), tile::Space::Fragment);
}

/// Whether the copy has to come before `op`: that touches what the copy
/// writes, changes what it reads, or settles registers for a product.
static bool needsCopy(Operation *op, tile::CopyOp copy) {
  if (isa<ws::MmaFenceOp>(op) || op->hasTrait<OpTrait::IsTerminator>())
    return true;
  SmallVector<tile::Effect> effects;
  collectEffects(op, effects);
  return llvm::any_of(effects, [&](const tile::Effect &effect) {
    return effect.buffer == copy.getDst() ||
           (effect.buffer == copy.getSrc() &&
            effect.kind == tile::AccessKind::Write);
  });
}

static Operation *findNeed(tile::CopyOp copy) {
  Operation *op = copy->getNextNode();
  while (!needsCopy(op, copy))
    op = op->getNextNode();
  return op;
}

/// A branch with a product that adds to what the copy writes.
static scf::IfOp findBranch(tile::CopyOp copy) {
  auto branch = dyn_cast<scf::IfOp>(findNeed(copy));
  bool adds = false;
  if (branch)
    branch.walk([&](tile::GemmOp gemm) {
      adds |= gemm.getAsync() && gemm.getC() == copy.getDst();
    });
  return adds ? branch : scf::IfOp();
}

static void sink(tile::CopyOp copy) {
  scf::IfOp branch = findBranch(copy);
  if (!branch)
    return;
  for (Block *block : {branch.thenBlock(), getOrCreateElse(branch)}) {
    auto b = OpBuilder::atBlockBegin(block);
    auto own = cast<tile::CopyOp>(b.clone(*copy));
    if (findBranch(own))
      sink(own);
    else if (Operation *need = findNeed(own); isa<ws::MmaFenceOp>(need))
      own->moveBefore(need);
  }
  copy.erase();
}

namespace {
struct WSSinkCopiesPass : tlc::impl::WSSinkCopiesPassBase<WSSinkCopiesPass> {
  using Base::Base;
  void runOnOperation() override {
    SmallVector<tile::CopyOp> copies;
    getOperation().walk([&](tile::CopyOp copy) {
      if (isRegisterCopy(copy))
        copies.push_back(copy);
    });
    for (tile::CopyOp copy : copies)
      sink(copy);
  }
};
} // namespace
