// Atomic accesses of one element.
#ifndef TLC_TILE_ATOMIC_OPS_TD
#define TLC_TILE_ATOMIC_OPS_TD

include "dialects/tile/TileBase.td"

def Tile_AtomicOp
    : Tile_Op<"atomic", [Tile_Effects, AttrSizedOperandSegments]> {
  let summary = "atomic access of a global or shared element by each thread";
  let description = [{
    add, max, min, or: element := element op value; the result, if there is one,
    is the value before. load: the result is the element. store: element :=
    value. Outside a global tensor nothing happens and the result is zero.
    Device scope for global, block scope for shared elements; the operation is
    that of the buffer's element type, whose sign counts.

    ```mlir
    %pos = tile.atomic <add> <relaxed> %Count[%c0] by %one : i32
      : memref<1xi32, #tile.space<global>> -> i32
    ```
  }];
  let arguments = (ins Tile_AtomicKindAttr:$kind, Tile_MemoryOrderAttr:$order,
    Tile_Buffer:$buffer, Variadic<I32>:$indices, Optional<Tile_Scalar>:$value,
    UnitAttr:$in_bounds);
  let results = (outs Optional<Tile_Scalar>:$result);
  let assemblyFormat = [{
    $kind $order $buffer `[` $indices `]` (`by` $value^ `:` type($value))?
    (`in_bounds` $in_bounds^)? attr-dict `:` type($buffer)
    (`->` type($result)^)?
  }];
  let hasVerifier = 1;
}

#endif // TLC_TILE_ATOMIC_OPS_TD
