// RUN: tlc-opt %s --tile-select-instructions --split-input-file --verify-diagnostics

tile.kernel @forced_tma params ["P"] shapes [affine_map<()[n] -> (70, 50)>]
    symbols ["n"] {
^bb0(%P: memref<70x50xf16, #tile.space<global>>, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%b: i32):
    %c0 = arith.constant 0 : i32
    %s = tile.alloc "s" : memref<64x64xf16, #tile.space<shared>>
    // expected-error @below {{T.copy: TMA cannot be used here: the row pitch of 'P' is 100 bytes, a multiple of 16 is needed}}
    tile.copy %P[%b, %c0] [64, 64] to %s[%c0, %c0] [64, 64] prefer_tma
      : memref<70x50xf16, #tile.space<global>>, memref<64x64xf16, #tile.space<shared>>
    // expected-error @below {{T.copy: TMA cannot be used here: TMA is disabled}}
    tile.copy %P[%b, %c0] [64, 64] to %s[%c0, %c0] [64, 64] disable_tma prefer_tma
      : memref<70x50xf16, #tile.space<global>>, memref<64x64xf16, #tile.space<shared>>
  }
}

// -----

tile.kernel @sizes params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%b: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : memref<40x32xf16, #tile.space<shared>>
    %bs = tile.alloc "b" : memref<32x32xf16, #tile.space<shared>>
    %c = tile.alloc "c" : memref<40x32xf32, #tile.space<fragment>>
    // expected-error @below {{T.gemm: M is 40, a multiple of 16 is needed}}
    tile.gemm %a[%c0, %c0] [40, 32], %bs[%c0, %c0] [32, 32], %c
      : memref<40x32xf16, #tile.space<shared>>, memref<32x32xf16, #tile.space<shared>>,
        memref<40x32xf32, #tile.space<fragment>>
    %a2 = tile.alloc "a2" : memref<64x24xf16, #tile.space<shared>>
    %b2 = tile.alloc "b2" : memref<24x64xf16, #tile.space<shared>>
    %c2 = tile.alloc "c2" : memref<64x64xf32, #tile.space<fragment>>
    // expected-error @below {{T.gemm: K is 24, a multiple of 16 is needed}}
    tile.gemm %a2[%c0, %c0] [64, 24], %b2[%c0, %c0] [24, 64], %c2
      : memref<64x24xf16, #tile.space<shared>>, memref<24x64xf16, #tile.space<shared>>,
        memref<64x64xf32, #tile.space<fragment>>
    %b3 = tile.alloc "b3" : memref<32x12xf16, #tile.space<shared>>
    %a3 = tile.alloc "a3" : memref<64x32xf16, #tile.space<shared>>
    %c3 = tile.alloc "c3" : memref<64x12xf32, #tile.space<fragment>>
    // expected-error @below {{T.gemm: N is 12, a multiple of 8 is needed}}
    tile.gemm %a3[%c0, %c0] [64, 32], %b3[%c0, %c0] [32, 12], %c3
      : memref<64x32xf16, #tile.space<shared>>, memref<32x12xf16, #tile.space<shared>>,
        memref<64x12xf32, #tile.space<fragment>>
    %a4 = tile.alloc "a4" : memref<16x32xf16, #tile.space<shared>>
    %b4 = tile.alloc "b4" : memref<32x8xf16, #tile.space<shared>>
    %c4 = tile.alloc "c4" : memref<16x8xf32, #tile.space<fragment>>
    // expected-error @below {{no valid warp partition}}
    tile.gemm %a4[%c0, %c0] [16, 32], %b4[%c0, %c0] [32, 8], %c4
      : memref<16x32xf16, #tile.space<shared>>, memref<32x8xf16, #tile.space<shared>>,
        memref<16x8xf32, #tile.space<fragment>>
    %b5 = tile.alloc "b5" : memref<32x64xbf16, #tile.space<shared>>
    %c5 = tile.alloc "c5" : memref<64x64xf32, #tile.space<fragment>>
    // expected-error @below {{T.gemm: no instruction of sm_90a multiplies float16 by bfloat16 into float32}}
    tile.gemm %a3[%c0, %c0] [64, 32], %b5[%c0, %c0] [32, 64], %c5
      : memref<64x32xf16, #tile.space<shared>>, memref<32x64xbf16, #tile.space<shared>>,
        memref<64x64xf32, #tile.space<fragment>>
  }
}

