#include "runtime/core/Residency.h"

#include <fmt/format.h>

namespace tlc::rt {
namespace {

unsigned product(const std::array<std::uint32_t, 3> &extents) {
  return extents[0] * extents[1] * extents[2];
}

std::int64_t clustersOf(cu::Function function, const LaunchInfo &info) {
  cu::LaunchAttribute attribute{};
  attribute.id = cu::kAttributeCluster;
  attribute.value.cluster = {info.cluster[0], info.cluster[1], info.cluster[2]};
  // The grid has no influence but must be whole clusters.
  cu::LaunchConfig config{info.cluster[0],  info.cluster[1],
                          info.cluster[2],  info.block[0],
                          info.block[1],    info.block[2],
                          info.sharedBytes, nullptr,
                          &attribute,       1};
  int clusters = 0;
  const Driver &driver = Driver::get();
  driver.check(driver.occupancyClusters(&clusters, function, &config),
               "asking how many clusters fit");
  return clusters;
}

} // namespace

Residency residencyOf(cu::Function function, const LaunchInfo &info,
                      const Device &device) {
  Residency result;
  result.sms = device.smCount();
  if (unsigned size = product(info.cluster); size > 1) {
    result.blocks = clustersOf(function, info) * size;
    return result;
  }
  int blocks = 0;
  const Driver &driver = Driver::get();
  driver.check(driver.occupancyBlocks(&blocks, function,
                                      static_cast<int>(product(info.block)),
                                      info.sharedBytes),
               "asking how many blocks fit");
  result.perSm = blocks;
  result.blocks = result.perSm * result.sms;
  return result;
}

std::string explainTooLarge(const LaunchInfo &info, std::int64_t asked,
                            const Residency &fits, const Device &device) {
  std::string how = fits.perSm > 0 ? fmt::format(" ({} on each of {} SMs)",
                                                 fits.perSm, fits.sms)
                                   : std::string();
  return fmt::format(
      "kernel {} waits for its whole grid, so all of its blocks must be on the "
      "device at once: {} blocks of {} threads were asked for, but {} fit on "
      "device {}{}; launch at most {} blocks and let each do more",
      info.symbol, asked, product(info.block), fits.blocks, device.ordinal(),
      how, fits.blocks);
}

} // namespace tlc::rt
