// RUN: tlc-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-plan-pipelines))' | FileCheck %s
// RUN: tlc-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-plan-pipelines{warp-specialize=false}))' | FileCheck %s --check-prefix=OFF

// Which copies fill rings, and why others do not.

!A = memref<?x64xbf16, #tile.space<global>>
!S = memref<64x64xbf16, #tile.space<shared>>
!F = memref<64x64xf32, #tile.space<fragment>>
#A = affine_map<()[n] -> (n, 64)>

// CHECK-LABEL: tile.kernel @ring
// CHECK: plan <warp_specialized> reason "its tiles are loaded ahead by producer warps"
// CHECK: tile.copy {{.*}} inst <tma_load> ring "s"
// OFF-LABEL: tile.kernel @ring
// OFF: plan <pipelined> reason "warp specialization is switched off"
// OFF: ring "s"
tile.kernel @ring params ["A"] shapes [#A] symbols ["n"] {
^bb0(%A: !A, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %s = tile.alloc "s" : !S
    %f = tile.alloc "f" : !F
    tile.pipelined %c0 to %n stages 3 {
    ^bb0(%i: i32):
      tile.copy %A[%i, %c0] [64, 64] to %s[%c0, %c0] [64, 64] inst <tma_load> : !A, !S
      tile.copy %s[%c0, %c0] [64, 64] to %f[%c0, %c0] [64, 64] inst <vector> : !S, !F
    }
  }
}

// A zero in num_stages asks for a plain loop.
// CHECK-LABEL: tile.kernel @plain
// CHECK: plan <sequential> reason "num_stages is 0"
// CHECK: tile.copy {{.*}} inst <vector>
tile.kernel @plain params ["A"] shapes [#A] symbols ["n"] {
^bb0(%A: !A, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %s = tile.alloc "s" : !S
    %f = tile.alloc "f" : !F
    tile.pipelined %c0 to %n stages 0 {
    ^bb0(%i: i32):
      tile.copy %A[%i, %c0] [64, 64] to %s[%c0, %c0] [64, 64] inst <tma_load> : !A, !S
      tile.copy %s[%c0, %c0] [64, 64] to %f[%c0, %c0] [64, 64] inst <vector> : !S, !F
    }
  }
}

// The use of the last turn's tile comes before the load of this turn's.
// CHECK-LABEL: tile.kernel @use_then_load
// CHECK: plan <sequential> reason "the copy at line {{[0-9]+}} fills 's', which is used before it at line
// CHECK-NOT: ring
tile.kernel @use_then_load params ["A"] shapes [#A] symbols ["n"] {
^bb0(%A: !A, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %s = tile.alloc "s" : !S
    %f = tile.alloc "f" : !F
    tile.pipelined %c0 to %n stages 2 {
    ^bb0(%i: i32):
      tile.copy %s[%c0, %c0] [64, 64] to %f[%c0, %c0] [64, 64] inst <vector> : !S, !F
      tile.copy %A[%i, %c0] [64, 64] to %s[%c0, %c0] [64, 64] inst <tma_load> : !A, !S
    }
  }
}

// The last turn's tile is used after the loop.
// CHECK-LABEL: tile.kernel @use_after
// CHECK: plan <sequential> reason "the copy at line {{[0-9]+}} fills 's', which is also used at line {{[0-9]+}}, outside its turn or guard"
tile.kernel @use_after params ["A"] shapes [#A] symbols ["n"] {
^bb0(%A: !A, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %s = tile.alloc "s" : !S
    %f = tile.alloc "f" : !F
    tile.pipelined %c0 to %n stages 2 {
    ^bb0(%i: i32):
      tile.copy %A[%i, %c0] [64, 64] to %s[%c0, %c0] [64, 64] inst <tma_load> : !A, !S
    }
    tile.copy %s[%c0, %c0] [64, 64] to %f[%c0, %c0] [64, 64] inst <vector> : !S, !F
  }
}

