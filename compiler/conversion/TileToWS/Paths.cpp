// Branches and loops of a role.
#include "compiler/conversion/TileToWS/Paths.h"

using namespace mlir;
using namespace tlc;

SmallVector<Value> tlc::getConditions(Operation *op) {
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return {branch.getCondition()};
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return {loop.getConditionOp().getCondition()};
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()};
  if (auto loop = dyn_cast<tile::PipelinedOp>(op))
    return {loop.getLower(), loop.getUpper()};
  return {};
}

Block *tlc::getOrCreateElse(scf::IfOp branch) {
  if (!branch.elseBlock()) {
    OpBuilder b(branch.getContext());
    b.createBlock(&branch.getElseRegion());
    scf::YieldOp::create(b, branch.getLoc());
  }
  return branch.elseBlock();
}
