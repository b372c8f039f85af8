// Chooses instructions: walks the launches of a kernel and asks SelectCopies
// and SelectGemms. What is chosen already is left alone.
#include "compiler/transforms/Selection.h"

#include "compiler/support/Remarks.h"
#include "compiler/transforms/Products.h"
#include "compiler/transforms/UserText.h"

using namespace mlir;

namespace tlc::tile {

/// Tells what was chosen for `op`, in the words of its attributes.
template <typename OpTy> static void remarkOn(OpTy op, StringRef category) {
  emitDecision(op, category,
               stringifyEnum(*op.getInst()) + ": " +
                   op.getReason().value_or("chosen by the program"));
}

/// tf32 is a format of operands: in memory it is float32.
static LogicalResult checkType(Location loc, Value buffer) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  if (!type || !isa<FloatTF32Type>(type.getElementType()))
    return success();
  return emitError(loc) << "'" << getBufferName(buffer)
                        << "' of tfloat32 is not supported yet; products of "
                           "float32 tiles are computed with tfloat32";
}

static LogicalResult checkSize(AllocOp alloc,
                               const target::TargetInfo &target) {
  MemRefType type = alloc.getResult().getType();
  int64_t registers =
      type.getNumElements() * storageBits(type.getElementType()) / 32;
  if (!isInSpace(type, Space::Fragment) ||
      registers <= target.registersPerBlock)
    return success();
  return alloc.emitError() << "the fragment '" << alloc.getName() << "' takes "
                           << registers << " registers, a block has "
                           << target.registersPerBlock << "; use smaller tiles";
}

/// What no instruction can help with.
static LogicalResult checkBuffers(KernelOp kernel,
                                  const target::TargetInfo &target) {
  bool ok = true;
  for (BlockArgument param : kernel.getBody().getArguments())
    ok &= succeeded(checkType(param.getLoc(), param));
  kernel.walk([&](AllocOp alloc) {
    ok &= succeeded(checkType(alloc.getLoc(), alloc.getResult())) &&
          succeeded(checkSize(alloc, target));
  });
  return success(ok);
}

LogicalResult selectInstructions(KernelOp kernel,
                                 const target::TargetInfo &target,
                                 const SelectOptions &options) {
  if (failed(checkBuffers(kernel, target)))
    return failure();
  bool ok = true;
  kernel.walk([&](LaunchOp launch) {
    shapeProducts(launch, target, options);
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
