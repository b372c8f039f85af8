// RUN: tlc-opt %s --tile-select-instructions --tile-infer-layouts --split-input-file | FileCheck %s
// RUN: tlc-opt %s --tile-select-instructions --tile-infer-layouts=disable=renumber --split-input-file | FileCheck %s --check-prefix=OFF

// Which products number rows, columns and steps of K so that a thread's are
// neighbours in memory, and what keeps them from it.

// OFF-NOT: quad
// OFF-NOT: pair_k

!F_64_64_bf16 = memref<64x64xbf16, #tile.space<fragment>>
!F_64_64_f32 = memref<64x64xf32, #tile.space<fragment>>
!G_n_64_f32 = memref<?x64xf32, #tile.space<global>>
!S_64_64_bf16 = memref<64x64xbf16, #tile.space<shared>>
#G = affine_map<()[n] -> (n, 64)>

// A result that goes to memory, B in a tile whose order is free.
// CHECK-LABEL: tile.kernel @columns
// CHECK: tile.alloc "b" {{.*}}columns = quads
// CHECK: tile.gemm {{.*}} inst <wgmma_ss> warps 4 x 1 quad_n
tile.kernel @columns params ["G"] shapes [#G] symbols ["n"] {
^bb0(%G: !G_n_64_f32, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : !S_64_64_bf16
    %f = tile.alloc "f" : !F_64_64_bf16
    %b = tile.alloc "b" : !S_64_64_bf16
    %c = tile.alloc "c" : !F_64_64_f32
    tile.copy %f[%c0, %c0] [64, 64] to %b[%c0, %c0] [64, 64] : !F_64_64_bf16, !S_64_64_bf16
    tile.gemm %a[%c0, %c0] [64, 64], %b[%c0, %c0] [64, 64], %c : !S_64_64_bf16, !S_64_64_bf16, !F_64_64_f32
    tile.copy %c[%c0, %c0] [64, 64] to %G[%n, %c0] [64, 64] : !F_64_64_f32, !G_n_64_f32
  }
}

// -----

!F_64_64_bf16 = memref<64x64xbf16, #tile.space<fragment>>
!F_64_64_f32 = memref<64x64xf32, #tile.space<fragment>>
!G_n_64_f32 = memref<?x64xf32, #tile.space<global>>
!S_64_64_bf16 = memref<64x64xbf16, #tile.space<shared>>
#G = affine_map<()[n] -> (n, 64)>

// ... with B stored N x K: its rows are numbered.
// CHECK-LABEL: tile.kernel @columns_b_transposed
// CHECK: tile.alloc "b" {{.*}}rows = quads
// CHECK: quad_n
tile.kernel @columns_b_transposed params ["G"] shapes [#G] symbols ["n"] {
^bb0(%G: !G_n_64_f32, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : !S_64_64_bf16
    %f = tile.alloc "f" : !F_64_64_bf16
    %b = tile.alloc "b" : !S_64_64_bf16
    %c = tile.alloc "c" : !F_64_64_f32
    tile.copy %f[%c0, %c0] [64, 64] to %b[%c0, %c0] [64, 64] : !F_64_64_bf16, !S_64_64_bf16
    tile.gemm %a[%c0, %c0] [64, 64], %b[%c0, %c0] [64, 64] trans_b, %c : !S_64_64_bf16, !S_64_64_bf16, !F_64_64_f32
    tile.copy %c[%c0, %c0] [64, 64] to %G[%n, %c0] [64, 64] : !F_64_64_f32, !G_n_64_f32
  }
}

// -----

!F_64_64_f32 = memref<64x64xf32, #tile.space<fragment>>
!G_n_64_f32 = memref<?x64xf32, #tile.space<global>>
!S_64_64_f32 = memref<64x64xf32, #tile.space<shared>>
#G = affine_map<()[n] -> (n, 64)>

