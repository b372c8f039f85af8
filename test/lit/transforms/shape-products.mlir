// RUN: tlc-opt %s --tile-select-instructions --split-input-file | FileCheck %s

// Forms of products, and what keeps each from being taken: the product then
// runs as it is written, with the reason why wgmma does not take it so.

!F_32_64_f32 = memref<32x64xf32, #tile.space<fragment>>
!S_32_64_bf16 = memref<32x64xbf16, #tile.space<shared>>
!S_64_64_bf16 = memref<64x64xbf16, #tile.space<shared>>

// Few rows: computed transposed.
// CHECK-LABEL: tile.kernel @few_rows
// CHECK: %[[A:.*]] = tile.alloc "a"
// CHECK: %[[B:.*]] = tile.alloc "b"
// CHECK: tile.gemm %[[B]][{{.*}}] [64, 64] trans_a, %[[A]][{{.*}}] [32, 64] trans_b, %{{.*}} trans_c inst <wgmma_ss>
tile.kernel @few_rows params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : !S_32_64_bf16
    %b = tile.alloc "b" : !S_64_64_bf16
    %c = tile.alloc "c" : !F_32_64_f32
    tile.gemm %a[%c0, %c0] [32, 64], %b[%c0, %c0] [64, 64], %c : !S_32_64_bf16, !S_64_64_bf16, !F_32_64_f32
  }
}

// -----

!F_64_8_bf16 = memref<64x8xbf16, #tile.space<fragment>>
!F_64_8_f32 = memref<64x8xf32, #tile.space<fragment>>
!S_64_64_bf16 = memref<64x64xbf16, #tile.space<shared>>
!S_64_8_bf16 = memref<64x8xbf16, #tile.space<shared>>

// Rows of 16 bytes: laid out with K contiguous, for all products that read them.
// CHECK-LABEL: tile.kernel @narrow
// CHECK: tile.alloc "b" order <transposed = true>
// CHECK-COUNT-2: tile.gemm {{.*}} inst <wgmma_ss>
tile.kernel @narrow params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : !S_64_64_bf16
    %f = tile.alloc "f" : !F_64_8_bf16
    %b = tile.alloc "b" : !S_64_8_bf16
    %c = tile.alloc "c" : !F_64_8_f32
    %d = tile.alloc "d" : !F_64_8_f32
    tile.copy %f[%c0, %c0] [64, 8] to %b[%c0, %c0] [64, 8] : !F_64_8_bf16, !S_64_8_bf16
    tile.gemm %a[%c0, %c0] [64, 64], %b[%c0, %c0] [64, 8], %c : !S_64_64_bf16, !S_64_8_bf16, !F_64_8_f32
    tile.gemm %a[%c0, %c0] [64, 64], %b[%c0, %c0] [64, 8], %d : !S_64_64_bf16, !S_64_8_bf16, !F_64_8_f32
  }
}

// -----

!F_64_64_f32 = memref<64x64xf32, #tile.space<fragment>>
!S_64_64_f32 = memref<64x64xf32, #tile.space<shared>>

// float32 with M contiguous: through registers, 128 bytes of K at a time.
// CHECK-LABEL: tile.kernel @words
// CHECK-COUNT-2: tile.copy {{.*}} [32, 64] {{.*}} inst <vector>
// CHECK-COUNT-2: tile.gemm {{.*}} [32, 64] trans_a, {{.*}} inst <wgmma_rs>
tile.kernel @words params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : !S_64_64_f32
    %b = tile.alloc "b" : !S_64_64_f32
    %c = tile.alloc "c" : !F_64_64_f32
    tile.gemm %a[%c0, %c0] [64, 64] trans_a, %b[%c0, %c0] [64, 64] trans_b, %c : !S_64_64_f32, !S_64_64_f32, !F_64_64_f32
  }
}

// -----

!F_48_64_f32 = memref<48x64xf32, #tile.space<fragment>>
!S_48_64_bf16 = memref<48x64xbf16, #tile.space<shared>>
!S_64_64_bf16 = memref<64x64xbf16, #tile.space<shared>>

// Three warps are no warpgroup.
// CHECK-LABEL: tile.kernel @threads
// CHECK-NOT: order
// CHECK: tile.gemm {{.*}} inst <mma_sync> {{.*}}reason "wgmma needs whole warpgroups of 128 threads, the block has 96"
tile.kernel @threads params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [96, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : !S_48_64_bf16
    %b = tile.alloc "b" : !S_64_64_bf16
    %c = tile.alloc "c" : !F_48_64_f32
    tile.gemm %a[%c0, %c0] [48, 64], %b[%c0, %c0] [64, 64], %c : !S_48_64_bf16, !S_64_64_bf16, !F_48_64_f32
  }
}

