// Passes from tile to tile: each makes one kind of decision and records it as
// attributes with reasons.
#ifndef TLC_TRANSFORMS_PASSES_TD
#define TLC_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def TileSelectInstructionsPass
    : Pass<"tile-select-instructions", "::tlc::tile::KernelOp"> {
  let summary = "choose the instruction of each copy and product";
  let description = [{
    Sets `inst` and `reason` of each `tile.copy` and `tile.gemm`, and the
    partition of the warps of a product. An instruction that is there already
    stays. `tma_load` means that a tensor copy is possible; whether one is made
    is decided when rings are planned.

    ```mlir
    tile.copy %A[%y, %k] [128, 64] to %As[%c0, %c0] [128, 64] : ...
    tile.gemm %As[%c0, %c0] [128, 64], %Bs[%c0, %c0] [64, 128], %acc : ...
    // becomes
    tile.copy %A[%y, %k] [128, 64] to %As[%c0, %c0] [128, 64]
      inst <tma_load> reason "..." : ...
    tile.gemm %As[%c0, %c0] [128, 64], %Bs[%c0, %c0] [64, 128], %acc
      inst <wgmma_ss> warps 4 x 1 reason "..." : ...
    ```
  }];
  let options = [
    Option<"arch", "arch", "std::string", "\"sm_90a\"", "target GPU">,
    Option<"cpAsync", "cp-async", "bool", "false",
           "threads load tiles by cp.async instead of TMA">,
    Option<"disableTma", "disable-tma", "bool", "false",
           "copies are made by threads">,
    Option<"disableWgmma", "disable-wgmma", "bool", "false",
           "products run on mma.sync">,
    Option<"disable", "disable", "std::string", "\"\"",
           "levers that are switched off, with commas between them">,
  ];
}

def TileInferLayoutsPass
    : Pass<"tile-infer-layouts", "::tlc::tile::KernelOp"> {
  let summary = "decide where elements live and which thread moves them";
  let description = [{
    Runs after `tile-select-instructions`. Sets `layout` of fragments, copies,
    fills and parallel nests, and `swizzle` of shared tiles. A layout that is
    there already is a constraint.

    ```mlir
    %acc = tile.alloc "acc" : memref<64x64xf32, #tile.space<fragment>>
    // becomes, as result of a product of 4 warps,
    %acc = tile.alloc "acc" layout <"regs=[2:(0,1) 2:(8,0) 8:(0,8)] \
      threads=[4:(0,2) 8:(1,0) 4:(16,0)] shape=64x64"> : ...
    ```
  }];
  let options = [
    Option<"arch", "arch", "std::string", "\"sm_90a\"", "target GPU">,
    Option<"disable", "disable", "std::string", "\"\"",
           "levers that are switched off, with commas between them">,
  ];
}

#endif // TLC_TRANSFORMS_PASSES_TD
