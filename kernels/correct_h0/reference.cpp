// The recurrence, one (sequence, head) at a time.
#include "kernels/correct_h0/reference.h"

#include "kernels/harness/Parallel.h"

#include <bit>

namespace tlc::kernels {

static constexpr std::int64_t kTile = kStateSize * kStateSize;

namespace {
using Matrix = std::vector<double>;
} // namespace

std::int64_t StateProblem::segments() const {
  std::int64_t sum = 0;
  for (const std::int64_t length : lengths)
    sum += length;
  return sum;
}

/// The bfloat16 nearest to a float32 value, ties to even.
static double toBFloat16(double value) {
  auto word = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  word = (word + 0x7fffU + ((word >> 16) & 1U)) & 0xffff0000U;
  return std::bit_cast<float>(word);
}

/// A float32 value cut to what the matrix unit multiplies: rounded to bfloat16,
/// or the low 13 bits dropped for tf32.
static double cut(double value, DType dtype) {
  if (dtype == DType::BFloat16)
    return toBFloat16(value);
  const auto word = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  return std::bit_cast<float>(word & ~0x1fffU);
}

static Matrix tileOf(const rt::HostTensor &tensor, std::int64_t index) {
  Matrix tile(kTile);
  for (std::int64_t i = 0; i < kTile; ++i)
    tile[i] = tensor.get(index * kTile + i);
  return tile;
}

static Matrix transposed(const Matrix &matrix) {
  Matrix result(kTile);
  for (std::int64_t i = 0; i < kStateSize; ++i)
    for (std::int64_t j = 0; j < kStateSize; ++j)
      result[j * kStateSize + i] = matrix[i * kStateSize + j];
  return result;
}

static void addProduct(Matrix &sum, const Matrix &left, const Matrix &right) {
  for (std::int64_t i = 0; i < kStateSize; ++i)
    for (std::int64_t l = 0; l < kStateSize; ++l) {
      const double factor = left[i * kStateSize + l];
      for (std::int64_t j = 0; j < kStateSize; ++j)
        sum[i * kStateSize + j] += factor * right[l * kStateSize + j];
    }
}

/// The state after a segment: ht + M state for DK x DV, ht + state M^T for
/// DV x DK, with M = mt forward and mt^T backward.
static Matrix advance(const StateProblem &problem, const StateInputs &inputs,
                      std::int64_t index, const Matrix &state) {
  Matrix next = tileOf(inputs.ht, index);
  if (inputs.fallbackMask.get(index) != 0) {
    Matrix factor = tileOf(inputs.mt, index), cutState = state;
    for (double &value : factor)
      value = cut(value, problem.dtype);
    for (double &value : cutState)
      value = cut(value, problem.dtype);
    if (problem.stateVFirst != problem.reverse)
      factor = transposed(factor);
    if (problem.stateVFirst)
      addProduct(next, cutState, factor);
    else
      addProduct(next, factor, cutState);
  }
  for (double &value : next)
    value = static_cast<float>(value);
  return next;
}

static void runSequence(const StateProblem &problem, const StateInputs &inputs,
                        std::int64_t sequence, std::int64_t head,
                        std::int64_t first, std::vector<double> &out) {
  const std::int64_t count = problem.lengths[sequence];
  Matrix state(kTile, 0.0);
  if (problem.rawH0)
    state = tileOf(inputs.rawH0, sequence * problem.heads + head);
  for (std::int64_t step = 0; step < count; ++step) {
    const std::int64_t segment =
        problem.reverse ? first + count - 1 - step : first + step;
    const std::int64_t index = segment * problem.heads + head;
    const bool narrow = problem.stateDtype == DType::BFloat16;
    for (std::int64_t i = 0; i < kTile; ++i)
      out[index * kTile + i] = narrow ? toBFloat16(state[i]) : state[i];
    if (step + 1 < count)
      state = advance(problem, inputs, index, state);
  }
}

std::vector<double> stateReference(const StateProblem &problem,
                                   const StateInputs &inputs) {
  std::vector<double> out(
      static_cast<std::size_t>(problem.segments() * problem.heads * kTile));
  std::vector<std::int64_t> firsts;
  std::int64_t first = 0;
  for (const std::int64_t length : problem.lengths) {
    firsts.push_back(first);
    first += length;
  }
  const auto heads = static_cast<std::size_t>(problem.heads);
  forEachInParallel(firsts.size() * heads, [&](std::size_t i) {
    runSequence(problem, inputs, static_cast<std::int64_t>(i / heads),
                static_cast<std::int64_t>(i % heads), firsts[i / heads], out);
  });
  return out;
}

} // namespace tlc::kernels
