// The passes: they look up the target and call the free functions.
#include "compiler/transforms/Passes.h"

namespace tlc::tile {

#define GEN_PASS_DEF_TILESELECTINSTRUCTIONSPASS
#define GEN_PASS_DEF_TILEINFERLAYOUTSPASS
#include "compiler/transforms/Passes.h.inc"

/// The target called `name`; reports at `op` if there is none.
static const target::TargetInfo *findTarget(mlir::Operation *op,
                                            llvm::StringRef name) {
  const target::TargetInfo *target = target::lookupTarget(name);
  if (!target)
    op->emitError() << "unknown target '" << name << "'";
  return target;
}

namespace {

struct SelectInstructionsPass
    : tlc::tile::impl::TileSelectInstructionsPassBase<SelectInstructionsPass> {
  using Base::Base;

  void runOnOperation() override {
    const target::TargetInfo *target = findTarget(getOperation(), arch);
    if (!target || failed(selectInstructions(getOperation(), *target,
                                             {.disableTma = disableTma,
                                              .disableWgmma = disableWgmma})))
      signalPassFailure();
  }
};

struct InferLayoutsPass
    : tlc::tile::impl::TileInferLayoutsPassBase<InferLayoutsPass> {
  using Base::Base;

  void runOnOperation() override {
    const target::TargetInfo *target = findTarget(getOperation(), arch);
    if (!target || failed(inferLayouts(getOperation(), *target)))
      signalPassFailure();
  }
};

} // namespace
} // namespace tlc::tile
