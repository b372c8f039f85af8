// Effects of tile ops, for the instruction that was chosen. An op without a
// chosen instruction answers for its sequential meaning: generic, in order.
#include "dialects/tile/Tile.h"

using namespace mlir;
using namespace tlc::tile;

using Effects = llvm::SmallVectorImpl<Effect>;

void AllocOp::getTileEffects(Effects &) {}

void CopyOp::getTileEffects(Effects &effects) {
  switch (getInst().value_or(CopyInst::Vector)) {
  case CopyInst::Vector:
    effects.push_back({getSrc(), AccessKind::Read});
    effects.push_back({getDst(), AccessKind::Write});
    return;
  case CopyInst::TmaLoad:
  case CopyInst::BulkLoad:
    effects.push_back(
        {getSrc(), AccessKind::Read, Proxy::AsyncCopy, Completion::MBarrier});
    effects.push_back(
        {getDst(), AccessKind::Write, Proxy::AsyncCopy, Completion::MBarrier});
    return;
  case CopyInst::CpAsync: // PTX ISA: non-bulk copies are generic accesses
    effects.push_back(
        {getSrc(), AccessKind::Read, Proxy::Generic, Completion::CpAsyncGroup});
    effects.push_back({getDst(), AccessKind::Write, Proxy::Generic,
                       Completion::CpAsyncGroup});
    return;
  case CopyInst::TmaStore:
    effects.push_back(
        {getSrc(), AccessKind::Read, Proxy::AsyncCopy, Completion::BulkGroup});
    effects.push_back(
        {getDst(), AccessKind::Write, Proxy::AsyncCopy, Completion::BulkGroup});
    return;
  }
}

void FillOp::getTileEffects(Effects &effects) {
  effects.push_back({getDst(), AccessKind::Write});
}

void GemmOp::getTileEffects(Effects &effects) {
  GemmInst inst = getInst().value_or(GemmInst::MmaSync);
  bool wgmma = inst != GemmInst::MmaSync;
  Proxy proxy = wgmma ? Proxy::AsyncMma : Proxy::Generic;
  Completion done = wgmma ? Completion::WgmmaGroup : Completion::ProgramOrder;
  // A fragment operand is read from registers, whose order is the thread's.
  bool aShared = isInSpace(getA(), Space::Shared);
  bool bShared = isInSpace(getB(), Space::Shared);
  effects.push_back(
      {getA(), AccessKind::Read, aShared ? proxy : Proxy::Generic, done});
  effects.push_back(
      {getB(), AccessKind::Read, bShared ? proxy : Proxy::Generic, done});
  effects.push_back({getC(), AccessKind::Read, Proxy::Generic, done});
  effects.push_back({getC(), AccessKind::Write, Proxy::Generic, done});
}

void LoadOp::getTileEffects(Effects &effects) {
  effects.push_back({getBuffer(), AccessKind::Read});
}

void StoreOp::getTileEffects(Effects &effects) {
  effects.push_back({getBuffer(), AccessKind::Write});
}

void CallExternOp::getTileEffects(Effects &effects) {
  for (Value arg : getArgs()) {
    if (auto ptr = arg.getDefiningOp<AccessPtrOp>()) {
      auto mode = static_cast<unsigned>(ptr.getMode());
      if (mode & static_cast<unsigned>(AccessMode::Read))
        effects.push_back({ptr.getBuffer(), AccessKind::Read});
      if (mode & static_cast<unsigned>(AccessMode::Write))
        effects.push_back({ptr.getBuffer(), AccessKind::Write});
    } else if (hasSpace(arg.getType())) {
      effects.push_back({arg, AccessKind::Read});
      effects.push_back({arg, AccessKind::Write});
    }
  }
}

void AtomicOp::getTileEffects(Effects &effects) {
  if (getKind() != AtomicKind::Store)
    effects.push_back({getBuffer(), AccessKind::Read});
  if (getKind() != AtomicKind::Load)
    effects.push_back({getBuffer(), AccessKind::Write});
}
