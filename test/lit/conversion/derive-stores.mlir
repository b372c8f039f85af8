// RUN: tlc-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-plan-pipelines,convert-tile-to-ws,ws-derive-completions,ws-derive-stores,ws-derive-releases,ws-derive-fences,ws-derive-barriers))' | FileCheck %s
// RUN: tlc-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-plan-pipelines,convert-tile-to-ws,ws-derive-completions,ws-derive-stores,ws-derive-releases,ws-derive-fences,ws-derive-barriers,convert-ws-to-sm,verify-sm))' | FileCheck %s --check-prefix=SM

// Tensor stores: the writes of a tile, then a fence, a barrier and the store; a
// wait for its reads and a barrier before the tile is written again; a wait for
// the whole store before its tensor is used; a wait at the end.

!S = memref<64x64xbf16, #tile.space<shared>>
!F = memref<64x64xbf16, #tile.space<fragment>>
!G = memref<?x64xbf16, #tile.space<global>>
#G = affine_map<()[n] -> (n, 64)>

// CHECK-LABEL: tile.kernel @turns
// CHECK: scf.for
// CHECK: ws.store_wait 0 read(%[[S:.*]] : {{.*}}) reason "'s' is read by the T.copy at {{.*}}; the T.copy at {{.*}} writes it"
// CHECK-NEXT: ws.barrier reason "'s' is read by the TMA store at {{.*}}"
// CHECK-NEXT: tile.copy {{.*}} to %[[S]]
// CHECK-NEXT: ws.fence <proxy_async> reason "'s' is written by the
// CHECK-NEXT: ws.barrier
// CHECK-NEXT: tile.copy %[[S]]{{.*}} inst <tma_store>
// CHECK-NEXT: }
// CHECK-NEXT: ws.store_wait 0 read(%[[S]] : {{.*}}) reason "the shared memory of the block lives until the
// CHECK-NOT: ws.
// SM-LABEL: tile.kernel @turns
// SM: scf.for
// SM: sm.elect {
// SM-NEXT: sm.bulk_wait 0 read
// SM-NEXT: }
// SM-NEXT: sm.bar_sync 0 threads 64
// SM-NEXT: tile.copy
// SM-NEXT: sm.fence_proxy_async
// SM-NEXT: sm.bar_sync 0 threads 64
// SM-NEXT: sm.elect {
// SM-NEXT: sm.tma_store
// SM-NEXT: sm.bulk_commit
// SM-NEXT: }
// SM-NEXT: }
// SM-NEXT: sm.elect {
// SM-NEXT: sm.bulk_wait 0 read
tile.kernel @turns params ["G"] shapes [#G] symbols ["n"] {
^bb0(%G: !G, %n: i32):
  tile.launch grid(%n) threads [64, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %s = tile.alloc "s" : !S
    %f = tile.alloc "f" : !F
    scf.for %i = %c0 to %n step %c1 : i32 {
      %row = arith.muli %i, %c64 : i32
      tile.copy %f[%c0, %c0] [64, 64] to %s[%c0, %c0] [64, 64] : !F, !S
      tile.copy %s[%c0, %c0] [64, 64] to %G[%row, %c0] [64, 64] inst <tma_store> : !S, !G
    }
  }
}

