// The paths of a role: what chooses them, and a state that statements change
// along them.
#pragma once

#include "dialects/tile/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tlc {

/// What decides whether, and how often, the body of `op` runs; nothing for
/// what is neither branch nor loop.
llvm::SmallVector<mlir::Value> getConditions(mlir::Operation *op);

/// The block of the other path, made if there is none.
mlir::Block *getOrCreateElse(mlir::scf::IfOp branch);

/// Branches and loops for a `Derived` that has
///   void runBlock(mlir::Block &, State &, bool insert);
///   static void join(State &into, const State &other);
///   static bool isSame(const State &, const State &);
/// where `insert` allows it to change the program.
template <typename Derived, typename State> class PathRunner {
protected:
  void runBranch(mlir::scf::IfOp branch, State &state, bool insert) {
    State other = state;
    self().runBlock(*branch.thenBlock(), state, insert);
    if (mlir::Block *otherwise = branch.elseBlock())
      self().runBlock(*otherwise, other, insert);
    Derived::join(state, other);
  }

  /// The state at the head is a fixpoint of entry and back edge; only then is
  /// anything inserted.
  void runLoop(mlir::Operation *loop, State &state, bool insert) {
    State head = state;
    while (true) {
      State back = head;
      runRegions(loop, back, /*insert=*/false);
      State next = head;
      Derived::join(next, back);
      if (Derived::isSame(head, next))
        break;
      head = next;
    }
    State back = head;
    runRegions(loop, back, insert);
    Derived::join(state, back);
  }

private:
  Derived &self() { return static_cast<Derived &>(*this); }

  void runRegions(mlir::Operation *loop, State &state, bool insert) {
    for (mlir::Region &region : loop->getRegions())
      self().runBlock(region.front(), state, insert);
  }
};

} // namespace tlc
