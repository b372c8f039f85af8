// The programs that the other files break are in order, and so are their thread
// programs.
// RUN: cat %S/Inputs/state-kv.mlir | tlc-opt -o /dev/null \
// RUN:   --pass-pipeline='builtin.module(tile.kernel(verify-sm,record-sm-order,convert-sm-to-threads,verify-thread-order))' 2>&1 \
// RUN:   | count 0
// RUN: cat %S/Inputs/state-vk.mlir | tlc-opt -o /dev/null \
// RUN:   --pass-pipeline='builtin.module(tile.kernel(verify-sm,record-sm-order,convert-sm-to-threads,verify-thread-order))' 2>&1 \
// RUN:   | count 0
// RUN: cat %S/Inputs/state-one-role.mlir | tlc-opt -o /dev/null \
// RUN:   --pass-pipeline='builtin.module(tile.kernel(verify-sm,record-sm-order,convert-sm-to-threads,verify-thread-order))' 2>&1 \
// RUN:   | count 0
// RUN: cat %S/Inputs/gemm.mlir | tlc-opt -o /dev/null \
// RUN:   --pass-pipeline='builtin.module(tile.kernel(verify-sm,record-sm-order,convert-sm-to-threads,verify-thread-order))' 2>&1 \
// RUN:   | count 0
// RUN: cat %S/Inputs/gemm-in-flight.mlir | tlc-opt -o /dev/null \
// RUN:   --pass-pipeline='builtin.module(tile.kernel(verify-sm))' 2>&1 \
// RUN:   | count 0
