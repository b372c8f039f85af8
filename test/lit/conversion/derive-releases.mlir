// RUN: tlc-opt %s --pass-pipeline='builtin.module(tile.kernel(ws-derive-releases))' | FileCheck %s
// RUN: tlc-opt %s --pass-pipeline='builtin.module(tile.kernel(ws-derive-releases{early=false}))' | FileCheck %s --check-prefix=LATE
// RUN: tlc-opt %s --pass-pipeline='builtin.module(tile.kernel(ws-derive-releases{war-fence=delay}))' | FileCheck %s --check-prefix=LATE

// A slot goes back before the products that are in flight behind its last read
// are over, where a branch reads it on both of its paths; and what keeps it
// until the branch is over.

// LATE-NOT: before the wait for the products
// LATE-NOT: the branch that uses the slot is not taken

!S = memref<64x64xbf16, #tile.space<shared>>
!A = memref<64x64xbf16, #tile.space<fragment>>
!C = memref<64x64xf32, #tile.space<fragment>>

// The branch reads the slot, then multiplies.
// CHECK-LABEL: tile.kernel @branch
// CHECK: scf.if
// CHECK: tile.gemm
// CHECK: ws.release %{{.*}} reason "last used by the T.copy at line {{[0-9]+}}, before the wait for the products that follow"
// CHECK-NEXT: ws.mma_wait 0
// CHECK-NEXT: } else {
// CHECK-NEXT: ws.release %{{.*}} reason "the branch that uses the slot is not taken"
// CHECK-NEXT: }
// CHECK-NOT: ws.release
tile.kernel @branch params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %s = tile.alloc "s" : !S
    %o = tile.alloc "o" : !S
    %r = ws.ring "s" depth 2 (%s) : !S
    ws.role "consumer" warps [0, 4] {
      %c0 = arith.constant 0 : i32
      %a = tile.alloc "a" : !A
      %c = tile.alloc "c" : !C
      %some = arith.cmpi sgt, %n, %c0 : i32
      %t, %v = ws.wait %r : !S
      scf.if %some {
        tile.copy %v[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] inst <vector> : !S, !A
        ws.mma_fence
        tile.gemm %a[%c0, %c0] [64, 64], %o[%c0, %c0] [64, 64], %c inst <wgmma_rs> warps 4 x 1 async : !A, !S, !C
        ws.mma_wait 0
      }
    }
  }
}

// The other path does something else.
// CHECK-LABEL: tile.kernel @with_else
// CHECK: scf.if
// CHECK: ws.release %{{.*}} reason "last used by the T.copy at line {{[0-9]+}}, before the wait for the products that follow"
// CHECK-NEXT: ws.mma_wait 0
// CHECK-NEXT: } else {
// CHECK-NEXT: ws.release %{{.*}} reason "the branch that uses the slot is not taken"
// CHECK: tile.fill
// CHECK-NOT: ws.release
tile.kernel @with_else params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %s = tile.alloc "s" : !S
    %o = tile.alloc "o" : !S
    %r = ws.ring "s" depth 2 (%s) : !S
    ws.role "consumer" warps [0, 4] {
      %c0 = arith.constant 0 : i32
      %a = tile.alloc "a" : !A
      %c = tile.alloc "c" : !C
      %some = arith.cmpi sgt, %n, %c0 : i32
      %t, %v = ws.wait %r : !S
      scf.if %some {
        tile.copy %v[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] inst <vector> : !S, !A
        ws.mma_fence
        tile.gemm %a[%c0, %c0] [64, 64], %o[%c0, %c0] [64, 64], %c inst <wgmma_rs> warps 4 x 1 async : !A, !S, !C
        ws.mma_wait 0
      } else {
        %z = arith.constant 0.0 : f32
        tile.fill %z to %c[%c0, %c0] [64, 64] : f32, !C
      }
    }
  }
}

// No branch.
// CHECK-LABEL: tile.kernel @always
// CHECK: tile.gemm
// CHECK: ws.release %{{.*}} reason "last used by the T.copy at line {{[0-9]+}}, before the wait for the products that follow"
// CHECK-NEXT: ws.mma_wait 0
// CHECK-NOT: ws.release
tile.kernel @always params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %s = tile.alloc "s" : !S
    %o = tile.alloc "o" : !S
    %r = ws.ring "s" depth 2 (%s) : !S
    ws.role "consumer" warps [0, 4] {
      %c0 = arith.constant 0 : i32
      %a = tile.alloc "a" : !A
      %c = tile.alloc "c" : !C
      %some = arith.cmpi sgt, %n, %c0 : i32
      %t, %v = ws.wait %r : !S
      tile.copy %v[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] inst <vector> : !S, !A
      ws.mma_fence
      tile.gemm %a[%c0, %c0] [64, 64], %o[%c0, %c0] [64, 64], %c inst <wgmma_rs> warps 4 x 1 async : !A, !S, !C
      ws.mma_wait 0
    }
  }
}

