// RUN: tlc-opt %s --split-input-file --verify-diagnostics \
// RUN:   --pass-pipeline='builtin.module(tile.kernel(verify-sm))' -o /dev/null

// A tensor store reads its tile asynchronously on behalf of one thread: the
// writers fence, all synchronise, one thread stores and waits, all synchronise
// again before the tile is overwritten.

!acc = memref<64x64xf32, #tile.space<fragment>>
!out = memref<64x64xf32, #tile.space<shared>>
!C = memref<?x64xf32, #tile.space<global>>
tile.kernel @ordered params ["C"] shapes [affine_map<()[n] -> (n, 64)>]
    symbols ["n"] {
^bb0(%C: !C, %n: i32):
  %one = arith.constant 1 : i32
  sm.launch grid(%one) threads 128 program [128, 1, 1] shared 16384 {
  ^bb0(%bx: i32):
    %out = sm.shared "out" offset 0 stages 1 slot_bytes 16384 : !out
    sm.role "block" warps [0, 4] {
      %c0 = arith.constant 0 : i32
      %acc = tile.alloc "acc" : !acc
      %c64 = arith.constant 64 : i32
      scf.for %i = %c0 to %n step %one : i32 {
        %row = arith.muli %i, %c64 : i32
        sm.bar_sync 0 threads 128
        tile.copy %acc[%c0, %c0] [64, 64] to %out[%c0, %c0] [64, 64] : !acc, !out
        sm.fence_proxy_async
        sm.bar_sync 0 threads 128
        sm.elect {
          sm.tma_store %out to %C[%row, %c0] [64, 64] : !out, !C
          sm.bulk_commit
          sm.bulk_wait 0 read
        }
      }
    }
  }
}

// -----

!acc = memref<64x64xf32, #tile.space<fragment>>
!out = memref<64x64xf32, #tile.space<shared>>
!C = memref<?x64xf32, #tile.space<global>>
tile.kernel @unfenced params ["C"] shapes [affine_map<()[n] -> (n, 64)>]
    symbols ["n"] {
^bb0(%C: !C, %n: i32):
  %one = arith.constant 1 : i32
  sm.launch grid(%one) threads 128 program [128, 1, 1] shared 16384 {
  ^bb0(%bx: i32):
    %out = sm.shared "out" offset 0 stages 1 slot_bytes 16384 : !out
    sm.role "block" warps [0, 4] {
      %c0 = arith.constant 0 : i32
      %acc = tile.alloc "acc" : !acc
      // expected-note @below {{written here}}
      tile.copy %acc[%c0, %c0] [64, 64] to %out[%c0, %c0] [64, 64] : !acc, !out
      sm.bar_sync 0 threads 128
      sm.elect {
        // expected-error @below {{the tensor store reads 'out' asynchronously before the writes to it are ordered: a proxy fence in the writing threads and then a barrier are missing}}
        sm.tma_store %out to %C[%c0, %c0] [64, 64] : !out, !C
        sm.bulk_commit
        sm.bulk_wait 0
      }
    }
  }
}

// -----

!acc = memref<64x64xf32, #tile.space<fragment>>
!out = memref<64x64xf32, #tile.space<shared>>
!C = memref<?x64xf32, #tile.space<global>>
tile.kernel @overwritten params ["C"] shapes [affine_map<()[n] -> (n, 64)>]
    symbols ["n"] {
^bb0(%C: !C, %n: i32):
  %one = arith.constant 1 : i32
  sm.launch grid(%one) threads 128 program [128, 1, 1] shared 16384 {
  ^bb0(%bx: i32):
    %out = sm.shared "out" offset 0 stages 1 slot_bytes 16384 : !out
    sm.role "block" warps [0, 4] {
      %c0 = arith.constant 0 : i32
      %acc = tile.alloc "acc" : !acc
      %c64 = arith.constant 64 : i32
      scf.for %i = %c0 to %n step %one : i32 {
        %row = arith.muli %i, %c64 : i32
        // Only the storing thread knows that its store has read the tile.
        // expected-error @below {{the copy writes 'out' before the read of other threads at line}}
        tile.copy %acc[%c0, %c0] [64, 64] to %out[%c0, %c0] [64, 64] : !acc, !out
        sm.fence_proxy_async
        sm.bar_sync 0 threads 128
        sm.elect {
          // expected-note @below {{the earlier access is here}}
          sm.tma_store %out to %C[%row, %c0] [64, 64] : !out, !C
          sm.bulk_commit
          sm.bulk_wait 0 read
        }
      }
    }
  }
}

