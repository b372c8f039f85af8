// RUN: tlc-opt %s --tile-infer-layouts | FileCheck %s

// Partial sums of a wgmma accumulator kept by the thread that owns the
// elements: row r, column c belongs to thread
//   r % 64 / 16 * 32 + r % 8 * 4 + c % 8 / 2
// (PTX ISA, wgmma D fragment), and by column parity. Legal because thread t
// holds row t of `red`.
// CHECK-LABEL: tile.kernel @scatter
// CHECK: tile.alloc "red" layout <"regs=[2:(0,1)] threads=[128:(1,0)] shape=128x2">
// CHECK: tile.parallel [64, 32] layout <"regs=[2:(0,1) 2:(8,0) 4:(0,8)] threads=[4:(0,2) 8:(1,0) 4:(16,0)] shape=64x32">
tile.kernel @scatter params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%b: i32):
    %c0 = arith.constant 0 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %c8 = arith.constant 8 : i32
    %c16 = arith.constant 16 : i32
    %c32 = arith.constant 32 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant 0.0 : f32
    %a = tile.alloc "a" : memref<64x16xf16, #tile.space<shared>>
    %bs = tile.alloc "b" : memref<16x32xf16, #tile.space<shared>>
    %acc = tile.alloc "acc" : memref<64x32xf32, #tile.space<fragment>>
    %red = tile.alloc "red" : memref<128x2xf32, #tile.space<fragment>>
    tile.gemm %a[%c0, %c0] [64, 16], %bs[%c0, %c0] [16, 32], %acc inst <wgmma_ss> warps 4 x 1
      : memref<64x16xf16, #tile.space<shared>>, memref<16x32xf16, #tile.space<shared>>,
        memref<64x32xf32, #tile.space<fragment>>
    tile.parallel [128, 2] {
    ^bb0(%t: i32, %v: i32):
      tile.store %zero to %red[%t, %v] : f32, memref<128x2xf32, #tile.space<fragment>>
    }
    tile.parallel [64, 32] {
    ^bb0(%r: i32, %c: i32):
      %x = tile.load %acc[%r, %c] : memref<64x32xf32, #tile.space<fragment>> -> f32
      %r64 = arith.remsi %r, %c64 : i32
      %w = arith.divsi %r64, %c16 : i32
      %wt = arith.muli %w, %c32 : i32
      %r8 = arith.remsi %r, %c8 : i32
      %rt = arith.muli %r8, %c4 : i32
      %cc = arith.remsi %c, %c8 : i32
      %ct = arith.divsi %cc, %c2 : i32
      %t0 = arith.addi %wt, %rt : i32
      %t = arith.addi %t0, %ct : i32
      %v = arith.remsi %c, %c2 : i32
      %old = tile.load %red[%t, %v] : memref<128x2xf32, #tile.space<fragment>> -> f32
      %new = arith.addf %old, %x : f32
      tile.store %new to %red[%t, %v] : f32, memref<128x2xf32, #tile.space<fragment>>
    }
  }
}
