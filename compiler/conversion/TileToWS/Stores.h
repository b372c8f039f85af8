// Whether one thread may store a tile for all, and who hears of it.
#pragma once

#include "dialects/tile/Tile.h"

namespace tlc {

/// Why `copy`, from shared to global memory, is made by the threads although
/// TMA could store the tile; empty if it is not. `launch` is around it, and
/// `replaced`, if there is one, goes when it comes.
std::string whyNoTensorStore(tile::CopyOp copy, tile::LaunchOp launch,
                             mlir::Operation *replaced = nullptr);

/// A statement in `scope` by which other blocks may learn that something was
/// stored: a barrier of the grid, an atomic, a function that writes global
/// memory. Null if there is none.
mlir::Operation *findSignal(mlir::Operation *scope);

} // namespace tlc