// -----

!F_32_32_f32 = memref<32x32xf32, #tile.space<fragment>>
!S_32_64_bf16 = memref<32x64xbf16, #tile.space<shared>>
!S_64_32_bf16 = memref<64x32xbf16, #tile.space<shared>>

// Few rows and few columns.
// CHECK-LABEL: tile.kernel @few_both
// CHECK-NOT: order
// CHECK: tile.gemm {{.*}} inst <mma_sync> {{.*}}reason "M is 32, wgmma needs 64 or more"
tile.kernel @few_both params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : !S_32_64_bf16
    %b = tile.alloc "b" : !S_64_32_bf16
    %c = tile.alloc "c" : !F_32_32_f32
    tile.gemm %a[%c0, %c0] [32, 64], %b[%c0, %c0] [64, 32], %c : !S_32_64_bf16, !S_64_32_bf16, !F_32_32_f32
  }
}

// -----

!F_80_32_f32 = memref<80x32xf32, #tile.space<fragment>>
!S_64_32_bf16 = memref<64x32xbf16, #tile.space<shared>>
!S_80_64_bf16 = memref<80x64xbf16, #tile.space<shared>>

// 80 rows are no multiple of 64, 32 columns are no 64 rows.
// CHECK-LABEL: tile.kernel @partition
// CHECK-NOT: order
// CHECK: tile.gemm {{.*}} inst <mma_sync> {{.*}}reason "no valid warp partition of 4 warps for M = 80, N = 32 with wgmma
tile.kernel @partition params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : !S_80_64_bf16
    %b = tile.alloc "b" : !S_64_32_bf16
    %c = tile.alloc "c" : !F_80_32_f32
    tile.gemm %a[%c0, %c0] [80, 64], %b[%c0, %c0] [64, 32], %c : !S_80_64_bf16, !S_64_32_bf16, !F_80_32_f32
  }
}

// -----

!F_64_32_bf16 = memref<64x32xbf16, #tile.space<fragment>>
!F_64_32_f32 = memref<64x32xf32, #tile.space<fragment>>
!S_64_64_bf16 = memref<64x64xbf16, #tile.space<shared>>

// B in registers.
// CHECK-LABEL: tile.kernel @fragment_b
// CHECK-NOT: order
// CHECK: tile.gemm {{.*}} inst <mma_sync> {{.*}}reason "'b' is not in shared memory"
tile.kernel @fragment_b params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : !S_64_64_bf16
    %b = tile.alloc "b" : !F_64_32_bf16
    %c = tile.alloc "c" : !F_64_32_f32
    tile.gemm %a[%c0, %c0] [64, 64], %b[%c0, %c0] [64, 32], %c : !S_64_64_bf16, !F_64_32_bf16, !F_64_32_f32
  }
}

// -----

!F_64_32_f32 = memref<64x32xf32, #tile.space<fragment>>
!S_128_64_bf16 = memref<128x64xbf16, #tile.space<shared>>
!S_64_32_bf16 = memref<64x32xbf16, #tile.space<shared>>

// A part that is known only at run time.
// CHECK-LABEL: tile.kernel @run_time
// CHECK-NOT: order
// CHECK: tile.gemm {{.*}} inst <mma_sync> {{.*}}reason "the part of 'a' is known only at run time"
tile.kernel @run_time params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : !S_128_64_bf16
    %b = tile.alloc "b" : !S_64_32_bf16
    %c = tile.alloc "c" : !F_64_32_f32
    tile.gemm %a[%bx, %c0] [64, 64], %b[%c0, %c0] [64, 32], %c : !S_128_64_bf16, !S_64_32_bf16, !F_64_32_f32
  }
}

// -----

!F_64_32_f32 = memref<64x32xf32, #tile.space<fragment>>
!S_64_32_bf16 = memref<64x32xbf16, #tile.space<shared>>
!S_72_64_bf16 = memref<72x64xbf16, #tile.space<shared>>

// Four rows down.
// CHECK-LABEL: tile.kernel @core_matrix
// CHECK-NOT: order
// CHECK: tile.gemm {{.*}} inst <mma_sync> {{.*}}reason "the part of 'a' begins inside a core matrix"
tile.kernel @core_matrix params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %c4 = arith.constant 4 : i32
    %a = tile.alloc "a" : !S_72_64_bf16
    %b = tile.alloc "b" : !S_64_32_bf16
    %c = tile.alloc "c" : !F_64_32_f32
    tile.gemm %a[%c4, %c0] [64, 64], %b[%c0, %c0] [64, 32], %c : !S_72_64_bf16, !S_64_32_bf16, !F_64_32_f32
  }
}

