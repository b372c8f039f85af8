// What a GEMM must compute, from its definition in float64.
#pragma once

#include "runtime/core/HostTensor.h"

#include <cstdint>
#include <vector>

namespace tlc::kernels {

/// C (m x n) = op(A) op(B) with op(A) m x k, op(B) k x n; A is stored k x m
/// when transA, B is stored n x k when transB.
struct GemmProblem {
  std::int64_t m = 0, n = 0, k = 0;
  bool transA = false, transB = false;

  Dims shapeA() const { return transA ? Dims{k, m} : Dims{m, k}; }
  Dims shapeB() const { return transB ? Dims{n, k} : Dims{k, n}; }
  Dims shapeC() const { return {m, n}; }
};

/// All of C, row-major. The operands' elements are taken as they are: bf16 and
/// fp16 values are exact in float64, and so are their products.
std::vector<double> gemmReference(const GemmProblem &problem,
                                  const rt::HostTensor &a,
                                  const rt::HostTensor &b);

/// C[i, j] alone.
double gemmElement(const GemmProblem &problem, const rt::HostTensor &a,
                   const rt::HostTensor &b, std::int64_t i, std::int64_t j);

} // namespace tlc::kernels
