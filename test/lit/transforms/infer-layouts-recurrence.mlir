// RUN: tlc-opt %s --tile-select-instructions=disable=transpose-product --tile-infer-layouts=disable=renumber | FileCheck %s
// RUN: tlc-opt %s --tile-select-instructions --tile-infer-layouts | FileCheck %s --check-prefix=FORMED

// A state in registers, stored K x V: the product runs on wgmma, its operands
// have the swizzles that wgmma reads, and the copies of the state follow the
// accumulator.
// CHECK-LABEL: tile.kernel @kv
// CHECK: tile.alloc "h_shared" swizzle <b64>
// CHECK: tile.alloc "m_shared" swizzle <b128>
// CHECK: tile.alloc "hd_shared" swizzle <b64>
// m64n32 four warps high, two row blocks of 64 (PTX ISA, wgmma D fragment).
// CHECK: tile.alloc "h" layout <"[[ACC:regs=\[2:\(0,1\) 2:\(8,0\) 4:\(0,8\) 2:\(64,0\)\] threads=\[4:\(0,2\) 8:\(1,0\) 4:\(16,0\)\] shape=128x32]]">
// CHECK: tile.fill {{.*}} layout <"[[ACC]]">
// CHECK: tile.copy {{.*}} inst <vector>{{.*}} layout <"[[ACC]]">
// CHECK: tile.copy {{.*}} inst <vector>{{.*}} layout <"[[ACC]]">
// CHECK: tile.copy {{.*}} inst <tma_load>
// CHECK: tile.copy {{.*}} inst <vector>{{.*}} layout <"[[ACC]]">
// CHECK: tile.copy {{.*}} inst <tma_load>
// CHECK: tile.gemm {{.*}} inst <wgmma_ss> warps 4 x 1
// With its columns in quads (analysis/Order.h) slot 8j + 2t + b is column
// 4t + 2j + b: thread t of 4 holds four neighbours, hd is stored so.
// FORMED-LABEL: tile.kernel @kv
// FORMED: tile.alloc "h_shared" swizzle <b64> :
// FORMED: tile.alloc "hd_shared" swizzle <b64> order <columns = quads>
// FORMED: tile.alloc "h" layout <"[[ACC:regs=\[2:\(0,1\) 2:\(8,0\) 2:\(0,2\) 2:\(0,16\) 2:\(64,0\)\] threads=\[4:\(0,4\) 8:\(1,0\) 4:\(16,0\)\] shape=128x32]]">
// FORMED: tile.copy {{.*}} inst <vector>{{.*}} layout <"[[ACC]]">
// FORMED: tile.gemm {{.*}}quad_n{{.*}}
tile.kernel @kv params ["ht", "mt", "mask", "out"]
    shapes [affine_map<()[n] -> (n, 32, 128, 128)>,
            affine_map<()[n] -> (n, 32, 128, 128)>,
            affine_map<()[n] -> (n, 32)>,
            affine_map<()[n] -> (n, 32, 128, 128)>] symbols ["n"] {
^bb0(%ht: memref<?x32x128x128xbf16, #tile.space<global>>,
     %mt: memref<?x32x128x128xbf16, #tile.space<global>>,
     %mask: memref<?x32xi1, #tile.space<global>>,
     %out: memref<?x32x128x128xf32, #tile.space<global>>, %n: i32):
  %c4 = arith.constant 4 : i32
  tile.launch grid(%c4, %n) threads [128, 1, 1] {
  ^bb0(%bv: i32, %bh: i32):
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %zero = arith.constant 0.0 : f32
    %h_shared = tile.alloc "h_shared" : memref<128x32xbf16, #tile.space<shared>>
    %m_shared = tile.alloc "m_shared" : memref<128x128xbf16, #tile.space<shared>>
    %hd_shared = tile.alloc "hd_shared" : memref<128x32xbf16, #tile.space<shared>>
    %h = tile.alloc "h" : memref<128x32xf32, #tile.space<fragment>>
    tile.fill %zero to %h[%c0, %c0] [128, 32]
      : f32, memref<128x32xf32, #tile.space<fragment>>
    %v = arith.muli %bv, %c32 : i32
    tile.pipelined %c0 to %n stages 2 {
    ^bb0(%i: i32):
      tile.copy %h[%c0, %c0] [128, 32] to %out[%i, %bh, %c0, %v] [1, 1, 128, 32]
        : memref<128x32xf32, #tile.space<fragment>>,
          memref<?x32x128x128xf32, #tile.space<global>>
      %f = tile.load %mask[%i, %bh] : memref<?x32xi1, #tile.space<global>> -> i1
      scf.if %f {
        tile.copy %h[%c0, %c0] [128, 32] to %hd_shared[%c0, %c0] [128, 32]
          : memref<128x32xf32, #tile.space<fragment>>,
            memref<128x32xbf16, #tile.space<shared>>
      }
      tile.copy %ht[%i, %bh, %c0, %v] [1, 1, 128, 32] to %h_shared[%c0, %c0] [128, 32]
        : memref<?x32x128x128xbf16, #tile.space<global>>,
          memref<128x32xbf16, #tile.space<shared>>
      tile.copy %h_shared[%c0, %c0] [128, 32] to %h[%c0, %c0] [128, 32]
        : memref<128x32xbf16, #tile.space<shared>>,
          memref<128x32xf32, #tile.space<fragment>>
      tile.copy %mt[%i, %bh, %c0, %c0] [1, 1, 128, 128] to %m_shared[%c0, %c0] [128, 128]
        : memref<?x32x128x128xbf16, #tile.space<global>>,
          memref<128x128xbf16, #tile.space<shared>>
      scf.if %f {
        tile.gemm %m_shared[%c0, %c0] [128, 128] trans_a, %hd_shared[%c0, %c0] [128, 32], %h
          : memref<128x128xbf16, #tile.space<shared>>,
            memref<128x32xbf16, #tile.space<shared>>,
            memref<128x32xf32, #tile.space<fragment>>
      }
    }
  }
}

// Stored V x K: 32 rows are too few for wgmma. Operands of mma.sync and tiles
// that only go to registers have the widest swizzle of their rows.
// CHECK-LABEL: tile.kernel @vk
// CHECK: tile.alloc "h_shared" swizzle <b128>
// CHECK: tile.alloc "m_shared" swizzle <b128>
// CHECK: tile.alloc "hd_shared" swizzle <b128>
// CHECK: tile.gemm {{.*}} inst <mma_sync>{{.*}} reason "M is 32, wgmma needs 64 or more"
// Transposed it is 128 high: the D fragment of wgmma with rows and columns
// exchanged, two blocks of 64 along the columns of h.
// FORMED-LABEL: tile.kernel @vk
// FORMED: tile.alloc "h" layout <"regs=[2:(1,0) 2:(0,8) 4:(8,0) 2:(0,64)] threads=[4:(2,0) 8:(0,1) 4:(0,16)] shape=32x128">
// FORMED: tile.gemm {{.*}} inst <wgmma_ss>
tile.kernel @vk params ["ht"] shapes [affine_map<()[n] -> (n, 128, 128)>]
    symbols ["n"] {
^bb0(%ht: memref<?x128x128xbf16, #tile.space<global>>, %n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%b: i32):
    %c0 = arith.constant 0 : i32
    %h_shared = tile.alloc "h_shared" : memref<32x128xbf16, #tile.space<shared>>
    %m_shared = tile.alloc "m_shared" : memref<128x128xbf16, #tile.space<shared>>
    %hd_shared = tile.alloc "hd_shared" : memref<32x128xbf16, #tile.space<shared>>
    %h = tile.alloc "h" : memref<32x128xf32, #tile.space<fragment>>
    tile.copy %ht[%b, %c0, %c0] [1, 32, 128] to %h_shared[%c0, %c0] [32, 128]
      : memref<?x128x128xbf16, #tile.space<global>>,
        memref<32x128xbf16, #tile.space<shared>>
    tile.copy %h_shared[%c0, %c0] [32, 128] to %h[%c0, %c0] [32, 128]
      : memref<32x128xbf16, #tile.space<shared>>,
        memref<32x128xf32, #tile.space<fragment>>
    tile.copy %h[%c0, %c0] [32, 128] to %hd_shared[%c0, %c0] [32, 128]
      : memref<32x128xf32, #tile.space<fragment>>,
        memref<32x128xbf16, #tile.space<shared>>
    tile.gemm %hd_shared[%c0, %c0] [32, 128], %m_shared[%c0, %c0] [128, 128] trans_b, %h
      : memref<32x128xbf16, #tile.space<shared>>,
        memref<128x128xbf16, #tile.space<shared>>,
        memref<32x128xf32, #tile.space<fragment>>
  }
}
