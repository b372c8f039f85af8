// Bulk copies and matrix products.
#ifndef TLC_SM_ASYNC_OPS_TD
#define TLC_SM_ASYNC_OPS_TD

include "dialects/sm/SmBase.td"

def Sm_TmaLoadOp : Sm_Op<"tma_load", [Tile_Effects]> {
  let summary = "tensor copy of a box from global to a shared slot";
  let description = [{
    cp.async.bulk.tensor, issued by one thread; its bytes complete on
    `barrier[stage]`. One coordinate for each dimension of the tensor, outermost
    first; `sizes` is the box. Tiles wider than the swizzle span become several
    boxes.
  }];
  let arguments = (ins Tile_Buffer:$src, Variadic<I32>:$coords,
    DenseI64ArrayAttr:$sizes, Tile_Buffer:$dst, Sm_MBarrierType:$barrier,
    I32:$stage);
  let assemblyFormat = [{
    $src `[` $coords `]` $sizes `to` $dst `completes` $barrier `[` $stage `]`
    attr-dict `:` type($src) `,` type($dst)
  }];
}

def Sm_BulkLoadOp : Sm_Op<"bulk_load", [Tile_Effects]> {
  let summary = "copy of contiguous bytes from global to a shared slot";
  let description = [{
    cp.async.bulk: the region is contiguous and inside the tensor, its address
    and size multiples of 16 bytes.
  }];
  let arguments = (ins Tile_Buffer:$src, Variadic<I32>:$coords,
    DenseI64ArrayAttr:$sizes, Tile_Buffer:$dst, Sm_MBarrierType:$barrier,
    I32:$stage);
  let assemblyFormat = [{
    $src `[` $coords `]` $sizes `to` $dst `completes` $barrier `[` $stage `]`
    attr-dict `:` type($src) `,` type($dst)
  }];
}

def Sm_TmaStoreOp : Sm_Op<"tma_store", [Tile_Effects]> {
  let summary = "tensor copy of a box from shared to global, by one thread";
  let arguments = (ins Tile_Buffer:$src, Tile_Buffer:$dst,
    Variadic<I32>:$coords, DenseI64ArrayAttr:$sizes);
  let assemblyFormat = [{
    $src `to` $dst `[` $coords `]` $sizes attr-dict
    `:` type($src) `,` type($dst)
  }];
}

def Sm_BulkCommitOp : Sm_Op<"bulk_commit"> {
  let summary = "cp.async.bulk.commit_group";
  let assemblyFormat = "attr-dict";
}

def Sm_BulkWaitOp : Sm_Op<"bulk_wait"> {
  let summary = "at most `pending` bulk groups unfinished";
  let description = "`read`: only their sources must have been read.";
  let arguments = (ins I64Attr:$pending, UnitAttr:$read);
  let assemblyFormat = "$pending (`read` $read^)? attr-dict";
}

def Sm_CpAsyncCommitOp : Sm_Op<"cp_async_commit"> {
  let summary = "cp.async.commit_group, of each thread";
  let description = [{
    Closes the group of the copies with `inst <cp_async>` that the thread has
    made since the last one.
  }];
  let assemblyFormat = "attr-dict";
}

def Sm_CpAsyncWaitOp : Sm_Op<"cp_async_wait"> {
  let summary = "at most `pending` cp.async groups of the thread unfinished";
  let description = [{
    cp.async.wait_group. The thread sees what its own copies have written;
    others do after a barrier, wgmma after a proxy fence too.
  }];
  let arguments = (ins I64Attr:$pending);
  let assemblyFormat = "$pending attr-dict";
}

class Sm_Product<string mnemonic>
    : Sm_Op<mnemonic, [Tile_Effects, AttrSizedOperandSegments]> {
  let arguments = (ins Tile_Buffer:$a, Variadic<I32>:$a_offsets,
    Tile_Buffer:$b, Variadic<I32>:$b_offsets, Tile_Fragment:$c,
    Optional<I1>:$clear, DenseI64ArrayAttr:$a_sizes,
    DenseI64ArrayAttr:$b_sizes, UnitAttr:$trans_a, UnitAttr:$trans_b,
    I64Attr:$warps_m, I64Attr:$warps_n, UnitAttr:$trans_c, UnitAttr:$quad_m,
    UnitAttr:$quad_n, UnitAttr:$pair_k);
  let assemblyFormat = [{
    $a `[` $a_offsets `]` $a_sizes (`trans_a` $trans_a^)? `,`
    $b `[` $b_offsets `]` $b_sizes (`trans_b` $trans_b^)? `,` $c
    (`trans_c` $trans_c^)? (`clear` $clear^)? `warps` $warps_m `x` $warps_n
    (`quad_m` $quad_m^)? (`quad_n` $quad_n^)? (`pair_k` $pair_k^)? attr-dict
    `:` type($a) `,` type($b) `,` type($c)
  }];
  let extraClassDeclaration = [{
    int64_t getM() { return getC().getType().getDimSize(getTransC() ? 1 : 0); }
    int64_t getN() { return getC().getType().getDimSize(getTransC() ? 0 : 1); }
    int64_t getK() {
      return getASizes()[getASizes().size() - (getTransA() ? 2 : 1)];
    }
  }];
}

def Sm_WgmmaOp : Sm_Product<"wgmma"> {
  let summary = "issues the wgmma instructions of a tile product";
  let description = [{
    Operand meaning as in `tile.gemm`. B is shared, A shared (SS) or a fragment
    (RS). Complete after `sm.wgmma_commit` and `sm.wgmma_wait`.
  }];
}

def Sm_MmaOp : Sm_Product<"mma"> {
  let summary = "tile product by mma.sync with operands read by ldmatrix";
}

def Sm_WgmmaFenceOp : Sm_Op<"wgmma_fence"> {
  let summary = "register accesses before, wgmma after";
  let assemblyFormat = "attr-dict";
}

def Sm_WgmmaCommitOp : Sm_Op<"wgmma_commit"> {
  let summary = "closes a wgmma group";
  let assemblyFormat = "attr-dict";
}

def Sm_WgmmaWaitOp : Sm_Op<"wgmma_wait"> {
  let summary = "at most `pending` wgmma groups unfinished";
  let arguments = (ins I64Attr:$pending);
  let assemblyFormat = "$pending attr-dict";
}

#endif // TLC_SM_ASYNC_OPS_TD
