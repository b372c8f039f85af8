// Orders accesses of different threads of a role to the same tile: a barrier
// between a write and a later access, or a read and a later write, on every
// path, the back edge of loops included; before an asynchronous read of data
// that threads wrote, a proxy fence in the writers and then the barrier
// (sync.md 2.3 E9, E10, 3.4). Slots of rings are ordered by their tokens. What
// a tensor store does is over, for the thread that issued it, at the wait for
// it (DeriveStores.cpp): that is the access that others come after.
//
// The barrier goes directly before the later access. The walk keeps, for each
// buffer, what has happened since the last barrier and fence; joins are unions.
#include "compiler/conversion/Conversion.h"
#include "compiler/conversion/TileToWS/Buffers.h"
#include "compiler/conversion/TileToWS/Paths.h"
#include "compiler/conversion/TileToWS/Slices.h"

namespace tlc {
#define GEN_PASS_DEF_WSDERIVEBARRIERSPASS
#include "compiler/conversion/Conversion.h.inc"
} // namespace tlc

using namespace mlir;
using namespace tlc;

namespace {

/// The access that orders more: an atomic one needs no order after another.
Operation *stronger(Operation *a, Operation *b) {
  return !a || (b && isa<tile::AtomicOp>(a)) ? b : a;
}

/// What is pending on one buffer.
struct Pending {
  Operation *write = nullptr; ///< generic write since the last barrier
  Operation *read = nullptr;  ///< read since the last barrier
  /// A write after which some thread has not fenced yet.
  Operation *unfenced = nullptr;
  /// A fenced write whose fence other threads cannot rely on yet.
  Operation *unsynced = nullptr;
  /// The fence after such a write.
  ws::FenceOp fence;

  bool operator==(const Pending &) const = default;
  void join(const Pending &other) {
    write = stronger(write, other.write);
    read = stronger(read, other.read);
    unfenced = unfenced ? unfenced : other.unfenced;
    unsynced = unsynced ? unsynced : other.unsynced;
    fence = fence ? fence : other.fence;
  }
};

using State = llvm::MapVector<Value, Pending>;

/// What an op needs before it may run.
struct Need {
  bool fence = false;
  std::string why; ///< empty: nothing
};

class BarrierDeriver : PathRunner<BarrierDeriver, State> {
  friend PathRunner;

public:
  explicit BarrierDeriver(ws::RoleOp role)
      : role(role), written(getWrittenGlobals(role)) {}

  void run() {
    State state;
    runBlock(role.getBody().front(), state, /*insert=*/true);
  }

private:
  static void join(State &into, const State &other) {
    for (const auto &[buffer, pending] : other)
      into[buffer].join(pending);
  }

  static bool isSame(const State &a, const State &b) {
    State joined = a;
    join(joined, b);
    return joined.size() == a.size() && llvm::all_of(a, [&](const auto &entry) {
             return joined[entry.first] == entry.second;
           });
  }

  bool isTracked(Value buffer) {
    if (tile::isInSpace(buffer, tile::Space::Global))
      return written.contains(buffer);
    return tile::isInSpace(buffer, tile::Space::Shared) &&
           buffer.getDefiningOp<tile::AllocOp>();
  }

  void runBlock(Block &block, State &state, bool insert) {
    for (Operation &op : llvm::make_early_inc_range(block))
      runOp(&op, state, insert);
  }

  void runOp(Operation *op, State &state, bool insert) {
    if (isa<ws::BarrierOp, tile::SyncThreadsOp, tile::SyncGridOp>(op))
      return passBarrier(state);
    if (auto fence = dyn_cast<ws::FenceOp>(op)) {
      if (fence.getKind() == ws::FenceKind::ProxyAsync)
        passFence(state, fence);
      return;
    }
    if (auto wait = dyn_cast<ws::StoreWaitOp>(op))
      return passStoreWait(state, wait);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      if (!dependsOnThread(branch.getCondition(), role))
        return runBranch(branch, state, insert);
    if (isa<scf::ForOp, scf::WhileOp>(op) && !isSplitLoop(op))
      return runLoop(op, state, insert);
    access(op, state, insert);
  }

  /// Threads leave the loop after different numbers of turns: no barrier can
  /// stand in it.
  bool isSplitLoop(Operation *op) {
    return llvm::any_of(getConditions(op), [&](Value condition) {
      return dependsOnThread(condition, role);
    });
  }

