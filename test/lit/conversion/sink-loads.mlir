// RUN: tlc-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-plan-pipelines))' --split-input-file | FileCheck %s
// RUN: tlc-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-plan-pipelines{guard-loads=false}))' --split-input-file | FileCheck %s --check-prefix=OFF
// RUN: tlc-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-plan-pipelines{warp-specialize=false}))' --split-input-file | FileCheck %s --check-prefix=OFF

// A tile that is used under a flag only is loaded under that flag and in the
// first turns, and what keeps its load where it is.

// OFF-NOT: arith.ori

!G = memref<?x64xbf16, #tile.space<global>>
!M = memref<?xi1, #tile.space<global>>
!S = memref<64x64xbf16, #tile.space<shared>>
!A = memref<64x64xbf16, #tile.space<fragment>>
#G = affine_map<()[n] -> (n, 64)>
#M = affine_map<()[n] -> (n)>

// The load moves down to the branch.
// CHECK-LABEL: tile.kernel @under_flag
// CHECK: %[[F:.*]] = tile.load
// CHECK: %[[AHEAD:.*]] = arith.addi %{{.*}}, %c2_i32
// CHECK: %[[EARLY:.*]] = arith.cmpi slt, %{{.*}}, %[[AHEAD]]
// CHECK: %[[LOADS:.*]] = arith.ori %[[EARLY]], %[[F]]
// CHECK-NEXT: scf.if %[[LOADS]] {
// CHECK-NEXT: tile.copy {{.*}} inst <tma_load> ring "s"
// CHECK-NEXT: scf.if %[[F]] {
// CHECK-NEXT: tile.copy
tile.kernel @under_flag params ["G", "M"] shapes [#G, #M] symbols ["n"] {
^bb0(%G: !G, %M: !M, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %s = tile.alloc "s" : !S
    %a = tile.alloc "a" : !A
    tile.pipelined %c0 to %n stages 2 {
    ^bb0(%i: i32):
      tile.copy %G[%i, %c0] [64, 64] to %s[%c0, %c0] [64, 64] inst <tma_load> : !G, !S
      %f = tile.load %M[%i] : !M -> i1
      scf.if %f {
        tile.copy %s[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] inst <vector> : !S, !A
      }
    }
  }
}

// -----

!G = memref<?x64xbf16, #tile.space<global>>
!M = memref<?xi1, #tile.space<global>>
!S = memref<64x64xbf16, #tile.space<shared>>
!A = memref<64x64xbf16, #tile.space<fragment>>
#G = affine_map<()[n] -> (n, 64)>
#M = affine_map<()[n] -> (n)>

// The flag comes first; other work lies between.
// CHECK-LABEL: tile.kernel @flag_first
// CHECK: %[[F:.*]] = tile.load
// CHECK: %[[AHEAD:.*]] = arith.addi %{{.*}}, %c2_i32
// CHECK: %[[EARLY:.*]] = arith.cmpi slt, %{{.*}}, %[[AHEAD]]
// CHECK: %[[LOADS:.*]] = arith.ori %[[EARLY]], %[[F]]
// CHECK-NEXT: scf.if %[[LOADS]] {
// CHECK-NEXT: tile.copy {{.*}} inst <tma_load> ring "s"
// CHECK-NEXT: scf.if %[[F]] {
// CHECK-NEXT: tile.copy
tile.kernel @flag_first params ["G", "M"] shapes [#G, #M] symbols ["n"] {
^bb0(%G: !G, %M: !M, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %s = tile.alloc "s" : !S
    %a = tile.alloc "a" : !A
    tile.pipelined %c0 to %n stages 2 {
    ^bb0(%i: i32):
      %f = tile.load %M[%i] : !M -> i1
      tile.copy %G[%i, %c0] [64, 64] to %s[%c0, %c0] [64, 64] inst <tma_load> : !G, !S
      %g = tile.alloc "g" : !A
      tile.copy %g[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] : !A, !A
      scf.if %f {
        tile.copy %s[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] inst <vector> : !S, !A
      }
    }
  }
}

// -----

!G = memref<?x64xbf16, #tile.space<global>>
!M = memref<?xi1, #tile.space<global>>
!S = memref<64x64xbf16, #tile.space<shared>>
!A = memref<64x64xbf16, #tile.space<fragment>>
#G = affine_map<()[n] -> (n, 64)>
#M = affine_map<()[n] -> (n)>