// float32 with M contiguous, A through registers: rows, columns and steps of K.
// CHECK-LABEL: tile.kernel @rows_and_pairs
// CHECK: tile.alloc "b" {{.*}}order <{{.*}}rows = quads, columns = pairs
// CHECK-COUNT-2: tile.gemm {{.*}} quad_m quad_n pair_k
tile.kernel @rows_and_pairs params ["G"] shapes [#G] symbols ["n"] {
^bb0(%G: !G_n_64_f32, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : !S_64_64_f32
    %f = tile.alloc "f" : !F_64_64_f32
    %b = tile.alloc "b" : !S_64_64_f32
    %c = tile.alloc "c" : !F_64_64_f32
    tile.copy %f[%c0, %c0] [64, 64] to %b[%c0, %c0] [64, 64] : !F_64_64_f32, !S_64_64_f32
    tile.gemm %a[%c0, %c0] [64, 64] trans_a, %b[%c0, %c0] [64, 64] trans_b, %c : !S_64_64_f32, !S_64_64_f32, !F_64_64_f32
    tile.copy %c[%c0, %c0] [64, 64] to %G[%n, %c0] [64, 64] : !F_64_64_f32, !G_n_64_f32
  }
}

// -----

!F_64_64_f32 = memref<64x64xf32, #tile.space<fragment>>
!G_n_64_f32 = memref<?x64xf32, #tile.space<global>>
!S_64_64_f32 = memref<64x64xf32, #tile.space<shared>>
#G = affine_map<()[n] -> (n, 64)>

// ... but the result never leaves for memory: A is loaded along M still.
// CHECK-LABEL: tile.kernel @not_moved
// CHECK: tile.alloc "b" {{.*}}order <columns = pairs>
// CHECK-COUNT-2: tile.gemm {{.*}} warps 4 x 1 quad_m pair_k reason
tile.kernel @not_moved params ["G"] shapes [#G] symbols ["n"] {
^bb0(%G: !G_n_64_f32, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : !S_64_64_f32
    %f = tile.alloc "f" : !F_64_64_f32
    %b = tile.alloc "b" : !S_64_64_f32
    %c = tile.alloc "c" : !F_64_64_f32
    tile.copy %f[%c0, %c0] [64, 64] to %b[%c0, %c0] [64, 64] : !F_64_64_f32, !S_64_64_f32
    tile.gemm %a[%c0, %c0] [64, 64] trans_a, %b[%c0, %c0] [64, 64] trans_b, %c : !S_64_64_f32, !S_64_64_f32, !F_64_64_f32
  }
}

// -----

!F_64_64_f16 = memref<64x64xf16, #tile.space<fragment>>
!G_n_64_f16 = memref<?x64xf16, #tile.space<global>>
!S_64_64_f16 = memref<64x64xf16, #tile.space<shared>>
#G = affine_map<()[n] -> (n, 64)>

// A result of 16 bits.
// CHECK-LABEL: tile.kernel @half
// CHECK-NOT: {{quad|pair_k}}
// CHECK: tile.gemm {{.*}} inst <wgmma_ss> warps 4 x 1 reason
// CHECK-NOT: {{quad|pair_k}}
tile.kernel @half params ["G"] shapes [#G] symbols ["n"] {
^bb0(%G: !G_n_64_f16, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : !S_64_64_f16
    %f = tile.alloc "f" : !F_64_64_f16
    %b = tile.alloc "b" : !S_64_64_f16
    %c = tile.alloc "c" : !F_64_64_f16
    tile.copy %f[%c0, %c0] [64, 64] to %b[%c0, %c0] [64, 64] : !F_64_64_f16, !S_64_64_f16
    tile.gemm %a[%c0, %c0] [64, 64], %b[%c0, %c0] [64, 64], %c : !S_64_64_f16, !S_64_64_f16, !F_64_64_f16
    tile.copy %c[%c0, %c0] [64, 64] to %G[%n, %c0] [64, 64] : !F_64_64_f16, !G_n_64_f16
  }
}

// -----

!F_64_64_bf16 = memref<64x64xbf16, #tile.space<fragment>>
!F_64_64_f32 = memref<64x64xf32, #tile.space<fragment>>
!G_n_64_f32 = memref<?x64xf32, #tile.space<global>>
!S_64_64_bf16 = memref<64x64xbf16, #tile.space<shared>>
#G = affine_map<()[n] -> (n, 64)>

