// Waits for tensor stores. A store reads its tile and writes its tensor after
// it was issued, on behalf of the one thread that issues the stores of a role:
//
//   the tile is written again, or handed to the loader
//                            wait until the store has read it, then a barrier
//   the tensor is accessed, or others are told about it
//                            wait until the store has written it, then a
//                            barrier
//   the role ends            wait until all tiles have been read: the shared
//                            memory of the block lives as long
//
// A wait goes directly before what needs it. How many younger stores may go on
// is the least that any path has issued since.
#include "compiler/conversion/Conversion.h"
#include "compiler/conversion/TileToWS/Boxes.h"
#include "compiler/conversion/TileToWS/Buffers.h"
#include "compiler/conversion/TileToWS/Paths.h"
#include "compiler/conversion/TileToWS/Slices.h"
#include "compiler/conversion/TileToWS/Stores.h"
#include "compiler/support/Remarks.h"

namespace tlc {
#define GEN_PASS_DEF_WSDERIVESTORESPASS
#include "compiler/conversion/Conversion.h.inc"
} // namespace tlc

using namespace mlir;
using namespace tlc;

namespace {

/// A tensor store on its way.
struct Flight {
  int64_t younger = 0; ///< stores that have been issued since, on every path
  bool reads = true;   ///< it may still read its tile

  bool operator==(const Flight &) const = default;
};

/// Younger stores that are counted; more make no difference.
constexpr int64_t kMostYounger = 4;

using State = llvm::MapVector<Operation *, Flight>;

/// A wait to be: for tiles (`read`), or for tensors too.
struct Need {
  int64_t pending = kMostYounger + 1;
  Operation *store = nullptr; ///< the one that is waited for
  std::string why;

  explicit operator bool() const { return store; }
  void add(Operation *other, const Flight &flight, const Twine &reason) {
    if (flight.younger >= pending)
      return;
    pending = flight.younger;
    store = other;
    why = reason.str();
  }
};

class StoreDeriver : PathRunner<StoreDeriver, State> {
  friend PathRunner;

public:
  explicit StoreDeriver(ws::RoleOp role) : role(role) {}

  void run() {
    State state;
    Block &block = role.getBody().front();
    runBlock(block, state, /*insert=*/true);
    Need need;
    for (auto &[store, flight] : state)
      if (flight.reads)
        need.add(store, flight,
                 "the shared memory of the block lives until the " +
                     describeOp(store) + " has read '" + tileName(store) + "'");
    if (need) {
      OpBuilder b = OpBuilder::atBlockEnd(&block);
      create(b, need, /*read=*/true, state);
    }
  }

private:
  static void join(State &into, const State &other) {
    for (const auto &[store, flight] : other) {
      auto [it, isNew] = into.insert({store, flight});
      if (isNew)
        continue;
      it->second.younger = std::min(it->second.younger, flight.younger);
      it->second.reads |= flight.reads;
    }
  }

  static bool isSame(const State &a, const State &b) {
    return a.size() == b.size() && llvm::all_of(a, [&](const auto &entry) {
             auto it = b.find(entry.first);
             return it != b.end() && it->second == entry.second;
           });
  }

  static bool isStore(Operation *op) {
    auto copy = dyn_cast<tile::CopyOp>(op);
    return copy && copy.getInst() == tile::CopyInst::TmaStore;
  }
  static std::string tileName(Operation *store) {
    Value tile = cast<tile::CopyOp>(store).getSrc();
    if (auto wait = tile.getDefiningOp<ws::WaitOp>())
      return wait.getRing().getDefiningOp<ws::RingOp>().getName().str();
    return tile::getBufferName(tile);
  }
  static std::string tensorName(Operation *store) {
    return tile::getBufferName(cast<tile::CopyOp>(store).getDst());
  }

  void runBlock(Block &block, State &state, bool insert) {
    for (Operation &op : llvm::make_early_inc_range(block))
      runOp(&op, state, insert);
  }

  void runOp(Operation *op, State &state, bool insert) {
    if (auto branch = dyn_cast<scf::IfOp>(op))
      if (!dependsOnThread(branch.getCondition(), role))
        return runBranch(branch, state, insert);
    if (isa<scf::ForOp, scf::WhileOp>(op) && holdsStore(op))
      return runLoop(op, state, insert);
    if (!state.empty())
      order(op, state, insert);
    if (isStore(op))
      issue(cast<tile::CopyOp>(op), state, insert);
  }

