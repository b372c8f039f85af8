// Y = a * X, 1024 elements a block.
tile.kernel @scale params ["X", "Y", "a"]
    shapes [affine_map<()[n] -> (n)>, affine_map<()[n] -> (n)>,
            affine_map<()[n] -> ()>] symbols ["n"] {
^bb0(%X: memref<?xf32, #tile.space<global>>,
     %Y: memref<?xf32, #tile.space<global>>, %a: f32, %n: i32):
  %c1024 = arith.constant 1024 : i32
  %g = arith.ceildivsi %n, %c1024 : i32
  tile.launch grid(%g) threads [128, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    %x = tile.alloc "x" : memref<1024xf32, #tile.space<fragment>>
    %o = arith.muli %bx, %c1024 : i32
    tile.copy %X[%o] [1024] to %x[%c0] [1024]
      : memref<?xf32, #tile.space<global>>,
        memref<1024xf32, #tile.space<fragment>>
    tile.parallel [1024] {
    ^bb0(%i: i32):
      %v = tile.load %x[%i] : memref<1024xf32, #tile.space<fragment>> -> f32
      %w = arith.mulf %v, %a : f32
      tile.store %w to %x[%i] : f32, memref<1024xf32, #tile.space<fragment>>
    }
    tile.copy %x[%c0] [1024] to %Y[%o] [1024]
      : memref<1024xf32, #tile.space<fragment>>,
        memref<?xf32, #tile.space<global>>
  }
}
