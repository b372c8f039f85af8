// The pass convert-sm-to-threads.
#include "compiler/conversion/SMToThreads/SMToThreads.h"

#include "compiler/conversion/SMToThreads/Expander.h"
#include "compiler/conversion/SMToThreads/OrderCheck.h"

#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"

namespace tlc::sm {
#define GEN_PASS_DEF_CONVERTSMTOTHREADSPASS
#include "compiler/conversion/SMToThreads/SMToThreads.h.inc"
} // namespace tlc::sm

using namespace mlir;
using namespace tlc;
using namespace tlc::sm;

/// Removes pure ops without uses, innermost last.
static void eraseUnused(Operation *root) {
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : llvm::reverse(ops))
    if (op != root && isOpTriviallyDead(op))
      op->erase();
}

LogicalResult sm::expandToThreads(tile::KernelOp kernel,
                                  bool uniformAddresses) {
  SmallVector<LaunchOp> launches(kernel.getOps<LaunchOp>());
  SmallVector<OrderingSequence> sequences;
  for (LaunchOp launch : launches) {
    sequences.push_back(orderingSequence(launch));
    if (failed(Expander(launch, kernel, uniformAddresses).run()))
      return failure();
  }
  IRRewriter rewriter(kernel.getContext());
  DominanceInfo dominance(kernel);
  for (LaunchOp launch : kernel.getOps<LaunchOp>()) {
    eraseUnused(launch);
    widenArithmetic(launch);
    eliminateCommonSubExpressions(rewriter, dominance, launch);
    eraseUnused(launch);
  }
  for (auto [launch, before] : llvm::zip(kernel.getOps<LaunchOp>(), sequences))
    if (failed(checkOrder(launch, before)))
      return failure();
  return success();
}

namespace {
struct ConvertSmToThreadsPass
    : sm::impl::ConvertSmToThreadsPassBase<ConvertSmToThreadsPass> {
  using Base::Base;
  void runOnOperation() override {
    if (failed(expandToThreads(getOperation(), uniformAddresses)))
      signalPassFailure();
  }
};
} // namespace
