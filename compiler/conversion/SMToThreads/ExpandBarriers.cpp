// Counters become two variables, mbarriers addresses.
#include "compiler/conversion/SMToThreads/Expander.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::sm;

/// An i32 variable of the thread.
static Value createVariable(OpBuilder &b, Location loc, StringRef name) {
  auto type = tile::getBufferType({}, b.getI32Type(), tile::Space::Local);
  return tile::AllocOp::create(b, Expander::named(loc, name), type,
                               b.getStringAttr(name), {}, {})
      .getResult();
}

static Value readVariable(OpBuilder &b, Location loc, Value variable) {
  return tile::LoadOp::create(b, loc, b.getI32Type(), variable, ValueRange(),
                              true);
}
static void writeVariable(OpBuilder &b, Location loc, Value value,
                          Value variable) {
  tile::StoreOp::create(b, loc, value, variable, ValueRange(), true);
}

void Expander::expandCounter(CounterOp op) {
  Location loc = op.getLoc();
  Value stage;
  if (op.getDepth() > 1) {
    stage = createVariable(b, loc, (op.getName() + "_stage").str());
    writeVariable(b, loc, arith(loc).i32(0), stage);
  }
  Value phase = createVariable(b, loc, (op.getName() + "_phase").str());
  writeVariable(b, loc, arith(loc).i32(0), phase);
  counters[op.getResult()] = {stage, phase};
}

/// ++stage; if (stage == depth) { stage = 0; phase ^= 1; }
void Expander::advanceCounter(CounterAdvanceOp op) {
  Location loc = op.getLoc();
  Arith a = arith(loc);
  auto [stage, phase] = counters[op.getCounter()];
  auto flip = [&] {
    Value now = readVariable(b, loc, phase);
    writeVariable(b, loc, a.bitXor(now, a.i32(1)), phase);
  };
  if (!stage)
    return flip();
  Value next = a.add(readVariable(b, loc, stage), 1);
  writeVariable(b, loc, next, stage);
  auto depth = op.getCounter().getDefiningOp<CounterOp>().getDepth();
  Value full = a.compare(arith::CmpIPredicate::eq, readVariable(b, loc, stage),
                         a.i32(depth));
  auto branch = scf::IfOp::create(b, loc, full);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  writeVariable(b, loc, a.i32(0), stage);
  flip();
}

Value Expander::stageAddress(Value barrier, Value stage, Location loc) {
  Arith a = arith(loc);
  return a.add(lookup(barrier), a.mul(lookup(stage), 8));
}

LogicalResult Expander::expandBarrierOp(Operation *op) {
  Location loc = op->getLoc();
  Arith a = arith(loc);
  auto readCounter = [&](Value counter, bool phase, Value result) {
    auto [stageVar, phaseVar] = counters[counter];
    Value variable = phase ? phaseVar : stageVar;
    map.map(result, variable ? readVariable(b, loc, variable) : a.i32(0));
  };
  if (auto barrier = dyn_cast<MBarrierOp>(op)) {
    Value address = sharedBase;
    if (barrier.getOffset() != 0)
      address = arith::AddIOp::create(b, named(loc, barrier.getName()),
                                      sharedBase, a.i32(barrier.getOffset()));
    map.map(barrier.getResult(), address);
  } else if (auto init = dyn_cast<MBarrierInitOp>(op)) {
    auto decl = init.getBarrier().getDefiningOp<MBarrierOp>();
    if (!decl)
      return op->emitError("barrier is not an sm.mbarrier");
    for (int64_t s = 0; s < static_cast<int64_t>(decl.getStages()); ++s)
      MbarInitOp::create(b, loc, a.add(lookup(decl.getResult()), 8 * s),
                         decl.getCount());
  } else if (auto counter = dyn_cast<CounterOp>(op)) {
    expandCounter(counter);
  } else if (auto stage = dyn_cast<CounterStageOp>(op)) {
    readCounter(stage.getCounter(), false, stage.getResult());
  } else if (auto phase = dyn_cast<CounterPhaseOp>(op)) {
    readCounter(phase.getCounter(), true, phase.getResult());
  } else if (auto advance = dyn_cast<CounterAdvanceOp>(op)) {
    advanceCounter(advance);
  } else if (auto wait = dyn_cast<MBarrierWaitOp>(op)) {
    Value parity = lookup(wait.getParity());
    if (wait.getInvert())
      parity = a.bitXor(parity, a.i32(1));
    MbarWaitOp::create(b, loc,
                       stageAddress(wait.getBarrier(), wait.getStage(), loc),
                       a.orZero(parity));
  } else if (auto expect = dyn_cast<MBarrierArriveExpectTxOp>(op)) {
    MbarExpectOp::create(
        b, loc, stageAddress(expect.getBarrier(), expect.getStage(), loc),
        expect.getBytes());
  } else if (auto arrive = dyn_cast<MBarrierArriveOp>(op)) {
    MbarArriveOp::create(
        b, loc, stageAddress(arrive.getBarrier(), arrive.getStage(), loc),
        arrive.getPerWarp());
  } else if (isa<tile::SyncThreadsOp>(op)) {
    if (roles.size() > 1)
      return op->emitError("barrier of the whole block inside a role is not "
                           "supported yet");
    BarSyncOp::create(b, loc, 0, old.getThreads());
  } else if (isa<tile::FenceProxyAsyncOp>(op)) {
    sm::FenceProxyAsyncOp::create(b, loc);
  }
  return success();
}