// The reads are in a loop of the branch.
// CHECK-LABEL: tile.kernel @read_in_loop
// CHECK: scf.if
// CHECK: scf.for
// CHECK: tile.gemm
// CHECK: ws.release %{{.*}}, before the wait for the products that follow"
// CHECK-NEXT: ws.mma_wait 0
// CHECK-NEXT: } else {
// CHECK-NEXT: ws.release %{{.*}} reason "the branch that uses the slot is not taken"
// CHECK-NOT: ws.release
tile.kernel @read_in_loop params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %s = tile.alloc "s" : !S
    %o = tile.alloc "o" : !S
    %r = ws.ring "s" depth 2 (%s) : !S
    ws.role "consumer" warps [0, 4] {
      %c0 = arith.constant 0 : i32
      %a = tile.alloc "a" : !A
      %c = tile.alloc "c" : !C
      %some = arith.cmpi sgt, %n, %c0 : i32
      %t, %v = ws.wait %r : !S
      scf.if %some {
        %c1 = arith.constant 1 : i32
        scf.for %i = %c0 to %n step %c1 : i32 {
          tile.copy %v[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] inst <vector> : !S, !A
        }
        ws.mma_fence
        tile.gemm %a[%c0, %c0] [64, 64], %o[%c0, %c0] [64, 64], %c inst <wgmma_rs> warps 4 x 1 async : !A, !S, !C
        ws.mma_wait 0
      }
    }
  }
}

// Nothing is in flight.
// CHECK-LABEL: tile.kernel @nothing_in_flight
// CHECK: scf.if
// CHECK: tile.copy
// CHECK-NEXT: }
// CHECK-NEXT: ws.release
// CHECK-NOT: ws.release
tile.kernel @nothing_in_flight params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %s = tile.alloc "s" : !S
    %o = tile.alloc "o" : !S
    %r = ws.ring "s" depth 2 (%s) : !S
    ws.role "consumer" warps [0, 4] {
      %c0 = arith.constant 0 : i32
      %a = tile.alloc "a" : !A
      %c = tile.alloc "c" : !C
      %some = arith.cmpi sgt, %n, %c0 : i32
      %t, %v = ws.wait %r : !S
      scf.if %some {
        tile.copy %v[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] inst <vector> : !S, !A
      }
    }
  }
}

// The product in flight reads the slot itself.
// CHECK-LABEL: tile.kernel @read_by_product
// CHECK: ws.mma_wait 0
// CHECK-NEXT: }
// CHECK-NEXT: ws.release
// CHECK-NOT: ws.release
tile.kernel @read_by_product params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %s = tile.alloc "s" : !S
    %o = tile.alloc "o" : !S
    %r = ws.ring "s" depth 2 (%s) : !S
    ws.role "consumer" warps [0, 4] {
      %c0 = arith.constant 0 : i32
      %a = tile.alloc "a" : !A
      %c = tile.alloc "c" : !C
      %some = arith.cmpi sgt, %n, %c0 : i32
      %t, %v = ws.wait %r : !S
      scf.if %some {
        ws.mma_fence
        tile.gemm %v[%c0, %c0] [64, 64], %o[%c0, %c0] [64, 64], %c inst <wgmma_ss> warps 4 x 1 async : !S, !S, !C
        ws.mma_wait 0
      }
    }
  }
}

// The other path reads the slot, too.
// CHECK-LABEL: tile.kernel @read_on_both
// CHECK: scf.if
// CHECK: ws.mma_wait 0
// CHECK: } else {
// CHECK-NEXT: tile.copy
// CHECK-NEXT: }
// CHECK-NEXT: ws.release
// CHECK-NOT: ws.release
tile.kernel @read_on_both params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %s = tile.alloc "s" : !S
    %o = tile.alloc "o" : !S
    %r = ws.ring "s" depth 2 (%s) : !S
    ws.role "consumer" warps [0, 4] {
      %c0 = arith.constant 0 : i32
      %a = tile.alloc "a" : !A
      %c = tile.alloc "c" : !C
      %some = arith.cmpi sgt, %n, %c0 : i32
      %t, %v = ws.wait %r : !S
      scf.if %some {
        tile.copy %v[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] inst <vector> : !S, !A
        ws.mma_fence
        tile.gemm %a[%c0, %c0] [64, 64], %o[%c0, %c0] [64, 64], %c inst <wgmma_rs> warps 4 x 1 async : !A, !S, !C
        ws.mma_wait 0
      } else {
        tile.copy %v[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] inst <vector> : !S, !A
      }
    }
  }
}

