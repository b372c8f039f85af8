// A gemm: one ring of two tiles, both read by wgmma.
!C = memref<?x?xf32, #tile.space<global>>
!A = memref<?x?xbf16, #tile.space<global>>
!As = memref<128x64xbf16, #tile.space<shared>>
!Bs = memref<64x128xbf16, #tile.space<shared>>
!acc = memref<128x128xf32, #tile.space<fragment>>
#map = affine_map<()[s0, s1, s2] -> (s0, s2)>
#map1 = affine_map<()[s0, s1, s2] -> (s2, s1)>
#map2 = affine_map<()[s0, s1, s2] -> (s0, s1)>
tile.kernel @g params ["A", "B", "C"] shapes [#map, #map1, #map2] symbols ["m", "n", "k"] {
^bb0(%A: !A, %B: !A, %C: !C, %M: i32, %N: i32, %K: i32):
  %c1_i32 = arith.constant 1 : i32
  %c127_i32 = arith.constant 127 : i32
  %c128_i32 = arith.constant 128 : i32
  %0 = arith.addi %M, %c127_i32 : i32
  %1 = arith.divsi %0, %c128_i32 : i32
  sm.launch grid(%1, %1) threads 288 program [256, 1, 1] shared 98352 {
  ^bb0(%arg6: i32, %arg7: i32):
    %As = sm.shared "A_s" offset 0 stages 3 slot_bytes 16384 swizzle <b128> : !As
    %Bs = sm.shared "B_s" offset 49152 stages 3 slot_bytes 16384 swizzle <b128> : !Bs
    %full = sm.mbarrier "A_s_B_s_full" offset 98304 stages 3 count 1
    %empty = sm.mbarrier "A_s_B_s_empty" offset 98328 stages 3 count 8  // empty
    sm.elect {
      sm.mbarrier_init %full  // init first
      sm.mbarrier_init %empty
      sm.fence_mbarrier_init  // init fence
    }
    sm.bar_sync 0 threads 288  // block barrier
    sm.role "consumer" warps [0, 8] {
      %uses = sm.counter "A_s_B_s_uses" depth 3
      %c0 = arith.constant 0 : i32
      %c64_i32 = arith.constant 64 : i32
      %turns = arith.divsi %K, %c64_i32 : i32
      %acc = tile.alloc "C_l" layout <"regs=[2:(0,1) 2:(8,0) 8:(0,8) 2:(64,0)] threads=[4:(0,2) 8:(1,0) 4:(16,0) 2:(0,64)] shape=128x128"> : !acc
      %cst = arith.constant 0.000000e+00 : f32
      tile.fill %cst to %acc[%c0, %c0] [128, 128] layout <"regs=[2:(0,1) 2:(8,0) 8:(0,8) 2:(64,0)] threads=[4:(0,2) 8:(1,0) 4:(16,0) 2:(0,64)] shape=128x128"> : f32, !acc
      %9 = arith.muli %arg7, %c128_i32 : i32
      %10 = arith.muli %arg6, %c128_i32 : i32
      %c1_i32_0 = arith.constant 1 : i32
      scf.for %arg8 = %c0 to %turns step %c1_i32_0  : i32 {
        %11 = arith.muli %arg8, %c64_i32 : i32
        %s = sm.counter_stage %uses
        %p = sm.counter_phase %uses
        sm.mbarrier_wait %full[%s] parity %p  // wait
        %a = sm.slot %As[%s] : !As
        %b = sm.slot %Bs[%s] : !Bs
        sm.wgmma_fence  // mma fence
        sm.wgmma %a[%c0, %c0] [128, 64], %b[%c0, %c0] [64, 128], %acc warps 4 x 2 : !As, !Bs, !acc  // product
        sm.wgmma_commit  // mma commit
        sm.wgmma_wait 0  // mma wait
        sm.mbarrier_arrive %empty[%s] per_warp  // arrive
        sm.counter_advance %uses  // advance
      }
      tile.copy %acc[%c0, %c0] [128, 128] to %C[%9, %10] [128, 128] inst <vector> layout <"regs=[2:(0,1) 2:(8,0) 8:(0,8) 2:(64,0)] threads=[4:(0,2) 8:(1,0) 4:(16,0) 2:(0,64)] shape=128x128"> : !acc, !C
    }
    sm.role "producer" warps [8, 1] {
      sm.role "load_A_s_B_s" warps [8, 1] {
        %fills = sm.counter "A_s_B_s_fills" depth 3
        sm.elect {
          %c0_i32 = arith.constant 0 : i32
          %c64_i32 = arith.constant 64 : i32
          %turns = arith.divsi %K, %c64_i32 : i32
          %8 = arith.muli %arg7, %c128_i32 : i32
          %9 = arith.muli %arg6, %c128_i32 : i32
          %c1_i32_0 = arith.constant 1 : i32
          scf.for %arg8 = %c0_i32 to %turns step %c1_i32_0  : i32 {
            %10 = arith.muli %arg8, %c64_i32 : i32
            %s = sm.counter_stage %fills
            %p = sm.counter_phase %fills
            sm.mbarrier_wait %empty[%s] parity %p invert  // acquire
            %a = sm.slot %As[%s] : !As
            %b = sm.slot %Bs[%s] : !Bs
            sm.mbarrier_arrive_expect_tx %full[%s] bytes 32768  // expect
            sm.tma_load %A[%8, %10] [128, 64] to %a completes %full[%s] : !A, !As  // A load
            sm.tma_load %B[%10, %9] [64, 128] to %b completes %full[%s] : !A, !Bs  // B load
            sm.counter_advance %fills  // filled
          }
        }
      }
    }
  }
}