// A result whose layout the program gave.
// CHECK-LABEL: tile.kernel @given_layout
// CHECK-NOT: {{quad|pair_k}}
// CHECK: tile.gemm {{.*}} inst <wgmma_ss> warps 4 x 1 reason
// CHECK-NOT: {{quad|pair_k}}
tile.kernel @given_layout params ["G"] shapes [#G] symbols ["n"] {
^bb0(%G: !G_n_64_f32, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : !S_64_64_bf16
    %f = tile.alloc "f" : !F_64_64_bf16
    %b = tile.alloc "b" : !S_64_64_bf16
    %c = tile.alloc "c" layout <"regs=[2:(0,1) 2:(8,0) 8:(0,8)] threads=[4:(0,2) 8:(1,0) 4:(16,0)] shape=64x64"> : !F_64_64_f32
    tile.copy %f[%c0, %c0] [64, 64] to %b[%c0, %c0] [64, 64] : !F_64_64_bf16, !S_64_64_bf16
    tile.gemm %a[%c0, %c0] [64, 64], %b[%c0, %c0] [64, 64], %c : !S_64_64_bf16, !S_64_64_bf16, !F_64_64_f32
    tile.copy %c[%c0, %c0] [64, 64] to %G[%n, %c0] [64, 64] : !F_64_64_f32, !G_n_64_f32
  }
}

// -----

!F_64_64_bf16 = memref<64x64xbf16, #tile.space<fragment>>
!F_64_64_f32 = memref<64x64xf32, #tile.space<fragment>>
!G_n_64_f32 = memref<?x64xf32, #tile.space<global>>
!S_64_64_bf16 = memref<64x64xbf16, #tile.space<shared>>
#G = affine_map<()[n] -> (n, 64)>

// A result that a loop over elements uses.
// CHECK-LABEL: tile.kernel @element_loop
// CHECK-NOT: {{quad|pair_k}}
// CHECK: tile.gemm {{.*}} inst <wgmma_ss> warps 4 x 1 reason
// CHECK-NOT: {{quad|pair_k}}
tile.kernel @element_loop params ["G"] shapes [#G] symbols ["n"] {
^bb0(%G: !G_n_64_f32, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : !S_64_64_bf16
    %f = tile.alloc "f" : !F_64_64_bf16
    %b = tile.alloc "b" : !S_64_64_bf16
    %c = tile.alloc "c" : !F_64_64_f32
    tile.copy %f[%c0, %c0] [64, 64] to %b[%c0, %c0] [64, 64] : !F_64_64_bf16, !S_64_64_bf16
    tile.gemm %a[%c0, %c0] [64, 64], %b[%c0, %c0] [64, 64], %c : !S_64_64_bf16, !S_64_64_bf16, !F_64_64_f32
    tile.parallel [64, 64] {
    ^bb0(%i: i32, %j: i32):
    %x = tile.load %c[%i, %j] : !F_64_64_f32 -> f32
    %y = arith.addf %x, %x : f32
    tile.store %y to %c[%i, %j] : f32, !F_64_64_f32
    }
    tile.copy %c[%c0, %c0] [64, 64] to %G[%n, %c0] [64, 64] : !F_64_64_f32, !G_n_64_f32
  }
}

// -----

!F_64_64_bf16 = memref<64x64xbf16, #tile.space<fragment>>
!F_64_64_f32 = memref<64x64xf32, #tile.space<fragment>>
!G_n_64_f32 = memref<?x64xf32, #tile.space<global>>
!S_64_64_bf16 = memref<64x64xbf16, #tile.space<shared>>
#G = affine_map<()[n] -> (n, 64)>

// A result that is copied to another fragment.
// CHECK-LABEL: tile.kernel @to_fragment
// CHECK-NOT: {{quad|pair_k}}
// CHECK: tile.gemm {{.*}} inst <wgmma_ss> warps 4 x 1 reason
// CHECK-NOT: {{quad|pair_k}}
tile.kernel @to_fragment params ["G"] shapes [#G] symbols ["n"] {
^bb0(%G: !G_n_64_f32, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : !S_64_64_bf16
    %f = tile.alloc "f" : !F_64_64_bf16
    %b = tile.alloc "b" : !S_64_64_bf16
    %c = tile.alloc "c" : !F_64_64_f32
    %d = tile.alloc "d" : !F_64_64_f32
    tile.copy %f[%c0, %c0] [64, 64] to %b[%c0, %c0] [64, 64] : !F_64_64_bf16, !S_64_64_bf16
    tile.gemm %a[%c0, %c0] [64, 64], %b[%c0, %c0] [64, 64], %c : !S_64_64_bf16, !S_64_64_bf16, !F_64_64_f32
    tile.copy %c[%c0, %c0] [64, 64] to %d[%c0, %c0] [64, 64] : !F_64_64_f32, !F_64_64_f32
    tile.copy %c[%c0, %c0] [64, 64] to %G[%n, %c0] [64, 64] : !F_64_64_f32, !G_n_64_f32
  }
}

