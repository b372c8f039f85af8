// Words for single things of a `ws` program.
#pragma once

#include "compiler/explain/Explanation.h"
#include "compiler/explain/Sources.h"
#include "dialects/ws/WS.h"

namespace tlc::explain {

/// An extent of the grid as an expression over the sizes: "(N + 127) >> 7";
/// "computed" where it is none.
std::string describeExtent(mlir::Value value);

Tile describe(tile::AllocOp alloc, const Sources &sources);

/// The instruction by which `op` has `effect`, as far as it was chosen.
std::string describeInstruction(mlir::Operation *op,
                                const tile::Effect &effect);
/// The instructions of the whole statement; empty if there is no saying.
std::string describeInstruction(mlir::Operation *op);
/// Why that instruction was chosen, in the words of the pass; or empty.
std::string describeChoice(mlir::Operation *op);

} // namespace tlc::explain