// -----

!F_64_32_f32 = memref<64x32xf32, #tile.space<fragment>>
!S_64_32_bf16 = memref<64x32xbf16, #tile.space<shared>>
!S_68_64_bf16 = memref<68x64xbf16, #tile.space<shared>>

// A tile of 68 rows.
// CHECK-LABEL: tile.kernel @odd_tile
// CHECK-NOT: order
// CHECK: tile.gemm {{.*}} inst <mma_sync> {{.*}}reason "'a': 68 rows are no multiple of 8"
tile.kernel @odd_tile params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : !S_68_64_bf16
    %b = tile.alloc "b" : !S_64_32_bf16
    %c = tile.alloc "c" : !F_64_32_f32
    tile.gemm %a[%c0, %c0] [64, 64], %b[%c0, %c0] [64, 32], %c : !S_68_64_bf16, !S_64_32_bf16, !F_64_32_f32
  }
}

// -----

!F_64_8_f32 = memref<64x8xf32, #tile.space<fragment>>
!G_n_8_bf16 = memref<?x8xbf16, #tile.space<global>>
!S_64_64_bf16 = memref<64x64xbf16, #tile.space<shared>>
!S_64_8_bf16 = memref<64x8xbf16, #tile.space<shared>>
#G = affine_map<()[n] -> (n, 8)>

// Rows of 16 bytes whose order is that of the load.
// CHECK-LABEL: tile.kernel @loaded_narrow
// CHECK-NOT: order
// CHECK: tile.gemm {{.*}} inst <mma_sync> {{.*}}reason "wgmma reads rows in pieces of 32 bytes or more, those of 'b' do not divide so"
tile.kernel @loaded_narrow params ["G"] shapes [#G] symbols ["n"] {
^bb0(%G: !G_n_8_bf16, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : !S_64_64_bf16
    %b = tile.alloc "b" : !S_64_8_bf16
    %c = tile.alloc "c" : !F_64_8_f32
    tile.copy %G[%n, %c0] [64, 8] to %b[%c0, %c0] [64, 8] : !G_n_8_bf16, !S_64_8_bf16
    tile.gemm %a[%c0, %c0] [64, 64], %b[%c0, %c0] [64, 8], %c : !S_64_64_bf16, !S_64_8_bf16, !F_64_8_f32
  }
}

// -----

!F_32_32_f32 = memref<32x32xf32, #tile.space<fragment>>
!F_64_32_f32 = memref<64x32xf32, #tile.space<fragment>>
!S_32_32_f32 = memref<32x32xf32, #tile.space<shared>>
!S_64_32_f32 = memref<64x32xf32, #tile.space<shared>>

// float32 with N contiguous in a tile that is written from a fragment.
// CHECK-LABEL: tile.kernel @free
// CHECK: tile.alloc "b" order <transposed = true>
// CHECK: inst <wgmma_ss>
tile.kernel @free params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : !S_64_32_f32
    %f = tile.alloc "f" : !F_32_32_f32
    %b = tile.alloc "b" : !S_32_32_f32
    %c = tile.alloc "c" : !F_64_32_f32
    tile.copy %f[%c0, %c0] [32, 32] to %b[%c0, %c0] [32, 32] : !F_32_32_f32, !S_32_32_f32
    tile.gemm %a[%c0, %c0] [64, 32], %b[%c0, %c0] [32, 32], %c : !S_64_32_f32, !S_32_32_f32, !F_64_32_f32
  }
}

// -----

!F_32_32_f32 = memref<32x32xf32, #tile.space<fragment>>
!F_64_32_f32 = memref<64x32xf32, #tile.space<fragment>>
!G_n_32_f32 = memref<?x32xf32, #tile.space<global>>
!S_32_32_f32 = memref<32x32xf32, #tile.space<shared>>
!S_64_32_f32 = memref<64x32xf32, #tile.space<shared>>
#G = affine_map<()[n] -> (n, 32)>

// ... that is loaded from memory.
// CHECK-LABEL: tile.kernel @not_free_load
// CHECK-NOT: order
// CHECK: tile.gemm {{.*}} inst <mma_sync> {{.*}}reason "wgmma reads float32 only with K contiguous, 'b' has it in rows"
tile.kernel @not_free_load params ["G"] shapes [#G] symbols ["n"] {
^bb0(%G: !G_n_32_f32, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : !S_64_32_f32
    %f = tile.alloc "f" : !F_32_32_f32
    %b = tile.alloc "b" : !S_32_32_f32
    %c = tile.alloc "c" : !F_64_32_f32
    tile.copy %G[%n, %c0] [32, 32] to %b[%c0, %c0] [32, 32] : !G_n_32_f32, !S_32_32_f32
    tile.gemm %a[%c0, %c0] [64, 32], %b[%c0, %c0] [32, 32], %c : !S_64_32_f32, !S_32_32_f32, !F_64_32_f32
  }
}

