// Loads under the flag that guards their use.
#pragma once

#include "dialects/tile/Tile.h"

namespace tlc {

/// Moves tensor copies of the loop into the branch that alone uses their tiles
/// (and into the first num_stages turns); `written`: globals that the kernel
/// writes. `delay`: not where the release of another slot is to be delayed past
/// the wait for the tile (`--war-fence delay`), which every turn must have
/// then.
void sinkLoads(tile::PipelinedOp loop, tile::LaunchOp launch,
               const llvm::DenseSet<mlir::Value> &written, bool delay);

/// In code of one issuing thread: `if a or flag {x}` asks for the flag only
/// where `a` is false.
void askLate(mlir::Operation *scope);

} // namespace tlc
