// RUN: tlc-opt %s --pass-pipeline='builtin.module(tile.kernel(ws-prefetch-guards))' --split-input-file | FileCheck %s

// A flag that guards statements of a turn is loaded one turn ahead, and what
// keeps one where it is.

!S = memref<64x64xbf16, #tile.space<shared>>
!A = memref<64x64xbf16, #tile.space<fragment>>
!M = memref<?xi1, #tile.space<global>>
#M = affine_map<()[n] -> (n)>

// Both branches on the flag of the turn follow one load of the turn before; the
// first one stands before the loop.
// CHECK-LABEL: tile.kernel @ahead
// CHECK: %[[FIRST:.*]] = tile.load %[[M:[^ ]*]][%[[LOWER:[^ ]*]]]
// CHECK: scf.for %[[I:.*]] = %[[LOWER]] to {{.*}} iter_args(%[[FLAG:.*]] = %[[FIRST]])
// CHECK-NEXT: %[[NEXT:.*]] = arith.addi %[[I]], %{{.*}}
// CHECK-NEXT: %[[LOADED:.*]] = tile.load %[[M]][%[[NEXT]]]
// CHECK-NOT: tile.load
// CHECK: scf.if %[[FLAG]]
// CHECK: scf.if %[[FLAG]]
// CHECK: scf.yield %[[LOADED]]
// CHECK: ws.plan_reason = "kept"
tile.kernel @ahead params ["M"] shapes [#M] symbols ["n"] {
^bb0(%M: !M, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %s = tile.alloc "s" : !S
    %r = ws.ring "s" depth 2 (%s) : !S
    ws.role "consumer" warps [0, 4] {
      %c3 = arith.constant 3 : i32
      %c1 = arith.constant 1 : i32
      %c0 = arith.constant 0 : i32
      %a = tile.alloc "a" : !A
      scf.for %i = %c3 to %n step %c1 : i32 {
        %f = tile.load %M[%i] : !M -> i1
        scf.if %f {
          tile.copy %a[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] : !A, !A
        }
        %t, %v = ws.wait %r : !S
        tile.copy %v[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] : !S, !A
        ws.release %t
        %g = tile.load %M[%i] : !M -> i1
        scf.if %g {
          tile.copy %a[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] : !A, !A
        }
      } {ws.plan_reason = "kept"}
    }
  }
}

// -----

!S = memref<64x64xbf16, #tile.space<shared>>
!A = memref<64x64xbf16, #tile.space<fragment>>
!M = memref<?xi1, #tile.space<global>>
#M = affine_map<()[n] -> (n)>

// The kernel writes the tensor.
// CHECK-LABEL: tile.kernel @written
// CHECK: scf.for
// CHECK-NOT: iter_args
// CHECK: tile.load
// CHECK: scf.if
// CHECK-NOT: scf.yield %
tile.kernel @written params ["M"] shapes [#M] symbols ["n"] {
^bb0(%M: !M, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %s = tile.alloc "s" : !S
    %r = ws.ring "s" depth 2 (%s) : !S
    ws.role "consumer" warps [0, 4] {
      %c1 = arith.constant 1 : i32
      %c0 = arith.constant 0 : i32
      %a = tile.alloc "a" : !A
      scf.for %i = %c0 to %n step %c1 : i32 {
        %f = tile.load %M[%i] : !M -> i1
        scf.if %f {
          tile.copy %a[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] : !A, !A
        }
        %t, %v = ws.wait %r : !S
        ws.release %t
      }
      %true = arith.constant true
      tile.store %true to %M[%c0] : i1, !M
    }
  }
}

// -----

!S = memref<64x64xbf16, #tile.space<shared>>
!A = memref<64x64xbf16, #tile.space<fragment>>
!M = memref<?xi1, #tile.space<global>>
#M = affine_map<()[n] -> (n)>

