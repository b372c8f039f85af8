// Backward closure over a structured program, and pruning to it.
#include "compiler/conversion/TileToWS/Slices.h"

#include "compiler/conversion/TileToWS/Buffers.h"

#include "mlir/IR/Iterators.h"

using namespace mlir;
using namespace tlc;

namespace {

/// Grows a slice until it is closed.
class SliceBuilder {
public:
  /// `movable`: refuse what another warp cannot run.
  SliceBuilder(Operation *scope, const llvm::DenseSet<Value> &written,
               bool movable)
      : scope(scope), written(written), movable(movable) {}

  Slice build(ArrayRef<Operation *> targets) {
    for (Operation *target : targets)
      addWithParents(target);
    while (!worklist.empty() && slice.refusal.empty())
      visit(worklist.pop_back_val());
    return std::move(slice);
  }

private:
  void addWithParents(Operation *op) {
    for (; op && op != scope; op = op->getParentOp())
      if (scope->isProperAncestor(op) && slice.ops.insert(op))
        worklist.push_back(op);
  }

  /// All of an op whose results are used: its regions compute them.
  void addWhole(Operation *op) {
    addWithParents(op);
    op->walk([&](Operation *nested) { addWithParents(nested); });
  }

  void addValue(Value value) {
    if (Operation *def = value.getDefiningOp()) {
      if (scope->isProperAncestor(def))
        addWhole(def);
      return;
    }
    // A loop variable or carried value: its loop is an ancestor already; the
    // carried part needs the whole loop.
    Operation *owner = cast<BlockArgument>(value).getOwner()->getParentOp();
    if (scope->isProperAncestor(owner) && owner->getNumResults() != 0)
      addWhole(owner);
  }

  void visit(Operation *op) {
    for (Value operand : op->getOperands())
      addValue(operand);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (!block.empty() && block.back().hasTrait<OpTrait::IsTerminator>())
          addWithParents(&block.back());
    if (auto load = dyn_cast<tile::LoadOp>(op))
      visitLoad(load);
    if (movable)
      checkMovable(op);
  }

  /// A private variable is as its stores made it.
  void visitLoad(tile::LoadOp load) {
    if (!tile::isInSpace(load.getBuffer(), tile::Space::Local))
      return;
    for (Operation *access : getAccesses(load.getBuffer()))
      if (!isa<tile::LoadOp>(access) && scope->isProperAncestor(access))
        addWithParents(access);
  }

  void checkMovable(Operation *op) {
    if (isa<tile::ThreadIdOp>(op))
      slice.refusal = "depends on the thread index";
    else if (auto load = dyn_cast<tile::LoadOp>(op))
      checkMovableLoad(load);
    else if (!isMovable(op))
      slice.refusal = "depends on the " + describeOp(op);
  }

  static bool isMovable(Operation *op) {
    if (auto store = dyn_cast<tile::StoreOp>(op))
      return tile::isInSpace(store.getBuffer(), tile::Space::Local);
    return isa<tile::CopyOp, tile::AllocOp, tile::PipelinedOp>(op) ||
           isa<scf::SCFDialect>(op->getDialect()) || isMemoryEffectFree(op);
  }

  void checkMovableLoad(tile::LoadOp load) {
    Value buffer = load.getBuffer();
    std::string name = tile::getBufferName(buffer);
    switch (tile::getSpace(buffer.getType())) {
    case tile::Space::Global:
      if (written.contains(buffer))
        slice.refusal = "depends on '" + name + "', which the kernel writes";
      return;
    case tile::Space::Local:
      return;
    case tile::Space::Shared:
    case tile::Space::Fragment:
      slice.refusal = "depends on '" + name + "', which the block computes";
      return;
    }
  }

  Operation *scope;
  const llvm::DenseSet<Value> &written;
  bool movable;
  SmallVector<Operation *> worklist;
  Slice slice;
};

} // namespace

bool Slice::writesInside(Operation *loop) const {
  return llvm::any_of(ops, [&](Operation *op) {
    return isa<tile::StoreOp>(op) && loop->isProperAncestor(op);
  });
}

Slice tlc::computeSlice(ArrayRef<Operation *> targets, Operation *scope,
                        const llvm::DenseSet<Value> &written) {
  return SliceBuilder(scope, written, /*movable=*/true).build(targets);
}

bool tlc::dependsOnThread(Value value, Operation *scope) {
  Operation *def = value.getDefiningOp();
  if (!def)
    return false;
  llvm::DenseSet<Value> none;
  Slice slice = SliceBuilder(scope, none, /*movable=*/false).build({def});
  return llvm::any_of(slice.ops, [](Operation *op) {
    return isa<tile::ThreadIdOp, tile::CallExternOp, tile::AtomicOp>(op);
  });
}

void tlc::eraseOutside(Operation *scope, const Slice &slice) {
  scope->walk<WalkOrder::PostOrder, mlir::ReverseIterator>([&](Operation *op) {
    if (op == scope || slice.ops.contains(op))
      return;
    op->dropAllUses();
    op->erase();
  });
}
