// Which accesses of a parallel loop can move several points at once.
#pragma once

#include "compiler/conversion/SMToThreads/MemoryAccess.h"

#include "llvm/ADT/DenseSet.h"

namespace tlc::sm {

/// A loop whose threads run `width` neighbouring points together, statement by
/// statement; `wide` accesses become vectors. `condition` (null: true) says at
/// run time whether they are aligned.
struct VectorPlan {
  int64_t width = 1;
  llvm::DenseSet<mlir::Operation *> wide;
  mlir::Value condition;
};

/// The plan for a straight-line body under `layout`; width 1 if nothing gains.
VectorPlan planVectors(Expander &x, tile::ParallelOp op,
                       const analysis::LinearLayout &layout);

} // namespace tlc::sm
