// A slot that threads read is refilled through the async proxy: only a proxy fence
// orders the two, in the readers before their arrive or in the loader after its
// wait. Data that threads write for an asynchronous reader is fenced by the
// writers, then synchronised.

// No fence.
// RUN: sed -e '/\/\/ h fence/d' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=DROP
// DROP: error: the slot of 'h_shared' is handed back to the loader before the copy
// DROP-SAME: at line {{[0-9]+}} is ordered: a proxy fence is missing between the copy and the arrive{{$}}
// DROP: note: the slot is used here
// DROP: note: and refilled here through the async proxy
// DROP-NOT: error:

// The fence after the arrive.
// RUN: sed -e '/\/\/ h fence/{h;d}' -e '/\/\/ h arrive/G' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LATE
// LATE: error: the slot of 'h_shared' is handed back to the loader before the copy
// LATE-SAME: a proxy fence is missing between the copy and the arrive

// A barrier of threads in its place.
// RUN: sed -e 's/sm.fence_proxy_async  \/\/ h fence/sm.bar_sync 1 threads 128/' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BAR
// BAR: error: the slot of 'h_shared' is handed back to the loader before the copy
// BAR-SAME: a proxy fence is missing between the copy and the arrive; a barrier of threads does not order proxies

// membar.cta in its place: it fails on hardware.
// RUN: sed -e 's/sm.fence_proxy_async  \/\/ h fence/sm.membar/' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MEMBAR
// MEMBAR: error: the slot of 'h_shared' is handed back to the loader before the copy
// MEMBAR-SAME: a proxy fence is missing between the copy and the arrive; membar.cta does not order proxies

// The same where one thread of the role refills the slots.
// RUN: sed -e '/\/\/ h fence/d' %S/Inputs/state-one-role.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ONE
// ONE: error: the slot of 'h_shared' is handed back to the loader before the copy
// ONE-SAME: a proxy fence is missing between the copy and the arrive

// mma.sync reads m through the generic proxy too.
// RUN: sed -e '/\/\/ m fence/d' %S/Inputs/state-vk.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=VKM
// VKM: error: the slot of 'm_shared' is handed back to the loader before the product
// VKM-SAME: a proxy fence is missing between the product and the arrive

// The fence in the loader, between its wait and the copy.
// RUN: sed -e '/\/\/ h fence/{h;d}' -e '/\/\/ h acquire/G' %S/Inputs/state-kv.mlir \
// RUN:   | tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=PRODUCER --allow-empty
// PRODUCER-NOT: {{error:|not proved}}

// In the loader, but before its wait.
// RUN: sed -e '/\/\/ h fence/d' -e 's/.*\/\/ h acquire/sm.fence_proxy_async\n&/' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=EARLY
// EARLY: error: the slot of 'h_shared' is handed back to the loader before the copy
// EARLY-SAME: a proxy fence is missing between the copy and the arrive

// In the loader, but after the copy.
// RUN: sed -e '/\/\/ h fence/{h;d}' -e '/\/\/ h load/G' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=AFTER
// AFTER: error: the slot of 'h_shared' is handed back to the loader before the copy
// AFTER-SAME: a proxy fence is missing between the copy and the arrive

// The release after another wait: exact on hardware, no order by the model.
// RUN: sed -e '/\/\/ h fence/d' -e '/\/\/ h arrive/{h;d}' -e '/\/\/ h advance/{H;d}' -e '/\/\/ m wait/G' %S/Inputs/state-kv.mlir \
// RUN:   | tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=DELAY --allow-empty
// DELAY: remark: not proved: the slot of 'h_shared' is handed back to the loader before
// DELAY-SAME: the arrive follows another wait of the same threads
// DELAY-NOT: error:

// A barrier is no such wait.
// RUN: sed -e '/\/\/ h fence/d' -e 's/.*\/\/ h arrive/sm.bar_sync 1 threads 128\n&/' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=DELAYBAR
// DELAYBAR: error: the slot of 'h_shared' is handed back to the loader before the copy

// wgmma reads what threads wrote.
// RUN: sed -e '/\/\/ hd fence/d' -e '/\/\/ h fence/{h;d}' -e '/\/\/ h acquire/G' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=HD
// HD: error: the product reads 'hd_shared' asynchronously before the writes to it are ordered: a proxy fence in the writing threads and then a barrier are missing between the writes and the product
// HD: note: written here

// The fence of h lies between as well and serves.
// RUN: sed -e '/\/\/ hd fence/d' %S/Inputs/state-kv.mlir \
// RUN:   | tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=HDOTHER --allow-empty
// HDOTHER-NOT: {{error:|not proved}}

// Fenced, but other threads may still be writing.
// RUN: sed -e '/\/\/ before product/d' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=HDBAR
// HDBAR: error: the product reads 'hd_shared' asynchronously before all threads have written it: a barrier is missing between the proxy fence and the product
