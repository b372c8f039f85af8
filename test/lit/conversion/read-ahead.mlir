// RUN: tlc-opt %s --pass-pipeline='builtin.module(tile.kernel(ws-read-ahead{most-elements=64}))' | FileCheck %s
// RUN: tlc-opt %s --pass-pipeline='builtin.module(tile.kernel(ws-read-ahead{most-elements=64}))' \
// RUN:   --remarks-filter=".*" --remark-policy=all --remark-format=emitRemark \
// RUN:   -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// RUN: tlc-opt %s --pass-pipeline='builtin.module(tile.kernel(ws-read-ahead))' \
// RUN:   --remarks-filter=".*" --remark-policy=all --remark-format=emitRemark \
// RUN:   -o /dev/null 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: the slot of 'h' is not read one turn early: a thread would keep 32 elements of it, more than 16

// A slot that threads load into a fragment is read one turn early, while the
// products of the turn before run: once before the loop if it has a turn, and
// once on each path of a turn if another one follows.

!H = memref<128x32xbf16, #tile.space<shared>>
!A = memref<64x64xbf16, #tile.space<shared>>
!B = memref<64x32xbf16, #tile.space<shared>>
!C = memref<64x32xf32, #tile.space<fragment>>
!F = memref<128x32xf32, #tile.space<fragment>>

// CHECK-LABEL: tile.kernel @plain
// CHECK: ws.role "consumer"
// CHECK-NEXT: %[[AHEAD:.*]] = tile.alloc "h_ahead" : memref<128x32xbf16, #tile.space<fragment>>
// CHECK: %[[ANY:.*]] = arith.cmpi slt, %c0_i32, %[[N:.*]] : i32
// CHECK-NEXT: scf.if %[[ANY]] {
// CHECK-NEXT: %[[T:.*]], %[[V:.*]] = ws.wait
// CHECK: tile.copy %[[V]][{{.*}}] [128, 32] to %[[AHEAD]][{{.*}}] [128, 32] inst <vector>
// CHECK-NEXT: ws.release %[[T]] reason "read, one turn early"
// CHECK-NEXT: }
// CHECK-NEXT: scf.for %[[I:.*]] = %c0_i32 to %[[N]] step %[[STEP:.*]] : i32
// CHECK-NEXT: %[[NEXT:.*]] = arith.addi %[[I]], %[[STEP]]
// CHECK-NEXT: tile.copy %[[AHEAD]][{{.*}}] [128, 32] to %{{.*}}[{{.*}}] [128, 32] inst <vector> reason "read in the turn before"
// CHECK-NEXT: ws.mma_fence
// CHECK-NEXT: tile.gemm
// CHECK-NEXT: %[[MORE:.*]] = arith.cmpi slt, %[[NEXT]], %[[N]]
// CHECK-NEXT: scf.if %[[MORE]] {
// CHECK-NEXT: ws.wait
// CHECK: tile.copy {{.*}} to %[[AHEAD]][
// CHECK-NEXT: ws.release
// CHECK-NEXT: }
// CHECK-NEXT: ws.mma_wait 0
// CHECK-NEXT: }
// REMARK: Category:read-ahead {{.*}}the slot of 'h' is read one turn early, while the product at
tile.kernel @plain params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %h = tile.alloc "h" : !H
    %a = tile.alloc "a" : !A
    %b = tile.alloc "b" : !B
    %rh = ws.ring "h" depth 2 (%h) : !H
    %ra = ws.ring "a" depth 2 (%a) : !A
    ws.role "consumer" warps [0, 4] {
      %f = tile.alloc "f" : !F
      %c = tile.alloc "c" : !C
      scf.for %i = %c0 to %n step %c1 : i32 {
        %t, %v = ws.wait %rh : !H
        tile.copy %v[%c0, %c0] [128, 32] to %f[%c0, %c0] [128, 32] inst <vector> : !H, !F
        ws.release %t reason "read"
        ws.mma_fence
        tile.gemm %a[%c0, %c0] [64, 64], %b[%c0, %c0] [64, 32], %c inst <wgmma_ss> warps 4 x 1 async : !A, !B, !C
        ws.mma_wait 0
      } {ws.plan = #tile.plan<warp_specialized>}
    }
  }
}

