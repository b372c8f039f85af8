// The dictionary in an .npy file: a Python literal with the keys descr,
// fortran_order and shape.
#pragma once

#include "tlc/Tensor.h"

#include <string>
#include <string_view>
#include <vector>

namespace tlc::rt {

struct NpyHeader {
  std::string descr; ///< "<f4"
  bool fortranOrder = false;
  Dims shape;
};

/// Parses `text` into `header`; returns what is wrong, empty when nothing is.
std::string parseNpyHeader(std::string_view text, NpyHeader &header);
/// The dictionary for `dtype` and `shape`, without padding.
std::string formatNpyHeader(DType dtype, const Dims &shape);
/// The types that data described by `descr` may be read as, the usual one
/// first; empty when there is none.
std::vector<DType> dtypesOfDescr(std::string_view descr);

} // namespace tlc::rt
