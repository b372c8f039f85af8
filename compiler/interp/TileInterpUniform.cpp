// Which values differ between threads: everything that depends on a thread
// number, through values, through conditions, and through local arrays that
// were stored to under either. A fixpoint over the body of one launch.
#include "compiler/interp/TileInterpProgram.h"

using namespace mlir;
using namespace tlc::interp;
namespace tile = tlc::tile;

Uniformity::Uniformity(tile::LaunchOp launch) {
  while (visitBlock(launch.getBody().front(), false))
    ;
}

bool Uniformity::anyVarying(ValueRange values) const {
  return llvm::any_of(values, [&](Value v) { return isVarying(v); });
}

bool Uniformity::visitBlock(Block &block, bool divergent) {
  bool changed = false;
  for (Operation &op : block)
    changed |= visit(&op, divergent);
  return changed;
}

bool Uniformity::visit(Operation *op, bool divergent) {
  if (isa<tile::ThreadIdOp>(op))
    return mark(op->getResult(0));
  // Each thread gets the value that the one before it left.
  if (isa<tile::AtomicOp>(op) && op->getNumResults() != 0)
    return mark(op->getResult(0));
  // A point of a parallel loop is run by one thread.
  if (isa<tile::ParallelOp>(op))
    return false;
  if (isa<scf::IfOp>(op))
    return visitIf(op, divergent);
  if (isa<scf::ForOp, tile::PipelinedOp>(op))
    return visitFor(op, divergent);
  if (isa<scf::WhileOp>(op))
    return visitWhile(op, divergent);
  return visitPlain(op, divergent);
}

bool Uniformity::visitIf(Operation *op, bool divergent) {
  bool split = isVarying(op->getOperand(0));
  bool changed = false;
  for (mlir::Region &region : op->getRegions()) {
    if (region.empty())
      continue;
    changed |= visitBlock(region.front(), divergent || split);
    Operation *yield = region.front().getTerminator();
    for (auto [result, value] :
         llvm::zip(op->getResults(), yield->getOperands()))
      if (split || isVarying(value))
        changed |= mark(result);
  }
  return changed;
}

bool Uniformity::visitFor(Operation *op, bool divergent) {
  Block &body = op->getRegion(0).front();
  unsigned bounds = isa<scf::ForOp>(op) ? 3 : 2;
  bool split = anyVarying(op->getOperands().take_front(bounds));
  bool changed = false;
  if (split)
    changed |= mark(body.getArgument(0));
  if (isa<scf::ForOp>(op)) {
    Operation *yield = body.getTerminator();
    for (unsigned i = 0; i < op->getNumResults(); ++i) {
      if (!split && !isVarying(op->getOperand(bounds + i)) &&
          !isVarying(yield->getOperand(i)))
        continue;
      changed |= mark(op->getResult(i));
      changed |= mark(body.getArgument(1 + i));
    }
  }
  return visitBlock(body, divergent || split) || changed;
}

bool Uniformity::visitWhile(Operation *op, bool divergent) {
  auto loop = cast<scf::WhileOp>(op);
  Block &before = loop.getBefore().front(), &after = loop.getAfter().front();
  scf::ConditionOp condition = loop.getConditionOp();
  bool split = isVarying(condition.getCondition());
  bool changed = false;
  for (unsigned i = 0; i < before.getNumArguments(); ++i)
    if (split || isVarying(loop.getInits()[i]) ||
        isVarying(after.getTerminator()->getOperand(i)))
      changed |= mark(before.getArgument(i));
  for (unsigned i = 0; i < loop.getNumResults(); ++i)
    if (split || isVarying(condition.getArgs()[i])) {
      changed |= mark(loop.getResult(i));
      changed |= mark(after.getArgument(i));
    }
  changed |= visitBlock(before, divergent || split);
  return visitBlock(after, divergent || split) || changed;
}

/// Calls `mark` on the local buffers that an op writes.
static void forEachLocalWritten(Operation *op,
                                llvm::function_ref<void(Value)> mark) {
  Value written;
  if (auto store = dyn_cast<tile::StoreOp>(op))
    written = store.getBuffer();
  else if (auto copy = dyn_cast<tile::CopyOp>(op))
    written = copy.getDst();
  else if (auto fill = dyn_cast<tile::FillOp>(op))
    written = fill.getDst();
  if (written && tile::isInSpace(written, tile::Space::Local))
    mark(written);
}

bool Uniformity::visitPlain(Operation *op, bool divergent) {
  bool changed = false;
  bool operands = anyVarying(op->getOperands());
  if (operands)
    for (Value result : op->getResults())
      changed |= mark(result);
  if (operands || divergent)
    forEachLocalWritten(op, [&](Value local) { changed |= mark(local); });
  return changed;
}