// A loop that is not pipelined.
// CHECK-LABEL: tile.kernel @no_stages
// CHECK-NOT: arith.ori
// CHECK: tile.copy %{{.*}} inst <{{.*}}>
// CHECK-NOT: arith.ori
tile.kernel @no_stages params ["G", "M"] shapes [#G, #M] symbols ["n"] {
^bb0(%G: !G, %M: !M, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %s = tile.alloc "s" : !S
    %a = tile.alloc "a" : !A
    tile.pipelined %c0 to %n stages 0 {
    ^bb0(%i: i32):
      tile.copy %G[%i, %c0] [64, 64] to %s[%c0, %c0] [64, 64] inst <tma_load> : !G, !S
      %f = tile.load %M[%i] : !M -> i1
      scf.if %f {
        tile.copy %s[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] inst <vector> : !S, !A
      }
    }
  }
}

// -----

!G = memref<?x64xbf16, #tile.space<global>>
!M = memref<?xi1, #tile.space<global>>
!S = memref<64x64xbf16, #tile.space<shared>>
!A = memref<64x64xbf16, #tile.space<fragment>>
#G = affine_map<()[n] -> (n, 64)>
#M = affine_map<()[n] -> (n)>

// The tile is used outside of the branch, too.
// CHECK-LABEL: tile.kernel @used_always
// CHECK-NOT: arith.ori
// CHECK: tile.copy %{{.*}} inst <{{.*}}>
// CHECK-NOT: arith.ori
tile.kernel @used_always params ["G", "M"] shapes [#G, #M] symbols ["n"] {
^bb0(%G: !G, %M: !M, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %s = tile.alloc "s" : !S
    %a = tile.alloc "a" : !A
    tile.pipelined %c0 to %n stages 2 {
    ^bb0(%i: i32):
      tile.copy %G[%i, %c0] [64, 64] to %s[%c0, %c0] [64, 64] inst <tma_load> : !G, !S
      %f = tile.load %M[%i] : !M -> i1
      scf.if %f {
        tile.copy %s[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] inst <vector> : !S, !A
      }
      tile.copy %s[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] inst <vector> : !S, !A
    }
  }
}

// -----

!G = memref<?x64xbf16, #tile.space<global>>
!M = memref<?xi1, #tile.space<global>>
!S = memref<64x64xbf16, #tile.space<shared>>
!A = memref<64x64xbf16, #tile.space<fragment>>
#G = affine_map<()[n] -> (n, 64)>
#M = affine_map<()[n] -> (n)>

// Two branches use it.
// CHECK-LABEL: tile.kernel @used_by_two
// CHECK-NOT: arith.ori
// CHECK: tile.copy %{{.*}} inst <{{.*}}>
// CHECK-NOT: arith.ori
tile.kernel @used_by_two params ["G", "M"] shapes [#G, #M] symbols ["n"] {
^bb0(%G: !G, %M: !M, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %s = tile.alloc "s" : !S
    %a = tile.alloc "a" : !A
    tile.pipelined %c0 to %n stages 2 {
    ^bb0(%i: i32):
      tile.copy %G[%i, %c0] [64, 64] to %s[%c0, %c0] [64, 64] inst <tma_load> : !G, !S
      %f = tile.load %M[%i] : !M -> i1
      scf.if %f {
        tile.copy %s[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] inst <vector> : !S, !A
      }
      scf.if %f {
        tile.copy %s[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] inst <vector> : !S, !A
      }
    }
  }
}

// -----

!G = memref<?x64xbf16, #tile.space<global>>
!M = memref<?xi1, #tile.space<global>>
!S = memref<64x64xbf16, #tile.space<shared>>
!A = memref<64x64xbf16, #tile.space<fragment>>
#G = affine_map<()[n] -> (n, 64)>
#M = affine_map<()[n] -> (n)>

// The branch comes before the load: it uses the tile of the turn before.
// CHECK-LABEL: tile.kernel @used_before
// CHECK-NOT: arith.ori
// CHECK: tile.copy %{{.*}} inst <{{.*}}>
// CHECK-NOT: arith.ori
tile.kernel @used_before params ["G", "M"] shapes [#G, #M] symbols ["n"] {
^bb0(%G: !G, %M: !M, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %s = tile.alloc "s" : !S
    %a = tile.alloc "a" : !A
    tile.pipelined %c0 to %n stages 2 {
    ^bb0(%i: i32):
      %f = tile.load %M[%i] : !M -> i1
      scf.if %f {
        tile.copy %s[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] inst <vector> : !S, !A
      }
      tile.copy %G[%i, %c0] [64, 64] to %s[%c0, %c0] [64, 64] inst <tma_load> : !G, !S
    }
  }
}

