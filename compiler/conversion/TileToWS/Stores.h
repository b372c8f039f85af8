// Whether one thread may store a tile for all.
#pragma once

#include "dialects/tile/Tile.h"

namespace tlc {

/// Why `copy`, from shared to global memory, is made by the threads although
/// TMA could store the tile; empty if it is not. `launch` is around it, and
/// `replaced`, if there is one, goes when it comes.
std::string whyNoTensorStore(tile::CopyOp copy, tile::LaunchOp launch,
                             mlir::Operation *replaced = nullptr);

} // namespace tlc
