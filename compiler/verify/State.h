// What the verifier knows at a point of a role: the domain of the abstract
// interpretation. A state describes every thread of the role; joins take the
// worse of both, so that a check that passes holds on all paths.
#ifndef TLC_COMPILER_VERIFY_STATE_H
#define TLC_COMPILER_VERIFY_STATE_H

#include "compiler/verify/Protocol.h"

namespace tlc::verify {

/// Which slot of a ring: the count of a counter `age` advances ago, or, with
/// age -1, whatever an i32 value says.
struct StageKey {
  mlir::Value origin;
  int64_t age = -1;

  bool operator==(const StageKey &) const = default;
};

/// Two atomics of one tile: the memory orders them.
bool areAtomic(mlir::Operation *a, mlir::Operation *b);

/// Generic accesses of a tile that other threads of the role could collide
/// with, and how far written data is on its way to the async proxy.
struct Hazard {
  mlir::Operation *write = nullptr;      ///< written since the last barrier
  mlir::Operation *read = nullptr;       ///< read since the last barrier
  mlir::Operation *asyncRead = nullptr;  ///< async read that ended since then
  mlir::Operation *asyncWrite = nullptr; ///< the same of a write to a tensor
  mlir::Operation *unfenced = nullptr;   ///< written, no proxy fence since
  mlir::Operation *unsynced = nullptr;   ///< fenced, no barrier since the fence
  bool barrierBeforeFence = false;       ///< the fence came after the barrier
  /// Other ops than the noted ones have written or read since the last barrier.
  bool manyWrites = false, manyReads = false;

  bool operator==(const Hazard &) const = default;
  void passBarrier();
  void join(const Hazard &other);
};

/// A slot between the wait that gave it to this role and the hand-over.
struct Span {
  Ring *ring = nullptr;
  bool fill = false; ///< acquired to be filled, else waited for to be used
  StageKey stage;
  mlir::Operation *opened = nullptr;
  mlir::Operation *lastUse = nullptr; ///< for messages
  /// Generic access with no proxy fence of its threads since.
  mlir::Operation *pending = nullptr;
  bool membar = false, barrier = false; ///< ... but this came since
  bool delayed = false;                 ///< ... or a wait of every thread
  bool fenced = false;                  ///< fill: proxy fence since the acquire
  bool byOne = false; ///< one thread has waited, the others do not know yet
  int64_t expected = 0, copied = 0; ///< fill: bytes; -1 differs by path
  Hazard hazard;

  bool isSame(const Span &other) const {
    return ring == other.ring && fill == other.fill && stage == other.stage;
  }
  bool operator==(const Span &) const = default;
  void join(const Span &other);
};

/// A slot of a ring or a local tile that an asynchronous op reads.
struct AsyncSource {
  mutable sm::SharedOp tile;
  Ring *ring = nullptr; ///< null: a local tile
  StageKey stage;

  bool operator==(const AsyncSource &) const = default;
};

/// A tensor store on its way to its tensor.
struct AsyncWrite {
  mlir::Operation *store;
  mlir::Value tensor;

  bool operator==(const AsyncWrite &) const = default;
};

/// Asynchronous accesses that one commit closes.
struct AsyncGroup {
  mlir::Operation *op = nullptr; ///< one of the ops, for messages
  llvm::SmallVector<AsyncSource, 2> sources;
  llvm::SmallVector<mlir::Value, 2> written; ///< accumulators
  llvm::SmallVector<mlir::Value, 2> read;    ///< operand fragments
  llvm::SmallVector<AsyncWrite, 1> tensors;  ///< what stores write

  bool isEmpty() const { return !op; }
  bool operator==(const AsyncGroup &) const = default;
  void join(const AsyncGroup &other);
};

/// Asynchronous reads in flight: committed groups, oldest first, and what is
/// issued since the last commit.
struct AsyncQueue {
  llvm::SmallVector<AsyncGroup, 2> committed;
  AsyncGroup open;

  bool operator==(const AsyncQueue &) const = default;
  void commit();
  /// Removes all but the newest `pending` groups and returns the others.
  llvm::SmallVector<AsyncGroup, 2> retire(int64_t pending);
  /// Aligns the newest groups, the worse case for every later wait.
  void join(const AsyncQueue &other);
  /// All groups in flight.
  void forEach(llvm::function_ref<void(AsyncGroup &)> visit);
};

struct State {
  llvm::DenseMap<mlir::Value, StageKey> stages; ///< of stage and phase values
  llvm::SmallVector<Span, 4> spans;
  llvm::MapVector<mlir::Value, Hazard> locals;
  /// Fragments written since the last wgmma fence.
  llvm::MapVector<mlir::Value, mlir::Operation *> unfencedRegisters;
  /// Products; stores until their tiles are read, until their tensors are
  /// written.
  AsyncQueue products, stores, writes;
  /// Tensors that threads have accessed.
  llvm::MapVector<mlir::Value, mlir::Operation *> touched;

  bool operator==(const State &other) const;
  Span *findSpan(Ring *ring, bool fill, const StageKey &stage);
  void forEachHazard(llvm::function_ref<void(Hazard &)> visit);
  /// Joins all but the spans, which need the same set on both sides: spans that
  /// only one side has are removed and returned.
  llvm::SmallVector<Span, 2> join(const State &other);
};

} // namespace tlc::verify

#endif // TLC_COMPILER_VERIFY_STATE_H
