// An asynchronous product is fenced before it is issued and waited for before
// anything may touch its operands: the completing wait is its last use.
//
//   tile.gemm ... inst <wgmma_ss>
// becomes
//   ws.mma_fence; tile.gemm ... async; ws.mma_wait 0
//
// Products that follow each other directly share one wait.
//
// A slot that the threads fill by cp.async is full when each thread has waited
// for its group, has fenced if the async proxy reads the slot, and all have
// met:
//
//   ws.wait %ring
// becomes
//   ws.group_wait N; [ws.fence;] ws.barrier; ws.wait %ring
#include "compiler/conversion/Conversion.h"
#include "compiler/conversion/TileToWS/Buffers.h"
#include "compiler/conversion/TileToWS/Tokens.h"

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

/// Groups of the loop that a thread has closed after the one that fills the
/// slot of this turn, `depth` turns ago: those of the turns since, without the
/// ring's own and the rings' before it.
static int64_t countLaterGroups(ws::WaitOp wait) {
  auto ring = wait.getRing().getDefiningOp<ws::RingOp>();
  for (Operation *scope = wait; scope; scope = scope->getParentOp()) {
    auto loop = dyn_cast<scf::ForOp>(scope);
    if (!loop)
      continue;
    auto commits = llvm::to_vector(loop.getBody()->getOps<ws::GroupCommitOp>());
    for (auto [i, commit] : llvm::enumerate(commits))
      if (commit.getRing() == wait.getRing())
        return static_cast<int64_t>(commits.size() * ring.getDepth() - i) - 1;
  }
  return 0;
}

static void completeFill(ws::WaitOp wait) {
  auto ring = wait.getRing().getDefiningOp<ws::RingOp>();
  std::string name = "'" + ring.getName().str() + "'";
  OpBuilder b(wait);
  ws::GroupWaitOp::create(b, wait.getLoc(),
                          b.getI64IntegerAttr(countLaterGroups(wait)),
                          b.getStringAttr("completes the fill of " + name));
  for (const SlotAccess &access : getSlotAccesses(wait)) {
    if (access.effect.proxy == tile::Proxy::Generic)
      continue;
    ws::FenceOp::create(
        b, wait.getLoc(), ws::FenceKind::ProxyAsync, ValueRange(),
        /*source=*/false,
        b.getStringAttr(name +
                        " is written by cp.async, through the generic "
                        "proxy, and read by the " +
                        describeOp(access.op) + " through the async proxy"));
    break;
  }
  ws::BarrierOp::create(
      b, wait.getLoc(),
      b.getStringAttr("every thread's part of " + name + " has landed"),
      /*source=*/false);
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
    getOperation().walk([&](ws::WaitOp wait) {
      if (wait.getRing().getDefiningOp<ws::RingOp>().getGroups())
        completeFill(wait);
    });
  }
};
} // namespace
