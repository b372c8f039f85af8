// V15: the grid barrier counts blocks.
// RUN: tlc-opt %s --pass-pipeline='builtin.module(tile.kernel(verify-sm))' --split-input-file --verify-diagnostics -o /dev/null

// The first thread in linear order, written with coordinates.
tile.kernel @coordinates params [] shapes [] symbols [] {
  %c2 = arith.constant 2 : i32
  %c0 = arith.constant 0 : i32
  sm.launch grid(%c2) threads 105 program [7, 5, 3] shared 0 {
  ^bb0(%b: i32):
    %x = tile.thread_id <x>
    %y = tile.thread_id <y>
    %z = tile.thread_id <z>
    %px = arith.cmpi eq, %x, %c0 : i32
    %py = arith.cmpi slt, %y, %c2 : i32
    %oy = arith.cmpi ult, %y, %c2 : i32
    %sum = arith.addi %y, %z : i32
    %ps = arith.cmpi eq, %sum, %c0 : i32
    %both = arith.andi %py, %oy : i1
    %all = arith.andi %both, %px : i1
    sm.bar_sync 0 threads 128
    scf.if %all {
      scf.if %ps {
        sm.grid_barrier
      }
    }
    sm.bar_sync 0 threads 128
  }
}

// -----

// Incident B: x alone.
tile.kernel @by_x params [] shapes [] symbols [] {
  %c2 = arith.constant 2 : i32
  %c0 = arith.constant 0 : i32
  sm.launch grid(%c2) threads 64 program [32, 2, 1] shared 0 {
  ^bb0(%b: i32):
    %x = tile.thread_id <x>
    %p = arith.cmpi eq, %x, %c0 : i32
    sm.bar_sync 0 threads 64
    // expected-note@+1 {{the condition is here}}
    scf.if %p {
      // expected-error@+1 {{2 threads of a block of 32 x 2 x 1 arrive at the grid barrier, it counts blocks: exactly one must}}
      sm.grid_barrier
    }
    sm.bar_sync 0 threads 64
  }
}

// -----

// Every thread.
tile.kernel @all params [] shapes [] symbols [] {
  %c2 = arith.constant 2 : i32
  sm.launch grid(%c2) threads 32 program [32, 1, 1] shared 0 {
  ^bb0(%b: i32):
    sm.bar_sync 0 threads 32
    // expected-error@+1 {{32 threads of a block of 32 x 1 x 1 arrive}}
    sm.grid_barrier
    sm.bar_sync 0 threads 32
  }
}

// -----

// Nobody: the block has no such thread.
tile.kernel @none params [] shapes [] symbols [] {
  %c2 = arith.constant 2 : i32
  %c40 = arith.constant 40 : i32
  sm.launch grid(%c2) threads 32 program [32, 1, 1] shared 0 {
  ^bb0(%b: i32):
    %t = sm.thread 0 count 32
    %p = arith.cmpi eq, %t, %c40 : i32
    sm.bar_sync 0 threads 32
    // expected-note@+1 {{the condition is here}}
    scf.if %p {
      // expected-error@+1 {{0 threads of a block of 32 x 1 x 1 arrive}}
      sm.grid_barrier
    }
    sm.bar_sync 0 threads 32
  }
}

// -----

