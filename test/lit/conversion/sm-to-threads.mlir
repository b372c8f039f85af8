// Copies between registers, shared and global memory for one thread: loops over
// registers, swizzled addresses, guards and vectors.
// RUN: tlc-opt %s --convert-sm-to-threads | FileCheck %s

#g = #tile.space<global>
#s = #tile.space<shared>
#f = #tile.space<fragment>
#acc = #tile.fragment_layout<"regs=[2:(0,1) 2:(8,0) 4:(0,8)] threads=[4:(0,2) 8:(1,0) 4:(16,0)] shape=64x32">

// Row 64 bytes under the 64-byte swizzle: columns are exclusive-ored, eight rows
// further is an addition. bf16 pairs are converted on the way.
// CHECK-LABEL: tile.kernel @to_shared
// CHECK: %[[H:.*]] = tile.alloc "h" : memref<16xf32, #tile.space<local>>
// CHECK: scf.for %[[J:.*]] = {{.*}} {
// CHECK: scf.for %[[I:.*]] = {{.*}} {
// CHECK: %[[V:.*]] = sm.pack {{.*}} : f32, f32 -> vector<2xbf16>
// CHECK: arith.xori
// CHECK: sm.st_shared %[[V]] to {{.*}} : vector<2xbf16>
// CHECK: } {unroll}
// CHECK: } {unroll}
// CHECK: sm.fence_proxy_async
// CHECK: %[[W:.*]] = sm.ld_shared {{.*}} : vector<2xbf16>
// CHECK: sm.unpack %[[W]] : vector<2xbf16> -> f32, f32
tile.kernel @to_shared params [] shapes [] symbols [] {
  %c1 = arith.constant 1 : i32
  sm.launch grid(%c1) threads 128 program [128, 1, 1] shared 4096 {
  ^bb0(%b: i32):
    %c0 = arith.constant 0 : i32
    %hd = sm.shared "hd" offset 0 stages 1 slot_bytes 4096 swizzle <b64> : memref<64x32xbf16, #s>
    %h = tile.alloc "h" layout #acc : memref<64x32xf32, #f>
    tile.copy %h[%c0, %c0] [64, 32] to %hd[%c0, %c0] [64, 32] inst <vector> : memref<64x32xf32, #f>, memref<64x32xbf16, #s>
    sm.fence_proxy_async
    tile.copy %hd[%c0, %c0] [64, 32] to %h[%c0, %c0] [64, 32] inst <vector> : memref<64x32xbf16, #s>, memref<64x32xf32, #f>
  }
}

