#include "tools/tlc/RunResults.h"

#include "llvm/Support/Format.h"

#include <cmath>
#include <limits>

namespace tlc::cli {

static std::string shapeText(const Dims &shape) {
  std::string text;
  for (std::int64_t extent : shape)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text.empty() ? "scalar" : text;
}

void printSummary(const std::string &name, const rt::HostTensor &tensor,
                  llvm::raw_ostream &os) {
  double sum = 0, checkSum = 0;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  std::int64_t nans = 0;
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    double value = tensor.get(i);
    sum += value;
    checkSum += value * static_cast<double>(i % 97 + 1);
    low = std::fmin(low, value);
    high = std::fmax(high, value);
    nans += std::isnan(value);
  }
  os << name << ": " << tlc::name(tensor.dtype()) << " "
     << shapeText(tensor.shape());
  if (tensor.elements() == 0) {
    os << ", empty\n";
    return;
  }
  os << llvm::format(", sum %.10g, check sum %.10g, from %.6g to %.6g", sum,
                     checkSum, low, high);
  if (nans)
    os << ", " << nans << " NaN";
  os << "\n";
}

double tolerance(DType dtype) {
  switch (dtype) {
  case DType::Float64:
    return 1e-9;
  case DType::Float32:
    return 2e-3;
  case DType::TFloat32:
  case DType::Float16:
    return 5e-3;
  case DType::BFloat16:
    return 2e-2;
  case DType::Float8E4M3FN:
  case DType::Float8E5M2:
    return 0.25;
  default:
    return 0;
  }
}

static double rootMeanSquare(const rt::HostTensor &tensor) {
  double total = 0;
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    double value = tensor.get(i);
    if (std::isfinite(value))
      total += value * value;
  }
  return tensor.elements() ? std::sqrt(total / tensor.elements()) : 0;
}

Comparison compare(const rt::HostTensor &actual, const rt::HostTensor &expected,
                   double least) {
  Comparison result;
  result.tolerance = tolerance(expected.dtype());
  if (result.tolerance > 0)
    result.tolerance = std::fmax(result.tolerance, least);
  double scale = rootMeanSquare(expected);
  for (std::int64_t i = 0; i < expected.elements(); ++i) {
    double a = actual.get(i), b = expected.get(i);
    if (a == b || (std::isnan(a) && std::isnan(b)))
      continue;
    double difference = std::fabs(a - b);
    double relative = difference / std::fmax(std::fabs(b), scale);
    if (!std::isfinite(difference) || std::isnan(relative))
      difference = relative = std::numeric_limits<double>::infinity();
    if (result.worst < 0 || relative > result.maxRelative) {
      result.worst = i;
      result.maxRelative = relative;
    }
    result.maxAbsolute = std::fmax(result.maxAbsolute, difference);
  }
  result.equal = result.maxRelative <= result.tolerance;
  return result;
}

std::string coordinates(const Dims &shape, std::int64_t position) {
  std::string text;
  for (size_t d = shape.size(); d-- > 0;) {
    text =
        std::to_string(position % shape[d]) + (text.empty() ? "" : ", ") + text;
    position /= shape[d];
  }
  return text;
}

} // namespace tlc::cli