// -----

!F_32_32_f32 = memref<32x32xf32, #tile.space<fragment>>
!F_64_32_f32 = memref<64x32xf32, #tile.space<fragment>>
!S_32_32_f32 = memref<32x32xf32, #tile.space<shared>>
!S_64_32_f32 = memref<64x32xf32, #tile.space<shared>>

// ... whose layout the program gave.
// CHECK-LABEL: tile.kernel @not_free_given
// CHECK-NOT: order
// CHECK: tile.gemm {{.*}} inst <mma_sync> {{.*}}reason "wgmma reads float32 only with K contiguous, 'b' has it in rows"
tile.kernel @not_free_given params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : !S_64_32_f32
    %f = tile.alloc "f" : !F_32_32_f32
    %b = tile.alloc "b" swizzle <b128> : !S_32_32_f32
    %c = tile.alloc "c" : !F_64_32_f32
    tile.copy %f[%c0, %c0] [32, 32] to %b[%c0, %c0] [32, 32] : !F_32_32_f32, !S_32_32_f32
    tile.gemm %a[%c0, %c0] [64, 32], %b[%c0, %c0] [32, 32], %c : !S_64_32_f32, !S_32_32_f32, !F_64_32_f32
  }
}

// -----

!F_16_32_f32 = memref<16x32xf32, #tile.space<fragment>>
!F_32_32_f32 = memref<32x32xf32, #tile.space<fragment>>
!F_64_32_f32 = memref<64x32xf32, #tile.space<fragment>>
!S_32_32_f32 = memref<32x32xf32, #tile.space<shared>>
!S_64_32_f32 = memref<64x32xf32, #tile.space<shared>>

// ... that is written in parts.
// CHECK-LABEL: tile.kernel @not_free_part
// CHECK-NOT: order
// CHECK: tile.gemm {{.*}} inst <mma_sync> {{.*}}reason "wgmma reads float32 only with K contiguous, 'b' has it in rows"
tile.kernel @not_free_part params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : !S_64_32_f32
    %f = tile.alloc "f" : !F_32_32_f32
    %b = tile.alloc "b" : !S_32_32_f32
    %c = tile.alloc "c" : !F_64_32_f32
    %h = tile.alloc "h" : !F_16_32_f32
    tile.copy %h[%c0, %c0] [16, 32] to %b[%c0, %c0] [16, 32] : !F_16_32_f32, !S_32_32_f32
    tile.copy %f[%c0, %c0] [32, 32] to %b[%c0, %c0] [32, 32] : !F_32_32_f32, !S_32_32_f32
    tile.gemm %a[%c0, %c0] [64, 32], %b[%c0, %c0] [32, 32], %c : !S_64_32_f32, !S_32_32_f32, !F_64_32_f32
  }
}

// -----

!F_32_32_f32 = memref<32x32xf32, #tile.space<fragment>>
!F_64_32_f32 = memref<64x32xf32, #tile.space<fragment>>
!S_32_32_f32 = memref<32x32xf32, #tile.space<shared>>
!S_64_32_f32 = memref<64x32xf32, #tile.space<shared>>

// ... that is read by a copy, too.
// CHECK-LABEL: tile.kernel @not_free_read
// CHECK-NOT: order
// CHECK: tile.gemm {{.*}} inst <mma_sync> {{.*}}reason "wgmma reads float32 only with K contiguous, 'b' has it in rows"
tile.kernel @not_free_read params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : !S_64_32_f32
    %f = tile.alloc "f" : !F_32_32_f32
    %b = tile.alloc "b" : !S_32_32_f32
    %c = tile.alloc "c" : !F_64_32_f32
    tile.copy %f[%c0, %c0] [32, 32] to %b[%c0, %c0] [32, 32] : !F_32_32_f32, !S_32_32_f32
    tile.gemm %a[%c0, %c0] [64, 32], %b[%c0, %c0] [32, 32], %c : !S_64_32_f32, !S_32_32_f32, !F_64_32_f32
    tile.copy %b[%c0, %c0] [32, 32] to %f[%c0, %c0] [32, 32] : !S_32_32_f32, !F_32_32_f32
  }
}

