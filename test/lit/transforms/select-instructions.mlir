// RUN: tlc-opt %s --tile-select-instructions | FileCheck %s
// RUN: tlc-opt %s --tile-select-instructions="disable-tma disable-wgmma" \
// RUN:   | FileCheck %s --check-prefix=OFF
// RUN: tlc-opt %s --tile-select-instructions="arch=sm_80" \
// RUN:   | FileCheck %s --check-prefix=AMPERE

// A pipelined product with sizes known at launch.
// CHECK-LABEL: tile.kernel @gemm
// CHECK: tile.copy %{{.*}} inst <tma_load>
// CHECK-SAME: the pitch of 'A' is checked at launch
// CHECK: tile.copy %{{.*}} inst <tma_load>
// CHECK-SAME: the pitch of 'B' is checked at launch
// CHECK: tile.gemm %{{.*}} inst <wgmma_ss> warps 4 x 2 reason "wgmma with A and B in shared memory"
// CHECK: tile.copy %{{.*}} inst <vector> reason "only copies between global and shared memory are asynchronous"
// OFF-LABEL: tile.kernel @gemm
// OFF: inst <vector> reason "TMA is disabled"
// OFF: tile.gemm %{{.*}} inst <mma_sync> warps {{[0-9]}} x {{[0-9]}} reason "wgmma is disabled"
// AMPERE-LABEL: tile.kernel @gemm
// AMPERE: inst <vector> reason "sm_80 has no TMA"
// AMPERE: tile.gemm %{{.*}} inst <mma_sync> warps {{[0-9]}} x {{[0-9]}} reason "sm_80 has no wgmma"
tile.kernel @gemm params ["A", "B", "C"]
    shapes [affine_map<()[m, n, k] -> (m, k)>,
            affine_map<()[m, n, k] -> (k, n)>,
            affine_map<()[m, n, k] -> (m, n)>]
    symbols ["M", "N", "K"] {
^bb0(%A: memref<?x?xbf16, #tile.space<global>>,
     %B: memref<?x?xbf16, #tile.space<global>>,
     %C: memref<?x?xbf16, #tile.space<global>>, %M: i32, %N: i32, %K: i32):
  tile.launch grid(%M, %N) threads [256, 1, 1] {
  ^bb0(%bx: i32, %by: i32):
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %c128 = arith.constant 128 : i32
    %As = tile.alloc "A_shared" : memref<128x64xbf16, #tile.space<shared>>
    %Bs = tile.alloc "B_shared" : memref<64x128xbf16, #tile.space<shared>>
    %acc = tile.alloc "acc" : memref<128x128xf32, #tile.space<fragment>>
    %y = arith.muli %by, %c128 : i32
    %x = arith.muli %bx, %c128 : i32
    tile.pipelined %c0 to %K stages 3 {
    ^bb0(%i: i32):
      %k = arith.muli %i, %c64 : i32
      tile.copy %A[%y, %k] [128, 64] to %As[%c0, %c0] [128, 64]
        : memref<?x?xbf16, #tile.space<global>>,
          memref<128x64xbf16, #tile.space<shared>>
      tile.copy %B[%k, %x] [64, 128] to %Bs[%c0, %c0] [64, 128]
        : memref<?x?xbf16, #tile.space<global>>,
          memref<64x128xbf16, #tile.space<shared>>
      tile.gemm %As[%c0, %c0] [128, 64], %Bs[%c0, %c0] [64, 128], %acc
        : memref<128x64xbf16, #tile.space<shared>>,
          memref<64x128xbf16, #tile.space<shared>>,
          memref<128x128xf32, #tile.space<fragment>>
    }
    tile.copy %acc[%c0, %c0] [128, 128] to %C[%y, %x] [128, 128]
      : memref<128x128xf32, #tile.space<fragment>>,
        memref<?x?xbf16, #tile.space<global>>
  }
}

// What forbids a tensor copy. A column of a tensor, a pitch of 100 bytes, a
// conversion, a part of a tile, six dimensions; a contiguous piece of such a
// tensor that is inside it goes in bulk.
// CHECK-LABEL: tile.kernel @copies
// CHECK: inst <vector> reason "the row pitch of 'P' is 100 bytes, a multiple of 16 is needed"
// CHECK: inst <vector> reason "bfloat16 is converted to float16 on the way"
// CHECK: inst <vector> reason "it fills only a part of 's'"
// CHECK: inst <vector> reason "the rows of 's' do not run along the last dimension of 'Q'"
// CHECK: inst <vector> reason "'R' has 6 dimensions, TMA has 5"
// CHECK: inst <bulk_load> reason "a contiguous piece is loaded in bulk"
// CHECK: inst <vector> reason "the row pitch of 'P' is 100 bytes, a multiple of 16 is needed"
// CHECK: inst <tma_load> reason "a tile of 64x64 is loaded by TMA"
// CHECK: inst <vector> reason "TMA is disabled"
// Known to be a multiple of 16 bytes although the size is not known.
// CHECK: inst <tma_load> reason "a tile of 64x64 is loaded by TMA"
// CHECK: inst <vector> reason "a row of 'odd' is 20 bytes, a multiple of 16 is needed"
// What was chosen before stays.
// CHECK: inst <vector> reason "mine"
tile.kernel @copies params ["P", "Q", "R", "S", "U"]
    shapes [affine_map<()[n] -> (70, 50)>, affine_map<()[n] -> (64, 64, 8)>,
            affine_map<()[n] -> (1, 1, 1, 1, 64, 64)>,
            affine_map<()[n] -> (128, 128)>, affine_map<()[n] -> (64, n * 8)>]
    symbols ["n"] {
^bb0(%P: memref<70x50xf16, #tile.space<global>>,
     %Q: memref<64x64x8xf16, #tile.space<global>>,
     %R: memref<1x1x1x1x64x64xf16, #tile.space<global>>,
     %S: memref<128x128xbf16, #tile.space<global>>,
     %U: memref<64x?xf16, #tile.space<global>>, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%b: i32):
    %c0 = arith.constant 0 : i32
    %c4 = arith.constant 4 : i32
    %c8 = arith.constant 8 : i32
    %s = tile.alloc "s" : memref<64x64xf16, #tile.space<shared>>
    %t = tile.alloc "t" : memref<64x64xbf16, #tile.space<shared>>
    %v = tile.alloc "v" : memref<200xf16, #tile.space<shared>>
    %odd = tile.alloc "odd" : memref<64x10xf16, #tile.space<shared>>
    tile.copy %P[%b, %c0] [64, 64] to %s[%c0, %c0] [64, 64]
      : memref<70x50xf16, #tile.space<global>>, memref<64x64xf16, #tile.space<shared>>
    tile.copy %S[%c0, %c0] [64, 64] to %s[%c0, %c0] [64, 64]
      : memref<128x128xbf16, #tile.space<global>>, memref<64x64xf16, #tile.space<shared>>
    tile.copy %U[%c0, %c0] [32, 64] to %s[%c0, %c0] [32, 64]
      : memref<64x?xf16, #tile.space<global>>, memref<64x64xf16, #tile.space<shared>>
    tile.copy %Q[%c0, %c0, %b] [64, 64, 1] to %s[%c0, %c0] [64, 64]
      : memref<64x64x8xf16, #tile.space<global>>, memref<64x64xf16, #tile.space<shared>>
    tile.copy %R[%c0, %c0, %c0, %c0, %b, %c0] [1, 1, 1, 1, 64, 64] to %s[%c0, %c0] [64, 64]
      : memref<1x1x1x1x64x64xf16, #tile.space<global>>, memref<64x64xf16, #tile.space<shared>>
    %w = tile.alloc "w" : memref<4x50xf16, #tile.space<shared>>
    tile.copy %P[%c4, %c0] [4, 50] to %w[%c0, %c0] [4, 50]
      : memref<70x50xf16, #tile.space<global>>, memref<4x50xf16, #tile.space<shared>>
    // Begins at any row: not known to be inside.
    %x = tile.alloc "x" : memref<4x48xf16, #tile.space<shared>>
    tile.copy %P[%b, %c0] [4, 48] to %x[%c0, %c0] [4, 48]
      : memref<70x50xf16, #tile.space<global>>, memref<4x48xf16, #tile.space<shared>>
    tile.copy %S[%b, %c8] [64, 64] to %t[%c0, %c0] [64, 64]
      : memref<128x128xbf16, #tile.space<global>>, memref<64x64xbf16, #tile.space<shared>>
    tile.copy %S[%b, %c8] [64, 64] to %t[%c0, %c0] [64, 64] disable_tma
      : memref<128x128xbf16, #tile.space<global>>, memref<64x64xbf16, #tile.space<shared>>
    tile.copy %U[%c0, %b] [64, 64] to %s[%c0, %c0] [64, 64]
      : memref<64x?xf16, #tile.space<global>>, memref<64x64xf16, #tile.space<shared>>
    tile.copy %U[%c0, %b] [64, 10] to %odd[%c0, %c0] [64, 10]
      : memref<64x?xf16, #tile.space<global>>, memref<64x10xf16, #tile.space<shared>>
    tile.copy %S[%b, %c8] [64, 64] to %t[%c0, %c0] [64, 64] inst <vector> reason "mine"
      : memref<128x128xbf16, #tile.space<global>>, memref<64x64xbf16, #tile.space<shared>>
  }
}
