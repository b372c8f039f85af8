// The bytes that an arrive expects are those that the copies bring, and they are
// expected before the copies are issued.

// Fewer.
// RUN: sed -e '/\/\/ h expect/s/8192/4096/' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LESS
// LESS: error: the full barrier of 'h_shared' expects 4096 bytes a slot, but the copies into the slot bring 8192

// More.
// RUN: sed -e '/\/\/ h expect/s/8192/16384/' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MORE
// MORE: error: the full barrier of 'h_shared' expects 16384 bytes a slot, but the copies into the slot bring 8192

// One copy of two.
// RUN: sed -e '/\/\/ B load/d' %S/Inputs/gemm.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ONE
// ONE: error: the full barrier of 'A_s' expects 32768 bytes a slot, but the copies into the slot bring 16384

// Not expected at all.
// RUN: sed -e '/\/\/ h expect/d' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NONE
// NONE: error: this copy into 'h_shared' is issued before its bytes are expected: an arrive that expects them is missing before it

// Expected after the copy.
// RUN: sed -e '/\/\/ h expect/{h;d}' -e '/\/\/ h load/G' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=AFTER
// AFTER: error: this copy into 'h_shared' is issued before its bytes are expected

// The same bytes on both sides of a branch.
// RUN: sed -e 's/.*\/\/ B load/%%q = arith.cmpi slt, %%arg8, %%turns : i32\nscf.if %%q {\n&\n} else {\nsm.tma_load %%A[%%8, %%10] [128, 64] to %%a completes %%full[%%s] : !A, !As\n}/' %S/Inputs/gemm.mlir \
// RUN:   | tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BRANCH --allow-empty
// BRANCH-NOT: {{error:|not proved}}

// A copy that some turns leave out.
// RUN: sed -e 's/.*\/\/ B load/%%q = arith.cmpi eq, %%arg8, %%turns : i32\nscf.if %%q {\n&\n}/' %S/Inputs/gemm.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SKIP
// SKIP: error: 'A_s_B_s_full' expects 32768 bytes in a phase, but 16384 are copied

// Two tiles on one barrier, the bytes of one.
// RUN: sed -e '/\/\/ expect/s/32768/16384/' %S/Inputs/gemm.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MERGED
// MERGED: error: the full barrier of 'A_s', 'B_s' expects 16384 bytes a slot, but the copies into the slot bring 32768
