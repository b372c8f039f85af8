// Matrix products: descriptors and instructions of wgmma, ldmatrix and mma.sync.
// RUN: tlc-opt %s --convert-sm-to-threads | FileCheck %s

#s = #tile.space<shared>
#f = #tile.space<fragment>

// 128 x 32 x 128: two row blocks, eight steps of K. A: 128-byte swizzle, K inside
// (strides 1 and 1024 bytes, i.e. 1 and 64 units); its second panel is 16384
// bytes = 1024 units on, its second row block 8192 bytes = 512 units. B: 64-byte
// swizzle, N inside; 16 rows of K are 1024 bytes = 64 units.
// CHECK-LABEL: tile.kernel @wgmma
// CHECK: sm.keep %[[C:.*]] : memref<32xf32
// CHECK: sm.wgmma_fence
// CHECK-DAG: %[[B:.*]] = sm.wgmma_desc %{{.*}} bits -9223371899382267904
// CHECK-DAG: %[[A:.*]] = sm.wgmma_desc %{{.*}} bits 4611686293305360384
// CHECK: sm.wgmma_inst "bf16" "bf16" n 32 k 16 %[[C]] from 0, %[[A]], %[[B]] trans_b :
// CHECK: %[[A1:.*]] = arith.addi %[[A]], %c512_i64
// CHECK: sm.wgmma_inst "bf16" "bf16" n 32 k 16 %[[C]] from 16, %[[A1]], %[[B]] trans_b :
// CHECK: %c1024_i64 =
// CHECK-COUNT-8: sm.wgmma_inst
// CHECK-NOT: sm.wgmma_inst
// CHECK: sm.wgmma_commit
// CHECK: sm.wgmma_wait 0
// CHECK: sm.keep %[[C]]
tile.kernel @wgmma params [] shapes [] symbols [] {
  %c1 = arith.constant 1 : i32
  sm.launch grid(%c1) threads 128 program [128, 1, 1] shared 40960 {
  ^bb0(%b: i32):
    %c0 = arith.constant 0 : i32
    %m = sm.shared "m" offset 0 stages 1 slot_bytes 32768 swizzle <b128> : memref<128x128xbf16, #s>
    %h = sm.shared "h" offset 32768 stages 1 slot_bytes 8192 swizzle <b64> : memref<128x32xbf16, #s>
    %c = tile.alloc "c" layout <"regs=[2:(0,1) 2:(8,0) 4:(0,8) 2:(64,0)] threads=[4:(0,2) 8:(1,0) 4:(16,0)] shape=128x32"> : memref<128x32xf32, #f>
    sm.wgmma_fence
    sm.wgmma %m[%c0, %c0] [128, 128], %h[%c0, %c0] [128, 32], %c warps 4 x 1 : memref<128x128xbf16, #s>, memref<128x32xbf16, #s>, memref<128x32xf32, #f>
    sm.wgmma_commit
    sm.wgmma_wait 0
  }
}

// `clear` is the scale of the first step only.
// CHECK-LABEL: tile.kernel @clear
// CHECK: %[[KEEP:.*]] = arith.constant false
// CHECK: sm.wgmma_inst {{.*}} scale_d %[[KEEP]]
// CHECK-NOT: scale_d
tile.kernel @clear params [] shapes [] symbols [] {
  %c1 = arith.constant 1 : i32
  sm.launch grid(%c1) threads 128 program [128, 1, 1] shared 12288 {
  ^bb0(%b: i32):
    %c0 = arith.constant 0 : i32
    %true = arith.constant true
    %x = sm.shared "x" offset 0 stages 1 slot_bytes 8192 swizzle <b128> : memref<64x64xf16, #s>
    %y = sm.shared "y" offset 8192 stages 1 slot_bytes 4096 swizzle <b128> : memref<32x64xf16, #s>
    %c = tile.alloc "c" layout <"regs=[2:(0,1) 2:(8,0) 4:(0,8)] threads=[4:(0,2) 8:(1,0) 4:(16,0)] shape=64x32"> : memref<64x32xf32, #f>
    sm.wgmma %x[%c0, %c0] [64, 64], %y[%c0, %c0] [32, 64] trans_b, %c clear %true warps 4 x 1 : memref<64x64xf16, #s>, memref<32x64xf16, #s>, memref<64x32xf32, #f>
  }
}

