// Barriers are initialised once, in time, and count what arrives.

// One too few.
// RUN: sed -e '/\/\/ h empty/s/count 128/count 127/' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=C127
// C127: error: 'h_shared_empty' counts 127 arrivals a phase, but 128 arrive
// C127: note: role 'consumer' arrives here

// One for a role.
// RUN: sed -e '/\/\/ h empty/s/count 128/count 1/' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=C1
// C1: error: 'h_shared_empty' counts 1 arrivals a phase, but 128 arrive

// Threads for warps.
// RUN: sed -e '/\/\/ m empty/s/count 4/count 128/' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WARPS
// WARPS: error: 'm_shared_empty' counts 128 arrivals a phase, but 4 arrive

// One arrival too many.
// RUN: sed -e '/\/\/ m full/s/count 1/count 2/' -e 's/\(m_shared_full.*\)count 1/\1count 2/' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TWO
// TWO: error: 'm_shared_full' counts 2 arrivals a phase, but 1 arrive

// One thread arrives for all.
// RUN: sed -e 's/.*\/\/ h arrive/sm.elect {\n&\n}/' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ELECT
// ELECT: error: 'h_shared_empty' counts 128 arrivals a phase, but 1 arrive

// Never initialised.
// RUN: sed -e '/\/\/ init first/d' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=INIT
// INIT: error: 'h_shared_full' is used but never initialised

// Initialised twice.
// RUN: sed -e '/\/\/ init first/p' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TWICE
// TWICE: error: 'h_shared_full' is initialised twice

// Not visible to the copy unit.
// RUN: sed -e '/\/\/ init fence/d' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FENCE
// FENCE: error: the initialisation of 'h_shared_full' is not visible to the copy unit: a fence_mbarrier_init is missing after it

// Used before it is initialised.
// RUN: sed -e '/\/\/ block barrier/d' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BLOCK
// BLOCK: error: threads may use 'h_shared_full' before it is initialised: a barrier of all 192 threads is missing
