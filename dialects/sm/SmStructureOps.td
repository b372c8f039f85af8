// Launch, shared memory, roles.
#ifndef TLC_SM_STRUCTURE_OPS_TD
#define TLC_SM_STRUCTURE_OPS_TD

include "dialects/sm/SmBase.td"

def Sm_LaunchOp : Sm_Op<"launch", [SingleBlock, NoTerminator]> {
  let summary = "a kernel launch after planning";
  let description = [{
    `threads` is the size of the (one-dimensional) block, producers included;
    `program_threads` the block shape that the program wrote: its threads are
    the first of the block. `shared_bytes` is the dynamic shared memory, whose
    base the kernel aligns to 1024 bytes. The block arguments are the block
    indices.
  }];
  let arguments = (ins Variadic<I32>:$grid, I64Attr:$threads,
    DenseI64ArrayAttr:$program_threads, I64Attr:$shared_bytes,
    DefaultValuedAttr<I64Attr, "0">:$swizzle, UnitAttr:$swizzle_column);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `grid` `(` $grid `)` `threads` $threads `program` $program_threads
    `shared` $shared_bytes (`swizzle` $swizzle^)? (`column` $swizzle_column^)?
    attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
}

def Sm_SharedOp : Sm_Op<"shared"> {
  let summary = "a shared tile at a byte offset, `stages` slots of it";
  let description = [{
    Slot s begins at offset + s * slot_bytes. The result stands for slot 0;
    `sm.slot` selects another.

    ```mlir
    %h = sm.shared "h_shared" offset 0 stages 2 slot_bytes 8192 swizzle <b64>
      : memref<128x32xbf16, #tile.space<shared>>
    ```
  }];
  let arguments = (ins StrAttr:$name, I64Attr:$offset, I64Attr:$stages,
    I64Attr:$slot_bytes, OptionalAttr<Tile_SwizzleAttr>:$swizzle,
    OptionalAttr<Tile_TileOrderAttr>:$order);
  let results = (outs Tile_Buffer:$result);
  let assemblyFormat = [{
    $name `offset` $offset `stages` $stages `slot_bytes` $slot_bytes
    (`swizzle` $swizzle^)? (`order` $order^)? attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def Sm_SlotOp : Sm_Op<"slot", [Pure, AllTypesMatch<["buffer", "result"]>]> {
  let summary = "one slot of a staged shared tile";
  let arguments = (ins Tile_Buffer:$buffer, I32:$stage);
  let results = (outs Tile_Buffer:$result);
  let assemblyFormat = "$buffer `[` $stage `]` attr-dict `:` type($buffer)";
}

def Sm_RoleOp : Sm_Op<"role", [SingleBlock, NoTerminator]> {
  let summary = "code of one group of warps; siblings exclude each other";
  let arguments = (ins StrAttr:$name, DenseI64ArrayAttr:$warps);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$name `warps` $warps attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

def Sm_ElectOp : Sm_Op<"elect", [SingleBlock, NoTerminator]> {
  let summary = "one thread of the first warp of the role (or block)";
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "attr-dict-with-keyword $body";
}

def Sm_SetMaxNRegOp : Sm_Op<"setmaxnreg"> {
  let summary = "changes the registers of the warpgroup";
  let arguments = (ins I64Attr:$registers, UnitAttr:$increase);
  let assemblyFormat = "$registers (`increase` $increase^)? attr-dict";
  let hasVerifier = 1;
}

#endif // TLC_SM_STRUCTURE_OPS_TD
