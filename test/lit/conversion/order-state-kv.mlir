// RUN: tlc-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-plan-pipelines{warp-specialize=true guard-loads=false},convert-tile-to-ws,ws-derive-completions,ws-derive-releases{war-fence=proxy},ws-derive-fences{war-fence=proxy},ws-derive-barriers))' | FileCheck %s
// RUN: tlc-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-plan-pipelines{warp-specialize=true guard-loads=false},convert-tile-to-ws,ws-derive-completions,ws-derive-releases{war-fence=proxy-producer},ws-derive-fences{war-fence=proxy-producer},ws-derive-barriers))' | FileCheck %s --check-prefix=PRODUCER
// RUN: tlc-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-plan-pipelines{warp-specialize=true guard-loads=false},convert-tile-to-ws,ws-derive-completions,ws-derive-releases{war-fence=delay},ws-derive-fences{war-fence=delay},ws-derive-barriers))' | FileCheck %s --check-prefix=DELAY
// RUN: tlc-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-plan-pipelines{warp-specialize=true guard-loads=false},convert-tile-to-ws,ws-derive-completions,ws-derive-releases{war-fence=membar},ws-derive-fences{war-fence=membar},ws-derive-barriers))' 2>&1 | FileCheck %s --check-prefix=MEMBAR
// RUN: tlc-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-plan-pipelines{warp-specialize=true delay=true},convert-tile-to-ws,ws-derive-completions,ws-derive-releases{war-fence=delay},ws-derive-fences{war-fence=delay},ws-derive-barriers))' | FileCheck %s --check-prefixes=DELAY,EVERY
// RUN: tlc-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-plan-pipelines{warp-specialize=true},convert-tile-to-ws,ws-derive-completions,ws-derive-releases{war-fence=delay},ws-derive-fences{war-fence=delay},ws-derive-barriers))' | FileCheck %s --check-prefix=GUARDED

// The state chain of incident A, product on wgmma: the slot of h is read by
// ordinary loads, so a proxy fence stands between its read and its release; the
// slot of m is read through the async proxy, so its release has none.

// CHECK: ws.role "consumer" warps [0, 4]
// CHECK: scf.for
// CHECK: tile.copy
// CHECK: scf.if
// The next turn's store waits until every warp has read hd: a barrier.
// CHECK: ws.barrier reason "'hd_shared' is read by the T.gemm
// CHECK-NEXT: tile.copy
// CHECK-NEXT: ws.fence <proxy_async> source
// CHECK: %[[H:.*]], %[[HV:.*]] = ws.wait
// CHECK-NEXT: tile.copy %[[HV]]
// CHECK-NEXT: ws.fence <proxy_async>(%[[HV]]
// CHECK-NEXT: ws.release %[[H]] reason "last used by the T.copy at line
// CHECK: %[[M:.*]], %[[MV:.*]] = ws.wait
// CHECK-NEXT: scf.if
// CHECK-NEXT: ws.barrier reason "'hd_shared' is written by the T.copy
// CHECK-NEXT: ws.mma_fence
// CHECK-NEXT: tile.gemm %[[MV]]{{.*}} async
// CHECK-NEXT: ws.mma_wait 0
// CHECK-NEXT: }
// CHECK-NEXT: ws.release %[[M]] reason "last used by the if at line
// CHECK: ws.role "producer" warps [4, 2]
// CHECK: ws.role "load_h_shared" warps [4, 1]
// CHECK: %[[W:.*]], %[[V:.*]] = ws.acquire
// CHECK-NEXT: tile.copy {{.*}} to %[[V]]
// CHECK-NEXT: ws.commit %[[W]]
// CHECK: ws.role "load_m_shared" warps [5, 1]
// CHECK-NOT: ws.fence

// The loader fences after it has acquired the slot, for h only.
// PRODUCER: ws.wait
// PRODUCER-NEXT: tile.copy
// PRODUCER-NEXT: ws.release
// PRODUCER: ws.role "load_h_shared"
// PRODUCER: ws.acquire
// PRODUCER-NEXT: ws.fence <proxy_async>
// PRODUCER-NEXT: tile.copy
// PRODUCER: ws.role "load_m_shared"
// PRODUCER: ws.acquire
// PRODUCER-NEXT: tile.copy

// The release of h moves behind the wait for m.
// DELAY: %[[H:.*]], %{{.*}} = ws.wait
// DELAY-NEXT: tile.copy
// DELAY-NEXT: ws.wait
// DELAY-NEXT: ws.release %[[H]] reason "{{.*}}delayed past the next wait"

// For that every turn waits for m, whatever its flag says.
// EVERY: ws.role "load_m_shared"
// EVERY-NOT: scf.if
// EVERY: tile.copy {{.*}} ring "m_shared" reason "loaded in every turn: the release of 'h_shared' is delayed past the wait for it"

// Where m is waited for in some turns only there is nothing to delay past: h is
// fenced, and says why.
// GUARDED: %[[H:.*]], %[[HV:.*]] = ws.wait
// GUARDED-NEXT: tile.copy %[[HV]]
// GUARDED-NEXT: ws.fence <proxy_async>(%[[HV]]
// GUARDED-NEXT: ws.release %[[H]] reason "last used by the T.copy at {{.*}}, with no wait after it in the turn to delay it past" fence "derived
// GUARDED: scf.if
// GUARDED-NEXT: ws.wait

// MEMBAR: warning: membar.cta does not protect the slot of 'h_shared'
// MEMBAR: ws.fence <membar>

!ht = memref<?x128x32xbf16, #tile.space<global>>
!mt = memref<?x128x128xbf16, #tile.space<global>>
!cp = memref<?x128x32xf32, #tile.space<global>>
!mask = memref<?xi1, #tile.space<global>>
!h = memref<128x32xf32, #tile.space<fragment>>
!hs = memref<128x32xbf16, #tile.space<shared>>
!ms = memref<128x128xbf16, #tile.space<shared>>
#ht = affine_map<()[n] -> (n, 128, 32)>
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
      tile.copy %h[%c0, %c0] [128, 32] to %cp[%i, %c0, %c0] [1, 128, 32]
        inst <vector> : !h, !cp
      %f = tile.load %mask[%i] : !mask -> i1
      scf.if %f {
        tile.copy %h[%c0, %c0] [128, 32] to %hd[%c0, %c0] [128, 32]
          inst <vector> : !h, !hs
        tile.fence_proxy_async
      }
      tile.copy %ht[%i, %c0, %c0] [1, 128, 32] to %hs[%c0, %c0] [128, 32]
        inst <tma_load> : !ht, !hs
      tile.copy %hs[%c0, %c0] [128, 32] to %h[%c0, %c0] [128, 32]
        inst <vector> : !hs, !h
      tile.copy %mt[%i, %c0, %c0] [1, 128, 128] to %ms[%c0, %c0] [128, 128]
        inst <tma_load> : !mt, !ms
      scf.if %f {
        tile.gemm %ms[%c0, %c0] [128, 128], %hd[%c0, %c0] [128, 32], %h
          inst <wgmma_ss> warps 4 x 1 : !ms, !hs, !h
      }
    }
  }
}
