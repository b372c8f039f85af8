// RUN: tlc-opt %s --tile-select-instructions --tile-infer-layouts | FileCheck %s
// RUN: tlc-opt %s --tile-select-instructions --tile-infer-layouts \
// RUN:   --remarks-filter=".*" --remark-policy=all --remark-format=emitRemark \
// RUN:   -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// The 16-bit scores are operand A of the second product as they are; row
// statistics follow the scores; V stored K x N is read with N contiguous.
// CHECK-LABEL: tile.kernel @attention
// CHECK: tile.alloc "q" swizzle <b128>
// CHECK: tile.alloc "k" swizzle <b128>
// CHECK: tile.alloc "v" swizzle <b128>
// CHECK: tile.alloc "s" layout <"[[S:regs=\[2:\(0,1\) 2:\(8,0\) 8:\(0,8\)\] threads=\[4:\(0,2\) 8:\(1,0\) 8:\(16,0\)\] shape=128x64]]">
// CHECK: tile.alloc "p" layout <"[[S]]">
// CHECK: tile.alloc "o" layout <"regs=[2:(0,1) 2:(8,0) 16:(0,8)] threads=[4:(0,2) 8:(1,0) 8:(16,0)] shape=128x128">
// CHECK: tile.alloc "scale" layout <"regs=[2:(8)] threads=[4:(0) 8:(1) 8:(16)] shape=128">
// Connected by a copy only.
// CHECK: tile.alloc "old" layout <"regs=[2:(8)] threads=[4:(0) 8:(1) 8:(16)] shape=128">
// CHECK: tile.gemm {{.*}} inst <wgmma_ss> warps 8 x 1
// CHECK: tile.copy {{.*}} layout <"[[S]]">
// CHECK: tile.gemm {{.*}} inst <wgmma_rs> warps 8 x 1

// REMARK: remark: {{.*}}wgmma_ss: wgmma with A and B in shared memory
// REMARK: remark: {{.*}}'q' is swizzle128, as wgmma reads it
// REMARK: remark: {{.*}}'s' is laid out as the result of a product
// REMARK: remark: {{.*}}'old' is laid out as the partner of 'scale' in a copy
tile.kernel @attention params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [256, 1, 1] {
  ^bb0(%b: i32):
    %c0 = arith.constant 0 : i32
    %q = tile.alloc "q" : memref<128x128xbf16, #tile.space<shared>>
    %k = tile.alloc "k" : memref<64x128xbf16, #tile.space<shared>>
    %v = tile.alloc "v" : memref<64x128xbf16, #tile.space<shared>>
    %s = tile.alloc "s" : memref<128x64xf32, #tile.space<fragment>>
    %p = tile.alloc "p" : memref<128x64xbf16, #tile.space<fragment>>
    %o = tile.alloc "o" : memref<128x128xf32, #tile.space<fragment>>
    %scale = tile.alloc "scale" : memref<128xf32, #tile.space<fragment>>
    %old = tile.alloc "old" : memref<128xf32, #tile.space<fragment>>
    tile.gemm %q[%c0, %c0] [128, 128], %k[%c0, %c0] [64, 128] trans_b, %s policy <full_row>
      : memref<128x128xbf16, #tile.space<shared>>, memref<64x128xbf16, #tile.space<shared>>,
        memref<128x64xf32, #tile.space<fragment>>
    tile.copy %scale[%c0] [128] to %old[%c0] [128]
      : memref<128xf32, #tile.space<fragment>>, memref<128xf32, #tile.space<fragment>>
    tile.parallel [128, 64] {
    ^bb0(%i: i32, %j: i32):
      %x = tile.load %s[%i, %j] : memref<128x64xf32, #tile.space<fragment>> -> f32
      %m = tile.load %scale[%i] : memref<128xf32, #tile.space<fragment>> -> f32
      %y = arith.mulf %x, %m : f32
      tile.store %y to %s[%i, %j] : f32, memref<128x64xf32, #tile.space<fragment>>
    }
    tile.copy %s[%c0, %c0] [128, 64] to %p[%c0, %c0] [128, 64]
      : memref<128x64xf32, #tile.space<fragment>>, memref<128x64xbf16, #tile.space<fragment>>
    // The statistics of s scale the rows of o, whose columns are more.
    tile.parallel [128, 128] {
    ^bb0(%i: i32, %j: i32):
      %x = tile.load %o[%i, %j] : memref<128x128xf32, #tile.space<fragment>> -> f32
      %m = tile.load %scale[%i] : memref<128xf32, #tile.space<fragment>> -> f32
      %y = arith.mulf %x, %m : f32
      tile.store %y to %o[%i, %j] : f32, memref<128x128xf32, #tile.space<fragment>>
    }
    tile.gemm %p[%c0, %c0] [128, 64], %v[%c0, %c0] [64, 128], %o policy <full_row>
      : memref<128x64xbf16, #tile.space<fragment>>, memref<64x128xbf16, #tile.space<shared>>,
        memref<128x128xf32, #tile.space<fragment>>
  }
}
