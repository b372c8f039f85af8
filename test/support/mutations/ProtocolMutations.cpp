// Who waits, fills and releases how often, and which slot it means.
#include "test/support/mutations/Mutations.h"
#include "test/support/mutations/Places.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::test;

static constexpr StringRef kRings = "kv vk gemm rounds";

static Value constant(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
}

/// An operation of the consumer goes into the `if` around the product.
static bool guardRelease(tile::KernelOp kernel) {
  auto arrive = on<sm::MBarrierArriveOp>(kernel, "m_shared_empty");
  scf::IfOp guard = productGuard(kernel);
  if (arrive && guard)
    arrive->moveBefore(guard.thenBlock()->getTerminator());
  return arrive && guard;
}

static bool guardWait(tile::KernelOp kernel) {
  auto wait = on<sm::MBarrierWaitOp>(kernel, "m_shared_full");
  scf::IfOp guard = productGuard(kernel);
  if (wait && guard)
    wait->moveBefore(&guard.thenBlock()->front());
  return wait && guard;
}

static bool dropConsumerWait(tile::KernelOp kernel) {
  return erase(on<sm::MBarrierWaitOp>(kernel, ringName(kernel) + "_full"));
}

static bool dropProducerWait(tile::KernelOp kernel) {
  return erase(on<sm::MBarrierWaitOp>(kernel, ringName(kernel) + "_empty"));
}

static bool dropRelease(tile::KernelOp kernel) {
  return erase(on<sm::MBarrierArriveOp>(kernel, ringName(kernel) + "_empty"));
}

static bool readBeforeWait(tile::KernelOp kernel) {
  tile::CopyOp read = copyFrom(kernel, "h_shared");
  auto wait = on<sm::MBarrierWaitOp>(kernel, "h_shared_full");
  if (read && wait)
    wait->moveAfter(read);
  return read && wait;
}

/// m is filled and nobody takes note.
static bool ignoreM(tile::KernelOp kernel) {
  return erase(on<sm::MBarrierWaitOp>(kernel, "m_shared_full")) &&
         erase(on<sm::MBarrierArriveOp>(kernel, "m_shared_empty"));
}

/// The loop around the producer's fill ends a turn early.
static bool loadOneTurnLess(tile::KernelOp kernel) {
  scf::ForOp loop = loopOf(
      on<sm::MBarrierArriveExpectTxOp>(kernel, ringName(kernel) + "_full"));
  if (!loop)
    return false;
  OpBuilder b(loop);
  Value one = constant(b, loop.getLoc(), 1);
  loop.setUpperBound(
      arith::SubIOp::create(b, loop.getLoc(), loop.getUpperBound(), one));
  return true;
}

/// The producer fills h only where the flag is set.
static bool guardFill(tile::KernelOp kernel) {
  auto expect = on<sm::MBarrierArriveExpectTxOp>(kernel, "h_shared_full");
  scf::IfOp guard = productGuard(kernel);
  auto flag =
      guard ? guard.getCondition().getDefiningOp<tile::LoadOp>() : nullptr;
  if (!expect || !flag)
    return false;
  Operation *fill = expect->getNextNode();
  OpBuilder b(expect);
  Location loc = expect.getLoc();
  auto load = cast<tile::LoadOp>(b.clone(*flag));
  // The index of the chunk is the load's first coordinate.
  load->setOperand(1, cast<sm::TmaLoadOp>(fill).getCoords().front());
  auto branch = scf::IfOp::create(b, loc, load->getResult(0), false);
  Operation *end = branch.thenBlock()->getTerminator();
  expect->moveBefore(end);
  fill->moveBefore(end);
  return true;
}

static sm::CounterOp usesOf(tile::KernelOp kernel) {
  return counter(kernel, ringName(kernel) + "_uses");
}

static bool beginAtOne(tile::KernelOp kernel) {
  sm::CounterOp uses = usesOf(kernel);
  if (!uses)
    return false;
  OpBuilder b(uses->getContext());
  b.setInsertionPointAfter(uses);
  sm::CounterAdvanceOp::create(b, uses.getLoc(), uses);
  return true;
}

static bool forgetToAdvance(tile::KernelOp kernel) {
  for (auto advance : all<sm::CounterAdvanceOp>(kernel))
    if (advance.getCounter() == usesOf(kernel).getResult())
      return erase(advance);
  return false;
}

/// Stages and parities of both sides count the turns of the inner loop.
static bool restartCounters(tile::KernelOp kernel) {
  bool changed = false;
  auto replace = [&](auto op, bool isPhase) {
    scf::ForOp loop = loopOf(op);
    auto decl = op.getCounter().template getDefiningOp<sm::CounterOp>();
    if (!loop)
      return;
    OpBuilder b(op);
    Location loc = op.getLoc();
    Value depth = constant(b, loc, decl.getDepth());
    Value turn = arith::SubIOp::create(b, loc, loop.getInductionVar(),
                                       loop.getLowerBound());
    if (isPhase) {
      turn = arith::DivSIOp::create(b, loc, turn, depth);
      depth = constant(b, loc, 2);
    }
    op.getResult().replaceAllUsesWith(
        arith::RemSIOp::create(b, loc, turn, depth));
    op.erase();
    changed = true;
  };
  for (auto op : all<sm::CounterStageOp>(kernel))
    replace(op, false);
  for (auto op : all<sm::CounterPhaseOp>(kernel))
    replace(op, true);
  return changed;
}

