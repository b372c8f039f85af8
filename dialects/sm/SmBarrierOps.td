// Mbarriers, counters, named barriers and fences.
#ifndef TLC_SM_BARRIER_OPS_TD
#define TLC_SM_BARRIER_OPS_TD

include "dialects/sm/SmBase.td"

def Sm_MBarrierOp : Sm_Op<"mbarrier"> {
  let summary = "`stages` mbarriers of 8 bytes at a shared offset";
  let description = [{
    `count` is the number of pending arrivals a phase needs.
  }];
  let arguments = (ins StrAttr:$name, I64Attr:$offset, I64Attr:$stages,
    I64Attr:$count);
  let results = (outs Sm_MBarrierType:$result);
  let assemblyFormat = [{
    $name `offset` $offset `stages` $stages `count` $count attr-dict
  }];
  let hasVerifier = 1;
}

def Sm_MBarrierInitOp : Sm_Op<"mbarrier_init"> {
  let summary = "initialises every stage; run by one thread";
  let arguments = (ins Sm_MBarrierType:$barrier);
  let assemblyFormat = "$barrier attr-dict";
}

def Sm_FenceMBarrierInitOp : Sm_Op<"fence_mbarrier_init"> {
  let summary = "initialised barriers become visible to the async proxy";
  let assemblyFormat = "attr-dict";
}

def Sm_CounterOp : Sm_Op<"counter"> {
  let summary = "per-role count of executed spans of a ring, starting at 0";
  let arguments = (ins StrAttr:$name, I64Attr:$depth);
  let results = (outs Sm_CounterType:$result);
  let assemblyFormat = "$name `depth` $depth attr-dict";
}

def Sm_CounterStageOp : Sm_Op<"counter_stage"> {
  let summary = "count mod depth";
  let arguments = (ins Sm_CounterType:$counter);
  let results = (outs I32:$result);
  let assemblyFormat = "$counter attr-dict";
}

def Sm_CounterPhaseOp : Sm_Op<"counter_phase"> {
  let summary = "(count div depth) and 1";
  let arguments = (ins Sm_CounterType:$counter);
  let results = (outs I32:$result);
  let assemblyFormat = "$counter attr-dict";
}

def Sm_CounterAdvanceOp : Sm_Op<"counter_advance"> {
  let summary = "count := count + 1";
  let arguments = (ins Sm_CounterType:$counter);
  let assemblyFormat = "$counter attr-dict";
}

def Sm_MBarrierWaitOp : Sm_Op<"mbarrier_wait"> {
  let summary = "blocks until the phase of the given parity has completed";
  let description = [{
    mbarrier.try_wait.parity in a loop, acquire. `invert` waits for the parity
    parity ^ 1, the producer's form on a fresh barrier.
  }];
  let arguments = (ins Sm_MBarrierType:$barrier, I32:$stage, I32:$parity,
    UnitAttr:$invert);
  let assemblyFormat = [{
    $barrier `[` $stage `]` `parity` $parity (`invert` $invert^)? attr-dict
  }];
}

def Sm_MBarrierArriveExpectTxOp : Sm_Op<"mbarrier_arrive_expect_tx"> {
  let summary = "one arrival that expects `bytes` from bulk copies";
  let arguments = (ins Sm_MBarrierType:$barrier, I32:$stage, I64Attr:$bytes);
  let assemblyFormat = "$barrier `[` $stage `]` `bytes` $bytes attr-dict";
}

def Sm_MBarrierArriveOp : Sm_Op<"mbarrier_arrive"> {
  let summary = "arrival, release: of each thread, or of each warp";
  let description = [{
    `per_warp`: the warp converges (bar.warp.sync) and one lane arrives.
  }];
  let arguments = (ins Sm_MBarrierType:$barrier, I32:$stage,
    UnitAttr:$per_warp);
  let assemblyFormat = [{
    $barrier `[` $stage `]` (`per_warp` $per_warp^)? attr-dict
  }];
}

def Sm_BarSyncOp : Sm_Op<"bar_sync"> {
  let summary = "bar.sync of `threads` threads on a named barrier";
  let arguments = (ins I64Attr:$id, I64Attr:$threads);
  let assemblyFormat = "$id `threads` $threads attr-dict";
  let hasVerifier = 1;
}

def Sm_FenceProxyAsyncOp : Sm_Op<"fence_proxy_async"> {
  let summary = "fence.proxy.async.shared::cta";
  let assemblyFormat = "attr-dict";
}

def Sm_MembarOp : Sm_Op<"membar"> {
  let summary = "membar.cta: orders nothing across proxies";
  let assemblyFormat = "attr-dict";
}

def Sm_GridBarrierOp : Sm_Op<"grid_barrier"> {
  let summary = "one arrival at the barrier of all blocks, and the wait for it";
  let description = [{
    Run by one thread of the block between two barriers of the block: release
    and acquire at device scope. The last of the grid's blocks resets the count
    and advances the generation; the others wait for that. Count and generation
    are two words of memory that belongs to the launch and starts as zero.
  }];
  let assemblyFormat = "attr-dict";
}

#endif // TLC_SM_BARRIER_OPS_TD
