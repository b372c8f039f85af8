// Whether a value may differ between the threads of a role, or between blocks.
#include "compiler/verify/Obligations.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::verify;

namespace {

class ThreadDependence {
public:
  bool depends(Value value) {
    if (!visited.insert(value).second)
      return false;
    if (auto arg = dyn_cast<BlockArgument>(value))
      return dependsArg(arg);
    Operation *op = value.getDefiningOp();
    if (isa<tile::ThreadIdOp, tile::CallExternOp, tile::AtomicOp, sm::ThreadOp>(
            op))
      return true;
    if (auto load = dyn_cast<tile::LoadOp>(op))
      return dependsLoad(load);
    if (anyDepends(op->getOperands()))
      return true;
    return dependsRegions(op);
  }

private:
  bool anyDepends(ValueRange values) {
    return llvm::any_of(values, [&](Value v) { return depends(v); });
  }

  /// Results of branches and loops are what their terminators yield.
  bool dependsRegions(Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (!block.empty() && anyDepends(block.back().getOperands()))
          return true;
    return false;
  }

  bool dependsArg(BlockArgument arg) {
    Operation *owner = arg.getOwner()->getParentOp();
    if (isa<tile::ParallelOp>(owner))
      return true;
    if (isa<scf::ForOp, scf::WhileOp>(owner))
      return anyDepends(owner->getOperands()) || dependsRegions(owner);
    return false;
  }

  bool dependsLoad(tile::LoadOp load) {
    Value buffer = load.getBuffer();
    if (tile::isInSpace(buffer, tile::Space::Fragment))
      return true;
    if (anyDepends(load.getIndices()))
      return true;
    if (!tile::isInSpace(buffer, tile::Space::Local))
      return false;
    return llvm::any_of(buffer.getUsers(), [&](Operation *user) {
      if (auto store = dyn_cast<tile::StoreOp>(user))
        return anyDepends(store->getOperands().drop_front(0)) ||
               underThreadCondition(user);
      return !isa<tile::LoadOp, tile::FillOp>(user);
    });
  }

  bool underThreadCondition(Operation *op) {
    for (Operation *parent = op->getParentOp();
         parent && !isa<sm::LaunchOp>(parent); parent = parent->getParentOp()) {
      if (isa<sm::ElectOp, tile::ParallelOp>(parent))
        return true;
      if (auto branch = dyn_cast<scf::IfOp>(parent))
        if (depends(branch.getCondition()))
          return true;
    }
    return false;
  }

  llvm::DenseSet<Value> visited;
};

} // namespace

bool tlc::verify::dependsOnThread(Value value) {
  return ThreadDependence().depends(value);
}

namespace {

class BlockDependence {
public:
  bool depends(Value value) {
    if (!visited.insert(value).second)
      return false;
    if (auto arg = dyn_cast<BlockArgument>(value))
      return dependsArg(arg);
    Operation *op = value.getDefiningOp();
    if (isa<tile::CallExternOp, tile::AtomicOp>(op))
      return true;
    if (auto load = dyn_cast<tile::LoadOp>(op))
      return dependsLoad(load);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (!block.empty() && anyDepends(block.back().getOperands()))
          return true;
    return anyDepends(op->getOperands());
  }

private:
  bool anyDepends(ValueRange values) {
    return llvm::any_of(values, [&](Value v) { return depends(v); });
  }

  bool dependsArg(BlockArgument arg) {
    Operation *owner = arg.getOwner()->getParentOp();
    if (isa<sm::LaunchOp>(owner))
      return true;
    if (!isa<scf::ForOp, scf::WhileOp>(owner))
      return false; // of the kernel
    if (anyDepends(owner->getOperands()))
      return true;
    for (Region &region : owner->getRegions())
      if (anyDepends(region.front().back().getOperands()))
        return true;
    return false;
  }

  /// Tensors that nobody writes hold the same for all blocks.
  bool dependsLoad(tile::LoadOp load) {
    Value buffer = load.getBuffer();
    if (!tile::isInSpace(buffer, tile::Space::Global) ||
        anyDepends(load.getIndices()))
      return true;
    return llvm::any_of(buffer.getUsers(), [&](Operation *user) {
      if (isa<tile::LoadOp, sm::TmaLoadOp, sm::BulkLoadOp>(user))
        return false;
      auto copy = dyn_cast<tile::CopyOp>(user);
      return !copy || copy.getDst() == buffer;
    });
  }

  llvm::DenseSet<Value> visited;
};

} // namespace

bool tlc::verify::dependsOnBlock(Value value) {
  return BlockDependence().depends(value);
}
