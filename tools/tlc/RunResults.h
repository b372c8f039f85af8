// What a run says about its results.
#pragma once

#include "tools/tlc/RunArguments.h"

#include "llvm/Support/raw_ostream.h"

namespace tlc::cli {

/// One line: name, type, shape, sum, check sum (each element times its
/// row-major position mod 97, plus 1), smallest and largest, NaNs.
void printSummary(const std::string &name, const rt::HostTensor &tensor,
                  llvm::raw_ostream &os);

/// How far two results are from each other.
struct Comparison {
  double maxAbsolute = 0;
  double maxRelative = 0;  ///< to max(|expected|, root mean square)
  double tolerance = 0;    ///< on maxRelative; 0 for integers
  std::int64_t worst = -1; ///< row-major position
  bool equal = true;       ///< within the tolerance
};

/// What may remain of the difference between two orders of adding when values
/// are stored as `dtype`; 0 for integers.
double tolerance(DType dtype);

/// Compares element by element; equal infinities and NaNs agree. Integers must
/// be equal; floats may differ by their type's tolerance or by `least`, if that
/// is more.
Comparison compare(const rt::HostTensor &actual, const rt::HostTensor &expected,
                   double least);

/// "12, 3" for element 123 of (40, 10).
std::string coordinates(const Dims &shape, std::int64_t position);

} // namespace tlc::cli