  void passBarrier(State &state) {
    for (auto &[buffer, pending] : state) {
      pending.write = pending.read = nullptr;
      if (!pending.unfenced)
        pending.unsynced = nullptr;
    }
  }

  /// The issuing thread knows that its stores are over, others do not yet.
  void passStoreWait(State &state, ws::StoreWaitOp wait) {
    for (Value buffer : wait.getDone()) {
      if (!isTracked(buffer))
        continue;
      if (tile::isInSpace(buffer, tile::Space::Global))
        state[buffer].write = wait;
      else
        state[buffer].read = wait;
    }
  }

  void passFence(State &state, ws::FenceOp fence = nullptr) {
    for (auto &[buffer, pending] : state) {
      if (pending.unfenced)
        pending.fence = fence;
      pending.unfenced = nullptr;
    }
  }

  /// A leaf, an element loop, or a branch on the thread: one action of the
  /// role.
  void access(Operation *op, State &state, bool insert) {
    SmallVector<tile::Effect> effects;
    collectEffects(op, effects);
    llvm::erase_if(effects, [&](const tile::Effect &effect) {
      return !isTracked(effect.buffer);
    });
    if (effects.empty())
      return;
    Need need;
    for (const tile::Effect &effect : effects) {
      require(op, effect, state[effect.buffer], need);
      if (insert)
        creditFence(op, effect, state[effect.buffer]);
    }
    if (!need.why.empty())
      order(op, need, state, insert);
    for (const tile::Effect &effect : effects)
      record(op, effect, state[effect.buffer]);
  }

  /// Whether turns of the copy write the same element by the same thread only:
  /// where its place moves from turn to turn, it moves by whole tiles.
  bool rewritesOwn(Operation *op) {
    auto copy = dyn_cast<tile::CopyOp>(op);
    if (!copy)
      return false;
    Operation *outermost = nullptr;
    for (Operation *p = op->getParentOp(); p != role; p = p->getParentOp())
      if (isa<scf::ForOp, scf::WhileOp>(p))
        outermost = p;
    auto moves = [&](Value offset) {
      return outermost &&
             outermost->isAncestor(offset.getParentRegion()->getParentOp());
    };
    for (auto [offset, size] :
         llvm::zip(copy.getDstOffsets(), copy.getDstSizes()))
      if (size != 1 && moves(offset))
        return false;
    return true;
  }

  /// Whether `earlier` comes before `op` only by way of a loop.
  static bool isOfEarlierTurn(Operation *earlier, Operation *op) {
    for (Operation *at = op; at->getBlock(); at = at->getParentOp())
      if (Operation *other = getAncestorIn(at->getBlock(), earlier))
        return other == at || at->isBeforeInBlock(other);
    return false;
  }

  /// Atomics are ordered by the memory.
  static bool areAtomic(Operation *op, const Pending &pending) {
    return isa<tile::AtomicOp>(op) &&
           (!pending.read || isa<tile::AtomicOp>(pending.read)) &&
           (!pending.write || isa<tile::AtomicOp>(pending.write));
  }

  /// A wait stands at its store in the program.
  static std::string describeEarlier(Operation *earlier) {
    if (isa<ws::StoreWaitOp>(earlier))
      return "TMA store at " + describeLine(earlier->getLoc());
    return describeOp(earlier);
  }

  void require(Operation *op, const tile::Effect &effect,
               const Pending &pending, Need &need) {
    if (areAtomic(op, pending))
      return;
    std::string name = "'" + tile::getBufferName(effect.buffer) + "'";
    auto say = [&](StringRef what, Operation *earlier) {
      // One reason a buffer is enough.
      if (StringRef(need.why).contains(name))
        return;
      need.why += (need.why.empty() ? "" : "; ") + name + " " + what.str() +
                  " the " + describeEarlier(earlier) +
                  (isOfEarlierTurn(earlier, op) ? " in an earlier turn" : "");
    };
    if (effect.kind == tile::AccessKind::Write) {
      // The thread that issues stores is the one that has waited.
      bool isStore = effect.completion == tile::Completion::BulkGroup;
      if (isStore && isa_and_nonnull<ws::StoreWaitOp>(pending.write))
        return;
      if (pending.read)
        say("is read by", pending.read);
      if (pending.write && !(pending.write == op && rewritesOwn(op)))
        say("is written by", pending.write);
      return;
    }
    if (effect.proxy != tile::Proxy::Generic && pending.unfenced) {
      need.fence = true;
      say("is written by", pending.unfenced);
    }
    if (effect.proxy != tile::Proxy::Generic && pending.unsynced)
      say("is written by", pending.unsynced);
    if (pending.write)
      say("is written by", pending.write);
  }

