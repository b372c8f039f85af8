// RUN: tlc-opt %s --pass-pipeline='builtin.module(tile.kernel(ws-read-ahead{most-elements=64}))' | FileCheck %s
// RUN: tlc-opt %s --pass-pipeline='builtin.module(tile.kernel(ws-read-ahead{most-elements=64}))' \
// RUN:   --remarks-filter=".*" --remark-policy=all --remark-format=emitRemark \
// RUN:   -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Slots that are not read one turn early, and why.

!H = memref<128x32xbf16, #tile.space<shared>>
!A = memref<64x64xbf16, #tile.space<shared>>
!B = memref<64x32xbf16, #tile.space<shared>>
!C = memref<64x32xf32, #tile.space<fragment>>
!F = memref<128x32xf32, #tile.space<fragment>>

// A product reads the slot, too.
// CHECK-LABEL: tile.kernel @product_too
// CHECK-NOT: h_ahead
// CHECK: scf.for
// CHECK: ws.wait
// CHECK-NOT: h_ahead
// REMARK: the slot of 'h' is not read one turn early: the T.gemm at line [[#]] uses it too
tile.kernel @product_too params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %h = tile.alloc "h" : !H
    %a = tile.alloc "a" : !A
    %b = tile.alloc "b" : !B
    %rh = ws.ring "h" depth 2 (%h) : !H
    %ra = ws.ring "a" depth 2 (%a) : !A
    ws.role "consumer" warps [0, 4] {
      %f = tile.alloc "f" : !F
      %c = tile.alloc "c" : !C
      scf.for %i = %c0 to %n step %c1 : i32 {
        %t, %v = ws.wait %rh : !H
        tile.copy %v[%c0, %c0] [128, 32] to %f[%c0, %c0] [128, 32] inst <vector> : !H, !F
        ws.mma_fence
        tile.gemm %a[%c0, %c0] [64, 64], %v[%c0, %c0] [64, 32], %c inst <wgmma_ss> warps 4 x 1 async : !A, !H, !C
        ws.mma_wait 0
        ws.release %t
      } {ws.plan = #tile.plan<warp_specialized>}
    }
  }
}

// Half of the slot is read.
// CHECK-LABEL: tile.kernel @in_part
// CHECK-NOT: h_ahead
// CHECK: scf.for
// CHECK: ws.wait
// CHECK-NOT: h_ahead
// REMARK: the slot of 'h' is not read one turn early: it is not read as a whole into a whole fragment
tile.kernel @in_part params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %h = tile.alloc "h" : !H
    %a = tile.alloc "a" : !A
    %b = tile.alloc "b" : !B
    %rh = ws.ring "h" depth 2 (%h) : !H
    %ra = ws.ring "a" depth 2 (%a) : !A
    ws.role "consumer" warps [0, 4] {
      %f = tile.alloc "f" : !F
      %c = tile.alloc "c" : !C
      scf.for %i = %c0 to %n step %c1 : i32 {
        %t, %v = ws.wait %rh : !H
        tile.copy %v[%c0, %c0] [64, 32] to %f[%c0, %c0] [64, 32] inst <vector> : !H, !F
        ws.release %t
        ws.mma_fence
        tile.gemm %a[%c0, %c0] [64, 64], %b[%c0, %c0] [64, 32], %c inst <wgmma_ss> warps 4 x 1 async : !A, !B, !C
        ws.mma_wait 0
      } {ws.plan = #tile.plan<warp_specialized>}
    }
  }
}

