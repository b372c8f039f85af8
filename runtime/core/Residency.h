// How many blocks of a kernel a device holds at once. A grid barrier needs all
// blocks of its grid there: one that waits for its turn never arrives.
#pragma once

#include "runtime/core/Driver.h"
#include "runtime/core/LaunchMetadata.h"

#include <string>

namespace tlc::rt {

struct Residency {
  std::int64_t blocks = 0; ///< on the whole device
  std::int64_t perSm = 0;  ///< 0 where clusters make it uneven
  std::int64_t sms = 0;
};

/// What fits of `function`, launched as `info` says, on an otherwise idle
/// `device`. Its dynamic shared memory must have been allowed before.
Residency residencyOf(cu::Function function, const LaunchInfo &info,
                      const Device &device);

/// Why a cooperative grid of `asked` blocks cannot be launched: how many blocks
/// fit, how many were asked for, what to do.
std::string explainTooLarge(const LaunchInfo &info, std::int64_t asked,
                            const Residency &fits, const Device &device);

} // namespace tlc::rt
