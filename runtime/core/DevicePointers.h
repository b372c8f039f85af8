// Whether an address is what a tensor claims: memory of that device.
#pragma once

#include "tlc/Tensor.h"

#include <cstdint>
#include <string>

namespace tlc::rt {

/// What is wrong with `tensor.data` as memory of device `tensor.deviceId`, as a
/// text that follows "kernel K input X "; empty when it is fine or the tensor
/// has no elements. Asks the driver once for each address and thread, then
/// remembers the answer.
std::string explainPointerProblem(const Tensor &tensor);

/// A 256-byte piece of zeroed memory on `device` that stands in for an empty
/// tensor where hardware wants an address. `writable` gives a separate piece,
/// so that nothing a kernel stores is ever read as zeros.
std::uint64_t standInAddress(int device, bool writable);

} // namespace tlc::rt
