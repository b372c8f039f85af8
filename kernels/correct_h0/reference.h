// What correct_h0 must compute, from its definition in float64.
#pragma once

#include "runtime/core/HostTensor.h"

#include <cstdint>
#include <vector>

namespace tlc::kernels {

inline constexpr std::int64_t kStateSize = 128; ///< DK and DV

/// One call. `lengths` are the segments of each sequence, 0 allowed.
struct StateProblem {
  std::vector<std::int64_t> lengths;
  std::int64_t heads = 1;
  bool stateVFirst = false; ///< the state is stored DV x DK
  bool reverse = false; ///< from the last segment to the first, mt transposed
  bool rawH0 = false;   ///< begin with raw_h0 instead of zero
  DType dtype = DType::BFloat16;     ///< of ht and mt
  DType stateDtype = DType::Float32; ///< of raw_h0 and cp_h0
  DType mapDtype = DType::Int32;     ///< of seq_map

  std::int64_t sequences() const {
    return static_cast<std::int64_t>(lengths.size());
  }
  std::int64_t segments() const;
};

/// Inputs by the names of the kernel's parameters.
struct StateInputs {
  rt::HostTensor ht, mt, fallbackMask, seqMap, rawH0;
};

/// cp_h0, row-major [segments, heads, 128, 128]. The two factors of each
/// product are cut as the matrix unit cuts them: to bfloat16, or for float32
/// buffers to tf32; sums are kept in float64 and the state is rounded to
/// float32 once a segment, as a register would. What leaves is rounded to
/// `stateDtype`, what goes on is not.
std::vector<double> stateReference(const StateProblem &problem,
                                   const StateInputs &inputs);

} // namespace tlc::kernels
