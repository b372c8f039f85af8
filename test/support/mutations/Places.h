// Places of an sm program by the names of its tiles and barriers. Null or empty
// where the program has none.
#pragma once

#include "dialects/sm/Sm.h"

#include <vector>

namespace tlc::test {

template <typename Op> std::vector<Op> all(tile::KernelOp kernel) {
  std::vector<Op> found;
  kernel.walk([&](Op op) { found.push_back(op); });
  return found;
}
template <typename Op> Op first(tile::KernelOp kernel) {
  std::vector<Op> found = all<Op>(kernel);
  return found.empty() ? Op() : found.front();
}

sm::MBarrierOp barrier(tile::KernelOp kernel, llvm::StringRef name);
sm::SharedOp sharedTile(tile::KernelOp kernel, llvm::StringRef name);
sm::CounterOp counter(tile::KernelOp kernel, llvm::StringRef name);

/// The ring of the first tile that a consumer waits for: "h_shared" of
/// correct_h0, else the only ring.
std::string ringName(tile::KernelOp kernel);

/// First operation of a kind on the barrier of this name.
template <typename Op> Op on(tile::KernelOp kernel, llvm::StringRef name) {
  for (Op op : all<Op>(kernel))
    if (auto decl = op.getBarrier().template getDefiningOp<sm::MBarrierOp>();
        decl && decl.getName() == name)
      return op;
  return {};
}

/// First copy from or to a slot of the shared tile.
tile::CopyOp copyFrom(tile::KernelOp kernel, llvm::StringRef name);
tile::CopyOp copyTo(tile::KernelOp kernel, llvm::StringRef name);
/// The slot that is read from or filled there.
sm::SlotOp slotOf(mlir::Value buffer);

/// The `if` around the product.
mlir::scf::IfOp productGuard(tile::KernelOp kernel);
/// The innermost loop around an operation.
mlir::scf::ForOp loopOf(mlir::Operation *op);

/// Erases; false if there is nothing.
bool erase(mlir::Operation *op);

} // namespace tlc::test
