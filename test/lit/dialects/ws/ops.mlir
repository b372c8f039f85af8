// RUN: tlc-opt %s | tlc-opt | FileCheck %s

// Round trip of every op of the dialect.

!S = memref<128x32xbf16, #tile.space<shared>>

// CHECK-LABEL: tile.kernel @roles
tile.kernel @roles params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  tile.launch grid(%n) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %s = tile.alloc "s" : !S
    %t = tile.alloc "t" : !S
    // CHECK: ws.ring "s_t" depth 2(%{{.*}}, %{{.*}}) reason "why" :
    %r = ws.ring "s_t" depth 2 (%s, %t) reason "why" : !S, !S
    %g = tile.alloc "g" : !S
    // CHECK: ws.ring "g" depth 2(%{{.*}}) groups :
    %groups = ws.ring "g" depth 2 (%g) groups : !S
    // CHECK: ws.role "consumer" warps [0, 4] registers 240 {
    ws.role "consumer" warps [0, 4] registers 240 {
      // CHECK: %[[TOKEN:.*]], %[[VIEWS:.*]]:2 = ws.wait
      %token, %views:2 = ws.wait %r : !S, !S
      // CHECK: ws.fence <proxy_async>(%[[VIEWS]]#0 : {{.*}}) reason "why"
      ws.fence <proxy_async> (%views#0 : !S) reason "why"
      // CHECK: ws.fence <membar> source
      ws.fence <membar> source
      // CHECK: ws.release %[[TOKEN]] reason "last use"
      ws.release %token reason "last use"
      // CHECK: ws.barrier source
      ws.barrier source
      // CHECK: ws.mma_fence
      ws.mma_fence
      // CHECK: ws.group_commit %{{.*}}
      ws.group_commit %groups
      // CHECK: ws.group_wait 1 reason "full"
      ws.group_wait 1 reason "full"
      // CHECK: ws.mma_wait 1
      ws.mma_wait 1
    }
    ws.role "producer" warps [4, 4] {
      // CHECK: ws.elect {
      ws.elect {
        // CHECK: %[[WRITE:.*]], %{{.*}}:2 = ws.acquire
        %token, %views:2 = ws.acquire %r : !S, !S
        // CHECK: ws.commit %[[WRITE]]
        ws.commit %token
      }
    }
  }
}