// The program vouches for the place in this turn, not for that of the next.
// CHECK-LABEL: tile.kernel @in_bounds
// CHECK: scf.for
// CHECK-NOT: iter_args
// CHECK: tile.load
// CHECK: scf.if
// CHECK-NOT: scf.yield %
tile.kernel @in_bounds params ["M"] shapes [#M] symbols ["n"] {
^bb0(%M: !M, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %s = tile.alloc "s" : !S
    %r = ws.ring "s" depth 2 (%s) : !S
    ws.role "consumer" warps [0, 4] {
      %c1 = arith.constant 1 : i32
      %c0 = arith.constant 0 : i32
      %a = tile.alloc "a" : !A
      scf.for %i = %c0 to %n step %c1 : i32 {
        %f = tile.load %M[%i] in_bounds : !M -> i1
        scf.if %f {
          tile.copy %a[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] : !A, !A
        }
        %t, %v = ws.wait %r : !S
        ws.release %t
      }
    }
  }
}

// -----

!S = memref<64x64xbf16, #tile.space<shared>>
!A = memref<64x64xbf16, #tile.space<fragment>>
!M = memref<?xi1, #tile.space<global>>
#M = affine_map<()[n] -> (n)>

// A flag in shared memory.
// CHECK-LABEL: tile.kernel @not_global
// CHECK: scf.for
// CHECK-NOT: iter_args
// CHECK: tile.load
// CHECK: scf.if
// CHECK-NOT: scf.yield %
tile.kernel @not_global params ["M"] shapes [#M] symbols ["n"] {
^bb0(%M: !M, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %s = tile.alloc "s" : !S
    %r = ws.ring "s" depth 2 (%s) : !S
    ws.role "consumer" warps [0, 4] {
      %c1 = arith.constant 1 : i32
      %c0 = arith.constant 0 : i32
      %a = tile.alloc "a" : !A
      %p = tile.alloc "p" : memref<8xi1, #tile.space<shared>>
      scf.for %i = %c0 to %n step %c1 : i32 {
        %f = tile.load %p[%i] : memref<8xi1, #tile.space<shared>> -> i1
        scf.if %f {
          tile.copy %a[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] : !A, !A
        }
        %t, %v = ws.wait %r : !S
        ws.release %t
      }
    }
  }
}

// -----

!S = memref<64x64xbf16, #tile.space<shared>>
!A = memref<64x64xbf16, #tile.space<fragment>>
!M = memref<?xi1, #tile.space<global>>
#M = affine_map<()[n] -> (n)>
!W = memref<?xi32, #tile.space<global>>

// A number, compared.
// CHECK-LABEL: tile.kernel @not_a_flag
// CHECK: scf.for
// CHECK-NOT: iter_args
// CHECK: tile.load
// CHECK: scf.if
// CHECK-NOT: scf.yield %
tile.kernel @not_a_flag params ["W"] shapes [#M] symbols ["n"] {
^bb0(%W: !W, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %s = tile.alloc "s" : !S
    %r = ws.ring "s" depth 2 (%s) : !S
    ws.role "consumer" warps [0, 4] {
      %c1 = arith.constant 1 : i32
      %c0 = arith.constant 0 : i32
      %a = tile.alloc "a" : !A
      scf.for %i = %c0 to %n step %c1 : i32 {
        %w = tile.load %W[%i] : !W -> i32
        %f = arith.cmpi sgt, %w, %c0 : i32
        scf.if %f {
          tile.copy %a[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] : !A, !A
        }
        %t, %v = ws.wait %r : !S
        ws.release %t
      }
    }
  }
}

// -----

!S = memref<64x64xbf16, #tile.space<shared>>
!A = memref<64x64xbf16, #tile.space<fragment>>
!M = memref<?xi1, #tile.space<global>>
#M = affine_map<()[n] -> (n)>