// -----

!F_32_32_f32 = memref<32x32xf32, #tile.space<fragment>>
!F_64_32_f32 = memref<64x32xf32, #tile.space<fragment>>
!S_32_32_f32 = memref<32x32xf32, #tile.space<shared>>
!S_64_32_f32 = memref<64x32xf32, #tile.space<shared>>

// ... of which an element is read.
// CHECK-LABEL: tile.kernel @not_free_element
// CHECK-NOT: order
// CHECK: tile.gemm {{.*}} inst <mma_sync> {{.*}}reason "wgmma reads float32 only with K contiguous, 'b' has it in rows"
tile.kernel @not_free_element params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : !S_64_32_f32
    %f = tile.alloc "f" : !F_32_32_f32
    %b = tile.alloc "b" : !S_32_32_f32
    %c = tile.alloc "c" : !F_64_32_f32
    tile.copy %f[%c0, %c0] [32, 32] to %b[%c0, %c0] [32, 32] : !F_32_32_f32, !S_32_32_f32
    tile.gemm %a[%c0, %c0] [64, 32], %b[%c0, %c0] [32, 32], %c : !S_64_32_f32, !S_32_32_f32, !F_64_32_f32
    %e = tile.load %b[%c0, %c0] : !S_32_32_f32 -> f32
  }
}

// -----

!F_32_32_f32 = memref<32x32xf32, #tile.space<fragment>>
!F_32_64_f32 = memref<32x64xf32, #tile.space<fragment>>
!F_64_32_f32 = memref<64x32xf32, #tile.space<fragment>>
!S_32_32_f32 = memref<32x32xf32, #tile.space<shared>>
!S_64_32_f32 = memref<64x32xf32, #tile.space<shared>>

// ... that is operand A of another product.
// CHECK-LABEL: tile.kernel @not_free_other
// CHECK-NOT: order
// CHECK: tile.gemm {{.*}} inst <mma_sync> {{.*}}reason "wgmma reads float32 only with K contiguous, 'b' has it in rows"
tile.kernel @not_free_other params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : !S_64_32_f32
    %f = tile.alloc "f" : !F_32_32_f32
    %b = tile.alloc "b" : !S_32_32_f32
    %c = tile.alloc "c" : !F_64_32_f32
    %o = tile.alloc "o" : !S_64_32_f32
    %d = tile.alloc "d" : !F_32_64_f32
    tile.copy %f[%c0, %c0] [32, 32] to %b[%c0, %c0] [32, 32] : !F_32_32_f32, !S_32_32_f32
    tile.gemm %a[%c0, %c0] [64, 32], %b[%c0, %c0] [32, 32], %c : !S_64_32_f32, !S_32_32_f32, !F_64_32_f32
    tile.gemm %b[%c0, %c0] [32, 32], %o[%c0, %c0] [64, 32] trans_b, %d : !S_32_32_f32, !S_64_32_f32, !F_32_64_f32
  }
}

// -----

!F_32_32_f32 = memref<32x32xf32, #tile.space<fragment>>
!F_64_32_f32 = memref<64x32xf32, #tile.space<fragment>>
!S_2_32_32_f32 = memref<2x32x32xf32, #tile.space<shared>>
!S_64_32_f32 = memref<64x32xf32, #tile.space<shared>>

// ... with stages.
// CHECK-LABEL: tile.kernel @not_free_stages
// CHECK-NOT: order
// CHECK: tile.gemm {{.*}} inst <mma_sync> {{.*}}reason "wgmma reads float32 only with K contiguous, 'b' has it in rows"
tile.kernel @not_free_stages params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : !S_64_32_f32
    %f = tile.alloc "f" : !F_32_32_f32
    %b = tile.alloc "b" : !S_2_32_32_f32
    %c = tile.alloc "c" : !F_64_32_f32
    tile.gemm %a[%c0, %c0] [64, 32], %b[%c0, %c0, %c0] [1, 32, 32], %c : !S_64_32_f32, !S_2_32_32_f32, !F_64_32_f32
  }
}

// -----

!F_32_32_f32 = memref<32x32xf32, #tile.space<fragment>>
!F_64_32_f32 = memref<64x32xf32, #tile.space<fragment>>
!S_32_32_f32 = memref<32x32xf32, #tile.space<shared>>
!S_64_32_f32 = memref<64x32xf32, #tile.space<shared>>

