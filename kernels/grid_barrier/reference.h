// What blocks that meet must have seen, from the definition: after a barrier
// every block sees what all blocks wrote before it.
#pragma once

#include <cstdint>
#include <vector>

namespace tlc::kernels {

struct BarrierResult {
  std::vector<double> a, b;
};

/// The tensors after `launches` launches that begin with A = B = 0: in round r
/// of each, block b writes A[b] = b + 1 + r, waits, adds all of A to B[b], and
/// waits.
BarrierResult barrierReference(std::int64_t blocks, std::int64_t rounds,
                               std::int64_t launches);

} // namespace tlc::kernels
