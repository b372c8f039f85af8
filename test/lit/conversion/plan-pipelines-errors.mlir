// RUN: tlc-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-plan-pipelines))' --split-input-file --verify-diagnostics

// An instruction that the program asks for is used or refused.

!A = memref<?x64xbf16, #tile.space<global>>
!S = memref<64x64xbf16, #tile.space<shared>>
!F = memref<64x64xf32, #tile.space<fragment>>
#A = affine_map<()[n] -> (n, 64)>

tile.kernel @outside params ["A"] shapes [#A] symbols ["n"] {
^bb0(%A: !A, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %s = tile.alloc "s" : !S
    %t = tile.alloc "t" : !S
    // expected-error @below {{T.copy: cp.async cannot be used here: loads are asynchronous only where a pipelined loop uses their tile in the same turn}}
    tile.copy %A[%bx, %c0] [64, 64] to %s[%c0, %c0] [64, 64] prefer_cp_async inst <cp_async> : !A, !S
    // expected-error @below {{T.copy: TMA cannot be used here: loads are asynchronous only where a pipelined loop uses their tile in the same turn}}
    tile.copy %A[%bx, %c0] [64, 64] to %t[%c0, %c0] [64, 64] prefer_tma inst <tma_load> : !A, !S
  }
}

// -----

!A = memref<?x64xbf16, #tile.space<global>>
!S = memref<64x64xbf16, #tile.space<shared>>
!F = memref<64x64xf32, #tile.space<fragment>>
#A = affine_map<()[n] -> (n, 64)>

tile.kernel @inside params ["A"] shapes [#A] symbols ["n"] {
^bb0(%A: !A, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %s = tile.alloc "s" : !S
    %f = tile.alloc "f" : !F
    tile.pipelined %c0 to %n stages 2 {
    ^bb0(%i: i32):
      tile.copy %s[%c0, %c0] [64, 64] to %f[%c0, %c0] [64, 64] inst <vector> : !S, !F
      // expected-error @below {{T.copy: cp.async cannot be used here: fills 's', which is used before it at line}}
      tile.copy %A[%i, %c0] [64, 64] to %s[%c0, %c0] [64, 64] prefer_cp_async inst <cp_async> : !A, !S
    }
  }
}

// -----

!A = memref<?x64xbf16, #tile.space<global>>
!S = memref<64x64xbf16, #tile.space<shared>>
#A = affine_map<()[n] -> (n, 64)>

tile.kernel @no_stages params ["A"] shapes [#A] symbols ["n"] {
^bb0(%A: !A, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %s = tile.alloc "s" : !S
    tile.pipelined %c0 to %n stages 0 {
    ^bb0(%i: i32):
      // expected-error @below {{T.copy: TMA cannot be used here: loads are asynchronous only where}}
      tile.copy %A[%i, %c0] [64, 64] to %s[%c0, %c0] [64, 64] prefer_tma inst <tma_load> : !A, !S
    }
  }
}
