// Whether a value may differ between the threads of a role, or between blocks.
#include "compiler/verify/Obligations.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::verify;

namespace {

/// Follows a value to what it is made of; what differs from the start is told
/// by the classes below.
class Dependence {
public:
  virtual ~Dependence() = default;

  bool depends(Value value) {
    if (!visited.insert(value).second)
      return false;
    if (auto arg = dyn_cast<BlockArgument>(value))
      return dependsArg(arg);
    Operation *op = value.getDefiningOp();
    if (isSource(op))
      return true;
    if (auto load = dyn_cast<tile::LoadOp>(op))
      return dependsLoad(load);
    return anyDepends(op->getOperands()) || dependsRegions(op);
  }

protected:
  /// The results of `op`, or the arguments of its block, differ.
  virtual bool isSource(Operation *op) = 0;
  virtual bool isSourceOfArguments(Operation *owner) = 0;
  virtual bool dependsLoad(tile::LoadOp load) = 0;

  bool anyDepends(ValueRange values) {
    return llvm::any_of(values, [&](Value v) { return depends(v); });
  }

private:
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
    if (isSourceOfArguments(owner))
      return true;
    return isa<scf::ForOp, scf::WhileOp>(owner) &&
           (anyDepends(owner->getOperands()) || dependsRegions(owner));
  }

  llvm::DenseSet<Value> visited;
};

class ThreadDependence : public Dependence {
protected:
  bool isSource(Operation *op) override {
    return isa<tile::ThreadIdOp, tile::CallExternOp, tile::AtomicOp,
               sm::ThreadOp>(op);
  }

  bool isSourceOfArguments(Operation *owner) override {
    return isa<tile::ParallelOp>(owner);
  }

  bool dependsLoad(tile::LoadOp load) override {
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

private:
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
};

} // namespace

bool tlc::verify::dependsOnThread(Value value) {
  return ThreadDependence().depends(value);
}

namespace {

class BlockDependence : public Dependence {
protected:
  bool isSource(Operation *op) override {
    return isa<tile::CallExternOp, tile::AtomicOp>(op);
  }

  bool isSourceOfArguments(Operation *owner) override {
    return isa<sm::LaunchOp>(owner);
  }

  /// Tensors that nobody writes hold the same for all blocks.
  bool dependsLoad(tile::LoadOp load) override {
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
};

} // namespace

bool tlc::verify::dependsOnBlock(Value value) {
  return BlockDependence().depends(value);
}
