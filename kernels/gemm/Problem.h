// The problems of gemm as its host program and its benchmark pose them.
#pragma once

#include "kernels/gemm/reference.h"
#include "kernels/harness/Compare.h"
#include "kernels/harness/Variants.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tlc::kernels {

struct GemmLayout {
  const char *name; ///< "nt": A is M x K, B is N x K
  bool transA, transB;
};
/// nn, nt, tn, tt.
std::span<const GemmLayout> gemmLayouts();

Variant gemmVariant(const GemmLayout &layout, DType dtype);
/// Random A and B; C comes last.
std::vector<Operand> gemmOperands(const GemmProblem &problem, DType dtype,
                                  std::uint64_t seed);
Tolerance gemmTolerance(DType dtype, std::int64_t k);

/// Compares elements of `result`, spread over it, with the reference: all of it
/// would take minutes at the sizes that are timed.
Difference gemmSample(const GemmProblem &problem, const rt::HostTensor &a,
                      const rt::HostTensor &b, const rt::HostTensor &result);

double teraflops(const GemmProblem &problem, double microseconds);

} // namespace tlc::kernels
