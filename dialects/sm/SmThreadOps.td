// The thread program: what one thread of the block executes.
#ifndef TLC_SM_THREAD_OPS_TD
#define TLC_SM_THREAD_OPS_TD

include "dialects/sm/SmBase.td"

def Sm_TensorMapType : Sm_Type<"TensorMap", "tensor_map"> {
  let summary = "a kernel parameter that describes a tensor to the copy unit";
}

// Scalars and short vectors: what one access moves (1 to 16 bytes).
def Sm_Element : AnyTypeOf<[AnySignlessInteger, AnyFloat, AnyVectorOfNonZeroRank],
                           "scalar or vector of 2, 4, 8 or 16 elements">;
def Sm_Array : Type<
  And<[CPred<"::llvm::isa<::mlir::MemRefType>($_self)">,
       Tile_InSpace<"Local">]>,
  "array of a thread", "::mlir::MemRefType">;

//===----------------------------------------------------------------------===//
// Who and where
//===----------------------------------------------------------------------===//

def Sm_ThreadOp : Sm_Op<"thread", [Pure]> {
  let summary = "index of the thread among `count` from thread `first` on";
  let arguments = (ins I64Attr:$first, I64Attr:$count);
  let results = (outs I32:$result);
  let assemblyFormat = "$first `count` $count attr-dict";
}

def Sm_WarpOp : Sm_Op<"warp", [Pure]> {
  let summary = "the same of warps; in a uniform register";
  let arguments = (ins I64Attr:$first, I64Attr:$count);
  let results = (outs I32:$result);
  let assemblyFormat = "$first `count` $count attr-dict";
}

def Sm_SharedBaseOp : Sm_Op<"shared_base", [Pure]> {
  let summary = "shared address of dynamic shared memory, 1024-byte aligned";
  let description = [{
    `broadcast`: one lane's value for the whole warp, which keeps the address
    and the descriptors made of it in uniform registers where the position in a
    ring depends on data.
  }];
  let arguments = (ins UnitAttr:$broadcast);
  let results = (outs I32:$result);
  let assemblyFormat = "(`broadcast` $broadcast^)? attr-dict";
}