// -----

!G = memref<?x64xbf16, #tile.space<global>>
!M = memref<?xi1, #tile.space<global>>
!S = memref<64x64xbf16, #tile.space<shared>>
!A = memref<64x64xbf16, #tile.space<fragment>>
#G = affine_map<()[n] -> (n, 64)>
#M = affine_map<()[n] -> (n)>

// The tile outlives the loop.
// CHECK-LABEL: tile.kernel @used_after_loop
// CHECK-NOT: arith.ori
// CHECK: tile.copy %{{.*}} inst <{{.*}}>
// CHECK-NOT: arith.ori
tile.kernel @used_after_loop params ["G", "M"] shapes [#G, #M] symbols ["n"] {
^bb0(%G: !G, %M: !M, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %s = tile.alloc "s" : !S
    %a = tile.alloc "a" : !A
    tile.pipelined %c0 to %n stages 2 {
    ^bb0(%i: i32):
      tile.copy %G[%i, %c0] [64, 64] to %s[%c0, %c0] [64, 64] inst <tma_load> : !G, !S
      %f = tile.load %M[%i] : !M -> i1
      scf.if %f {
        tile.copy %s[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] inst <vector> : !S, !A
      }
    }
    tile.copy %s[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] inst <vector> : !S, !A
  }
}

// -----

!G = memref<?x64xbf16, #tile.space<global>>
!M = memref<?xi1, #tile.space<global>>
!S = memref<64x64xbf16, #tile.space<shared>>
!A = memref<64x64xbf16, #tile.space<fragment>>
#G = affine_map<()[n] -> (n, 64)>
#M = affine_map<()[n] -> (n)>

// The branch has another path.
// CHECK-LABEL: tile.kernel @other_path
// CHECK-NOT: arith.ori
// CHECK: tile.copy %{{.*}} inst <{{.*}}>
// CHECK-NOT: arith.ori
tile.kernel @other_path params ["G", "M"] shapes [#G, #M] symbols ["n"] {
^bb0(%G: !G, %M: !M, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %s = tile.alloc "s" : !S
    %a = tile.alloc "a" : !A
    tile.pipelined %c0 to %n stages 2 {
    ^bb0(%i: i32):
      tile.copy %G[%i, %c0] [64, 64] to %s[%c0, %c0] [64, 64] inst <tma_load> : !G, !S
      %f = tile.load %M[%i] : !M -> i1
      scf.if %f {
        tile.copy %s[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] inst <vector> : !S, !A
      } else {
        %z = arith.constant 0 : i32
      }
    }
  }
}

// -----

!G = memref<?x64xbf16, #tile.space<global>>
!M = memref<?xi1, #tile.space<global>>
!S = memref<64x64xbf16, #tile.space<shared>>
!A = memref<64x64xbf16, #tile.space<fragment>>
#G = affine_map<()[n] -> (n, 64)>
#M = affine_map<()[n] -> (n)>

// The branch has a result.
// CHECK-LABEL: tile.kernel @with_result
// CHECK-NOT: arith.ori
// CHECK: tile.copy %{{.*}} inst <{{.*}}>
// CHECK-NOT: arith.ori
tile.kernel @with_result params ["G", "M"] shapes [#G, #M] symbols ["n"] {
^bb0(%G: !G, %M: !M, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %s = tile.alloc "s" : !S
    %a = tile.alloc "a" : !A
    tile.pipelined %c0 to %n stages 2 {
    ^bb0(%i: i32):
      tile.copy %G[%i, %c0] [64, 64] to %s[%c0, %c0] [64, 64] inst <tma_load> : !G, !S
      %f = tile.load %M[%i] : !M -> i1
      %x = scf.if %f -> i32 {
        tile.copy %s[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] inst <vector> : !S, !A
        scf.yield %n : i32
      } else {
        scf.yield %c0 : i32
      }
    }
  }
}

// -----

!G = memref<?x64xbf16, #tile.space<global>>
!M = memref<?xi1, #tile.space<global>>
!S = memref<64x64xbf16, #tile.space<shared>>
!A = memref<64x64xbf16, #tile.space<fragment>>
#G = affine_map<()[n] -> (n, 64)>
#M = affine_map<()[n] -> (n)>

