// The tile that only the consumer uses (hd), and its named barriers.
#include "test/support/mutations/Mutations.h"
#include "test/support/mutations/Places.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::test;

static constexpr StringRef kState = "kv vk";

/// bar.sync between the stores to hd and the product.
static sm::BarSyncOp barAfterStores(tile::KernelOp kernel) {
  scf::IfOp guard = productGuard(kernel);
  return guard ? dyn_cast<sm::BarSyncOp>(guard.thenBlock()->front())
               : sm::BarSyncOp();
}

/// bar.sync between the product of a turn before and the stores.
static sm::BarSyncOp barBeforeStores(tile::KernelOp kernel) {
  tile::CopyOp copy = copyTo(kernel, "hd_shared");
  return copy ? dyn_cast_or_null<sm::BarSyncOp>(copy->getPrevNode())
              : sm::BarSyncOp();
}

static bool hoistBar(tile::KernelOp kernel) {
  sm::BarSyncOp bar = barAfterStores(kernel);
  tile::CopyOp copy = copyTo(kernel, "hd_shared");
  if (bar && copy)
    bar->moveBefore(copy);
  return bar && copy;
}

static bool dropFenceOfStores(tile::KernelOp kernel) {
  tile::CopyOp copy = copyTo(kernel, "hd_shared");
  return copy &&
         erase(dyn_cast_or_null<sm::FenceProxyAsyncOp>(copy->getNextNode()));
}

static bool dropBothFences(tile::KernelOp kernel) {
  tile::CopyOp read = copyFrom(kernel, "h_shared");
  return dropFenceOfStores(kernel) &&
         erase(dyn_cast_or_null<sm::FenceProxyAsyncOp>(read->getNextNode()));
}

static bool useBarOfBlock(tile::KernelOp kernel) {
  sm::BarSyncOp bar = barAfterStores(kernel);
  if (!bar)
    return false;
  bar.setId(0);
  bar.setThreads(bar->getParentOfType<sm::LaunchOp>().getThreads());
  return true;
}

static bool setBarThreads(tile::KernelOp kernel, int64_t threads) {
  sm::BarSyncOp bar = barAfterStores(kernel);
  if (bar)
    bar.setThreads(threads);
  return bool(bar);
}

/// Only the first seven threads meet the barrier.
static bool divideThreads(tile::KernelOp kernel) {
  sm::BarSyncOp bar = barAfterStores(kernel);
  if (!bar)
    return false;
  OpBuilder b(bar);
  Location loc = bar.getLoc();
  Value x = tile::ThreadIdOp::create(b, loc, b.getI32Type(), tile::Dim::X);
  Value seven = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(7));
  Value some =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, x, seven);
  auto branch = scf::IfOp::create(b, loc, some, /*withElseRegion=*/false);
  bar->moveBefore(branch.thenBlock()->getTerminator());
  return true;
}

std::vector<Mutation> tlc::test::localMutations() {
  return {
      {"hd-bar-after-stores", "no barrier between the stores and the product",
       "4.5", kState, Caught::Both,
       [](tile::KernelOp k) { return erase(barAfterStores(k)); }},
      {"hd-bar-before-stores",
       "no barrier between the product and the next stores; needs two turns "
       "with the flag",
       "4.5, 1: 22", kState, Caught::Both,
       [](tile::KernelOp k) { return erase(barBeforeStores(k)); }},
      {"hd-bar-hoisted", "the barrier comes before the stores", "1: 24", kState,
       Caught::Both, hoistBar},
      {"hd-fence-dropped",
       "no proxy fence between the stores and wgmma (the one before the "
       "release of h would do)",
       "4.5, 1: 31", "kv kv-bwd", Caught::Both, dropBothFences},
      {"hd-fence-left-to-h",
       "control: of two proxy fences before wgmma one is dropped", "2.3 E9",
       "kv vk", Caught::Nobody, dropFenceOfStores},
      {"bar-id-zero", "the barrier of the block inside a role", "4.5", kState,
       Caught::Both, useBarOfBlock},
      {"bar-non-uniform", "a barrier that some threads do not meet",
       "4.5, 1: 22", kState, Caught::Both, divideThreads},
      {"bar-too-few", "a barrier for fewer threads than meet", "1: 26", kState,
       Caught::Both, [](tile::KernelOp k) { return setBarThreads(k, 96); }},
      {"bar-too-many", "a barrier for more threads than meet", "1: 28", kState,
       Caught::Both, [](tile::KernelOp k) { return setBarThreads(k, 160); }},
  };
}
