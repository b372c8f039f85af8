// The .npy file format, versions 1 to 3 of the header, C or Fortran order.
//
// numpy has no name for some of our types. bfloat16 is written as '<V2' (what
// numpy itself writes for ml_dtypes arrays); float8 as '|V1'. A file says no
// more than that, so reading takes the wanted dtype: '<V2' and '<u2' are read
// as bfloat16, '|V1' and '|u1' as either float8, when that is what is wanted.
#pragma once

#include "runtime/core/HostTensor.h"

#include <optional>
#include <string>

namespace tlc::rt {

/// Reads `path`. With `wanted`, the file must hold that dtype (see above).
/// Throws tlc::Error (Io) that names the file and what is wrong with it, also
/// for truncated, oversized or damaged files.
HostTensor readNpy(const std::string &path,
                   std::optional<DType> wanted = std::nullopt);
/// Writes `tensor` to a temporary file beside `path`, then renames it.
void writeNpy(const std::string &path, const HostTensor &tensor);

} // namespace tlc::rt
