// A product that is still in flight keeps its slot: the slot of a turn is handed
// back in the next turn, after the wait that covers its product.

// The slot of this turn.
// RUN: sed -e '/  \/\/ arrive/s/previous/s/' %S/Inputs/gemm-in-flight.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OWN
// OWN: error: the slot of 'A_s', 'B_s' is handed back to the loader while the product at line {{[0-9]+}} may still read it

// Two products in flight, one slot kept.
// RUN: sed -e '/  \/\/ mma wait/s/1/2/' %S/Inputs/gemm-in-flight.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TWO
// TWO: error: the slot of 'A_s', 'B_s' is handed back to the loader while the product at line {{[0-9]+}} may still read it

// The last product is not waited for.
// RUN: sed -e '/  \/\/ last wait/d' %S/Inputs/gemm-in-flight.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LAST
// LAST: error: the slot of 'A_s', 'B_s' is handed back to the loader while the product at line {{[0-9]+}} may still read it

// The last slot is kept.
// RUN: sed -e '/  \/\/ last arrive/d' %S/Inputs/gemm-in-flight.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=KEPT
// KEPT: error: the slot of 'A_s', 'B_s' is held after one branch and not after the other

// Waited for after the arrive.
// RUN: sed -e '/  \/\/ mma wait/{h;d}' -e '/  \/\/ arrive/G' %S/Inputs/gemm-in-flight.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LATE
// LATE: error: the slot of 'A_s', 'B_s' is handed back to the loader while the product
