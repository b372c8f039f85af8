// Workspaces (T.alloc_global): tensors in global memory that the host allocates
// for one call of a kernel and that all of its launches share. To the levels
// below they are parameters like any other: the last ones of the `tile.kernel`,
// counted by its attribute `tile.workspaces`.
#pragma once

#include "dialects/tile/Tile.h"

namespace tlc::tile {

inline constexpr llvm::StringRef kWorkspacesAttr = "tile.workspaces";

/// How many of the parameters are workspaces.
inline unsigned getNumWorkspaces(KernelOp kernel) {
  auto count = kernel->getAttrOfType<mlir::IntegerAttr>(kWorkspacesAttr);
  return count ? static_cast<unsigned>(count.getInt()) : 0;
}

/// How many parameters a caller passes: the first ones.
inline unsigned getNumPassed(KernelOp kernel) {
  return kernel.getNumParams() - getNumWorkspaces(kernel);
}

} // namespace tlc::tile