  /// Other loops are as one statement; one whose threads make different
  /// numbers of turns holds no store.
  static bool holdsStore(Operation *loop) {
    return loop
        ->walk([](Operation *op) {
          return isStore(op) ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }

  void order(Operation *op, State &state, bool insert) {
    Need read, whole;
    findConflicts(op, state, read, whole);
    Operation *signal = findSignal(op);
    if (signal)
      for (auto &[store, flight] : state)
        whole.add(store, flight,
                  "'" + tensorName(store) + "' is written by the " +
                      describeOp(store) + "; the " + describeOp(signal) +
                      " may tell others that it is");
    if (read && whole && whole.pending <= read.pending)
      read = Need();
    for (auto [need, onlyRead] : {std::pair(&read, true), {&whole, false}}) {
      if (!*need)
        continue;
      if (insert) {
        OpBuilder b(placeFor(op));
        create(b, *need, onlyRead, state);
        // The grid barrier begins with one of the block.
        if (signal && !onlyRead && !isa<tile::SyncGridOp>(op))
          ws::BarrierOp::create(
              b, op->getLoc(),
              b.getStringAttr("one thread has waited for the " +
                              describeOp(need->store)),
              /*source=*/false);
      }
      pass(state, need->pending, onlyRead);
    }
  }

  /// A product's register fence stays directly before it.
  static Operation *placeFor(Operation *op) {
    Operation *before = op->getPrevNode();
    return isa_and_nonnull<ws::MmaFenceOp>(before) ? before : op;
  }

  void findConflicts(Operation *op, State &state, Need &read, Need &whole) {
    SmallVector<tile::Effect> effects;
    collectEffects(op, effects);
    for (const tile::Effect &effect : effects)
      for (auto &[store, flight] : state) {
        auto copy = cast<tile::CopyOp>(store);
        if (effect.buffer == copy.getSrc() && flight.reads &&
            effect.kind == tile::AccessKind::Write)
          read.add(store, flight,
                   "'" + tileName(store) + "' is read by the " +
                       describeOp(store) + "; the " + describeOp(op) +
                       " writes it");
        if (effect.buffer == copy.getDst() && !isApart(copy, op, effect))
          whole.add(store, flight,
                    "'" + tensorName(store) + "' is written by the " +
                        describeOp(store) + "; the " + describeOp(op) +
                        (effect.kind == tile::AccessKind::Write ? " writes it"
                                                                : " reads it"));
      }
  }

  bool isApart(tile::CopyOp store, Operation *op, const tile::Effect &effect) {
    auto copy = dyn_cast<tile::CopyOp>(op);
    return copy && effect.kind == tile::AccessKind::Write &&
           copy.getDst() == store.getDst() && areDisjoint(store, copy, role);
  }

  void issue(tile::CopyOp store, State &state, bool insert) {
    for (auto &[other, flight] : state)
      flight.younger = std::min(flight.younger + 1, kMostYounger);
    state[store] = Flight();
    if (!store.getSrc().getDefiningOp<ws::WaitOp>())
      return;
    // A slot is handed back after its last use: the wait is one.
    if (insert) {
      OpBuilder b(store->getContext());
      b.setInsertionPointAfter(store);
      Need need;
      need.add(store, state[store],
               "the " + describeOp(store) + " reads the slot of '" +
                   tileName(store) + "' until then");
      create(b, need, /*read=*/true, state);
    }
    pass(state, 0, /*read=*/true);
  }

  static void pass(State &state, int64_t pending, bool read) {
    for (auto &[store, flight] : state)
      if (flight.younger >= pending)
        flight.reads = false;
    if (!read)
      state.remove_if(
          [&](const auto &entry) { return entry.second.younger >= pending; });
  }

  /// Everything that is over after the wait, in order of issue.
  static void create(OpBuilder &b, const Need &need, bool read,
                     const State &state) {
    llvm::SetVector<Value> done;
    for (bool isOver : {true, false})
      for (const auto &[store, flight] : state) {
        if ((flight.younger >= need.pending) != isOver)
          continue;
        auto copy = cast<tile::CopyOp>(store);
        // What a younger store uses too is not over.
        auto note = [&](Value buffer) {
          isOver ? (void)done.insert(buffer) : (void)done.remove(buffer);
        };
        if (flight.reads)
          note(copy.getSrc());
        if (!read)
          note(copy.getDst());
      }
    auto wait = ws::StoreWaitOp::create(
        b, need.store->getLoc(), b.getI64IntegerAttr(need.pending),
        read ? b.getUnitAttr() : UnitAttr(), done.getArrayRef(),
        b.getStringAttr(need.why));
    emitDecision(wait, "store",
                 Twine(read ? "tiles have been read here: "
                            : "tensors have been written here: ") +
                     need.why);
  }

  ws::RoleOp role;
};

struct WSDeriveStoresPass
    : tlc::impl::WSDeriveStoresPassBase<WSDeriveStoresPass> {
  using Base::Base;
  void runOnOperation() override {
    getOperation().walk([&](ws::RoleOp role) {
      if (role.getBody().getOps<ws::RoleOp>().empty())
        StoreDeriver(role).run();
    });
  }
};

} // namespace
