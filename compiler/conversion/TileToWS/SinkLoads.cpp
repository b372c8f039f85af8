// A load whose tile is used under a flag only is made under that flag: a tile
// that nobody reads is not moved. The first turns load without asking, since a
// load of the flag takes longer than the first slot takes to become free
// (evidence/golden/correct_h0.md, rule 9).
//
//   copy M -> m; if f { use m }
// becomes
//   if i < num_stages or f { copy M -> m; if f { use m } }
//
// Producer and consumer follow from this one text, so they agree on what is
// loaded.
#include "compiler/conversion/TileToWS/SinkLoads.h"

#include "compiler/conversion/TileToWS/Buffers.h"
#include "compiler/conversion/TileToWS/Slices.h"
#include "compiler/support/Remarks.h"

using namespace mlir;
using namespace tlc;

/// The one branch after `copy` in which its tile is used, without an else.
static scf::IfOp findUser(tile::CopyOp copy) {
  scf::IfOp user;
  for (Operation *access : getAccesses(copy.getDst())) {
    if (access == copy)
      continue;
    auto branch =
        dyn_cast_or_null<scf::IfOp>(getAncestorIn(copy->getBlock(), access));
    if (!branch || (user && branch != user) || branch->isBeforeInBlock(copy) ||
        branch.elseBlock())
      return {};
    user = branch;
  }
  return user;
}

/// The flag is a load of a tensor that the kernel does not write, alike in all
/// threads.
static tile::LoadOp findFlag(scf::IfOp user, Operation *launch,
                             const llvm::DenseSet<Value> &written) {
  auto load = user.getCondition().getDefiningOp<tile::LoadOp>();
  if (!load || !tile::isInSpace(load.getBuffer(), tile::Space::Global) ||
      written.contains(load.getBuffer()) ||
      dependsOnThread(load.getResult(), launch))
    return {};
  return load;
}

/// Everything between the copy and its user stays as it is: no effect of it
/// may touch the tile, and none ends the turn early.
static bool canMove(tile::CopyOp copy, scf::IfOp user) {
  for (Operation *op = copy->getNextNode(); op != user; op = op->getNextNode())
    if (isa<tile::SyncThreadsOp, tile::SyncGridOp, tile::CallExternOp,
            tile::FenceProxyAsyncOp>(op))
      return false;
  return true;
}

static bool isRingFill(tile::CopyOp copy) {
  return copy.getInst() == tile::CopyInst::TmaLoad ||
         copy.getInst() == tile::CopyInst::BulkLoad;
}

/// Whether ordinary loads read `buffer`, the last of them before `user`.
static bool isReadBefore(Value buffer, scf::IfOp user) {
  bool generic = false;
  for (Operation *access : getAccesses(buffer)) {
    Operation *use = getAncestorIn(user->getBlock(), access);
    if (!use || !use->isBeforeInBlock(user))
      return false;
    SmallVector<tile::Effect> effects;
    cast<tile::EffectsOpInterface>(access).getTileEffects(effects);
    for (const tile::Effect &effect : effects)
      generic |= effect.buffer == buffer &&
                 effect.kind == tile::AccessKind::Read &&
                 effect.proxy == tile::Proxy::Generic;
  }
  return generic;
}

/// The tile of another fill whose slot is released past the wait for the tile
/// of `copy`, where releases are delayed; null if there is none.
static Value findDelayed(tile::CopyOp copy, scf::IfOp user) {
  for (auto other : copy->getBlock()->getOps<tile::CopyOp>())
    if (other != copy && isRingFill(other) && other.getDst() != copy.getDst() &&
        isReadBefore(other.getDst(), user))
      return other.getDst();
  return nullptr;
}

static void keepInEveryTurn(tile::CopyOp copy, Value held) {
  std::string why = "loaded in every turn: the release of '" +
                    tile::getBufferName(held) +
                    "' is delayed past the wait for it";
  emitMissedDecision(copy, "pipeline", why);
  StringRef before = copy.getReason().value_or("");
  copy.setReason((before + (before.empty() ? "" : "; ") + why).str());
}

static void sink(tile::CopyOp copy, scf::IfOp user, tile::LoadOp flag,
                 tile::PipelinedOp loop) {
  OpBuilder b(user);
  Location loc = user.getLoc();
  Value turn = loop.getBody().front().getArgument(0);
  Value stages = arith::ConstantIntOp::create(b, loc, loop.getNumStages(), 32);
  Value ahead = arith::AddIOp::create(b, loc, loop.getLower(), stages);
  Value early =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, turn, ahead);
  Value loads = arith::OrIOp::create(b, loc, early, flag.getResult());
  auto outer = scf::IfOp::create(b, loc, loads, /*withElseRegion=*/false);
  copy->moveBefore(outer.thenBlock()->getTerminator());
  user->moveBefore(outer.thenBlock()->getTerminator());
  emitDecision(copy, "pipeline",
               "loaded only where '" + tile::getBufferName(flag.getBuffer()) +
                   "' asks for it, and in the first turns");
}

void tlc::sinkLoads(tile::PipelinedOp loop, tile::LaunchOp launch,
                    const llvm::DenseSet<Value> &written, bool delay) {
  if (loop.getNumStages() == 0)
    return;
  SmallVector<tile::CopyOp> copies;
  for (auto copy : loop.getBody().front().getOps<tile::CopyOp>())
    if (copy.getInst() == tile::CopyInst::TmaLoad &&
        copy.getDst().getDefiningOp<tile::AllocOp>() &&
        !written.contains(copy.getSrc()))
      copies.push_back(copy);
  for (tile::CopyOp copy : copies) {
    scf::IfOp user = findUser(copy);
    if (!user || user.getNumResults() != 0 || !canMove(copy, user))
      continue;
    tile::LoadOp flag = findFlag(user, launch, written);
    if (!flag || flag->getBlock() != copy->getBlock())
      continue;
    if (Value held = delay ? findDelayed(copy, user) : Value())
      keepInEveryTurn(copy, held);
    else
      sink(copy, user, flag, loop);
  }
}

void tlc::askLate(Operation *scope) {
  SmallVector<scf::IfOp> branches;
  scope->walk([&](scf::IfOp branch) {
    if (branch.getCondition().getDefiningOp<arith::OrIOp>() &&
        !branch.elseBlock() && branch.getNumResults() == 0)
      branches.push_back(branch);
  });
  for (scf::IfOp branch : branches) {
    auto either = branch.getCondition().getDefiningOp<arith::OrIOp>();
    auto flag = either.getRhs().getDefiningOp<tile::LoadOp>();
    if (!flag || !flag->hasOneUse() || !either->hasOneUse())
      continue;
    OpBuilder b(branch);
    branch.getConditionMutable().assign(either.getLhs());
    b.createBlock(&branch.getElseRegion());
    flag->moveBefore(branch.elseBlock(), branch.elseBlock()->end());
    auto late = scf::IfOp::create(b, branch.getLoc(), flag.getResult(),
                                  /*withElseRegion=*/false);
    IRMapping mapping;
    OpBuilder inner = OpBuilder::atBlockBegin(late.thenBlock());
    for (Operation &op : branch.thenBlock()->without_terminator())
      inner.clone(op, mapping);
    scf::YieldOp::create(b, branch.getLoc());
    either->erase();
  }
}
