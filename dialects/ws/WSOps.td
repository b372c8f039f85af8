// The `ws` dialect: who does what. Roles, rings of slots, and the tokens by
// which a slot changes hands.
#ifndef TLC_WS_OPS_TD
#define TLC_WS_OPS_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "dialects/tile/TileBase.td"
include "dialects/ws/WSEnums.td"

def WS_Dialect : Dialect {
  let name = "ws";
  let cppNamespace = "::tlc::ws";
  let summary = "roles, rings of slots and their hand-over";
  let description = [{
    A launch is a list of `ws.ring`s and `ws.role`s. A role runs its region on
    its own warps. A producer fills slots (`acquire`, a copy, `commit`), a
    consumer uses them (`wait`, uses, `release`). Stage and phase are not
    values here: each role counts the spans it has executed of each ring, so
    guarded spans and outer loops need no special case (sync.md 3.2).

    Releases, fences, completion waits and role barriers are derived by passes
    and carry the reason.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::tlc::tile::TileDialect"];
}

class WS_Type<string name, string typeMnemonic> : TypeDef<WS_Dialect, name> {
  let mnemonic = typeMnemonic;
}
def WS_RingType : WS_Type<"Ring", "ring"> { let summary = "a ring of slots"; }
def WS_WriteTokenType : WS_Type<"WriteToken", "write_token"> {
  let summary = "a slot held for filling";
}
def WS_ReadTokenType : WS_Type<"ReadToken", "read_token"> {
  let summary = "a slot held for use";
}

def WS_FenceKindAttr : EnumAttr<WS_Dialect, WS_FenceKindEnum, "fence_kind"> {
  let assemblyFormat = "`<` $value `>`";
}

class WS_Op<string mnemonic, list<Trait> traits = []>
    : Op<WS_Dialect, mnemonic, traits>;

def WS_RingOp : WS_Op<"ring"> {
  let hasVerifier = 1;
  let summary = "a ring of `depth` slots, each holding every member";
  let description = [{
    The members are shared allocations with the same first and last use; they
    are filled together and handed over by one pair of barriers.

    `groups`: the threads of the role fill the slots by cp.async. A fill is
    complete when its group was waited for and the threads have met; a slot is
    free when they have met after its release. Such a ring has no mbarriers.

    ```mlir
    %h = ws.ring "h_shared" depth 2 (%h_shared)
      : memref<128x32xbf16, #tile.space<shared>>
    ```
  }];
  let arguments = (ins StrAttr:$name, I64Attr:$depth,
    Variadic<Tile_Buffer>:$members, UnitAttr:$groups,
    OptionalAttr<StrAttr>:$reason);
  let results = (outs WS_RingType:$ring);
  let assemblyFormat = [{
    $name `depth` $depth `(` $members `)` (`groups` $groups^)?
    (`reason` $reason^)? attr-dict `:` type($members)
  }];
}

def WS_RoleOp : WS_Op<"role", [SingleBlock, NoTerminator]> {
  let summary = "what one group of warps runs";
  let description = [{
    `warps` is [first, count]. `registers`: setmaxnreg for the role (0: none).
  }];
  let arguments = (ins StrAttr:$name, DenseI64ArrayAttr:$warps,
    DefaultValuedAttr<I64Attr, "0">:$registers);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $name `warps` $warps (`registers` $registers^)? attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
}

def WS_ElectOp : WS_Op<"elect", [SingleBlock, NoTerminator]> {
  let summary = "one thread of the role runs the region";
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "attr-dict-with-keyword $body";
}

def WS_AcquireOp : WS_Op<"acquire"> {
  let hasVerifier = 1;
  let summary = "blocks until the next slot is free";
  let arguments = (ins WS_RingType:$ring);
  let results = (outs WS_WriteTokenType:$token, Variadic<Tile_Buffer>:$views);
  let assemblyFormat = "$ring attr-dict `:` type($views)";
}

def WS_CommitOp : WS_Op<"commit"> {
  let summary = "the copies into the slot have been issued";
  let arguments = (ins WS_WriteTokenType:$token);
  let assemblyFormat = "$token attr-dict";
}

def WS_WaitOp : WS_Op<"wait"> {
  let hasVerifier = 1;
  let summary = "blocks until the next slot is full";
  let arguments = (ins WS_RingType:$ring);
  let results = (outs WS_ReadTokenType:$token, Variadic<Tile_Buffer>:$views);
  let assemblyFormat = "$ring attr-dict `:` type($views)";
}

def WS_ReleaseOp : WS_Op<"release"> {
  let summary = "the slot may be refilled";
  let description = [{
    `reason` says which statement forced the place. `fence` is the decision
    about the proxy fence before it, "<derived|source|producer|membar|none>:
    <why>", set by `ws-derive-fences`.
  }];
  let arguments = (ins WS_ReadTokenType:$token, OptionalAttr<StrAttr>:$reason,
    OptionalAttr<StrAttr>:$fence);
  let assemblyFormat = [{
    $token (`reason` $reason^)? (`fence` $fence^)? attr-dict
  }];
}

def WS_FenceOp : WS_Op<"fence"> {
  let summary = "orders earlier generic accesses before later async ones";
  let description = [{
    `proxy_async` is fence.proxy.async.shared::cta. `membar` is membar.cta: it
    does not order proxies and exists to reproduce a report (sync.md, top).
    `source` marks a fence that the program wrote; such a fence without views
    concerns every slot last used before it.
  }];
  let arguments = (ins WS_FenceKindAttr:$kind, Variadic<Tile_Buffer>:$views,
    UnitAttr:$source, OptionalAttr<StrAttr>:$reason);
  let assemblyFormat = [{
    $kind (`source` $source^)? (`(` $views^ `:` type($views) `)`)?
    (`reason` $reason^)? attr-dict
  }];
}

def WS_BarrierOp : WS_Op<"barrier"> {
  let summary = "barrier of the threads of the role";
  let arguments = (ins OptionalAttr<StrAttr>:$reason, UnitAttr:$source);
  let assemblyFormat = "(`source` $source^)? (`reason` $reason^)? attr-dict";
}

def WS_GroupCommitOp : WS_Op<"group_commit"> {
  let summary = "closes the group of a turn's fill of the ring";
  let description = [{
    Runs once a turn whether or not the turn fills a slot: which group is whose
    depends on the turn alone.
  }];
  let arguments = (ins WS_RingType:$ring);
  let assemblyFormat = "$ring attr-dict";
}

def WS_GroupWaitOp : WS_Op<"group_wait"> {
  let summary = "at most `pending` groups committed before are unfinished";
  let arguments = (ins I64Attr:$pending, OptionalAttr<StrAttr>:$reason);
  let assemblyFormat = "$pending (`reason` $reason^)? attr-dict";
}

def WS_StoreWaitOp : WS_Op<"store_wait"> {
  let summary = "at most `pending` tensor stores issued before are unfinished";
  let description = [{
    The thread that issues the tensor stores of the role waits; others know what
    it knows after a barrier. `read`: only the tiles have been read, the tensors
    may not be written yet. `done`: tiles that no store reads after it, tensors
    that no store writes.
  }];
  let arguments = (ins I64Attr:$pending, UnitAttr:$read,
    Variadic<Tile_Buffer>:$done, OptionalAttr<StrAttr>:$reason);
  let assemblyFormat = [{
    $pending (`read` $read^)? (`(` $done^ `:` type($done) `)`)?
    (`reason` $reason^)? attr-dict
  }];
}

def WS_MmaWaitOp : WS_Op<"mma_wait"> {
  let summary = "at most `pending` products issued before are unfinished";
  let arguments = (ins I64Attr:$pending, OptionalAttr<StrAttr>:$reason);
  let assemblyFormat = "$pending (`reason` $reason^)? attr-dict";
}

def WS_MmaFenceOp : WS_Op<"mma_fence"> {
  let summary = "register accesses before, products after (wgmma.fence)";
  let assemblyFormat = "attr-dict";
}

#endif // TLC_WS_OPS_TD
