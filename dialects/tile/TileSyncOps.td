// Synchronisation the program wrote itself.
#ifndef TLC_TILE_SYNC_OPS_TD
#define TLC_TILE_SYNC_OPS_TD

include "dialects/tile/TileBase.td"

def Tile_SyncThreadsOp : Tile_Op<"sync_threads", []> {
  let summary = "barrier of the whole block (T.sync_threads)";
  let assemblyFormat = "attr-dict";
}

def Tile_FenceProxyAsyncOp : Tile_Op<"fence_proxy_async", []> {
  let summary = "fence.proxy.async that the program wrote";
  let description = [{
    Names no slot: it is an ordering op for every slot whose last access
    precedes it with no blocking op between (sync.md 3.5).
  }];
  let assemblyFormat = "attr-dict";
}

def Tile_SyncGridOp : Tile_Op<"sync_grid", []> {
  let summary = "barrier of all blocks of the launch (T.sync_grid)";
  let description = [{
    What any block wrote to global memory before it is read by every block
    after it. Reached by all threads of all blocks, any number of times; the
    launch is cooperative.
  }];
  let assemblyFormat = "attr-dict";
}

#endif // TLC_TILE_SYNC_OPS_TD
