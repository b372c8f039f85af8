// Expressions: only needed parentheses, one cast for a wide product, values used
// twice in variables, source names.
// RUN: tlc-opt %s --emit-cuda -o /dev/null | FileCheck %s
// RUN: tlc-opt %s --emit-cuda -o /dev/null > %t.1
// RUN: tlc-opt %s --emit-cuda -o /dev/null > %t.2
// RUN: cmp %t.1 %t.2

#g = #tile.space<global>
#l = #tile.space<local>

// CHECK-NOT: #include
// CHECK: __device__ __forceinline__ bf16 to_bf16(float x)
// CHECK-NOT: mbar_wait
// CHECK-LABEL: extern "C" __global__ void __launch_bounds__(64, 1)
// CHECK-NEXT: f_kernel(const float *X,
// CHECK-NEXT: bf16 *class_1,
// CHECK-NEXT: int n) {
// CHECK: float acc[4];
// CHECK: const long long t = (long long)thread * n;
// CHECK: #pragma unroll
// CHECK-NEXT: for (int i = 0; i < 4; ++i) {
// CHECK: acc[i] = (X[t + i] + 1.0f) * 2.0f;
// CHECK: const int rows = (thread + 1) / (n - 1);
// CHECK: const bool c = rows < n;
// CHECK: if (c && thread != 0)
// CHECK-NEXT: class_1[rows] = to_bf16(rows > 3 ? acc[0] : acc[1]);
// CHECK: float r;
// CHECK-NEXT: if (c) {
// CHECK-NEXT: r = -0.5f;
// CHECK-NEXT: } else {
// CHECK-NEXT: r = 1.0f;
// CHECK: while (true) {
// CHECK: break;
tile.kernel @f params ["X", "class"] shapes [affine_map<()[n] -> (n)>, affine_map<()[n] -> (n)>] symbols ["n"] {
^bb0(%X: memref<?xf32, #g>, %Y: memref<?xbf16, #g>, %n: i32):
  %c1 = arith.constant 1 : i32
  sm.launch grid(%c1) threads 64 program [64, 1, 1] shared 0 {
  ^bb0(%b: i32):
    %c0 = arith.constant 0 : i32
    %c3 = arith.constant 3 : i32
    %c4 = arith.constant 4 : i32
    %one = arith.constant 1.0 : f32
    %two = arith.constant 2.0 : f32
    %half = arith.constant -0.5 : f32
    %t = sm.thread 0 count 64
    %acc = tile.alloc "acc" : memref<4xf32, #l>
    %nl = arith.extsi %n : i32 to i64
    %tl = arith.extsi %t : i32 to i64
    %at = arith.muli %tl, %nl : i64
    scf.for %i = %c0 to %c4 step %c1 : i32 {
      %il = arith.extsi %i : i32 to i64
      %ix = arith.addi %at, %il : i64
      %x = sm.ld_global %X[%ix] : memref<?xf32, #g> -> f32
      %y = arith.addf %x, %one : f32
      %z = arith.mulf %y, %two : f32
      tile.store %z to %acc[%i] in_bounds : f32, memref<4xf32, #l>
    } {unroll}
    %t1 = arith.addi %t, %c1 : i32
    %n1 = arith.subi %n, %c1 : i32
    %rows = arith.divsi %t1, %n1 : i32 loc("rows")
    %p = arith.cmpi slt, %rows, %n : i32
    %q = arith.cmpi ne, %t, %c0 : i32
    %pq = arith.andi %p, %q : i1
    %many = arith.cmpi sgt, %rows, %c3 : i32
    %a0 = tile.load %acc[%c0] in_bounds : memref<4xf32, #l> -> f32
    %a1 = tile.load %acc[%c1] in_bounds : memref<4xf32, #l> -> f32
    %v = arith.select %many, %a0, %a1 : f32
    %w = arith.truncf %v : f32 to bf16
    %rl = arith.extsi %rows : i32 to i64
    sm.st_global %w to %Y[%rl] if %pq : bf16, memref<?xbf16, #g>
    %s = scf.if %p -> f32 {
      scf.yield %half : f32
    } else {
      scf.yield %one : f32
    }
    tile.store %s to %acc[%c0] in_bounds : f32, memref<4xf32, #l>
    %last = scf.while (%k = %n) : (i32) -> i32 {
      %go = arith.cmpi sgt, %k, %c0 : i32
      scf.condition(%go) %k : i32
    } do {
    ^bb1(%k: i32):
      %k1 = arith.subi %k, %c1 : i32
      scf.yield %k1 : i32
    }
  }
}
