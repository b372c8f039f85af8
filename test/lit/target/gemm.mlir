// A warp-specialised product: two consumer warpgroups, one producer warpgroup,
// four slots. The text is complete CUDA.
// RUN: tlc-opt %s --convert-sm-to-threads --emit-cuda -o /dev/null | FileCheck %s

#g = #tile.space<global>
#s = #tile.space<shared>
#f = #tile.space<fragment>
#acc = #tile.fragment_layout<"regs=[2:(0,1) 2:(8,0) 16:(0,8)] threads=[4:(0,2) 8:(1,0) 8:(16,0)] shape=128x128">

// Four instructions in one asm: the first may clear, the others add.
// CHECK: void wgmma_m64n128k16_bf16_nt_x4(float *d, u64 a0, u64 b0, u64 a1, u64 b1,
// CHECK: setp.ne.b32 P, %72, 0;
// CHECK-NEXT: wgmma.mma_async
// CHECK-NEXT: %64, %65, P, 1, 1, 0, 1;
// CHECK-NEXT: setp.eq.b32 P, 0, 0;
// CHECK-COUNT-3: wgmma.mma_async
// CHECK-LABEL: gemm_kernel(const __grid_constant__ TensorMap A_map,
// CHECK-NEXT: const __grid_constant__ TensorMap B_map,
// CHECK-NEXT: bf16 *C,
// CHECK: panel_rows(8, bx, by);
// CHECK: if (warp < 8) { // consumer
// CHECK: setmaxnreg_inc<240>();
// CHECK: #pragma unroll 1
// CHECK: mbar_wait(
// CHECK: keep(C_local);
// CHECK: wgmma_fence();
// CHECK: wgmma_m64n128k16_bf16_nt_x4(C_local, desc_a, desc_b, desc_a + 2, desc_b + 128, {{.*}}, 1);
// CHECK: wgmma_commit();
// CHECK: wgmma_wait<0>();
// CHECK: keep(C_local);
// CHECK: mbar_arrive_warp(
// CHECK: quad_transpose(
// CHECK: st_global_b128(
// CHECK: } else if (warp >= 8) { // producer
// CHECK: if (warp == 8 && elect_one()) {
// CHECK: mbar_expect({{.*}}, 32768);
// CHECK: tma_load_2d(
tile.kernel @gemm params ["A", "B", "C"]
    shapes [affine_map<()[M, N, K] -> (M, K)>, affine_map<()[M, N, K] -> (K, N)>, affine_map<()[M, N, K] -> (M, N)>]
    symbols ["M", "N", "K"] {
^bb0(%A: memref<?x?xbf16, #g>, %B: memref<?x?xbf16, #g>, %C: memref<?x?xbf16, #g>, %M: i32, %N: i32, %K: i32):
  %c128 = arith.constant 128 : i32
  %c64 = arith.constant 64 : i32
  %gx = arith.ceildivsi %N, %c128 : i32
  %gy = arith.ceildivsi %M, %c128 : i32
  sm.launch grid(%gx, %gy) threads 384 program [256, 1, 1] shared 131136 swizzle 8 {
  ^bb1(%bx: i32, %by: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant 0.0 : f32
    %As = sm.shared "A_shared" offset 0 stages 4 slot_bytes 16384 swizzle <b128> : memref<128x64xbf16, #s>
    %Bs = sm.shared "B_shared" offset 65536 stages 4 slot_bytes 16384 swizzle <b128> : memref<64x128xbf16, #s>
    %full = sm.mbarrier "full" offset 131072 stages 4 count 1
    %empty = sm.mbarrier "empty" offset 131104 stages 4 count 8
    sm.elect {
      sm.mbarrier_init %full
      sm.mbarrier_init %empty
      sm.fence_mbarrier_init
    }
    sm.bar_sync 0 threads 384
    %kk = arith.ceildivsi %K, %c64 : i32
    %row = arith.muli %by, %c128 : i32
    %col = arith.muli %bx, %c128 : i32
    sm.role "consumer" warps [0, 8] {
      sm.setmaxnreg 240 increase
      %acc = tile.alloc "C_local" layout #acc : memref<128x128xf32, #f>
      tile.fill %zero to %acc[%c0, %c0] [128, 128] : f32, memref<128x128xf32, #f>
      %ring = sm.counter "ring" depth 4
      scf.for %k = %c0 to %kk step %c1 : i32 {
        %stage = sm.counter_stage %ring
        %phase = sm.counter_phase %ring
        sm.mbarrier_wait %full[%stage] parity %phase
        %a = sm.slot %As[%stage] : memref<128x64xbf16, #s>
        %b = sm.slot %Bs[%stage] : memref<64x128xbf16, #s>
        sm.wgmma_fence
        sm.wgmma %a[%c0, %c0] [128, 64], %b[%c0, %c0] [64, 128], %acc warps 8 x 1 : memref<128x64xbf16, #s>, memref<64x128xbf16, #s>, memref<128x128xf32, #f>
        sm.wgmma_commit
        sm.wgmma_wait 0
        sm.mbarrier_arrive %empty[%stage] per_warp
        sm.counter_advance %ring
      }
      tile.copy %acc[%c0, %c0] [128, 128] to %C[%row, %col] [128, 128] inst <vector> : memref<128x128xf32, #f>, memref<?x?xbf16, #g>
    }
    sm.role "producer" warps [8, 4] {
      sm.setmaxnreg 24
      sm.elect {
        %ring = sm.counter "ring" depth 4
        scf.for %k = %c0 to %kk step %c1 : i32 {
          %stage = sm.counter_stage %ring
          %phase = sm.counter_phase %ring
          sm.mbarrier_wait %empty[%stage] parity %phase invert
          sm.mbarrier_arrive_expect_tx %full[%stage] bytes 32768
          %a = sm.slot %As[%stage] : memref<128x64xbf16, #s>
          %b = sm.slot %Bs[%stage] : memref<64x128xbf16, #s>
          %k0 = arith.muli %k, %c64 : i32
          sm.tma_load %A[%row, %k0] [128, 64] to %a completes %full[%stage] : memref<?x?xbf16, #g>, memref<128x64xbf16, #s>
          sm.tma_load %B[%k0, %col] [64, 128] to %b completes %full[%stage] : memref<?x?xbf16, #g>, memref<64x128xbf16, #s>
          sm.counter_advance %ring
        }
      }
    }
  }
}
