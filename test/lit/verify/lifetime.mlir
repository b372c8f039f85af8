// Tiles and barriers lie in shared memory and apart from each other; every load is
// waited for before the block ends.

// Two tiles.
// RUN: sed -e '/\/\/ hd tile/s/81920/65536/' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TILES
// TILES: error: 'h_shared' shares bytes with 'hd_shared' while both are in use
// TILES: note: 'hd_shared' lies here

// A tile and a barrier.
// RUN: sed -e '/\/\/ hd tile/s/81920/81936/' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BARRIER
// BARRIER: error: 'h_shared_full' shares bytes with 'hd_shared' while both are in use

// A slot smaller than its tile.
// RUN: sed -e '/ = sm.shared "h_shared"/s/slot_bytes 8192/slot_bytes 4096/' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SLOT
// SLOT: error: a slot of 'h_shared' has 4096 bytes, its tile 8192

// Beyond the end.
// RUN: sed -e 's/shared 90176 {/shared 90168 {/' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=END
// END: error: 'm_shared_empty' ends at byte 90176, the block has only 90168

// More than there is.
// RUN: sed -e 's/shared 90176 {/shared 300000 {/' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BIG
// BIG: error: the block needs 300000 bytes of shared memory, sm_90a has 232448

// The last loads are not waited for.
// RUN: sed -e '/role "consumer"/,/role "producer"/{s/.*scf.for/%%last = arith.subi %%n, %%c1 : i32\n&/; s/to %%n step/to %%last step/}' %S/Inputs/state-kv.mlir \
// RUN:   | not tlc-opt --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LAST
// LAST: error: the block may end before this copy has landed: of the {{[0-9]+}} loads on stage {{[01]}} of 'h_shared_full' only {{[0-9]+}} are waited for
