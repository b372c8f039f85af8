// Passes from `tile` to `sm`, in the order in which they run.
#ifndef TLC_CONVERSION_TD
#define TLC_CONVERSION_TD

include "mlir/Pass/PassBase.td"

def TileStageStoresPass
    : Pass<"tile-stage-stores", "::tlc::tile::KernelOp"> {
  let summary = "store fragments through shared memory and TMA";
  let description = [{
    A copy of a fragment to global memory in a `tile.pipelined` loop becomes a
    copy to a shared tile and a tensor store of it, where the stores of the
    threads would hold the turn up. Comes after `tile-select-instructions`.
  }];
  let options = [Option<"arch", "arch", "std::string",
                        /*default=*/"\"sm_90a\"", "target architecture">];
  let dependentDialects = ["::tlc::tile::TileDialect"];
}

def TilePlanPipelinesPass
    : Pass<"tile-plan-pipelines", "::tlc::tile::KernelOp"> {
  let summary = "decide rings and whether the launch is specialised";
  let description = [{
    For each `tile.pipelined` loop: which copies fill rings (`ring` on the
    copy) and how the loop runs (`plan` and `reason` on the loop). A copy that
    fills no ring is made by threads.
  }];
  let options = [Option<"warpSpecialize", "warp-specialize", "bool",
                        /*default=*/"true", "allow producer warps">,
                 Option<"guardLoads", "guard-loads", "bool", "true",
                        "load a tile under the flag that guards its use">,
                 Option<"delay", "delay", "bool", "false",
                        "slots are released past the next wait: keep a wait "
                        "for that in every turn">];
  let dependentDialects = ["::tlc::tile::TileDialect"];
}

def ConvertTileToWSPass
    : Pass<"convert-tile-to-ws", "::tlc::tile::KernelOp"> {
  let summary = "split launches into roles and rings";
  let description = [{
    Each launch becomes `ws.ring`s and `ws.role`s. Consumers run the program
    with `ws.wait` in place of the copies that fill rings; producers run the
    slice that those copies need, with `ws.acquire` and `ws.commit` around
    them. Without specialization one role does both and fills run ahead.
  }];
  let options = [Option<"arch", "arch", "std::string",
                        /*default=*/"\"sm_90a\"", "target architecture">,
                 Option<"deeperRings", "deeper-rings", "bool", "true",
                        "rings may have more slots than asked for">,
                 Option<"producerPerRing", "producer-per-ring", "bool", "true",
                        "each ring is filled by a warp of its own">];
  let dependentDialects = ["::tlc::ws::WSDialect"];
}

def WSPrefetchGuardsPass
    : Pass<"ws-prefetch-guards", "::tlc::tile::KernelOp"> {
  let summary = "load flags that guard statements of a turn one turn ahead";
  let dependentDialects = ["::tlc::ws::WSDialect"];
}

def WSDeriveCompletionsPass
    : Pass<"ws-derive-completions", "::tlc::tile::KernelOp"> {
  let summary = "place the waits for asynchronous products";
  let dependentDialects = ["::tlc::ws::WSDialect"];
}

def WSDeriveStoresPass
    : Pass<"ws-derive-stores", "::tlc::tile::KernelOp"> {
  let summary = "place the waits for tensor stores";
  let dependentDialects = ["::tlc::ws::WSDialect"];
}

def WSDeriveReleasesPass
    : Pass<"ws-derive-releases", "::tlc::tile::KernelOp"> {
  let summary = "release each slot after its last use (sync.md 3.3, 3.5)";
  let options = [Option<"fence", "war-fence", "std::string",
                        /*default=*/"\"proxy\"",
                        "proxy | proxy-producer | delay | membar">,
                 Option<"early", "early", "bool", "true",
                        "release inside the branch that uses the slot">];
  let dependentDialects = ["::tlc::ws::WSDialect"];
}

def WSReadAheadPass : Pass<"ws-read-ahead", "::tlc::tile::KernelOp"> {
  let summary = "load slots into registers one turn early";
  let description = [{
    A slot that threads only load into a fragment is loaded while the products
    of the turn before it run. Comes after `ws-derive-releases`.
  }];
  let options = [Option<"arch", "arch", "std::string",
                        /*default=*/"\"sm_90a\"", "target architecture">,
                 Option<"mostElements", "most-elements", "int64_t", "16",
                        "elements that a thread may keep of a slot">];
  let dependentDialects = ["::tlc::ws::WSDialect"];
}

def WSDeriveFencesPass
    : Pass<"ws-derive-fences", "::tlc::tile::KernelOp"> {
  let summary = "fence generic accesses before async refills (sync.md 3.4)";
  let options = [Option<"fence", "war-fence", "std::string",
                        /*default=*/"\"proxy\"",
                        "proxy | proxy-producer | delay | membar">];
  let dependentDialects = ["::tlc::ws::WSDialect"];
}

def WSDeriveBarriersPass
    : Pass<"ws-derive-barriers", "::tlc::tile::KernelOp"> {
  let summary = "order conflicting accesses of different threads of a role";
  let dependentDialects = ["::tlc::ws::WSDialect"];
}

def WSMergeFencesPass
    : Pass<"ws-merge-fences", "::tlc::tile::KernelOp"> {
  let summary = "drop proxy fences that a later one makes redundant";
  let dependentDialects = ["::tlc::ws::WSDialect"];
}

def WSSinkCopiesPass : Pass<"ws-sink-copies", "::tlc::tile::KernelOp"> {
  let summary = "copy registers to an accumulator directly before its product";
  let dependentDialects = ["::tlc::ws::WSDialect"];
}

def ConvertWSToSMPass : Pass<"convert-ws-to-sm", "::tlc::tile::KernelOp"> {
  let summary = "rings become mbarriers and shared slots";
  let description = [{
    Plans shared memory, materialises stage and phase from counters of executed
    spans, derives arrival counts and expected bytes.
  }];
  let options = [Option<"arch", "arch", "std::string",
                        /*default=*/"\"sm_90a\"", "target architecture">];
  let dependentDialects = ["::tlc::sm::SmDialect", "::tlc::ws::WSDialect"];
}

#endif // TLC_CONVERSION_TD
