#map = affine_map<()[s0, s1, s2] -> (s0, s2)>
#map1 = affine_map<()[s0, s1, s2] -> (s2, s1)>
#map2 = affine_map<()[s0, s1, s2] -> (s0, s1)>
module {
  tile.kernel @g params ["A", "B", "C"] shapes [#map, #map1, #map2] symbols ["m", "n", "k"] {
  ^bb0(%arg0: memref<?x?xbf16, #tile.space<global>>, %arg1: memref<?x?xbf16, #tile.space<global>>, %arg2: memref<?x?xf32, #tile.space<global>>, %arg3: i32, %arg4: i32, %arg5: i32):
    %c1_i32 = arith.constant 1 : i32
    %c127_i32 = arith.constant 127 : i32
    %c128_i32 = arith.constant 128 : i32
    %0 = arith.addi %arg3, %c127_i32 : i32
    %1 = arith.divsi %0, %c128_i32 : i32
    sm.launch grid(%1, %1) threads 288 program [256, 1, 1] shared 98352 {
    ^bb0(%arg6: i32, %arg7: i32):
      %2 = sm.shared "A_s" offset 0 stages 3 slot_bytes 16384 swizzle <b128> : memref<128x64xbf16, #tile.space<shared>>
      %3 = sm.shared "B_s" offset 49152 stages 3 slot_bytes 16384 swizzle <b128> : memref<64x128xbf16, #tile.space<shared>>
      %4 = sm.mbarrier "A_s_B_s_full" offset 98304 stages 3 count 1
      %5 = sm.mbarrier "A_s_B_s_empty" offset 98328 stages 3 count 8
      sm.elect {
        sm.mbarrier_init %4
        sm.mbarrier_init %5
        sm.fence_mbarrier_init
      }
      sm.bar_sync 0 threads 288
      sm.role "consumer" warps [0, 8] {
        %6 = sm.counter "A_s_B_s_uses" depth 3
        %c0_i32 = arith.constant 0 : i32
        %c64_i32 = arith.constant 64 : i32
        %7 = arith.divsi %arg5, %c64_i32 : i32
        %8 = tile.alloc "C_l" layout <"regs=[2:(0,1) 2:(8,0) 8:(0,8) 2:(64,0)] threads=[4:(0,2) 8:(1,0) 4:(16,0) 2:(0,64)] shape=128x128"> : memref<128x128xf32, #tile.space<fragment>>
        %cst = arith.constant 0.000000e+00 : f32
        tile.fill %cst to %8[%c0_i32, %c0_i32] [128, 128] layout <"regs=[2:(0,1) 2:(8,0) 8:(0,8) 2:(64,0)] threads=[4:(0,2) 8:(1,0) 4:(16,0) 2:(0,64)] shape=128x128"> : f32, memref<128x128xf32, #tile.space<fragment>>
        %9 = arith.muli %arg7, %c128_i32 : i32
        %10 = arith.muli %arg6, %c128_i32 : i32
        %c1_i32_0 = arith.constant 1 : i32
        scf.for %arg8 = %c0_i32 to %7 step %c1_i32_0  : i32 {
          %11 = arith.muli %arg8, %c64_i32 : i32
          %12 = sm.counter_stage %6
          %13 = sm.counter_phase %6
          sm.mbarrier_wait %4[%12] parity %13
          %14 = sm.slot %2[%12] : memref<128x64xbf16, #tile.space<shared>>
          %15 = sm.slot %3[%12] : memref<64x128xbf16, #tile.space<shared>>
          sm.wgmma_fence
          sm.wgmma %14[%c0_i32, %c0_i32] [128, 64], %15[%c0_i32, %c0_i32] [64, 128], %8 warps 4 x 2 : memref<128x64xbf16, #tile.space<shared>>, memref<64x128xbf16, #tile.space<shared>>, memref<128x128xf32, #tile.space<fragment>>
          sm.wgmma_commit
          sm.wgmma_wait 0
          sm.mbarrier_arrive %5[%12] per_warp
          sm.counter_advance %6
        } {ws.plan = #tile.plan<warp_specialized>, ws.plan_reason = "its tiles are loaded ahead by producer warps", ws.stages = 3 : i64}
        tile.copy %8[%c0_i32, %c0_i32] [128, 128] to %arg2[%9, %10] [128, 128] inst <vector> layout <"regs=[2:(0,1) 2:(8,0) 8:(0,8) 2:(64,0)] threads=[4:(0,2) 8:(1,0) 4:(16,0) 2:(0,64)] shape=128x128"> : memref<128x128xf32, #tile.space<fragment>>, memref<?x?xf32, #tile.space<global>>
      }
      sm.role "producer" warps [8, 1] {
        sm.role "load_A_s_B_s" warps [8, 1] {
          %6 = sm.counter "A_s_B_s_fills" depth 3
          sm.elect {
            %c0_i32 = arith.constant 0 : i32
            %c64_i32 = arith.constant 64 : i32
            %7 = arith.divsi %arg5, %c64_i32 : i32
            %8 = arith.muli %arg7, %c128_i32 : i32
            %9 = arith.muli %arg6, %c128_i32 : i32
            %c1_i32_0 = arith.constant 1 : i32
            scf.for %arg8 = %c0_i32 to %7 step %c1_i32_0  : i32 {
              %10 = arith.muli %arg8, %c64_i32 : i32
              %11 = sm.counter_stage %6
              %12 = sm.counter_phase %6
              sm.mbarrier_wait %5[%11] parity %12 invert
              %13 = sm.slot %2[%11] : memref<128x64xbf16, #tile.space<shared>>
              %14 = sm.slot %3[%11] : memref<64x128xbf16, #tile.space<shared>>
              sm.mbarrier_arrive_expect_tx %4[%11] bytes 32768
              sm.tma_load %arg0[%8, %10] [128, 64] to %13 completes %4[%11] : memref<?x?xbf16, #tile.space<global>>, memref<128x64xbf16, #tile.space<shared>>
              sm.tma_load %arg1[%10, %9] [64, 128] to %14 completes %4[%11] : memref<?x?xbf16, #tile.space<global>>, memref<64x128xbf16, #tile.space<shared>>
              sm.counter_advance %6
            } {ws.plan = #tile.plan<warp_specialized>, ws.plan_reason = "its tiles are loaded ahead by producer warps", ws.stages = 3 : i64}
          }
        }
      }
    }
  }
}