// ... that another product reads with K contiguous: it keeps that one on wgmma.
// CHECK-LABEL: tile.kernel @not_free_transposed
// CHECK-NOT: order
// CHECK: tile.gemm {{.*}} inst <mma_sync> {{.*}}reason "wgmma reads float32 only with K contiguous, 'b' has it in rows"
// CHECK: tile.gemm {{.*}} trans_b, {{.*}} inst <wgmma_ss>
tile.kernel @not_free_transposed params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : !S_64_32_f32
    %f = tile.alloc "f" : !F_32_32_f32
    %b = tile.alloc "b" : !S_32_32_f32
    %c = tile.alloc "c" : !F_64_32_f32
    %d = tile.alloc "d" : !F_64_32_f32
    tile.copy %f[%c0, %c0] [32, 32] to %b[%c0, %c0] [32, 32] : !F_32_32_f32, !S_32_32_f32
    tile.gemm %a[%c0, %c0] [64, 32], %b[%c0, %c0] [32, 32], %c : !S_64_32_f32, !S_32_32_f32, !F_64_32_f32
    tile.gemm %a[%c0, %c0] [64, 32], %b[%c0, %c0] [32, 32] trans_b, %d : !S_64_32_f32, !S_32_32_f32, !F_64_32_f32
  }
}

// -----

!F_32_32_f32 = memref<32x32xf32, #tile.space<fragment>>
!F_64_32_f32 = memref<64x32xf32, #tile.space<fragment>>
!S_128_32_f32 = memref<128x32xf32, #tile.space<shared>>
!S_32_32_f32 = memref<32x32xf32, #tile.space<shared>>
!S_64_32_f32 = memref<64x32xf32, #tile.space<shared>>

// ... that a product of mma.sync reads.
// CHECK-LABEL: tile.kernel @not_free_ldmatrix
// CHECK-NOT: order
// CHECK-COUNT-2: inst <mma_sync>
tile.kernel @not_free_ldmatrix params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : !S_64_32_f32
    %f = tile.alloc "f" : !F_32_32_f32
    %b = tile.alloc "b" : !S_32_32_f32
    %c = tile.alloc "c" : !F_64_32_f32
    %m = tile.alloc "m" : !S_128_32_f32
    %d = tile.alloc "d" : !F_64_32_f32
    tile.copy %f[%c0, %c0] [32, 32] to %b[%c0, %c0] [32, 32] : !F_32_32_f32, !S_32_32_f32
    tile.gemm %a[%c0, %c0] [64, 32], %b[%c0, %c0] [32, 32], %c : !S_64_32_f32, !S_32_32_f32, !F_64_32_f32
    tile.gemm %m[%bx, %c0] [64, 32], %b[%c0, %c0] [32, 32], %d : !S_128_32_f32, !S_32_32_f32, !F_64_32_f32
  }
}

// -----

!F_64_32_f32 = memref<64x32xf32, #tile.space<fragment>>
!S_32_512_f32 = memref<32x512xf32, #tile.space<shared>>
!S_512_64_f32 = memref<512x64xf32, #tile.space<shared>>

// float32 with M contiguous: 256 registers a thread are too many.
// CHECK-LABEL: tile.kernel @registers_many
// CHECK-NOT: tile.copy
// CHECK: tile.gemm {{.*}} inst <mma_sync> {{.*}}reason "wgmma reads float32 only with K contiguous, 'a' has it in rows"
tile.kernel @registers_many params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : !S_512_64_f32
    %b = tile.alloc "b" : !S_32_512_f32
    %c = tile.alloc "c" : !F_64_32_f32
    tile.gemm %a[%c0, %c0] [512, 64] trans_a, %b[%c0, %c0] [32, 512] trans_b, %c : !S_512_64_f32, !S_32_512_f32, !F_64_32_f32
  }
}

// -----

!F_64_32_f32 = memref<64x32xf32, #tile.space<fragment>>
!S_32_32_f32 = memref<32x32xf32, #tile.space<shared>>
!S_64_64_f32 = memref<64x64xf32, #tile.space<shared>>

// ... a part of a tile.
// CHECK-LABEL: tile.kernel @registers_part
// CHECK-NOT: tile.copy
// CHECK: tile.gemm {{.*}} inst <mma_sync> {{.*}}reason "wgmma reads float32 only with K contiguous, 'a' has it in rows"
tile.kernel @registers_part params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : !S_64_64_f32
    %b = tile.alloc "b" : !S_32_32_f32
    %c = tile.alloc "c" : !F_64_32_f32
    tile.gemm %a[%c0, %c0] [32, 64] trans_a, %b[%c0, %c0] [32, 32] trans_b, %c : !S_64_64_f32, !S_32_32_f32, !F_64_32_f32
  }
}

// -----

