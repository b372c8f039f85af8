// The `tile` dialect: the kernel as it was written, plus the decisions that
// passes attach to it.
#ifndef TLC_TILE_DIALECT_TD
#define TLC_TILE_DIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::tlc::tile";
  let summary = "tile kernels with sequential meaning";
  let description = [{
    A program is a `tile.kernel` (one `@T.prim_func`) whose body computes grid
    extents on the host and holds `tile.launch` ops (one `T.Kernel` block each).
    Inside a launch every statement has its sequential meaning: tile operations
    are executed once by the block, scalar code by each thread.

    Buffers are `memref`s in one of the spaces of `#tile.space`: `global`
    tensors (kernel arguments), `shared` tiles, `fragment` tiles distributed
    over the registers of the block, and `local` arrays private to a thread.
    All coordinates are `i32`; a region is a list of offsets and a list of
    constant sizes, one of each a dimension.
  }];
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

class Tile_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Tile_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

#endif // TLC_TILE_DIALECT_TD
