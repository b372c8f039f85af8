// Named barriers: ids, participants, convergence.

// The block's barrier in a role.
// RUN: sed -e '/\/\/ before product/s/bar_sync 1/bar_sync 0/' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ZERO
// ZERO: error: role 'consumer' uses barrier 0, which belongs to the whole block

// Fewer threads than the role has.
// RUN: sed -e '/\/\/ before product/s/threads 128/threads 64/' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FEW
// FEW: error: role 'consumer' has 128 threads, but this barrier waits for 64

// More threads than the role has.
// RUN: sed -e '/\/\/ before product/s/threads 128/threads 160/' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MANY
// MANY: error: role 'consumer' has 128 threads, but this barrier waits for 160

// By one thread.
// RUN: sed -e 's/.*\/\/ before product/sm.elect {\n&\n}/' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ELECT
// ELECT: error: a barrier of 128 threads is executed by one thread

// By some threads.
// RUN: sed -e 's/.*\/\/ before product/%%t = tile.thread_id <x>\n%%q = arith.cmpi slt, %%t, %%c1 : i32\nscf.if %%q {\n&\n}/' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=THREAD
// THREAD: error: under a condition that depends on the thread, not all threads reach this barrier
// THREAD: note: the condition is here

// An arrive of some threads.
// RUN: sed -e 's/.*\/\/ h arrive/%%t = tile.thread_id <x>\n%%q = arith.cmpi slt, %%t, %%c1 : i32\nscf.if %%q {\n&\n}/' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ARRIVE
// ARRIVE: error: under a condition that depends on the thread, not all threads reach this arrive

// Another role's barrier.
// RUN: sed -e '/role "load_m_shared"/s/$/\nsm.bar_sync 1 threads 32/' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ROLES
// ROLES: error: barrier 1 is used by several roles with 160 threads in all, but waits for 128

// A barrier of the block for a part of it.
// RUN: sed -e '/\/\/ block barrier/s/192/128/' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BLOCK
// BLOCK: error: this barrier of the block is for 128 threads, the block has 192

// A warp in two roles.
// RUN: sed -e '/role "producer"/s/4, 2/3, 3/' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OVERLAP
// OVERLAP: error: roles 'consumer' and 'producer' have warps in common

// A warp that its parent does not have.
// RUN: sed -e '/role "load_m_shared"/s/5, 1/6, 1/' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OUTSIDE
// OUTSIDE: error: role 'load_m_shared' has warps 6 to 6, there are 4 to 5
