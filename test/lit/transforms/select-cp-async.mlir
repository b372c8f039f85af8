// RUN: tlc-opt %s --tile-select-instructions="cp-async" --tile-infer-layouts \
// RUN:   --tile-plan-pipelines | FileCheck %s

// Which copies are made by cp.async: all threads make them, so that no warp is
// left to itself even where that is allowed.

!A = memref<?x64xbf16, #tile.space<global>>
!N = memref<?x4xbf16, #tile.space<global>>
!F = memref<?x64xf32, #tile.space<global>>
!S = memref<64x64xbf16, #tile.space<shared>>
!T = memref<64x4xbf16, #tile.space<shared>>
!R = memref<64x64xf32, #tile.space<fragment>>
!Q = memref<64x4xf32, #tile.space<fragment>>
#A = affine_map<()[n] -> (n, 64)>
#N = affine_map<()[n] -> (n, 4)>

// CHECK-LABEL: tile.kernel @whole
// CHECK: tile.alloc "s" swizzle <b128>
// CHECK: plan <pipelined> reason "the threads make the copy at line {{[0-9]+}} by cp.async"
// CHECK: tile.copy {{.*}} inst <cp_async> ring "s" reason "a tile of 64x64 is loaded by cp.async, as the options ask"
// CHECK: inst <vector> reason "only loads from global to shared memory are asynchronous"
tile.kernel @whole params ["A"] shapes [#A] symbols ["n"] {
^bb0(%A: !A, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %s = tile.alloc "s" : !S
    %f = tile.alloc "f" : !R
    tile.pipelined %c0 to %n stages 2 {
    ^bb0(%i: i32):
      tile.copy %A[%i, %c0] [64, 64] to %s[%c0, %c0] [64, 64] : !A, !S
      tile.copy %s[%c0, %c0] [64, 64] to %f[%c0, %c0] [64, 64] : !S, !R
    }
  }
}

// Rows of 8 bytes, a conversion, and a tile that is filled in parts.
// CHECK-LABEL: tile.kernel @parts
// CHECK: plan <sequential>
// CHECK: inst <vector> reason "neighbours come in pieces of 8 bytes, cp.async moves 16"
// CHECK: inst <vector> reason "float32 is converted to bfloat16 on the way"
// CHECK: inst <vector> reason "it fills only a part of 's'"
// CHECK-NOT: cp_async
tile.kernel @parts params ["A", "N", "F"] shapes [#A, #N, #A] symbols ["n"] {
^bb0(%A: !A, %N: !N, %F: !F, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %s = tile.alloc "s" : !S
    %t = tile.alloc "t" : !T
    %f = tile.alloc "f" : !R
    %g = tile.alloc "g" : !Q
    tile.pipelined %c0 to %n stages 2 {
    ^bb0(%i: i32):
      tile.copy %N[%i, %c0] [64, 4] to %t[%c0, %c0] [64, 4] : !N, !T
      tile.copy %t[%c0, %c0] [64, 4] to %g[%c0, %c0] [64, 4] : !T, !Q
      tile.copy %F[%i, %c0] [64, 64] to %s[%c0, %c0] [64, 64] : !F, !S
      tile.copy %s[%c0, %c0] [64, 64] to %f[%c0, %c0] [64, 64] : !S, !R
      tile.copy %A[%i, %c0] [32, 64] to %s[%c0, %c0] [32, 64] : !A, !S
    }
  }
}