// -----

!F_64_64_bf16 = memref<64x64xbf16, #tile.space<fragment>>
!F_64_64_f32 = memref<64x64xf32, #tile.space<fragment>>
!G_n_64_f32 = memref<?x64xf32, #tile.space<global>>
!S_64_64_bf16 = memref<64x64xbf16, #tile.space<shared>>
#G = affine_map<()[n] -> (n, 64)>

// A result that stays.
// CHECK-LABEL: tile.kernel @inside
// CHECK-NOT: {{quad|pair_k}}
// CHECK: tile.gemm {{.*}} inst <wgmma_ss> warps 4 x 1 reason
// CHECK-NOT: {{quad|pair_k}}
tile.kernel @inside params ["G"] shapes [#G] symbols ["n"] {
^bb0(%G: !G_n_64_f32, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : !S_64_64_bf16
    %f = tile.alloc "f" : !F_64_64_bf16
    %b = tile.alloc "b" : !S_64_64_bf16
    %c = tile.alloc "c" : !F_64_64_f32
    tile.copy %f[%c0, %c0] [64, 64] to %b[%c0, %c0] [64, 64] : !F_64_64_bf16, !S_64_64_bf16
    tile.gemm %a[%c0, %c0] [64, 64], %b[%c0, %c0] [64, 64], %c : !S_64_64_bf16, !S_64_64_bf16, !F_64_64_f32
  }
}

// -----

!F_64_24_bf16 = memref<64x24xbf16, #tile.space<fragment>>
!F_64_24_f32 = memref<64x24xf32, #tile.space<fragment>>
!G_n_24_f32 = memref<?x24xf32, #tile.space<global>>
!S_64_24_bf16 = memref<64x24xbf16, #tile.space<shared>>
!S_64_64_bf16 = memref<64x64xbf16, #tile.space<shared>>
#G = affine_map<()[n] -> (n, 24)>

// 24 columns are no multiple of 16.
// CHECK-LABEL: tile.kernel @narrow_columns
// CHECK-NOT: quad_n
tile.kernel @narrow_columns params ["G"] shapes [#G] symbols ["n"] {
^bb0(%G: !G_n_24_f32, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : !S_64_64_bf16
    %f = tile.alloc "f" : !F_64_24_bf16
    %b = tile.alloc "b" : !S_64_24_bf16
    %c = tile.alloc "c" : !F_64_24_f32
    tile.copy %f[%c0, %c0] [64, 24] to %b[%c0, %c0] [64, 24] : !F_64_24_bf16, !S_64_24_bf16
    tile.gemm %a[%c0, %c0] [64, 64], %b[%c0, %c0] [64, 24], %c : !S_64_64_bf16, !S_64_24_bf16, !F_64_24_f32
    tile.copy %c[%c0, %c0] [64, 24] to %G[%n, %c0] [64, 24] : !F_64_24_f32, !G_n_24_f32
  }
}

// -----

!F_64_64_bf16 = memref<64x64xbf16, #tile.space<fragment>>
!F_64_64_f32 = memref<64x64xf32, #tile.space<fragment>>
!G_n_64_bf16 = memref<?x64xbf16, #tile.space<global>>
!G_n_64_f32 = memref<?x64xf32, #tile.space<global>>
!S_64_64_bf16 = memref<64x64xbf16, #tile.space<shared>>
#G = affine_map<()[n] -> (n, 64)>

// B in a tile that is loaded from memory.
// CHECK-LABEL: tile.kernel @b_loaded
// CHECK-NOT: {{quad|pair_k}}
// CHECK: tile.gemm {{.*}} inst <wgmma_ss> warps 4 x 1 reason
// CHECK-NOT: {{quad|pair_k}}
tile.kernel @b_loaded params ["G", "H"] shapes [#G, #G] symbols ["n"] {
^bb0(%G: !G_n_64_f32, %H: !G_n_64_bf16, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : !S_64_64_bf16
    %f = tile.alloc "f" : !F_64_64_bf16
    %b = tile.alloc "b" : !S_64_64_bf16
    %c = tile.alloc "c" : !F_64_64_f32
    tile.copy %H[%n, %c0] [64, 64] to %b[%c0, %c0] [64, 64] : !G_n_64_bf16, !S_64_64_bf16
    tile.gemm %a[%c0, %c0] [64, 64], %b[%c0, %c0] [64, 64], %c : !S_64_64_bf16, !S_64_64_bf16, !F_64_64_f32
    tile.copy %c[%c0, %c0] [64, 64] to %G[%n, %c0] [64, 64] : !F_64_64_f32, !G_n_64_f32
  }
}

