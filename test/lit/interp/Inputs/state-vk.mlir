#map = affine_map<()[s0] -> (s0, 32, 128)>
#map1 = affine_map<()[s0] -> (s0, 128, 128)>
#map2 = affine_map<()[s0] -> (s0)>
module {
  tile.kernel @h0 params ["ht", "mt", "mask", "cp"] shapes [#map, #map1, #map2, #map] symbols ["n"] {
  ^bb0(%arg0: memref<?x32x128xbf16, #tile.space<global>>, %arg1: memref<?x128x128xbf16, #tile.space<global>>, %arg2: memref<?xi1, #tile.space<global>>, %arg3: memref<?x32x128xf32, #tile.space<global>>, %arg4: i32):
    %c1_i32 = arith.constant 1 : i32
    sm.launch grid(%c1_i32) threads 192 program [128, 1, 1] shared 90176 {
    ^bb0(%arg5: i32):
      %0 = sm.shared "hd_shared" offset 81920 stages 1 slot_bytes 8192 swizzle <b128> : memref<32x128xbf16, #tile.space<shared>>
      %1 = sm.shared "h_shared" offset 0 stages 2 slot_bytes 8192 swizzle <b128> : memref<32x128xbf16, #tile.space<shared>>
      %2 = sm.mbarrier "h_shared_full" offset 90112 stages 2 count 1
      %3 = sm.mbarrier "h_shared_empty" offset 90128 stages 2 count 128
      %4 = sm.shared "m_shared" offset 16384 stages 2 slot_bytes 32768 swizzle <b128> : memref<128x128xbf16, #tile.space<shared>>
      %5 = sm.mbarrier "m_shared_full" offset 90144 stages 2 count 1
      %6 = sm.mbarrier "m_shared_empty" offset 90160 stages 2 count 128
      sm.elect {
        sm.mbarrier_init %2
        sm.mbarrier_init %3
        sm.mbarrier_init %5
        sm.mbarrier_init %6
        sm.fence_mbarrier_init
      }
      sm.bar_sync 0 threads 192
      sm.role "consumer" warps [0, 4] {
        %7 = sm.counter "m_shared_uses" depth 2
        %8 = sm.counter "h_shared_uses" depth 2
        %c0_i32 = arith.constant 0 : i32
        %9 = tile.alloc "h" layout <"regs=[2:(0,1) 2:(8,0) 8:(0,8)] threads=[4:(0,2) 8:(1,0) 2:(16,0) 2:(0,64)] shape=32x128"> : memref<32x128xf32, #tile.space<fragment>>
        %cst = arith.constant 0.000000e+00 : f32
        tile.fill %cst to %9[%c0_i32, %c0_i32] [32, 128] layout <"regs=[2:(0,1) 2:(8,0) 8:(0,8)] threads=[4:(0,2) 8:(1,0) 2:(16,0) 2:(0,64)] shape=32x128"> : f32, memref<32x128xf32, #tile.space<fragment>>
        %c1_i32_0 = arith.constant 1 : i32
        scf.for %arg6 = %c0_i32 to %arg4 step %c1_i32_0  : i32 {
          tile.copy %9[%c0_i32, %c0_i32] [32, 128] to %arg3[%arg6, %c0_i32, %c0_i32] [1, 32, 128] inst <vector> layout <"regs=[2:(0,1) 2:(8,0) 8:(0,8)] threads=[4:(0,2) 8:(1,0) 2:(16,0) 2:(0,64)] shape=32x128"> : memref<32x128xf32, #tile.space<fragment>>, memref<?x32x128xf32, #tile.space<global>>
          %10 = tile.load %arg2[%arg6] : memref<?xi1, #tile.space<global>> -> i1
          scf.if %10 {
            sm.bar_sync 1 threads 128
            tile.copy %9[%c0_i32, %c0_i32] [32, 128] to %0[%c0_i32, %c0_i32] [32, 128] inst <vector> layout <"regs=[2:(0,1) 2:(8,0) 8:(0,8)] threads=[4:(0,2) 8:(1,0) 2:(16,0) 2:(0,64)] shape=32x128"> : memref<32x128xf32, #tile.space<fragment>>, memref<32x128xbf16, #tile.space<shared>>
            sm.fence_proxy_async
          }
          %11 = sm.counter_stage %8
          %12 = sm.counter_phase %8
          sm.mbarrier_wait %2[%11] parity %12
          %13 = sm.slot %1[%11] : memref<32x128xbf16, #tile.space<shared>>
          tile.copy %13[%c0_i32, %c0_i32] [32, 128] to %9[%c0_i32, %c0_i32] [32, 128] inst <vector> layout <"regs=[2:(0,1) 2:(8,0) 8:(0,8)] threads=[4:(0,2) 8:(1,0) 2:(16,0) 2:(0,64)] shape=32x128"> : memref<32x128xbf16, #tile.space<shared>>, memref<32x128xf32, #tile.space<fragment>>
          sm.fence_proxy_async
          sm.mbarrier_arrive %3[%11]
          sm.counter_advance %8
          %14 = tile.load %arg2[%arg6] : memref<?xi1, #tile.space<global>> -> i1
          %15 = sm.counter_stage %7
          %16 = sm.counter_phase %7
          sm.mbarrier_wait %5[%15] parity %16
          %17 = sm.slot %4[%15] : memref<128x128xbf16, #tile.space<shared>>
          scf.if %14 {
            sm.bar_sync 1 threads 128
            sm.mma %0[%c0_i32, %c0_i32] [32, 128], %17[%c0_i32, %c0_i32] [128, 128] trans_b, %9 warps 2 x 2 : memref<32x128xbf16, #tile.space<shared>>, memref<128x128xbf16, #tile.space<shared>>, memref<32x128xf32, #tile.space<fragment>>
            sm.fence_proxy_async
          }
          sm.mbarrier_arrive %6[%15]
          sm.counter_advance %7
        } {ws.plan = #tile.plan<warp_specialized>, ws.plan_reason = "its tiles are loaded ahead by producer warps", ws.stages = 2 : i64}
      }
      sm.role "producer" warps [4, 2] {
        sm.role "load_h_shared" warps [4, 1] {
          %7 = sm.counter "h_shared_fills" depth 2
          sm.elect {
            %c0_i32 = arith.constant 0 : i32
            %c1_i32_0 = arith.constant 1 : i32
            scf.for %arg6 = %c0_i32 to %arg4 step %c1_i32_0  : i32 {
              %8 = sm.counter_stage %7
              %9 = sm.counter_phase %7
              sm.mbarrier_wait %3[%8] parity %9 invert
              %10 = sm.slot %1[%8] : memref<32x128xbf16, #tile.space<shared>>
              sm.mbarrier_arrive_expect_tx %2[%8] bytes 8192
              sm.tma_load %arg0[%arg6, %c0_i32, %c0_i32] [1, 32, 128] to %10 completes %2[%8] : memref<?x32x128xbf16, #tile.space<global>>, memref<32x128xbf16, #tile.space<shared>>
              sm.counter_advance %7
            } {ws.plan = #tile.plan<warp_specialized>, ws.plan_reason = "its tiles are loaded ahead by producer warps", ws.stages = 2 : i64}
          }
        }
        sm.role "load_m_shared" warps [5, 1] {
          %7 = sm.counter "m_shared_fills" depth 2
          sm.elect {
            %c0_i32 = arith.constant 0 : i32
            %c1_i32_0 = arith.constant 1 : i32
            scf.for %arg6 = %c0_i32 to %arg4 step %c1_i32_0  : i32 {
              %8 = sm.counter_stage %7
              %9 = sm.counter_phase %7
              sm.mbarrier_wait %6[%8] parity %9 invert
              %10 = sm.slot %4[%8] : memref<128x128xbf16, #tile.space<shared>>
              sm.mbarrier_arrive_expect_tx %5[%8] bytes 32768
              sm.tma_load %arg1[%arg6, %c0_i32, %c0_i32] [1, 128, 128] to %10 completes %5[%8] : memref<?x128x128xbf16, #tile.space<global>>, memref<128x128xbf16, #tile.space<shared>>
              sm.counter_advance %7
            } {ws.plan = #tile.plan<warp_specialized>, ws.plan_reason = "its tiles are loaded ahead by producer warps", ws.stages = 2 : i64}
          }
        }
      }
    }
  }
}

