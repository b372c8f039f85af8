#map = affine_map<()[s0] -> (s0, 128, 32)>
#map1 = affine_map<()[s0] -> (s0, 128, 128)>
#map2 = affine_map<()[s0] -> (s0)>
module {
  tile.kernel @h0 params ["ht", "mt", "mask", "cp"] shapes [#map, #map1, #map2, #map] symbols ["n"] {
  ^bb0(%arg0: memref<?x128x32xbf16, #tile.space<global>>, %arg1: memref<?x128x128xbf16, #tile.space<global>>, %arg2: memref<?xi1, #tile.space<global>>, %arg3: memref<?x128x32xf32, #tile.space<global>>, %arg4: i32):
    %c1_i32 = arith.constant 1 : i32
    sm.launch grid(%c1_i32) threads 128 program [128, 1, 1] shared 90176 {
    ^bb0(%arg5: i32):
      %0 = sm.shared "hd_shared" offset 81920 stages 1 slot_bytes 8192 swizzle <b64> : memref<128x32xbf16, #tile.space<shared>>
      %1 = sm.shared "h_shared" offset 65536 stages 2 slot_bytes 8192 swizzle <b64> : memref<128x32xbf16, #tile.space<shared>>
      %2 = sm.mbarrier "h_shared_full" offset 90112 stages 2 count 1
      %3 = sm.mbarrier "h_shared_empty" offset 90128 stages 2 count 128
      %4 = sm.shared "m_shared" offset 0 stages 2 slot_bytes 32768 swizzle <b128> : memref<128x128xbf16, #tile.space<shared>>
      %5 = sm.mbarrier "m_shared_full" offset 90144 stages 2 count 1
      %6 = sm.mbarrier "m_shared_empty" offset 90160 stages 2 count 4
      sm.elect {
        sm.mbarrier_init %2
        sm.mbarrier_init %3
        sm.mbarrier_init %5
        sm.mbarrier_init %6
        sm.fence_mbarrier_init
      }
      sm.bar_sync 0 threads 128
      sm.role "block" warps [0, 4] {
        %7 = sm.counter "m_shared_uses" depth 2
        %8 = sm.counter "h_shared_uses" depth 2
        %9 = sm.counter "m_shared_fills" depth 2
        %10 = sm.counter "h_shared_fills" depth 2
        %c0_i32 = arith.constant 0 : i32
        %11 = tile.alloc "h" layout <"regs=[2:(0,1) 2:(8,0) 4:(0,8) 2:(64,0)] threads=[4:(0,2) 8:(1,0) 4:(16,0)] shape=128x32"> : memref<128x32xf32, #tile.space<fragment>>
        %cst = arith.constant 0.000000e+00 : f32
        tile.fill %cst to %11[%c0_i32, %c0_i32] [128, 32] layout <"regs=[2:(0,1) 2:(8,0) 4:(0,8) 2:(64,0)] threads=[4:(0,2) 8:(1,0) 4:(16,0)] shape=128x32"> : f32, memref<128x32xf32, #tile.space<fragment>>
        %c2_i32 = arith.constant 2 : i32
        %c1_i32_0 = arith.constant 1 : i32
        %12 = arith.addi %c0_i32, %c2_i32 : i32
        %13 = arith.minsi %12, %arg4 : i32
        scf.for %arg6 = %c0_i32 to %13 step %c1_i32_0  : i32 {
          sm.elect {
            %16 = sm.counter_stage %10
            %17 = sm.counter_phase %10
            sm.mbarrier_wait %3[%16] parity %17 invert
            %18 = sm.slot %1[%16] : memref<128x32xbf16, #tile.space<shared>>
            sm.mbarrier_arrive_expect_tx %2[%16] bytes 8192
            sm.tma_load %arg0[%arg6, %c0_i32, %c0_i32] [1, 128, 32] to %18 completes %2[%16] : memref<?x128x32xbf16, #tile.space<global>>, memref<128x32xbf16, #tile.space<shared>>
            sm.counter_advance %10
          }
        }
        %c2_i32_1 = arith.constant 2 : i32
        %c1_i32_2 = arith.constant 1 : i32
        %14 = arith.addi %c0_i32, %c2_i32_1 : i32
        %15 = arith.minsi %14, %arg4 : i32
        scf.for %arg6 = %c0_i32 to %15 step %c1_i32_2  : i32 {
          sm.elect {
            %16 = sm.counter_stage %9
            %17 = sm.counter_phase %9
            sm.mbarrier_wait %6[%16] parity %17 invert
            %18 = sm.slot %4[%16] : memref<128x128xbf16, #tile.space<shared>>
            sm.mbarrier_arrive_expect_tx %5[%16] bytes 32768
            sm.tma_load %arg1[%arg6, %c0_i32, %c0_i32] [1, 128, 128] to %18 completes %5[%16] : memref<?x128x128xbf16, #tile.space<global>>, memref<128x128xbf16, #tile.space<shared>>
            sm.counter_advance %9
          }
        }
        %c1_i32_3 = arith.constant 1 : i32
        scf.for %arg6 = %c0_i32 to %arg4 step %c1_i32_3  : i32 {
          tile.copy %11[%c0_i32, %c0_i32] [128, 32] to %arg3[%arg6, %c0_i32, %c0_i32] [1, 128, 32] inst <vector> layout <"regs=[2:(0,1) 2:(8,0) 4:(0,8) 2:(64,0)] threads=[4:(0,2) 8:(1,0) 4:(16,0)] shape=128x32"> : memref<128x32xf32, #tile.space<fragment>>, memref<?x128x32xf32, #tile.space<global>>
          %16 = tile.load %arg2[%arg6] : memref<?xi1, #tile.space<global>> -> i1
          scf.if %16 {
            sm.bar_sync 0 threads 128
            tile.copy %11[%c0_i32, %c0_i32] [128, 32] to %0[%c0_i32, %c0_i32] [128, 32] inst <vector> layout <"regs=[2:(0,1) 2:(8,0) 4:(0,8) 2:(64,0)] threads=[4:(0,2) 8:(1,0) 4:(16,0)] shape=128x32"> : memref<128x32xf32, #tile.space<fragment>>, memref<128x32xbf16, #tile.space<shared>>
            sm.fence_proxy_async
          }
          %17 = sm.counter_stage %8
          %18 = sm.counter_phase %8
          sm.mbarrier_wait %2[%17] parity %18
          %19 = sm.slot %1[%17] : memref<128x32xbf16, #tile.space<shared>>
          tile.copy %19[%c0_i32, %c0_i32] [128, 32] to %11[%c0_i32, %c0_i32] [128, 32] inst <vector> layout <"regs=[2:(0,1) 2:(8,0) 4:(0,8) 2:(64,0)] threads=[4:(0,2) 8:(1,0) 4:(16,0)] shape=128x32"> : memref<128x32xbf16, #tile.space<shared>>, memref<128x32xf32, #tile.space<fragment>>
          sm.fence_proxy_async
          sm.mbarrier_arrive %3[%17]
          sm.counter_advance %8
          %20 = tile.load %arg2[%arg6] : memref<?xi1, #tile.space<global>> -> i1
          %21 = sm.counter_stage %7
          %22 = sm.counter_phase %7
          sm.mbarrier_wait %5[%21] parity %22
          %23 = sm.slot %4[%21] : memref<128x128xbf16, #tile.space<shared>>
          scf.if %20 {
            sm.bar_sync 0 threads 128
            sm.wgmma_fence
            sm.wgmma %23[%c0_i32, %c0_i32] [128, 128], %0[%c0_i32, %c0_i32] [128, 32], %11 warps 4 x 1 : memref<128x128xbf16, #tile.space<shared>>, memref<128x32xbf16, #tile.space<shared>>, memref<128x32xf32, #tile.space<fragment>>
            sm.wgmma_commit
            sm.wgmma_wait 0
          }
          sm.mbarrier_arrive %6[%21] per_warp
          sm.counter_advance %7
          %24 = arith.addi %arg6, %c2_i32 : i32
          %25 = arith.cmpi slt, %24, %arg4 : i32
          scf.if %25 {
            sm.elect {
              %28 = sm.counter_stage %10
              %29 = sm.counter_phase %10
              sm.mbarrier_wait %3[%28] parity %29 invert
              %30 = sm.slot %1[%28] : memref<128x32xbf16, #tile.space<shared>>
              sm.mbarrier_arrive_expect_tx %2[%28] bytes 8192
              sm.tma_load %arg0[%24, %c0_i32, %c0_i32] [1, 128, 32] to %30 completes %2[%28] : memref<?x128x32xbf16, #tile.space<global>>, memref<128x32xbf16, #tile.space<shared>>
              sm.counter_advance %10
            }
          }
          %26 = arith.addi %arg6, %c2_i32_1 : i32
          %27 = arith.cmpi slt, %26, %arg4 : i32
          scf.if %27 {
            sm.elect {
              %28 = sm.counter_stage %9
              %29 = sm.counter_phase %9
              sm.mbarrier_wait %6[%28] parity %29 invert
              %30 = sm.slot %4[%28] : memref<128x128xbf16, #tile.space<shared>>
              sm.mbarrier_arrive_expect_tx %5[%28] bytes 32768
              sm.tma_load %arg1[%26, %c0_i32, %c0_i32] [1, 128, 128] to %30 completes %5[%28] : memref<?x128x128xbf16, #tile.space<global>>, memref<128x128xbf16, #tile.space<shared>>
              sm.counter_advance %9
            }
          }
        } {ws.plan = #tile.plan<pipelined>, ws.plan_reason = "warp specialization is switched off", ws.stages = 2 : i64}
      }
    }
  }
}

