// An asynchronous product is fenced before it is issued and waited for before
// anything may touch its operands: the completing wait is its last use.
//
//   tile.gemm ... inst <wgmma_ss>
// becomes
//   ws.mma_fence; tile.gemm ... async; ws.mma_wait 0
//
// Products that follow each other directly share one wait.
#include "compiler/conversion/Conversion.h"
#include "compiler/conversion/TileToWS/Buffers.h"

namespace tlc {
#define GEN_PASS_DEF_WSDERIVECOMPLETIONSPASS
#include "compiler/conversion/Conversion.h.inc"
} // namespace tlc

using namespace mlir;
using namespace tlc;

static bool isAsync(Operation *op) {
  auto gemm = dyn_cast_or_null<tile::GemmOp>(op);
  return gemm && gemm.getInst().value_or(tile::GemmInst::MmaSync) !=
                     tile::GemmInst::MmaSync;
}

/// The next op that is more than an address computation.
static Operation *getNextAction(Operation *op) {
  Operation *next = op->getNextNode();
  while (next && isMemoryEffectFree(next))
    next = next->getNextNode();
  return next;
}

static void complete(tile::GemmOp gemm) {
  OpBuilder b(gemm);
  gemm.setAsync(true);
  ws::MmaFenceOp::create(b, gemm.getLoc());
  if (isAsync(getNextAction(gemm)))
    return;
  b.setInsertionPointAfter(gemm);
  ws::MmaWaitOp::create(b, gemm.getLoc(), b.getI64IntegerAttr(0),
                        b.getStringAttr("completes the " + describeOp(gemm)));
}

namespace {
struct WSDeriveCompletionsPass
    : tlc::impl::WSDeriveCompletionsPassBase<WSDeriveCompletionsPass> {
  using Base::Base;
  void runOnOperation() override {
    SmallVector<tile::GemmOp> products;
    getOperation().walk([&](tile::GemmOp gemm) {
      if (isAsync(gemm))
        products.push_back(gemm);
    });
    for (tile::GemmOp gemm : products)
      complete(gemm);
  }
};
} // namespace
