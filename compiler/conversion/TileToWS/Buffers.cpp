// Queries about buffers, accesses and source places.
#include "compiler/conversion/TileToWS/Buffers.h"

#include "compiler/transforms/UserText.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tlc;

void tlc::collectEffects(Operation *op,
                         SmallVectorImpl<tile::Effect> &effects) {
  op->walk(
      [&](tile::EffectsOpInterface nested) { nested.getTileEffects(effects); });
}

llvm::DenseSet<Value> tlc::getWrittenGlobals(Operation *scope) {
  SmallVector<tile::Effect> effects;
  collectEffects(scope, effects);
  llvm::DenseSet<Value> written;
  for (const tile::Effect &effect : effects)
    if (effect.kind == tile::AccessKind::Write &&
        tile::isInSpace(effect.buffer, tile::Space::Global))
      written.insert(effect.buffer);
  return written;
}

Operation *tlc::getAncestorIn(Block *block, Operation *op) {
  return block->findAncestorOpInBlock(*op);
}

SmallVector<Operation *> tlc::getAccesses(Value buffer) {
  llvm::SetVector<Operation *> accesses;
  for (Operation *user : buffer.getUsers()) {
    if (isa<tile::AccessPtrOp>(user))
      accesses.insert_range(user->getUsers());
    else if (isa<tile::EffectsOpInterface>(user))
      accesses.insert(user);
  }
  return accesses.takeVector();
}

static std::optional<unsigned> findLine(Location loc) {
  std::optional<unsigned> line;
  loc->walk([&](Location nested) {
    if (auto file = dyn_cast<FileLineColRange>(nested)) {
      line = file.getStartLine();
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return line;
}

std::string tlc::describeLine(Location loc) {
  if (std::optional<unsigned> line = findLine(loc))
    return "line " + std::to_string(*line);
  return "an unknown line";
}

int64_t tlc::getTileBytes(Value tile) {
  auto type = cast<MemRefType>(tile.getType());
  return type.getNumElements() * tile::storageBits(type.getElementType()) / 8;
}

bool tlc::isOperandLoad(Operation *op) {
  auto copy = dyn_cast<tile::CopyOp>(op);
  if (!copy || !tile::isInSpace(copy.getDst(), tile::Space::Fragment))
    return false;
  return llvm::any_of(copy.getDst().getUsers(), [&](Operation *user) {
    auto gemm = dyn_cast<tile::GemmOp>(user);
    return gemm && gemm.getA() == copy.getDst() &&
           gemm.getLoc() == copy.getLoc();
  });
}

std::string tlc::describeOp(Operation *op) {
  if (isOperandLoad(op))
    return "load into registers for the T.gemm at " +
           describeLine(op->getLoc());
  StringRef name =
      llvm::TypeSwitch<Operation *, StringRef>(op)
          .Case<tile::CopyOp>([](auto) { return "T.copy"; })
          .Case<tile::GemmOp>([](auto) { return "T.gemm"; })
          .Case<tile::FillOp>([](auto) { return "T.fill"; })
          .Case<tile::ParallelOp>([](auto) { return "T.Parallel"; })
          .Case<tile::CallExternOp>([](auto) { return "T.call_extern"; })
          .Case<tile::SyncGridOp>([](auto) { return "T.sync_grid"; })
          .Case<tile::AtomicOp>([](auto) { return "atomic"; })
          .Case<tile::FenceProxyAsyncOp, ws::FenceOp>(
              [](auto) { return "T.fence_proxy_async"; })
          .Case<scf::IfOp>([](auto) { return "if"; })
          .Case<scf::ForOp>([](auto) { return "for"; })
          .Case<scf::WhileOp>([](auto) { return "while"; })
          .Default([](auto) { return "statement"; });
  return (name + " at " + describeLine(op->getLoc())).str();
}

int64_t tlc::getRoleThreads(Operation *op) {
  if (auto role = op->getParentOfType<ws::RoleOp>())
    return role.getWarps()[1] * 32;
  return op->getParentOfType<tile::LaunchOp>().getNumThreads();
}
