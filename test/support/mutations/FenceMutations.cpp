// The fence between the last ordinary read of a slot and its release.
#include "test/support/mutations/Mutations.h"
#include "test/support/mutations/Places.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::test;

static constexpr StringRef kState = "kv kv-bwd vk vk-bwd kv-block";
static constexpr StringRef kRoles = "kv kv-bwd vk vk-bwd";

/// The fence after the last read of h, or null.
static sm::FenceProxyAsyncOp fenceOfH(tile::KernelOp kernel) {
  tile::CopyOp read = copyFrom(kernel, "h_shared");
  return read ? dyn_cast_or_null<sm::FenceProxyAsyncOp>(read->getNextNode())
              : sm::FenceProxyAsyncOp();
}

static bool moveBehindRelease(tile::KernelOp kernel) {
  Operation *fence = fenceOfH(kernel);
  auto arrive = on<sm::MBarrierArriveOp>(kernel, "h_shared_empty");
  if (fence && arrive)
    fence->moveAfter(arrive);
  return fence && arrive;
}

static bool moveBeforeRead(tile::KernelOp kernel) {
  Operation *fence = fenceOfH(kernel);
  if (fence)
    fence->moveBefore(copyFrom(kernel, "h_shared"));
  return fence;
}

static bool replaceByBarrier(tile::KernelOp kernel) {
  Operation *fence = fenceOfH(kernel);
  if (!fence)
    return false;
  OpBuilder b(fence);
  sm::BarSyncOp::create(b, fence->getLoc(), 2, 128);
  return erase(fence);
}

static bool replaceByMembar(tile::KernelOp kernel) {
  Operation *fence = fenceOfH(kernel);
  if (!fence)
    return false;
  OpBuilder b(fence);
  sm::MembarOp::create(b, fence->getLoc());
  return erase(fence);
}

/// A function that touches nothing, as an empty asm with a clobber does.
static bool replaceByClobber(tile::KernelOp kernel) {
  Operation *fence = fenceOfH(kernel);
  if (!fence)
    return false;
  OpBuilder b(fence);
  tile::CallExternOp::create(b, fence->getLoc(), TypeRange(), "clobber",
                             ValueRange());
  return erase(fence);
}

static bool leaveToProducer(tile::KernelOp kernel) {
  auto wait = on<sm::MBarrierWaitOp>(kernel, "h_shared_empty");
  if (!wait || !erase(fenceOfH(kernel)))
    return false;
  OpBuilder b(wait->getContext());
  b.setInsertionPointAfter(wait);
  sm::FenceProxyAsyncOp::create(b, wait.getLoc());
  return true;
}

static bool delayRelease(tile::KernelOp kernel) {
  auto arrive = on<sm::MBarrierArriveOp>(kernel, "h_shared_empty");
  auto wait = on<sm::MBarrierWaitOp>(kernel, "m_shared_full");
  if (!arrive || !wait || !erase(fenceOfH(kernel)))
    return false;
  arrive->moveAfter(wait);
  return true;
}

static bool dropFenceOfM(tile::KernelOp kernel) {
  auto product = first<sm::MmaOp>(kernel);
  return product &&
         erase(dyn_cast_or_null<sm::FenceProxyAsyncOp>(product->getNextNode()));
}

std::vector<Mutation> tlc::test::fenceMutations() {
  return {
      {"h-fence-dropped",
       "no proxy fence between the last read of h and its release", "4.5",
       kState, Caught::Both,
       [](tile::KernelOp k) { return erase(fenceOfH(k)); }},
      {"h-fence-bar-sync", "bar.sync in place of the proxy fence", "4.5",
       kRoles, Caught::Both, replaceByBarrier},
      {"h-fence-clobber",
       "an empty asm with a clobber in place of the proxy fence", "4.5", kState,
       Caught::Both, replaceByClobber},
      {"h-fence-membar", "membar.cta in place of the proxy fence", "4.5",
       kState, Caught::Both, replaceByMembar},
      {"h-fence-after-release", "the proxy fence behind the release", "4.5",
       kRoles, Caught::Both, moveBehindRelease},
      {"h-fence-before-read", "the proxy fence before the read", "1: 30",
       kRoles, Caught::Both, moveBeforeRead},
      {"m-fence-dropped",
       "no proxy fence after a product that reads m with ordinary loads", "4.5",
       "vk vk-bwd", Caught::Both, dropFenceOfM},
      {"h-fence-by-producer",
       "control: the producer fences after it has acquired the slot", "0.2",
       kRoles, Caught::Nobody, leaveToProducer},
      {"h-release-delayed",
       "control: no fence, the release follows the wait for m", "0.2", kRoles,
       Caught::NotProved, delayRelease},
  };
}
