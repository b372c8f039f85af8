// Neighbouring points of a parallel loop side by side: accesses that are
// contiguous and aligned become vectors, the rest stays element by element.
// RUN: tlc-opt %s --convert-sm-to-threads | FileCheck %s

#g = #tile.space<global>
#f = #tile.space<fragment>
#v = #tile.fragment_layout<"regs=[4:(0,1)] threads=[8:(0,4) 4:(1,0)] shape=4x32">

// Static pitch: no condition. The conversions are those of the vectors.
// CHECK-LABEL: tile.kernel @static
// CHECK-NOT: sm.global_aligned
// CHECK: %[[V:.*]] = sm.ld_global {{.*}} -> vector<4xbf16>
// CHECK: %[[X:.*]]:4 = sm.unpack %[[V]] : vector<4xbf16> -> f32, f32, f32, f32
// CHECK: %[[Y:.*]] = arith.mulf %[[X]]#0
// CHECK: %[[P:.*]] = sm.pack %{{.*}} : f32, f32, f32, f32 -> vector<4xbf16>
// CHECK: sm.st_global %[[P]]
tile.kernel @static params ["A"] shapes [affine_map<() -> (4, 32)>] symbols [] {
^bb0(%A: memref<4x32xbf16, #g>):
  %c1 = arith.constant 1 : i32
  sm.launch grid(%c1) threads 32 program [32, 1, 1] shared 0 {
  ^bb0(%b: i32):
    %s = arith.constant 3.0 : bf16
    tile.parallel [4, 32] layout #v {
    ^bb1(%i: i32, %j: i32):
      %x = tile.load %A[%i, %j] : memref<4x32xbf16, #g> -> bf16
      %y = arith.mulf %x, %s : bf16
      tile.store %y to %A[%i, %j] : bf16, memref<4x32xbf16, #g>
    }
  }
}

// A dynamic size: a vector lies inside or outside as a whole only if the size is
// a multiple of it.
// CHECK-LABEL: tile.kernel @dynamic
// CHECK: arith.andi %{{.*}}, %c3
// CHECK: sm.global_aligned %{{.*}} bytes 16
// CHECK: scf.if
// CHECK: sm.ld_global {{.*}} if {{.*}} -> vector<4xf32>
// CHECK: } else {
// CHECK: sm.ld_global {{.*}} if {{.*}} -> f32
// CHECK-NOT: vector
tile.kernel @dynamic params ["A"] shapes [affine_map<()[n] -> (n)>] symbols ["n"] {
^bb0(%A: memref<?xf32, #g>, %n: i32):
  %c1 = arith.constant 1 : i32
  sm.launch grid(%n) threads 32 program [32, 1, 1] shared 0 {
  ^bb0(%b: i32):
    %c128 = arith.constant 128 : i32
    %base = arith.muli %b, %c128 : i32
    tile.parallel [128] layout <"regs=[4:(1)] threads=[32:(4)] shape=128"> {
    ^bb1(%i: i32):
      %at = arith.addi %base, %i : i32
      %x = tile.load %A[%at] : memref<?xf32, #g> -> f32
      %y = arith.addf %x, %x : f32
      tile.store %y to %A[%at] : f32, memref<?xf32, #g>
    }
  }
}

// Shifted by one, against the direction, and two apart: no vector.
// CHECK-LABEL: tile.kernel @unaligned
// CHECK-NOT: vector
tile.kernel @unaligned params ["A", "B"] shapes [affine_map<() -> (256)>, affine_map<() -> (256)>] symbols [] {
^bb0(%A: memref<256xf32, #g>, %B: memref<256xf32, #g>):
  %c1 = arith.constant 1 : i32
  sm.launch grid(%c1) threads 32 program [32, 1, 1] shared 0 {
  ^bb0(%b: i32):
    %c2 = arith.constant 2 : i32
    %c127 = arith.constant 127 : i32
    tile.parallel [64] layout <"regs=[2:(1)] threads=[32:(2)] shape=64"> {
    ^bb1(%i: i32):
      %p = arith.addi %i, %c1 : i32
      %q = arith.subi %c127, %i : i32
      %r = arith.muli %i, %c2 : i32
      %x = tile.load %A[%p] : memref<256xf32, #g> -> f32
      %y = tile.load %A[%q] : memref<256xf32, #g> -> f32
      %z = arith.addf %x, %y : f32
      tile.store %z to %B[%r] : f32, memref<256xf32, #g>
    }
  }
}
