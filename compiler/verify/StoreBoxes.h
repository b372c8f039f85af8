// Which elements of a tensor an operation touches, told from its coordinates.
#ifndef TLC_COMPILER_VERIFY_STOREBOXES_H
#define TLC_COMPILER_VERIFY_STOREBOXES_H

#include "mlir/IR/Operation.h"

namespace tlc::verify {

enum class Overlap { Never, Always, Unknown };

/// Whether the boxes of `tensor` that `a` and `b` touch overlap, in any turns
/// of the loops of `role`. For `a == b`: those of two turns.
Overlap overlapOf(mlir::Operation *a, mlir::Operation *b, mlir::Value tensor,
                  mlir::Operation *role);

} // namespace tlc::verify

#endif // TLC_COMPILER_VERIFY_STOREBOXES_H
