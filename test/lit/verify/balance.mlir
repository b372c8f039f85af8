// Each slot that is waited for is handed back once on every path, in every turn, by
// every role under the same guards.

// Never handed back.
// RUN: sed -e '/\/\/ h arrive/d' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NOARRIVE
// NOARRIVE: error: the slot of 'h_shared' is not handed back once in each turn of the loop
// NOARRIVE: note: the wait for the slot is here

// Handed back under the guard only.
// RUN: sed -e '/\/\/ m arrive/d' -e 's/.*\/\/ mma wait/&\nsm.mbarrier_arrive %%m_empty[%%ms] per_warp/' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BRANCH
// BRANCH: error: the slot of 'm_shared' is held after one branch and not after the other: wait and arrive must run on the same paths

// Waited for under the guard only.
// RUN: sed -e '/\/\/ m wait/{h;d}' -e '/\/\/ gemm if/G' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WAITIF
// WAITIF: error: the slot of 'm_shared' is held after one branch and not after the other

// Both under a guard that the loader does not have.
// RUN: sed -e '/\/\/ m wait/{h;d}' -e '/\/\/ gemm if/G' -e '/\/\/ m arrive/d' -e '/\/\/ m advance/d' -e 's/.*\/\/ mma wait/&\nsm.mbarrier_arrive %%m_empty[%%ms] per_warp\nsm.counter_advance %%m_uses/' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BOTHIF
// BOTHIF: error: the roles wait for each other for ever

// A guard that only the loader has.
// RUN: sed -e 's/.*\/\/ h acquire/%%f = tile.load %%mask[%%i] : !mask -> i1\nscf.if %%f {\n&/' -e 's/.*\/\/ h filled/&\n}/' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LOADERIF
// LOADERIF: error: the roles wait for each other for ever

// Handed back twice.
// RUN: sed -e '/\/\/ h arrive/p' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TWICE
// TWICE: error: a slot of 'h_shared' is handed back to the loader that role 'consumer' does not hold here

// The same guard in both roles.
// RUN: sed -e '/\/\/ m wait/{h;d}' -e '/\/\/ gemm if/G' -e '/\/\/ m arrive/d' -e '/\/\/ m advance/d' -e 's/.*\/\/ mma wait/&\nsm.mbarrier_arrive %%m_empty[%%ms] per_warp\nsm.counter_advance %%m_uses/' -e 's/.*\/\/ m acquire/%%f = tile.load %%mask[%%i] : !mask -> i1\nscf.if %%f {\n&/' -e 's/.*\/\/ m filled/&\n}/' %S/Inputs/state-kv.mlir \
// RUN:   | tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=GUARDS --allow-empty
// GUARDS-NOT: {{error:|not proved}}

// Another element of the same mask.
// RUN: sed -e '/\/\/ m wait/{h;d}' -e '/\/\/ gemm if/G' -e '/\/\/ m arrive/d' -e '/\/\/ m advance/d' -e 's/.*\/\/ mma wait/&\nsm.mbarrier_arrive %%m_empty[%%ms] per_warp\nsm.counter_advance %%m_uses/' -e 's/.*\/\/ m acquire/%%f = tile.load %%mask[%%c1] : !mask -> i1\nscf.if %%f {\n&/' -e 's/.*\/\/ m filled/&\n}/' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OTHERGUARD
// OTHERGUARD: error: the block may end before this copy has landed