// -----

!acc = memref<64x64xf32, #tile.space<fragment>>
!out = memref<64x64xf32, #tile.space<shared>>
!C = memref<?x64xf32, #tile.space<global>>
tile.kernel @unfinished params ["C"] shapes [affine_map<()[n] -> (n, 64)>]
    symbols ["n"] {
^bb0(%C: !C, %n: i32):
  %one = arith.constant 1 : i32
  sm.launch grid(%one) threads 128 program [128, 1, 1] shared 16384 {
  ^bb0(%bx: i32):
    %out = sm.shared "out" offset 0 stages 1 slot_bytes 16384 : !out
    sm.role "block" warps [0, 4] {
      %c0 = arith.constant 0 : i32
      %acc = tile.alloc "acc" : !acc
      tile.copy %acc[%c0, %c0] [64, 64] to %out[%c0, %c0] [64, 64] : !acc, !out
      sm.fence_proxy_async
      sm.bar_sync 0 threads 128
      sm.elect {
        // expected-error @below {{the block may end before this tensor store has read its tile: a bulk_wait 0 is missing after it}}
        sm.tma_store %out to %C[%c0, %c0] [64, 64] : !out, !C
        sm.bulk_commit
      }
    }
  }
}

// -----

!acc = memref<64x64xf32, #tile.space<fragment>>
!out = memref<64x64xf32, #tile.space<shared>>
!C = memref<?x64xf32, #tile.space<global>>
tile.kernel @flying params ["C"] shapes [affine_map<()[n] -> (n, 64)>]
    symbols ["n"] {
^bb0(%C: !C, %n: i32):
  %one = arith.constant 1 : i32
  sm.launch grid(%one) threads 128 program [128, 1, 1] shared 16384 {
  ^bb0(%bx: i32):
    %out = sm.shared "out" offset 0 stages 1 slot_bytes 16384 : !out
    sm.role "block" warps [0, 4] {
      %c0 = arith.constant 0 : i32
      %acc = tile.alloc "acc" : !acc
      %c64 = arith.constant 64 : i32
      scf.for %i = %c0 to %n step %one : i32 {
        %row = arith.muli %i, %c64 : i32
        // Two stores may be in flight: one tile is not enough for that.
        // expected-error @below {{the copy writes 'out' while the tensor store at line}}
        tile.copy %acc[%c0, %c0] [64, 64] to %out[%c0, %c0] [64, 64] : !acc, !out
        sm.fence_proxy_async
        sm.bar_sync 0 threads 128
        sm.elect {
          // expected-note @below {{the asynchronous read is issued here}}
          sm.tma_store %out to %C[%row, %c0] [64, 64] : !out, !C
          sm.bulk_commit
          sm.bulk_wait 1 read
        }
        sm.bar_sync 0 threads 128
      }
      sm.elect {
        sm.bulk_wait 0 read
      }
    }
  }
}

// -----

// Turns that store to places that overlap: only a wait for the whole store
// keeps them apart.

!acc = memref<64x64xf32, #tile.space<fragment>>
!out = memref<64x64xf32, #tile.space<shared>>
!C = memref<?x64xf32, #tile.space<global>>
tile.kernel @same_place params ["C"] shapes [affine_map<()[n] -> (n, 64)>]
    symbols ["n"] {
^bb0(%C: !C, %n: i32):
  %one = arith.constant 1 : i32
  sm.launch grid(%one) threads 128 program [128, 1, 1] shared 16384 {
  ^bb0(%bx: i32):
    %out = sm.shared "out" offset 0 stages 1 slot_bytes 16384 : !out
    sm.role "block" warps [0, 4] {
      %c0 = arith.constant 0 : i32
      %acc = tile.alloc "acc" : !acc
      scf.for %i = %c0 to %n step %one : i32 {
        sm.bar_sync 0 threads 128
        tile.copy %acc[%c0, %c0] [64, 64] to %out[%c0, %c0] [64, 64] : !acc, !out
        sm.fence_proxy_async
        sm.bar_sync 0 threads 128
        sm.elect {
          // expected-error @below {{the tensor store touches 'C' while the tensor store at line}}
          // expected-note @below {{the store is issued here}}
          sm.tma_store %out to %C[%c0, %c0] [64, 64] : !out, !C
          sm.bulk_commit
          sm.bulk_wait 0 read
        }
      }
    }
  }
}

