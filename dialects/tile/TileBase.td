// Base classes and constraints shared by the op families.
#ifndef TLC_TILE_BASE_TD
#define TLC_TILE_BASE_TD

include "dialects/tile/TileAttrs.td"
include "dialects/tile/TileInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

class Tile_Op<string mnemonic, list<Trait> traits = []>
    : Op<Tile_Dialect, mnemonic, traits>;

def Tile_Effects : DeclareOpInterfaceMethods<Tile_EffectsOpInterface>;

class Tile_InSpace<string space> : CPred<
  "::tlc::tile::isInSpace($_self, ::tlc::tile::Space::" # space # ")">;
def Tile_Buffer : Type<
  And<[CPred<"::llvm::isa<::mlir::MemRefType>($_self)">,
       CPred<"::tlc::tile::hasSpace($_self)">]>,
  "buffer in a tile space", "::mlir::MemRefType">;
def Tile_Fragment : Type<
  And<[CPred<"::llvm::isa<::mlir::MemRefType>($_self)">,
       Tile_InSpace<"Fragment">]>,
  "fragment buffer", "::mlir::MemRefType">;
// A value an element can have: signless integer or float.
def Tile_Scalar : AnyTypeOf<[AnySignlessInteger, AnyFloat]>;

#endif // TLC_TILE_BASE_TD
