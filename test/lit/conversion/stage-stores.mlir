// RUN: tlc-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-select-instructions,tile-stage-stores))' | FileCheck %s
// RUN: tlc-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-select-instructions,tile-stage-stores{arch=sm_80}))' | FileCheck %s --check-prefix=AMPERE

// A fragment that a pipelined loop stores goes through a shared tile where the
// threads bound the turn.

!S = memref<64x64xbf16, #tile.space<shared>>
!F = memref<64x64xf32, #tile.space<fragment>>
!A = memref<?x64xbf16, #tile.space<global>>
!G = memref<?x64xf32, #tile.space<global>>
#G = affine_map<()[n] -> (n, 64)>
#S = affine_map<()[n] -> (n, 16)>

// Few blocks: the store is made directly before the product. The last one stays.
// CHECK-LABEL: tile.kernel @few_blocks
// CHECK: %[[STAGE:.*]] = tile.alloc "G_stage" : memref<64x64xf32, #tile.space<shared>>
// CHECK: tile.pipelined
// CHECK: tile.copy %[[H:.*]][{{.*}}] [64, 64] to %[[STAGE]]{{.*}} inst <vector> reason "staged for a TMA store: 66 blocks on 132 SMs are bound by the time of a turn"
// CHECK-NEXT: tile.copy %{{.*}} inst <tma_load>
// CHECK-NEXT: tile.copy %[[STAGE]]{{.*}} inst <tma_store> reason "a tile of 64x64 is stored by TMA; staged, since 66 blocks
// CHECK-NEXT: tile.gemm
// CHECK: tile.copy %[[H]]{{.*}} inst <vector> reason "only copies
// AMPERE-LABEL: tile.kernel @few_blocks
// AMPERE-NOT: tile.alloc "G_stage"
// AMPERE: tile.copy {{.*}} inst <vector> reason "stored from registers: sm_80 has no TMA"
tile.kernel @few_blocks params ["A", "G"] shapes [#G, #G] symbols ["n"] {
^bb0(%A: !A, %G: !G, %n: i32):
  %c66 = arith.constant 66 : i32
  tile.launch grid(%c66) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %s = tile.alloc "s" : !S
    %h = tile.alloc "h" : !F
    tile.pipelined %c0 to %n stages 2 {
    ^bb0(%i: i32):
      %row = arith.muli %i, %c64 : i32
      tile.copy %h[%c0, %c0] [64, 64] to %G[%row, %c0] [64, 64] : !F, !G
      tile.copy %A[%row, %c0] [64, 64] to %s[%c0, %c0] [64, 64] : !A, !S
      tile.gemm %s[%c0, %c0] [64, 64], %s[%c0, %c0] [64, 64], %h : !S, !S, !F
    }
    %end = arith.muli %n, %c64 : i32
    tile.copy %h[%c0, %c0] [64, 64] to %G[%end, %c0] [64, 64] : !F, !G
  }
}

// CHECK-LABEL: tile.kernel @small_tile
// CHECK-NOT: tile.alloc "G_stage"
// CHECK: tile.copy {{.*}} inst <vector> reason "stored from registers: its 4096 bytes take the threads as little time as staging"
tile.kernel @small_tile params ["A", "G"] shapes [#G, #S] symbols ["n"] {
^bb0(%A: !A, %G: memref<?x16xf32, #tile.space<global>>, %n: i32):
  %c66 = arith.constant 66 : i32
  tile.launch grid(%c66) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %s = tile.alloc "s" : !S
    %h = tile.alloc "h" : memref<64x16xf32, #tile.space<fragment>>
    tile.pipelined %c0 to %n stages 2 {
    ^bb0(%i: i32):
      %row = arith.muli %i, %c64 : i32
      tile.copy %h[%c0, %c0] [64, 16] to %G[%row, %c0] [64, 16] : memref<64x16xf32, #tile.space<fragment>>, memref<?x16xf32, #tile.space<global>>
      tile.copy %A[%row, %c0] [64, 64] to %s[%c0, %c0] [64, 64] : !A, !S
      tile.gemm %s[%c0, %c0] [64, 64], %s[%c0, %c0] [64, 16], %h : !S, !S, memref<64x16xf32, #tile.space<fragment>>
    }
  }
}

