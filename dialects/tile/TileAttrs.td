// Attributes: memory spaces, chosen instructions, layouts.
#ifndef TLC_TILE_ATTRS_TD
#define TLC_TILE_ATTRS_TD

include "dialects/tile/TileDialect.td"
include "dialects/tile/TileEnums.td"

def Tile_SpaceAttr : EnumAttr<Tile_Dialect, Tile_SpaceEnum, "space"> {
  let assemblyFormat = "`<` $value `>`";
}

def Tile_CopyInstAttr : EnumAttr<Tile_Dialect, Tile_CopyInstEnum, "copy_inst"> {
  let assemblyFormat = "`<` $value `>`";
}

def Tile_GemmInstAttr : EnumAttr<Tile_Dialect, Tile_GemmInstEnum, "gemm_inst"> {
  let assemblyFormat = "`<` $value `>`";
}

def Tile_WarpPolicyAttr
    : EnumAttr<Tile_Dialect, Tile_WarpPolicyEnum, "warp_policy"> {
  let assemblyFormat = "`<` $value `>`";
}

def Tile_SwizzleAttr : EnumAttr<Tile_Dialect, Tile_SwizzleEnum, "swizzle"> {
  let assemblyFormat = "`<` $value `>`";
}

def Tile_AccessModeAttr
    : EnumAttr<Tile_Dialect, Tile_AccessModeEnum, "access_mode"> {
  let assemblyFormat = "`<` $value `>`";
}

def Tile_PlanAttr : EnumAttr<Tile_Dialect, Tile_PlanEnum, "plan"> {
  let assemblyFormat = "`<` $value `>`";
}

def Tile_AtomicKindAttr
    : EnumAttr<Tile_Dialect, Tile_AtomicKindEnum, "atomic_kind"> {
  let assemblyFormat = "`<` $value `>`";
}

def Tile_MemoryOrderAttr
    : EnumAttr<Tile_Dialect, Tile_MemoryOrderEnum, "memory_order"> {
  let assemblyFormat = "`<` $value `>`";
}

def Tile_FragmentLayoutAttr : Tile_Attr<"FragmentLayout", "fragment_layout"> {
  let summary = "which thread holds which element in which register";
  let description = [{
    The textual form of `analysis::LinearLayout`: register and thread index to
    tile coordinates. Parsed by `analysis::LinearLayout::parse`.
  }];
  let parameters = (ins StringRefParameter<"layout text">:$text);
  let assemblyFormat = "`<` $text `>`";
}

def Tile_TileOrderAttr : Tile_Attr<"TileOrder", "tile_order"> {
  let summary = "the order of the elements of a shared tile";
  let description = [{
    `transposed`: columns run along memory rows. `rows`, `columns`: the order
    of a dimension, see `analysis::Order`. Only the threads of the program and
    the products that ask for it may access such a tile, not tensor copies.

    ```mlir
    #tile.tile_order<transposed = true, rows = pairs, columns = quads>
    ```
  }];
  let parameters = (ins
    DefaultValuedParameter<"bool", "false">:$transposed,
    DefaultValuedParameter<"::tlc::tile::Order",
      "::tlc::tile::Order::Natural">:$rows,
    DefaultValuedParameter<"::tlc::tile::Order",
      "::tlc::tile::Order::Natural">:$columns);
  let assemblyFormat = "`<` struct(params) `>`";
}

#endif // TLC_TILE_ATTRS_TD
