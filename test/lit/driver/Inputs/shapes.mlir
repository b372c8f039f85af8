// B[r, c] = A[r + 1, c]; A has one row more than B, Flags is of bools.
tile.kernel @shift params ["A", "Flags", "B"]
    shapes [affine_map<()[m, k] -> (m + 1, k)>, affine_map<()[m, k] -> (m)>,
            affine_map<()[m, k] -> (m, k)>] symbols ["m", "k"] {
^bb0(%A: memref<?x?xi32, #tile.space<global>>,
     %Flags: memref<?xi1, #tile.space<global>>,
     %B: memref<?x?xi32, #tile.space<global>>, %m: i32, %k: i32):
  tile.launch grid(%k, %m) threads [32, 1, 1] {
  ^bb0(%bx: i32, %by: i32):
    %c1 = arith.constant 1 : i32
    %r = arith.addi %by, %c1 : i32
    %f = tile.load %Flags[%by] : memref<?xi1, #tile.space<global>> -> i1
    scf.if %f {
      %v = tile.load %A[%r, %bx] : memref<?x?xi32, #tile.space<global>> -> i32
      tile.store %v to %B[%by, %bx] : i32, memref<?x?xi32, #tile.space<global>>
    }
  }
}