// Only the other path reads it.
// CHECK-LABEL: tile.kernel @read_on_the_other
// CHECK: ws.mma_wait 0
// CHECK: } else {
// CHECK-NEXT: tile.copy
// CHECK-NEXT: }
// CHECK-NEXT: ws.release
// CHECK-NOT: ws.release
tile.kernel @read_on_the_other params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %s = tile.alloc "s" : !S
    %o = tile.alloc "o" : !S
    %r = ws.ring "s" depth 2 (%s) : !S
    ws.role "consumer" warps [0, 4] {
      %c0 = arith.constant 0 : i32
      %a = tile.alloc "a" : !A
      %c = tile.alloc "c" : !C
      %some = arith.cmpi sgt, %n, %c0 : i32
      %t, %v = ws.wait %r : !S
      scf.if %some {
        ws.mma_fence
        tile.gemm %a[%c0, %c0] [64, 64], %o[%c0, %c0] [64, 64], %c inst <wgmma_rs> warps 4 x 1 async : !A, !S, !C
        ws.mma_wait 0
      } else {
        tile.copy %v[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] inst <vector> : !S, !A
      }
    }
  }
}

// It is read again behind the branch.
// CHECK-LABEL: tile.kernel @read_behind
// CHECK: ws.mma_wait 0
// CHECK-NEXT: }
// CHECK-NEXT: tile.copy
// CHECK-NEXT: ws.release
// CHECK-NOT: ws.release
tile.kernel @read_behind params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %s = tile.alloc "s" : !S
    %o = tile.alloc "o" : !S
    %r = ws.ring "s" depth 2 (%s) : !S
    ws.role "consumer" warps [0, 4] {
      %c0 = arith.constant 0 : i32
      %a = tile.alloc "a" : !A
      %c = tile.alloc "c" : !C
      %some = arith.cmpi sgt, %n, %c0 : i32
      %t, %v = ws.wait %r : !S
      scf.if %some {
        tile.copy %v[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] inst <vector> : !S, !A
        ws.mma_fence
        tile.gemm %a[%c0, %c0] [64, 64], %o[%c0, %c0] [64, 64], %c inst <wgmma_rs> warps 4 x 1 async : !A, !S, !C
        ws.mma_wait 0
      }
      tile.copy %v[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] inst <vector> : !S, !A
    }
  }
}

// The branch has a result.
// CHECK-LABEL: tile.kernel @with_result
// CHECK: ws.mma_wait 0
// CHECK-NEXT: scf.yield
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: ws.release
// CHECK-NOT: ws.release
tile.kernel @with_result params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %s = tile.alloc "s" : !S
    %o = tile.alloc "o" : !S
    %r = ws.ring "s" depth 2 (%s) : !S
    ws.role "consumer" warps [0, 4] {
      %c0 = arith.constant 0 : i32
      %a = tile.alloc "a" : !A
      %c = tile.alloc "c" : !C
      %some = arith.cmpi sgt, %n, %c0 : i32
      %t, %v = ws.wait %r : !S
      %y = scf.if %some -> i32 {
        tile.copy %v[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] inst <vector> : !S, !A
        ws.mma_fence
        tile.gemm %a[%c0, %c0] [64, 64], %o[%c0, %c0] [64, 64], %c inst <wgmma_rs> warps 4 x 1 async : !A, !S, !C
        ws.mma_wait 0
        scf.yield %n : i32
      } else {
        scf.yield %c0 : i32
      }
    }
  }
}

// The program orders the reads behind the branch.
// CHECK-LABEL: tile.kernel @ordered_behind
// CHECK: ws.mma_wait 0
// CHECK-NEXT: }
// CHECK-NEXT: tile.fence_proxy_async
// CHECK-NEXT: ws.release
// CHECK-NOT: ws.release
tile.kernel @ordered_behind params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %s = tile.alloc "s" : !S
    %o = tile.alloc "o" : !S
    %r = ws.ring "s" depth 2 (%s) : !S
    ws.role "consumer" warps [0, 4] {
      %c0 = arith.constant 0 : i32
      %a = tile.alloc "a" : !A
      %c = tile.alloc "c" : !C
      %some = arith.cmpi sgt, %n, %c0 : i32
      %t, %v = ws.wait %r : !S
      scf.if %some {
        tile.copy %v[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] inst <vector> : !S, !A
        ws.mma_fence
        tile.gemm %a[%c0, %c0] [64, 64], %o[%c0, %c0] [64, 64], %c inst <wgmma_rs> warps 4 x 1 async : !A, !S, !C
        ws.mma_wait 0
      }
      tile.fence_proxy_async
    }
  }
}

