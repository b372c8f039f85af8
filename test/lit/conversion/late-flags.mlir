// RUN: tlc-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-plan-pipelines,convert-tile-to-ws))' --split-input-file | FileCheck %s

// The one thread that loads asks for a flag only where the turn does not decide
// alone; the threads that use the tile have the flag anyway.

!G = memref<?x64xbf16, #tile.space<global>>
!M = memref<?xi1, #tile.space<global>>
!S = memref<64x64xbf16, #tile.space<shared>>
!A = memref<64x64xbf16, #tile.space<fragment>>
#G = affine_map<()[n] -> (n, 64)>
#M = affine_map<()[n] -> (n)>

// CHECK-LABEL: tile.kernel @late
// CHECK: ws.role "consumer"
// CHECK: %[[F:.*]] = tile.load
// CHECK: %[[BOTH:.*]] = arith.ori %{{.*}}, %[[F]]
// CHECK: scf.if %[[BOTH]]
// CHECK: ws.role "producer"
// CHECK: %[[EARLY:.*]] = arith.cmpi slt
// CHECK-NOT: tile.load
// CHECK: scf.if %[[EARLY]] {
// CHECK: tile.copy
// CHECK: } else {
// CHECK-NEXT: %[[LATE:.*]] = tile.load
// CHECK-NEXT: scf.if %[[LATE]] {
// CHECK: tile.copy
tile.kernel @late params ["G", "M"] shapes [#G, #M] symbols ["n"] {
^bb0(%G: !G, %M: !M, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %s = tile.alloc "s" : !S
    %a = tile.alloc "a" : !A
    tile.pipelined %c0 to %n stages 2 {
    ^bb0(%i: i32):
      tile.copy %G[%i, %c0] [64, 64] to %s[%c0, %c0] [64, 64] inst <tma_load> : !G, !S
      %f = tile.load %M[%i] : !M -> i1
      scf.if %f {
        tile.copy %s[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] inst <vector> : !S, !A
      }
    }
  }
}

// -----

!G = memref<?x64xbf16, #tile.space<global>>
!M = memref<?xi1, #tile.space<global>>
!S = memref<64x64xbf16, #tile.space<shared>>
!A = memref<64x64xbf16, #tile.space<fragment>>
#G = affine_map<()[n] -> (n, 64)>
#M = affine_map<()[n] -> (n)>

// A condition that the program wrote with `or`: its second operand is a number
// of the launch, and nothing is loaded later.
// CHECK-LABEL: tile.kernel @of_the_program
// CHECK: ws.role "producer"
// CHECK: %[[BOTH:.*]] = arith.ori
// CHECK: scf.if %[[BOTH]] {
// CHECK-NOT: else
// CHECK: ws.commit
tile.kernel @of_the_program params ["G", "M"] shapes [#G, #M] symbols ["n"] {
^bb0(%G: !G, %M: !M, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %s = tile.alloc "s" : !S
    %a = tile.alloc "a" : !A
    tile.pipelined %c0 to %n stages 2 {
    ^bb0(%i: i32):
      %f = tile.load %M[%i] : !M -> i1
      %g = arith.cmpi sgt, %n, %i : i32
      %either = arith.ori %f, %g : i1
      scf.if %either {
        tile.copy %G[%i, %c0] [64, 64] to %s[%c0, %c0] [64, 64] inst <tma_load> : !G, !S
        tile.copy %s[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] inst <vector> : !S, !A
      }
    }
  }
}

// -----

!G = memref<?x64xbf16, #tile.space<global>>
!M = memref<?xi1, #tile.space<global>>
!S = memref<64x64xbf16, #tile.space<shared>>
!A = memref<64x64xbf16, #tile.space<fragment>>
#G = affine_map<()[n] -> (n, 64)>
#M = affine_map<()[n] -> (n)>

// The place of the load is the flag's, too: it stays where both have it.
// CHECK-LABEL: tile.kernel @used_twice
// CHECK: ws.role "producer"
// CHECK: tile.load
// CHECK: %[[BOTH:.*]] = arith.ori
// CHECK: scf.if %[[BOTH]] {
// CHECK-NOT: else
// CHECK: ws.commit
tile.kernel @used_twice params ["G", "M"] shapes [#G, #M] symbols ["n"] {
^bb0(%G: !G, %M: !M, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %s = tile.alloc "s" : !S
    %a = tile.alloc "a" : !A
    tile.pipelined %c0 to %n stages 2 {
    ^bb0(%i: i32):
      %f = tile.load %M[%i] : !M -> i1
      %w = arith.extui %f : i1 to i32
      %at = arith.addi %i, %w : i32
      tile.copy %G[%at, %c0] [64, 64] to %s[%c0, %c0] [64, 64] inst <tma_load> : !G, !S
      scf.if %f {
        tile.copy %s[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] inst <vector> : !S, !A
      }
    }
  }
}