// -----

!F_64_64_bf16 = memref<64x64xbf16, #tile.space<fragment>>
!F_64_64_f32 = memref<64x64xf32, #tile.space<fragment>>
!G_n_64_f32 = memref<?x64xf32, #tile.space<global>>
!S_64_64_bf16 = memref<64x64xbf16, #tile.space<shared>>
#G = affine_map<()[n] -> (n, 64)>

// B is read by a product into another fragment.
// CHECK-LABEL: tile.kernel @b_of_another
// CHECK-NOT: {{quad|pair_k}}
// CHECK: tile.gemm {{.*}} inst <wgmma_ss> warps 4 x 1 reason
// CHECK-NOT: {{quad|pair_k}}
tile.kernel @b_of_another params ["G"] shapes [#G] symbols ["n"] {
^bb0(%G: !G_n_64_f32, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : !S_64_64_bf16
    %f = tile.alloc "f" : !F_64_64_bf16
    %b = tile.alloc "b" : !S_64_64_bf16
    %c = tile.alloc "c" : !F_64_64_f32
    %d = tile.alloc "d" : !F_64_64_f32
    tile.copy %f[%c0, %c0] [64, 64] to %b[%c0, %c0] [64, 64] : !F_64_64_bf16, !S_64_64_bf16
    tile.gemm %a[%c0, %c0] [64, 64], %b[%c0, %c0] [64, 64], %c : !S_64_64_bf16, !S_64_64_bf16, !F_64_64_f32
    tile.gemm %a[%c0, %c0] [64, 64], %b[%c0, %c0] [64, 64], %d : !S_64_64_bf16, !S_64_64_bf16, !F_64_64_f32
    tile.copy %c[%c0, %c0] [64, 64] to %G[%n, %c0] [64, 64] : !F_64_64_f32, !G_n_64_f32
  }
}

// -----

!F_64_64_bf16 = memref<64x64xbf16, #tile.space<fragment>>
!F_64_64_f32 = memref<64x64xf32, #tile.space<fragment>>
!G_n_64_f32 = memref<?x64xf32, #tile.space<global>>
!S_64_64_bf16 = memref<64x64xbf16, #tile.space<shared>>
#G = affine_map<()[n] -> (n, 64)>

// Two products read B, one of them transposed.
// CHECK-LABEL: tile.kernel @b_both_ways
// CHECK-NOT: {{quad|pair_k}}
// CHECK: tile.gemm {{.*}} inst <wgmma_ss> warps 4 x 1 reason
// CHECK-NOT: {{quad|pair_k}}
tile.kernel @b_both_ways params ["G"] shapes [#G] symbols ["n"] {
^bb0(%G: !G_n_64_f32, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : !S_64_64_bf16
    %f = tile.alloc "f" : !F_64_64_bf16
    %b = tile.alloc "b" : !S_64_64_bf16
    %c = tile.alloc "c" : !F_64_64_f32
    tile.copy %f[%c0, %c0] [64, 64] to %b[%c0, %c0] [64, 64] : !F_64_64_bf16, !S_64_64_bf16
    tile.gemm %a[%c0, %c0] [64, 64], %b[%c0, %c0] [64, 64], %c : !S_64_64_bf16, !S_64_64_bf16, !F_64_64_f32
    tile.gemm %a[%c0, %c0] [64, 64], %b[%c0, %c0] [64, 64] trans_b, %c : !S_64_64_bf16, !S_64_64_bf16, !F_64_64_f32
    tile.copy %c[%c0, %c0] [64, 64] to %G[%n, %c0] [64, 64] : !F_64_64_f32, !G_n_64_f32
  }
}

// -----

