// RUN: tlc-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-plan-pipelines{warp-specialize=true},convert-tile-to-ws,ws-derive-completions,ws-derive-releases{war-fence=proxy},ws-derive-fences{war-fence=proxy},ws-derive-barriers))' | FileCheck %s
// RUN: tlc-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-plan-pipelines{warp-specialize=false},convert-tile-to-ws,ws-derive-completions,ws-derive-releases{war-fence=proxy},ws-derive-fences{war-fence=proxy},ws-derive-barriers))' | FileCheck %s --check-prefix=ONE

// With 32 rows the product is mma.sync: m is read by ldmatrix, through the
// generic proxy, so its release needs a fence too, under the branch that reads.

// CHECK: %[[H:.*]], %[[HV:.*]] = ws.wait
// CHECK-NEXT: tile.copy %[[HV]]
// CHECK-NEXT: ws.fence <proxy_async>(%[[HV]]
// CHECK-NEXT: ws.release %[[H]]
// CHECK: %[[M:.*]], %[[MV:.*]] = ws.wait
// CHECK-NEXT: scf.if
// CHECK: tile.gemm
// CHECK-NEXT: ws.fence <proxy_async>(%[[MV]] {{.*}}'m_shared' is read by the T.gemm
// CHECK-NEXT: }
// CHECK-NEXT: ws.release %[[M]]

// One role: two turns are filled before the loop, then the turn two later at
// the end of each turn.
// ONE: ws.role "block" warps [0, 4]
// ONE: arith.minsi
// ONE-NEXT: scf.for
// ONE-NEXT: ws.elect
// ONE: ws.acquire
// ONE-NEXT: tile.copy
// ONE-NEXT: ws.commit
// ONE: scf.for
// ONE: ws.wait
// ONE: ws.release
// ONE: ws.wait
// ONE: ws.release
// ONE: %[[NEXT:.*]] = arith.addi
// ONE-NEXT: %[[MORE:.*]] = arith.cmpi slt, %[[NEXT]]
// ONE-NEXT: scf.if %[[MORE]]
// ONE-NEXT: ws.elect
// ONE: ws.acquire

!ht = memref<?x32x128xbf16, #tile.space<global>>
!mt = memref<?x128x128xbf16, #tile.space<global>>
!cp = memref<?x32x128xf32, #tile.space<global>>
!mask = memref<?xi1, #tile.space<global>>
!h = memref<32x128xf32, #tile.space<fragment>>
!hs = memref<32x128xbf16, #tile.space<shared>>
!ms = memref<128x128xbf16, #tile.space<shared>>
#ht = affine_map<()[n] -> (n, 32, 128)>
#mt = affine_map<()[n] -> (n, 128, 128)>
#mask = affine_map<()[n] -> (n)>

tile.kernel @state params ["ht", "mt", "mask", "cp"]
    shapes [#ht, #mt, #mask, #ht] symbols ["n"] {
^bb0(%ht: !ht, %mt: !mt, %mask: !mask, %cp: !cp, %n: i32):
  %c1 = arith.constant 1 : i32
  tile.launch grid(%c1) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %h = tile.alloc "h" : !h
    %hs = tile.alloc "h_shared" : !hs
    %ms = tile.alloc "m_shared" : !ms
    %hd = tile.alloc "hd_shared" : !hs
    tile.pipelined %c0 to %n stages 2 {
    ^bb0(%i: i32):
      tile.copy %h[%c0, %c0] [32, 128] to %cp[%i, %c0, %c0] [1, 32, 128]
        inst <vector> : !h, !cp
      %f = tile.load %mask[%i] : !mask -> i1
      scf.if %f {
        tile.copy %h[%c0, %c0] [32, 128] to %hd[%c0, %c0] [32, 128]
          inst <vector> : !h, !hs
        tile.fence_proxy_async
      }
      tile.copy %ht[%i, %c0, %c0] [1, 32, 128] to %hs[%c0, %c0] [32, 128]
        inst <tma_load> : !ht, !hs
      tile.copy %hs[%c0, %c0] [32, 128] to %h[%c0, %c0] [32, 128]
        inst <vector> : !hs, !h
      tile.copy %mt[%i, %c0, %c0] [1, 128, 128] to %ms[%c0, %c0] [128, 128]
        inst <tma_load> : !mt, !ms
      scf.if %f {
        tile.gemm %hd[%c0, %c0] [32, 128], %ms[%c0, %c0] [128, 128] trans_b, %h
          inst <mma_sync> warps 2 x 2 : !hs, !ms, !h
      }
    }
  }
}
