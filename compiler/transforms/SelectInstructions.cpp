// Chooses instructions: walks the launches of a kernel and asks SelectCopies
// and SelectGemms. What is chosen already is left alone.
#include "compiler/transforms/Selection.h"

#include "compiler/support/Remarks.h"
#include "compiler/transforms/Products.h"

using namespace mlir;

namespace tlc::tile {

/// Tells what was chosen for `op`, in the words of its attributes.
template <typename OpTy> static void remarkOn(OpTy op, StringRef category) {
  emitDecision(op, category,
               stringifyEnum(*op.getInst()) + ": " +
                   op.getReason().value_or("chosen by the program"));
}

LogicalResult selectInstructions(KernelOp kernel,
                                 const target::TargetInfo &target,
                                 const SelectOptions &options) {
  bool ok = true;
  kernel.walk([&](LaunchOp launch) {
    SmallVector<GemmOp> products;
    launch.walk([&](GemmOp gemm) {
      if (!gemm.getInst())
        products.push_back(gemm);
    });
    for (GemmOp gemm : products)
      shapeProduct(gemm, launch.getNumThreads(), target, options);
    launch.walk([&](Operation *op) {
      if (auto copy = dyn_cast<CopyOp>(op); copy && !copy.getInst()) {
        if (failed(selectCopy(copy, target, options)))
          ok = false;
        else
          remarkOn(copy, "copy");
      }
      if (auto gemm = dyn_cast<GemmOp>(op); gemm && !gemm.getInst()) {
        if (failed(selectGemm(gemm, launch.getNumThreads(), target, options)))
          ok = false;
        else
          remarkOn(gemm, "gemm");
      }
    });
  });
  return success(ok);
}

} // namespace tlc::tile