// Without the barriers of the block; a store stands where one must be.
tile.kernel @alone params ["A"] shapes [affine_map<() -> (4)>] symbols [] {
^bb0(%a: memref<4xi32, #tile.space<global>>):
  %c2 = arith.constant 2 : i32
  %c0 = arith.constant 0 : i32
  sm.launch grid(%c2) threads 32 program [32, 1, 1] shared 0 {
  ^bb0(%b: i32):
    %t = sm.thread 0 count 32
    %p = arith.cmpi eq, %t, %c0 : i32
    sm.bar_sync 0 threads 32
    tile.store %c0 to %a[%c0] : i32, memref<4xi32, #tile.space<global>>
    scf.if %p {
      // expected-error@+2 {{the block arrives at the grid barrier before all of its threads have come: a barrier of the block is missing before it}}
      // expected-error@+1 {{threads of the block go on before the grid barrier is complete: a barrier of the block is missing after it}}
      sm.grid_barrier
    }
  }
}

// -----

// In a role of several.
tile.kernel @role params [] shapes [] symbols [] {
  %c2 = arith.constant 2 : i32
  %c0 = arith.constant 0 : i32
  sm.launch grid(%c2) threads 64 program [32, 1, 1] shared 0 {
  ^bb0(%b: i32):
    sm.role "consumer" warps [0, 1] {
      %t = sm.thread 0 count 32
      %p = arith.cmpi eq, %t, %c0 : i32
      sm.bar_sync 1 threads 32
      scf.if %p {
        // expected-error@+1 {{the grid barrier is reached by one role of several: the others do not wait for it}}
        sm.grid_barrier
      }
      sm.bar_sync 1 threads 32
    }
    sm.role "producer" warps [1, 1] {
    }
  }
}

// -----

// Threads come a different number of times.
tile.kernel @turns params [] shapes [] symbols [] {
  %c2 = arith.constant 2 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  sm.launch grid(%c2) threads 32 program [32, 1, 1] shared 0 {
  ^bb0(%b: i32):
    %t = sm.thread 0 count 32
    sm.bar_sync 0 threads 32
    // expected-note@+1 {{the loop is here}}
    scf.for %i = %c0 to %t step %c1 : i32 {
      // expected-error@+1 {{threads of the block arrive at the grid barrier a different number of times}}
      sm.grid_barrier
    }
    sm.bar_sync 0 threads 32
  }
}

// -----

// A block that does not come.
tile.kernel @not_last params [] shapes [] symbols [] {
  %c3 = arith.constant 3 : i32
  %c2 = arith.constant 2 : i32
  %c0 = arith.constant 0 : i32
  sm.launch grid(%c3, %c2) threads 32 program [32, 1, 1] shared 0 {
  ^bb0(%bx: i32, %by: i32):
    %t = sm.thread 0 count 32
    %p = arith.cmpi eq, %t, %c0 : i32
    %few = arith.cmpi slt, %bx, %c2 : i32
    // expected-note@+1 {{the condition is here}}
    scf.if %few {
      sm.bar_sync 0 threads 32
      scf.if %p {
        // expected-error@+1 {{block (2, 0) does not arrive at the grid barrier: the others wait for it for ever}}
        sm.grid_barrier
      }
      sm.bar_sync 0 threads 32
    }
  }
}

// -----

// The condition names blocks and holds for all of them.
tile.kernel @all_blocks params [] shapes [] symbols [] {
  %c3 = arith.constant 3 : i32
  %c0 = arith.constant 0 : i32
  sm.launch grid(%c3) threads 32 program [32, 1, 1] shared 0 {
  ^bb0(%bx: i32):
    %t = sm.thread 0 count 32
    %p = arith.cmpi eq, %t, %c0 : i32
    %few = arith.cmpi slt, %bx, %c3 : i32
    scf.if %few {
      sm.bar_sync 0 threads 32
      scf.if %p {
        sm.grid_barrier
      }
      sm.bar_sync 0 threads 32
    }
  }
}

// -----

// One thread of one block.
tile.kernel @one params [] shapes [] symbols [] {
  %c3 = arith.constant 3 : i32
  %c0 = arith.constant 0 : i32
  sm.launch grid(%c3) threads 32 program [32, 1, 1] shared 0 {
  ^bb0(%bx: i32):
    %t = sm.thread 0 count 32
    %sum = arith.addi %t, %bx : i32
    %p = arith.cmpi eq, %sum, %c0 : i32
    sm.bar_sync 0 threads 32
    // expected-note@+1 {{the condition is here}}
    scf.if %p {
      // expected-error@+1 {{block (1) does not arrive}}
      sm.grid_barrier
    }
    sm.bar_sync 0 threads 32
  }
}

// -----

// How many blocks there are is known only at the launch.
tile.kernel @dynamic params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  %c0 = arith.constant 0 : i32
  sm.launch grid(%n) threads 32 program [32, 1, 1] shared 0 {
  ^bb0(%bx: i32):
    %t = sm.thread 0 count 32
    %p = arith.cmpi eq, %t, %c0 : i32
    %few = arith.cmpi eq, %bx, %c0 : i32
    scf.if %few {
      sm.bar_sync 0 threads 32
      scf.if %p {
        // expected-remark@+1 {{not proved: which blocks reach the grid barrier depends on their number, which is not a constant}}
        sm.grid_barrier
      }
      sm.bar_sync 0 threads 32
    }
  }
}

// -----

// A tensor that the kernel writes may tell blocks apart; others do not.
!f = memref<4xi32, #tile.space<global>>
#map = affine_map<() -> (4)>
tile.kernel @flags params ["fixed", "written"] shapes [#map, #map] symbols [] {
^bb0(%fixed: !f, %written: !f):
  %c3 = arith.constant 3 : i32
  %c0 = arith.constant 0 : i32
  sm.launch grid(%c3) threads 32 program [32, 1, 1] shared 0 {
  ^bb0(%bx: i32):
    %t = sm.thread 0 count 32
    %p = arith.cmpi eq, %t, %c0 : i32
    %f = tile.load %fixed[%c0] : !f -> i32
    %on = arith.cmpi eq, %f, %c0 : i32
    scf.if %on {
      sm.bar_sync 0 threads 32
      scf.if %p {
        sm.grid_barrier
      }
      sm.bar_sync 0 threads 32
    }
    scf.if %p {
      tile.store %bx to %written[%bx] : i32, !f
    }
    sm.bar_sync 0 threads 32
    %g = tile.load %written[%c0] : !f -> i32
    %there = arith.cmpi eq, %g, %c0 : i32
    scf.if %there {
      sm.bar_sync 0 threads 32
      scf.if %p {
        // expected-remark@+1 {{not proved: which blocks and threads arrive at the grid barrier is not known}}
        sm.grid_barrier
      }
      sm.bar_sync 0 threads 32
    }
  }
}

// -----

// Blocks come a different number of times.
tile.kernel @block_turns params [] shapes [] symbols [] {
  %c3 = arith.constant 3 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  sm.launch grid(%c3) threads 32 program [32, 1, 1] shared 0 {
  ^bb0(%bx: i32):
    %t = sm.thread 0 count 32
    %p = arith.cmpi eq, %t, %c0 : i32
    scf.for %i = %c0 to %bx step %c1 : i32 {
      sm.bar_sync 0 threads 32
      scf.if %p {
        // expected-remark@+1 {{not proved: blocks may arrive at the grid barrier a different number of times}}
        sm.grid_barrier
      }
      sm.bar_sync 0 threads 32
    }
  }
}
