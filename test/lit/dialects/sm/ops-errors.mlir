// RUN: tlc-opt %s --split-input-file --verify-diagnostics

tile.kernel @regs params [] shapes [] symbols [] {
  // expected-error@+1 {{25 registers: a multiple of 8 in 24..256 is needed}}
  sm.setmaxnreg 25
}

// -----

tile.kernel @id params [] shapes [] symbols [] {
  // expected-error@+1 {{barrier 16: ids are 0..15}}
  sm.bar_sync 16 threads 128
}

// -----

tile.kernel @threads params [] shapes [] symbols [] {
  // expected-error@+1 {{100 threads: a multiple of 32 is needed}}
  sm.bar_sync 1 threads 100
}

// -----

tile.kernel @count params [] shapes [] symbols [] {
  // expected-error@+1 {{count 0 is out of range}}
  %b = sm.mbarrier "b" offset 0 stages 1 count 0
}

// -----

tile.kernel @offset params [] shapes [] symbols [] {
  // expected-error@+1 {{offset 4 is not a multiple of 8}}
  %b = sm.mbarrier "b" offset 4 stages 1 count 1
}

// -----

tile.kernel @shared params [] shapes [] symbols [] {
  // expected-error@+1 {{offset 8 is not a multiple of 16}}
  %s = sm.shared "s" offset 8 stages 1 slot_bytes 64 : memref<16xf32, #tile.space<shared>>
}

// -----

tile.kernel @launch params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  // expected-error@+1 {{has 2048 threads, a block has 1 to 1024}}
  sm.launch grid(%n) threads 2048 program [2048, 1, 1] shared 0 {
  ^bb0(%bx: i32):
  }
}
