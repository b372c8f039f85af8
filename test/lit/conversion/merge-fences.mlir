// RUN: tlc-opt %s --pass-pipeline='builtin.module(tile.kernel(ws-merge-fences))' | FileCheck %s

// A proxy fence goes where a later one comes first on each path; what others
// can see in between keeps it.

!S = memref<64x64xbf16, #tile.space<shared>>
!F = memref<64x64xbf16, #tile.space<fragment>>

// Copies of threads and a wait lie between; the first stands in a branch.
// CHECK-LABEL: tile.kernel @merged
// CHECK: scf.if
// CHECK-NOT: ws.fence
// CHECK: ws.wait
// CHECK: tile.copy
// CHECK-NEXT: ws.fence <proxy_async>{{.*}}"two; takes the place of the fence at line {{[0-9]+}} (one)"
// CHECK-NEXT: ws.release
tile.kernel @merged params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %s = tile.alloc "s" : !S
    %d = tile.alloc "d" : !S
    %r = ws.ring "s" depth 2 (%s) : !S
    ws.role "consumer" warps [0, 4] {
      %c0 = arith.constant 0 : i32
      %f = tile.alloc "f" : !F
      %some = arith.cmpi sgt, %n, %c0 : i32
      scf.if %some {
        tile.copy %f[%c0, %c0] [64, 64] to %d[%c0, %c0] [64, 64] inst <vector> : !F, !S
        ws.fence <proxy_async> reason "one"
      }
      %t, %v = ws.wait %r : !S
      tile.copy %v[%c0, %c0] [64, 64] to %f[%c0, %c0] [64, 64] inst <vector> : !S, !F
      ws.fence <proxy_async> (%v : !S) reason "two"
      ws.release %t
    }
  }
}

// A barrier, a call, a release, the end of a loop's turn.
// CHECK-LABEL: tile.kernel @kept
// CHECK: ws.fence <proxy_async> reason "before a barrier"
// CHECK: ws.fence <proxy_async> reason "before a call"
// CHECK: ws.fence <proxy_async>{{.*}} reason "before a release"
// CHECK: ws.fence <proxy_async> reason "at the end of a turn"
// CHECK: ws.fence <proxy_async> reason "last"
// CHECK-NOT: takes the place
tile.kernel @kept params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %s = tile.alloc "s" : !S
    %r = ws.ring "s" depth 2 (%s) : !S
    ws.role "consumer" warps [0, 4] {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      ws.fence <proxy_async> reason "before a barrier"
      ws.barrier reason "for the test"
      ws.fence <proxy_async> reason "before a call"
      tile.call_extern "helper"() : () -> ()
      %t, %v = ws.wait %r : !S
      ws.fence <proxy_async> (%v : !S) reason "before a release"
      ws.release %t
      scf.for %i = %c0 to %n step %c1 : i32 {
        ws.fence <proxy_async> reason "at the end of a turn"
      }
      ws.fence <proxy_async> reason "last"
    }
  }
}

// A product, a group of copies, a barrier on one of two paths; a later fence
// that only one path meets, or that is of another kind.
// CHECK-LABEL: tile.kernel @kept_more
// CHECK: ws.fence <proxy_async> reason "before a product"
// CHECK: ws.fence <proxy_async> reason "before a group"
// CHECK: ws.fence <proxy_async> reason "before a path with a barrier"
// CHECK: ws.fence <proxy_async> reason "before a fence of one path"
// CHECK: ws.fence <proxy_async> reason "of one path"
// CHECK: ws.fence <proxy_async> reason "before another kind"
// CHECK: ws.fence <membar> reason "another kind"
// CHECK: ws.fence <proxy_async> reason "last"
// CHECK-NOT: takes the place
tile.kernel @kept_more params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %s = tile.alloc "s" : !S
    %d = tile.alloc "d" : !S
    %r = ws.ring "s" depth 2 (%s) groups : !S
    ws.role "consumer" warps [0, 4] {
      %c0 = arith.constant 0 : i32
      %c = tile.alloc "c" : memref<64x64xf32, #tile.space<fragment>>
      %some = arith.cmpi sgt, %n, %c0 : i32
      ws.fence <proxy_async> reason "before a product"
      tile.gemm %d[%c0, %c0] [64, 64], %d[%c0, %c0] [64, 64], %c inst <wgmma_ss> warps 4 x 1 async
        : !S, !S, memref<64x64xf32, #tile.space<fragment>>
      ws.mma_wait 0
      ws.fence <proxy_async> reason "before a group"
      ws.group_commit %r
      ws.group_wait 0
      ws.fence <proxy_async> reason "before a path with a barrier"
      scf.if %some {
        ws.barrier reason "for the test"
      }
      ws.fence <proxy_async> reason "before a fence of one path"
      scf.if %some {
        ws.fence <proxy_async> reason "of one path"
        ws.barrier reason "for the test"
      }
      ws.fence <proxy_async> reason "before another kind"
      ws.fence <membar> reason "another kind"
      ws.barrier reason "for the test"
      ws.fence <proxy_async> reason "last"
    }
  }
}

// Loops and loads of private things lie between: nobody can tell.
// CHECK-LABEL: tile.kernel @merged_over_a_loop
// CHECK-NOT: reason "one"
// CHECK: scf.for
// CHECK: ws.fence <proxy_async> reason "two; takes the place of the fence at line {{[0-9]+}} (one)"
tile.kernel @merged_over_a_loop params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %d = tile.alloc "d" : !S
    ws.role "consumer" warps [0, 4] {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %z = arith.constant 0.0 : bf16
      ws.fence <proxy_async> reason "one"
      scf.for %i = %c0 to %n step %c1 : i32 {
        tile.fill %z to %d[%c0, %c0] [64, 64] : bf16, !S
      }
      ws.fence <proxy_async> reason "two"
    }
  }
}