// Two tiles by turns: the store of the other one goes on.
// CHECK-LABEL: tile.kernel @two_tiles
// CHECK: scf.for
// CHECK-NEXT: arith.muli
// CHECK-NEXT: arith.addi
// CHECK-NEXT: ws.store_wait 1 read(%[[A:.*]] : {{.*}}) reason "'a' is read
// CHECK: tile.copy %{{.*}} to %[[A]]
// CHECK: tile.copy %[[A]]{{.*}} inst <tma_store>
// CHECK: ws.store_wait 1 read(%[[B:.*]] : {{.*}}) reason "'b' is read
// CHECK: tile.copy %{{.*}} to %[[B]]
// CHECK: tile.copy %[[B]]{{.*}} inst <tma_store>
// CHECK: }
// CHECK-NEXT: ws.store_wait 0 read
tile.kernel @two_tiles params ["G", "H"] shapes [#G, #G] symbols ["n"] {
^bb0(%G: !G, %H: !G, %n: i32):
  tile.launch grid(%n) threads [64, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c128 = arith.constant 128 : i32
    %c64 = arith.constant 64 : i32
    %a = tile.alloc "a" : !S
    %b = tile.alloc "b" : !S
    %f = tile.alloc "f" : !F
    scf.for %i = %c0 to %n step %c1 : i32 {
      %row = arith.muli %i, %c128 : i32
      %next = arith.addi %row, %c64 : i32
      tile.copy %f[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] : !F, !S
      tile.copy %a[%c0, %c0] [64, 64] to %G[%row, %c0] [64, 64] inst <tma_store> : !S, !G
      tile.copy %f[%c0, %c0] [64, 64] to %b[%c0, %c0] [64, 64] : !F, !S
      tile.copy %b[%c0, %c0] [64, 64] to %H[%row, %c0] [64, 64] inst <tma_store> : !S, !G
    }
  }
}

// Turns that store to the same rows: the store of the turn before is over. What
// is stored under a flag may not have been.
// CHECK-LABEL: tile.kernel @same_place
// CHECK: scf.for
// CHECK: scf.if
// CHECK: tile.copy {{.*}} inst <tma_store>
// CHECK-NEXT: }
// CHECK: ws.store_wait 0(%{{.*}} : {{.*}}) reason "'H' is written by the T.copy at {{.*}}; the T.copy at {{.*}} writes it"
// CHECK-NOT: ws.
// CHECK: tile.copy {{.*}} inst <tma_store>
tile.kernel @same_place params ["G", "H"] shapes [#G, #G] symbols ["n"] {
^bb0(%G: !G, %H: !G, %n: i32):
  tile.launch grid(%n) threads [64, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %s = tile.alloc "s" : !S
    scf.for %i = %c0 to %n step %c1 : i32 {
      %row = arith.muli %i, %c64 : i32
      %some = arith.cmpi slt, %i, %c64 : i32
      scf.if %some {
        tile.copy %s[%c0, %c0] [64, 64] to %G[%row, %c0] [64, 64] inst <tma_store> : !S, !G
      }
      tile.copy %s[%c0, %c0] [64, 64] to %H[%c0, %c0] [64, 64] inst <tma_store> : !S, !G
    }
  }
}

// The tensor is read back: all of the store, then a barrier. Rows that the
// loop does not store are written at once.
// CHECK-LABEL: tile.kernel @read_back
// CHECK: scf.for
// CHECK: tile.copy {{.*}} inst <tma_store>
// CHECK-NEXT: }
// CHECK-NEXT: arith.muli
// CHECK-NEXT: tile.copy
// CHECK-NEXT: ws.store_wait 0(%{{.*}}, %{{.*}} : {{.*}}) reason "'G' is written by the T.copy at {{.*}}; the T.copy at {{.*}} reads it"
// CHECK-NEXT: ws.barrier reason "'G' is written by the {{.*}}"
// CHECK-NEXT: tile.copy
// CHECK-NOT: ws.
tile.kernel @read_back params ["G"] shapes [#G] symbols ["n"] {
^bb0(%G: !G, %n: i32):
  tile.launch grid(%n) threads [64, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %s = tile.alloc "s" : !S
    %f = tile.alloc "f" : !F
    scf.for %i = %c0 to %n step %c1 : i32 {
      %row = arith.muli %i, %c64 : i32
      tile.copy %s[%c0, %c0] [64, 64] to %G[%row, %c0] [64, 64] inst <tma_store> : !S, !G
    }
    %end = arith.muli %n, %c64 : i32
    tile.copy %f[%c0, %c0] [64, 64] to %G[%end, %c0] [64, 64] : !F, !G
    tile.copy %G[%c0, %c0] [64, 64] to %f[%c0, %c0] [64, 64] : !G, !F
  }
}

