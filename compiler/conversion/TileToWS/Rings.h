// Rings on their way from tiles to ws, and what roles do to them.
#pragma once

#include "dialects/tile/Tile.h"
#include "dialects/ws/WS.h"

namespace tlc {

/// A ring to be: its fills, all in one block, in order.
struct RingSpec {
  std::string name;
  int64_t depth;
  llvm::SmallVector<tile::CopyOp> fills;
  mlir::Value ring;
  bool inGroups = false; ///< all threads fill it, by cp.async
  bool deepened = false; ///< one slot more than num_stages
};

/// In `scope`, acquire before the first fill of each block, commit after the
/// last.
void produceRing(RingSpec &spec, mlir::Operation *scope);

/// In a consumer, a wait before the first use takes the place of the fills.
void consumeRings(llvm::MutableArrayRef<RingSpec> rings, ws::RoleOp role);

/// Every pipelined loop becomes a plain one.
void lowerPipelinedLoops(mlir::Operation *scope);

/// One role that runs ahead: fills of later turns are issued when a slot has
/// been released, by one thread or, in groups, by all. `written`: the tensors
/// that the launch writes.
void buildRunningAhead(ws::RoleOp role, llvm::MutableArrayRef<RingSpec> rings,
                       const llvm::DenseSet<mlir::Value> &written);

} // namespace tlc