!F_64_64_bf16 = memref<64x64xbf16, #tile.space<fragment>>
!F_64_64_f32 = memref<64x64xf32, #tile.space<fragment>>
!G_n_64_f32 = memref<?x64xf32, #tile.space<global>>
!S_128_64_bf16 = memref<128x64xbf16, #tile.space<shared>>
!S_64_64_bf16 = memref<64x64xbf16, #tile.space<shared>>
#G = affine_map<()[n] -> (n, 64)>

// One of the two products into the fragment runs on mma.sync.
// CHECK-LABEL: tile.kernel @on_mma_sync
// CHECK-NOT: {{quad|pair_k}}
// CHECK: inst <wgmma_ss> warps 4 x 1 reason
// CHECK-NOT: {{quad|pair_k}}
// CHECK: inst <mma_sync>
// CHECK-NOT: {{quad|pair_k}}
tile.kernel @on_mma_sync params ["G"] shapes [#G] symbols ["n"] {
^bb0(%G: !G_n_64_f32, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : !S_64_64_bf16
    %f = tile.alloc "f" : !F_64_64_bf16
    %b = tile.alloc "b" : !S_64_64_bf16
    %c = tile.alloc "c" : !F_64_64_f32
    %big = tile.alloc "big" : !S_128_64_bf16
    tile.copy %f[%c0, %c0] [64, 64] to %b[%c0, %c0] [64, 64] : !F_64_64_bf16, !S_64_64_bf16
    tile.gemm %a[%c0, %c0] [64, 64], %b[%c0, %c0] [64, 64], %c : !S_64_64_bf16, !S_64_64_bf16, !F_64_64_f32
    tile.gemm %big[%bx, %c0] [64, 64], %b[%c0, %c0] [64, 64], %c policy <full_row> : !S_128_64_bf16, !S_64_64_bf16, !F_64_64_f32
    tile.copy %c[%c0, %c0] [64, 64] to %G[%n, %c0] [64, 64] : !F_64_64_f32, !G_n_64_f32
  }
}

// -----

!F_64_64_f32 = memref<64x64xf32, #tile.space<fragment>>
!G_n_64_f32 = memref<?x64xf32, #tile.space<global>>
!S_64_64_f32 = memref<64x64xf32, #tile.space<shared>>
#G = affine_map<()[n] -> (n, 64)>

// A in registers, loaded from a tile along M.
// CHECK-LABEL: tile.kernel @a_from_tile
// CHECK: tile.gemm {{.*}} inst <wgmma_rs> warps 4 x 1 quad_m quad_n pair_k reason
tile.kernel @a_from_tile params ["G", "H"] shapes [#G, #G] symbols ["n"] {
^bb0(%G: !G_n_64_f32, %H: !G_n_64_f32, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %s = tile.alloc "s" : !S_64_64_f32
    %a = tile.alloc "a" : !F_64_64_f32
    %f = tile.alloc "f" : !F_64_64_f32
    %b = tile.alloc "b" : !S_64_64_f32
    %c = tile.alloc "c" : !F_64_64_f32
    tile.copy %s[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] : !S_64_64_f32, !F_64_64_f32
    tile.copy %f[%c0, %c0] [64, 64] to %b[%c0, %c0] [64, 64] : !F_64_64_f32, !S_64_64_f32
    tile.gemm %a[%c0, %c0] [64, 64] trans_a, %b[%c0, %c0] [64, 64] trans_b, %c : !F_64_64_f32, !S_64_64_f32, !F_64_64_f32
    tile.copy %c[%c0, %c0] [64, 64] to %G[%n, %c0] [64, 64] : !F_64_64_f32, !G_n_64_f32
  }
}

// -----

!F_64_64_f32 = memref<64x64xf32, #tile.space<fragment>>
!G_n_64_f32 = memref<?x64xf32, #tile.space<global>>
!S_64_64_f32 = memref<64x64xf32, #tile.space<shared>>
#G = affine_map<()[n] -> (n, 64)>