// A dynamic pitch: one condition for wide accesses, single elements otherwise.
// Two column blocks: pairs.
// CHECK-LABEL: tile.kernel @dynamic
// CHECK: sm.global_aligned %{{.*}} bytes 4
// CHECK: scf.if
// CHECK: sm.st_global %{{.*}} to %{{.*}}[%{{.*}}] if %{{.*}} : vector<2xbf16>
// CHECK: } else {
// CHECK: sm.st_global %{{.*}} to %{{.*}}[%{{.*}}] if %{{.*}} : bf16
tile.kernel @dynamic params ["C"] shapes [affine_map<()[M, N] -> (M, N)>] symbols ["M", "N"] {
^bb0(%C: memref<?x?xbf16, #g>, %M: i32, %N: i32):
  %c1 = arith.constant 1 : i32
  sm.launch grid(%c1) threads 128 program [128, 1, 1] shared 0 {
  ^bb0(%b: i32):
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %row = arith.muli %b, %c64 : i32
    %h = tile.alloc "h" layout <"regs=[2:(0,1) 2:(8,0) 2:(0,8)] threads=[4:(0,2) 8:(1,0) 4:(16,0)] shape=64x16"> : memref<64x16xf32, #f>
    tile.copy %h[%c0, %c0] [64, 16] to %C[%row, %c0] [64, 16] inst <vector> : memref<64x16xf32, #f>, memref<?x?xbf16, #g>
  }
}

// Four column blocks: the quad exchanges its pairs and each lane stores eight
// neighbours. Every lane takes part: only the store is guarded.
// CHECK-LABEL: tile.kernel @exchange
// CHECK: sm.global_aligned %{{.*}} bytes 16
// CHECK: scf.if
// CHECK-NOT: scf.if
// CHECK: %[[V:.*]] = sm.pack {{.*}} -> vector<8xbf16>
// CHECK: %[[W:.*]] = sm.quad_transpose %[[V]] : vector<8xbf16>
// CHECK: sm.st_global %[[W]] to %{{.*}}[%{{.*}}] if %{{.*}} : vector<8xbf16>
// CHECK: } else {
tile.kernel @exchange params ["C"] shapes [affine_map<()[M, N] -> (M, N)>] symbols ["M", "N"] {
^bb0(%C: memref<?x?xbf16, #g>, %M: i32, %N: i32):
  %c1 = arith.constant 1 : i32
  sm.launch grid(%c1) threads 128 program [128, 1, 1] shared 0 {
  ^bb0(%b: i32):
    %c0 = arith.constant 0 : i32
    %h = tile.alloc "h" layout #acc : memref<64x32xf32, #f>
    tile.copy %h[%c0, %c0] [64, 32] to %C[%b, %c0] [64, 32] inst <vector> : memref<64x32xf32, #f>, memref<?x?xbf16, #g>
  }
}

// Many stores one by one are a loop of 16 turns, quick to compile: the array
// rotates through the registers of the first turn.
// CHECK-LABEL: tile.kernel @rolled
// CHECK: } else {
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c16{{[_a-z0-9]*}} step
// CHECK: scf.for
// CHECK: scf.for
// CHECK: scf.for
// CHECK: %[[IN:.*]] = tile.load %[[ARRAY:.*]][%{{.*}}] {{.*}}memref<128xf32
// CHECK: sm.st_global %{{.*}} to %{{.*}}[%{{.*}}] if %{{.*}} : bf16
// CHECK-COUNT-3: } {unroll}
// CHECK-NEXT: sm.rotate %[[ARRAY]] by 8
// CHECK-NEXT: }
// CHECK-NOT: unroll
tile.kernel @rolled params ["C"] shapes [affine_map<()[M, N] -> (M, N)>] symbols ["M", "N"] {
^bb0(%C: memref<?x?xbf16, #g>, %M: i32, %N: i32):
  %c1 = arith.constant 1 : i32
  sm.launch grid(%c1) threads 128 program [128, 1, 1] shared 0 {
  ^bb0(%b: i32):
    %c0 = arith.constant 0 : i32
    %h = tile.alloc "h" layout <"regs=[2:(0,1) 2:(8,0) 32:(0,8)] threads=[4:(0,2) 8:(1,0) 4:(16,0)] shape=64x256"> : memref<64x256xf32, #f>
    tile.copy %h[%c0, %c0] [64, 256] to %C[%b, %c0] [64, 256] inst <vector> : memref<64x256xf32, #f>, memref<?x?xbf16, #g>
  }
}

// Static shape and a tile inside it: no guard, the widest access.
// CHECK-LABEL: tile.kernel @static
// CHECK-NOT: arith.cmpi
// CHECK: sm.ld_global %{{.*}}[%{{.*}}] : memref<64x64xf32, #tile.space<global>> -> vector<4xf32>
// CHECK: sm.st_shared %{{.*}} : vector<4xf32>
tile.kernel @static params ["A"] shapes [affine_map<() -> (64, 64)>] symbols [] {
^bb0(%A: memref<64x64xf32, #g>):
  %c1 = arith.constant 1 : i32
  sm.launch grid(%c1) threads 128 program [128, 1, 1] shared 16384 {
  ^bb0(%b: i32):
    %c0 = arith.constant 0 : i32
    %s = sm.shared "s" offset 0 stages 1 slot_bytes 16384 : memref<64x64xf32, #s>
    tile.copy %A[%c0, %c0] [64, 64] to %s[%c0, %c0] [64, 64] inst <vector> : memref<64x64xf32, #g>, memref<64x64xf32, #s>
  }
}

// Copies of a vector in all threads: one of them stores.
// CHECK-LABEL: tile.kernel @replicated
// CHECK: %[[T:.*]] = sm.thread 0 count 64
// CHECK: arith.divsi %[[T]], %c4
// CHECK: %[[R:.*]] = arith.remsi %[[T]], %c4
// CHECK: %[[P:.*]] = arith.cmpi eq, %[[R]], %c0
// CHECK: scf.if %[[P]]
// CHECK: sm.st_shared
tile.kernel @replicated params [] shapes [] symbols [] {
  %c1 = arith.constant 1 : i32
  sm.launch grid(%c1) threads 64 program [64, 1, 1] shared 64 {
  ^bb0(%b: i32):
    %c0 = arith.constant 0 : i32
    %s = sm.shared "s" offset 0 stages 1 slot_bytes 64 : memref<16xf32, #s>
    %m = tile.alloc "m" layout <"regs=[] threads=[4:(0) 16:(1)] shape=16"> : memref<16xf32, #f>
    tile.copy %m[%c0] [16] to %s[%c0] [16] inst <vector> : memref<16xf32, #f>, memref<16xf32, #s>
  }
}

// A counter is a stage and a phase that count executed spans.
// CHECK-LABEL: tile.kernel @counters
// CHECK: tile.alloc "r_stage" : memref<i32
// CHECK: tile.alloc "r_phase" : memref<i32
// CHECK: %[[P:.*]] = arith.xori
// CHECK: arith.muli %{{.*}}, %c8
// CHECK: sm.mbar_wait %{{.*}} parity %[[P]]
// CHECK: sm.mbar_expect %{{.*}} bytes 1024
// CHECK: arith.cmpi eq, %{{.*}}, %c3
// CHECK: scf.if
tile.kernel @counters params [] shapes [] symbols [] {
  %c1 = arith.constant 1 : i32
  sm.launch grid(%c1) threads 32 program [32, 1, 1] shared 64 {
  ^bb0(%b: i32):
    %full = sm.mbarrier "full" offset 0 stages 3 count 1
    %r = sm.counter "r" depth 3
    %s = sm.counter_stage %r
    %p = sm.counter_phase %r
    sm.mbarrier_wait %full[%s] parity %p invert
    sm.mbarrier_arrive_expect_tx %full[%s] bytes 1024
    sm.counter_advance %r
  }
}
