// RUN: tlc-opt %s --tile-infer-layouts --split-input-file --verify-diagnostics

// One fragment, two products that split the warps differently.
tile.kernel @two_products params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [256, 1, 1] {
  ^bb0(%b: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : memref<128x64xf16, #tile.space<shared>>
    %bs = tile.alloc "b" : memref<64x128xf16, #tile.space<shared>>
    // expected-note @below {{'acc' is declared here}}
    %acc = tile.alloc "acc" : memref<128x128xf32, #tile.space<fragment>>
    // expected-note @below {{the other use}}
    tile.gemm %a[%c0, %c0] [128, 64], %bs[%c0, %c0] [64, 128], %acc inst <wgmma_ss> warps 8 x 1
      : memref<128x64xf16, #tile.space<shared>>, memref<64x128xf16, #tile.space<shared>>,
        memref<128x128xf32, #tile.space<fragment>>
    // expected-error @below {{the fragment 'acc' is needed here as the result of a product, but elsewhere as the result of a product}}
    tile.gemm %a[%c0, %c0] [128, 64], %bs[%c0, %c0] [64, 128], %acc inst <wgmma_ss> warps 4 x 2
      : memref<128x64xf16, #tile.space<shared>>, memref<64x128xf16, #tile.space<shared>>,
        memref<128x128xf32, #tile.space<fragment>>
  }
}

// -----

// The accumulator of four warps side by side is no A operand: columns would
// have to change hands. The 16-bit copy of one that spans all columns is.
tile.kernel @moves params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%b: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : memref<32x64xf16, #tile.space<shared>>
    %bs = tile.alloc "b" : memref<64x64xf16, #tile.space<shared>>
    // expected-note @below {{the source is declared here}}
    %s = tile.alloc "s" : memref<32x64xf32, #tile.space<fragment>>
    // expected-note @below {{the destination is declared here}}
    %p = tile.alloc "p" : memref<32x64xf16, #tile.space<fragment>>
    %o = tile.alloc "o" : memref<32x64xf32, #tile.space<fragment>>
    tile.gemm %a[%c0, %c0] [32, 64], %bs[%c0, %c0] [64, 64], %s inst <mma_sync> warps 1 x 4
      : memref<32x64xf16, #tile.space<shared>>, memref<64x64xf16, #tile.space<shared>>,
        memref<32x64xf32, #tile.space<fragment>>
    // expected-error @below {{T.copy between the fragments 's' and 'p', whose elements lie in different threads, is not supported yet; copy through a shared tile}}
    tile.copy %s[%c0, %c0] [32, 64] to %p[%c0, %c0] [32, 64]
      : memref<32x64xf32, #tile.space<fragment>>, memref<32x64xf16, #tile.space<fragment>>
    tile.gemm %p[%c0, %c0] [32, 64], %bs[%c0, %c0] [64, 64], %o inst <mma_sync> warps 1 x 4
      : memref<32x64xf16, #tile.space<fragment>>, memref<64x64xf16, #tile.space<shared>>,
        memref<32x64xf32, #tile.space<fragment>>
  }
}

// -----

// Every second element: its thread runs another point.
tile.kernel @indices params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%b: i32):
    %c2 = arith.constant 2 : i32
    // expected-note @below {{'x' is laid out as a distribution for its copies here}}
    %x = tile.alloc "x" : memref<64xf32, #tile.space<fragment>>
    // expected-note @below {{the loop}}
    tile.parallel [32] {
    ^bb0(%i: i32):
      %k = arith.muli %i, %c2 : i32
      // expected-error @below {{'x' does not lie in the threads that run this T.Parallel; this is not supported yet, copy it through a shared tile}}
      %v = tile.load %x[%k] : memref<64xf32, #tile.space<fragment>> -> f32
    }
  }
}

// -----

tile.kernel @outside params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%b: i32):
    %c2 = arith.constant 2 : i32
    %x = tile.alloc "x" : memref<64xf32, #tile.space<fragment>>
    tile.parallel [64] {
    ^bb0(%i: i32):
      %k = arith.addi %i, %c2 : i32
      // expected-error @below {{an index of 'x' in T.Parallel lies outside of it}}
      %v = tile.load %x[%k] : memref<64xf32, #tile.space<fragment>> -> f32
    }
  }
}

// -----

tile.kernel @runtime params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%b: i32):
    %x = tile.alloc "x" : memref<64xf32, #tile.space<fragment>>
    tile.parallel [64] {
    ^bb0(%i: i32):
      %k = arith.addi %i, %b : i32
      // expected-error @below {{the fragment 'x' is indexed by a value that is known only at run time}}
      %v = tile.load %x[%k] : memref<64xf32, #tile.space<fragment>> -> f32
    }
  }
}

// -----

// A row sum written as a parallel loop: points of a row run on several threads.
tile.kernel @spread params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%b: i32):
    %x = tile.alloc "x" : memref<64x64xf32, #tile.space<fragment>>
    %sum = tile.alloc "sum" : memref<64xf32, #tile.space<fragment>>
    tile.parallel [64, 64] {
    ^bb0(%i: i32, %j: i32):
      %v = tile.load %x[%i, %j] : memref<64x64xf32, #tile.space<fragment>> -> f32
      %s = tile.load %sum[%i] : memref<64xf32, #tile.space<fragment>> -> f32
      %t = arith.addf %s, %v : f32
      // expected-error @below {{points of T.Parallel that differ in loop variable number 1 write the same element of 'sum' from different threads; use a reduction}}
      tile.store %t to %sum[%i] : f32, memref<64xf32, #tile.space<fragment>>
    }
  }
}

// -----

