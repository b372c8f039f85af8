// Tensor stores: what comes before them, and the waits for them.
#include "test/support/mutations/Mutations.h"
#include "test/support/mutations/Places.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::test;

/// A staged state of correct_h0, and a program of several stores.
static constexpr StringRef kStores = "kv-words-best stores";

/// The statement of one thread that holds the first tensor store.
static sm::ElectOp storeOf(tile::KernelOp kernel) {
  auto store = first<sm::TmaStoreOp>(kernel);
  return store ? store->getParentOfType<sm::ElectOp>() : sm::ElectOp();
}

/// The last op of this kind before `op` in its block.
template <typename Op> static Op before(Operation *op) {
  for (op = op ? op->getPrevNode() : op; op; op = op->getPrevNode())
    if (auto found = dyn_cast<Op>(op))
      return found;
  return {};
}

/// The first wait for stores that lets the tensors be, or does not.
static sm::BulkWaitOp waitOf(tile::KernelOp kernel, bool read) {
  for (auto wait : all<sm::BulkWaitOp>(kernel))
    if (wait.getRead() == read)
      return wait;
  return {};
}

static sm::BulkWaitOp lastWait(tile::KernelOp kernel) {
  std::vector<sm::BulkWaitOp> waits = all<sm::BulkWaitOp>(kernel);
  return waits.empty() ? sm::BulkWaitOp() : waits.back();
}

static bool dropBarAfter(Operation *wait) {
  return wait && erase(dyn_cast_or_null<sm::BarSyncOp>(
                     wait->getParentOp()->getNextNode()));
}

/// Every thread runs what one did.
static bool unelect(sm::ElectOp elect) {
  if (!elect)
    return false;
  elect->getBlock()->getOperations().splice(
      Block::iterator(elect), elect.getBody().front().getOperations());
  elect.erase();
  return true;
}

static bool releaseFirst(tile::KernelOp kernel) {
  sm::BulkWaitOp wait = waitOf(kernel, /*read=*/true);
  if (!wait)
    return false;
  Operation *elect = wait->getParentOp();
  auto arrive = dyn_cast_or_null<sm::MBarrierArriveOp>(elect->getNextNode());
  if (arrive)
    arrive->moveBefore(elect);
  return bool(arrive);
}

std::vector<Mutation> tlc::test::storeMutations() {
  return {
      {"store-fence-dropped",
       "no proxy fence between the writes of a tile and its tensor store",
       "2.4", kStores, Caught::Both,
       [](tile::KernelOp kernel) {
         return erase(before<sm::FenceProxyAsyncOp>(storeOf(kernel)));
       }},
      {"store-bar-dropped",
       "no barrier between the writes of a tile and its tensor store", "1: 24",
       kStores, Caught::Both,
       [](tile::KernelOp kernel) {
         return erase(before<sm::BarSyncOp>(storeOf(kernel)));
       }},
      {"store-by-all", "every thread issues the tensor store", "1: 36", kStores,
       Caught::Both,
       [](tile::KernelOp kernel) { return unelect(storeOf(kernel)); }},
      {"store-uncommitted", "the tensor store is in no group", "2.4",
       "kv-words-best", Caught::Both,
       [](tile::KernelOp kernel) {
         return erase(first<sm::BulkCommitOp>(kernel));
       }},
      {"store-read-wait-dropped",
       "the tile is written again while the store may read it", "2.4",
       "kv-words-best", Caught::Both,
       [](tile::KernelOp kernel) {
         return erase(waitOf(kernel, /*read=*/true));
       }},
      {"store-read-wait-short", "the wait lets the newest store go on", "1: 20",
       "kv-words-best", Caught::Both,
       [](tile::KernelOp kernel) {
         sm::BulkWaitOp wait = waitOf(kernel, /*read=*/true);
         if (wait)
           wait.setPending(1);
         return bool(wait);
       }},
      {"store-read-bar-dropped",
       "other threads write the tile before the wait of the one", "2.4",
       "kv-words-best", Caught::Both,
       [](tile::KernelOp kernel) {
         return dropBarAfter(waitOf(kernel, /*read=*/true));
       }},
      {"store-slot-released-early",
       "a slot is released before the store has read it", "4.5", "copy-ring",
       Caught::Both, releaseFirst},
      {"store-end-wait-dropped", "the block ends while a store reads its tile",
       "2.3 E17", "kv-words-best", Caught::Both,
       [](tile::KernelOp kernel) { return erase(lastWait(kernel)); }},
      {"store-write-wait-dropped",
       "a tensor is written again while a store may write it", "2.4", "stores",
       Caught::Both,
       [](tile::KernelOp kernel) {
         return erase(waitOf(kernel, /*read=*/false));
       }},
      {"store-write-wait-of-reads",
       "a tensor is read back when the store has only read its tile", "2.4",
       "stores", Caught::Both,
       [](tile::KernelOp kernel) {
         sm::BulkWaitOp wait = lastWait(kernel);
         if (wait)
           wait.setRead(true);
         return bool(wait);
       }},
      {"store-write-bar-dropped",
       "threads read a tensor back that only one knows to be written", "2.4",
       "stores", Caught::Both,
       [](tile::KernelOp kernel) { return dropBarAfter(lastWait(kernel)); }},
      {"store-meets-grid", "the blocks meet before a store has written",
       "1: 29", "stores-meet", Caught::Both,
       [](tile::KernelOp kernel) {
         sm::BulkWaitOp wait = waitOf(kernel, /*read=*/false);
         if (wait)
           wait.setRead(true);
         return bool(wait);
       }},
  };
}
