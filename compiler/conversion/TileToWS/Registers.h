// How many registers a thread will need: an estimate before there is code.
#pragma once

#include "dialects/tile/Tile.h"

namespace tlc {

inline constexpr int64_t kWarp = 32;

/// Bits of all fragments that `scope` allocates, over all threads.
int64_t countFragmentBits(mlir::Operation *scope);

/// Registers of a thread of `threads` that hold `fragmentBits` together, with
/// addresses, loop state and temporaries (performance.md 2.2).
int64_t estimateRegisters(int64_t fragmentBits, int64_t threads);

} // namespace tlc
