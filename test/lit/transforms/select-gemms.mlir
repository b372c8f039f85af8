// RUN: tlc-opt %s --tile-select-instructions=disable=transpose-product,register-operand | FileCheck %s

// Each product once: its types and sizes, then the instruction. Expected from
// the rules of PTX ISA wgmma.mma_async and mma.
// CHECK-LABEL: tile.kernel @products
// FullRow gives all warps to M, FullCol the fewest that wgmma allows.
// CHECK: policy <full_row> inst <wgmma_ss> warps 8 x 1
// CHECK: policy <full_col> inst <wgmma_ss> warps 4 x 2
// A fragment as A.
// CHECK: inst <wgmma_rs> warps 4 x 2 reason "wgmma with A in registers"
// float32 with B stored K x N.
// CHECK: inst <mma_sync> {{.*}}reason "wgmma reads float32 only with K contiguous, 'b32' has it in rows"
// int8 with B stored K x N.
// CHECK: inst <mma_sync> {{.*}}reason "wgmma reads int8 only with K contiguous, 'bi' has it in rows"
// int8 with B stored N x K.
// CHECK: inst <wgmma_ss>
// N = 8: rows of 16 bytes have no swizzle.
// CHECK: inst <mma_sync> {{.*}}reason "wgmma reads rows in pieces of 32 bytes or more
// A part known at run time.
// CHECK: inst <mma_sync> {{.*}}reason "the part of 'a' is known only at run time"
// A stage chosen at run time is no part of the matrix.
// CHECK: inst <wgmma_ss>
// The wrong products stay: one that has an instruction is left alone.
// CHECK: inst <mma_sync> warps 2 x 4 reason "mine"
tile.kernel @products params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [256, 1, 1] {
  ^bb0(%b: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : memref<128x64xf16, #tile.space<shared>>
    %bs = tile.alloc "b" : memref<64x128xf16, #tile.space<shared>>
    %c = tile.alloc "c" : memref<128x128xf32, #tile.space<fragment>>
    tile.gemm %a[%c0, %c0] [128, 64], %bs[%c0, %c0] [64, 128], %c policy <full_row>
      : memref<128x64xf16, #tile.space<shared>>, memref<64x128xf16, #tile.space<shared>>,
        memref<128x128xf32, #tile.space<fragment>>
    tile.gemm %a[%c0, %c0] [128, 64], %bs[%c0, %c0] [64, 128], %c policy <full_col>
      : memref<128x64xf16, #tile.space<shared>>, memref<64x128xf16, #tile.space<shared>>,
        memref<128x128xf32, #tile.space<fragment>>
    %af = tile.alloc "af" : memref<128x64xf16, #tile.space<fragment>>
    tile.gemm %af[%c0, %c0] [128, 64], %bs[%c0, %c0] [64, 128], %c
      : memref<128x64xf16, #tile.space<fragment>>, memref<64x128xf16, #tile.space<shared>>,
        memref<128x128xf32, #tile.space<fragment>>
    %a32 = tile.alloc "a32" : memref<64x32xf32, #tile.space<shared>>
    %b32 = tile.alloc "b32" : memref<32x64xf32, #tile.space<shared>>
    %c32 = tile.alloc "c32" : memref<64x64xf32, #tile.space<fragment>>
    tile.gemm %a32[%c0, %c0] [64, 32], %b32[%c0, %c0] [32, 64], %c32
      : memref<64x32xf32, #tile.space<shared>>, memref<32x64xf32, #tile.space<shared>>,
        memref<64x64xf32, #tile.space<fragment>>
    %ai = tile.alloc "ai" : memref<64x32xi8, #tile.space<shared>>
    %bi = tile.alloc "bi" : memref<32x64xi8, #tile.space<shared>>
    %bt = tile.alloc "bt" : memref<64x32xi8, #tile.space<shared>>
    %ci = tile.alloc "ci" : memref<64x64xi32, #tile.space<fragment>>
    tile.gemm %ai[%c0, %c0] [64, 32], %bi[%c0, %c0] [32, 64], %ci
      : memref<64x32xi8, #tile.space<shared>>, memref<32x64xi8, #tile.space<shared>>,
        memref<64x64xi32, #tile.space<fragment>>
    tile.gemm %ai[%c0, %c0] [64, 32], %bt[%c0, %c0] [64, 32] trans_b, %ci
      : memref<64x32xi8, #tile.space<shared>>, memref<64x32xi8, #tile.space<shared>>,
        memref<64x64xi32, #tile.space<fragment>>
    %b8 = tile.alloc "b8" : memref<64x8xf16, #tile.space<shared>>
    %c8 = tile.alloc "c8" : memref<128x8xf32, #tile.space<fragment>>
    tile.gemm %a[%c0, %c0] [128, 64], %b8[%c0, %c0] [64, 8], %c8
      : memref<128x64xf16, #tile.space<shared>>, memref<64x8xf16, #tile.space<shared>>,
        memref<128x8xf32, #tile.space<fragment>>
    %half = tile.alloc "half" : memref<64x128xf32, #tile.space<fragment>>
    tile.gemm %a[%b, %c0] [64, 64], %bs[%c0, %c0] [64, 128], %half
      : memref<128x64xf16, #tile.space<shared>>, memref<64x128xf16, #tile.space<shared>>,
        memref<64x128xf32, #tile.space<fragment>>
    %stages = tile.alloc "stages" : memref<2x128x64xf16, #tile.space<shared>>
    tile.gemm %stages[%b, %c0, %c0] [1, 128, 64], %bs[%c0, %c0] [64, 128], %c
      : memref<2x128x64xf16, #tile.space<shared>>, memref<64x128xf16, #tile.space<shared>>,
        memref<128x128xf32, #tile.space<fragment>>
    tile.gemm %a[%c0, %c0] [128, 64], %bs[%c0, %c0] [64, 128], %c inst <mma_sync> warps 2 x 4 reason "mine"
      : memref<128x64xf16, #tile.space<shared>>, memref<64x128xf16, #tile.space<shared>>,
        memref<128x128xf32, #tile.space<fragment>>
  }
}