// Two fragments read it.
// CHECK-LABEL: tile.kernel @twice
// CHECK-NOT: h_ahead
// CHECK: scf.for
// CHECK: ws.wait
// CHECK-NOT: h_ahead
// REMARK: the slot of 'h' is not read one turn early: the T.copy at line [[#]] uses it too
tile.kernel @twice params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %h = tile.alloc "h" : !H
    %a = tile.alloc "a" : !A
    %b = tile.alloc "b" : !B
    %rh = ws.ring "h" depth 2 (%h) : !H
    %ra = ws.ring "a" depth 2 (%a) : !A
    ws.role "consumer" warps [0, 4] {
      %f = tile.alloc "f" : !F
      %c = tile.alloc "c" : !C
      %g = tile.alloc "g" : !F
      scf.for %i = %c0 to %n step %c1 : i32 {
        %t, %v = ws.wait %rh : !H
        tile.copy %v[%c0, %c0] [128, 32] to %f[%c0, %c0] [128, 32] inst <vector> : !H, !F
        tile.copy %v[%c0, %c0] [128, 32] to %g[%c0, %c0] [128, 32] inst <vector> : !H, !F
        ws.release %t
        ws.mma_fence
        tile.gemm %a[%c0, %c0] [64, 64], %b[%c0, %c0] [64, 32], %c inst <wgmma_ss> warps 4 x 1 async : !A, !B, !C
        ws.mma_wait 0
      } {ws.plan = #tile.plan<warp_specialized>}
    }
  }
}

// The read is guarded, the wait is not.
// CHECK-LABEL: tile.kernel @under_a_flag
// CHECK-NOT: h_ahead
// CHECK: scf.for
// CHECK: ws.wait
// CHECK-NOT: h_ahead
// REMARK: the slot of 'h' is not read one turn early: it is read under a condition
tile.kernel @under_a_flag params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %h = tile.alloc "h" : !H
    %a = tile.alloc "a" : !A
    %b = tile.alloc "b" : !B
    %rh = ws.ring "h" depth 2 (%h) : !H
    %ra = ws.ring "a" depth 2 (%a) : !A
    ws.role "consumer" warps [0, 4] {
      %f = tile.alloc "f" : !F
      %c = tile.alloc "c" : !C
      scf.for %i = %c0 to %n step %c1 : i32 {
        %odd = arith.andi %i, %c1 : i32
        %flag = arith.cmpi ne, %odd, %c0 : i32
        %t, %v = ws.wait %rh : !H
        scf.if %flag {
          tile.copy %v[%c0, %c0] [128, 32] to %f[%c0, %c0] [128, 32] inst <vector> : !H, !F
        }
        ws.release %t
        ws.mma_fence
        tile.gemm %a[%c0, %c0] [64, 64], %b[%c0, %c0] [64, 32], %c inst <wgmma_ss> warps 4 x 1 async : !A, !B, !C
        ws.mma_wait 0
      } {ws.plan = #tile.plan<warp_specialized>}
    }
  }
}

// The slot is loaded under a flag.
// CHECK-LABEL: tile.kernel @guarded
// CHECK-NOT: h_ahead
// CHECK: scf.for
// CHECK: ws.wait
// CHECK-NOT: h_ahead
// REMARK: the slot of 'h' is not read one turn early: it is read under a condition
tile.kernel @guarded params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %h = tile.alloc "h" : !H
    %a = tile.alloc "a" : !A
    %b = tile.alloc "b" : !B
    %rh = ws.ring "h" depth 2 (%h) : !H
    %ra = ws.ring "a" depth 2 (%a) : !A
    ws.role "consumer" warps [0, 4] {
      %f = tile.alloc "f" : !F
      %c = tile.alloc "c" : !C
      scf.for %i = %c0 to %n step %c1 : i32 {
        %odd = arith.andi %i, %c1 : i32
        %flag = arith.cmpi ne, %odd, %c0 : i32
        scf.if %flag {
          %t, %v = ws.wait %rh : !H
          tile.copy %v[%c0, %c0] [128, 32] to %f[%c0, %c0] [128, 32] inst <vector> : !H, !F
          ws.release %t
        }
        ws.mma_fence
        tile.gemm %a[%c0, %c0] [64, 64], %b[%c0, %c0] [64, 32], %c inst <wgmma_ss> warps 4 x 1 async : !A, !B, !C
        ws.mma_wait 0
      } {ws.plan = #tile.plan<warp_specialized>}
    }
  }
}

