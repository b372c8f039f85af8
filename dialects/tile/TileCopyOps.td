// Copies, fills and declared accesses.
#ifndef TLC_TILE_COPY_OPS_TD
#define TLC_TILE_COPY_OPS_TD

include "dialects/tile/TileBase.td"

def Tile_CopyOp : Tile_Op<"copy", [Tile_Effects, AttrSizedOperandSegments]> {
  let summary = "element-wise assignment of one region to another";
  let description = [{
    dst[dst_offsets + i] := convert(src[src_offsets + i]). The dimensions whose
    size is not 1 are paired in order and have equal sizes. Elements outside a
    global source read as zero; elements outside a global destination are not
    written. `inst` and `reason` are set by `tile-select-instructions`; `layout`,
    which thread moves which element of the non-unit dimensions, by
    `tile-infer-layouts` for copies made by threads; `ring`, the ring whose slots
    the copy fills, by `tile-plan-pipelines`. `prefer_tma` and `prefer_cp_async`
    ask for an instruction: where it cannot be used is an error.

    ```mlir
    tile.copy %A[%y, %k] [128, 64] to %As[%c0, %c0] [128, 64]
      : memref<?x?xbf16, #tile.space<global>>,
        memref<128x64xbf16, #tile.space<shared>>
    ```
  }];
  let arguments = (ins Tile_Buffer:$src, Variadic<I32>:$src_offsets,
    Tile_Buffer:$dst, Variadic<I32>:$dst_offsets,
    DenseI64ArrayAttr:$src_sizes, DenseI64ArrayAttr:$dst_sizes,
    UnitAttr:$disable_tma, UnitAttr:$prefer_tma,
    OptionalAttr<Tile_CopyInstAttr>:$inst, OptionalAttr<StrAttr>:$reason,
    OptionalAttr<StrAttr>:$ring, OptionalAttr<Tile_FragmentLayoutAttr>:$layout,
    UnitAttr:$prefer_cp_async);
  let assemblyFormat = [{
    $src `[` $src_offsets `]` $src_sizes `to` $dst `[` $dst_offsets `]`
    $dst_sizes (`disable_tma` $disable_tma^)? (`prefer_tma` $prefer_tma^)?
    (`prefer_cp_async` $prefer_cp_async^)?
    (`inst` $inst^)? (`ring` $ring^)? (`reason` $reason^)?
    (`layout` $layout^)? attr-dict `:` type($src) `,` type($dst)
  }];
  let hasVerifier = 1;
}

def Tile_FillOp : Tile_Op<"fill", [Tile_Effects]> {
  let summary = "every element of a region := value";
  let arguments = (ins Tile_Scalar:$value, Tile_Buffer:$dst,
    Variadic<I32>:$offsets, DenseI64ArrayAttr:$sizes,
    OptionalAttr<Tile_FragmentLayoutAttr>:$layout);
  let assemblyFormat = [{
    $value `to` $dst `[` $offsets `]` $sizes (`layout` $layout^)? attr-dict
    `:` type($value) `,` type($dst)
  }];
  let hasVerifier = 1;
}

def Tile_AccessPtrOp : Tile_Op<"access_ptr", [Pure]> {
  let summary = "pointer to the first element of a region, with its access";
  let description = [{
    `T.access_ptr`. The result is only an operand of `tile.call_extern`, whose
    effects on the buffer are exactly `mode`. The value is a 64-bit address.
  }];
  let arguments = (ins Tile_Buffer:$buffer, Variadic<I32>:$offsets,
    DenseI64ArrayAttr:$sizes, Tile_AccessModeAttr:$mode);
  let results = (outs I64:$result);
  let assemblyFormat = [{
    $mode $buffer `[` $offsets `]` $sizes attr-dict `:` type($buffer)
  }];
  let hasVerifier = 1;
}

def Tile_CallExternOp : Tile_Op<"call_extern", [Tile_Effects]> {
  let summary = "call of a CUDA function by name, by every thread";
  let description = [{
    Operands are scalars, `tile.access_ptr` results, and whole buffers (which
    decay to a pointer to element 0 and count as read and written).
  }];
  let arguments = (ins StrAttr:$callee, Variadic<AnyType>:$args);
  let results = (outs Optional<Tile_Scalar>:$result);
  let assemblyFormat = [{
    $callee `(` $args `)` attr-dict `:` functional-type($args, $result)
  }];
}

#endif // TLC_TILE_COPY_OPS_TD
