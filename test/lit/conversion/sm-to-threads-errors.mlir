// What cannot be expanded is said at the op.
// RUN: tlc-opt %s --convert-sm-to-threads --split-input-file --verify-diagnostics

#f = #tile.space<fragment>
tile.kernel @no_layout params [] shapes [] symbols [] {
  %c1 = arith.constant 1 : i32
  sm.launch grid(%c1) threads 32 program [32, 1, 1] shared 0 {
  ^bb0(%b: i32):
    // expected-error @+1 {{fragment has no layout}}
    %m = tile.alloc "m" : memref<16xf32, #f>
  }
}

// -----

#f = #tile.space<fragment>
#row = #tile.fragment_layout<"regs=[] threads=[32:(1)] shape=32">
tile.kernel @reversed params [] shapes [] symbols [] {
  %c1 = arith.constant 1 : i32
  sm.launch grid(%c1) threads 32 program [32, 1, 1] shared 0 {
  ^bb0(%b: i32):
    %m = tile.alloc "m" layout #row : memref<32xf32, #f>
    %n = tile.alloc "n" layout #row : memref<32xf32, #f>
    tile.parallel [32] layout #row {
    ^bb1(%i: i32):
      %c31 = arith.constant 31 : i32
      %j = arith.subi %c31, %i : i32
      // expected-error @+1 {{access to an element of a fragment that another thread holds is not supported yet}}
      %x = tile.load %m[%j] : memref<32xf32, #f> -> f32
      tile.store %x to %n[%i] : f32, memref<32xf32, #f>
    }
  }
}

// -----

#f = #tile.space<fragment>
#row = #tile.fragment_layout<"regs=[] threads=[32:(1)] shape=32">
tile.kernel @outside params [] shapes [] symbols [] {
  %c1 = arith.constant 1 : i32
  sm.launch grid(%c1) threads 32 program [32, 1, 1] shared 0 {
  ^bb0(%b: i32):
    %c3 = arith.constant 3 : i32
    %m = tile.alloc "m" layout #row : memref<32xf32, #f>
    // expected-error @+1 {{access outside of T.Parallel to a fragment whose elements are spread over threads is not supported yet}}
    %x = tile.load %m[%c3] : memref<32xf32, #f> -> f32
  }
}

// -----

#s = #tile.space<shared>
#f = #tile.space<fragment>
tile.kernel @accumulator params [] shapes [] symbols [] {
  %c1 = arith.constant 1 : i32
  sm.launch grid(%c1) threads 128 program [128, 1, 1] shared 12288 {
  ^bb0(%b: i32):
    %c0 = arith.constant 0 : i32
    %x = sm.shared "x" offset 0 stages 1 slot_bytes 8192 swizzle <b128> : memref<64x64xf16, #s>
    %y = sm.shared "y" offset 8192 stages 1 slot_bytes 4096 swizzle <b128> : memref<32x64xf16, #s>
    %c = tile.alloc "c" layout <"regs=[16:(0,1)] threads=[2:(0,16) 64:(1,0)] shape=64x32"> : memref<64x32xf32, #f>
    // expected-error @+1 {{accumulator has layout}}
    sm.wgmma %x[%c0, %c0] [64, 64], %y[%c0, %c0] [32, 64] trans_b, %c warps 4 x 1 : memref<64x64xf16, #s>, memref<32x64xf16, #s>, memref<64x32xf32, #f>
  }
}

// -----

#s = #tile.space<shared>
#f = #tile.space<fragment>
tile.kernel @ordered params [] shapes [] symbols [] {
  %c1 = arith.constant 1 : i32
  sm.launch grid(%c1) threads 32 program [32, 1, 1] shared 1024 {
  ^bb0(%b: i32):
    %c0 = arith.constant 0 : i32
    %x = sm.shared "x" offset 0 stages 1 slot_bytes 512 swizzle <b32> : memref<16x16xf16, #s>
    %y = sm.shared "y" offset 512 stages 1 slot_bytes 512 swizzle <b32> order <transposed = true> : memref<16x16xf16, #s>
    %c = tile.alloc "c" layout <"regs=[2:(0,1) 2:(8,0) 2:(0,8)] threads=[4:(0,2) 8:(1,0)] shape=16x16"> : memref<16x16xf32, #f>
    // expected-error @+1 {{ldmatrix does not read 'y', whose elements are in another order}}
    sm.mma %x[%c0, %c0] [16, 16], %y[%c0, %c0] [16, 16], %c warps 1 x 1 : memref<16x16xf16, #s>, memref<16x16xf16, #s>, memref<16x16xf32, #f>
  }
}
