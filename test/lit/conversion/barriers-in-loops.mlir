// RUN: tlc-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-plan-pipelines,convert-tile-to-ws,ws-derive-completions,ws-derive-releases,ws-derive-fences,ws-derive-barriers))' --split-input-file --verify-diagnostics | FileCheck %s

// Barriers between threads of a role, on every path and over back edges.

!S = memref<64x64xbf16, #tile.space<shared>>
!F = memref<64x64xbf16, #tile.space<fragment>>
!G = memref<?x64xbf16, #tile.space<global>>
#G = affine_map<()[n] -> (n, 64)>

// Write, then read: one barrier between; read, then write of the next turn: one
// before the write. The first turn has it too.
// CHECK-LABEL: tile.kernel @back_edge
// CHECK: scf.for
// CHECK-NEXT: ws.barrier reason "'s' is read by
// CHECK-NEXT: tile.copy
// CHECK-NEXT: ws.barrier reason "'s' is written by
// CHECK-NEXT: tile.copy
// CHECK-NOT: ws.barrier
// CHECK: }
tile.kernel @back_edge params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [64, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %s = tile.alloc "s" : !S
    %f = tile.alloc "f" : !F
    scf.for %i = %c0 to %n step %c1 : i32 {
      tile.copy %f[%c0, %c0] [64, 64] to %s[%c0, %c0] [64, 64] : !F, !S
      tile.copy %s[%c0, %c0] [64, 64] to %f[%c0, %c0] [64, 64] : !S, !F
    }
  }
}

// A write in one branch only still asks for the barrier before the read.
// CHECK-LABEL: tile.kernel @one_branch
// CHECK: scf.if
// CHECK-NEXT: tile.copy
// CHECK-NEXT: }
// CHECK-NEXT: ws.barrier
// CHECK-NEXT: tile.copy
tile.kernel @one_branch params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [64, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %some = arith.cmpi sgt, %n, %c0 : i32
    %s = tile.alloc "s" : !S
    %f = tile.alloc "f" : !F
    scf.if %some {
      tile.copy %f[%c0, %c0] [64, 64] to %s[%c0, %c0] [64, 64] : !F, !S
    }
    tile.copy %s[%c0, %c0] [64, 64] to %f[%c0, %c0] [64, 64] : !S, !F
  }
}

// A barrier that the program wrote is enough.
// CHECK-LABEL: tile.kernel @written
// CHECK: tile.copy
// CHECK-NEXT: ws.barrier source
// CHECK-NEXT: tile.copy
tile.kernel @written params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [64, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %s = tile.alloc "s" : !S
    %f = tile.alloc "f" : !F
    tile.copy %f[%c0, %c0] [64, 64] to %s[%c0, %c0] [64, 64] : !F, !S
    tile.sync_threads
    tile.copy %s[%c0, %c0] [64, 64] to %f[%c0, %c0] [64, 64] : !S, !F
  }
}

// Global memory that the block writes and reads back is ordered as well; a
// tensor that it only writes, a whole tile a turn, is not.
// CHECK-LABEL: tile.kernel @global
// CHECK: tile.copy
// CHECK-NEXT: ws.barrier reason "'A' is written by
// CHECK-NEXT: tile.copy
// CHECK: scf.for
// CHECK-NEXT: tile.copy
// CHECK-NEXT: }
tile.kernel @global params ["A", "B"] shapes [#G, affine_map<()[n] -> (n, 64, 64)>] symbols ["n"] {
^bb0(%A: !G, %B: memref<?x64x64xbf16, #tile.space<global>>, %n: i32):
  tile.launch grid(%n) threads [64, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %f = tile.alloc "f" : !F
    tile.copy %f[%c0, %c0] [64, 64] to %A[%c0, %c0] [64, 64] : !F, !G
    tile.copy %A[%bx, %c0] [64, 64] to %f[%c0, %c0] [64, 64] : !G, !F
    scf.for %i = %c0 to %n step %c1 : i32 {
      tile.copy %f[%c0, %c0] [64, 64] to %B[%i, %c0, %c0] [1, 64, 64] : !F, memref<?x64x64xbf16, #tile.space<global>>
    }
  }
}

// -----

tile.kernel @divergent params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [64, 1, 1] {
  ^bb0(%bx: i32):
    %tx = tile.thread_id <x>
    %some = arith.cmpi sgt, %n, %tx : i32
    // expected-note@+1 {{the condition is here}}
    scf.if %some {
      // expected-error@+1 {{T.sync_threads under a condition that depends on the thread would never complete}}
      tile.sync_threads
    }
  }
}
