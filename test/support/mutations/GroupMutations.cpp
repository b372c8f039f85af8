// Tiles that threads fill by cp.async: groups, their waits, the barriers around
// a slot and the fence before wgmma.
#include "test/support/mutations/Mutations.h"
#include "test/support/mutations/Places.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::test;

/// The first wait that leaves some groups running.
static sm::CpAsyncWaitOp waitOf(tile::KernelOp kernel) {
  return first<sm::CpAsyncWaitOp>(kernel);
}

template <typename Op> static Op firstAfter(Operation *op) {
  for (; op; op = op->getNextNode())
    if (auto found = dyn_cast<Op>(op))
      return found;
  return {};
}

static bool dropWaits(tile::KernelOp kernel) {
  bool found = false;
  for (sm::CpAsyncWaitOp wait : all<sm::CpAsyncWaitOp>(kernel))
    found |= erase(wait);
  return found;
}

static bool waitForOneLess(tile::KernelOp kernel) {
  sm::CpAsyncWaitOp wait = waitOf(kernel);
  if (wait)
    wait.setPending(wait.getPending() + 1);
  return bool(wait);
}

static bool dropBarrierOfFill(tile::KernelOp kernel) {
  sm::CpAsyncWaitOp wait = waitOf(kernel);
  return wait && erase(firstAfter<sm::BarSyncOp>(wait));
}

static bool dropFence(tile::KernelOp kernel) {
  for (sm::CpAsyncWaitOp wait : all<sm::CpAsyncWaitOp>(kernel))
    if (auto fence = dyn_cast<sm::FenceProxyAsyncOp>(wait->getNextNode()))
      return erase(fence);
  return false;
}

/// The fence of each thread comes before its copies have landed.
static bool fenceTooEarly(tile::KernelOp kernel) {
  for (sm::CpAsyncWaitOp wait : all<sm::CpAsyncWaitOp>(kernel))
    if (auto fence = dyn_cast<sm::FenceProxyAsyncOp>(wait->getNextNode())) {
      fence->moveBefore(wait);
      return true;
    }
  return false;
}

/// The barrier that ends a turn, before the refills.
static bool dropBarrierOfTurn(tile::KernelOp kernel) {
  sm::CpAsyncWaitOp wait = waitOf(kernel);
  scf::ForOp loop = wait ? loopOf(wait) : scf::ForOp();
  sm::BarSyncOp last;
  if (loop)
    for (sm::BarSyncOp barrier : loop.getBody()->getOps<sm::BarSyncOp>())
      last = barrier;
  return last && erase(last);
}

/// A turn that refills nothing closes no group.
static bool commitOnlyFills(tile::KernelOp kernel) {
  bool found = false;
  for (sm::CpAsyncCommitOp commit : all<sm::CpAsyncCommitOp>(kernel))
    if (auto guard = dyn_cast_or_null<scf::IfOp>(commit->getPrevNode())) {
      commit->moveBefore(guard.thenBlock()->getTerminator());
      found = true;
    }
  return found;
}

static bool dropCommits(tile::KernelOp kernel) {
  bool found = false;
  for (sm::CpAsyncCommitOp commit : all<sm::CpAsyncCommitOp>(kernel))
    found |= erase(commit);
  return found;
}

std::vector<Mutation> tlc::test::groupMutations() {
  const char *both = "kv-cp vk-cp gemm-cp", *products = "kv-cp gemm-cp";
  return {
      {"cp-async-wait-dropped", "nobody waits for the groups", "1: 20", both,
       Caught::Both, dropWaits},
      {"cp-async-wait-short", "one group more may be running", "1: 20", both,
       Caught::Both, waitForOneLess},
      {"cp-async-commits-dropped", "the copies are in no group", "1: 20, 21",
       both, Caught::Both, dropCommits},
      {"cp-async-commit-guarded", "the last turns close no groups", "1: 20",
       both, Caught::Both, commitOnlyFills},
      {"cp-async-barrier-dropped", "no barrier after the wait", "4.1", both,
       Caught::Both, dropBarrierOfFill},
      {"cp-async-turn-barrier-dropped", "no barrier before the refill", "1: 22",
       both, Caught::Both, dropBarrierOfTurn},
      {"cp-async-fence-dropped", "no proxy fence before the product", "2.3 E9",
       products, Caught::Both, dropFence},
      {"cp-async-fence-early", "the proxy fence comes before the wait",
       "2.3 E9", products, Caught::Both, fenceTooEarly},
  };
}
