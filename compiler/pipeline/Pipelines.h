// The passes of the compiler in their order, one function for each step from
// level to level. All passes run on `tile.kernel`.
#pragma once

#include "compiler/pipeline/Options.h"

#include "mlir/Pass/PassManager.h"

namespace tlc {

/// tile -> tile: folds and removes, decides nothing.
void buildTileCleanup(mlir::OpPassManager &pm);
/// tile -> tile with decisions: instructions, layouts, pipelines.
void buildTileDecisions(mlir::OpPassManager &pm, const CompileOptions &options);
/// tile with decisions -> ws with its order derived.
void buildTileToWS(mlir::OpPassManager &pm, const CompileOptions &options);
/// ws -> sm.
void buildWSToSM(mlir::OpPassManager &pm, const CompileOptions &options);
/// The independent check of a finished sm program; changes nothing.
void buildVerifySM(mlir::OpPassManager &pm, const CompileOptions &options);
/// sm -> the program of one thread.
void buildSMToThreads(mlir::OpPassManager &pm, const CompileOptions &options);
/// The check that expansion kept the order; straight after buildSMToThreads.
void buildVerifyThreads(mlir::OpPassManager &pm);
/// Simplifies the program of one thread.
void buildThreadCleanup(mlir::OpPassManager &pm);

/// Writes the program after each pass to `folder` as NN-<pass>.mlir, numbered
/// from `next` on, which counts along and must outlive the run. The folder
/// must exist.
void traceTo(mlir::PassManager &pm, llvm::StringRef folder, unsigned &next);

} // namespace tlc
