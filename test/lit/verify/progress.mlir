// Roles make progress for every trip count: each deadlock names what is waited for
// and what is missing.

// The loader stops early.
// RUN: sed -e '/role "load_h_shared"/,/role "load_m_shared"/s/to %%n step/to %%c1 step/' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SHORT
// SHORT: error: the roles wait for each other for ever
// SHORT: note: role 'consumer' waits for phase 1 of stage 1 of 'h_shared_full', of which 0 are complete and the next lacks 1 arrivals

// The loader never loads.
// RUN: sed -e '/sm.role "load_m_shared"/,$s/to %%n step/to %%c0 step/' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NONE
// NONE: error: the roles wait for each other for ever

// The reader never reads.
// RUN: sed -e '/role "consumer"/,/role "producer"/s/to %%n step/to %%c0 step/' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LONG
// LONG: error: the roles wait for each other for ever
// LONG: note: role 'load_h_shared' waits for phase 1 of stage 0 of 'h_shared_empty', of which 0 are complete and the next lacks 128 arrivals

// One role fills more slots than there are before it uses one.
// RUN: sed -e 's/arith.constant 2 : i32/arith.constant 3 : i32/' %S/Inputs/state-one-role.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=AHEAD
// AHEAD: error: the roles wait for each other for ever

// Two roles meet once.
// RUN: sed -e '/role "load_m_shared"/s/$/\nsm.bar_sync 2 threads 160/' -e '/role "consumer"/s/$/\nsm.bar_sync 2 threads 160/' %S/Inputs/state-kv.mlir \
// RUN:   | tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MEET --allow-empty
// MEET-NOT: {{error:|not proved}}

// One role comes in each turn, the other once.
// RUN: sed -e '/role "load_m_shared"/s/$/\nsm.bar_sync 2 threads 160/' -e '/\/\/ h wait/s/$/\nsm.bar_sync 2 threads 160/' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MISS
// MISS: error: the roles wait for each other for ever
// MISS: note: role 'consumer' waits here at a barrier for other threads