// A slot is handed back when the store has read it.
// CHECK-LABEL: tile.kernel @slots
// CHECK: ws.role "consumer"
// CHECK: %[[TOKEN:.*]], %[[VIEW:.*]] = ws.wait
// CHECK-NEXT: tile.copy %[[VIEW]]{{.*}} inst <tma_store>
// CHECK-NEXT: ws.store_wait 0 read(%[[VIEW]] : {{.*}}) reason "the T.copy at {{.*}} reads the slot of 's' until then"
// CHECK-NEXT: ws.release %[[TOKEN]] reason "last used by the T.copy at {{.*}}, until the wait for its reads" fence "none: 's' is read only by the T.copy
// CHECK-NOT: ws.store_wait
// CHECK: ws.role "producer"
tile.kernel @slots params ["A", "G"] shapes [#G, #G] symbols ["n"] {
^bb0(%A: !G, %G: !G, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %s = tile.alloc "s" : !S
    tile.pipelined %c0 to %n stages 2 {
    ^bb0(%i: i32):
      %row = arith.muli %i, %c64 : i32
      tile.copy %A[%row, %c0] [64, 64] to %s[%c0, %c0] [64, 64] inst <tma_load> : !G, !S
      tile.copy %s[%c0, %c0] [64, 64] to %G[%row, %c0] [64, 64] inst <tma_store> : !S, !G
    }
  }
}

