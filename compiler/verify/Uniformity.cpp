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

/// What decides whether, and how often, the regions of a statement run.
SmallVector<Value> steeringOf(Operation *statement) {
  if (auto branch = dyn_cast<scf::IfOp>(statement))
    return {branch.getCondition()};
  if (auto loop = dyn_cast<scf::ForOp>(statement))
    return {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()};
  if (auto loop = dyn_cast<scf::WhileOp>(statement))
    return {loop.getConditionOp().getCondition()};
  return {};
}

class ThreadDependence : public Dependence {
protected:
  bool isSource(Operation *op) override {
    return isa<tile::ThreadIdOp, tile::CallExternOp, tile::AtomicOp,
               sm::ThreadOp>(op);
  }

  /// The points of an element loop are elements, which are the same for all
  /// threads that hold them; what a thread itself holds is not written there.
  bool isSourceOfArguments(Operation *) override { return false; }

  bool dependsLoad(tile::LoadOp load) override {
    return anyDepends(load.getIndices()) || dependsContents(load.getBuffer());
  }

private:
  /// What a thread holds of `buffer`: its own in local memory, copies of the
  /// same elements in a fragment. Other memory is shared.
  bool dependsContents(Value buffer) {
    bool own = tile::isInSpace(buffer, tile::Space::Local);
    if ((!own && !tile::isInSpace(buffer, tile::Space::Fragment)) ||
        !buffers.insert(buffer).second)
      return false;
    return llvm::any_of(buffer.getUsers(), [&](Operation *user) {
      if (isa<tile::LoadOp>(user))
        return false;
      if (isa<tile::StoreOp, tile::FillOp>(user))
        return anyDepends(user->getOperands()) ||
               underThreadCondition(user, own);
      auto copy = dyn_cast<tile::CopyOp>(user);
      if (!copy || own)
        return true;
      return copy.getDst() == buffer && (anyDepends(copy.getSrcOffsets()) ||
                                         anyDepends(copy.getDstOffsets()) ||
                                         dependsContents(copy.getSrc()) ||
                                         underThreadCondition(user, own));
    });
  }

  /// `own`: the threads of an element loop do different things.
  bool underThreadCondition(Operation *op, bool own) {
    for (Operation *parent = op->getParentOp();
         parent && !isa<sm::LaunchOp>(parent); parent = parent->getParentOp()) {
      if (isa<sm::ElectOp>(parent) || (own && isa<tile::ParallelOp>(parent)))
        return true;
      // How often a loop runs may depend on the thread as a branch does.
      if (isa<scf::IfOp, scf::ForOp, scf::WhileOp>(parent) &&
          anyDepends(steeringOf(parent)))
        return true;
    }
    return false;
  }

  llvm::DenseSet<Value> buffers;
};

} // namespace

bool tlc::verify::dependsOnThread(Value value) {
  return ThreadDependence().depends(value);
}

Operation *tlc::verify::findThreadCondition(Operation *op) {
  for (Operation *parent = op->getParentOp();
       parent && !isa<sm::LaunchOp>(parent); parent = parent->getParentOp())
    if (isa<tile::ParallelOp>(parent) ||
        (!isElected(parent) &&
         llvm::any_of(steeringOf(parent), dependsOnThread)))
      return parent;
  return nullptr;
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