// A fence of the program belongs to the slot.
// CHECK-LABEL: tile.kernel @kept
// CHECK-NOT: h_ahead
// CHECK: scf.for
// CHECK: ws.wait
// CHECK-NOT: h_ahead
// REMARK: the slot of 'h' is not read one turn early: the T.fence_proxy_async at line [[#]] keeps it
tile.kernel @kept params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %h = tile.alloc "h" : !H
    %a = tile.alloc "a" : !A
    %b = tile.alloc "b" : !B
    %rh = ws.ring "h" depth 2 (%h) : !H
    %ra = ws.ring "a" depth 2 (%a) : !A
    ws.role "consumer" warps [0, 4] {
      %f = tile.alloc "f" : !F
      %c = tile.alloc "c" : !C
      scf.for %i = %c0 to %n step %c1 : i32 {
        %t, %v = ws.wait %rh : !H
        tile.copy %v[%c0, %c0] [128, 32] to %f[%c0, %c0] [128, 32] inst <vector> : !H, !F
        tile.fence_proxy_async
        ws.release %t
        ws.mma_fence
        tile.gemm %a[%c0, %c0] [64, 64], %b[%c0, %c0] [64, 32], %c inst <wgmma_ss> warps 4 x 1 async : !A, !B, !C
        ws.mma_wait 0
      } {ws.plan = #tile.plan<warp_specialized>}
    }
  }
}

// The product comes before the slot.
// CHECK-LABEL: tile.kernel @no_product
// CHECK-NOT: h_ahead
// CHECK: scf.for
// CHECK: ws.wait
// CHECK-NOT: h_ahead
// REMARK: the slot of 'h' is not read one turn early: no product runs after it in its turn
tile.kernel @no_product params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %h = tile.alloc "h" : !H
    %a = tile.alloc "a" : !A
    %b = tile.alloc "b" : !B
    %rh = ws.ring "h" depth 2 (%h) : !H
    %ra = ws.ring "a" depth 2 (%a) : !A
    ws.role "consumer" warps [0, 4] {
      %f = tile.alloc "f" : !F
      %c = tile.alloc "c" : !C
      scf.for %i = %c0 to %n step %c1 : i32 {
        ws.mma_fence
        tile.gemm %a[%c0, %c0] [64, 64], %b[%c0, %c0] [64, 32], %c inst <wgmma_ss> warps 4 x 1 async : !A, !B, !C
        ws.mma_wait 0
        %t, %v = ws.wait %rh : !H
        tile.copy %v[%c0, %c0] [128, 32] to %f[%c0, %c0] [128, 32] inst <vector> : !H, !F
        ws.release %t reason "read"
      } {ws.plan = #tile.plan<warp_specialized>}
    }
  }
}

// Products of an inner loop run any number of times.
// CHECK-LABEL: tile.kernel @in_an_inner_loop
// CHECK-NOT: h_ahead
// CHECK: scf.for
// CHECK: ws.wait
// CHECK-NOT: h_ahead
// REMARK: the slot of 'h' is not read one turn early: no product runs after it in its turn
tile.kernel @in_an_inner_loop params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %h = tile.alloc "h" : !H
    %a = tile.alloc "a" : !A
    %b = tile.alloc "b" : !B
    %rh = ws.ring "h" depth 2 (%h) : !H
    %ra = ws.ring "a" depth 2 (%a) : !A
    ws.role "consumer" warps [0, 4] {
      %f = tile.alloc "f" : !F
      %c = tile.alloc "c" : !C
      scf.for %i = %c0 to %n step %c1 : i32 {
        %t, %v = ws.wait %rh : !H
        tile.copy %v[%c0, %c0] [128, 32] to %f[%c0, %c0] [128, 32] inst <vector> : !H, !F
        ws.release %t reason "read"
        scf.for %k = %c0 to %i step %c1 : i32 {
          ws.mma_fence
          tile.gemm %a[%c0, %c0] [64, 64], %b[%c0, %c0] [64, 32], %c inst <wgmma_ss> warps 4 x 1 async : !A, !B, !C
          ws.mma_wait 0
        }
      } {ws.plan = #tile.plan<warp_specialized>}
    }
  }
}

