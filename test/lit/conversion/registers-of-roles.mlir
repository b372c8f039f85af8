// RUN: tlc-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-plan-pipelines,convert-tile-to-ws))' | FileCheck %s

// Registers move to the consumers only where they gain some.

!A = memref<?x64xbf16, #tile.space<global>>
!S = memref<64x64xbf16, #tile.space<shared>>
#A = affine_map<()[n] -> (n, 64)>

// Two warpgroups with 256 registers of fragments each thread: more than the 224
// of a launch of 288 threads, so the producer is a warpgroup and gives its own.
// CHECK-LABEL: tile.kernel @two_warpgroups
// CHECK: ws.role "consumer" warps [0, 8] registers 240
// CHECK: ws.role "producer" warps [8, 4] registers 24
tile.kernel @two_warpgroups params ["A"] shapes [#A] symbols ["n"] {
^bb0(%A: !A, %n: i32):
  tile.launch grid(%n) threads [256, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %s = tile.alloc "s" : !S
    %f = tile.alloc "f" : memref<256x256xf32, #tile.space<fragment>>
    tile.pipelined %c0 to %n stages 2 {
    ^bb0(%i: i32):
      tile.copy %A[%i, %c0] [64, 64] to %s[%c0, %c0] [64, 64] inst <tma_load> : !A, !S
      tile.copy %s[%c0, %c0] [64, 64] to %f[%c0, %c0] [64, 64] inst <vector> : !S, memref<256x256xf32, #tile.space<fragment>>
    }
  }
}

// One warpgroup starts with all a thread can have: 240 would take some away.
// CHECK-LABEL: tile.kernel @one_warpgroup
// CHECK: ws.role "consumer" warps [0, 4] {
// CHECK: ws.role "producer" warps [4, 1] {
tile.kernel @one_warpgroup params ["A"] shapes [#A] symbols ["n"] {
^bb0(%A: !A, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %s = tile.alloc "s" : !S
    %f = tile.alloc "f" : memref<128x256xf32, #tile.space<fragment>>
    tile.pipelined %c0 to %n stages 2 {
    ^bb0(%i: i32):
      tile.copy %A[%i, %c0] [64, 64] to %s[%c0, %c0] [64, 64] inst <tma_load> : !A, !S
      tile.copy %s[%c0, %c0] [64, 64] to %f[%c0, %c0] [64, 64] inst <vector> : !S, memref<128x256xf32, #tile.space<fragment>>
    }
  }
}
