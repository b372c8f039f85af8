// RUN: tlc-opt %s --pass-pipeline='builtin.module(tile.kernel(ws-sink-copies))' | FileCheck %s

// A copy from registers to an accumulator goes into the branch of its product,
// and to the start of the other path.

!S = memref<64x64xbf16, #tile.space<shared>>
!R = memref<64x64xbf16, #tile.space<fragment>>
!C = memref<64x64xf32, #tile.space<fragment>>

// Directly before the product, behind the barrier.
// CHECK-LABEL: tile.kernel @one_branch
// CHECK: scf.if
// CHECK-NEXT: ws.barrier
// CHECK-NEXT: tile.copy
// CHECK-NEXT: ws.mma_fence
// CHECK: } else {
// CHECK-NEXT: tile.copy
// CHECK-NEXT: }
tile.kernel @one_branch params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %s = tile.alloc "s" : !S
    ws.role "block" warps [0, 4] {
      %c0 = arith.constant 0 : i32
      %r = tile.alloc "r" : !R
      %c = tile.alloc "c" : !C
      %some = arith.cmpi sgt, %n, %c0 : i32
      tile.copy %r[%c0, %c0] [64, 64] to %c[%c0, %c0] [64, 64] inst <vector> : !R, !C
      scf.if %some {
        ws.barrier reason "for the test"
        ws.mma_fence
        tile.gemm %s[%c0, %c0] [64, 64], %s[%c0, %c0] [64, 64], %c inst <wgmma_ss> warps 4 x 1 async : !S, !S, !C
        ws.mma_wait 0
      }
    }
  }
}

// Into both branches; in the other paths it comes before what overwrites its
// registers.
// CHECK-LABEL: tile.kernel @two_branches
// CHECK: scf.if
// CHECK-NEXT: ws.barrier
// CHECK-NEXT: scf.if
// CHECK-NEXT: ws.barrier
// CHECK-NEXT: tile.copy %{{.*}} to
// CHECK-NEXT: ws.mma_fence
// CHECK: } else {
// CHECK-NEXT: tile.copy {{.*}}fragment>>, memref<64x64xf32
// CHECK-NEXT: tile.copy {{.*}}shared>>, memref<64x64xbf16
// CHECK-NEXT: }
// CHECK-NEXT: } else {
// CHECK-NEXT: tile.copy {{.*}}fragment>>, memref<64x64xf32
// CHECK-NEXT: }
tile.kernel @two_branches params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %s = tile.alloc "s" : !S
    ws.role "block" warps [0, 4] {
      %c0 = arith.constant 0 : i32
      %c9 = arith.constant 9 : i32
      %r = tile.alloc "r" : !R
      %c = tile.alloc "c" : !C
      tile.copy %r[%c0, %c0] [64, 64] to %c[%c0, %c0] [64, 64] inst <vector> : !R, !C
      %some = arith.cmpi sgt, %n, %c0 : i32
      %many = arith.cmpi sgt, %n, %c9 : i32
      scf.if %some {
        ws.barrier reason "outer"
        scf.if %many {
          ws.barrier reason "inner"
          ws.mma_fence
          tile.gemm %s[%c0, %c0] [64, 64], %s[%c0, %c0] [64, 64], %c inst <wgmma_ss> warps 4 x 1 async : !S, !S, !C
          ws.mma_wait 0
        } else {
          tile.copy %s[%c0, %c0] [64, 64] to %r[%c0, %c0] [64, 64] inst <vector> : !S, !R
        }
      }
    }
  }
}

// What stays: a product in every turn, a copy whose result is used before the
// branch or whose registers are written there, a branch without a product, a
// load from memory.
// CHECK-LABEL: tile.kernel @stay
// CHECK-NOT: else
tile.kernel @stay params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %s = tile.alloc "s" : !S
    ws.role "block" warps [0, 4] {
      %c0 = arith.constant 0 : i32
      %zero = arith.constant 0.0 : f32
      %r = tile.alloc "r" : !R
      %c = tile.alloc "c" : !C
      %d = tile.alloc "d" : !C
      %some = arith.cmpi sgt, %n, %c0 : i32
      // CHECK: tile.copy
      // CHECK-NEXT: ws.barrier reason "always"
      tile.copy %r[%c0, %c0] [64, 64] to %c[%c0, %c0] [64, 64] inst <vector> : !R, !C
      ws.barrier reason "always"
      ws.mma_fence
      tile.gemm %s[%c0, %c0] [64, 64], %s[%c0, %c0] [64, 64], %c inst <wgmma_ss> warps 4 x 1 async : !S, !S, !C
      ws.mma_wait 0
      // CHECK: tile.copy
      // CHECK-NEXT: tile.copy
      tile.copy %r[%c0, %c0] [64, 64] to %c[%c0, %c0] [64, 64] inst <vector> : !R, !C
      tile.copy %c[%c0, %c0] [64, 64] to %d[%c0, %c0] [64, 64] inst <vector> : !C, !C
      scf.if %some {
        ws.mma_fence
        tile.gemm %s[%c0, %c0] [64, 64], %s[%c0, %c0] [64, 64], %c inst <wgmma_ss> warps 4 x 1 async : !S, !S, !C
        ws.mma_wait 0
      }
      // CHECK: tile.copy
      // CHECK-NEXT: tile.copy
      tile.copy %r[%c0, %c0] [64, 64] to %c[%c0, %c0] [64, 64] inst <vector> : !R, !C
      tile.copy %s[%c0, %c0] [64, 64] to %r[%c0, %c0] [64, 64] inst <vector> : !S, !R
      scf.if %some {
        ws.mma_fence
        tile.gemm %s[%c0, %c0] [64, 64], %s[%c0, %c0] [64, 64], %c inst <wgmma_ss> warps 4 x 1 async : !S, !S, !C
        ws.mma_wait 0
      }
      // CHECK: tile.copy
      // CHECK-NEXT: scf.if
      tile.copy %r[%c0, %c0] [64, 64] to %c[%c0, %c0] [64, 64] inst <vector> : !R, !C
      scf.if %some {
        tile.fill %zero to %c[%c0, %c0] [64, 64] : f32, !C
      }
      // CHECK: tile.copy
      // CHECK-NEXT: scf.if
      tile.copy %s[%c0, %c0] [64, 64] to %c[%c0, %c0] [64, 64] inst <vector> : !S, !C
      scf.if %some {
        ws.mma_fence
        tile.gemm %s[%c0, %c0] [64, 64], %s[%c0, %c0] [64, 64], %c inst <wgmma_ss> warps 4 x 1 async : !S, !S, !C
        ws.mma_wait 0
      }
    }
  }
}