// One warp, 16 x 16 x 16: B stored K x N is read through .trans.
// CHECK-LABEL: tile.kernel @mma
// CHECK: %[[A:.*]]:4 = sm.ldmatrix %{{[^ ]*}} : i32, i32, i32, i32
// CHECK: %[[B:.*]]:4 = sm.ldmatrix %{{[^ ]*}} transpose : i32, i32, i32, i32
// CHECK: sm.mma_sync "f16" k 16 %{{.*}}[%c0{{.*}}], (%[[A]]#0, %[[A]]#1, %[[A]]#2, %[[A]]#3), (%[[B]]#0, %[[B]]#1)
// CHECK: sm.mma_sync "f16" k 16 %{{.*}}[%c4{{.*}}], (%[[A]]#0, %[[A]]#1, %[[A]]#2, %[[A]]#3), (%[[B]]#2, %[[B]]#3)
tile.kernel @mma params [] shapes [] symbols [] {
  %c1 = arith.constant 1 : i32
  sm.launch grid(%c1) threads 32 program [32, 1, 1] shared 1024 {
  ^bb0(%b: i32):
    %c0 = arith.constant 0 : i32
    %x = sm.shared "x" offset 0 stages 1 slot_bytes 512 swizzle <b32> : memref<16x16xf16, #s>
    %y = sm.shared "y" offset 512 stages 1 slot_bytes 512 swizzle <b32> : memref<16x16xf16, #s>
    %c = tile.alloc "c" layout <"regs=[2:(0,1) 2:(8,0) 2:(0,8)] threads=[4:(0,2) 8:(1,0)] shape=16x16"> : memref<16x16xf32, #f>
    sm.mma %x[%c0, %c0] [16, 16], %y[%c0, %c0] [16, 16], %c warps 1 x 1 : memref<16x16xf16, #s>, memref<16x16xf16, #s>, memref<16x16xf32, #f>
  }
}

// mma.sync adds: zeros come first, always or where the flag says so; a product
// that never clears has none.
// CHECK-LABEL: tile.kernel @mma_clear
// CHECK: %[[C:.*]] = tile.alloc "c"
// CHECK: scf.for
// CHECK: tile.store %[[ZERO:.*]] to %[[C]]
// CHECK: sm.mma_sync
// CHECK: sm.mma_sync
// CHECK: scf.if %[[FLAG:.*]] {
// CHECK: scf.for
// CHECK: tile.store %{{.*}} to %[[C]]
// CHECK: sm.mma_sync
// CHECK: sm.mma_sync
tile.kernel @mma_clear params [] shapes [] symbols ["flag"] {
^bb0(%n: i32):
  %c1 = arith.constant 1 : i32
  sm.launch grid(%c1) threads 32 program [32, 1, 1] shared 1024 {
  ^bb0(%b: i32):
    %c0 = arith.constant 0 : i32
    %true = arith.constant true
    %flag = arith.cmpi eq, %n, %c0 : i32
    %x = sm.shared "x" offset 0 stages 1 slot_bytes 512 swizzle <b32> : memref<16x16xf16, #s>
    %y = sm.shared "y" offset 512 stages 1 slot_bytes 512 swizzle <b32> : memref<16x16xf16, #s>
    %c = tile.alloc "c" layout <"regs=[2:(0,1) 2:(8,0) 2:(0,8)] threads=[4:(0,2) 8:(1,0)] shape=16x16"> : memref<16x16xf32, #f>
    sm.mma %x[%c0, %c0] [16, 16], %y[%c0, %c0] [16, 16], %c clear %true warps 1 x 1 : memref<16x16xf16, #s>, memref<16x16xf16, #s>, memref<16x16xf32, #f>
    sm.mma %x[%c0, %c0] [16, 16], %y[%c0, %c0] [16, 16], %c clear %flag warps 1 x 1 : memref<16x16xf16, #s>, memref<16x16xf16, #s>, memref<16x16xf32, #f>
  }
}
