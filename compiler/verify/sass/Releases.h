// What the lint of machine code has to know of an `sm` program: which barriers
// hand slots back, and whether threads read those slots with ordinary loads.
#ifndef TLC_COMPILER_VERIFY_SASS_RELEASES_H
#define TLC_COMPILER_VERIFY_SASS_RELEASES_H

#include "compiler/verify/sass/Lint.h"
#include "dialects/sm/Sm.h"

namespace tlc::sass {

/// Why the arrivals of a barrier are checked, or not.
enum class Need {
  Check,
  FencedByProducer, ///< the filling thread fences, so arrivals need not wait
  NoOrdinaryRead,   ///< slots are read by the async proxy alone
  NoRelease,        ///< hands nothing back
};

struct ReleaseBarrier {
  std::string slots; ///< "'h_shared'"
  std::int64_t offset = 0, stages = 1;
  Need need = Need::NoRelease;
  mlir::Location loc; ///< of an arrival, or of the barrier

  ReleaseBarrier(mlir::Location loc) : loc(loc) {}
};

/// A finished `sm` program to the lint.
struct LaunchReleases {
  std::vector<ReleaseBarrier> barriers; ///< every mbarrier, in order
  /// Tiles whose reads no arrive has to wait for.
  std::vector<Region> elsewhere;

  std::vector<Barrier> lintBarriers() const;
  const ReleaseBarrier *find(Need need) const; ///< the first one, or null
};

LaunchReleases describeReleases(sm::LaunchOp launch);

} // namespace tlc::sass

#endif // TLC_COMPILER_VERIFY_SASS_RELEASES_H
