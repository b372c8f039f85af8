// The abstract interpretation of one role: walks its structured code once for
// each path class, keeps a `State`, and asks the obligations at each op. The
// obligations are methods, one file each; see the comments there.
#ifndef TLC_COMPILER_VERIFY_ROLEWALK_H
#define TLC_COMPILER_VERIFY_ROLEWALK_H

#include "compiler/verify/State.h"

namespace tlc::verify {

/// Where an access goes.
struct Place {
  mutable sm::SharedOp tile;
  Ring *ring = nullptr;
  StageKey stage;
  mlir::Value fragment; ///< set instead for register tiles

  AsyncSource source() const { return {tile, ring, stage}; }
};

class RoleWalk {
public:
  RoleWalk(Protocol &protocol, const RoleInfo &role, Reporter &reporter)
      : protocol(protocol), role(role), reporter(reporter) {}

  void run();

private:
  // RoleWalk.cpp: control flow and dispatch.
  void walkBlock(mlir::Block &block);
  void walkOp(mlir::Operation *op);
  void walkBranch(mlir::scf::IfOp branch);
  void walkLoop(mlir::Operation *loop);
  void runLoopBody(mlir::Operation *loop, State &exit);
  void walkElect(sm::ElectOp elect);
  void atAccess(mlir::Operation *op);
  void passBarrier(sm::BarSyncOp bar);
  void passProxyFence();
  void passMembar();
  void advance(mlir::Value counter);
  std::optional<Place> resolve(mlir::Value buffer);
  StageKey keyOf(mlir::Value stage) const;
  void bindStages(mlir::ValueRange from, mlir::ValueRange to);
  void bindResults(mlir::ValueRange from, mlir::Operation *loop, State &exit);
  void finish();

  // SlotAccess.cpp: V3 and the static part of V8.
  void atWait(sm::MBarrierWaitOp wait);
  void atArrive(sm::MBarrierArriveOp arrive);
  void atLoad(const LoadView &load);
  void atOnlyLoad(const LoadView &load);
  void checkElected(mlir::Operation *arrive, const Span &span);
  Span *requireSpan(mlir::Operation *op, const Place &place);
  void reportLonely(mlir::Operation *at, llvm::ArrayRef<Span> spans, bool turn);

  // Counts.cpp: V2.
  void atExpect(sm::MBarrierArriveExpectTxOp expect);
  void checkBytes(const Span &span, mlir::Operation *at);

  // ProxyOrder.cpp: V4 and V6.
  void noteGenericAccess(mlir::Operation *op, Span &span);
  void checkHandOver(mlir::Operation *arrive, const Span &span);
  void checkAsyncRead(mlir::Operation *op, const Place &place);
  void checkCommitFence(mlir::Operation *arrive, const Span &span);

  // MmaGroups.cpp: V5 and V12.
  void checkWarps(mlir::Operation *product, int64_t warps);
  void atProduct(sm::WgmmaOp product);
  void atProductWait(sm::WgmmaWaitOp wait);
  void atRegisterAccess(mlir::Operation *op, mlir::Value fragment, bool write);
  void checkRetired(mlir::Operation *arrive, const Span &span);

  // LocalBuffers.cpp: V11, and tensor stores.
  Hazard *hazardOf(mlir::Operation *op, const Place &place);
  void checkCollision(mlir::Operation *op, const Place &place, bool write);
  void recordAccess(mlir::Operation *op, const Place &place, bool write);
  void atStore(sm::TmaStoreOp store);

  // GlobalTensors.cpp: V11 for tensors.
  void atGlobal(mlir::Operation *op, mlir::Value tensor, bool write);
  void endReads(llvm::ArrayRef<AsyncGroup> groups);

  // TensorStores.cpp: V11 for tensors that the copy unit writes.
  void atTensorWrite(sm::TmaStoreOp store);
  void checkStoresInFlight(mlir::Operation *op, mlir::Value tensor);
  void endWrites(llvm::ArrayRef<AsyncGroup> groups);
  void atGridBarrier(sm::GridBarrierOp barrier);

  // Phases.cpp: the static part of V7.
  void checkPhase(sm::MBarrierWaitOp wait);

  /// One mistake, one error: later findings about a ring, or about an
  /// asynchronous op, are left out.
  bool isPoisoned(const void *what) const { return poisoned.contains(what); }
  void poison(const void *what) {
    if (!reporter.isSilent())
      poisoned.insert(what);
  }

  Protocol &protocol;
  const RoleInfo &role;
  Reporter &reporter;
  State state;
  bool inElect = false;
  llvm::DenseSet<const void *> poisoned;
};

} // namespace tlc::verify

#endif // TLC_COMPILER_VERIFY_ROLEWALK_H
