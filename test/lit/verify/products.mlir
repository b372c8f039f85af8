// Products are committed and waited for before their slots are handed back or
// their registers used; registers are fenced after their last write.

// One group may still run.
// RUN: sed -e 's/wgmma_wait 0/wgmma_wait 1/' %S/Inputs/gemm.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WAIT1
// WAIT1: error: the slot of 'A_s', 'B_s' is handed back to the loader while the product at line {{[0-9]+}} may still read it: a wgmma_wait that covers the product is missing before the arrive

// No wait.
// RUN: sed -e '/\/\/ mma wait/d' %S/Inputs/gemm.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NOWAIT
// NOWAIT: error: the slot of 'A_s', 'B_s' is handed back to the loader while the product

// The group is never closed.
// RUN: sed -e '/\/\/ mma commit/d' %S/Inputs/gemm.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NOCOMMIT
// NOCOMMIT: error: the slot of 'A_s', 'B_s' is handed back to the loader while the product

// Waited for after the arrive.
// RUN: sed -e '/\/\/ mma wait/{h;d}' -e '/\/\/ arrive/G' %S/Inputs/gemm.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LATE
// LATE: error: the slot of 'A_s', 'B_s' is handed back to the loader while the product

// The next turn stores the accumulators.
// RUN: sed -e 's/wgmma_wait 0/wgmma_wait 1/' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REGISTERS
// REGISTERS: error: the copy uses 'h' while a product may still be using its registers: a wgmma_wait that covers the product is missing before it
// REGISTERS: note: the product is issued here
// REGISTERS-NOT: error:

// Accumulators written by threads.
// RUN: sed -e '/\/\/ mma fence/d' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FENCE
// FENCE: error: the product uses the registers of 'h' before they are settled: a wgmma fence is missing between their last write and the product

// The first product of the loop.
// RUN: sed -e '/\/\/ mma fence/d' %S/Inputs/gemm.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FIRST
// FIRST: error: the product uses the registers of 'C_l' before they are settled

// Waited for after the branch, before anything needs it.
// RUN: sed -e '/\/\/ mma wait/d' -e '/\/\/ m arrive/{s/^/sm.wgmma_wait 0\n/}' %S/Inputs/state-kv.mlir \
// RUN:   | tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=END --allow-empty
// END-NOT: {{error:|not proved}}

// More warps than there are.
// RUN: sed -e '/\/\/ product/s/warps 4 x 1/warps 4 x 2/' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WARPS
// WARPS: error: the product is for 8 warps, role 'consumer' has 4
