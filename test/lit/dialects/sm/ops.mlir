// RUN: tlc-opt %s | tlc-opt | FileCheck %s

// Round trip of the ops of the sm level.

!A = memref<?x?xbf16, #tile.space<global>>
!S = memref<64x64xbf16, #tile.space<shared>>
!C = memref<64x64xf32, #tile.space<fragment>>

// CHECK-LABEL: tile.kernel @sm
tile.kernel @sm params ["A"] shapes [affine_map<()[n] -> (n, n)>] symbols ["n"] {
^bb0(%A: !A, %n: i32):
  // CHECK: sm.launch grid(%{{.*}}) threads 160 program [128, 1, 1] shared 16416 swizzle 8 column
  sm.launch grid(%n) threads 160 program [128, 1, 1] shared 16416 swizzle 8 column {
  ^bb0(%bx: i32):
    // CHECK: sm.shared "s" offset 0 stages 2 slot_bytes 8192 swizzle <b128>
    %s = sm.shared "s" offset 0 stages 2 slot_bytes 8192 swizzle <b128> : !S
    // CHECK: sm.mbarrier "full" offset 16384 stages 2 count 1
    %full = sm.mbarrier "full" offset 16384 stages 2 count 1
    %empty = sm.mbarrier "empty" offset 16400 stages 2 count 4
    // CHECK: sm.elect {
    sm.elect {
      // CHECK: sm.mbarrier_init
      sm.mbarrier_init %full
      sm.mbarrier_init %empty
      // CHECK: sm.fence_mbarrier_init
      sm.fence_mbarrier_init
    }
    // CHECK: sm.bar_sync 0 threads 160
    sm.bar_sync 0 threads 160
    // CHECK: sm.role "consumer" warps [0, 4] {
    sm.role "consumer" warps [0, 4] {
      // CHECK: sm.setmaxnreg 240 increase
      sm.setmaxnreg 240 increase
      %c = tile.alloc "C" : !C
      %c0 = arith.constant 0 : i32
      // CHECK: sm.counter "uses" depth 2
      %k = sm.counter "uses" depth 2
      // CHECK: sm.counter_stage
      %stage = sm.counter_stage %k
      // CHECK: sm.counter_phase
      %phase = sm.counter_phase %k
      // CHECK: sm.mbarrier_wait %{{.*}}[%{{.*}}] parity %{{.*}}
      sm.mbarrier_wait %full[%stage] parity %phase
      // CHECK: sm.slot
      %slot = sm.slot %s[%stage] : !S
      // CHECK: sm.wgmma_fence
      sm.wgmma_fence
      // CHECK: sm.wgmma {{.*}} trans_b, {{.*}} warps 4 x 1
      sm.wgmma %slot[%c0, %c0] [64, 64], %slot[%c0, %c0] [64, 64] trans_b, %c
        warps 4 x 1 : !S, !S, !C
      // CHECK: sm.wgmma_commit
      sm.wgmma_commit
      // CHECK: sm.wgmma_wait 0
      sm.wgmma_wait 0
      // CHECK: sm.mma {{.*}} warps 2 x 2
      sm.mma %slot[%c0, %c0] [64, 64], %slot[%c0, %c0] [64, 64], %c
        warps 2 x 2 : !S, !S, !C
      // CHECK: sm.fence_proxy_async
      sm.fence_proxy_async
      // CHECK: sm.membar
      sm.membar
      // CHECK: sm.mbarrier_arrive %{{.*}}[%{{.*}}] per_warp
      sm.mbarrier_arrive %empty[%stage] per_warp
      // CHECK: sm.counter_advance
      sm.counter_advance %k
      // CHECK: sm.bar_sync 1 threads 128
      sm.bar_sync 1 threads 128
      // CHECK: sm.cp_async_commit
      sm.cp_async_commit
      // CHECK: sm.cp_async_wait 2
      sm.cp_async_wait 2
      // CHECK: sm.grid_barrier
      sm.grid_barrier
      %i = arith.constant 0 : i64
      %v = arith.constant 0 : i32
      %f = arith.constant 1.0 : f32
      %inside = arith.constant true
      // CHECK: sm.cp_async %{{.*}}[%{{.*}}] to %{{[a-z0-9_]*}} : memref
      sm.cp_async %A[%i] to %v : !A
      // CHECK: sm.cp_async %{{.*}}[%{{.*}}] to %{{.*}} if %{{.*}} : memref
      sm.cp_async %A[%i] to %v if %inside : !A
      // CHECK: sm.atomic <add> <relaxed> %{{.*}} : memref<{{.*}}[%{{.*}}] by %{{.*}} : f32 element f32
      sm.atomic <add> <relaxed> %A : !A [%i] by %f : f32 element f32
      // CHECK: sm.atomic <max> <acquire> shared %{{.*}} by %{{.*}} : i32 element ui32 -> i32
      %old = sm.atomic <max> <acquire> shared %v by %v : i32 element ui32 -> i32
      sm.elect {
        // CHECK: sm.tma_store {{.*}} [64, 64]
        sm.tma_store %slot to %A[%c0, %c0] [64, 64] : !S, !A
        // CHECK: sm.bulk_commit
        sm.bulk_commit
        // CHECK: sm.bulk_wait 0 read
        sm.bulk_wait 0 read
      }
    }
    sm.role "producer" warps [4, 1] {
      %k = sm.counter "fills" depth 2
      %c0 = arith.constant 0 : i32
      sm.elect {
        %stage = sm.counter_stage %k
        %phase = sm.counter_phase %k
        // CHECK: sm.mbarrier_wait {{.*}} invert
        sm.mbarrier_wait %empty[%stage] parity %phase invert
        %slot = sm.slot %s[%stage] : !S
        // CHECK: sm.mbarrier_arrive_expect_tx {{.*}} bytes 8192
        sm.mbarrier_arrive_expect_tx %full[%stage] bytes 8192
        // CHECK: sm.tma_load {{.*}} [64, 64] to {{.*}} completes
        sm.tma_load %A[%c0, %c0] [64, 64] to %slot completes %full[%stage] : !A, !S
        // CHECK: sm.bulk_load {{.*}} [1, 64] to {{.*}} completes
        sm.bulk_load %A[%c0, %c0] [1, 64] to %slot completes %full[%stage] : !A, !S
        sm.counter_advance %k
      }
    }
  }
}