// A tile that threads write too is nobody's slot.
// CHECK-LABEL: tile.kernel @two_writers
// CHECK: plan <sequential> reason "{{.*}}fills 's', which is also written at line
tile.kernel @two_writers params ["A"] shapes [#A] symbols ["n"] {
^bb0(%A: !A, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %z = arith.constant 0.0 : bf16
    %s = tile.alloc "s" : !S
    tile.pipelined %c0 to %n stages 2 {
    ^bb0(%i: i32):
      tile.copy %A[%i, %c0] [64, 64] to %s[%c0, %c0] [64, 64] inst <tma_load> : !A, !S
      tile.fill %z to %s[%c0, %c0] [64, 64] : bf16, !S
    }
  }
}

// What the kernel writes cannot be loaded ahead.
// CHECK-LABEL: tile.kernel @written_source
// CHECK: plan <sequential> reason "{{.*}}reads 'A', which the kernel writes"
tile.kernel @written_source params ["A"] shapes [#A] symbols ["n"] {
^bb0(%A: !A, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %s = tile.alloc "s" : !S
    tile.pipelined %c0 to %n stages 2 {
    ^bb0(%i: i32):
      tile.copy %A[%i, %c0] [64, 64] to %s[%c0, %c0] [64, 64] inst <tma_load> : !A, !S
      tile.copy %s[%c0, %c0] [64, 64] to %A[%i, %c0] [64, 64] inst <vector> : !S, !A
    }
  }
}

// An address that the block computes is not known to another warp.
// CHECK-LABEL: tile.kernel @computed_address
// CHECK: plan <sequential> reason "{{.*}}depends on 'p', which the block computes"
tile.kernel @computed_address params ["A"] shapes [#A] symbols ["n"] {
^bb0(%A: !A, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %s = tile.alloc "s" : !S
    %f = tile.alloc "f" : !F
    %p = tile.alloc "p" : memref<4xi32, #tile.space<shared>>
    tile.store %n to %p[%c0] : i32, memref<4xi32, #tile.space<shared>>
    tile.pipelined %c0 to %n stages 2 {
    ^bb0(%i: i32):
      %r = tile.load %p[%c0] : memref<4xi32, #tile.space<shared>> -> i32
      tile.copy %A[%r, %c0] [64, 64] to %s[%c0, %c0] [64, 64] inst <tma_load> : !A, !S
      tile.copy %s[%c0, %c0] [64, 64] to %f[%c0, %c0] [64, 64] inst <vector> : !S, !F
    }
  }
}

// A guard on the thread index has no meaning for a producer.
// CHECK-LABEL: tile.kernel @thread_guard
// CHECK: plan <sequential> reason "{{.*}}depends on the thread index"
tile.kernel @thread_guard params ["A"] shapes [#A] symbols ["n"] {
^bb0(%A: !A, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %s = tile.alloc "s" : !S
    %tx = tile.thread_id <x>
    %lt = arith.cmpi slt, %tx, %n : i32
    tile.pipelined %c0 to %n stages 2 {
    ^bb0(%i: i32):
      scf.if %lt {
        tile.copy %A[%i, %c0] [64, 64] to %s[%c0, %c0] [64, 64] inst <tma_load> : !A, !S
      }
    }
  }
}

// Tiles with the same first and last use share a ring, others do not.
// CHECK-LABEL: tile.kernel @shared_ring
// CHECK: ring "a_b"
// CHECK: ring "a_b"
// CHECK: ring "c"
tile.kernel @shared_ring params ["A"] shapes [#A] symbols ["n"] {
^bb0(%A: !A, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : !S
    %b = tile.alloc "b" : !S
    %c = tile.alloc "c" : !S
    %f = tile.alloc "f" : !F
    tile.pipelined %c0 to %n stages 2 {
    ^bb0(%i: i32):
      tile.copy %A[%i, %c0] [64, 64] to %a[%c0, %c0] [64, 64] inst <tma_load> : !A, !S
      tile.copy %A[%n, %c0] [64, 64] to %b[%c0, %c0] [64, 64] inst <tma_load> : !A, !S
      tile.copy %A[%bx, %c0] [64, 64] to %c[%c0, %c0] [64, 64] inst <tma_load> : !A, !S
      tile.gemm %a[%c0, %c0] [64, 64], %b[%c0, %c0] [64, 64], %f inst <wgmma_ss> warps 4 x 1 : !S, !S, !F
      tile.copy %c[%c0, %c0] [64, 64] to %f[%c0, %c0] [64, 64] inst <vector> : !S, !F
    }
  }
}

