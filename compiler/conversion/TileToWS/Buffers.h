// Buffers and effects of tile and ws programs, seen by the derivations.
#pragma once

#include "dialects/tile/Tile.h"
#include "dialects/ws/WS.h"

namespace tlc {

/// Appends the effects of `op` and of everything nested in it.
void collectEffects(mlir::Operation *op,
                    llvm::SmallVectorImpl<tile::Effect> &effects);

/// Global buffers that `scope` writes.
llvm::DenseSet<mlir::Value> getWrittenGlobals(mlir::Operation *scope);

/// The ancestor of `op` that lies directly in `block`, or null.
mlir::Operation *getAncestorIn(mlir::Block *block, mlir::Operation *op);

/// Every op with an effect on `buffer`, `tile.access_ptr` replaced by the
/// calls that receive it.
llvm::SmallVector<mlir::Operation *> getAccesses(mlir::Value buffer);

/// Of a block's shared memory, what barriers and the alignment of tiles may
/// take: an estimate, before there is a plan.
inline constexpr int64_t kSharedReserve = 2048;

/// Bytes of the elements of a tile.
int64_t getTileBytes(mlir::Value tile);

/// "line 12" of the source, or "an unknown line".
std::string describeLine(mlir::Location loc);

/// Whether `op` loads an operand of a product, of the same statement, into
/// registers (Lever::RegisterOperand).
bool isOperandLoad(mlir::Operation *op);

/// How a statement is called in reasons: "T.copy at line 12".
std::string describeOp(mlir::Operation *op);

/// Threads of the role (or launch) that runs `op`.
int64_t getRoleThreads(mlir::Operation *op);

} // namespace tlc
