// The rounds one after the other.
#include "kernels/grid_barrier/reference.h"

#include <numeric>

namespace tlc::kernels {

BarrierResult barrierReference(std::int64_t blocks, std::int64_t rounds,
                               std::int64_t launches) {
  const auto count = static_cast<std::size_t>(blocks);
  BarrierResult result{std::vector<double>(count), std::vector<double>(count)};
  for (std::int64_t launch = 0; launch < launches; ++launch)
    for (std::int64_t round = 0; round < rounds; ++round) {
      for (std::size_t block = 0; block < count; ++block)
        result.a[block] =
            static_cast<double>(block) + 1 + static_cast<double>(round);
      const double sum = std::accumulate(result.a.begin(), result.a.end(), 0.0);
      for (double &value : result.b)
        value += sum;
    }
  return result;
}

} // namespace tlc::kernels