// A value that guards nothing.
// CHECK-LABEL: tile.kernel @no_guard
// CHECK: scf.for
// CHECK-NOT: iter_args
// CHECK: tile.load
// CHECK-NOT: scf.yield %
tile.kernel @no_guard params ["M"] shapes [#M] symbols ["n"] {
^bb0(%M: !M, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %s = tile.alloc "s" : !S
    %r = ws.ring "s" depth 2 (%s) : !S
    ws.role "consumer" warps [0, 4] {
      %c1 = arith.constant 1 : i32
      %c0 = arith.constant 0 : i32
      %a = tile.alloc "a" : !A
      scf.for %i = %c0 to %n step %c1 : i32 {
        %f = tile.load %M[%i] : !M -> i1
        %x = arith.extui %f : i1 to i32
        %t, %v = ws.wait %r : !S
        ws.release %t
      }
    }
  }
}

// -----

!S = memref<64x64xbf16, #tile.space<shared>>
!A = memref<64x64xbf16, #tile.space<fragment>>
!M = memref<?xi1, #tile.space<global>>
#M = affine_map<()[n] -> (n)>

// It guards a wait for a slot: the producer asks for the flag in the same turn.
// CHECK-LABEL: tile.kernel @guards_ring
// CHECK: scf.for
// CHECK-NOT: iter_args
// CHECK: tile.load
// CHECK: scf.if
// CHECK-NOT: scf.yield %
tile.kernel @guards_ring params ["M"] shapes [#M] symbols ["n"] {
^bb0(%M: !M, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %s = tile.alloc "s" : !S
    %r = ws.ring "s" depth 2 (%s) : !S
    ws.role "consumer" warps [0, 4] {
      %c1 = arith.constant 1 : i32
      %c0 = arith.constant 0 : i32
      %a = tile.alloc "a" : !A
      scf.for %i = %c0 to %n step %c1 : i32 {
        %f = tile.load %M[%i] : !M -> i1
        scf.if %f {
          %t, %v = ws.wait %r : !S
          ws.release %t
        }
      }
    }
  }
}

// -----

!S = memref<64x64xbf16, #tile.space<shared>>
!A = memref<64x64xbf16, #tile.space<fragment>>
!M = memref<?xi1, #tile.space<global>>
#M = affine_map<()[n] -> (n)>

// A loop inside of the turn; the turn itself has the wait.
// CHECK-LABEL: tile.kernel @inner_loop
// CHECK: scf.for
// CHECK-NOT: iter_args
// CHECK: tile.load
// CHECK: scf.if
// CHECK-NOT: scf.yield %
tile.kernel @inner_loop params ["M"] shapes [#M] symbols ["n"] {
^bb0(%M: !M, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %s = tile.alloc "s" : !S
    %r = ws.ring "s" depth 2 (%s) : !S
    ws.role "consumer" warps [0, 4] {
      %c1 = arith.constant 1 : i32
      %c0 = arith.constant 0 : i32
      %a = tile.alloc "a" : !A
      scf.for %i = %c0 to %n step %c1 : i32 {
        %t, %v = ws.wait %r : !S
        scf.for %j = %c0 to %n step %c1 : i32 {
          %f = tile.load %M[%j] : !M -> i1
          scf.if %f {
            tile.copy %a[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] : !A, !A
          }
        }
        ws.release %t
        %z = arith.addi %i, %c1 : i32
      }
    }
  }
}

// -----

!S = memref<64x64xbf16, #tile.space<shared>>
!A = memref<64x64xbf16, #tile.space<fragment>>
!M = memref<?xi1, #tile.space<global>>
#M = affine_map<()[n] -> (n)>
!W = memref<?xi32, #tile.space<global>>

// A place that was loaded itself.
// CHECK-LABEL: tile.kernel @computed_place
// CHECK: scf.for
// CHECK-NOT: iter_args
// CHECK: tile.load
// CHECK: scf.if
// CHECK-NOT: scf.yield %
tile.kernel @computed_place params ["M", "W"] shapes [#M, #M] symbols ["n"] {
^bb0(%M: !M, %W: !W, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %s = tile.alloc "s" : !S
    %r = ws.ring "s" depth 2 (%s) : !S
    ws.role "consumer" warps [0, 4] {
      %c1 = arith.constant 1 : i32
      %c0 = arith.constant 0 : i32
      %a = tile.alloc "a" : !A
      scf.for %i = %c0 to %n step %c1 : i32 {
        %w = tile.load %W[%i] : !W -> i32
        %f = tile.load %M[%w] : !M -> i1
        scf.if %f {
          tile.copy %a[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] : !A, !A
        }
        %t, %v = ws.wait %r : !S
        ws.release %t
      }
    }
  }
}

