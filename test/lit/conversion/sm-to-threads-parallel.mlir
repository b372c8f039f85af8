// Parallel loops: fragments follow the loop's layout, a row vector is replicated,
// guards keep points and stores where they belong.
// RUN: tlc-opt %s --convert-sm-to-threads | FileCheck %s

#g = #tile.space<global>
#s = #tile.space<shared>
#f = #tile.space<fragment>
#acc = #tile.fragment_layout<"regs=[2:(0,1) 2:(8,0) 4:(0,8)] threads=[4:(0,2) 8:(1,0) 4:(16,0)] shape=64x32">
#row = #tile.fragment_layout<"regs=[2:(8)] threads=[4:(0) 8:(1) 4:(16)] shape=64">

// CHECK-LABEL: tile.kernel @rows
// CHECK: %[[ACC:.*]] = tile.alloc "acc" : memref<16xf32
// CHECK: %[[M:.*]] = tile.alloc "m" : memref<2xf32
// CHECK: scf.for %[[J:.*]] = %c0{{.*}} to %c4
// CHECK: scf.for %[[R:.*]] = %c0{{.*}} to %c2
// CHECK: scf.for %[[I:.*]] = %c0{{.*}} to %c2
// CHECK: %[[X:.*]] = tile.load %[[ACC]][%{{.*}}] in_bounds
// CHECK: %[[Y:.*]] = tile.load %[[M]][%[[R]]] in_bounds
// CHECK: arith.mulf %[[X]], %[[Y]]
tile.kernel @rows params [] shapes [] symbols [] {
  %c1 = arith.constant 1 : i32
  sm.launch grid(%c1) threads 128 program [128, 1, 1] shared 0 {
  ^bb0(%b: i32):
    %acc = tile.alloc "acc" layout #acc : memref<64x32xf32, #f>
    %m = tile.alloc "m" layout #row : memref<64xf32, #f>
    tile.parallel [64, 32] layout #acc {
    ^bb1(%i: i32, %j: i32):
      %x = tile.load %acc[%i, %j] : memref<64x32xf32, #f> -> f32
      %y = tile.load %m[%i] : memref<64xf32, #f> -> f32
      %z = arith.mulf %x, %y : f32
      tile.store %z to %acc[%i, %j] : f32, memref<64x32xf32, #f>
    }
  }
}

// 100 points on 96 threads: two turns, the last one guarded. The global tensor's
// own bound is checked at the access.
// CHECK-LABEL: tile.kernel @odd
// CHECK: scf.for
// CHECK: %[[IN:.*]] = arith.cmpi slt, %{{.*}}, %c100
// CHECK: scf.if %[[IN]]
// CHECK: %[[OK:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : i32
// CHECK: sm.st_global %{{.*}} if %[[OK]]
tile.kernel @odd params ["X"] shapes [affine_map<()[n] -> (n)>] symbols ["n"] {
^bb0(%X: memref<?xf32, #g>, %n: i32):
  %c1 = arith.constant 1 : i32
  sm.launch grid(%c1) threads 96 program [96, 1, 1] shared 0 {
  ^bb0(%b: i32):
    %one = arith.constant 1.0 : f32
    tile.parallel [100] {
    ^bb1(%i: i32):
      tile.store %one to %X[%i] : f32, memref<?xf32, #g>
    }
  }
}

// A loop of no points is nothing.
// CHECK-LABEL: tile.kernel @empty
// CHECK-NOT: sm.st_global
tile.kernel @empty params ["X"] shapes [affine_map<() -> (4)>] symbols [] {
^bb0(%X: memref<4xf32, #g>):
  %c1 = arith.constant 1 : i32
  sm.launch grid(%c1) threads 32 program [32, 1, 1] shared 0 {
  ^bb0(%b: i32):
    %one = arith.constant 1.0 : f32
    tile.parallel [0] {
    ^bb1(%i: i32):
      tile.store %one to %X[%i] : f32, memref<4xf32, #g>
    }
  }
}
