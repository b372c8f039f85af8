// RUN: tlc-opt %s --pass-pipeline='builtin.module(tile.kernel(convert-ws-to-sm))' --split-input-file --verify-diagnostics | FileCheck %s

// Rings become mbarriers with arrival counts and expected bytes; stage and
// phase come from counters of executed spans.

!A = memref<?x64xbf16, #tile.space<global>>
!S = memref<64x64xbf16, #tile.space<shared>>
!V = memref<64xf32, #tile.space<shared>>
!F = memref<64x64xbf16, #tile.space<fragment>>
!C = memref<64x64xf32, #tile.space<fragment>>
#A = affine_map<()[n] -> (n, 64)>

// A slot that threads read is released by each of them; one that only products
// read, by each warp.
// CHECK-LABEL: tile.kernel @rings
// CHECK: sm.launch grid(%{{.*}}) threads 160 program [128, 1, 1]
// CHECK: %[[FULL:.*]] = sm.mbarrier "read_full" offset {{[0-9]+}} stages 3 count 1
// CHECK: %[[EMPTY:.*]] = sm.mbarrier "read_empty" offset {{[0-9]+}} stages 3 count 128
// CHECK: sm.mbarrier "a_b_full" offset {{[0-9]+}} stages 2 count 1
// CHECK: sm.mbarrier "a_b_empty" offset {{[0-9]+}} stages 2 count 4
// CHECK: sm.elect
// CHECK-COUNT-4: sm.mbarrier_init
// CHECK: sm.fence_mbarrier_init
// CHECK: sm.bar_sync 0 threads 160
// CHECK: sm.role "consumer"
// CHECK: %[[USES:.*]] = sm.counter "read_uses" depth 3
// CHECK: %[[STAGE:.*]] = sm.counter_stage %[[USES]]
// CHECK: %[[PHASE:.*]] = sm.counter_phase %[[USES]]
// CHECK: sm.mbarrier_wait %[[FULL]][%[[STAGE]]] parity %[[PHASE]]
// CHECK-NOT: invert
// CHECK: %[[SLOT:.*]] = sm.slot %{{.*}}[%[[STAGE]]]
// CHECK: tile.copy %[[SLOT]]
// CHECK: sm.fence_proxy_async
// CHECK: sm.mbarrier_arrive %[[EMPTY]][%[[STAGE]]]
// CHECK: sm.counter_advance %[[USES]]
// CHECK: sm.wgmma_fence
// CHECK: sm.wgmma
// CHECK: sm.wgmma_commit
// CHECK: sm.wgmma_wait 0
// CHECK: sm.mbarrier_arrive %{{.*}} per_warp
// CHECK: sm.bar_sync 1 threads 128
// CHECK: sm.role "producer"
// CHECK: sm.counter "a_b_fills" depth 2
// CHECK: sm.elect
// CHECK: sm.mbarrier_wait %{{.*}} invert
// CHECK: sm.mbarrier_arrive_expect_tx {{.*}} bytes 16384
// CHECK-COUNT-2: sm.tma_load
// CHECK: sm.counter_advance
tile.kernel @rings params ["A"] shapes [#A] symbols ["n"] {
^bb0(%A: !A, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %s = tile.alloc "read" swizzle <b128> : !S
    %a = tile.alloc "a" swizzle <b128> : !S
    %b = tile.alloc "b" swizzle <b128> : !S
    %r = ws.ring "read" depth 3 (%s) : !S
    %ab = ws.ring "a_b" depth 2 (%a, %b) : !S, !S
    ws.role "consumer" warps [0, 4] {
      %c0 = arith.constant 0 : i32
      %f = tile.alloc "f" : !F
      %c = tile.alloc "c" : !C
      %t, %v = ws.wait %r : !S
      tile.copy %v[%c0, %c0] [64, 64] to %f[%c0, %c0] [64, 64] inst <vector> : !S, !F
      ws.fence <proxy_async> (%v : !S)
      ws.release %t
      %u, %w:2 = ws.wait %ab : !S, !S
      ws.mma_fence
      tile.gemm %w#0[%c0, %c0] [64, 64], %w#1[%c0, %c0] [64, 64], %c inst <wgmma_ss> warps 4 x 1 async : !S, !S, !C
      ws.mma_wait 0
      ws.release %u
      ws.barrier
    }
    ws.role "producer" warps [4, 1] {
      %c0 = arith.constant 0 : i32
      ws.elect {
        %t, %w:2 = ws.acquire %ab : !S, !S
        tile.copy %A[%n, %c0] [64, 64] to %w#0[%c0, %c0] [64, 64] inst <tma_load> : !A, !S
        tile.copy %A[%n, %c0] [64, 64] to %w#1[%c0, %c0] [64, 64] inst <tma_load> : !A, !S
        ws.commit %t
      }
    }
  }
}

// -----

!Big = memref<256x256xf16, #tile.space<shared>>
!F = memref<256x256xf16, #tile.space<fragment>>

tile.kernel @too_much params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  // expected-error@+1 {{needs 262144 bytes of shared memory}}
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    // expected-note@+1 {{'left_s'}}
    %a = tile.alloc "left_s" : !Big
    // expected-note@+1 {{'right_s'}}
    %b = tile.alloc "right_s" : !Big
    ws.role "block" warps [0, 4] {
      %c0 = arith.constant 0 : i32
      %f = tile.alloc "f" : !F
      tile.copy %a[%c0, %c0] [256, 256] to %f[%c0, %c0] [256, 256] : !Big, !F
      tile.copy %b[%c0, %c0] [256, 256] to %f[%c0, %c0] [256, 256] : !Big, !F
    }
  }
}
