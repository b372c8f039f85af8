// Stage and parity belong to one count; only the loader begins with the inverted
// parity; no phase is confused with the one two turns later.

// The loader waits for slots that start free.
// RUN: sed -e '/\/\/ h acquire/s/ invert//' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LOADER
// LOADER: error: the first wait of the loader on 'h_shared_empty' never passes, since the slots of 'h_shared' start free: its parity must be inverted

// The reader does not wait.
// RUN: sed -e '/\/\/ h wait/s/  \/\// invert&/' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=READER
// READER: error: the wait on 'h_shared_full' passes before anything is loaded: its parity must not be inverted

// Parity of another ring.
// RUN: sed -e '/\/\/ m wait/s/parity %%mp/parity %%hp/' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MIXED
// MIXED: error: stage and parity of this wait on 'm_shared_full' are not of the same count

// A counter of another depth.
// RUN: sed -e '/"h_shared_uses"/s/depth 2/depth 1/' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=DEPTH
// DEPTH: error: 'h_shared_full' has 2 stages, but its counter runs over 1

// Fewer slots than stages.
// RUN: sed -e '/ = sm.shared "h_shared"/s/stages 2/stages 1/' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SLOTS
// SLOTS: error: 'h_shared' has 1 slots, but 'h_shared_full' has 2 stages

// The reader does not count.
// RUN: sed -e '/\/\/ h advance/d' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=READERSTAYS
// READERSTAYS: error: this wait passes before the phase it is for is complete: wait number 2 of role 'consumer' on stage 0 of 'h_shared_full'

// The loader does not count.
// RUN: sed -e '/\/\/ h filled/d' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LOADERSTAYS
// LOADERSTAYS: error: this wait passes before the phase it is for is complete: wait number 2 of role 'load_h_shared' on stage 0 of 'h_shared_empty'

// A counter that starts again in each turn.
// RUN: sed -e '/role "load_h_shared"/,/role "load_m_shared"/{/"h_shared_fills"/{h;d}; /scf.for/G}' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=RESTART
// RESTART: error: this wait passes before the phase it is for is complete: wait number 2 of role 'load_h_shared' on stage 0 of 'h_shared_empty'

// Counted by one thread here and by all there.
// RUN: sed -e '/sm.counter_advance %%h_fills/{s/.*/}\n&\nsm.elect {/}' %S/Inputs/state-one-role.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SHARED
// SHARED: error: counter 'h_shared_fills' is used by one thread in one place and by all in another: their counts differ

// An outer loop: the counts go on.
// RUN: sed -e 's/.*scf.for %%i = %%c0 to %%n.*/scf.for %%o = %%c0 to %%bx step %%c1 : i32 {\n&/' -e '/\/\/ m advance/,/}/s/}/}\n}/' -e '/\/\/ h filled/,/}/s/}/}\n}/' -e '/\/\/ m filled/,/}/s/}/}\n}/' %S/Inputs/state-kv.mlir \
// RUN:   | tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NESTED --allow-empty
// NESTED-NOT: {{error:|not proved}}

// A count that starts again in each turn of an outer loop.
// RUN: sed -e 's/.*scf.for %%i = %%c0 to %%n.*/scf.for %%o = %%c0 to %%bx step %%c1 : i32 {\n&/' -e '/\/\/ m advance/,/}/s/}/}\n}/' -e '/\/\/ h filled/,/}/s/}/}\n}/' -e '/\/\/ m filled/,/}/s/}/}\n}/' -e '/role "load_h_shared"/,/role "load_m_shared"/{/"h_shared_fills"/{h;d}; s/scf.for %%i/%%fills = sm.counter "h_shared_fills" depth 2\n&/}' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OUTER
// OUTER: error: the roles wait for each other for ever

// The stage follows a loop that begins at one instead of the count.
// RUN: sed -e '/"A_s_B_s_uses"/,/advance/{s/%%s = sm.counter_stage %%uses/%%c3 = arith.constant 3 : i32\n%%s = arith.remsi %%arg8, %%c3 : i32/;s/scf.for %%arg8 = %%c0 to %%turns/%%more = arith.addi %%turns, %%c1_i32 : i32\nscf.for %%arg8 = %%c1_i32 to %%more/}' %S/Inputs/gemm.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BEGIN
// BEGIN: error: stage and parity of this wait on 'A_s_B_s_full' are not of the same count

// The loop begins at one, the count does not.
// RUN: sed -e '/"A_s_B_s_uses"/,/advance/{s/scf.for %%arg8 = %%c0 to %%turns/%%more = arith.addi %%turns, %%c1_i32 : i32\nscf.for %%arg8 = %%c1_i32 to %%more/}' %S/Inputs/gemm.mlir \
// RUN:   | tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=COUNTED --allow-empty
// COUNTED-NOT: {{error:|not proved}}