// Two loops over one tile have a ring each.
// CHECK-LABEL: tile.kernel @sibling_loops
// CHECK: ring "s" reason
// CHECK: ring "s_2"
tile.kernel @sibling_loops params ["A"] shapes [#A] symbols ["n"] {
^bb0(%A: !A, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %s = tile.alloc "s" : !S
    %f = tile.alloc "f" : !F
    tile.pipelined %c0 to %n stages 2 {
    ^bb0(%i: i32):
      tile.copy %A[%i, %c0] [64, 64] to %s[%c0, %c0] [64, 64] inst <tma_load> reason "" : !A, !S
      tile.copy %s[%c0, %c0] [64, 64] to %f[%c0, %c0] [64, 64] inst <vector> : !S, !F
    }
    tile.pipelined %c0 to %n stages 3 {
    ^bb0(%i: i32):
      tile.copy %A[%i, %c0] [64, 64] to %s[%c0, %c0] [64, 64] inst <tma_load> reason "" : !A, !S
      tile.copy %s[%c0, %c0] [64, 64] to %f[%c0, %c0] [64, 64] inst <vector> : !S, !F
    }
  }
}

// Without a producer, a fill that follows a changing variable stays in turn.
// CHECK-LABEL: tile.kernel @changing_variable
// CHECK: plan <warp_specialized>
// OFF-LABEL: tile.kernel @changing_variable
// OFF: plan <sequential> reason "{{.*}}depends on a variable that changes in the loop"
tile.kernel @changing_variable params ["A"] shapes [#A] symbols ["n"] {
^bb0(%A: !A, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %s = tile.alloc "s" : !S
    %f = tile.alloc "f" : !F
    %v = tile.alloc "v" : memref<1xi32, #tile.space<local>>
    tile.store %c0 to %v[%c0] : i32, memref<1xi32, #tile.space<local>>
    tile.pipelined %c0 to %n stages 2 {
    ^bb0(%i: i32):
      %r = tile.load %v[%c0] : memref<1xi32, #tile.space<local>> -> i32
      tile.copy %A[%r, %c0] [64, 64] to %s[%c0, %c0] [64, 64] inst <tma_load> : !A, !S
      tile.copy %s[%c0, %c0] [64, 64] to %f[%c0, %c0] [64, 64] inst <vector> : !S, !F
      %next = arith.addi %r, %c1 : i32
      tile.store %next to %v[%c0] : i32, memref<1xi32, #tile.space<local>>
    }
  }
}

// 33 threads are no warps.
// CHECK-LABEL: tile.kernel @odd_threads
// CHECK: plan <sequential> reason "{{.*}}would hand slots over by whole warps, the block has 33 threads"
tile.kernel @odd_threads params ["A"] shapes [#A] symbols ["n"] {
^bb0(%A: !A, %n: i32):
  tile.launch grid(%n) threads [33, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %s = tile.alloc "s" : !S
    %f = tile.alloc "f" : !F
    tile.pipelined %c0 to %n stages 2 {
    ^bb0(%i: i32):
      tile.copy %A[%i, %c0] [64, 64] to %s[%c0, %c0] [64, 64] inst <tma_load> : !A, !S
      tile.copy %s[%c0, %c0] [64, 64] to %f[%c0, %c0] [64, 64] inst <vector> : !S, !F
    }
  }
}
