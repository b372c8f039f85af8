// RUN: tlc-opt %s --tile-select-instructions --tile-infer-layouts | FileCheck %s

// Extents and thread counts that are no powers of two, empty nests, single
// elements, arrays of a thread.
// CHECK-LABEL: tile.kernel @edges
// CHECK: tile.alloc "odd" layout <"{{.*}} shape=7x13">
// CHECK: tile.alloc "one" layout <"regs=[] threads=[96:(0,0)] shape=1x1">
// CHECK: tile.alloc "unit" layout <"regs=[] threads=[96:(0,1)] shape=1x64">
// CHECK: tile.alloc "line" layout <"regs=[] threads=[96:(1)] shape=64">
// CHECK: tile.alloc "linear" swizzle <none>
// A single element belongs to every thread; its copy has one dimension.
// CHECK: tile.copy {{.*}} layout <"regs=[] threads=[96:(0)] shape=1">
// Each thread has the whole array.
// CHECK: tile.fill {{.*}} layout <"regs=[4:(1)] threads=[96:(0)] shape=4">
// CHECK: tile.parallel [0, 8] layout <"{{.*}} shape=0x8">
// Threads with nothing to do.
// CHECK: tile.parallel [3] layout <"regs=[] threads=[96:(1)] shape=3">
tile.kernel @edges params ["X"] shapes [affine_map<()[n] -> (n, 7)>]
    symbols ["n"] {
^bb0(%X: memref<?x7xf32, #tile.space<global>>, %n: i32):
  tile.launch grid(%n) threads [96, 1, 1] {
  ^bb0(%b: i32):
    %c0 = arith.constant 0 : i32
    %zero = arith.constant 0.0 : f32
    %odd = tile.alloc "odd" : memref<7x13xf32, #tile.space<fragment>>
    %one = tile.alloc "one" : memref<1x1xf32, #tile.space<fragment>>
    %unit = tile.alloc "unit" : memref<1x64xf32, #tile.space<fragment>>
    %line = tile.alloc "line" : memref<64xf32, #tile.space<fragment>>
    %linear = tile.alloc "linear" : memref<7x13xf32, #tile.space<shared>>
    %mine = tile.alloc "mine" : memref<4xf32, #tile.space<local>>
    tile.copy %X[%b, %c0] [1, 1] to %one[%c0, %c0] [1, 1]
      : memref<?x7xf32, #tile.space<global>>, memref<1x1xf32, #tile.space<fragment>>
    tile.fill %zero to %mine[%c0] [4] : f32, memref<4xf32, #tile.space<local>>
    tile.copy %unit[%c0, %c0] [1, 64] to %line[%c0] [64]
      : memref<1x64xf32, #tile.space<fragment>>, memref<64xf32, #tile.space<fragment>>
    tile.parallel [0, 8] {
    ^bb0(%i: i32, %j: i32):
      tile.store %zero to %odd[%i, %j] : f32, memref<7x13xf32, #tile.space<fragment>>
    }
    tile.parallel [3] {
    ^bb0(%i: i32):
      tile.store %zero to %linear[%i, %i] : f32, memref<7x13xf32, #tile.space<shared>>
    }
    // Fewer points than the fragment has elements: the rest is out of range.
    // CHECK: tile.parallel [7, 5] layout <"{{.*}} shape=7x5">
    tile.parallel [7, 5] {
    ^bb0(%i: i32, %j: i32):
      tile.store %zero to %odd[%i, %j] : f32, memref<7x13xf32, #tile.space<fragment>>
    }
  }
}