!F_64_32_f32 = memref<64x32xf32, #tile.space<fragment>>
!S_2_32_64_f32 = memref<2x32x64xf32, #tile.space<shared>>
!S_32_32_f32 = memref<32x32xf32, #tile.space<shared>>

// ... a tile with stages.
// CHECK-LABEL: tile.kernel @registers_stages
// CHECK-NOT: tile.copy
// CHECK: tile.gemm {{.*}} inst <mma_sync> {{.*}}reason "wgmma reads float32 only with K contiguous, 'a' has it in rows"
tile.kernel @registers_stages params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : !S_2_32_64_f32
    %b = tile.alloc "b" : !S_32_32_f32
    %c = tile.alloc "c" : !F_64_32_f32
    tile.gemm %a[%c0, %c0, %c0] [1, 32, 64] trans_a, %b[%c0, %c0] [32, 32] trans_b, %c : !S_2_32_64_f32, !S_32_32_f32, !F_64_32_f32
  }
}

// -----

!F_64_32_f32 = memref<64x32xf32, #tile.space<fragment>>
!S_32_64_f32 = memref<32x64xf32, #tile.space<shared>>
!S_64_32_f32 = memref<64x32xf32, #tile.space<shared>>

// ... with a part of B that is known only at run time: which of its pieces go together is not known either.
// CHECK-LABEL: tile.kernel @registers_moving
// CHECK-NOT: tile.copy
// CHECK: tile.gemm {{.*}} inst <mma_sync> {{.*}}reason "wgmma reads float32 only with K contiguous, 'a' has it in rows"
tile.kernel @registers_moving params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : !S_32_64_f32
    %b = tile.alloc "b" : !S_64_32_f32
    %c = tile.alloc "c" : !F_64_32_f32
    tile.gemm %a[%c0, %c0] [32, 64] trans_a, %b[%bx, %c0] [32, 32] trans_b, %c : !S_32_64_f32, !S_64_32_f32, !F_64_32_f32
  }
}

// -----

!F_64_32_i32 = memref<64x32xi32, #tile.space<fragment>>
!S_32_64_i8 = memref<32x64xi8, #tile.space<shared>>
!S_64_64_i8 = memref<64x64xi8, #tile.space<shared>>

// ... of int8.
// CHECK-LABEL: tile.kernel @registers_bytes
// CHECK-NOT: tile.copy
// CHECK: tile.gemm {{.*}} inst <mma_sync> {{.*}}reason "wgmma reads int8 only with K contiguous, 'a' has it in rows"
tile.kernel @registers_bytes params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : !S_64_64_i8
    %b = tile.alloc "b" : !S_32_64_i8
    %c = tile.alloc "c" : !F_64_32_i32
    tile.gemm %a[%c0, %c0] [64, 64] trans_a, %b[%c0, %c0] [32, 64] trans_b, %c : !S_64_64_i8, !S_32_64_i8, !F_64_32_i32
  }
}

// -----

!F_32_64_bf16 = memref<32x64xbf16, #tile.space<fragment>>
!F_32_64_f32 = memref<32x64xf32, #tile.space<fragment>>
!S_32_64_bf16 = memref<32x64xbf16, #tile.space<shared>>
!S_64_64_bf16 = memref<64x64xbf16, #tile.space<shared>>

// Two products add to one fragment: the second, with A in registers, has no
// other form, so the first keeps its.
// CHECK-LABEL: tile.kernel @one_accumulator
// CHECK-NOT: trans_c
// CHECK: tile.gemm {{.*}} [32, 64], {{.*}} inst <mma_sync> {{.*}}reason "M is 32, wgmma needs 64 or more"
// CHECK: tile.gemm {{.*}} [32, 64], {{.*}} inst <mma_sync> {{.*}}reason "M is 32, wgmma needs 64 or more"
tile.kernel @one_accumulator params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : !S_32_64_bf16
    %r = tile.alloc "r" : !F_32_64_bf16
    %b = tile.alloc "b" : !S_64_64_bf16
    %c = tile.alloc "c" : !F_32_64_f32
    tile.gemm %a[%c0, %c0] [32, 64], %b[%c0, %c0] [64, 64], %c : !S_32_64_bf16, !S_64_64_bf16, !F_32_64_f32
    tile.gemm %r[%c0, %c0] [32, 64], %b[%c0, %c0] [64, 64], %c : !F_32_64_bf16, !S_64_64_bf16, !F_32_64_f32
  }
}

// -----

!F_32_64_bf16 = memref<32x64xbf16, #tile.space<fragment>>
!F_32_64_f32 = memref<32x64xf32, #tile.space<fragment>>
!S_32_64_bf16 = memref<32x64xbf16, #tile.space<shared>>
!S_64_64_bf16 = memref<64x64xbf16, #tile.space<shared>>

