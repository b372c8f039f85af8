// The barrier of all blocks: who arrives, and what stands around it.
#include "test/support/mutations/Mutations.h"
#include "test/support/mutations/Places.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::test;

/// The `if` that chooses the thread which arrives.
static scf::IfOp electionOf(tile::KernelOp kernel) {
  auto barrier = first<sm::GridBarrierOp>(kernel);
  return barrier ? dyn_cast<scf::IfOp>(barrier->getParentOp()) : scf::IfOp();
}

static sm::BarSyncOp barAfter(tile::KernelOp kernel) {
  scf::IfOp election = electionOf(kernel);
  return election ? dyn_cast_or_null<sm::BarSyncOp>(election->getNextNode())
                  : sm::BarSyncOp();
}

static sm::BarSyncOp barBefore(tile::KernelOp kernel) {
  Operation *op = electionOf(kernel);
  while (op && !isa<sm::BarSyncOp>(op))
    op = op->getPrevNode();
  return cast_or_null<sm::BarSyncOp>(op);
}

static bool chooseByX(tile::KernelOp kernel) {
  auto thread = first<sm::ThreadOp>(kernel);
  if (!thread)
    return false;
  OpBuilder b(thread);
  Value x = tile::ThreadIdOp::create(b, thread.getLoc(), b.getI32Type(),
                                     tile::Dim::X);
  thread.getResult().replaceAllUsesWith(x);
  return erase(thread);
}

static bool arriveWithAll(tile::KernelOp kernel) {
  scf::IfOp election = electionOf(kernel);
  if (election)
    first<sm::GridBarrierOp>(kernel)->moveBefore(election);
  return bool(election);
}

/// Only block 0 comes.
static bool leaveBlocksOut(tile::KernelOp kernel) {
  sm::BarSyncOp before = barBefore(kernel), after = barAfter(kernel);
  if (!before || !after)
    return false;
  OpBuilder b(before);
  Location loc = before.getLoc();
  Value id = before->getParentOfType<sm::LaunchOp>().getBody().getArgument(0);
  Value zero = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
  Value is = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, id, zero);
  auto branch = scf::IfOp::create(b, loc, is, /*withElseRegion=*/false);
  Operation *end = branch.thenBlock()->getTerminator();
  for (Operation *op = before; op;) {
    Operation *next = op == after ? nullptr : op->getNextNode();
    op->moveBefore(end);
    op = next;
  }
  return true;
}

std::vector<Mutation> tlc::test::gridMutations() {
  return {
      {"grid-leader-tid-x",
       "each thread with x = 0 arrives at the grid barrier, in a block of "
       "32 x 2",
       "4.5, 1: 29", "grid", Caught::Both, chooseByX},
      {"grid-all-threads", "every thread arrives at the grid barrier", "1: 29",
       "grid", Caught::Both, arriveWithAll},
      {"grid-bar-before",
       "no barrier of the block before the arrival: it comes before the writes "
       "of other warps",
       "1: 29", "exchange", Caught::Both,
       [](tile::KernelOp k) { return erase(barBefore(k)); }},
      {"grid-bar-after",
       "no barrier of the block after the wait: other warps read before it",
       "1: 29", "exchange", Caught::Both,
       [](tile::KernelOp k) { return erase(barAfter(k)); }},
      {"grid-block-missing", "only block 0 comes to the grid barrier", "1: 29",
       "grid", Caught::Machine, leaveBlocksOut},
  };
}
