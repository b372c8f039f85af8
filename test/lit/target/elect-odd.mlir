// The elected thread of a block that ends inside a warp is in the first warp:
// the second, however short, elects none.
// RUN: tlc-opt %s --convert-sm-to-threads --emit-cuda -o /dev/null | FileCheck %s

// CHECK-LABEL: short_kernel(
// CHECK: if (warp == 0 && elect_one()) {
tile.kernel @short params ["A"] shapes [affine_map<() -> (4)>] symbols [] {
^bb0(%a: memref<4xi32, #tile.space<global>>):
  %c1 = arith.constant 1 : i32
  sm.launch grid(%c1) threads 33 program [33, 1, 1] shared 0 {
  ^bb0(%b: i32):
    sm.elect {
      tile.store %c1 to %a[%c1] : i32, memref<4xi32, #tile.space<global>>
    }
  }
}

// CHECK-LABEL: tiny_kernel(
// CHECK: if (elect_one()) {
tile.kernel @tiny params ["A"] shapes [affine_map<() -> (4)>] symbols [] {
^bb0(%a: memref<4xi32, #tile.space<global>>):
  %c1 = arith.constant 1 : i32
  sm.launch grid(%c1) threads 7 program [7, 1, 1] shared 0 {
  ^bb0(%b: i32):
    sm.elect {
      tile.store %c1 to %a[%c1] : i32, memref<4xi32, #tile.space<global>>
    }
  }
}