tile.kernel @scalar params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%b: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : memref<64x64xf16, #tile.space<shared>>
    %bs = tile.alloc "b" : memref<64x64xf16, #tile.space<shared>>
    %acc = tile.alloc "acc" : memref<64x64xf32, #tile.space<fragment>>
    // expected-note @below {{'acc' is laid out as the result of a product here}}
    tile.gemm %a[%c0, %c0] [64, 64], %bs[%c0, %c0] [64, 64], %acc inst <wgmma_ss> warps 4 x 1
      : memref<64x64xf16, #tile.space<shared>>, memref<64x64xf16, #tile.space<shared>>,
        memref<64x64xf32, #tile.space<fragment>>
    // expected-error @below {{'acc' is used outside of T.Parallel, but its elements are spread over the threads}}
    %v = tile.load %acc[%c0, %c0] : memref<64x64xf32, #tile.space<fragment>> -> f32
  }
}

// -----

tile.kernel @part params ["X"] shapes [affine_map<()[n] -> (64, 64)>]
    symbols ["n"] {
^bb0(%X: memref<64x64xf32, #tile.space<global>>, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%b: i32):
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %x = tile.alloc "x" : memref<64x64xf32, #tile.space<fragment>>
    // expected-error @below {{a part of the fragment 'x' that does not begin at 0}}
    tile.copy %X[%c0, %c0] [32, 64] to %x[%c32, %c0] [32, 64]
      : memref<64x64xf32, #tile.space<global>>, memref<64x64xf32, #tile.space<fragment>>
  }
}

// -----

tile.kernel @given params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%b: i32):
    %c0 = arith.constant 0 : i32
    // expected-error @below {{the layout given for 'a' cannot be read by wgmma, which needs a swizzle of at most 128 bytes}}
    %a = tile.alloc "a" swizzle <none> : memref<64x64xf16, #tile.space<shared>>
    %bs = tile.alloc "b" swizzle <b64> : memref<64x64xf16, #tile.space<shared>>
    %acc = tile.alloc "acc" : memref<64x64xf32, #tile.space<fragment>>
    // expected-note @below {{read here}}
    tile.gemm %a[%c0, %c0] [64, 64], %bs[%c0, %c0] [64, 64], %acc inst <wgmma_ss> warps 4 x 1
      : memref<64x64xf16, #tile.space<shared>>, memref<64x64xf16, #tile.space<shared>>,
        memref<64x64xf32, #tile.space<fragment>>
  }
}

// -----

tile.kernel @malformed params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%b: i32):
    // expected-error @below {{the layout of 'x' is malformed}}
    %x = tile.alloc "x" layout <"nonsense"> : memref<64xf32, #tile.space<fragment>>
  }
}

// -----

tile.kernel @wrong_threads params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%b: i32):
    // expected-error @below {{the layout of 'x' is for 64 and 64 threads, needed is 64 and 128}}
    %x = tile.alloc "x" layout <"regs=[] threads=[64:(1)] shape=64"> : memref<64xf32, #tile.space<fragment>>
  }
}

// -----

tile.kernel @scalar_fragment params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%b: i32):
    // expected-error @below {{the fragment 'x' has no dimensions}}
    %x = tile.alloc "x" : memref<f32, #tile.space<fragment>>
  }
}

// -----

// Four lanes hold each element of m and run its point; one of them stores, and
// the others might read that.
tile.kernel @copies_read_late params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%b: i32):
    %zero = arith.constant 0.0 : f32
    %m = tile.alloc "m" layout <"regs=[2:(8)] threads=[4:(0) 8:(1) 4:(16)] shape=64"> : memref<64xf32, #tile.space<fragment>>
    %s = tile.alloc "s" : memref<64xf32, #tile.space<shared>>
    tile.parallel [64] {
    ^bb0(%i: i32):
      // expected-error @below {{'s' is read and written by a T.Parallel whose fragments several threads hold; this is not supported yet, use two loops}}
      %x = tile.load %s[%i] : memref<64xf32, #tile.space<shared>> -> f32
      tile.store %x to %m[%i] : f32, memref<64xf32, #tile.space<fragment>>
      // expected-note @below {{written here}}
      tile.store %zero to %s[%i] : f32, memref<64xf32, #tile.space<shared>>
    }
    // Without a write of the fragment the others' reads do not matter.
    tile.parallel [64] {
    ^bb0(%i: i32):
      %x = tile.load %s[%i] : memref<64xf32, #tile.space<shared>> -> f32
      %y = tile.load %m[%i] : memref<64xf32, #tile.space<fragment>> -> f32
      %z = arith.addf %x, %y : f32
      tile.store %z to %s[%i] : f32, memref<64xf32, #tile.space<shared>>
    }
  }
}

// -----

// The sum of a column pair over all rows, kept by the first thread: others run
// its points.
tile.kernel @wrong_owner params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%b: i32):
    %c0 = arith.constant 0 : i32
    %c2 = arith.constant 2 : i32
    %x = tile.alloc "x" layout <"regs=[2:(0,1) 2:(8,0) 8:(0,8)] threads=[4:(0,2) 8:(1,0) 4:(16,0)] shape=64x64"> : memref<64x64xf32, #tile.space<fragment>>
    // expected-note @below {{'red' is laid out as a distribution for its copies here}}
    %red = tile.alloc "red" : memref<64xf32, #tile.space<fragment>>
    // expected-note @below {{the loop}}
    tile.parallel [64, 64] {
    ^bb0(%i: i32, %j: i32):
      %v = tile.load %x[%i, %j] : memref<64x64xf32, #tile.space<fragment>> -> f32
      %k = arith.divsi %j, %c2 : i32
      // expected-error @below {{'red' does not lie in the threads that run this T.Parallel}}
      tile.store %v to %red[%k] : f32, memref<64xf32, #tile.space<fragment>>
    }
  }
}
