// RUN: tlc-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{has 1 block arguments for 0 parameters and 0 sizes}}
tile.kernel @args params [] shapes [] symbols [] {
^bb0(%n: i32):
}

// -----

// expected-error@+1 {{shape of parameter 0 must map the 1 sizes to 2 dimensions}}
tile.kernel @shape params ["A"] shapes [affine_map<()[n] -> (n)>] symbols ["n"] {
^bb0(%A: memref<?x?xf32, #tile.space<global>>, %n: i32):
}

// -----

// expected-error@+1 {{output 1 is no tensor parameter}}
tile.kernel @outputs params ["A", "s"] shapes [affine_map<()[] -> (4)>, affine_map<()[] -> ()>] symbols [] attributes {tile.outputs = array<i64: 0, 1>} {
^bb0(%A: memref<4xf32, #tile.space<global>>, %s: f32):
}

// -----

// expected-error@+1 {{output 0 is listed twice}}
tile.kernel @outputs params ["A"] shapes [affine_map<()[] -> (4)>] symbols [] attributes {tile.outputs = array<i64: 0, 0>} {
^bb0(%A: memref<4xf32, #tile.space<global>>):
}

// -----

// expected-error@+1 {{tile.workspaces must be an i64 of 1 to the number of parameters}}
tile.kernel @none params ["A"] shapes [affine_map<()[] -> (4)>] symbols [] attributes {tile.workspaces = 0 : i64} {
^bb0(%A: memref<4xf32, #tile.space<global>>):
}

// -----

// expected-error@+1 {{tile.workspaces must be an i64 of 1 to the number of parameters}}
tile.kernel @many params ["A"] shapes [affine_map<()[] -> (4)>] symbols [] attributes {tile.workspaces = 2 : i64} {
^bb0(%A: memref<4xf32, #tile.space<global>>):
}

// -----

// expected-error@+1 {{tile.workspaces must be an i64 of 1 to the number of parameters}}
tile.kernel @kind params ["A"] shapes [affine_map<()[] -> (4)>] symbols [] attributes {tile.workspaces = "A"} {
^bb0(%A: memref<4xf32, #tile.space<global>>):
}

// -----

// expected-error@+1 {{workspace 1 is no tensor}}
tile.kernel @scalar params ["A", "s"] shapes [affine_map<()[] -> (4)>, affine_map<()[] -> ()>] symbols [] attributes {tile.workspaces = 1 : i64} {
^bb0(%A: memref<4xf32, #tile.space<global>>, %s: f32):
}

// -----

// expected-error@+1 {{output 1 is no tensor parameter}}
tile.kernel @returned params ["A", "W"] shapes [affine_map<()[] -> (4)>, affine_map<()[] -> (4)>] symbols [] attributes {tile.outputs = array<i64: 1>, tile.workspaces = 1 : i64} {
^bb0(%A: memref<4xf32, #tile.space<global>>, %W: memref<4xf32, #tile.space<global>>):
}

// -----

tile.kernel @launch params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  // expected-error@+1 {{thread extent 0 is not positive}}
  tile.launch grid(%n) threads [0, 1, 1] {
  ^bb0(%bx: i32):
  }
}

// -----

tile.kernel @alloc params [] shapes [] symbols [] {
  // expected-error@+1 {{cannot allocate a global buffer}}
  %a = tile.alloc "a" : memref<4xf32, #tile.space<global>>
}

// -----

tile.kernel @swizzle params [] shapes [] symbols [] {
  // expected-error@+1 {{only a shared buffer has a swizzle}}
  %a = tile.alloc "a" swizzle <b128> : memref<4xf32, #tile.space<local>>
}

// -----

!S = memref<16x16xf32, #tile.space<shared>>
!T = memref<16x8xf32, #tile.space<shared>>

tile.kernel @copy params [] shapes [] symbols [] {
  %c0 = arith.constant 0 : i32
  %s = tile.alloc "s" : !S
  %t = tile.alloc "t" : !T
  // expected-error@+1 {{do not pair up}}
  tile.copy %s[%c0, %c0] [16, 16] to %t[%c0, %c0] [16, 8] : !S, !T
}

// -----

!S = memref<16x16xf32, #tile.space<shared>>
!T = memref<16x8xf32, #tile.space<shared>>

tile.kernel @size params [] shapes [] symbols [] {
  %c0 = arith.constant 0 : i32
  %s = tile.alloc "s" : !S
  %t = tile.alloc "t" : !T
  // expected-error@+1 {{destination has size 16 in dimension 1 of a buffer with 8}}
  tile.copy %s[%c0, %c0] [16, 16] to %t[%c0, %c0] [16, 16] : !S, !T
}

// -----

!S = memref<16x16xf32, #tile.space<shared>>

tile.kernel @rank params [] shapes [] symbols [] {
  %c0 = arith.constant 0 : i32
  %s = tile.alloc "s" : !S
  // expected-error@+1 {{buffer has rank 2, but 1 indices are given}}
  %x = tile.load %s[%c0] : !S -> f32
}

// -----

!S = memref<16x16xf32, #tile.space<shared>>

tile.kernel @type params [] shapes [] symbols [] {
  %c0 = arith.constant 0 : i32
  %s = tile.alloc "s" : !S
  // expected-error@+1 {{value of type 'i32' does not match element type 'f32'}}
  tile.store %c0 to %s[%c0, %c0] : i32, !S
}

// -----

!A = memref<64x32xbf16, #tile.space<shared>>
!B = memref<16x64xbf16, #tile.space<shared>>
!C = memref<64x64xf32, #tile.space<fragment>>

tile.kernel @gemm params [] shapes [] symbols [] {
  %c0 = arith.constant 0 : i32
  %a = tile.alloc "a" : !A
  %b = tile.alloc "b" : !B
  %c = tile.alloc "c" : !C
  // expected-error@+1 {{computes 64x64 from op(A) 64x32 and op(B) 16x64}}
  tile.gemm %a[%c0, %c0] [64, 32], %b[%c0, %c0] [16, 64], %c : !A, !B, !C
}

// -----

tile.kernel @stages params [] shapes [] symbols ["n"] {
^bb0(%n: i32):
  // expected-error@+1 {{number of stages is negative}}
  tile.pipelined %n to %n stages -1 {
  ^bb0(%i: i32):
  }
}

// -----

tile.kernel @atomics params ["F"] shapes [affine_map<() -> (4)>] symbols [] {
^bb0(%f: memref<4xf32, #tile.space<global>>):
  %c0 = arith.constant 0 : i32
  %x = arith.constant 1.0 : f32
  // expected-error@+1 {{max of elements of type 'f32' does not exist}}
  tile.atomic <max> <relaxed> %f[%c0] by %x : f32 : memref<4xf32, #tile.space<global>>
}

// -----

tile.kernel @place params [] shapes [] symbols [] {
  %c0 = arith.constant 0 : i32
  %v = tile.alloc "v" : memref<1xi32, #tile.space<local>>
  // expected-error@+1 {{accesses a global or shared element}}
  tile.atomic <add> <relaxed> %v[%c0] by %c0 : i32 : memref<1xi32, #tile.space<local>>
}

// -----

tile.kernel @order params ["F"] shapes [affine_map<() -> (4)>] symbols [] {
^bb0(%f: memref<4xi32, #tile.space<global>>):
  %c0 = arith.constant 0 : i32
  // expected-error@+1 {{load cannot be release}}
  %v = tile.atomic <load> <release> %f[%c0] : memref<4xi32, #tile.space<global>> -> i32
}
