// What a role does with a slot between `ws.wait` and `ws.release`.
#pragma once

#include "compiler/conversion/Conversion.h"

namespace tlc {

/// One access of a slot through its views.
struct SlotAccess {
  mlir::Operation *op;
  tile::Effect effect;
};

/// Every access of the slot that `wait` opened, in no particular order.
llvm::SmallVector<SlotAccess> getSlotAccesses(ws::WaitOp wait);

/// Whether the slot is touched by ordinary loads or stores (ldmatrix is one).
bool hasGenericAccess(ws::WaitOp wait);

/// The op after which the slot is used no more: the last ancestor, in the block
/// of the wait, of an access or of the wait that completes an asynchronous one.
/// `wait` itself if the slot is never used.
mlir::Operation *getLastUse(ws::WaitOp wait);

/// That op for people, with the access that makes it one: "if at line 3, in
/// which the T.gemm at line 4 uses it until its completion wait".
std::string describeLastUse(ws::WaitOp wait);

/// Whether `op` stops its thread until others have acted.
bool isBlocking(mlir::Operation *op);

/// Whether `op` orders memory without naming a slot: a fence that the program
/// wrote, an extern without pointers (sync.md 3.5).
bool isOrderingOp(mlir::Operation *op);

/// The release of the token of `wait`, or null.
ws::ReleaseOp getRelease(ws::WaitOp wait);

/// All releases of the slot; each path meets one of them.
llvm::SmallVector<ws::ReleaseOp> getReleases(ws::WaitOp wait);

/// Where an access is over: for a product or a tensor store, the wait that
/// follows it.
mlir::Operation *getCompletion(const SlotAccess &access);

} // namespace tlc