  /// Says on a fence what it is good for.
  static void creditFence(Operation *op, const tile::Effect &effect,
                          const Pending &pending) {
    if (effect.kind == tile::AccessKind::Write || pending.unfenced ||
        effect.proxy == tile::Proxy::Generic || !pending.fence)
      return;
    ws::FenceOp fence = pending.fence;
    std::string reason = fence.getReason().value_or("").str();
    std::string use = "; orders the writes of '" +
                      tile::getBufferName(effect.buffer) + "' before the " +
                      describeOp(op) + " reads them through the async proxy";
    if (!StringRef(reason).contains(use))
      fence.setReason(reason + use);
  }

  void order(Operation *op, const Need &need, State &state, bool insert) {
    if (insert)
      insertBefore(op, need);
    if (need.fence)
      passFence(state);
    passBarrier(state);
  }

  void insertBefore(Operation *op, const Need &need) {
    OpBuilder b(op);
    // A product's register fence stays directly before it.
    if (isa_and_nonnull<ws::MmaFenceOp>(op->getPrevNode()))
      b.setInsertionPoint(op->getPrevNode());
    StringAttr why = b.getStringAttr(need.why);
    if (need.fence)
      ws::FenceOp::create(b, op->getLoc(), ws::FenceKind::ProxyAsync,
                          ValueRange(), /*source=*/false, why);
    ws::BarrierOp::create(b, op->getLoc(), why, /*source=*/false);
  }

  void record(Operation *op, const tile::Effect &effect, Pending &pending) {
    if (effect.completion == tile::Completion::BulkGroup)
      return; // until the wait for it
    if (effect.kind == tile::AccessKind::Read) {
      pending.read = stronger(op, pending.read);
      return;
    }
    pending.write = stronger(op, pending.write);
    if (effect.proxy == tile::Proxy::Generic)
      pending.unfenced = pending.unsynced = op;
  }

  ws::RoleOp role;
  llvm::DenseSet<Value> written;
};

/// All threads of the block reach a barrier of the program, or none.
LogicalResult checkUniform(Operation *barrier, ws::RoleOp role) {
  StringRef name =
      isa<tile::SyncGridOp>(barrier) ? "T.sync_grid" : "T.sync_threads";
  for (Operation *parent = barrier->getParentOp(); parent != role;
       parent = parent->getParentOp()) {
    for (Value condition : getConditions(parent)) {
      if (!dependsOnThread(condition, role))
        continue;
      InFlightDiagnostic diag = barrier->emitError()
                                << name
                                << " under a condition that depends on the "
                                   "thread would never complete";
      diag.attachNote(parent->getLoc()) << "the condition is here";
      return diag;
    }
  }
  return success();
}

/// From here on a barrier is a ws op, whoever asked for it.
LogicalResult materialiseSourceBarriers(ws::RoleOp role) {
  WalkResult result = role.walk([&](Operation *written) {
    if (!isa<tile::SyncThreadsOp, tile::SyncGridOp>(written))
      return WalkResult::advance();
    if (failed(checkUniform(written, role)))
      return WalkResult::interrupt();
    if (isa<tile::SyncGridOp>(written))
      return WalkResult::advance();
    OpBuilder b(written);
    ws::BarrierOp::create(b, written->getLoc(),
                          b.getStringAttr("written in the program"),
                          /*source=*/true);
    written->erase();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

struct WSDeriveBarriersPass
    : tlc::impl::WSDeriveBarriersPassBase<WSDeriveBarriersPass> {
  using Base::Base;
  void runOnOperation() override {
    SmallVector<ws::RoleOp> roles;
    getOperation().walk([&](ws::RoleOp role) {
      bool leaf = role.getBody().getOps<ws::RoleOp>().empty();
      if (leaf)
        roles.push_back(role);
    });
    for (ws::RoleOp role : roles) {
      if (failed(materialiseSourceBarriers(role)))
        return signalPassFailure();
      BarrierDeriver(role).run();
    }
  }
};

} // namespace