// -----

tile.kernel @threads params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [48, 1, 1] {
  ^bb0(%b: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : memref<64x32xf16, #tile.space<shared>>
    %bs = tile.alloc "b" : memref<32x64xf16, #tile.space<shared>>
    %c = tile.alloc "c" : memref<64x64xf32, #tile.space<fragment>>
    // expected-error @below {{T.gemm: the number of threads is 48, a multiple of 32 is needed}}
    tile.gemm %a[%c0, %c0] [64, 32], %bs[%c0, %c0] [32, 64], %c
      : memref<64x32xf16, #tile.space<shared>>, memref<32x64xf16, #tile.space<shared>>,
        memref<64x64xf32, #tile.space<fragment>>
    %f = tile.alloc "f" : memref<64x64xf16, #tile.space<fragment>>
    // expected-error @below {{T.gemm: a part of the fragment 'f' as operand is not supported yet}}
    tile.gemm %f[%c0, %c0] [64, 32], %bs[%c0, %c0] [32, 64], %c
      : memref<64x64xf16, #tile.space<fragment>>, memref<32x64xf16, #tile.space<shared>>,
        memref<64x64xf32, #tile.space<fragment>>
  }
}

// -----

tile.kernel @forced_cp_async params ["N", "F"]
    shapes [affine_map<()[n] -> (n, 4)>, affine_map<()[n] -> (n, 64)>]
    symbols ["n"] {
^bb0(%N: memref<?x4xf16, #tile.space<global>>,
     %F: memref<?x64xf32, #tile.space<global>>, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%b: i32):
    %c0 = arith.constant 0 : i32
    %t = tile.alloc "t" : memref<512x4xf16, #tile.space<shared>>
    %s = tile.alloc "s" : memref<64x64xf16, #tile.space<shared>>
    %w = tile.alloc "w" : memref<64x64xf32, #tile.space<shared>>
    %u = tile.alloc "u" : memref<4x64xf32, #tile.space<shared>>
    %f = tile.alloc "f" : memref<64x64xf32, #tile.space<fragment>>
    // expected-error @below {{T.copy: cp.async cannot be used here: neighbours come in pieces of 8 bytes, cp.async moves 16}}
    tile.copy %N[%b, %c0] [512, 4] to %t[%c0, %c0] [512, 4] prefer_cp_async
      : memref<?x4xf16, #tile.space<global>>, memref<512x4xf16, #tile.space<shared>>
    // expected-error @below {{T.copy: cp.async cannot be used here: float32 is converted to float16 on the way}}
    tile.copy %F[%b, %c0] [64, 64] to %s[%c0, %c0] [64, 64] prefer_cp_async
      : memref<?x64xf32, #tile.space<global>>, memref<64x64xf16, #tile.space<shared>>
    // expected-error @below {{T.copy: cp.async cannot be used here: it fills only a part of 'w'}}
    tile.copy %F[%b, %c0] [32, 64] to %w[%c0, %c0] [32, 64] prefer_cp_async
      : memref<?x64xf32, #tile.space<global>>, memref<64x64xf32, #tile.space<shared>>
    // expected-error @below {{T.copy: cp.async cannot be used here: 'u' has 1024 bytes, less than 16 for each of 128 threads}}
    tile.copy %F[%b, %c0] [4, 64] to %u[%c0, %c0] [4, 64] prefer_cp_async
      : memref<?x64xf32, #tile.space<global>>, memref<4x64xf32, #tile.space<shared>>
    // expected-error @below {{T.copy: cp.async cannot be used here: only loads from global to shared memory are asynchronous}}
    tile.copy %F[%b, %c0] [64, 64] to %f[%c0, %c0] [64, 64] prefer_cp_async
      : memref<?x64xf32, #tile.space<global>>, memref<64x64xf32, #tile.space<fragment>>
    // expected-error @below {{T.copy: cp.async cannot be used here: only loads from global to shared memory are asynchronous}}
    tile.copy %w[%c0, %c0] [64, 64] to %F[%b, %c0] [64, 64] prefer_cp_async
      : memref<64x64xf32, #tile.space<shared>>, memref<?x64xf32, #tile.space<global>>
  }
}