// -----

!S = memref<64x64xbf16, #tile.space<shared>>
!A = memref<64x64xbf16, #tile.space<fragment>>
!M = memref<?xi1, #tile.space<global>>
#M = affine_map<()[n] -> (n)>

// A place that the turns carry.
// CHECK-LABEL: tile.kernel @carried_place
// CHECK: scf.for {{.*}} iter_args(%[[AT:[^ ]*]] = %{{[^,)]*}}) ->
// CHECK: tile.load %{{.*}}[%[[AT]]]
// CHECK: scf.if
tile.kernel @carried_place params ["M"] shapes [#M] symbols ["n"] {
^bb0(%M: !M, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %s = tile.alloc "s" : !S
    %r = ws.ring "s" depth 2 (%s) : !S
    ws.role "consumer" warps [0, 4] {
      %c1 = arith.constant 1 : i32
      %c0 = arith.constant 0 : i32
      %a = tile.alloc "a" : !A
      %last = scf.for %i = %c0 to %n step %c1 iter_args(%at = %c0) -> (i32) : i32 {
        %f = tile.load %M[%at] : !M -> i1
        scf.if %f {
          tile.copy %a[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] : !A, !A
        }
        %t, %v = ws.wait %r : !S
        ws.release %t
        %n2 = arith.addi %at, %i : i32
        scf.yield %n2 : i32
      }
    }
  }
}

// -----

!S = memref<64x64xbf16, #tile.space<shared>>
!A = memref<64x64xbf16, #tile.space<fragment>>
!M = memref<?xi1, #tile.space<global>>
#M = affine_map<()[n] -> (n)>

// A loop without slots.
// CHECK-LABEL: tile.kernel @no_ring
// CHECK: scf.for
// CHECK-NOT: iter_args
// CHECK: tile.load
// CHECK: scf.if
// CHECK-NOT: scf.yield %
tile.kernel @no_ring params ["M"] shapes [#M] symbols ["n"] {
^bb0(%M: !M, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %s = tile.alloc "s" : !S
    %r = ws.ring "s" depth 2 (%s) : !S
    ws.role "consumer" warps [0, 4] {
      %c1 = arith.constant 1 : i32
      %c0 = arith.constant 0 : i32
      %a = tile.alloc "a" : !A
      scf.for %i = %c0 to %n step %c1 : i32 {
        %f = tile.load %M[%i] : !M -> i1
        scf.if %f {
          tile.copy %a[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] : !A, !A
        }
      }
    }
  }
}

// -----

!S = memref<64x64xbf16, #tile.space<shared>>
!A = memref<64x64xbf16, #tile.space<fragment>>
!M = memref<?xi1, #tile.space<global>>
#M = affine_map<()[n] -> (n)>

// A place that the turn behind the last one could not compute: it divides by
// what is left.
// CHECK-LABEL: tile.kernel @division
// CHECK: scf.for
// CHECK-NOT: iter_args
// CHECK: tile.load
// CHECK: scf.if
// CHECK-NOT: scf.yield %
tile.kernel @division params ["M"] shapes [#M] symbols ["n"] {
^bb0(%M: !M, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %s = tile.alloc "s" : !S
    %r = ws.ring "s" depth 2 (%s) : !S
    ws.role "consumer" warps [0, 4] {
      %c1 = arith.constant 1 : i32
      %c0 = arith.constant 0 : i32
      %a = tile.alloc "a" : !A
      scf.for %i = %c0 to %n step %c1 : i32 {
        %left = arith.subi %n, %i : i32
        %q = arith.divsi %n, %left : i32
        %f = tile.load %M[%q] : !M -> i1
        scf.if %f {
          tile.copy %a[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] : !A, !A
        }
        %t, %v = ws.wait %r : !S
        ws.release %t
      }
    }
  }
}