// The condition is more than a flag.
// CHECK-LABEL: tile.kernel @computed_flag
// CHECK-NOT: arith.ori
// CHECK: tile.copy %{{.*}} inst <{{.*}}>
// CHECK-NOT: arith.ori
tile.kernel @computed_flag params ["G", "M"] shapes [#G, #M] symbols ["n"] {
^bb0(%G: !G, %M: !M, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %s = tile.alloc "s" : !S
    %a = tile.alloc "a" : !A
    tile.pipelined %c0 to %n stages 2 {
    ^bb0(%i: i32):
      tile.copy %G[%i, %c0] [64, 64] to %s[%c0, %c0] [64, 64] inst <tma_load> : !G, !S
      %w = tile.load %M[%i] : !M -> i1
      %p = arith.cmpi sgt, %n, %c0 : i32
      %f = arith.andi %w, %p : i1
      scf.if %f {
        tile.copy %s[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] inst <vector> : !S, !A
      }
    }
  }
}

// -----

!G = memref<?x64xbf16, #tile.space<global>>
!M = memref<?xi1, #tile.space<global>>
!S = memref<64x64xbf16, #tile.space<shared>>
!A = memref<64x64xbf16, #tile.space<fragment>>
#G = affine_map<()[n] -> (n, 64)>
#M = affine_map<()[n] -> (n)>

// The flag is in shared memory.
// CHECK-LABEL: tile.kernel @flag_in_shared
// CHECK-NOT: arith.ori
// CHECK: tile.copy %{{.*}} inst <{{.*}}>
// CHECK-NOT: arith.ori
tile.kernel @flag_in_shared params ["G", "M"] shapes [#G, #M] symbols ["n"] {
^bb0(%G: !G, %M: !M, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %s = tile.alloc "s" : !S
    %a = tile.alloc "a" : !A
    %p = tile.alloc "p" : memref<8xi1, #tile.space<shared>>
    tile.pipelined %c0 to %n stages 2 {
    ^bb0(%i: i32):
      tile.copy %G[%i, %c0] [64, 64] to %s[%c0, %c0] [64, 64] inst <tma_load> : !G, !S
      %f = tile.load %p[%i] : memref<8xi1, #tile.space<shared>> -> i1
      scf.if %f {
        tile.copy %s[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] inst <vector> : !S, !A
      }
    }
  }
}

// -----

!G = memref<?x64xbf16, #tile.space<global>>
!M = memref<?xi1, #tile.space<global>>
!S = memref<64x64xbf16, #tile.space<shared>>
!A = memref<64x64xbf16, #tile.space<fragment>>
#G = affine_map<()[n] -> (n, 64)>
#M = affine_map<()[n] -> (n)>

// The kernel writes the flags.
// CHECK-LABEL: tile.kernel @flag_written
// CHECK-NOT: arith.ori
// CHECK: tile.copy %{{.*}} inst <{{.*}}>
// CHECK-NOT: arith.ori
tile.kernel @flag_written params ["G", "M"] shapes [#G, #M] symbols ["n"] {
^bb0(%G: !G, %M: !M, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %s = tile.alloc "s" : !S
    %a = tile.alloc "a" : !A
    %true = arith.constant true
    tile.store %true to %M[%c0] : i1, !M
    tile.pipelined %c0 to %n stages 2 {
    ^bb0(%i: i32):
      tile.copy %G[%i, %c0] [64, 64] to %s[%c0, %c0] [64, 64] inst <tma_load> : !G, !S
      %f = tile.load %M[%i] : !M -> i1
      scf.if %f {
        tile.copy %s[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] inst <vector> : !S, !A
      }
    }
  }
}

// -----

!G = memref<?x64xbf16, #tile.space<global>>
!M = memref<?xi1, #tile.space<global>>
!S = memref<64x64xbf16, #tile.space<shared>>
!A = memref<64x64xbf16, #tile.space<fragment>>
#G = affine_map<()[n] -> (n, 64)>
#M = affine_map<()[n] -> (n)>

// Each thread has a flag of its own.
// CHECK-LABEL: tile.kernel @flag_of_thread
// CHECK-NOT: arith.ori
// CHECK: tile.copy %{{.*}} inst <{{.*}}>
// CHECK-NOT: arith.ori
tile.kernel @flag_of_thread params ["G", "M"] shapes [#G, #M] symbols ["n"] {
^bb0(%G: !G, %M: !M, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %s = tile.alloc "s" : !S
    %a = tile.alloc "a" : !A
    tile.pipelined %c0 to %n stages 2 {
    ^bb0(%i: i32):
      tile.copy %G[%i, %c0] [64, 64] to %s[%c0, %c0] [64, 64] inst <tma_load> : !G, !S
      %x = tile.thread_id <x>
      %f = tile.load %M[%x] : !M -> i1
      scf.if %f {
        tile.copy %s[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] inst <vector> : !S, !A
      }
    }
  }
}

