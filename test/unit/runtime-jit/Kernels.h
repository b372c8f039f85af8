// Kernel sources that the tests of the JIT compile.
#pragma once

#include "tlc/Jit.h"

#include <string>

namespace tlc::test {

/// Y[i] = X[i] * factor + 1 for any n.
inline constexpr char kScale[] = R"(import tilelang.language as T

n = T.dynamic("n")

def scale(factor=2, block=256):
    @T.prim_func
    def main(X: T.Tensor((n,), "float32"), Y: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, block), threads=128) as b:
            x = T.alloc_fragment((block,), "float32")
            T.copy(X[b * block], x)
            for i in T.Parallel(block):
                x[i] = x[i] * factor + 1
            T.copy(x, Y[b * block])
    return main
)";

/// C[m, k] = A[m, 16] + s, with a tensor that nothing reads.
inline constexpr char kAdd[] = R"(import tilelang.language as T

m = T.dynamic("m")

@T.prim_func
def add(A: T.Tensor((m, 16), "bfloat16"), s: T.float32, unused: T.Tensor((m,), "int32"),
        C: T.Tensor((m, 16), "float32")):
    with T.Kernel(T.ceildiv(m, 8), threads=128) as b:
        a = T.alloc_fragment((8, 16), "float32")
        T.copy(A[b * 8, 0], a)
        for i, j in T.Parallel(8, 16):
            a[i, j] = a[i, j] + s
        T.copy(a, C[b * 8, 0])
)";

inline Source scaleSource() { return {kScale, "scale.tl"}; }
inline Source addSource() { return {kAdd, "add.tl"}; }

inline JitOptions onCpu() {
  JitOptions options;
  options.device = Device::virtual_sm();
  return options;
}

} // namespace tlc::test