/// The consumer takes its stage from the loop variable, which begins at one.
static bool stageFromLoop(tile::KernelOp kernel) {
  sm::CounterOp uses = usesOf(kernel);
  for (auto stage : all<sm::CounterStageOp>(kernel)) {
    if (!uses || stage.getCounter() != uses.getResult())
      continue;
    OpBuilder b(stage);
    Value depth = constant(b, stage.getLoc(), uses.getDepth());
    Value remainder = arith::RemSIOp::create(
        b, stage.getLoc(), loopOf(stage).getInductionVar(), depth);
    stage.getResult().replaceAllUsesWith(remainder);
    return erase(stage);
  }
  return false;
}

/// One side always means slot 0 of the first ring.
template <typename Op> static bool useSlotZero(tile::KernelOp kernel) {
  for (Op op : all<Op>(kernel))
    for (Value operand : op->getOperands()) {
      if (!isa<MemRefType>(operand.getType()))
        continue;
      sm::SlotOp slot = slotOf(operand);
      if (!slot)
        continue;
      OpBuilder b(slot);
      slot.getStageMutable().assign(constant(b, slot.getLoc(), 0));
      return true;
    }
  return false;
}

static bool releaseOtherSlot(tile::KernelOp kernel) {
  auto arrive = on<sm::MBarrierArriveOp>(kernel, ringName(kernel) + "_empty");
  if (!arrive)
    return false;
  OpBuilder b(arrive);
  arrive.getStageMutable().assign(arith::SubIOp::create(
      b, arrive.getLoc(), constant(b, arrive.getLoc(), 1), arrive.getStage()));
  return true;
}

/// h has one slot, and it goes back only in the next turn.
static bool carryWithOneSlot(tile::KernelOp kernel) {
  auto arrive = on<sm::MBarrierArriveOp>(kernel, "h_shared_empty");
  auto wait = on<sm::MBarrierWaitOp>(kernel, "h_shared_full");
  if (!arrive || !wait)
    return false;
  for (StringRef name : {"h_shared_full", "h_shared_empty"})
    barrier(kernel, name).setStages(1);
  sharedTile(kernel, "h_shared").setStages(1);
  for (StringRef name : {"h_shared_uses", "h_shared_fills"})
    counter(kernel, name).setDepth(1);
  OpBuilder b(wait->getContext());
  b.setInsertionPointAfter(wait);
  Location loc = wait.getLoc();
  Value later = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt,
                                      loopOf(wait).getInductionVar(),
                                      constant(b, loc, 0));
  auto branch = scf::IfOp::create(b, loc, later, /*withElseRegion=*/false);
  arrive->moveBefore(branch.thenBlock()->getTerminator());
  return true;
}

std::vector<Mutation> tlc::test::protocolMutations() {
  return {
      {"release-under-flag", "m goes back only in turns with the flag", "4.5",
       "kv vk", Caught::Both, guardRelease},
      {"wait-under-flag", "m is awaited only in turns with the flag", "4.5",
       "kv vk", Caught::Both, guardWait},
      {"consumer-wait-dropped", "the slot is read without a wait", "1: 3",
       kRings, Caught::Both, dropConsumerWait},
      {"read-before-wait", "the slot is read before the wait", "1: 3", "kv vk",
       Caught::Both, readBeforeWait},
      {"producer-wait-dropped", "the slot is filled without a wait", "2.3 E4",
       kRings, Caught::Both, dropProducerWait},
      {"release-dropped", "the slot never goes back", "1: 1", kRings,
       Caught::Both, dropRelease},
      {"tile-ignored", "m is loaded, and nobody waits for it or releases it",
       "1: 8", "kv vk", Caught::Both, ignoreM},
      {"fill-under-flag", "h is loaded only in turns with the flag", "1: 9, 12",
       "kv vk", Caught::Both, guardFill},
      {"turn-not-loaded", "the producer loads one turn less", "1: 36", kRings,
       Caught::Both, loadOneTurnLess},
      {"counter-begins-at-one", "the consumer counts from one", "1: 16, 18",
       kRings, Caught::Both, beginAtOne},
      {"counter-stays", "the consumer does not count", "1: 15", kRings,
       Caught::Both, forgetToAdvance},
      {"parity-restarted", "counters begin anew in each round of a loop around",
       "4.5, 1: 15", "rounds", Caught::Both, restartCounters},
      {"stage-from-loop", "the stage comes from a loop that begins at one",
       "4.5, 1: 16", "rounds", Caught::Both, stageFromLoop},
      {"consumer-slot-zero", "the consumer reads slot 0 in every turn", "1: 11",
       "kv vk", Caught::Both,
       [](tile::KernelOp k) { return useSlotZero<tile::CopyOp>(k); }},
      {"producer-slot-zero", "the producer fills slot 0 in every turn", "1: 11",
       kRings, Caught::Both,
       [](tile::KernelOp k) { return useSlotZero<sm::TmaLoadOp>(k); }},
      {"other-slot-released",
       "the other slot goes back; later turns make up for it in most schedules",
       "1: 11", "kv vk", Caught::Search, releaseOtherSlot},
      {"carried-with-one-slot", "one slot, which goes back in the next turn",
       "4.5", "kv vk", Caught::Both, carryWithOneSlot},
  };
}
