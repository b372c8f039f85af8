// A loop over all cores.
#pragma once

#include <cstddef>
#include <functional>

namespace tlc::kernels {

/// `work(0)` to `work(count - 1)`, spread over the cores. What one throws is
/// thrown after all have ended.
void forEachInParallel(std::size_t count,
                       const std::function<void(std::size_t)> &work);

} // namespace tlc::kernels