// ... loaded from global memory.
// CHECK-LABEL: tile.kernel @a_from_memory
// CHECK: tile.gemm {{.*}} inst <wgmma_rs> warps 4 x 1 quad_n reason
tile.kernel @a_from_memory params ["G", "H"] shapes [#G, #G] symbols ["n"] {
^bb0(%G: !G_n_64_f32, %H: !G_n_64_f32, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %s = tile.alloc "s" : !S_64_64_f32
    %a = tile.alloc "a" : !F_64_64_f32
    %f = tile.alloc "f" : !F_64_64_f32
    %b = tile.alloc "b" : !S_64_64_f32
    %c = tile.alloc "c" : !F_64_64_f32
    tile.copy %H[%n, %c0] [64, 64] to %a[%c0, %c0] [64, 64] : !G_n_64_f32, !F_64_64_f32
    tile.copy %f[%c0, %c0] [64, 64] to %b[%c0, %c0] [64, 64] : !F_64_64_f32, !S_64_64_f32
    tile.gemm %a[%c0, %c0] [64, 64] trans_a, %b[%c0, %c0] [64, 64] trans_b, %c : !F_64_64_f32, !S_64_64_f32, !F_64_64_f32
    tile.copy %c[%c0, %c0] [64, 64] to %G[%n, %c0] [64, 64] : !F_64_64_f32, !G_n_64_f32
  }
}

// -----

!F_64_64_f32 = memref<64x64xf32, #tile.space<fragment>>
!G_n_64_f32 = memref<?x64xf32, #tile.space<global>>
!S_64_64_f32 = memref<64x64xf32, #tile.space<shared>>
#G = affine_map<()[n] -> (n, 64)>

// ... with another use.
// CHECK-LABEL: tile.kernel @a_used_again
// CHECK: tile.gemm {{.*}} inst <wgmma_rs> warps 4 x 1 quad_n reason
tile.kernel @a_used_again params ["G", "H"] shapes [#G, #G] symbols ["n"] {
^bb0(%G: !G_n_64_f32, %H: !G_n_64_f32, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %s = tile.alloc "s" : !S_64_64_f32
    %a = tile.alloc "a" : !F_64_64_f32
    %f = tile.alloc "f" : !F_64_64_f32
    %b = tile.alloc "b" : !S_64_64_f32
    %c = tile.alloc "c" : !F_64_64_f32
    tile.copy %s[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] : !S_64_64_f32, !F_64_64_f32
    tile.copy %f[%c0, %c0] [64, 64] to %b[%c0, %c0] [64, 64] : !F_64_64_f32, !S_64_64_f32
    tile.gemm %a[%c0, %c0] [64, 64] trans_a, %b[%c0, %c0] [64, 64] trans_b, %c : !F_64_64_f32, !S_64_64_f32, !F_64_64_f32
    tile.copy %a[%c0, %c0] [64, 64] to %G[%n, %c0] [64, 64] : !F_64_64_f32, !G_n_64_f32
    tile.copy %c[%c0, %c0] [64, 64] to %G[%n, %c0] [64, 64] : !F_64_64_f32, !G_n_64_f32
  }
}

// -----

!F_64_64_f32 = memref<64x64xf32, #tile.space<fragment>>
!G_n_64_f32 = memref<?x64xf32, #tile.space<global>>
!S_64_64_f32 = memref<64x64xf32, #tile.space<shared>>
#G = affine_map<()[n] -> (n, 64)>

// ... filled twice.
// CHECK-LABEL: tile.kernel @a_loaded_twice
// CHECK: tile.gemm {{.*}} inst <wgmma_rs> warps 4 x 1 quad_n reason
tile.kernel @a_loaded_twice params ["G", "H"] shapes [#G, #G] symbols ["n"] {
^bb0(%G: !G_n_64_f32, %H: !G_n_64_f32, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %s = tile.alloc "s" : !S_64_64_f32
    %a = tile.alloc "a" : !F_64_64_f32
    %f = tile.alloc "f" : !F_64_64_f32
    %b = tile.alloc "b" : !S_64_64_f32
    %c = tile.alloc "c" : !F_64_64_f32
    tile.copy %s[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] : !S_64_64_f32, !F_64_64_f32
    tile.copy %s[%c0, %c0] [64, 64] to %a[%c0, %c0] [64, 64] : !S_64_64_f32, !F_64_64_f32
    tile.copy %f[%c0, %c0] [64, 64] to %b[%c0, %c0] [64, 64] : !F_64_64_f32, !S_64_64_f32
    tile.gemm %a[%c0, %c0] [64, 64] trans_a, %b[%c0, %c0] [64, 64] trans_b, %c : !F_64_64_f32, !S_64_64_f32, !F_64_64_f32
    tile.copy %c[%c0, %c0] [64, 64] to %G[%n, %c0] [64, 64] : !F_64_64_f32, !G_n_64_f32
  }
}
