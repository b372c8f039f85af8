// What functions of the program say about order in their CUDA text.
#pragma once

#include "dialects/tile/Tile.h"

namespace tlc {

/// A fence that a called function makes, as far as its text shows it.
enum class HelperFence {
  None,
  Thread, ///< membar, fence.acq_rel, __threadfence*: orders no proxies
  Proxy,  ///< fence.proxy.async
};

/// Reads the body of the called function in the CUDA text that the program has
/// imported. A reading for people: nothing is proved by it.
HelperFence findHelperFence(tile::CallExternOp call);

/// The calls between `first` and `last`, both in one block and included, that
/// make only a fence that orders no proxies.
llvm::SmallVector<tile::CallExternOp> findThreadFences(mlir::Operation *first,
                                                       mlir::Operation *last);

} // namespace tlc
