// Three loops in float64.
#include "kernels/gemm/reference.h"

namespace tlc::kernels {

static std::int64_t indexA(const GemmProblem &p, std::int64_t i,
                           std::int64_t l) {
  return p.transA ? l * p.m + i : i * p.k + l;
}

static std::int64_t indexB(const GemmProblem &p, std::int64_t l,
                           std::int64_t j) {
  return p.transB ? j * p.k + l : l * p.n + j;
}

std::vector<double> gemmReference(const GemmProblem &problem,
                                  const rt::HostTensor &a,
                                  const rt::HostTensor &b) {
  const auto [m, n, k, transA, transB] = problem;
  // op(B) as plain rows, so that the inner loop runs along memory.
  std::vector<double> rows(static_cast<std::size_t>(k * n));
  for (std::int64_t l = 0; l < k; ++l)
    for (std::int64_t j = 0; j < n; ++j)
      rows[l * n + j] = b.get(indexB(problem, l, j));

  std::vector<double> c(static_cast<std::size_t>(m * n), 0.0);
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t l = 0; l < k; ++l) {
      const double factor = a.get(indexA(problem, i, l));
      const double *row = rows.data() + l * n;
      double *out = c.data() + i * n;
      for (std::int64_t j = 0; j < n; ++j)
        out[j] += factor * row[j];
    }
  }
  return c;
}

double gemmElement(const GemmProblem &problem, const rt::HostTensor &a,
                   const rt::HostTensor &b, std::int64_t i, std::int64_t j) {
  double sum = 0;
  for (std::int64_t l = 0; l < problem.k; ++l)
    sum += a.get(indexA(problem, i, l)) * b.get(indexB(problem, l, j));
  return sum;
}

} // namespace tlc::kernels
