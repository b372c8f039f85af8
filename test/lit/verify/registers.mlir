// Register reallocation within the budget, by whole warpgroups, in the direction that
// the count asks for.

// Within the budget.
// RUN: sed -e 's/sm.role "consumer".*/&\nsm.setmaxnreg 224 increase/' %S/Inputs/gemm.mlir \
// RUN:   | tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FITS --allow-empty
// FITS-NOT: {{error:|not proved}}

// Over the budget: two warpgroups at 240 and a third at its launch value.
// RUN: sed -e 's/threads 288 program/threads 384 program/' -e 's/bar_sync 0 threads 288/bar_sync 0 threads 384/' -e 's/sm.role "consumer".*/&\nsm.setmaxnreg 240 increase/' %S/Inputs/gemm.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OVER
// OVER: error: the roles ask for 82944 registers in all, the block has 65536: an increase would wait for ever

// A part of a warpgroup.
// RUN: sed -e 's/sm.role "producer".*/&\nsm.setmaxnreg 24/' %S/Inputs/gemm.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=PART
// PART: error: role 'producer' has warps 8 to 8: registers are reallocated by whole warpgroups

// An increase that decreases.
// RUN: sed -e 's/sm.role "consumer".*/&\nsm.setmaxnreg 24 increase/' %S/Inputs/gemm.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=DOWN
// DOWN: error: a change from 224 to 24 registers a thread is no increase

// In a loop.
// RUN: sed -e 's/.*\/\/ wait$/sm.setmaxnreg 240 increase\n&/' %S/Inputs/gemm.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LOOP
// LOOP: error: registers are reallocated under a condition or by a part of the role
