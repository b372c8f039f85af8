// What roles do to rings: fill slots, use them.
#include "compiler/conversion/TileToWS/Rings.h"

#include "compiler/conversion/TileToWS/Buffers.h"

using namespace mlir;
using namespace tlc;

/// Acquire before the first of the fills, which are in one block, and commit
/// after the last.
static void acquireAround(RingSpec &spec, ArrayRef<tile::CopyOp> fills) {
  OpBuilder b(fills.front());
  auto ring = spec.ring.getDefiningOp<ws::RingOp>();
  auto acquire = ws::AcquireOp::create(b, tile::CopyOp(fills.front()).getLoc(),
                                       ws::WriteTokenType::get(b.getContext()),
                                       ring.getMembers().getTypes(), spec.ring);
  // The fills follow the acquire directly: their addresses come first.
  Operation *last = acquire;
  for (tile::CopyOp fill : fills) {
    for (auto [member, view] : llvm::zip(ring.getMembers(), acquire.getViews()))
      if (fill.getDst() == member)
        fill.getDstMutable().assign(view);
    last = fill;
  }
  b.setInsertionPointAfter(last);
  ws::CommitOp::create(b, last->getLoc(), acquire.getToken());
}

void tlc::produceRing(RingSpec &spec, Operation *scope) {
  llvm::MapVector<Block *, SmallVector<tile::CopyOp>> spans;
  scope->walk([&](tile::CopyOp copy) {
    if (copy.getRing() == spec.name)
      spans[copy->getBlock()].push_back(copy);
  });
  for (auto &[block, fills] : spans)
    acquireAround(spec, fills);
}

static ws::WaitOp waitInsteadOf(RingSpec &spec, Block *block,
                                ArrayRef<tile::CopyOp> fills) {
  auto ring = spec.ring.getDefiningOp<ws::RingOp>();
  Operation *place = fills.back()->getNextNode();
  Operation *first = nullptr;
  for (Value member : ring.getMembers())
    for (Operation *access : getAccesses(member)) {
      Operation *use = getAncestorIn(block, access);
      if (use && !llvm::is_contained(fills, use) &&
          (!first || use->isBeforeInBlock(first)))
        first = use;
    }
  OpBuilder b(block, first ? Block::iterator(first)
                           : (place ? Block::iterator(place) : block->end()));
  auto wait = ws::WaitOp::create(b, tile::CopyOp(fills.front()).getLoc(),
                                 ws::ReadTokenType::get(b.getContext()),
                                 ring.getMembers().getTypes(), spec.ring);
  for (auto [member, view] : llvm::zip(ring.getMembers(), wait.getViews()))
    Value(member).replaceUsesWithIf(view, [&](OpOperand &use) {
      Operation *user = getAncestorIn(block, use.getOwner());
      return user && wait->isBeforeInBlock(user);
    });
  for (tile::CopyOp fill : fills)
    fill.erase();
  return wait;
}

void tlc::consumeRings(MutableArrayRef<RingSpec> rings, ws::RoleOp role) {
  for (RingSpec &spec : rings) {
    llvm::MapVector<Block *, SmallVector<tile::CopyOp>> spans;
    role.walk([&](tile::CopyOp copy) {
      if (copy.getRing() == spec.name)
        spans[copy->getBlock()].push_back(copy);
    });
    for (auto &[block, fills] : spans)
      waitInsteadOf(spec, block, fills);
  }
}

/// How the loop runs and why stays on it, for people.
static void keepPlan(tile::PipelinedOp loop, scf::ForOp plain) {
  if (!loop.getPlan())
    return;
  plain->setDiscardableAttr("ws.plan", loop.getPlanAttr());
  plain->setDiscardableAttr("ws.stages", loop.getNumStagesAttr());
  if (StringAttr reason = loop.getReasonAttr())
    plain->setDiscardableAttr("ws.plan_reason", reason);
}

void tlc::lowerPipelinedLoops(Operation *scope) {
  SmallVector<tile::PipelinedOp> loops;
  scope->walk([&](tile::PipelinedOp loop) { loops.push_back(loop); });
  for (tile::PipelinedOp loop : loops) {
    OpBuilder b(loop);
    Value one = arith::ConstantIntOp::create(b, loop.getLoc(), 1, 32);
    auto plain = scf::ForOp::create(b, loop.getLoc(), loop.getLower(),
                                    loop.getUpper(), one);
    keepPlan(loop, plain);
    Block &from = loop.getBody().front();
    plain.getInductionVar().setLoc(from.getArgument(0).getLoc());
    from.getArgument(0).replaceAllUsesWith(plain.getInductionVar());
    plain.getBody()->getOperations().splice(plain.getBody()->begin(),
                                            from.getOperations());
    loop.erase();
  }
}
