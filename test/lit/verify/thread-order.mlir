// The thread program runs the ordering actions of the sm program.

// An action lost.
// RUN: tlc-opt %S/Inputs/state-kv.mlir --pass-pipeline='builtin.module(tile.kernel(record-sm-order,convert-sm-to-threads))' \
// RUN:   | sed -e '0,/^ *sm.fence_proxy_async/{/^ *sm.fence_proxy_async/d}' \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-thread-order))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LOST
// LOST: error: the thread program has '}' where the sm program has 'sm.fence_proxy_async'

// A wait that moved behind the arrive.
// RUN: tlc-opt %S/Inputs/gemm.mlir --pass-pipeline='builtin.module(tile.kernel(record-sm-order,convert-sm-to-threads))' \
// RUN:   | sed -e '/sm.wgmma_wait 0/{h;d}' -e '/sm.mbar_arrive/G' \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-thread-order))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MOVED
// MOVED: error: the thread program has 'arrive of warps barrier at 98328' where the sm program has 'wgmma wait 0'

// An action too many.
// RUN: tlc-opt %S/Inputs/state-kv.mlir --pass-pipeline='builtin.module(tile.kernel(record-sm-order,convert-sm-to-threads))' \
// RUN:   | sed -e 's/\(.*sm.mbar_wait .*\)/sm.fence_proxy_async\n\1/' \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-thread-order))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=EXTRA
// EXTRA: error: the thread program has 'sm.fence_proxy_async' where the sm program has 'wait barrier at 90112'

// Another count and other bytes.
// RUN: tlc-opt %S/Inputs/gemm.mlir --pass-pipeline='builtin.module(tile.kernel(record-sm-order,convert-sm-to-threads))' \
// RUN:   | sed -e 's/^\( *sm.mbar_init.*\)count 8/\1count 7/' \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-thread-order))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=COUNT
// COUNT: error: the thread program has 'init barrier at 98328 count 7' where the sm program has 'init barrier at 98328 count 8'
// RUN: tlc-opt %S/Inputs/gemm.mlir --pass-pipeline='builtin.module(tile.kernel(record-sm-order,convert-sm-to-threads))' \
// RUN:   | sed -e 's/^\( *sm.mbar_expect.*\)bytes 32768/\1bytes 16384/' \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-thread-order))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BYTES
// BYTES: error: the thread program has 'expect 16384 barrier at 98304' where the sm program has 'expect 32768 barrier at 98304'

// Nothing to compare with.
// RUN: tlc-opt %S/Inputs/gemm.mlir --pass-pipeline='builtin.module(tile.kernel(convert-sm-to-threads,verify-thread-order))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NONE
// NONE: remark: not proved: the order of the sm program was not recorded
