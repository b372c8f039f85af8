// RUN: tlc-opt %s --tile-select-instructions --tile-infer-layouts | FileCheck %s

// A row vector lies like the rows of the accumulator it scales: column digits
// vanish from the registers and become copies among the threads.
// CHECK-LABEL: tile.kernel @row_scale
// CHECK: tile.alloc "acc" layout <"[[ACC:regs=\[2:\(0,1\) 2:\(8,0\) 8:\(0,8\)\] threads=\[4:\(0,2\) 8:\(1,0\) 4:\(16,0\)\] shape=64x64]]">
// CHECK: tile.alloc "m" layout <"[[ROW:regs=\[2:\(8\)\] threads=\[4:\(0\) 8:\(1\) 4:\(16\)\] shape=64]]">
// CHECK: tile.alloc "bias" layout <"regs=[2:(1) 8:(8)] threads=[4:(2) 32:(0)] shape=64">
// The copy of the vector is made by all holders.
// CHECK: tile.copy {{.*}} layout <"[[ROW]]">
// CHECK: tile.parallel [64, 64] layout <"[[ACC]]">
// CHECK: tile.parallel [64] layout <"[[ROW]]">
// A nest over shared memory: neighbouring threads, neighbouring elements.
// CHECK: tile.parallel [64, 64] layout <"regs=[32:(2,0)] threads=[64:(0,1) 2:(1,0)] shape=64x64">
// Transposed access: rows of the fragment are columns of the nest.
// CHECK: tile.parallel [64, 64] layout <"regs=[2:(1,0) 2:(0,8) 8:(8,0)] threads=[4:(2,0) 8:(0,1) 4:(0,16)] shape=64x64">
tile.kernel @row_scale params ["M"] shapes [affine_map<()[n] -> (64)>]
    symbols ["n"] {
^bb0(%M: memref<64xf32, #tile.space<global>>, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%b: i32):
    %c0 = arith.constant 0 : i32
    %zero = arith.constant 0.0 : f32
    %a = tile.alloc "a" : memref<64x64xf16, #tile.space<shared>>
    %bs = tile.alloc "b" : memref<64x64xf16, #tile.space<shared>>
    %acc = tile.alloc "acc" : memref<64x64xf32, #tile.space<fragment>>
    %m = tile.alloc "m" : memref<64xf32, #tile.space<fragment>>
    %bias = tile.alloc "bias" : memref<64xf32, #tile.space<fragment>>
    tile.gemm %a[%c0, %c0] [64, 64], %bs[%c0, %c0] [64, 64], %acc
      : memref<64x64xf16, #tile.space<shared>>, memref<64x64xf16, #tile.space<shared>>,
        memref<64x64xf32, #tile.space<fragment>>
    tile.copy %M[%c0] [64] to %m[%c0] [64]
      : memref<64xf32, #tile.space<global>>, memref<64xf32, #tile.space<fragment>>
    tile.parallel [64, 64] {
    ^bb0(%i: i32, %j: i32):
      %x = tile.load %acc[%i, %j] : memref<64x64xf32, #tile.space<fragment>> -> f32
      %s = tile.load %m[%i] : memref<64xf32, #tile.space<fragment>> -> f32
      %t = tile.load %bias[%j] : memref<64xf32, #tile.space<fragment>> -> f32
      %y = arith.mulf %x, %s : f32
      %z = arith.addf %y, %t : f32
      tile.store %z to %acc[%i, %j] : f32, memref<64x64xf32, #tile.space<fragment>>
    }
    tile.parallel [64] {
    ^bb0(%i: i32):
      tile.store %zero to %m[%i] : f32, memref<64xf32, #tile.space<fragment>>
    }
    tile.parallel [64, 64] {
    ^bb0(%i: i32, %j: i32):
      %x = tile.load %a[%i, %j] : memref<64x64xf16, #tile.space<shared>> -> f16
      tile.store %x to %bs[%i, %j] : f16, memref<64x64xf16, #tile.space<shared>>
    }
    tile.parallel [64, 64] {
    ^bb0(%i: i32, %j: i32):
      tile.store %zero to %acc[%j, %i] : f32, memref<64x64xf32, #tile.space<fragment>>
    }
  }
}

// Fragments that no product touches. x: a loop over an outer variable needs
// whole rows in a thread. y, y2: vectors of 16 bytes, as the rows of the tensor
// allow. z: rows of 72 bytes are multiples of 8 only. all: every thread uses
// single elements.
// CHECK-LABEL: tile.kernel @free
// CHECK: tile.alloc "x" layout <"regs=[36:(0,1)] threads=[128:(1,0)] shape=32x36">
// CHECK: tile.alloc "y" layout <"regs=[8:(0,1)] threads=[8:(0,8) 16:(1,0)] shape=16x64">
// CHECK: tile.alloc "y2" layout <"regs=[8:(0,1)] threads=[8:(0,8) 16:(1,0)] shape=16x64">
// CHECK: tile.alloc "z" layout <"regs=[4:(0,1) {{.*}} shape=32x36">
// CHECK: tile.alloc "all" layout <"regs=[4:(1)] threads=[128:(0)] shape=4">
tile.kernel @free params ["X", "Y"] shapes [affine_map<()[n] -> (32, 36)>,
    affine_map<()[n] -> (16, 64)>] symbols ["n"] {
^bb0(%X: memref<32x36xf16, #tile.space<global>>,
     %Y: memref<16x64xf16, #tile.space<global>>, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%b: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %one = arith.constant 1.0 : f16
    %x = tile.alloc "x" : memref<32x36xf16, #tile.space<fragment>>
    %y = tile.alloc "y" : memref<16x64xf16, #tile.space<fragment>>
    %y2 = tile.alloc "y2" : memref<16x64xf16, #tile.space<fragment>>
    %z = tile.alloc "z" : memref<32x36xf16, #tile.space<fragment>>
    %all = tile.alloc "all" : memref<4xf16, #tile.space<fragment>>
    tile.copy %X[%c0, %c0] [32, 36] to %x[%c0, %c0] [32, 36]
      : memref<32x36xf16, #tile.space<global>>, memref<32x36xf16, #tile.space<fragment>>
    tile.copy %X[%c0, %c0] [32, 36] to %z[%c0, %c0] [32, 36]
      : memref<32x36xf16, #tile.space<global>>, memref<32x36xf16, #tile.space<fragment>>
    tile.copy %Y[%c0, %c0] [16, 64] to %y[%c0, %c0] [16, 64]
      : memref<16x64xf16, #tile.space<global>>, memref<16x64xf16, #tile.space<fragment>>
    tile.copy %y[%c0, %c0] [16, 64] to %y2[%c0, %c0] [16, 64]
      : memref<16x64xf16, #tile.space<fragment>>, memref<16x64xf16, #tile.space<fragment>>
    %e = tile.load %all[%c0] : memref<4xf16, #tile.space<fragment>> -> f16
    tile.store %e to %all[%c1] : f16, memref<4xf16, #tile.space<fragment>>
    scf.for %k = %c0 to %c4 step %c1 : i32 {
      tile.parallel [32] {
      ^bb0(%i: i32):
        tile.store %one to %x[%i, %k] : f16, memref<32x36xf16, #tile.space<fragment>>
      }
    }
  }
}