// -----

!acc = memref<64x64xf32, #tile.space<fragment>>
!out = memref<64x64xf32, #tile.space<shared>>
!C = memref<?x64xf32, #tile.space<global>>
tile.kernel @overlapping_places params ["C"] shapes [affine_map<()[n] -> (n, 64)>]
    symbols ["n"] {
^bb0(%C: !C, %n: i32):
  %one = arith.constant 1 : i32
  sm.launch grid(%one) threads 128 program [128, 1, 1] shared 16384 {
  ^bb0(%bx: i32):
    %out = sm.shared "out" offset 0 stages 1 slot_bytes 16384 : !out
    sm.role "block" warps [0, 4] {
      %c0 = arith.constant 0 : i32
      %c63 = arith.constant 63 : i32
      %acc = tile.alloc "acc" : !acc
      scf.for %i = %c0 to %n step %one : i32 {
        %row = arith.muli %i, %c63 : i32
        sm.bar_sync 0 threads 128
        tile.copy %acc[%c0, %c0] [64, 64] to %out[%c0, %c0] [64, 64] : !acc, !out
        sm.fence_proxy_async
        sm.bar_sync 0 threads 128
        sm.elect {
          // expected-remark @below {{not proved: the tensor store touches 'C' while the tensor store at line}}
          sm.tma_store %out to %C[%row, %c0] [64, 64] : !out, !C
          sm.bulk_commit
          sm.bulk_wait 0 read
        }
      }
    }
  }
}

// -----

// What the copy unit has written is read by threads: the reads of the store are
// over, its writes are not.

!acc = memref<64x64xf32, #tile.space<fragment>>
!out = memref<64x64xf32, #tile.space<shared>>
!C = memref<64x64xf32, #tile.space<global>>
tile.kernel @read_back_early params ["C"] shapes [affine_map<() -> (64, 64)>]
    symbols [] {
^bb0(%C: !C):
  %one = arith.constant 1 : i32
  sm.launch grid(%one) threads 128 program [128, 1, 1] shared 16384 {
  ^bb0(%bx: i32):
    %out = sm.shared "out" offset 0 stages 1 slot_bytes 16384 : !out
    sm.role "block" warps [0, 4] {
      %c0 = arith.constant 0 : i32
      %acc = tile.alloc "acc" : !acc
      tile.copy %acc[%c0, %c0] [64, 64] to %out[%c0, %c0] [64, 64] : !acc, !out
      sm.fence_proxy_async
      sm.bar_sync 0 threads 128
      sm.elect {
        // expected-note @below {{the store is issued here}}
        sm.tma_store %out to %C[%c0, %c0] [64, 64] : !out, !C
        sm.bulk_commit
        sm.bulk_wait 0 read
      }
      sm.bar_sync 0 threads 128
      // expected-error @below {{may still write it: a wait for the whole store, not only for its reads, is missing between them}}
      tile.copy %C[%c0, %c0] [64, 64] to %acc[%c0, %c0] [64, 64] : !C, !acc
    }
  }
}

// -----

// Only the thread that has waited knows that the tensor is written.

!acc = memref<64x64xf32, #tile.space<fragment>>
!out = memref<64x64xf32, #tile.space<shared>>
!C = memref<64x64xf32, #tile.space<global>>
tile.kernel @read_back_alone params ["C"] shapes [affine_map<() -> (64, 64)>]
    symbols [] {
^bb0(%C: !C):
  %one = arith.constant 1 : i32
  sm.launch grid(%one) threads 128 program [128, 1, 1] shared 16384 {
  ^bb0(%bx: i32):
    %out = sm.shared "out" offset 0 stages 1 slot_bytes 16384 : !out
    sm.role "block" warps [0, 4] {
      %c0 = arith.constant 0 : i32
      %acc = tile.alloc "acc" : !acc
      tile.copy %acc[%c0, %c0] [64, 64] to %out[%c0, %c0] [64, 64] : !acc, !out
      sm.fence_proxy_async
      sm.bar_sync 0 threads 128
      sm.elect {
        // expected-note @below {{the store is issued here}}
        sm.tma_store %out to %C[%c0, %c0] [64, 64] : !out, !C
        sm.bulk_commit
        sm.bulk_wait 0
      }
      // expected-error @below {{before other threads know that the tensor store at line}}
      tile.copy %C[%c0, %c0] [64, 64] to %acc[%c0, %c0] [64, 64] : !C, !acc
    }
  }
}