// The program orders them inside, before the wait.
// CHECK-LABEL: tile.kernel @ordered_inside
// CHECK: tile.fence_proxy_async
// CHECK-NEXT: ws.mma_wait 0
// CHECK-NEXT: }
// CHECK-NEXT: ws.release
// CHECK-NOT: ws.release
tile.kernel @ordered_inside params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %s = tile.alloc "s" : !S
    %o = tile.alloc "o" : !S
    %r = ws.ring "s" depth 2 (%s) : !S
    ws.role "consumer" warps [0, 4] {
      %c0 = arith.constant 0 : i32
      %a = tile.alloc "a" : !A
      %c = tile.alloc "c" : !C
      %some = arith.cmpi sgt, %n, %c0 : i32
      %t, %v = ws.wait %r : !S
      scf.if %some {
        tile.copy %v[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] inst <vector> : !S, !A
        ws.mma_fence
        tile.gemm %a[%c0, %c0] [64, 64], %o[%c0, %c0] [64, 64], %c inst <wgmma_rs> warps 4 x 1 async : !A, !S, !C
        tile.fence_proxy_async
        ws.mma_wait 0
      }
    }
  }
}

// ... by a function that names no tile.
// CHECK-LABEL: tile.kernel @extern_inside
// CHECK: tile.call_extern
// CHECK-NEXT: ws.mma_wait 0
// CHECK-NEXT: }
// CHECK-NEXT: ws.release
// CHECK-NOT: ws.release
tile.kernel @extern_inside params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %s = tile.alloc "s" : !S
    %o = tile.alloc "o" : !S
    %r = ws.ring "s" depth 2 (%s) : !S
    ws.role "consumer" warps [0, 4] {
      %c0 = arith.constant 0 : i32
      %a = tile.alloc "a" : !A
      %c = tile.alloc "c" : !C
      %some = arith.cmpi sgt, %n, %c0 : i32
      %t, %v = ws.wait %r : !S
      scf.if %some {
        tile.copy %v[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] inst <vector> : !S, !A
        ws.mma_fence
        tile.gemm %a[%c0, %c0] [64, 64], %o[%c0, %c0] [64, 64], %c inst <wgmma_rs> warps 4 x 1 async : !A, !S, !C
        tile.call_extern "order"() : () -> ()
        ws.mma_wait 0
      }
    }
  }
}

// The thread waits for another slot before the products are over.
// CHECK-LABEL: tile.kernel @waits_first
// CHECK: ws.mma_wait 0
// CHECK: }
// CHECK-NEXT: ws.release
// CHECK-NOT: ws.release %{{.*}} reason "last used by the T.copy{{.*}}before
tile.kernel @waits_first params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %s = tile.alloc "s" : !S
    %o = tile.alloc "o" : !S
    %r = ws.ring "s" depth 2 (%s) : !S
    ws.role "consumer" warps [0, 4] {
      %c0 = arith.constant 0 : i32
      %a = tile.alloc "a" : !A
      %c = tile.alloc "c" : !C
      %some = arith.cmpi sgt, %n, %c0 : i32
      %t, %v = ws.wait %r : !S
      %q = ws.ring "q" depth 2 (%o) : !S
      scf.if %some {
        tile.copy %v[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] inst <vector> : !S, !A
        ws.mma_fence
        tile.gemm %a[%c0, %c0] [64, 64], %o[%c0, %c0] [64, 64], %c inst <wgmma_rs> warps 4 x 1 async : !A, !S, !C
        %u, %w = ws.wait %q : !S
        ws.mma_wait 0
      }
    }
  }
}

// A slot that nobody reads.
// CHECK-LABEL: tile.kernel @unused
// CHECK: ws.wait
// CHECK-NEXT: ws.release %{{.*}} reason "the slot is not used"
// CHECK-NOT: ws.release
tile.kernel @unused params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %s = tile.alloc "s" : !S
    %o = tile.alloc "o" : !S
    %r = ws.ring "s" depth 2 (%s) : !S
    ws.role "consumer" warps [0, 4] {
      %c0 = arith.constant 0 : i32
      %a = tile.alloc "a" : !A
      %c = tile.alloc "c" : !C
      %some = arith.cmpi sgt, %n, %c0 : i32
      %t, %v = ws.wait %r : !S
      
    }
  }
}
