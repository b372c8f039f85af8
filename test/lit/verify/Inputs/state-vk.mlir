// The state walk with an mma product: h, m and hd are all read by threads.
!state = memref<32x128xf32, #tile.space<fragment>>
!hs = memref<32x128xbf16, #tile.space<shared>>
!ms = memref<128x128xbf16, #tile.space<shared>>
!ht = memref<?x32x128xbf16, #tile.space<global>>
!mt = memref<?x128x128xbf16, #tile.space<global>>
!mask = memref<?xi1, #tile.space<global>>
!cp = memref<?x32x128xf32, #tile.space<global>>
#map = affine_map<()[s0] -> (s0, 32, 128)>
#map1 = affine_map<()[s0] -> (s0, 128, 128)>
#map2 = affine_map<()[s0] -> (s0)>
tile.kernel @h0 params ["ht", "mt", "mask", "cp"] shapes [#map, #map1, #map2, #map] symbols ["n"] {
^bb0(%ht: !ht, %mt: !mt, %mask: !mask, %cp: !cp, %n: i32):
  %one = arith.constant 1 : i32
  sm.launch grid(%one) threads 192 program [128, 1, 1] shared 90176 {
  ^bb0(%bx: i32):
    %hd = sm.shared "hd_shared" offset 81920 stages 1 slot_bytes 8192 swizzle <b128> : !hs  // hd tile
    %h = sm.shared "h_shared" offset 0 stages 2 slot_bytes 8192 swizzle <b128> : !hs
    %h_full = sm.mbarrier "h_shared_full" offset 90112 stages 2 count 1  // h full
    %h_empty = sm.mbarrier "h_shared_empty" offset 90128 stages 2 count 128  // h empty
    %m = sm.shared "m_shared" offset 16384 stages 2 slot_bytes 32768 swizzle <b128> : !ms
    %m_full = sm.mbarrier "m_shared_full" offset 90144 stages 2 count 1
    %m_empty = sm.mbarrier "m_shared_empty" offset 90160 stages 2 count 128  // m empty
    sm.elect {
      sm.mbarrier_init %h_full  // init first
      sm.mbarrier_init %h_empty
      sm.mbarrier_init %m_full
      sm.mbarrier_init %m_empty
      sm.fence_mbarrier_init  // init fence
    }
    sm.bar_sync 0 threads 192  // block barrier
    sm.role "consumer" warps [0, 4] {
      %m_uses = sm.counter "m_shared_uses" depth 2
      %h_uses = sm.counter "h_shared_uses" depth 2
      %c0 = arith.constant 0 : i32
      %state = tile.alloc "h" layout <"regs=[2:(0,1) 2:(8,0) 8:(0,8)] threads=[4:(0,2) 8:(1,0) 2:(16,0) 2:(0,64)] shape=32x128"> : !state
      %cst = arith.constant 0.000000e+00 : f32
      tile.fill %cst to %state[%c0, %c0] [32, 128] layout <"regs=[2:(0,1) 2:(8,0) 8:(0,8)] threads=[4:(0,2) 8:(1,0) 2:(16,0) 2:(0,64)] shape=32x128"> : f32, !state
      %c1 = arith.constant 1 : i32
      scf.for %i = %c0 to %n step %c1  : i32 {
        tile.copy %state[%c0, %c0] [32, 128] to %cp[%i, %c0, %c0] [1, 32, 128] inst <vector> layout <"regs=[2:(0,1) 2:(8,0) 8:(0,8)] threads=[4:(0,2) 8:(1,0) 2:(16,0) 2:(0,64)] shape=32x128"> : !state, !cp
        %f = tile.load %mask[%i] : !mask -> i1
        scf.if %f {
          sm.bar_sync 1 threads 128  // before store
          tile.copy %state[%c0, %c0] [32, 128] to %hd[%c0, %c0] [32, 128] inst <vector> layout <"regs=[2:(0,1) 2:(8,0) 8:(0,8)] threads=[4:(0,2) 8:(1,0) 2:(16,0) 2:(0,64)] shape=32x128"> : !state, !hs  // hd store
          sm.fence_proxy_async  // hd fence
        }
        %hs = sm.counter_stage %h_uses
        %hp = sm.counter_phase %h_uses
        sm.mbarrier_wait %h_full[%hs] parity %hp  // h wait
        %h_slot = sm.slot %h[%hs] : !hs
        tile.copy %h_slot[%c0, %c0] [32, 128] to %state[%c0, %c0] [32, 128] inst <vector> layout <"regs=[2:(0,1) 2:(8,0) 8:(0,8)] threads=[4:(0,2) 8:(1,0) 2:(16,0) 2:(0,64)] shape=32x128"> : !hs, !state  // h read
        sm.fence_proxy_async  // h fence
        sm.mbarrier_arrive %h_empty[%hs]  // h arrive
        sm.counter_advance %h_uses  // h advance
        %g = tile.load %mask[%i] : !mask -> i1
        %ms = sm.counter_stage %m_uses
        %mp = sm.counter_phase %m_uses
        sm.mbarrier_wait %m_full[%ms] parity %mp  // m wait
        %m_slot = sm.slot %m[%ms] : !ms
        scf.if %g {  // gemm if
          sm.bar_sync 1 threads 128  // before product
          sm.mma %hd[%c0, %c0] [32, 128], %m_slot[%c0, %c0] [128, 128] trans_b, %state warps 2 x 2 : !hs, !ms, !state  // product
          sm.fence_proxy_async  // m fence
        }
        sm.mbarrier_arrive %m_empty[%ms]  // m arrive
        sm.counter_advance %m_uses  // m advance
      }
    }
    sm.role "producer" warps [4, 2] {
      sm.role "load_h_shared" warps [4, 1] {
        %fills = sm.counter "h_shared_fills" depth 2
        sm.elect {
          %c0 = arith.constant 0 : i32
          %c1 = arith.constant 1 : i32
          scf.for %i = %c0 to %n step %c1  : i32 {
            %s = sm.counter_stage %fills
            %p = sm.counter_phase %fills
            sm.mbarrier_wait %h_empty[%s] parity %p invert  // h acquire
            %slot = sm.slot %h[%s] : !hs
            sm.mbarrier_arrive_expect_tx %h_full[%s] bytes 8192  // h expect
            sm.tma_load %ht[%i, %c0, %c0] [1, 32, 128] to %slot completes %h_full[%s] : !ht, !hs  // h load
            sm.counter_advance %fills  // h filled
          }
        }
      }
      sm.role "load_m_shared" warps [5, 1] {
        %fills = sm.counter "m_shared_fills" depth 2
        sm.elect {
          %c0 = arith.constant 0 : i32
          %c1 = arith.constant 1 : i32
          scf.for %i = %c0 to %n step %c1  : i32 {
            %s = sm.counter_stage %fills
            %p = sm.counter_phase %fills
            sm.mbarrier_wait %m_empty[%s] parity %p invert  // m acquire
            %slot = sm.slot %m[%s] : !ms
            sm.mbarrier_arrive_expect_tx %m_full[%s] bytes 32768  // m expect
            sm.tma_load %mt[%i, %c0, %c0] [1, 128, 128] to %slot completes %m_full[%s] : !mt, !ms  // m load
            sm.counter_advance %fills  // m filled
          }
        }
      }
    }
  }
}