// Another wait would come out of order.
// CHECK-LABEL: tile.kernel @waited_twice
// CHECK-NOT: h_ahead
// CHECK: scf.for
// CHECK: ws.wait
// CHECK-NOT: h_ahead
// REMARK: the slot of 'h' is not read one turn early: it is waited for at line [[#]] too
tile.kernel @waited_twice params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %h = tile.alloc "h" : !H
    %a = tile.alloc "a" : !A
    %b = tile.alloc "b" : !B
    %rh = ws.ring "h" depth 2 (%h) : !H
    %ra = ws.ring "a" depth 2 (%a) : !A
    ws.role "consumer" warps [0, 4] {
      %f = tile.alloc "f" : !F
      %c = tile.alloc "c" : !C
      scf.for %i = %c0 to %n step %c1 : i32 {
        %t, %v = ws.wait %rh : !H
        tile.copy %v[%c0, %c0] [128, 32] to %f[%c0, %c0] [128, 32] inst <vector> : !H, !F
        ws.release %t reason "read"
        ws.mma_fence
        tile.gemm %a[%c0, %c0] [64, 64], %b[%c0, %c0] [64, 32], %c inst <wgmma_ss> warps 4 x 1 async : !A, !B, !C
        ws.mma_wait 0
        %t2, %v2 = ws.wait %rh : !H
        ws.release %t2
      } {ws.plan = #tile.plan<warp_specialized>}
    }
  }
}

// One thread fills two rings: it may be held up by a slot that is held here.
// CHECK-LABEL: tile.kernel @one_thread
// CHECK-NOT: h_ahead
// CHECK: scf.for
// CHECK: ws.wait
// CHECK-NOT: h_ahead
// REMARK: the slot of 'h' is not read one turn early: the thread that fills it fills 'a' too
tile.kernel @one_thread params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %h = tile.alloc "h" : !H
    %a = tile.alloc "a" : !A
    %b = tile.alloc "b" : !B
    %rh = ws.ring "h" depth 2 (%h) : !H
    %ra = ws.ring "a" depth 2 (%a) : !A
    ws.role "consumer" warps [0, 4] {
      %f = tile.alloc "f" : !F
      %c = tile.alloc "c" : !C
      scf.for %i = %c0 to %n step %c1 : i32 {
        %t, %v = ws.wait %rh : !H
        tile.copy %v[%c0, %c0] [128, 32] to %f[%c0, %c0] [128, 32] inst <vector> : !H, !F
        ws.release %t reason "read"
        ws.mma_fence
        tile.gemm %a[%c0, %c0] [64, 64], %b[%c0, %c0] [64, 32], %c inst <wgmma_ss> warps 4 x 1 async : !A, !B, !C
        ws.mma_wait 0
      } {ws.plan = #tile.plan<warp_specialized>}
    }
    ws.role "producer" warps [4, 1] {
      ws.elect {
        scf.for %i = %c0 to %n step %c1 : i32 {
          %ta, %va = ws.acquire %ra : !A
          ws.commit %ta
          %th, %vh = ws.acquire %rh : !H
          ws.commit %th
        }
      }
    }
  }
}

// 192 registers for fragments, 32 for the slot, 40 for the rest.
// CHECK-LABEL: tile.kernel @registers
// CHECK-NOT: h_ahead
// CHECK: scf.for
// CHECK: ws.wait
// CHECK-NOT: h_ahead
// REMARK: the slot of 'h' is not read one turn early: a thread would need some 264 registers and has 255
tile.kernel @registers params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %h = tile.alloc "h" : !H
    %a = tile.alloc "a" : !A
    %b = tile.alloc "b" : !B
    %rh = ws.ring "h" depth 2 (%h) : !H
    %ra = ws.ring "a" depth 2 (%a) : !A
    ws.role "consumer" warps [0, 4] {
      %f = tile.alloc "f" : !F
      %c = tile.alloc "c" : !C
      %g = tile.alloc "g" : memref<128x144xf32, #tile.space<fragment>>
      scf.for %i = %c0 to %n step %c1 : i32 {
        %t, %v = ws.wait %rh : !H
        tile.copy %v[%c0, %c0] [128, 32] to %f[%c0, %c0] [128, 32] inst <vector> : !H, !F
        ws.release %t reason "read"
        ws.mma_fence
        tile.gemm %a[%c0, %c0] [64, 64], %b[%c0, %c0] [64, 32], %c inst <wgmma_ss> warps 4 x 1 async : !A, !B, !C
        ws.mma_wait 0
      } {ws.plan = #tile.plan<warp_specialized>}
    }
  }
}

