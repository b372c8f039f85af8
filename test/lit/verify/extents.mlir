// V12: extents of products fit together and lie inside of their tiles.
// RUN: cat %S/Inputs/gemm.mlir \
// RUN:   | tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OK --allow-empty
// OK-NOT: {{error:|not proved}}

// More of K in A than in B.
// RUN: sed -e '/\/\/ product/s/\[64, 128\]/[32, 128]/' %S/Inputs/gemm.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=K
// K: error: the extents of the product do not fit together: 128 x 64 times 32 x 128 into 128 x 128

// Half of the rows of C.
// RUN: sed -e '/\/\/ product/s/\[128, 64\]/[64, 64]/' %S/Inputs/gemm.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=M
// M: error: the extents of the product do not fit together: 64 x 64 times 64 x 128 into 128 x 128

// Transposed, where it is not.
// RUN: sed -e '/\/\/ product/s/\[128, 64\],/[128, 64] trans_a,/' %S/Inputs/gemm.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TRANS
// TRANS: error: the extents of the product do not fit together: 64 x 128 times 64 x 128 into 128 x 128

// Beyond the end of the tile.
// RUN: sed -e '/\/\/ product/s/%a\[%c0, %c0\]/%a[%c1_i32_0, %c0]/' %S/Inputs/gemm.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=END
// END: error: the product reads elements 1 to 128 along dimension 0 of 'A_s', which has 128

// Larger than the tile in both operands.
// RUN: sed -e '/\/\/ product/{s/\[128, 64\]/[128, 80]/;s/\[64, 128\]/[80, 128]/}' %S/Inputs/gemm.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SIZE
// SIZE: error: the product reads elements 0 to 79 along dimension 1 of 'A_s', which has 64

// An offset that an input gives.
// RUN: sed -e '/\/\/ product/s/%a\[%c0, %c0\] \[128, 64\], %b\[%c0, %c0\] \[64, 128\]/%a[%c0, %arg8] [128, 32], %b[%c0, %c0] [32, 128]/' %S/Inputs/gemm.mlir \
// RUN:   | tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: remark: not proved: where the product reads along dimension 1 of 'A_s' is not known

// A loop over the halves of K stays inside.
// RUN: sed -e '/\/\/ product/s/.*/scf.for %h = %c0 to %c64_i32 step %c32 : i32 { sm.wgmma %a[%c0, %h] [128, 32], %b[%h, %c0] [32, 128], %acc warps 4 x 2 : !As, !Bs, !acc\n }/' \
// RUN:   -e 's/%c64_i32 = arith.constant 64 : i32/&\n%c32 = arith.constant 32 : i32/' %S/Inputs/gemm.mlir \
// RUN:   | tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=HALVES --allow-empty
// HALVES-NOT: {{error:|not proved}}

// One more turn does not.
// RUN: sed -e '/\/\/ product/s/.*/scf.for %h = %c0 to %c65 step %c32 : i32 { sm.wgmma %a[%c0, %h] [128, 32], %b[%h, %c0] [32, 128], %acc warps 4 x 2 : !As, !Bs, !acc\n }/' \
// RUN:   -e 's/%c64_i32 = arith.constant 64 : i32/&\n%c32 = arith.constant 32 : i32\n%c65 = arith.constant 65 : i32/' %S/Inputs/gemm.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TURN
// TURN: error: the product reads elements 0 to 95 along dimension 1 of 'A_s', which has 64

// Warps that do not divide it.
// RUN: sed -e '/\/\/ product/s/warps 4 x 2/warps 16 x 1/' %S/Inputs/gemm.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WARPS
// WARPS: error: a product of 128 x 128 cannot be divided among 16 x 1 warps