// CHECK-LABEL: tile.kernel @many_blocks
// CHECK-NOT: tile.alloc "G_stage"
// CHECK: tile.copy {{.*}} inst <vector> reason "stored from registers: the products read shared memory, and 67 blocks on 132 SMs are bound by global memory"
tile.kernel @many_blocks params ["A", "G"] shapes [#G, #G] symbols ["n"] {
^bb0(%A: !A, %G: !G, %n: i32):
  %c67 = arith.constant 67 : i32
  tile.launch grid(%c67) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %s = tile.alloc "s" : !S
    %h = tile.alloc "h" : !F
    tile.pipelined %c0 to %n stages 2 {
    ^bb0(%i: i32):
      %row = arith.muli %i, %c64 : i32
      tile.copy %h[%c0, %c0] [64, 64] to %G[%row, %c0] [64, 64] : !F, !G
      tile.copy %A[%row, %c0] [64, 64] to %s[%c0, %c0] [64, 64] : !A, !S
      tile.gemm %s[%c0, %c0] [64, 64], %s[%c0, %c0] [64, 64], %h : !S, !S, !F
    }
  }
}

// CHECK-LABEL: tile.kernel @some_blocks
// CHECK: tile.copy {{.*}} inst <vector> reason "stored from registers: the products read shared memory, and the number of blocks is known only at launch"
tile.kernel @some_blocks params ["A", "G"] shapes [#G, #G] symbols ["n"] {
^bb0(%A: !A, %G: !G, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %s = tile.alloc "s" : !S
    %h = tile.alloc "h" : !F
    tile.pipelined %c0 to %n stages 2 {
    ^bb0(%i: i32):
      %row = arith.muli %i, %c64 : i32
      tile.copy %h[%c0, %c0] [64, 64] to %G[%row, %c0] [64, 64] : !F, !G
      tile.copy %A[%row, %c0] [64, 64] to %s[%c0, %c0] [64, 64] : !A, !S
      tile.gemm %s[%c0, %c0] [64, 64], %s[%c0, %c0] [64, 64], %h : !S, !S, !F
    }
  }
}

// A of the product goes through registers. What touches the tensor is not
// passed on the way down, and neither is a barrier of the program.
// CHECK-LABEL: tile.kernel @registers
// CHECK: tile.copy {{.*}} inst <vector> reason "staged for a TMA store: an operand of the T.gemm at {{.*}} comes through registers, so that the loads and stores of the threads bound a turn"
// CHECK-NEXT: tile.copy {{.*}} inst <tma_load>
// CHECK-NEXT: tile.copy {{.*}} inst <tma_store>
// CHECK-NEXT: tile.sync_threads
tile.kernel @registers params ["A", "G"]
    shapes [affine_map<()[n] -> (n, 64)>, #G] symbols ["n"] {
^bb0(%A: !G, %G: !G, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %m = tile.alloc "m" : memref<64x64xf32, #tile.space<shared>>
    %b = tile.alloc "b" : memref<64x64xf32, #tile.space<shared>>
    %h = tile.alloc "h" : !F
    tile.pipelined %c0 to %n stages 2 {
    ^bb0(%i: i32):
      %row = arith.muli %i, %c64 : i32
      tile.copy %h[%c0, %c0] [64, 64] to %G[%row, %c0] [64, 64] : !F, !G
      tile.copy %A[%row, %c0] [64, 64] to %m[%c0, %c0] [64, 64] : !G, memref<64x64xf32, #tile.space<shared>>
      tile.sync_threads
      tile.copy %h[%c0, %c0] [64, 64] to %b[%c0, %c0] [64, 64] : !F, memref<64x64xf32, #tile.space<shared>>
      tile.gemm %m[%c0, %c0] [64, 64] trans_a, %b[%c0, %c0] [64, 64], %h
        : memref<64x64xf32, #tile.space<shared>>, memref<64x64xf32, #tile.space<shared>>, !F
    }
  }
}

