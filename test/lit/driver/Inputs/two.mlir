// Two kernels: the one to run has to be chosen.
tile.kernel @first params ["X"] shapes [affine_map<()[n] -> (n)>]
    symbols ["n"] {
^bb0(%X: memref<?xi32, #tile.space<global>>, %n: i32):
  %c1 = arith.constant 1 : i32
  tile.launch grid(%c1) threads [32, 1, 1] {
  ^bb0(%bx: i32):
    %c0 = arith.constant 0 : i32
    tile.store %c1 to %X[%c0] : i32, memref<?xi32, #tile.space<global>>
  }
}
tile.kernel @second params ["X"] shapes [affine_map<()[n] -> (n)>]
    symbols ["n"] {
^bb0(%X: memref<?xi32, #tile.space<global>>, %n: i32):
  %c1 = arith.constant 1 : i32
  tile.launch grid(%c1) threads [32, 1, 1] {
  ^bb0(%bx: i32):
    %c2 = arith.constant 2 : i32
    tile.store %c2 to %X[%c1] : i32, memref<?xi32, #tile.space<global>>
  }
}
