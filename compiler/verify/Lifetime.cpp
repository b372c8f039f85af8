// V13: tiles and barriers lie inside the block's shared memory, and what is
// alive at the same time does not overlap; an asynchronous access keeps a tile
// alive until it has been waited for.
#include "compiler/verify/Obligations.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::verify;

/// Bytes of an mbarrier (PTX ISA, mbarrier).
constexpr int64_t kBarrierBytes = 8;

namespace {

struct Extent {
  Operation *op;
  int64_t begin, end;
  std::string name;
};

class LifetimeChecker {
public:
  LifetimeChecker(const Protocol &protocol, Reporter &reporter)
      : protocol(protocol), reporter(reporter) {}

  void run(const target::TargetInfo &target) {
    sm::LaunchOp launch = protocol.launch;
    int64_t shared = static_cast<int64_t>(launch.getSharedBytes());
    if (shared > target.maxDynamicSharedBytes)
      reporter.error(launch, "the block needs " + Twine(shared) +
                                 " bytes of shared memory, " + target.name +
                                 " has " + Twine(target.maxDynamicSharedBytes));
    for (Operation &op : launch.getBody().front())
      addExtent(&op);
    for (const Extent &extent : extents)
      if (extent.end > shared)
        reporter.error(extent.op, extent.name + " ends at byte " +
                                      Twine(extent.end) +
                                      ", the block has only " + Twine(shared));
    for (size_t i = 0; i < extents.size(); ++i)
      for (size_t j = i + 1; j < extents.size(); ++j)
        checkPair(extents[i], extents[j]);
  }

private:
  void addExtent(Operation *op) {
    if (auto barrier = dyn_cast<sm::MBarrierOp>(op)) {
      int64_t begin = barrier.getOffset(), stages = barrier.getStages();
      extents.push_back({op, begin, begin + kBarrierBytes * stages,
                         barrierName(barrier.getResult())});
      return;
    }
    auto tile = dyn_cast<sm::SharedOp>(op);
    if (!tile)
      return;
    MemRefType type = tile.getResult().getType();
    int64_t bytes = elementBytes(type) * type.getNumElements();
    int64_t begin = tile.getOffset(), stages = tile.getStages(),
            slot = tile.getSlotBytes();
    std::string name = "'" + tile.getName().str() + "'";
    if (slot < bytes)
      reporter.error(tile, "a slot of " + name + " has " + Twine(slot) +
                               " bytes, its tile " + Twine(bytes));
    extents.push_back({op, begin, begin + stages * slot, name});
  }

  bool isPlainTile(const Extent &extent) const {
    auto tile = dyn_cast<sm::SharedOp>(extent.op);
    return tile && !protocol.ringOfTile(tile);
  }

  void checkPair(const Extent &a, const Extent &b) {
    if (a.end <= b.begin || b.end <= a.begin)
      return;
    if (isPlainTile(a) && isPlainTile(b) && (isDone(a, b) || isDone(b, a)))
      return;
    reporter.error(b.op,
                   b.name + " shares bytes with " + a.name +
                       " while both are in use",
                   {{a.op, a.name + " lies here"}});
  }

  /// Ops of the body of a role that use the tile, if one role does.
  SmallVector<Operation *> findUses(const Extent &extent,
                                    const RoleInfo *&role) const {
    SmallVector<Operation *> uses;
    for (Operation *user : extent.op->getResult(0).getUsers()) {
      const RoleInfo *userRole = protocol.roleOf(user);
      if (!userRole || (role && role != userRole))
        return {};
      role = userRole;
      uses.push_back(role->body->findAncestorOpInBlock(*user));
    }
    return uses;
  }

  template <typename Op> static bool holds(Operation *op) {
    bool found = false;
    op->walk([&](Op) { found = true; });
    return found;
  }

  /// All tensor stores of the thread have read their tiles.
  static bool endsStores(Operation *op) {
    bool ends = false;
    if (auto elect = dyn_cast<sm::ElectOp>(op))
      for (auto wait : elect.getBody().getOps<sm::BulkWaitOp>())
        ends |= wait.getPending() == 0;
    return ends;
  }

  /// Every use of `a` is over, for all threads, before the first use of `b`.
  bool isDone(const Extent &a, const Extent &b) const {
    const RoleInfo *role = nullptr;
    auto before = findUses(a, role);
    auto after = findUses(b, role);
    if (before.empty() || after.empty())
      return false;
    auto inOrder = [](Operation *x, Operation *y) {
      return x->isBeforeInBlock(y);
    };
    Operation *last = *llvm::max_element(before, inOrder);
    Operation *first = *llvm::min_element(after, inOrder);
    if (!last->isBeforeInBlock(first))
      return false;
    bool waited = !llvm::any_of(before, holds<sm::WgmmaOp>);
    bool read = !llvm::any_of(before, holds<sm::TmaStoreOp>);
    for (Operation *op = last->getNextNode(); op; op = op->getNextNode()) {
      if (op == first)
        return false;
      if (auto wait = dyn_cast<sm::WgmmaWaitOp>(op))
        waited |= wait.getPending() == 0;
      read |= endsStores(op);
      if (auto bar = dyn_cast<sm::BarSyncOp>(op))
        if (waited && read &&
            static_cast<int64_t>(bar.getThreads()) >= role->threads)
          return true;
    }
    return false;
  }

  const Protocol &protocol;
  Reporter &reporter;
  SmallVector<Extent> extents;
};

} // namespace

void tlc::verify::checkLifetimes(const Protocol &protocol,
                                 const target::TargetInfo &target,
                                 Reporter &reporter) {
  LifetimeChecker(protocol, reporter).run(target);
}
