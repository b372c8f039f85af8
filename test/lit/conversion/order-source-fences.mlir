// RUN: tlc-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-plan-pipelines{warp-specialize=true guard-loads=false},convert-tile-to-ws,ws-derive-completions,ws-derive-releases{war-fence=proxy},ws-derive-fences{war-fence=proxy},ws-derive-barriers))' | FileCheck %s
// RUN: tlc-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-plan-pipelines{warp-specialize=true guard-loads=false},convert-tile-to-ws,ws-derive-completions,ws-derive-releases{war-fence=proxy-producer},ws-derive-fences{war-fence=proxy-producer},ws-derive-barriers))' | FileCheck %s --check-prefix=PRODUCER

// What the program says about order is obeyed (sync.md 3.5).

// An extern that declares a read of the slot is its last use.
// CHECK-LABEL: tile.kernel @declared
// CHECK: %[[H:.*]], %[[HV:.*]] = ws.wait
// CHECK-NEXT: tile.copy %[[HV]]
// CHECK-NEXT: tile.access_ptr <r> %[[HV]]
// CHECK-NEXT: tile.call_extern "touch"
// CHECK-NEXT: ws.fence <proxy_async>(%[[HV]]
// CHECK-NEXT: ws.release %[[H]] reason "last used by the T.call_extern

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

tile.kernel @declared params ["ht", "mt", "mask", "cp"]
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
      %p = tile.access_ptr <r> %hs[%c0, %c0] [128, 32] : !hs
      tile.call_extern "touch"(%p) : (i64) -> ()
      tile.copy %mt[%i, %c0, %c0] [1, 128, 128] to %ms[%c0, %c0] [128, 128]
        inst <tma_load> : !mt, !ms
      scf.if %f {
        tile.gemm %ms[%c0, %c0] [128, 128], %hd[%c0, %c0] [128, 32], %h
          inst <wgmma_ss> warps 4 x 1 : !ms, !hs, !h
      }
    }
  }
}

// A fence without a slot that follows the last use is before the release, and
// is the fence: no second one.
// CHECK-LABEL: tile.kernel @slotless
// CHECK: %[[H:.*]], %[[HV:.*]] = ws.wait
// CHECK-NEXT: tile.copy %[[HV]]
// CHECK-NEXT: ws.fence <proxy_async> source
// CHECK-NEXT: ws.release %[[H]] reason "{{.*}}, ordered by the

tile.kernel @slotless params ["ht", "mt", "mask", "cp"]
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
      tile.fence_proxy_async
      tile.copy %mt[%i, %c0, %c0] [1, 128, 128] to %ms[%c0, %c0] [128, 128]
        inst <tma_load> : !mt, !ms
      scf.if %f {
        tile.gemm %ms[%c0, %c0] [128, 128], %hd[%c0, %c0] [128, 32], %h
          inst <wgmma_ss> warps 4 x 1 : !ms, !hs, !h
      }
    }
  }
}

// An extern without pointers might be a fence: it keeps the slot.
// CHECK-LABEL: tile.kernel @helper
// CHECK: %[[H:.*]], %[[HV:.*]] = ws.wait
// CHECK-NEXT: tile.copy %[[HV]]
// CHECK-NEXT: tile.call_extern "helper"
// CHECK-NEXT: ws.fence <proxy_async>(%[[HV]]
// CHECK-NEXT: ws.release %[[H]]

tile.kernel @helper params ["ht", "mt", "mask", "cp"]
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
      tile.call_extern "helper"() : () -> ()
      tile.copy %mt[%i, %c0, %c0] [1, 128, 128] to %ms[%c0, %c0] [128, 128]
        inst <tma_load> : !mt, !ms
      scf.if %f {
        tile.gemm %ms[%c0, %c0] [128, 128], %hd[%c0, %c0] [128, 32], %h
          inst <wgmma_ss> warps 4 x 1 : !ms, !hs, !h
      }
    }
  }
}

// The fence of h's slot lies between the store of hd and the barrier before its
// product: one fence a turn serves both. Where the slot is fenced by the loader,
// one is derived for hd, in the writers and before the barrier.
// CHECK-LABEL: tile.kernel @derived_hd
// CHECK: scf.if
// CHECK: ws.barrier
// CHECK-NEXT: tile.copy
// CHECK-NEXT: }
// CHECK: ws.fence <proxy_async>
// CHECK: scf.if
// CHECK-NEXT: ws.barrier
// CHECK-NEXT: ws.mma_fence
// PRODUCER-LABEL: tile.kernel @derived_hd
// PRODUCER: scf.if
// PRODUCER: ws.barrier
// PRODUCER-NEXT: tile.copy
// PRODUCER-NEXT: }
// PRODUCER: scf.if
// PRODUCER-NEXT: ws.fence <proxy_async> reason "'hd_shared' is written by the T.copy
// PRODUCER-NEXT: ws.barrier
// PRODUCER-NEXT: ws.mma_fence

tile.kernel @derived_hd params ["ht", "mt", "mask", "cp"]
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
