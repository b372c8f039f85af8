// The obligations that are checked over a whole launch, one function each.
#ifndef TLC_COMPILER_VERIFY_OBLIGATIONS_H
#define TLC_COMPILER_VERIFY_OBLIGATIONS_H

#include "compiler/verify/Protocol.h"

namespace tlc::verify {

/// V1: barriers are initialised once, before use, with the right counts.
void checkCounts(const Protocol &protocol, Reporter &reporter);
/// V4: what the walks of the roles have left for all fills to be known.
void checkHandOvers(const Protocol &protocol, Reporter &reporter);
/// V7: counters are used by one set of threads and fit their rings.
void checkCounters(const Protocol &protocol, Reporter &reporter);
/// V1, V2, V7, V8, V9, V13 by running the barrier skeleton.
void checkProgress(const Protocol &protocol, Reporter &reporter);
/// V10: ids, participants, convergence.
void checkNamedBarriers(const Protocol &protocol, Reporter &reporter);
/// V11: a tile that no mbarrier guards is used by one role.
void checkTileOwners(const Protocol &protocol, Reporter &reporter);
/// V11: a tensor that one role writes is used by no other.
void checkTensorOwners(const Protocol &protocol, Reporter &reporter);
/// V13: shared memory fits and regions that are alive together are apart.
void checkLifetimes(const Protocol &protocol, const target::TargetInfo &target,
                    Reporter &reporter);
/// V14: register reallocation.
void checkRegisters(const Protocol &protocol, const target::TargetInfo &target,
                    Reporter &reporter);

/// V15: every block arrives once at a grid barrier, between two block barriers.
void checkGridBarriers(const Protocol &protocol, Reporter &reporter);

/// V12: what products multiply fits together and lies inside of its tiles.
void checkExtents(const Protocol &protocol, Reporter &reporter);

/// Each element of `buffer` is touched by the same thread of the role in both
/// ops, which that thread runs in order.
bool isSameThread(mlir::Operation *a, mlir::Operation *b, mlir::Value buffer,
                  mlir::Operation *role);

/// The condition under which one thread of the block alone comes to `op`; null
/// if more may, or that is not known.
mlir::Operation *findLoneThread(sm::LaunchOp launch, mlir::Operation *op);

/// Whether threads of a role may see different values.
bool dependsOnThread(mlir::Value value);

/// The innermost statement around `op` that not all threads of the role take
/// alike, what one thread is chosen for left out; null if there is none.
mlir::Operation *findThreadCondition(mlir::Operation *op);

/// Whether threads with the same number in different blocks may.
bool dependsOnBlock(mlir::Value value);

} // namespace tlc::verify

#endif // TLC_COMPILER_VERIFY_OBLIGATIONS_H