def Sm_PointerOp : Sm_Op<"pointer", [Pure, AttrSizedOperandSegments]> {
  let summary = "generic address of an element, for functions of the program";
  let description = [{
    Of a global tensor (`buffer`, element `index`), of a shared tile
    (`address`) or of an array of the thread (`buffer`).
  }];
  let arguments = (ins Optional<Tile_Buffer>:$buffer, Optional<I64>:$index,
    Optional<I32>:$address, TypeAttr:$element);
  let results = (outs I64:$result);
  let assemblyFormat = [{
    ($buffer^)? (`[` $index^ `]`)? (`shared` $address^)? `element` $element
    attr-dict (`:` type($buffer)^)?
  }];
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

def Sm_LdSharedOp : Sm_Op<"ld_shared"> {
  let summary = "reads 1 to 16 bytes of shared memory";
  let arguments = (ins I32:$address);
  let results = (outs Sm_Element:$result);
  let assemblyFormat = "$address attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Sm_StSharedOp : Sm_Op<"st_shared"> {
  let summary = "writes 1 to 16 bytes of shared memory";
  let arguments = (ins Sm_Element:$value, I32:$address);
  let assemblyFormat = "$value `to` $address attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Sm_LdGlobalOp : Sm_Op<"ld_global"> {
  let summary = "reads elements of a tensor; zero where `predicate` is false";
  let arguments = (ins Tile_Buffer:$buffer, I64:$index,
    Optional<I1>:$predicate);
  let results = (outs Sm_Element:$result);
  let assemblyFormat = [{
    $buffer `[` $index `]` (`if` $predicate^)? attr-dict
    `:` type($buffer) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Sm_StGlobalOp : Sm_Op<"st_global"> {
  let summary = "writes elements of a tensor unless `predicate` is false";
  let arguments = (ins Sm_Element:$value, Tile_Buffer:$buffer, I64:$index,
    Optional<I1>:$predicate);
  let assemblyFormat = [{
    $value `to` $buffer `[` $index `]` (`if` $predicate^)? attr-dict
    `:` type($value) `,` type($buffer)
  }];
  let hasVerifier = 1;
}

def Sm_AtomicOp : Sm_Op<"atomic", [AttrSizedOperandSegments]> {
  let summary = "one atomic instruction on a global or shared element";
  let description = [{
    Of element `index` of a global tensor, or at a shared `address`. Meaning as
    `tile.atomic`; `element` has the sign.
  }];
  let arguments = (ins Tile_AtomicKindAttr:$kind, Tile_MemoryOrderAttr:$order,
    Optional<Tile_Buffer>:$buffer, Optional<I64>:$index,
    Optional<I32>:$address, Optional<Tile_Scalar>:$value, TypeAttr:$element);
  let results = (outs Optional<Tile_Scalar>:$result);
  let assemblyFormat = [{
    $kind $order ($buffer^ `:` type($buffer))? (`[` $index^ `]`)?
    (`shared` $address^)? (`by` $value^ `:` type($value))? `element` $element
    attr-dict (`->` type($result)^)?
  }];
}

def Sm_CpAsyncOp : Sm_Op<"cp_async"> {
  let summary = "cp.async of 16 bytes; zeros where `predicate` is false";
  let arguments = (ins Tile_Buffer:$buffer, I64:$index, I32:$address,
    Optional<I1>:$predicate);
  let assemblyFormat = [{
    $buffer `[` $index `]` `to` $address (`if` $predicate^)? attr-dict
    `:` type($buffer)
  }];
}

def Sm_GlobalAlignedOp : Sm_Op<"global_aligned", [Pure]> {
  let summary = "the address of a tensor is a multiple of `bytes`";
  let arguments = (ins Tile_Buffer:$buffer, I64Attr:$bytes);
  let results = (outs I1:$result);
  let assemblyFormat = "$buffer `bytes` $bytes attr-dict `:` type($buffer)";
}

def Sm_PackOp : Sm_Op<"pack", [Pure]> {
  let summary = "vector of scalars, converted to its element type";
  let description = "Converts f32 to 16-bit floats (nearest even), else equal types.";
  let arguments = (ins Variadic<Tile_Scalar>:$values);
  let results = (outs AnyVectorOfNonZeroRank:$result);
  let assemblyFormat = "$values attr-dict `:` type($values) `->` type($result)";
  let hasVerifier = 1;
}

def Sm_UnpackOp : Sm_Op<"unpack", [Pure]> {
  let summary = "elements of a vector, converted to the result type";
  let description = "Converts 16-bit floats to f32, else equal types.";
  let arguments = (ins AnyVectorOfNonZeroRank:$vector);
  let results = (outs Variadic<Tile_Scalar>:$results);
  let assemblyFormat = "$vector attr-dict `:` type($vector) `->` type($results)";
  let hasVerifier = 1;
}

def Sm_QuadTransposeOp
    : Sm_Op<"quad_transpose", [AllTypesMatch<["vector", "result"]>]> {
  let summary = "word k of lane q becomes word q of lane k in each four lanes";
  let description = [{
    Vectors of 16 bytes. An accumulator's quad holds columns in pairs; after it
    each lane holds eight neighbours. All lanes of the warp take part.
  }];
  let arguments = (ins AnyVectorOfNonZeroRank:$vector);
  let results = (outs AnyVectorOfNonZeroRank:$result);
  let assemblyFormat = "$vector attr-dict `:` type($vector)";
  let hasVerifier = 1;
}

def Sm_BitPackOp : Sm_Op<"bit_pack", [Pure]> {
  let summary = "a 32-bit register of narrow elements, the first lowest";
  let arguments = (ins Variadic<Tile_Scalar>:$values);
  let results = (outs I32:$result);
  let assemblyFormat = "$values attr-dict `:` type($values)";
}

//===----------------------------------------------------------------------===//
// Matrix units
//===----------------------------------------------------------------------===//

def Sm_LdMatrixOp : Sm_Op<"ldmatrix"> {
  let summary = "1, 2 or 4 matrices of 8 x 8 16-bit elements";
  let description = "PTX ISA, ldmatrix: each lane gives the address of a row.";
  let arguments = (ins I32:$address, UnitAttr:$transpose);
  let results = (outs Variadic<I32>:$registers);
  let assemblyFormat = [{
    $address (`transpose` $transpose^)? attr-dict `:` type($registers)
  }];
  let hasVerifier = 1;
}

def Sm_MmaSyncOp : Sm_Op<"mma_sync", [AttrSizedOperandSegments]> {
  let summary = "mma.sync m16n8kK into four registers from `index` on";
  let description = "`type` is the PTX name of the operands: bf16, f16, tf32.";
  let arguments = (ins Sm_Array:$acc, I32:$index, Variadic<I32>:$a,
    Variadic<I32>:$b, StrAttr:$type, I64Attr:$k);
  let assemblyFormat = [{
    $type `k` $k $acc `[` $index `]` `,` `(` $a `)` `,` `(` $b `)` attr-dict
    `:` type($acc)
  }];
}

def Sm_WgmmaDescOp : Sm_Op<"wgmma_desc", [Pure]> {
  let summary = "matrix descriptor of the tile at a shared address";
  let description = [{
    PTX ISA, "Matrix descriptor": `bits` is everything but the address. Adding
    n to a descriptor moves it by 16 n bytes.
  }];
  let arguments = (ins I32:$address, I64Attr:$bits);
  let results = (outs I64:$result);
  let assemblyFormat = "$address `bits` $bits attr-dict";
}

def Sm_WgmmaInstOp : Sm_Op<"wgmma_inst", [AttrSizedOperandSegments]> {
  let summary = "one wgmma m64nNkK on the registers from `base` on";
  let description = [{
    A by descriptor or in four registers. `scale_d` false: D is overwritten.
    `trans_a`, `trans_b`: the operand is MN-major.
  }];
  let arguments = (ins Sm_Array:$acc, I64Attr:$base, Optional<I64>:$a_desc,
    Variadic<I32>:$a_regs, I64:$b_desc, Optional<I1>:$scale_d, I64Attr:$n,
    I64Attr:$k, StrAttr:$a_type, StrAttr:$b_type, UnitAttr:$trans_a,
    UnitAttr:$trans_b);
  let assemblyFormat = [{
    $a_type $b_type `n` $n `k` $k $acc `from` $base `,` ($a_desc^)?
    (`(` $a_regs^ `)`)? (`trans_a` $trans_a^)? `,` $b_desc
    (`trans_b` $trans_b^)? (`scale_d` $scale_d^)? attr-dict `:` type($acc)
  }];
  let hasVerifier = 1;
}

def Sm_KeepOp : Sm_Op<"keep"> {
  let summary = "ties the registers of an array to this place";
  let description = [{
    An empty asm: registers that an asynchronous product uses neither change
    nor move across it.
  }];
  let arguments = (ins Sm_Array:$array);
  let assemblyFormat = "$array attr-dict `:` type($array)";
}

def Sm_RotateOp : Sm_Op<"rotate"> {
  let summary = "each register of an array takes the place `by` before it";
  let description = [{
    The first ones take the last places. A loop that stays a loop cannot index
    registers with its variable: it finds those of each turn in one place.
  }];
  let arguments = (ins Sm_Array:$array, I64Attr:$by);
  let assemblyFormat = "$array `by` $by attr-dict `:` type($array)";
}

//===----------------------------------------------------------------------===//
// Mbarriers and bulk copies, by address
//===----------------------------------------------------------------------===//

def Sm_MbarInitOp : Sm_Op<"mbar_init"> {
  let summary = "mbarrier.init";
  let arguments = (ins I32:$address, I64Attr:$count);
  let assemblyFormat = "$address `count` $count attr-dict";
}

def Sm_MbarWaitOp : Sm_Op<"mbar_wait"> {
  let summary = "mbarrier.try_wait.parity until the phase is complete, acquire";
  let arguments = (ins I32:$address, I32:$parity);
  let assemblyFormat = "$address `parity` $parity attr-dict";
}

def Sm_MbarArriveOp : Sm_Op<"mbar_arrive"> {
  let summary = "mbarrier.arrive, release; `per_warp`: by one lane";
  let arguments = (ins I32:$address, UnitAttr:$per_warp);
  let assemblyFormat = "$address (`per_warp` $per_warp^)? attr-dict";
}

def Sm_MbarExpectOp : Sm_Op<"mbar_expect"> {
  let summary = "mbarrier.arrive.expect_tx";
  let arguments = (ins I32:$address, I64Attr:$bytes);
  let assemblyFormat = "$address `bytes` $bytes attr-dict";
}

def Sm_TensorMapOp : Sm_Op<"tensor_map", [Pure]> {
  let summary = "the kernel parameter that maps a tensor in boxes";
  let description = "`box` outermost first; `swizzle` in bytes, 0 for none.";
  let arguments = (ins Tile_Buffer:$buffer, DenseI64ArrayAttr:$box,
    I64Attr:$swizzle);
  let results = (outs Sm_TensorMapType:$result);
  let assemblyFormat = [{
    $buffer `box` $box `swizzle` $swizzle attr-dict `:` type($buffer)
  }];
  let hasVerifier = 1;
}

def Sm_TmaLoadBoxOp : Sm_Op<"tma_load_box"> {
  let summary = "cp.async.bulk.tensor, global to shared, of one box";
  let description = "Coordinates outermost first.";
  let arguments = (ins Sm_TensorMapType:$map, Variadic<I32>:$coords,
    I32:$address, I32:$barrier);
  let assemblyFormat = [{
    $map `[` $coords `]` `to` $address `completes` $barrier attr-dict
  }];
}

def Sm_TmaStoreBoxOp : Sm_Op<"tma_store_box"> {
  let summary = "cp.async.bulk.tensor, shared to global, of one box";
  let arguments = (ins I32:$address, Sm_TensorMapType:$map,
    Variadic<I32>:$coords);
  let assemblyFormat = "$address `to` $map `[` $coords `]` attr-dict";
}

def Sm_BulkCopyOp : Sm_Op<"bulk_copy"> {
  let summary = "cp.async.bulk of contiguous bytes, global to shared";
  let arguments = (ins Tile_Buffer:$buffer, I64:$index, I32:$address,
    I32:$barrier, I64Attr:$bytes);
  let assemblyFormat = [{
    $buffer `[` $index `]` `to` $address `bytes` $bytes `completes` $barrier
    attr-dict `:` type($buffer)
  }];
}

#endif // TLC_SM_THREAD_OPS_TD