// -----

!G = memref<?x64xbf16, #tile.space<global>>
!M = memref<?xi1, #tile.space<global>>
!S = memref<64x64xbf16, #tile.space<shared>>
!A = memref<64x64xbf16, #tile.space<fragment>>
#G = affine_map<()[n] -> (n, 64)>
#M = affine_map<()[n] -> (n)>

// The flag is that of the launch: nothing is decided in a turn.
// CHECK-LABEL: tile.kernel @flag_before_loop
// CHECK-NOT: arith.ori
// CHECK: tile.copy %{{.*}} inst <{{.*}}>
// CHECK-NOT: arith.ori
tile.kernel @flag_before_loop params ["G", "M"] shapes [#G, #M] symbols ["n"] {
^bb0(%G: !G, %M: !M, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %s = tile.alloc "s" : !S
    %a = tile.alloc "a" : !A
    %f = tile.load %M[%bx] : !M -> i1
    tile.pipelined %c0 to %n stages 2 {
    ^bb0(%i: i32):
      tile.copy %G[%i, %c0] [64, 64] to %s[%c0, %c0] [64, 64] inst <tma_load> : !G, !S
      scf.if %f {
        tile.copy %s[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] inst <vector> : !S, !A
      }
    }
  }
}

// -----

!G = memref<?x64xbf16, #tile.space<global>>
!M = memref<?xi1, #tile.space<global>>
!S = memref<64x64xbf16, #tile.space<shared>>
!A = memref<64x64xbf16, #tile.space<fragment>>
#G = affine_map<()[n] -> (n, 64)>
#M = affine_map<()[n] -> (n)>

// Threads meet between them.
// CHECK-LABEL: tile.kernel @barrier
// CHECK-NOT: arith.ori
// CHECK: tile.copy %{{.*}} inst <{{.*}}>
// CHECK-NOT: arith.ori
tile.kernel @barrier params ["G", "M"] shapes [#G, #M] symbols ["n"] {
^bb0(%G: !G, %M: !M, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %s = tile.alloc "s" : !S
    %a = tile.alloc "a" : !A
    tile.pipelined %c0 to %n stages 2 {
    ^bb0(%i: i32):
      tile.copy %G[%i, %c0] [64, 64] to %s[%c0, %c0] [64, 64] inst <tma_load> : !G, !S
      %f = tile.load %M[%i] : !M -> i1
      tile.sync_threads
      scf.if %f {
        tile.copy %s[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] inst <vector> : !S, !A
      }
    }
  }
}

// -----

!G = memref<?x64xbf16, #tile.space<global>>
!M = memref<?xi1, #tile.space<global>>
!S = memref<64x64xbf16, #tile.space<shared>>
!A = memref<64x64xbf16, #tile.space<fragment>>
#G = affine_map<()[n] -> (n, 64)>
#M = affine_map<()[n] -> (n)>

// The program orders something between them.
// CHECK-LABEL: tile.kernel @fence
// CHECK-NOT: arith.ori
// CHECK: tile.copy %{{.*}} inst <{{.*}}>
// CHECK-NOT: arith.ori
tile.kernel @fence params ["G", "M"] shapes [#G, #M] symbols ["n"] {
^bb0(%G: !G, %M: !M, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %s = tile.alloc "s" : !S
    %a = tile.alloc "a" : !A
    tile.pipelined %c0 to %n stages 2 {
    ^bb0(%i: i32):
      tile.copy %G[%i, %c0] [64, 64] to %s[%c0, %c0] [64, 64] inst <tma_load> : !G, !S
      %f = tile.load %M[%i] : !M -> i1
      tile.fence_proxy_async
      scf.if %f {
        tile.copy %s[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] inst <vector> : !S, !A
      }
    }
  }
}

// -----

!G = memref<?x64xbf16, #tile.space<global>>
!M = memref<?xi1, #tile.space<global>>
!S = memref<64x64xbf16, #tile.space<shared>>
!A = memref<64x64xbf16, #tile.space<fragment>>
#G = affine_map<()[n] -> (n, 64)>
#M = affine_map<()[n] -> (n)>