// -----

// The loop stores rows 0 to n - 1, the threads row n: nothing to wait for but
// the tile.

!acc = memref<1x64xf32, #tile.space<fragment>>
!out = memref<1x64xf32, #tile.space<shared>>
!C = memref<?x64xf32, #tile.space<global>>
tile.kernel @apart params ["C"] shapes [affine_map<()[n] -> (n + 1, 64)>]
    symbols ["n"] {
^bb0(%C: !C, %n: i32):
  %one = arith.constant 1 : i32
  sm.launch grid(%one) threads 128 program [128, 1, 1] shared 256 {
  ^bb0(%bx: i32):
    %out = sm.shared "out" offset 0 stages 1 slot_bytes 256 : !out
    sm.role "block" warps [0, 4] {
      %c0 = arith.constant 0 : i32
      %acc = tile.alloc "acc" : !acc
      scf.for %i = %c0 to %n step %one : i32 {
        %last = arith.subi %n, %one : i32
        %row = arith.subi %last, %i : i32
        sm.bar_sync 0 threads 128
        tile.copy %acc[%c0, %c0] [1, 64] to %out[%c0, %c0] [1, 64] : !acc, !out
        sm.fence_proxy_async
        sm.bar_sync 0 threads 128
        sm.elect {
          sm.tma_store %out to %C[%row, %c0] [1, 64] : !out, !C
          sm.bulk_commit
          sm.bulk_wait 0 read
        }
      }
      tile.copy %acc[%c0, %c0] [1, 64] to %C[%n, %c0] [1, 64] : !acc, !C
    }
  }
}

// -----

// Blocks read what others have stored.

!acc = memref<64x64xf32, #tile.space<fragment>>
!out = memref<64x64xf32, #tile.space<shared>>
!C = memref<64x64xf32, #tile.space<global>>
tile.kernel @meet_early params ["C"] shapes [affine_map<() -> (64, 64)>]
    symbols [] {
^bb0(%C: !C):
  %one = arith.constant 1 : i32
  sm.launch grid(%one) threads 128 program [128, 1, 1] shared 16384 {
  ^bb0(%bx: i32):
    %out = sm.shared "out" offset 0 stages 1 slot_bytes 16384 : !out
    sm.role "block" warps [0, 4] {
      %c0 = arith.constant 0 : i32
      %acc = tile.alloc "acc" : !acc
      tile.copy %acc[%c0, %c0] [64, 64] to %out[%c0, %c0] [64, 64] : !acc, !out
      sm.fence_proxy_async
      sm.bar_sync 0 threads 128
      sm.elect {
        // expected-note @below {{the store is issued here}}
        sm.tma_store %out to %C[%c0, %c0] [64, 64] : !out, !C
        sm.bulk_commit
        sm.bulk_wait 0 read
      }
      sm.bar_sync 0 threads 128
      sm.elect {
        // expected-error @below {{the blocks meet before the tensor store at line}}
        sm.grid_barrier
      }
      sm.bar_sync 0 threads 128
    }
  }
}

// -----

// Whoever stores asynchronously to where threads have read needs a fence of
// global memory.

!acc = memref<64x64xf32, #tile.space<fragment>>
!out = memref<64x64xf32, #tile.space<shared>>
!C = memref<64x64xf32, #tile.space<global>>
tile.kernel @in_place params ["C"] shapes [affine_map<() -> (64, 64)>]
    symbols [] {
^bb0(%C: !C):
  %one = arith.constant 1 : i32
  sm.launch grid(%one) threads 128 program [128, 1, 1] shared 16384 {
  ^bb0(%bx: i32):
    %out = sm.shared "out" offset 0 stages 1 slot_bytes 16384 : !out
    sm.role "block" warps [0, 4] {
      %c0 = arith.constant 0 : i32
      tile.copy %C[%c0, %c0] [64, 64] to %out[%c0, %c0] [64, 64] : !C, !out
      sm.fence_proxy_async
      sm.bar_sync 0 threads 128
      sm.elect {
        // expected-remark @below {{not proved: 'C' is used by threads at line}}
        sm.tma_store %out to %C[%c0, %c0] [64, 64] : !out, !C
        sm.bulk_commit
        sm.bulk_wait 0 read
      }
    }
  }
}
