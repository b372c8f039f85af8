// Which boxes of a tensor two copies write, as far as their offsets tell.
#pragma once

#include "dialects/tile/Tile.h"

namespace tlc {

/// Whether what `now` writes has no element in common with what `earlier` wrote
/// of the same tensor, in whatever turns of the loops around them inside
/// `role`. With `earlier == now` it is that of another turn. False if unknown.
bool areDisjoint(tile::CopyOp earlier, tile::CopyOp now, mlir::Operation *role);

} // namespace tlc
