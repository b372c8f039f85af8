// Barriers of a block: mbarriers with counts, bytes and phases (PTX ISA,
// "mbarrier"), and the named barriers of bar.sync. They hold what their
// arrivals knew, for those who wait.
#pragma once

#include "compiler/interp/SmClocks.h"

#include <map>
#include <string>

namespace tlc::interp {

/// One stage of an sm.mbarrier.
struct MBarrier {
  uint32_t decl = 0; ///< number of its sm.mbarrier
  int64_t stage = 0, count = 0;
  bool initialized = false;
  Epoch init;
  int64_t pending = 0; ///< arrivals that the phase still needs
  int64_t bytes = 0;   ///< expected and not yet complete; may run ahead below 0
  uint64_t phase = 0;  ///< phases completed
  Frontiers current, done; ///< of the phase at work, of the last completed
  /// Arrivals of the phase at work, by role.
  std::map<std::string, int64_t> arrived;

  /// Completes the phase if nothing is missing.
  bool tryComplete() {
    if (pending != 0 || bytes != 0)
      return false;
    ++phase;
    pending = count;
    std::swap(done, current);
    current.clear();
    arrived.clear();
    return true;
  }
  /// A wait for the phase of this parity returns.
  bool isOver(int64_t parity) const {
    return static_cast<int64_t>(phase & 1) != parity;
  }
};

/// One of the 16 named barriers.
struct NamedBarrier {
  int64_t threads = 0; ///< of the arrivals so far; 0: nobody is there
  int64_t arrived = 0;
  mlir::Operation *first = nullptr; ///< where the first one arrived
  llvm::SmallVector<uint32_t, 8> warps;
  Frontiers joined;
};

} // namespace tlc::interp
