// Matrix products.
#ifndef TLC_TILE_GEMM_OPS_TD
#define TLC_TILE_GEMM_OPS_TD

include "dialects/tile/TileBase.td"

def Tile_GemmOp : Tile_Op<"gemm", [Tile_Effects, AttrSizedOperandSegments]> {
  let summary = "C += op(A) op(B), or C = op(A) op(B)";
  let description = [{
    A is a shared region or a fragment, B a shared region (or a fragment), C a
    fragment of M x N. op(A) is M x K (stored K x M when `trans_a`), op(B) is
    K x N (stored N x K when `trans_b`). `clear` (i1): C is overwritten when it
    is true. With `trans_c` the fragment is N x M, the transpose of C.
    `inst`, `warps_m`, `warps_n` are set by `tile-select-instructions`;
    `quad_m`, `quad_n`, `pair_k` (see analysis::Numbering) by
    `tile-infer-layouts`; `async` by the derivation of completion waits: the
    product is then issued and committed only.
  }];
  let arguments = (ins Tile_Buffer:$a, Variadic<I32>:$a_offsets,
    Tile_Buffer:$b, Variadic<I32>:$b_offsets, Tile_Fragment:$c,
    Optional<I1>:$clear,
    DenseI64ArrayAttr:$a_sizes, DenseI64ArrayAttr:$b_sizes,
    UnitAttr:$trans_a, UnitAttr:$trans_b,
    DefaultValuedAttr<Tile_WarpPolicyAttr,
      "::tlc::tile::WarpPolicy::Square">:$policy,
    OptionalAttr<Tile_GemmInstAttr>:$inst,
    OptionalAttr<I64Attr>:$warps_m, OptionalAttr<I64Attr>:$warps_n,
    UnitAttr:$async, OptionalAttr<StrAttr>:$reason, UnitAttr:$trans_c,
    UnitAttr:$quad_m, UnitAttr:$quad_n, UnitAttr:$pair_k);
  let assemblyFormat = [{
    $a `[` $a_offsets `]` $a_sizes (`trans_a` $trans_a^)? `,`
    $b `[` $b_offsets `]` $b_sizes (`trans_b` $trans_b^)? `,` $c
    (`trans_c` $trans_c^)? (`clear` $clear^)? (`policy` $policy^)? (`inst` $inst^)?
    (`warps` $warps_m^ `x` $warps_n)?
    (`quad_m` $quad_m^)? (`quad_n` $quad_n^)? (`pair_k` $pair_k^)? (`async` $async^)? (`reason` $reason^)?
    attr-dict `:` type($a) `,` type($b) `,` type($c)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    int64_t getM() { return getC().getType().getDimSize(getTransC() ? 1 : 0); }
    int64_t getN() { return getC().getType().getDimSize(getTransC() ? 0 : 1); }
    int64_t getK() {
      return getASizes()[getASizes().size() - (getTransA() ? 2 : 1)];
    }
  }];
}

#endif // TLC_TILE_GEMM_OPS_TD