// Others hear of it: an atomic after a wait and a barrier, the grid's barrier
// after a wait.
// CHECK-LABEL: tile.kernel @signals
// CHECK: tile.copy {{.*}} inst <tma_store>
// CHECK-NEXT: ws.store_wait 0({{.*}}) reason "'G' is written by the T.copy at {{.*}}; the atomic at {{.*}} may tell others that it is"
// CHECK-NEXT: ws.barrier reason "one thread has waited for the T.copy
// CHECK-NEXT: tile.atomic
// CHECK: tile.copy {{.*}} inst <tma_store>
// CHECK-NEXT: ws.store_wait 0({{.*}}) reason "{{.*}}the T.sync_grid at {{.*}} may tell others that it is"
// CHECK-NEXT: tile.sync_grid
tile.kernel @signals params ["G", "C"] shapes [#G, affine_map<()[n] -> (n)>] symbols ["n"] {
^bb0(%G: !G, %C: memref<?xi32, #tile.space<global>>, %n: i32):
  tile.launch grid(%n) threads [64, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %s = tile.alloc "s" : !S
    tile.copy %s[%c0, %c0] [64, 64] to %G[%c0, %c0] [64, 64] inst <tma_store> : !S, !G
    tile.atomic <add> <release> %C[%c0] by %c1 : i32 : memref<?xi32, #tile.space<global>>
    tile.copy %s[%c0, %c0] [64, 64] to %G[%c64, %c0] [64, 64] inst <tma_store> : !S, !G
    tile.sync_grid
  }
}

// Threads make what one of them cannot make for all: under a condition of the
// thread, where a pitch is not known to fit, after accesses of the tensor.
// CHECK-LABEL: tile.kernel @threads
// CHECK: tile.copy {{.*}} inst <vector> reason "made by the threads: whether it runs, at the if at {{.*}}, depends on the thread"
// CHECK: tile.copy {{.*}} inst <vector> reason "made by the threads: a pitch of 'W' is known only at launch, and no load by TMA asks for it to be a multiple of 16 bytes"
// CHECK: tile.copy {{.*}} inst <vector> reason "made by the threads: 'G' is used by the threads before, in the T.copy
// CHECK-NOT: ws.store_wait
tile.kernel @threads params ["G", "W"] shapes [#G, affine_map<()[n] -> (n, n)>] symbols ["n"] {
^bb0(%G: !G, %W: memref<?x?xbf16, #tile.space<global>>, %n: i32):
  tile.launch grid(%n) threads [64, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %t = tile.thread_id <x>
    %low = arith.cmpi slt, %t, %c32 : i32
    %s = tile.alloc "s" : !S
    scf.if %low {
      tile.copy %s[%c0, %c0] [64, 64] to %G[%c0, %c0] [64, 64] inst <tma_store> : !S, !G
    }
    tile.copy %s[%c0, %c0] [64, 64] to %W[%c0, %c0] [64, 64] inst <tma_store> : !S, memref<?x?xbf16, #tile.space<global>>
    tile.copy %s[%c0, %c0] [64, 64] to %G[%c0, %c0] [64, 64] inst <tma_store> : !S, !G
  }
}

// A block without a whole warp has nobody to elect.
// CHECK-LABEL: tile.kernel @few_threads
// CHECK: tile.copy {{.*}} inst <vector> reason "made by the threads: the block has 40 threads, no whole warps"
tile.kernel @few_threads params ["G"] shapes [#G] symbols ["n"] {
^bb0(%G: !G, %n: i32):
  tile.launch grid(%n) threads [40, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %s = tile.alloc "s" : !S
    tile.copy %s[%c0, %c0] [64, 64] to %G[%c0, %c0] [64, 64] inst <tma_store> : !S, !G
  }
}

// Rows of two turns overlap.
// CHECK-LABEL: tile.kernel @overlap
// CHECK: scf.for
// CHECK: ws.store_wait 0(%{{.*}} : {{.*}}) reason "'G' is written by the T.copy
// CHECK-NEXT: tile.copy {{.*}} inst <tma_store>
tile.kernel @overlap params ["G"] shapes [#G] symbols ["n"] {
^bb0(%G: !G, %n: i32):
  tile.launch grid(%n) threads [64, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c63 = arith.constant 63 : i32
    %s = tile.alloc "s" : !S
    scf.for %i = %c0 to %n step %c1 : i32 {
      %row = arith.muli %i, %c63 : i32
      tile.copy %s[%c0, %c0] [64, 64] to %G[%row, %c0] [64, 64] inst <tma_store> : !S, !G
    }
  }
}

// Each loop moves a dimension of its own; the inner one alone does not tell the
// turns of the outer one apart.
// CHECK-LABEL: tile.kernel @nested
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NOT: ws.
// CHECK: tile.copy {{.*}} inst <tma_store>
// CHECK: ws.store_wait 1(%[[H:[^ ,]*]] : {{.*}}) reason "'H' is written by the T.copy
// CHECK-NEXT: tile.copy {{.*}} to %[[H]]{{.*}} inst <tma_store>
// CHECK: ws.store_wait 0 read
tile.kernel @nested params ["G", "H"]
    shapes [affine_map<()[n] -> (n, n, 64)>, affine_map<()[n] -> (n, n, 64)>]
    symbols ["n"] {
^bb0(%G: memref<?x?x64xbf16, #tile.space<global>>, %H: memref<?x?x64xbf16, #tile.space<global>>, %n: i32):
  tile.launch grid(%n) threads [64, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %s = tile.alloc "s" : !S
    scf.for %i = %c0 to %n step %c1 : i32 {
      scf.for %j = %c0 to %n step %c64 : i32 {
        tile.copy %s[%c0, %c0] [64, 64] to %G[%i, %j, %c0] [1, 64, 64] inst <tma_store>
          : !S, memref<?x?x64xbf16, #tile.space<global>>
        tile.copy %s[%c0, %c0] [64, 64] to %H[%c0, %j, %c0] [1, 64, 64] inst <tma_store>
          : !S, memref<?x?x64xbf16, #tile.space<global>>
      }
    }
  }
}