// Their results meet in a loop over elements.
// CHECK-LABEL: tile.kernel @one_loop
// CHECK-NOT: trans_c
// CHECK: tile.gemm {{.*}} [32, 64], {{.*}} inst <mma_sync> {{.*}}reason "M is 32, wgmma needs 64 or more"
// CHECK: tile.gemm {{.*}} [32, 64], {{.*}} inst <mma_sync> {{.*}}reason "M is 32, wgmma needs 64 or more"
tile.kernel @one_loop params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : !S_32_64_bf16
    %r = tile.alloc "r" : !F_32_64_bf16
    %b = tile.alloc "b" : !S_64_64_bf16
    %c = tile.alloc "c" : !F_32_64_f32
    %d = tile.alloc "d" : !F_32_64_f32
    tile.gemm %a[%c0, %c0] [32, 64], %b[%c0, %c0] [64, 64], %c : !S_32_64_bf16, !S_64_64_bf16, !F_32_64_f32
    tile.gemm %r[%c0, %c0] [32, 64], %b[%c0, %c0] [64, 64], %d : !F_32_64_bf16, !S_64_64_bf16, !F_32_64_f32
    tile.parallel [32, 64] {
    ^bb0(%i: i32, %j: i32):
    %x = tile.load %c[%i, %j] : !F_32_64_f32 -> f32
    tile.store %x to %d[%i, %j] : f32, !F_32_64_f32
    }
  }
}

// -----

!F_32_64_bf16 = memref<32x64xbf16, #tile.space<fragment>>
!F_32_64_f32 = memref<32x64xf32, #tile.space<fragment>>
!S_32_64_bf16 = memref<32x64xbf16, #tile.space<shared>>
!S_64_64_bf16 = memref<64x64xbf16, #tile.space<shared>>

// One is copied to the other.
// CHECK-LABEL: tile.kernel @one_copy
// CHECK-NOT: trans_c
// CHECK: tile.gemm {{.*}} [32, 64], {{.*}} inst <mma_sync> {{.*}}reason "M is 32, wgmma needs 64 or more"
// CHECK: tile.gemm {{.*}} [32, 64], {{.*}} inst <mma_sync> {{.*}}reason "M is 32, wgmma needs 64 or more"
tile.kernel @one_copy params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : !S_32_64_bf16
    %r = tile.alloc "r" : !F_32_64_bf16
    %b = tile.alloc "b" : !S_64_64_bf16
    %c = tile.alloc "c" : !F_32_64_f32
    %d = tile.alloc "d" : !F_32_64_f32
    tile.gemm %a[%c0, %c0] [32, 64], %b[%c0, %c0] [64, 64], %c : !S_32_64_bf16, !S_64_64_bf16, !F_32_64_f32
    tile.gemm %r[%c0, %c0] [32, 64], %b[%c0, %c0] [64, 64], %d : !F_32_64_bf16, !S_64_64_bf16, !F_32_64_f32
    tile.copy %c[%c0, %c0] [32, 64] to %d[%c0, %c0] [32, 64] : !F_32_64_f32, !F_32_64_f32
  }
}

// -----

!F_32_64_bf16 = memref<32x64xbf16, #tile.space<fragment>>
!F_32_64_f32 = memref<32x64xf32, #tile.space<fragment>>
!S_32_64_bf16 = memref<32x64xbf16, #tile.space<shared>>
!S_64_64_bf16 = memref<64x64xbf16, #tile.space<shared>>

// Results that never meet: each product has the form that suits it.
// CHECK-LABEL: tile.kernel @apart
// CHECK: tile.gemm {{.*}} trans_c inst <wgmma_ss>
// CHECK: tile.gemm {{.*}} [32, 64], {{.*}} inst <mma_sync>
tile.kernel @apart params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %a = tile.alloc "a" : !S_32_64_bf16
    %r = tile.alloc "r" : !F_32_64_bf16
    %b = tile.alloc "b" : !S_64_64_bf16
    %c = tile.alloc "c" : !F_32_64_f32
    %d = tile.alloc "d" : !F_32_64_f32
    tile.gemm %a[%c0, %c0] [32, 64], %b[%c0, %c0] [64, 64], %c : !S_32_64_bf16, !S_64_64_bf16, !F_32_64_f32
    tile.gemm %r[%c0, %c0] [32, 64], %b[%c0, %c0] [64, 64], %d : !F_32_64_bf16, !S_64_64_bf16, !F_32_64_f32
  }
}
