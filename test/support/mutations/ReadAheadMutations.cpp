// Slots that are read one turn early: before the loop, and on each path of a
// turn that another one follows.
#include "test/support/mutations/Mutations.h"
#include "test/support/mutations/Places.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::test;

static constexpr StringRef kBest = "kv-ahead kv-bwd-ahead";

/// The reads of h in the order of the text: that before the loop, that beside
/// the product, those of the other paths.
static std::vector<tile::CopyOp> readsOfH(tile::KernelOp kernel) {
  std::vector<tile::CopyOp> reads;
  for (tile::CopyOp copy : all<tile::CopyOp>(kernel))
    if (sm::SlotOp slot = slotOf(copy.getSrc()))
      if (auto tile = slot.getBuffer().getDefiningOp<sm::SharedOp>();
          tile && tile.getName() == "h_shared")
        reads.push_back(copy);
  return reads;
}

/// The operation of a kind on a barrier of h beside a read.
template <typename Op> static Op beside(tile::CopyOp read, StringRef name) {
  for (Op op : read->getBlock()->getOps<Op>())
    if (auto decl = op.getBarrier().template getDefiningOp<sm::MBarrierOp>();
        decl && decl.getName() == name)
      return op;
  return {};
}

/// The read beside the product, or null.
static tile::CopyOp readInFlight(tile::KernelOp kernel) {
  auto reads = readsOfH(kernel);
  return reads.size() > 1 ? reads[1] : tile::CopyOp();
}

static bool dropWait(tile::KernelOp kernel) {
  tile::CopyOp read = readInFlight(kernel);
  return read && erase(beside<sm::MBarrierWaitOp>(read, "h_shared_full"));
}

static bool releaseBeforeRead(tile::KernelOp kernel) {
  tile::CopyOp read = readInFlight(kernel);
  auto arrive = read ? beside<sm::MBarrierArriveOp>(read, "h_shared_empty")
                     : sm::MBarrierArriveOp();
  if (arrive)
    arrive->moveBefore(read);
  return bool(arrive);
}

static bool dropFence(tile::KernelOp kernel) {
  tile::CopyOp read = readInFlight(kernel);
  return read &&
         erase(dyn_cast_or_null<sm::FenceProxyAsyncOp>(read->getNextNode()));
}

/// All of a read goes, with what belongs to it.
static bool dropRead(tile::KernelOp kernel, size_t index) {
  auto reads = readsOfH(kernel);
  return index < reads.size() &&
         erase(reads[index]->getParentOfType<scf::IfOp>());
}

/// What asks whether another turn follows says yes.
static bool readPastTheEnd(tile::KernelOp kernel) {
  bool found = false;
  for (tile::CopyOp read : readsOfH(kernel)) {
    auto guard = read->getParentOfType<scf::IfOp>();
    if (!guard || !loopOf(guard))
      continue;
    OpBuilder b(guard);
    guard.getConditionMutable().assign(
        arith::ConstantOp::create(b, guard.getLoc(), b.getBoolAttr(true)));
    found = true;
  }
  return found;
}

std::vector<Mutation> tlc::test::readAheadMutations() {
  return {
      {"early-read-not-awaited", "h is read one turn early without a wait",
       "1: 3", kBest, Caught::Both, dropWait},
      {"early-read-after-release",
       "the slot goes back before it is read one turn early", "2.3 E3", kBest,
       Caught::Both, releaseBeforeRead},
      {"early-read-not-fenced",
       "no proxy fence between the early read of h and its release", "4.5",
       kBest, Caught::Both, dropFence},
      {"early-read-not-before-loop", "nobody reads h for the first turn",
       "1: 36", kBest, Caught::Both,
       [](tile::KernelOp k) { return dropRead(k, 0); }},
      {"early-read-not-beside-product",
       "turns with the flag do not read h for the next one", "4.5", kBest,
       Caught::Both, [](tile::KernelOp k) { return dropRead(k, 1); }},
      {"early-read-not-on-other-path",
       "turns without the flag do not read h for the next one", "4.5", kBest,
       Caught::Both, [](tile::KernelOp k) { return dropRead(k, 2); }},
      {"early-read-past-the-end",
       "the last turn waits for a slot that is never filled", "1: 36", kBest,
       Caught::Both, readPastTheEnd},
  };
}
