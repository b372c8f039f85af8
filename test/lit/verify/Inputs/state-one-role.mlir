// The state walk without specialization: one thread of the role refills slots.
!state = memref<128x32xf32, #tile.space<fragment>>
!hs = memref<128x32xbf16, #tile.space<shared>>
!ms = memref<128x128xbf16, #tile.space<shared>>
!ht = memref<?x128x32xbf16, #tile.space<global>>
!mt = memref<?x128x128xbf16, #tile.space<global>>
!mask = memref<?xi1, #tile.space<global>>
!cp = memref<?x128x32xf32, #tile.space<global>>
#map = affine_map<()[s0] -> (s0, 128, 32)>
#map1 = affine_map<()[s0] -> (s0, 128, 128)>
#map2 = affine_map<()[s0] -> (s0)>
tile.kernel @h0 params ["ht", "mt", "mask", "cp"] shapes [#map, #map1, #map2, #map] symbols ["n"] {
^bb0(%ht: !ht, %mt: !mt, %mask: !mask, %cp: !cp, %n: i32):
  %one = arith.constant 1 : i32
  sm.launch grid(%one) threads 128 program [128, 1, 1] shared 90176 {
  ^bb0(%bx: i32):
    %hd = sm.shared "hd_shared" offset 81920 stages 1 slot_bytes 8192 swizzle <b64> : !hs
    %h = sm.shared "h_shared" offset 65536 stages 2 slot_bytes 8192 swizzle <b64> : !hs
    %h_full = sm.mbarrier "h_shared_full" offset 90112 stages 2 count 1
    %h_empty = sm.mbarrier "h_shared_empty" offset 90128 stages 2 count 128
    %m = sm.shared "m_shared" offset 0 stages 2 slot_bytes 32768 swizzle <b128> : !ms
    %m_full = sm.mbarrier "m_shared_full" offset 90144 stages 2 count 1
    %m_empty = sm.mbarrier "m_shared_empty" offset 90160 stages 2 count 4
    sm.elect {
      sm.mbarrier_init %h_full  // init first
      sm.mbarrier_init %h_empty
      sm.mbarrier_init %m_full
      sm.mbarrier_init %m_empty
      sm.fence_mbarrier_init  // init fence
    }
    sm.bar_sync 0 threads 128  // block barrier
    sm.role "block" warps [0, 4] {
      %m_uses = sm.counter "m_shared_uses" depth 2
      %h_uses = sm.counter "h_shared_uses" depth 2
      %m_fills = sm.counter "m_shared_fills" depth 2
      %h_fills = sm.counter "h_shared_fills" depth 2
      %c0 = arith.constant 0 : i32
      %state = tile.alloc "h" layout <"regs=[2:(0,1) 2:(8,0) 4:(0,8) 2:(64,0)] threads=[4:(0,2) 8:(1,0) 4:(16,0)] shape=128x32"> : !state
      %cst = arith.constant 0.000000e+00 : f32
      tile.fill %cst to %state[%c0, %c0] [128, 32] layout <"regs=[2:(0,1) 2:(8,0) 4:(0,8) 2:(64,0)] threads=[4:(0,2) 8:(1,0) 4:(16,0)] shape=128x32"> : f32, !state
      %c2_i32 = arith.constant 2 : i32
      %c1_i32_0 = arith.constant 1 : i32
      %12 = arith.addi %c0, %c2_i32 : i32
      %13 = arith.minsi %12, %n : i32
      scf.for %i = %c0 to %13 step %c1_i32_0  : i32 {
        sm.elect {
          %16 = sm.counter_stage %h_fills
          %17 = sm.counter_phase %h_fills
          sm.mbarrier_wait %h_empty[%16] parity %17 invert
          %18 = sm.slot %h[%16] : !hs
          sm.mbarrier_arrive_expect_tx %h_full[%16] bytes 8192
          sm.tma_load %ht[%i, %c0, %c0] [1, 128, 32] to %18 completes %h_full[%16] : !ht, !hs
          sm.counter_advance %h_fills
        }
      }
      %c2_i32_1 = arith.constant 2 : i32
      %c1_i32_2 = arith.constant 1 : i32
      %14 = arith.addi %c0, %c2_i32_1 : i32
      %15 = arith.minsi %14, %n : i32
      scf.for %i = %c0 to %15 step %c1_i32_2  : i32 {
        sm.elect {
          %16 = sm.counter_stage %m_fills
          %17 = sm.counter_phase %m_fills
          sm.mbarrier_wait %m_empty[%16] parity %17 invert
          %18 = sm.slot %m[%16] : !ms
          sm.mbarrier_arrive_expect_tx %m_full[%16] bytes 32768
          sm.tma_load %mt[%i, %c0, %c0] [1, 128, 128] to %18 completes %m_full[%16] : !mt, !ms
          sm.counter_advance %m_fills
        }
      }
      %c1_i32_3 = arith.constant 1 : i32
      scf.for %i = %c0 to %n step %c1_i32_3  : i32 {
        tile.copy %state[%c0, %c0] [128, 32] to %cp[%i, %c0, %c0] [1, 128, 32] inst <vector> layout <"regs=[2:(0,1) 2:(8,0) 4:(0,8) 2:(64,0)] threads=[4:(0,2) 8:(1,0) 4:(16,0)] shape=128x32"> : !state, !cp
        %16 = tile.load %mask[%i] : !mask -> i1
        scf.if %16 {
          sm.bar_sync 0 threads 128
          tile.copy %state[%c0, %c0] [128, 32] to %hd[%c0, %c0] [128, 32] inst <vector> layout <"regs=[2:(0,1) 2:(8,0) 4:(0,8) 2:(64,0)] threads=[4:(0,2) 8:(1,0) 4:(16,0)] shape=128x32"> : !state, !hs
          sm.fence_proxy_async
        }
        %17 = sm.counter_stage %h_uses
        %18 = sm.counter_phase %h_uses
        sm.mbarrier_wait %h_full[%17] parity %18
        %19 = sm.slot %h[%17] : !hs
        tile.copy %19[%c0, %c0] [128, 32] to %state[%c0, %c0] [128, 32] inst <vector> layout <"regs=[2:(0,1) 2:(8,0) 4:(0,8) 2:(64,0)] threads=[4:(0,2) 8:(1,0) 4:(16,0)] shape=128x32"> : !hs, !state
        sm.fence_proxy_async  // h fence
        sm.mbarrier_arrive %h_empty[%17]
        sm.counter_advance %h_uses
        %20 = tile.load %mask[%i] : !mask -> i1
        %21 = sm.counter_stage %m_uses
        %22 = sm.counter_phase %m_uses
        sm.mbarrier_wait %m_full[%21] parity %22
        %23 = sm.slot %m[%21] : !ms
        scf.if %20 {
          sm.bar_sync 0 threads 128
          sm.wgmma_fence
          sm.wgmma %23[%c0, %c0] [128, 128], %hd[%c0, %c0] [128, 32], %state warps 4 x 1 : !ms, !hs, !state
          sm.wgmma_commit
          sm.wgmma_wait 0
        }
        sm.mbarrier_arrive %m_empty[%21] per_warp
        sm.counter_advance %m_uses
        %24 = arith.addi %i, %c2_i32 : i32
        %25 = arith.cmpi slt, %24, %n : i32
        scf.if %25 {
          sm.elect {
            %28 = sm.counter_stage %h_fills
            %29 = sm.counter_phase %h_fills
            sm.mbarrier_wait %h_empty[%28] parity %29 invert
            %30 = sm.slot %h[%28] : !hs
            sm.mbarrier_arrive_expect_tx %h_full[%28] bytes 8192
            sm.tma_load %ht[%24, %c0, %c0] [1, 128, 32] to %30 completes %h_full[%28] : !ht, !hs
            sm.counter_advance %h_fills
          }
        }
        %26 = arith.addi %i, %c2_i32_1 : i32
        %27 = arith.cmpi slt, %26, %n : i32
        scf.if %27 {
          sm.elect {
            %28 = sm.counter_stage %m_fills
            %29 = sm.counter_phase %m_fills
            sm.mbarrier_wait %m_empty[%28] parity %29 invert
            %30 = sm.slot %m[%28] : !ms
            sm.mbarrier_arrive_expect_tx %m_full[%28] bytes 32768
            sm.tma_load %mt[%26, %c0, %c0] [1, 128, 128] to %30 completes %m_full[%28] : !mt, !ms
            sm.counter_advance %m_fills
          }
        }
      }
    }
  }
}