// No room, a tile that TMA does not store, a program that forbids it.
// CHECK-LABEL: tile.kernel @no_room
// CHECK-NOT: tile.alloc "G_stage"
// CHECK: tile.copy {{.*}} inst <vector> reason "stored from registers: the tile would not fit beside the slots of the loads"
tile.kernel @no_room params ["A", "G"] shapes [#G, #G] symbols ["n"] {
^bb0(%A: !A, %G: !G, %n: i32):
  %c1 = arith.constant 1 : i32
  tile.launch grid(%c1) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %s = tile.alloc "s" : !S
    %h = tile.alloc "h" : !F
    tile.pipelined %c0 to %n stages 27 {
    ^bb0(%i: i32):
      %row = arith.muli %i, %c64 : i32
      tile.copy %h[%c0, %c0] [64, 64] to %G[%row, %c0] [64, 64] : !F, !G
      tile.copy %A[%row, %c0] [64, 64] to %s[%c0, %c0] [64, 64] : !A, !S
      tile.gemm %s[%c0, %c0] [64, 64], %s[%c0, %c0] [64, 64], %h : !S, !S, !F
    }
  }
}

// CHECK-LABEL: tile.kernel @refused
// CHECK: tile.copy {{.*}} inst <vector> reason "stored from registers: the row pitch of 'O' is 260 bytes, a multiple of 16 is needed"
// CHECK: tile.copy {{.*}} disable_tma inst <vector> reason "stored from registers: the program disables TMA"
tile.kernel @refused params ["A", "O", "G"]
    shapes [#G, affine_map<()[n] -> (n, 65)>, #G] symbols ["n"] {
^bb0(%A: !A, %O: memref<?x65xf32, #tile.space<global>>, %G: !G, %n: i32):
  %c1 = arith.constant 1 : i32
  tile.launch grid(%c1) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %s = tile.alloc "s" : !S
    %h = tile.alloc "h" : !F
    tile.pipelined %c0 to %n stages 2 {
    ^bb0(%i: i32):
      %row = arith.muli %i, %c64 : i32
      tile.copy %h[%c0, %c0] [64, 64] to %O[%row, %c0] [64, 64] : !F, memref<?x65xf32, #tile.space<global>>
      tile.copy %h[%c0, %c0] [64, 64] to %G[%row, %c0] [64, 64] disable_tma : !F, !G
      tile.copy %A[%row, %c0] [64, 64] to %s[%c0, %c0] [64, 64] : !A, !S
      tile.gemm %s[%c0, %c0] [64, 64], %s[%c0, %c0] [64, 64], %h : !S, !S, !F
    }
  }
}

// Others are told in each turn that it is stored.
// CHECK-LABEL: tile.kernel @signals
// CHECK: tile.copy {{.*}} inst <vector> reason "stored from registers: the atomic at {{.*}} may tell others what is stored, and would wait for the store in each turn"
tile.kernel @signals params ["A", "G", "C"]
    shapes [#G, #G, affine_map<()[n] -> (n)>] symbols ["n"] {
^bb0(%A: !A, %G: !G, %C: memref<?xi32, #tile.space<global>>, %n: i32):
  %c1 = arith.constant 1 : i32
  tile.launch grid(%c1) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %s = tile.alloc "s" : !S
    %h = tile.alloc "h" : !F
    tile.pipelined %c0 to %n stages 2 {
    ^bb0(%i: i32):
      %row = arith.muli %i, %c64 : i32
      tile.copy %h[%c0, %c0] [64, 64] to %G[%row, %c0] [64, 64] : !F, !G
      tile.copy %A[%row, %c0] [64, 64] to %s[%c0, %c0] [64, 64] : !A, !S
      tile.gemm %s[%c0, %c0] [64, 64], %s[%c0, %c0] [64, 64], %h : !S, !S, !F
      tile.atomic <add> <release> %C[%c0] by %c1 : i32 : memref<?xi32, #tile.space<global>>
    }
  }
}
