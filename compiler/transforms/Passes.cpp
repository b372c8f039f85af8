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

/// The levers that `disabled` leaves on; reports at `op` what is none.
static std::optional<LeverSet> findLevers(mlir::Operation *op,
                                          llvm::StringRef disabled) {
  std::string unknown;
  std::optional<LeverSet> levers = LeverSet::parse(disabled, unknown);
  if (!levers)
    op->emitError() << "unknown lever '" << unknown << "'";
  return levers;
}

namespace {

struct SelectInstructionsPass
    : tlc::tile::impl::TileSelectInstructionsPassBase<SelectInstructionsPass> {
  using Base::Base;

  void runOnOperation() override {
    const target::TargetInfo *target = findTarget(getOperation(), arch);
    std::optional<LeverSet> levers = findLevers(getOperation(), disable);
    if (!target || !levers ||
        failed(selectInstructions(getOperation(), *target,
                                  {.cpAsync = cpAsync,
                                   .disableTma = disableTma,
                                   .disableWgmma = disableWgmma,
                                   .levers = *levers})))
      signalPassFailure();
  }
};

struct InferLayoutsPass
    : tlc::tile::impl::TileInferLayoutsPassBase<InferLayoutsPass> {
  using Base::Base;

  void runOnOperation() override {
    const target::TargetInfo *target = findTarget(getOperation(), arch);
    std::optional<LeverSet> levers = findLevers(getOperation(), disable);
    if (!target || !levers ||
        failed(inferLayouts(getOperation(), *target, *levers)))
      signalPassFailure();
  }
};

} // namespace
} // namespace tlc::tile