// -----

!S = memref<64x64xbf16, #tile.space<shared>>
!A = memref<64x64xbf16, #tile.space<fragment>>
!M = memref<?xi1, #tile.space<global>>
#M = affine_map<()[n] -> (n)>

// A place that is computed from the turn: the computation comes along.
// CHECK-LABEL: tile.kernel @slice
// CHECK: arith.subi %{{.*}}, %[[LOWER:.*]] :
// CHECK: %[[FIRST:.*]] = tile.load
// CHECK: scf.for %[[I:.*]] = %[[LOWER]] to {{.*}} iter_args(%[[FLAG:.*]] = %[[FIRST]])
// CHECK: %[[NEXT:.*]] = arith.addi %[[I]]
// CHECK: arith.subi %{{.*}}, %[[NEXT]]
// CHECK: %[[LOADED:.*]] = tile.load
// CHECK: scf.if %[[FLAG]]
// CHECK: scf.yield %[[LOADED]]
tile.kernel @slice params ["M"] shapes [#M] symbols ["n"] {
^bb0(%M: !M, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %s = tile.alloc "s" : !S
    %r = ws.ring "s" depth 2 (%s) : !S
    ws.role "consumer" warps [0, 4] {
      %c1 = arith.constant 1 : i32
      %c0 = arith.constant 0 : i32
      %a = tile.alloc "a" : !A
      scf.for %i = %c0 to %n step %c1 : i32 {
        %b = arith.subi %n, %i : i32
        %q = arith.subi %b, %c1 : i32
        %f = tile.load %M[%q] : !M -> i1
        scf.if %f {
          tile.copy %a[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] : !A, !A
        }
        %t, %v = ws.wait %r : !S
        ws.release %t
      }
    }
  }
}

// -----

!S = memref<64x64xbf16, #tile.space<shared>>
!A = memref<64x64xbf16, #tile.space<fragment>>
!M = memref<?xi1, #tile.space<global>>
#M = affine_map<()[n] -> (n)>

// A thread carries four flags, the fifth stays.
// CHECK-LABEL: tile.kernel @four
// CHECK: scf.for {{.*}} -> (i1, i1, i1, i1)
// CHECK: %[[FIFTH:.*]] = tile.load %{{.*}}[%{{.*}}] : {{.*}}
// CHECK: scf.yield
tile.kernel @four params ["M0", "M1", "M2", "M3", "M4"] shapes [#M, #M, #M, #M, #M] symbols ["n"] {
^bb0(%M0: !M, %M1: !M, %M2: !M, %M3: !M, %M4: !M, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %s = tile.alloc "s" : !S
    %r = ws.ring "s" depth 2 (%s) : !S
    ws.role "consumer" warps [0, 4] {
      %c1 = arith.constant 1 : i32
      %c0 = arith.constant 0 : i32
      %a = tile.alloc "a" : !A
      scf.for %i = %c0 to %n step %c1 : i32 {
        %f0 = tile.load %M0[%i] : !M -> i1
        scf.if %f0 {
          tile.copy %a[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] : !A, !A
        }
        %f1 = tile.load %M1[%i] : !M -> i1
        scf.if %f1 {
          tile.copy %a[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] : !A, !A
        }
        %f2 = tile.load %M2[%i] : !M -> i1
        scf.if %f2 {
          tile.copy %a[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] : !A, !A
        }
        %f3 = tile.load %M3[%i] : !M -> i1
        scf.if %f3 {
          tile.copy %a[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] : !A, !A
        }
        %f4 = tile.load %M4[%i] : !M -> i1
        scf.if %f4 {
          tile.copy %a[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] : !A, !A
        }
        %t, %v = ws.wait %r : !S
        ws.release %t
      }
    }
  }
}
