// Who is ordered after whom: vector clocks with two frontiers.
//
// Every agent a holds G, the events that its generic accesses are ordered
// after, and A, the events that the asynchronous operations it issues are
// ordered after. A generic access of a enters G at once; it enters A only by a
// proxy fence (A := A join G). membar.cta and bar.sync do not move events from
// G to A (sync.md 2.4, 4.3). An access that conflicts with an earlier one
// needs that one's event in its own frontier: G for a generic access, the A of
// the issuer at the issue for an asynchronous one.
//
// An asynchronous operation is an event of its own. It gets the number of an
// earlier one that it is ordered after, so that clocks stay short.
#pragma once

#include "compiler/interp/TileInterpElement.h"
#include "dialects/tile/Tile.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace tlc::interp {

/// Event `time` (from 1) of an agent.
struct Epoch {
  uint32_t agent = 0, time = 0;
};

/// For each agent, the last event known; 0 for none.
class Clock {
public:
  bool covers(Epoch e) const {
    return e.agent < times.size() && times[e.agent] >= e.time;
  }
  uint32_t at(uint32_t agent) const {
    return agent < times.size() ? times[agent] : 0;
  }
  void raise(Epoch e) {
    if (times.size() <= e.agent)
      times.resize(e.agent + 1, 0);
    times[e.agent] = std::max(times[e.agent], e.time);
  }
  void join(const Clock &other) {
    if (times.size() < other.times.size())
      times.resize(other.times.size(), 0);
    for (size_t i = 0; i < other.times.size(); ++i)
      times[i] = std::max(times[i], other.times[i]);
  }
  void clear() { times.clear(); }

private:
  llvm::SmallVector<uint32_t, 16> times;
};

/// Both frontiers of a warp, or what a barrier passes on.
struct Frontiers {
  Clock generic, async;

  void join(const Frontiers &other) {
    generic.join(other.generic);
    async.join(other.async);
  }
  void join(const Clock &clock) {
    generic.join(clock);
    async.join(clock);
  }
  void raise(Epoch e) {
    generic.raise(e);
    async.raise(e);
  }
  void clear() {
    generic.clear();
    async.clear();
  }
};

/// Bytes [begin, end) of shared memory.
struct ByteRange {
  uint32_t begin, end;
};
using ByteRanges = std::vector<ByteRange>;

/// Sorts and merges ranges that touch.
void normalize(ByteRanges &ranges);

/// One access to shared memory, as reports name it.
struct MemoryAccess {
  Epoch epoch;
  bool isWrite = false;
  tile::Proxy proxy = tile::Proxy::Generic;
  uint32_t warp = 0; ///< who executed or issued it
  mlir::Operation *op = nullptr;
  uint32_t tile = 0; ///< shared tile
  int64_t slot = 0;
  int64_t generation = -1; ///< fills of the slot so far, from 0; -1: none
  uint64_t step = 0;       ///< when, in steps of the run
};

/// The last write of every byte and the reads since, checked at each access.
class AccessHistory {
public:
  explicit AccessHistory(size_t bytes) : stateOf(bytes, 0), states(1) {}

  struct Conflict {
    uint32_t earlier; ///< position in `accesses`
    ByteRange bytes;
  };

  /// Enters an access whose knowledge is `known` and returns the earlier
  /// conflicting accesses that are not in it, one entry for each of them.
  llvm::SmallVector<Conflict, 2> record(const MemoryAccess &access,
                                        const ByteRanges &ranges,
                                        const Clock &known);

  const MemoryAccess &access(uint32_t i) const { return accesses[i]; }
  size_t size() const { return accesses.size(); }

private:
  /// Of bytes with the same history.
  struct State {
    uint32_t write = kNone;
    llvm::SmallVector<uint32_t, 6> reads;
  };
  static constexpr uint32_t kNone = ~0u;

  uint32_t next(uint32_t state, uint32_t access, const Clock &known);

  std::vector<uint32_t> stateOf;
  std::vector<State> states;
  std::vector<MemoryAccess> accesses;
};

} // namespace tlc::interp
