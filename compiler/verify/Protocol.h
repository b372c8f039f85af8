// The protocol of a launch as its barriers show it: who waits, arrives and
// fills, and which pair of barriers guards which tiles.
//
// A tile that a bulk copy fills is a member of a ring. Its *full* barrier is
// the one the copy completes on; its *empty* barrier is the one the filling
// thread waits for before the copy, at the same stage.
#ifndef TLC_COMPILER_VERIFY_PROTOCOL_H
#define TLC_COMPILER_VERIFY_PROTOCOL_H

#include "compiler/verify/Report.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

namespace tlc::verify {

/// A role without roles inside, or the whole launch if it has none.
struct RoleInfo {
  mlir::Operation *op;
  mlir::Block *body;
  std::string name;
  int64_t firstWarp, threads;

  int64_t warps() const { return (threads + 31) / 32; }
};

struct BarrierInfo {
  mutable sm::MBarrierOp decl;
  llvm::SmallVector<sm::MBarrierInitOp> inits;
  llvm::SmallVector<sm::MBarrierWaitOp> waits;
  llvm::SmallVector<sm::MBarrierArriveOp> arrives;
  llvm::SmallVector<sm::MBarrierArriveExpectTxOp> expects;
  llvm::SmallVector<mlir::Operation *> loads;
};

struct Ring {
  mlir::Value full, empty; ///< `empty` is null if no wait precedes the copies
  llvm::SmallVector<sm::SharedOp> members;
  /// A copy into a slot with no proxy fence since the slot was acquired.
  mlir::Operation *unfencedFill = nullptr;
  /// Some access of a slot goes through the async proxy.
  bool hasAsyncReader = false;

  std::string text; ///< 'h_shared', or 'A_s', 'B_s'
};

/// A bulk or tensor load, whichever it is.
struct LoadView {
  mlir::Operation *op = nullptr;
  mlir::Value dst, barrier, stage;
  llvm::ArrayRef<int64_t> sizes;

  int64_t bytes() const;
  explicit operator bool() const { return op; }
};
LoadView viewLoad(mlir::Operation *op);

/// Bytes of one element in memory.
int64_t elementBytes(mlir::Type memref);

/// A slot handed back while some access of it is not ordered by a proxy fence
/// of the accessing threads. Legal if every fill is fenced by the filler.
struct HandOver {
  Ring *ring;
  mlir::Operation *arrive, *access;
  bool membar, barrier, delayed;
};

struct Protocol {
  /// Whether threads fill the tile by cp.async: its slots have no mbarriers and
  /// are followed by running the skeleton (GroupSlots.cpp).
  bool isFilledInGroups(sm::SharedOp tile) const {
    return groupTiles.contains(tile.getResult());
  }
  llvm::DenseSet<mlir::Value> groupTiles;

  /// Ops are handles: their accessors are not const.
  mutable sm::LaunchOp launch;
  std::vector<RoleInfo> roles;
  llvm::MapVector<mlir::Value, BarrierInfo> barriers;
  std::vector<std::unique_ptr<Ring>> rings;
  std::vector<HandOver> handOvers;

  Ring *ringOfTile(sm::SharedOp tile) const;
  Ring *ringOfFull(mlir::Value barrier) const;
  Ring *ringOfEmpty(mlir::Value barrier) const;
  /// The role that executes `op`, or null before the roles.
  const RoleInfo *roleOf(mlir::Operation *op) const;
  /// Threads that execute `op`: one in sm.elect, else all of its role.
  int64_t threadsOf(mlir::Operation *op) const;
};

/// The shared tile behind a buffer or a slot of one, or null.
sm::SharedOp baseTile(mlir::Value buffer);

/// Name of a barrier in single quotes.
std::string barrierName(mlir::Value barrier);

/// Whether `op` runs in one thread.
bool isElected(mlir::Operation *op);

Protocol discoverProtocol(sm::LaunchOp launch, Reporter &reporter);

} // namespace tlc::verify

#endif // TLC_COMPILER_VERIFY_PROTOCOL_H