// The branch, and both paths around it; what was there comes first.
// CHECK-LABEL: tile.kernel @in_a_branch
// CHECK: scf.for
// CHECK-NOT: ws.wait
// CHECK: scf.if
// CHECK-NEXT: scf.if
// CHECK-NEXT: ws.mma_fence
// CHECK-NEXT: tile.gemm
// CHECK: scf.if
// CHECK-NEXT: ws.wait
// CHECK: ws.mma_wait
// CHECK-NEXT: } else {
// CHECK-NEXT: ws.barrier reason "the other path"
// CHECK: scf.if
// CHECK-NEXT: ws.wait
// CHECK: ws.release
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: } else {
// CHECK: scf.if
// CHECK-NEXT: ws.wait
// CHECK: ws.release
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: } {ws.plan
// REMARK: is read one turn early
tile.kernel @in_a_branch params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %h = tile.alloc "h" : !H
    %a = tile.alloc "a" : !A
    %b = tile.alloc "b" : !B
    %rh = ws.ring "h" depth 2 (%h) : !H
    %ra = ws.ring "a" depth 2 (%a) : !A
    ws.role "consumer" warps [0, 4] {
      %f = tile.alloc "f" : !F
      %c = tile.alloc "c" : !C
      %some = arith.cmpi sgt, %n, %c1 : i32
      scf.for %i = %c0 to %n step %c1 : i32 {
        %t, %v = ws.wait %rh : !H
        tile.copy %v[%c0, %c0] [128, 32] to %f[%c0, %c0] [128, 32] inst <vector> : !H, !F
        ws.release %t reason "read"
        %odd = arith.andi %i, %c1 : i32
        %flag = arith.cmpi ne, %odd, %c0 : i32
        scf.if %flag {
          scf.if %some {
            ws.mma_fence
            tile.gemm %a[%c0, %c0] [64, 64], %b[%c0, %c0] [64, 32], %c inst <wgmma_ss> warps 4 x 1 async : !A, !B, !C
            ws.mma_wait 0
          } else {
            ws.barrier reason "the other path"
          }
        }
      } {ws.plan = #tile.plan<warp_specialized>}
    }
  }
}

// Of two products the last one, which gives the load of the slot more time.
// CHECK-LABEL: tile.kernel @last_of_two
// CHECK: scf.for
// CHECK: tile.gemm
// CHECK-NEXT: ws.mma_wait
// CHECK: tile.gemm
// CHECK: ws.wait
// CHECK: ws.mma_wait
// REMARK: is read one turn early
tile.kernel @last_of_two params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %h = tile.alloc "h" : !H
    %a = tile.alloc "a" : !A
    %b = tile.alloc "b" : !B
    %rh = ws.ring "h" depth 2 (%h) : !H
    %ra = ws.ring "a" depth 2 (%a) : !A
    ws.role "consumer" warps [0, 4] {
      %f = tile.alloc "f" : !F
      %c = tile.alloc "c" : !C
      scf.for %i = %c0 to %n step %c1 : i32 {
        %t, %v = ws.wait %rh : !H
        tile.copy %v[%c0, %c0] [128, 32] to %f[%c0, %c0] [128, 32] inst <vector> : !H, !F
        ws.release %t reason "read"
        ws.mma_fence
        tile.gemm %a[%c0, %c0] [64, 64], %b[%c0, %c0] [64, 32], %c inst <wgmma_ss> warps 4 x 1 async : !A, !B, !C
        ws.mma_wait 0
        ws.mma_fence
        tile.gemm %a[%c0, %c0] [64, 64], %b[%c0, %c0] [64, 32], %c inst <wgmma_ss> warps 4 x 1 async : !A, !B, !C
        ws.mma_wait 0
      } {ws.plan = #tile.plan<warp_specialized>}
    }
  }
}