// A function of which nothing is known is called between them.
// CHECK-LABEL: tile.kernel @call
// CHECK-NOT: arith.ori
// CHECK: tile.copy %{{.*}} inst <{{.*}}>
// CHECK-NOT: arith.ori
tile.kernel @call params ["G", "M"] shapes [#G, #M] symbols ["n"] {
^bb0(%G: !G, %M: !M, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %s = tile.alloc "s" : !S
    %a = tile.alloc "a" : !A
    tile.pipelined %c0 to %n stages 2 {
    ^bb0(%i: i32):
      tile.copy %G[%i, %c0] [64, 64] to %s[%c0, %c0] [64, 64] inst <tma_load> : !G, !S
      %f = tile.load %M[%i] : !M -> i1
      tile.call_extern "f"() : () -> ()
      scf.if %f {
        tile.copy %s[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] inst <vector> : !S, !A
      }
    }
  }
}

// -----

!G = memref<?x64xbf16, #tile.space<global>>
!M = memref<?xi1, #tile.space<global>>
!S = memref<64x64xbf16, #tile.space<shared>>
!A = memref<64x64xbf16, #tile.space<fragment>>
#G = affine_map<()[n] -> (n, 64)>
#M = affine_map<()[n] -> (n)>

// The threads make the copy.
// CHECK-LABEL: tile.kernel @by_threads
// CHECK-NOT: arith.ori
tile.kernel @by_threads params ["G", "M"] shapes [#G, #M] symbols ["n"] {
^bb0(%G: !G, %M: !M, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %s = tile.alloc "s" : !S
    %a = tile.alloc "a" : !A
    tile.pipelined %c0 to %n stages 2 {
    ^bb0(%i: i32):
      tile.copy %G[%i, %c0] [64, 64] to %s[%c0, %c0] [64, 64] inst <vector> : !G, !S
      %f = tile.load %M[%i] : !M -> i1
      scf.if %f {
        tile.copy %s[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] inst <vector> : !S, !A
      }
    }
  }
}

// -----

!G = memref<?x64xbf16, #tile.space<global>>
!M = memref<?xi1, #tile.space<global>>
!S = memref<64x64xbf16, #tile.space<shared>>
!A = memref<64x64xbf16, #tile.space<fragment>>
#G = affine_map<()[n] -> (n, 64)>
#M = affine_map<()[n] -> (n)>

// The kernel writes the source.
// CHECK-LABEL: tile.kernel @source_written
// CHECK-NOT: arith.ori
// CHECK: tile.copy %{{.*}} inst <{{.*}}>
// CHECK-NOT: arith.ori
tile.kernel @source_written params ["G", "M"] shapes [#G, #M] symbols ["n"] {
^bb0(%G: !G, %M: !M, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %s = tile.alloc "s" : !S
    %a = tile.alloc "a" : !A
    tile.pipelined %c0 to %n stages 2 {
    ^bb0(%i: i32):
      tile.copy %G[%i, %c0] [64, 64] to %s[%c0, %c0] [64, 64] inst <tma_load> : !G, !S
      %f = tile.load %M[%i] : !M -> i1
      scf.if %f {
        tile.copy %s[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] inst <vector> : !S, !A
      }
      tile.copy %a[%c0, %c0] [64, 64] to %G[%i, %c0] [64, 64] inst <vector> : !A, !G
    }
  }
}

// -----

!G = memref<?x64xbf16, #tile.space<global>>
!M = memref<?xi1, #tile.space<global>>
!S = memref<64x64xbf16, #tile.space<shared>>
!A = memref<64x64xbf16, #tile.space<fragment>>
#G = affine_map<()[n] -> (n, 64)>
#M = affine_map<()[n] -> (n)>

// The load is guarded itself: the branch is not in its block.
// CHECK-LABEL: tile.kernel @deeper
// CHECK-NOT: arith.ori
// CHECK: tile.copy %{{.*}} inst <{{.*}}>
// CHECK-NOT: arith.ori
tile.kernel @deeper params ["G", "M"] shapes [#G, #M] symbols ["n"] {
^bb0(%G: !G, %M: !M, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %s = tile.alloc "s" : !S
    %a = tile.alloc "a" : !A
    tile.pipelined %c0 to %n stages 2 {
    ^bb0(%i: i32):
      %f = tile.load %M[%i] : !M -> i1
      %p = arith.cmpi sgt, %n, %i : i32
      scf.if %p {
        tile.copy %G[%i, %c0] [64, 64] to %s[%c0, %c0] [64, 64] inst <tma_load> : !G, !S
      }
      scf.if %f {
        tile.copy %s[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] inst <vector> : !S, !A
      }
    }
  }
}
