// All operations of the dialect, one family a file.
#ifndef TLC_TILE_OPS_TD
#define TLC_TILE_OPS_TD

include "dialects/tile/TileDialect.td"
include "dialects/tile/TileAttrs.td"
include "dialects/tile/TileInterfaces.td"
include "dialects/tile/TileKernelOps.td"
include "dialects/tile/TileCopyOps.td"
include "dialects/tile/TileGemmOps.td"
include "dialects/tile/TileLoopOps.td"
include "dialects/tile/TileScalarOps.td"
include "dialects/tile/TileSyncOps.td"
include "dialects/tile/TileAtomicOps.td"

#endif // TLC_TILE_OPS_TD
