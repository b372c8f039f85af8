// The printer takes thread programs only, and says where it met something else.
// RUN: tlc-opt %s --emit-cuda --split-input-file --verify-diagnostics -o /dev/null

#f = #tile.space<fragment>
tile.kernel @fragment params [] shapes [] symbols [] {
  %c1 = arith.constant 1 : i32
  sm.launch grid(%c1) threads 32 program [32, 1, 1] shared 0 {
  ^bb0(%b: i32):
    // expected-error @+1 {{only arrays of a thread are printed}}
    %m = tile.alloc "m" layout <"regs=[] threads=[32:(1)] shape=32"> : memref<32xf32, #f>
  }
}

// -----

tile.kernel @whole_tiles params [] shapes [] symbols [] {
  %c1 = arith.constant 1 : i32
  sm.launch grid(%c1) threads 32 program [32, 1, 1] shared 8 {
  ^bb0(%b: i32):
    // expected-error @+1 {{'sm.mbarrier' is not part of a thread program}}
    %full = sm.mbarrier "full" offset 0 stages 1 count 1
  }
}

// -----

tile.kernel @grid params ["x"] shapes [affine_map<() -> ()>] symbols [] {
^bb0(%x: i32):
  %n = math.absi %x : i32
  // expected-error @+1 {{size computed by 'math.absi' is not supported yet}}
  sm.launch grid(%n) threads 32 program [32, 1, 1] shared 0 {
  ^bb0(%b: i32):
  }
}
