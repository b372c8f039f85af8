// Decisions told to people. Passes say what they chose and why; nothing is
// printed or kept unless somebody asked for it with `listenToDecisions` or one
// of MLIR's remark options.
#ifndef TLC_COMPILER_SUPPORT_REMARKS_H
#define TLC_COMPILER_SUPPORT_REMARKS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/Twine.h"

namespace tlc {

/// Reports a decision about `op`. `category` is one word that filters: "copy",
/// "gemm", "layout", "pipeline", "role", "fence", "shared".
void emitDecision(mlir::Operation *op, llvm::StringRef category,
                  const llvm::Twine &text);

/// The same for something that was wanted and could not be had.
void emitMissedDecision(mlir::Operation *op, llvm::StringRef category,
                        const llvm::Twine &text);

/// From now on decisions in `context` become remarks for its diagnostic
/// handlers.
llvm::LogicalResult listenToDecisions(mlir::MLIRContext &context);

} // namespace tlc

#endif // TLC_COMPILER_SUPPORT_REMARKS_H
