// RUN: tlc-opt %s | tlc-opt | FileCheck %s

// Round trip of every op of the dialect.

!A = memref<?x?xbf16, #tile.space<global>>
!As = memref<128x64xbf16, #tile.space<shared>>
!Bs = memref<64x128xbf16, #tile.space<shared>>
!C = memref<128x128xf32, #tile.space<fragment>>

// CHECK-LABEL: tile.kernel @gemm params ["A", "n"]
// CHECK-SAME: symbols ["M", "K"]
tile.kernel @gemm params ["A", "n"]
    shapes [affine_map<()[m, k] -> (m, k)>, affine_map<()[m, k] -> ()>]
    symbols ["M", "K"] {
^bb0(%A: !A, %n: i32, %M: i32, %K: i32):
  // CHECK: tile.launch grid(%{{.*}}, %{{.*}}) threads [128, 1, 1] swizzle 10
  tile.launch grid(%M, %n) threads [128, 1, 1] swizzle 10 {
  ^bb0(%bx: i32, %by: i32):
    %c0 = arith.constant 0 : i32
    // CHECK: tile.alloc "A_s" swizzle <b128> :
    %As = tile.alloc "A_s" swizzle <b128> : !As
    %Bs = tile.alloc "B_s" : !Bs
    // CHECK: tile.alloc "C_l" layout <"text"> :
    %C = tile.alloc "C_l" layout <"text"> : !C
    %v = tile.alloc "v" : memref<1xi32, #tile.space<local>>
    %zero = arith.constant 0.0 : f32
    // CHECK: tile.fill %{{.*}} to %{{.*}}[%{{.*}}, %{{.*}}] [128, 128] : f32
    tile.fill %zero to %C[%c0, %c0] [128, 128] : f32, !C
    // CHECK: tile.pipelined %{{.*}} to %{{.*}} stages 2
    tile.pipelined %c0 to %n stages 2 plan <sequential> reason "why" {
    ^bb0(%k: i32):
      // CHECK: tile.copy {{.*}} [128, 64] to {{.*}} [128, 64] inst <tma_load>
      tile.copy %A[%bx, %k] [128, 64] to %As[%c0, %c0] [128, 64]
        inst <tma_load> reason "fits" : !A, !As
      // CHECK: tile.gemm {{.*}} inst <wgmma_ss> warps 4 x 1 async
      tile.gemm %As[%c0, %c0] [128, 64], %Bs[%c0, %c0] [64, 128], %C
        inst <wgmma_ss> warps 4 x 1 async : !As, !Bs, !C
      %true = arith.constant true
      // CHECK: tile.gemm {{.*}} clear
      tile.gemm %As[%c0, %c0] [128, 64], %Bs[%c0, %c0] [64, 128], %C
        clear %true policy <full_row> : !As, !Bs, !C
    }
    // CHECK: tile.parallel [128, 64]
    tile.parallel [128, 64] {
    ^bb0(%i: i32, %j: i32):
      // CHECK: tile.load %{{.*}}[%{{.*}}, %{{.*}}] :
      %x = tile.load %As[%i, %j] : !As -> bf16
      // CHECK: tile.store %{{.*}} to %{{.*}}[%{{.*}}, %{{.*}}] in_bounds
      tile.store %x to %A[%i, %j] in_bounds : bf16, !A
    }
    // CHECK: tile.thread_id <x>
    %t = tile.thread_id <x>
    // CHECK: tile.access_ptr <r>
    %p = tile.access_ptr <r> %As[%c0, %c0] [128, 64] : !As
    // CHECK: tile.call_extern "touch"(%{{.*}}) : (i64) -> ()
    tile.call_extern "touch"(%p) : (i64) -> ()
    // CHECK: tile.sync_grid
    tile.sync_grid
    // CHECK: tile.atomic <max> <acq_rel> %{{.*}}[%{{.*}}] by %{{.*}} : i32 : memref<1xui32, #tile.space<shared>> -> i32
    %m = tile.alloc "m" : memref<1xui32, #tile.space<shared>>
    %old = tile.atomic <max> <acq_rel> %m[%c0] by %c0 : i32 : memref<1xui32, #tile.space<shared>> -> i32
    // CHECK: tile.atomic <load> <seq_cst> %{{.*}}[%{{.*}}] : memref
    %now = tile.atomic <load> <seq_cst> %m[%c0] : memref<1xui32, #tile.space<shared>> -> i32
    // CHECK: tile.atomic <add> <relaxed> %{{.*}}[%{{.*}}, %{{.*}}] by %{{.*}} : bf16 in_bounds : memref<?x?xbf16
    %one = arith.constant 1.0 : bf16
    tile.atomic <add> <relaxed> %A[%c0, %c0] by %one : bf16 in_bounds : !A
    // CHECK: tile.sync_threads
    tile.sync_threads
    // CHECK: tile.fence_proxy_async
    tile.fence_proxy_async
  }
}
