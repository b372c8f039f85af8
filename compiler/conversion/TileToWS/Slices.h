// What a producer has to run: the backward closure of the copies it makes.
#pragma once

#include "dialects/tile/Tile.h"

#include "llvm/ADT/SetVector.h"

namespace tlc {

/// A set of ops closed under operands, enclosing control flow and the stores
/// to thread-private variables that it loads.
struct Slice {
  llvm::SetVector<mlir::Operation *> ops;
  /// Why no other warp can run it, in the user's words; empty if it can.
  std::string refusal;
  /// Whether it depends on a variable that is written inside `loop`.
  bool writesInside(mlir::Operation *loop) const;
};

/// The slice of `targets` inside `scope`, which must enclose them. Loads from
/// `written` global buffers, from shared tiles or fragments, and thread
/// indices refuse it.
Slice computeSlice(llvm::ArrayRef<mlir::Operation *> targets,
                   mlir::Operation *scope,
                   const llvm::DenseSet<mlir::Value> &written);

/// Whether `value` may differ between the threads of a block.
bool dependsOnThread(mlir::Value value, mlir::Operation *scope);

/// Erases every op nested in `scope` that is not in `slice`.
void eraseOutside(mlir::Operation *scope, const Slice &slice);

} // namespace tlc
