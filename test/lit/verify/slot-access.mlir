// A slot is touched between the wait that gives it to a role and the arrive that
// hands it back.

// Read without a wait.
// RUN: sed -e '/\/\/ h wait/d' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NOWAIT
// NOWAIT: error: the copy uses a slot of 'h_shared' that role 'consumer' does not hold: it must lie between the wait on 'h_shared_full' and the arrive that hands the slot back
// NOWAIT-NOT: error:

// Read before the wait.
// RUN: sed -e '/\/\/ h wait/{h;d}' -e '/\/\/ h read/G' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BEFORE
// BEFORE: error: the copy uses a slot of 'h_shared' that role 'consumer' does not hold

// Read after the arrive.
// RUN: sed -e '/\/\/ h read/{h;d}' -e '/\/\/ h arrive/G' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=AFTER
// AFTER: error: the copy uses a slot of 'h_shared' that role 'consumer' does not hold

// Handed back before the product is issued.
// RUN: sed -e '/\/\/ m arrive/d' -e 's/.*\/\/ mma fence/&\nsm.mbarrier_arrive %%m_empty[%%ms] per_warp/' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=PRODUCT
// PRODUCT: error: the product uses a slot of 'm_shared' that role 'consumer' does not hold

// The releases of two rings exchanged.
// RUN: sed -e '/\/\/ h arrive/s/h_empty/m_empty/' -e '/\/\/ m arrive/s/m_empty/h_empty/' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SWAPPED
// SWAPPED: error: a slot of 'm_shared' is handed back to the loader that role 'consumer' does not hold here: no wait on 'm_shared_full' for the same slot comes before on every path
// SWAPPED: error: a slot of 'h_shared' is handed back

// m handed back where h is.
// RUN: sed -e '/\/\/ m arrive/{h;d}' -e '/\/\/ h arrive/{p;s/h_empty/m_empty/}' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MERGED
// MERGED: error: a slot of 'm_shared' is handed back

// Refilled without waiting for the readers.
// RUN: sed -e '/\/\/ h acquire/d' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ACQUIRE
// ACQUIRE: error: bytes are expected for a slot of 'h_shared' that is not free yet
// ACQUIRE-NOT: error:

// A copy that completes on another slot's barrier.
// RUN: sed -e '/\/\/ B load/s/full\[%%s\]/full[%%c64_i32]/' %S/Inputs/gemm.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OTHER
// OTHER: error: this copy fills one slot of 'B_s' and completes on the barrier of another

// One thread waits for all.
// RUN: sed -e 's/.*\/\/ h wait/sm.elect {\n&\n}/' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ALONE
// ALONE: error: the copy uses a slot of 'h_shared' for which one thread alone has waited: all must wait, or meet it at a barrier first

// ... and meets them.
// RUN: sed -e 's/.*\/\/ h wait/sm.elect {\n&\n}\nsm.bar_sync 1 threads 128/' %S/Inputs/state-kv.mlir \
// RUN:   | tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MET --allow-empty
// MET-NOT: {{error:|not proved}}

// One thread hands back for all.
// RUN: sed -e '/\/\/ h empty/s/count 128/count 1/' -e 's/.*\/\/ h arrive/sm.elect {\n&\n}/' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BACK
// BACK: error: one thread hands the slot of 'h_shared' back while others may still be using it: a barrier is missing between the copy and the arrive

// ... after it has met them.
// RUN: sed -e '/\/\/ h empty/s/count 128/count 1/' -e 's/.*\/\/ h arrive/sm.bar_sync 1 threads 128\nsm.elect {\n&\n}/' %S/Inputs/state-kv.mlir \
// RUN:   | tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=METBACK --allow-empty
// METBACK-NOT: {{error:|not proved}}
