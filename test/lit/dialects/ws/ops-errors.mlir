// RUN: tlc-opt %s --split-input-file --verify-diagnostics

!S = memref<16xf32, #tile.space<shared>>
!F = memref<16xf32, #tile.space<fragment>>

tile.kernel @depth params [] shapes [] symbols [] {
  %s = tile.alloc "s" : !S
  // expected-error@+1 {{depth 0 is not positive}}
  %r = ws.ring "s" depth 0 (%s) : !S
}

// -----

!F = memref<16xf32, #tile.space<fragment>>

tile.kernel @space params [] shapes [] symbols [] {
  %f = tile.alloc "f" : !F
  // expected-error@+1 {{members are shared buffers}}
  %r = ws.ring "f" depth 1 (%f) : !F
}

// -----

!S = memref<16xf32, #tile.space<shared>>
!L = memref<32xf32, #tile.space<shared>>

tile.kernel @views params [] shapes [] symbols [] {
  %s = tile.alloc "s" : !S
  %r = ws.ring "s" depth 1 (%s) : !S
  // expected-error@+1 {{views do not match the members of the ring}}
  %token, %view = ws.wait %r : !L
}

// -----

!S = memref<16xf32, #tile.space<shared>>
!L = memref<32xf32, #tile.space<shared>>

tile.kernel @views params [] shapes [] symbols [] {
  %s = tile.alloc "s" : !S
  %r = ws.ring "s" depth 1 (%s) : !S
  // expected-error@+1 {{views do not match the members of the ring}}
  %token, %view = ws.acquire %r : !L
}

// -----

tile.kernel @warps params [] shapes [] symbols [] {
  // expected-error@+1 {{warps are [first, count]}}
  ws.role "r" warps [0, 0] {
  }
}
