// Ordering actions of a launch, in program order, before and after expansion.
#pragma once

#include "dialects/sm/Sm.h"

namespace tlc::sm {

using OrderingSequence = llvm::SmallVector<llvm::StringRef>;

/// The actions in the order of the text; runs of copies or products count once.
OrderingSequence orderingSequence(LaunchOp launch);
/// Compares with what it was; a difference is an internal error.
mlir::LogicalResult checkOrder(LaunchOp launch, const OrderingSequence &before);

} // namespace tlc::sm
