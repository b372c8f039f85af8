// Enumerations of the tile dialect.
#ifndef TLC_TILE_ENUMS_TD
#define TLC_TILE_ENUMS_TD

include "mlir/IR/EnumAttr.td"

class Tile_Enum<string name, string enumSummary, list<I32EnumCase> cases>
    : I32Enum<name, enumSummary, cases> {
  let cppNamespace = "::tlc::tile";
}

def Tile_SpaceEnum : Tile_Enum<"Space", "where a buffer lives", [
  I32EnumCase<"Global", 0, "global">,
  I32EnumCase<"Shared", 1, "shared">,
  I32EnumCase<"Fragment", 2, "fragment">,
  I32EnumCase<"Local", 3, "local">]>;

def Tile_CopyInstEnum : Tile_Enum<"CopyInst", "instruction of a copy", [
  I32EnumCase<"Vector", 0, "vector">,
  I32EnumCase<"TmaLoad", 1, "tma_load">,
  I32EnumCase<"BulkLoad", 2, "bulk_load">,
  I32EnumCase<"TmaStore", 3, "tma_store">,
  I32EnumCase<"CpAsync", 4, "cp_async">]>;

def Tile_GemmInstEnum : Tile_Enum<"GemmInst", "instruction of a product", [
  I32EnumCase<"WgmmaSS", 0, "wgmma_ss">,
  I32EnumCase<"WgmmaRS", 1, "wgmma_rs">,
  I32EnumCase<"MmaSync", 2, "mma_sync">]>;

def Tile_WarpPolicyEnum : Tile_Enum<"WarpPolicy", "how warps split a product", [
  I32EnumCase<"Square", 0, "square">,
  I32EnumCase<"FullRow", 1, "full_row">,
  I32EnumCase<"FullCol", 2, "full_col">]>;

def Tile_SwizzleEnum : Tile_Enum<"Swizzle", "swizzle of a shared tile", [
  I32EnumCase<"None", 0, "none">,
  I32EnumCase<"B32", 1, "b32">,
  I32EnumCase<"B64", 2, "b64">,
  I32EnumCase<"B128", 3, "b128">]>;

def Tile_OrderEnum : Tile_Enum<"Order", "order of a dimension in memory", [
  I32EnumCase<"Natural", 0, "natural">,
  I32EnumCase<"Quads", 1, "quads">,
  I32EnumCase<"Pairs", 2, "pairs">]>;

def Tile_AccessModeEnum : Tile_Enum<"AccessMode", "declared access", [
  I32EnumCase<"Read", 1, "r">,
  I32EnumCase<"Write", 2, "w">,
  I32EnumCase<"ReadWrite", 3, "rw">]>;

def Tile_PlanEnum : Tile_Enum<"Plan", "how a pipelined loop runs", [
  I32EnumCase<"Sequential", 0, "sequential">,
  I32EnumCase<"Pipelined", 1, "pipelined">,
  I32EnumCase<"WarpSpecialized", 2, "warp_specialized">]>;

def Tile_DimEnum : Tile_Enum<"Dim", "coordinate", [
  I32EnumCase<"X", 0, "x">, I32EnumCase<"Y", 1, "y">,
  I32EnumCase<"Z", 2, "z">]>;

def Tile_AtomicKindEnum : Tile_Enum<"AtomicKind", "what an atomic does", [
  I32EnumCase<"Add", 0, "add">,
  I32EnumCase<"Max", 1, "max">,
  I32EnumCase<"Min", 2, "min">,
  I32EnumCase<"Or", 3, "or">,
  I32EnumCase<"Load", 4, "load">,
  I32EnumCase<"Store", 5, "store">]>;

def Tile_MemoryOrderEnum
    : Tile_Enum<"MemoryOrder", "order of an atomic at device scope", [
  I32EnumCase<"Relaxed", 0, "relaxed">,
  I32EnumCase<"Acquire", 1, "acquire">,
  I32EnumCase<"Release", 2, "release">,
  I32EnumCase<"AcqRel", 3, "acq_rel">,
  I32EnumCase<"SeqCst", 4, "seq_cst">]>;

#endif // TLC_TILE_ENUMS_TD
