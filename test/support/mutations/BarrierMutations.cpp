// Mbarriers: counts, bytes, phases, initialisation.
#include "test/support/mutations/Mutations.h"
#include "test/support/mutations/Places.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::test;

static constexpr StringRef kRings = "kv vk gemm kv-best vk-best gemm-best";

static bool addToCount(tile::KernelOp kernel, int64_t change) {
  sm::MBarrierOp decl = barrier(kernel, ringName(kernel) + "_empty");
  if (decl)
    decl.setCount(decl.getCount() + change);
  return bool(decl);
}

static bool setCountToOne(tile::KernelOp kernel) {
  sm::MBarrierOp decl = barrier(kernel, ringName(kernel) + "_empty");
  if (decl)
    decl.setCount(1);
  return bool(decl);
}

static sm::MBarrierArriveExpectTxOp expectOf(tile::KernelOp kernel) {
  return on<sm::MBarrierArriveExpectTxOp>(kernel, ringName(kernel) + "_full");
}

static bool scaleBytes(tile::KernelOp kernel, int64_t times, int64_t over) {
  auto expect = expectOf(kernel);
  if (expect)
    expect.setBytes(expect.getBytes() * times / over);
  return bool(expect);
}

/// The loads of a ring of two tiles, those that complete on its barrier.
static SmallVector<sm::TmaLoadOp> loadsOf(tile::KernelOp kernel) {
  SmallVector<sm::TmaLoadOp> loads;
  kernel.walk([&](sm::TmaLoadOp load) { loads.push_back(load); });
  return loads;
}

static bool expectFirstOfTwo(tile::KernelOp kernel) {
  auto expect = expectOf(kernel);
  auto loads = loadsOf(kernel);
  if (!expect || loads.size() != 2)
    return false;
  auto tile = cast<MemRefType>(loads[0].getDst().getType());
  expect.setBytes(tile.getNumElements() * tile.getElementTypeBitWidth() / 8);
  return true;
}

static bool loadFirstOfTwo(tile::KernelOp kernel) {
  auto loads = loadsOf(kernel);
  return loads.size() == 2 && erase(loads[1]);
}

static bool expectTwice(tile::KernelOp kernel) {
  auto expect = expectOf(kernel);
  if (!expect)
    return false;
  OpBuilder b(expect);
  auto again = cast<sm::MBarrierArriveExpectTxOp>(b.clone(*expect));
  again.setBytes(0);
  return true;
}

static bool keepParity(tile::KernelOp kernel) {
  auto wait = on<sm::MBarrierWaitOp>(kernel, ringName(kernel) + "_empty");
  if (wait)
    wait.setInvert(false);
  return bool(wait);
}

static bool fixParity(tile::KernelOp kernel) {
  sm::MBarrierOp full = barrier(kernel, ringName(kernel) + "_full");
  bool found = false;
  for (auto wait : all<sm::MBarrierWaitOp>(kernel)) {
    if (!full || wait.getBarrier() != full.getResult())
      continue;
    OpBuilder b(wait);
    Value zero =
        arith::ConstantOp::create(b, wait.getLoc(), b.getI32IntegerAttr(0));
    wait.getParityMutable().assign(zero);
    found = true;
  }
  return found;
}

static bool dropInit(tile::KernelOp kernel) {
  return erase(on<sm::MBarrierInitOp>(kernel, ringName(kernel) + "_full"));
}

static bool dropBarAfterInit(tile::KernelOp kernel) {
  auto fence = first<sm::FenceMBarrierInitOp>(kernel);
  return fence && erase(dyn_cast_or_null<sm::BarSyncOp>(
                      fence->getParentOp()->getNextNode()));
}

/// One thread of each row of the block instead of one thread.
static bool chooseLeaderByX(tile::KernelOp kernel) {
  auto fence = first<sm::FenceMBarrierInitOp>(kernel);
  if (!fence)
    return false;
  auto elect = cast<sm::ElectOp>(fence->getParentOp());
  auto launch = elect->getParentOfType<sm::LaunchOp>();
  launch.setProgramThreads({32, 2, 2});
  OpBuilder b(elect);
  Location loc = elect.getLoc();
  Value x = tile::ThreadIdOp::create(b, loc, b.getI32Type(), tile::Dim::X);
  Value zero = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
  Value isLeader =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, x, zero);
  auto branch = scf::IfOp::create(b, loc, isLeader, /*withElseRegion=*/false);
  for (Operation &op :
       llvm::make_early_inc_range(elect.getBody().front().getOperations()))
    op.moveBefore(branch.thenBlock()->getTerminator());
  return erase(elect);
}

std::vector<Mutation> tlc::test::barrierMutations() {
  return {
      {"count-too-small", "one arrival less expected than is made", "4.5",
       kRings, Caught::Both,
       [](tile::KernelOp k) { return addToCount(k, -1); }},
      {"count-too-big", "one arrival more expected than is made", "4.5", kRings,
       Caught::Both, [](tile::KernelOp k) { return addToCount(k, 1); }},
      {"count-one", "one arrival expected of all threads", "4.5", kRings,
       Caught::Both, setCountToOne},
      {"bytes-half", "half of the bytes expected", "4.5", kRings, Caught::Both,
       [](tile::KernelOp k) { return scaleBytes(k, 1, 2); }},
      {"bytes-double", "twice the bytes expected", "4.5", kRings, Caught::Both,
       [](tile::KernelOp k) { return scaleBytes(k, 2, 1); }},
      {"merged-bytes-of-one",
       "of two tiles on one barrier the bytes of one are expected", "4.5",
       "gemm gemm-best", Caught::Both, expectFirstOfTwo},
      {"merged-tile-not-loaded",
       "of two tiles on one barrier the second is never loaded", "4.5",
       "gemm gemm-best", Caught::Both, loadFirstOfTwo},
      {"expect-dropped", "nobody expects the bytes or arrives for them",
       "4.5, 1: 21", kRings, Caught::Both,
       [](tile::KernelOp k) { return erase(expectOf(k)); }},
      {"expect-twice", "the producer arrives twice", "1: 21", kRings,
       Caught::Both, expectTwice},
      {"parity-not-inverted", "the producer waits for the consumer's parity",
       "4.5", kRings, Caught::Both, keepParity},
      {"parity-constant", "the consumer always waits for parity 0", "1: 21",
       kRings, Caught::Both, fixParity},
      {"init-dropped", "a barrier is never initialised", "1: 19", kRings,
       Caught::Both, dropInit},
      {"init-fence-dropped", "no fence after the initialisation", "2.3 E1",
       kRings, Caught::Both,
       [](tile::KernelOp k) {
         return erase(first<sm::FenceMBarrierInitOp>(k));
       }},
      {"init-bar-dropped", "no barrier of the block after the initialisation",
       "2.3 E1", kRings, Caught::Both, dropBarAfterInit},
      {"leader-tid-x",
       "the leader is each thread with x = 0, in a block of 32 x 2 x 2",
       "4.5, 1: 29", "kv vk", Caught::Both, chooseLeaderByX},
  };
}
