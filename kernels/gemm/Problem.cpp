// Inputs and bookkeeping.
#include "kernels/gemm/Problem.h"

#include "kernels/harness/Parallel.h"

#include <algorithm>
#include <cmath>

namespace tlc::kernels {

std::span<const GemmLayout> gemmLayouts() {
  static constexpr GemmLayout kLayouts[] = {{"nn", false, false},
                                            {"nt", false, true},
                                            {"tn", true, false},
                                            {"tt", true, true}};
  return kLayouts;
}

Variant gemmVariant(const GemmLayout &layout, DType dtype) {
  const bool half = dtype == DType::Float16;
  return {std::string("gemm_") + layout.name + (half ? "_fp16" : "_bf16"),
          {std::string("dtype=") + (half ? "float16" : "bfloat16"),
           std::string("trans_A=") + (layout.transA ? "True" : "False"),
           std::string("trans_B=") + (layout.transB ? "True" : "False")}};
}

/// Random numbers by the piece, on all cores: the largest matrices have 67
/// million.
static void fill(rt::HostTensor &tensor, std::uint64_t seed) {
  constexpr std::int64_t kPiece = std::int64_t{1} << 20;
  const std::int64_t count = tensor.elements();
  const std::size_t width = bytes(tensor.dtype());
  forEachInParallel((count + kPiece - 1) / kPiece, [&](std::size_t i) {
    const std::int64_t begin = static_cast<std::int64_t>(i) * kPiece;
    rt::HostTensor piece(tensor.dtype(), {std::min(kPiece, count - begin)});
    rt::fillRandom(piece, seed + 1000 * i);
    std::ranges::copy(piece.bytes(),
                      tensor.bytes().begin() +
                          begin * static_cast<std::int64_t>(width));
  });
}

std::vector<Operand> gemmOperands(const GemmProblem &problem, DType dtype,
                                  std::uint64_t seed) {
  std::vector<Operand> operands{
      {"A", rt::HostTensor(dtype, problem.shapeA())},
      {"B", rt::HostTensor(dtype, problem.shapeB())},
      {"C", rt::HostTensor(dtype, problem.shapeC()), true}};
  fill(operands[0].tensor, seed);
  fill(operands[1].tensor, seed + 1);
  return operands;
}

/// A rounded result is off by half a unit in the last place; the float32 sum
/// before it may move it by one more near a tie, and by its own error near 0:
/// the matrix unit cuts off each partial sum (of about sqrt(k) / 3) below
/// 2^-23, once every 16 products.
Tolerance gemmTolerance(DType dtype, std::int64_t k) {
  const double unit = dtype == DType::Float16 ? 0x1p-10 : 0x1p-7;
  const auto terms = static_cast<double>(k);
  const double sum = std::max(0x1p-18 * std::sqrt(terms),
                              0x1p-23 * (terms / 16) * std::sqrt(terms) / 3);
  return {.absolute = sum + unit * 1e-2,
          .relative = unit,
          .norm = unit * 0.35 + 1e-6};
}

Difference gemmSample(const GemmProblem &problem, const rt::HostTensor &a,
                      const rt::HostTensor &b, const rt::HostTensor &result) {
  constexpr std::int64_t kSamples = 4096;
  rt::HostTensor taken(result.dtype(), {kSamples});
  std::vector<double> reference;
  for (std::int64_t s = 0; s < kSamples; ++s) {
    // Steps of two primes visit every row and column offset of a tile.
    const std::int64_t i = (s * 7919) % problem.m, j = (s * 104729) % problem.n;
    taken.set(s, result.get(i * problem.n + j));
    reference.push_back(gemmElement(problem, a, b, i, j));
  }
  return compare(taken, reference, gemmTolerance(result.dtype(), problem.k));
}

double teraflops(const GemmProblem &p, double microseconds) {
  return 2.0 * static_cast<double>(p.m) * static_cast<double>(p.n) *
         static_cast<double>(p.k) / microseconds / 1e6;
}

} // namespace tlc::kernels
