// Loops with tile meaning; serial loops are scf.for over i32.
#ifndef TLC_TILE_LOOP_OPS_TD
#define TLC_TILE_LOOP_OPS_TD

include "dialects/tile/TileBase.td"

def Tile_ParallelOp : Tile_Op<"parallel", [SingleBlock, NoTerminator]> {
  let summary = "data-parallel nest: each point once, in any order";
  let description = [{
    The block arguments are the loop variables. `layout`, set by
    `tile-infer-layouts`, says which thread runs which point.
  }];
  let arguments = (ins DenseI64ArrayAttr:$extents,
    OptionalAttr<Tile_FragmentLayoutAttr>:$layout);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $extents (`layout` $layout^)? attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
}

def Tile_PipelinedOp : Tile_Op<"pipelined", [SingleBlock, NoTerminator]> {
  let summary = "serial loop with a request to overlap";
  let description = [{
    Runs its body for `lower` <= i < `upper`. `num_stages` never changes the
    meaning. `plan` and `reason` are set by `tile-plan-pipelines`.
  }];
  let arguments = (ins I32:$lower, I32:$upper, I64Attr:$num_stages,
    OptionalAttr<Tile_PlanAttr>:$plan, OptionalAttr<StrAttr>:$reason);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $lower `to` $upper `stages` $num_stages (`plan` $plan^)?
    (`reason` $reason^)? attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
}

#endif // TLC_TILE_LOOP_OPS_TD
