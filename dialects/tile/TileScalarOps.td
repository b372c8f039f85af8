// Element access and thread coordinates.
#ifndef TLC_TILE_SCALAR_OPS_TD
#define TLC_TILE_SCALAR_OPS_TD

include "dialects/tile/TileBase.td"

def Tile_LoadOp : Tile_Op<"load", [Tile_Effects]> {
  let summary = "one element; outside a global tensor it is zero";
  let description = [{
    The result is the signless form of the element type. `in_bounds`: the
    indices are known to be inside, no guard is needed.
  }];
  let arguments = (ins Tile_Buffer:$buffer, Variadic<I32>:$indices,
    UnitAttr:$in_bounds);
  let results = (outs Tile_Scalar:$result);
  let assemblyFormat = [{
    $buffer `[` $indices `]` (`in_bounds` $in_bounds^)? attr-dict
    `:` type($buffer) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_StoreOp : Tile_Op<"store", [Tile_Effects]> {
  let summary = "writes one element; outside a global tensor it does nothing";
  let arguments = (ins Tile_Scalar:$value, Tile_Buffer:$buffer,
    Variadic<I32>:$indices, UnitAttr:$in_bounds);
  let assemblyFormat = [{
    $value `to` $buffer `[` $indices `]` (`in_bounds` $in_bounds^)? attr-dict
    `:` type($value) `,` type($buffer)
  }];
  let hasVerifier = 1;
}

def Tile_DimAttr : EnumAttr<Tile_Dialect, Tile_DimEnum, "dim"> {
  let assemblyFormat = "`<` $value `>`";
}

def Tile_ThreadIdOp : Tile_Op<"thread_id", [Pure]> {
  let summary = "threadIdx as the program sees it (T.get_thread_binding)";
  let arguments = (ins Tile_DimAttr:$dim);
  let results = (outs I32:$result);
  let assemblyFormat = "$dim attr-dict";
}

#endif // TLC_TILE_SCALAR_OPS_TD
