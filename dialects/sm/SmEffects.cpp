// Effects of hardware actions on buffers: proxy and completion of each.
#include "dialects/sm/Sm.h"

using namespace mlir;
using namespace tlc::sm;
using namespace tlc::tile;

using Effects = llvm::SmallVectorImpl<Effect>;

template <typename LoadOp> static void appendLoad(LoadOp op, Effects &effects) {
  effects.push_back(
      {op.getSrc(), AccessKind::Read, Proxy::AsyncCopy, Completion::MBarrier});
  effects.push_back(
      {op.getDst(), AccessKind::Write, Proxy::AsyncCopy, Completion::MBarrier});
}

void TmaLoadOp::getTileEffects(Effects &effects) { appendLoad(*this, effects); }
void BulkLoadOp::getTileEffects(Effects &effects) {
  appendLoad(*this, effects);
}

void TmaStoreOp::getTileEffects(Effects &effects) {
  effects.push_back(
      {getSrc(), AccessKind::Read, Proxy::AsyncCopy, Completion::BulkGroup});
  effects.push_back(
      {getDst(), AccessKind::Write, Proxy::AsyncCopy, Completion::BulkGroup});
}

template <typename Product>
static void appendProduct(Product op, Proxy proxy, Completion done,
                          Effects &effects) {
  for (Value operand : {Value(op.getA()), Value(op.getB())})
    effects.push_back(
        {operand, AccessKind::Read,
         isInSpace(operand, Space::Shared) ? proxy : Proxy::Generic, done});
  effects.push_back({op.getC(), AccessKind::Read, Proxy::Generic, done});
  effects.push_back({op.getC(), AccessKind::Write, Proxy::Generic, done});
}

void WgmmaOp::getTileEffects(Effects &effects) {
  appendProduct(*this, Proxy::AsyncMma, Completion::WgmmaGroup, effects);
}
void MmaOp::getTileEffects(Effects &effects) {
  appendProduct(*this, Proxy::Generic, Completion::ProgramOrder, effects);
}