// The registers that the slot would come to are loaded meanwhile.
// CHECK-LABEL: tile.kernel @a_in_registers
// CHECK-NOT: h_ahead
// CHECK: scf.for
// CHECK: ws.wait
// CHECK-NOT: h_ahead
// REMARK: the slot of 'h' is not read one turn early: the products take A from registers, which are loaded meanwhile
tile.kernel @a_in_registers params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %h = tile.alloc "h" : !H
    %a = tile.alloc "a" : !A
    %b = tile.alloc "b" : !B
    %rh = ws.ring "h" depth 2 (%h) : !H
    %ra = ws.ring "a" depth 2 (%a) : !A
    ws.role "consumer" warps [0, 4] {
      %f = tile.alloc "f" : !F
      %c = tile.alloc "c" : !C
      %x = tile.alloc "x" : memref<64x64xbf16, #tile.space<fragment>>
      scf.for %i = %c0 to %n step %c1 : i32 {
        %t, %v = ws.wait %rh : !H
        tile.copy %v[%c0, %c0] [128, 32] to %f[%c0, %c0] [128, 32] inst <vector> : !H, !F
        ws.release %t reason "read"
        ws.mma_fence
        tile.gemm %x[%c0, %c0] [64, 64], %b[%c0, %c0] [64, 32], %c inst <wgmma_rs> warps 4 x 1 async : memref<64x64xbf16, #tile.space<fragment>>, !B, !C
        ws.mma_wait 0
      } {ws.plan = #tile.plan<warp_specialized>}
    }
  }
}

// One load for each element, and one register.
// CHECK-LABEL: tile.kernel @no_neighbours
// CHECK-NOT: h_ahead
// CHECK: scf.for
// CHECK: ws.wait
// CHECK-NOT: h_ahead
// REMARK: the slot of 'h' is not read one turn early: the elements that a thread reads are no neighbours in memory
tile.kernel @no_neighbours params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %h = tile.alloc "h" : !H
    %a = tile.alloc "a" : !A
    %b = tile.alloc "b" : !B
    %rh = ws.ring "h" depth 2 (%h) : !H
    %ra = ws.ring "a" depth 2 (%a) : !A
    ws.role "consumer" warps [0, 4] {
      %f = tile.alloc "f" layout <"regs=[2:(8,0) 2:(0,1) 2:(0,8) 2:(0,16) 2:(64,0)] threads=[4:(0,2) 8:(1,0) 4:(16,0)] shape=128x32"> : !F
      %c = tile.alloc "c" : !C
      scf.for %i = %c0 to %n step %c1 : i32 {
        %t, %v = ws.wait %rh : !H
        tile.copy %v[%c0, %c0] [128, 32] to %f[%c0, %c0] [128, 32] inst <vector> : !H, !F
        ws.release %t reason "read"
        ws.mma_fence
        tile.gemm %a[%c0, %c0] [64, 64], %b[%c0, %c0] [64, 32], %c inst <wgmma_ss> warps 4 x 1 async : !A, !B, !C
        ws.mma_wait 0
      } {ws.plan = #tile.plan<warp_specialized>}
    }
  }
}

// Nobody fills slots while the threads compute: not worth a word.

// CHECK-LABEL: tile.kernel @not_specialized
// CHECK-NOT: h_ahead
// REMARK-NOT: one turn early
tile.kernel @not_specialized params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %h = tile.alloc "h" : !H
    %a = tile.alloc "a" : !A
    %b = tile.alloc "b" : !B
    %rh = ws.ring "h" depth 2 (%h) : !H
    %ra = ws.ring "a" depth 2 (%a) : !A
    ws.role "consumer" warps [0, 4] {
      %f = tile.alloc "f" : !F
      %c = tile.alloc "c" : !C
      scf.for %i = %c0 to %n step %c1 : i32 {
        %t, %v = ws.wait %rh : !H
        tile.copy %v[%c0, %c0] [128, 32] to %f[%c0, %c0] [128, 32] inst <vector> : !H, !F
        ws.release %t reason "read"
        ws.mma_fence
        tile.gemm %a[%c0, %c0] [64, 64], %b[%c0, %c0] [64, 32], %c inst <wgmma_ss> warps 4 x 1 async : !A, !B, !C
        ws.mma_wait 0
      } {ws.plan = #tile.plan<pipelined>}
    }
  }
}
