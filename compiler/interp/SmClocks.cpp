// Byte histories of shared memory.
#include "compiler/interp/SmClocks.h"

#include <algorithm>

using namespace tlc::interp;
using tlc::tile::Proxy;

void tlc::interp::normalize(ByteRanges &ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](ByteRange a, ByteRange b) { return a.begin < b.begin; });
  size_t kept = 0;
  for (ByteRange r : ranges) {
    if (kept && r.begin <= ranges[kept - 1].end)
      ranges[kept - 1].end = std::max(ranges[kept - 1].end, r.end);
    else
      ranges[kept++] = r;
  }
  ranges.resize(kept);
}

/// The state of bytes in `state` after access number `access`.
uint32_t AccessHistory::next(uint32_t state, uint32_t access,
                             const Clock &known) {
  State result;
  const MemoryAccess &now = accesses[access];
  if (now.isWrite) {
    result.write = access;
  } else {
    result = states[state];
    // A read that this one is ordered after, and whose order any later access
    // learns together with this one's, need not be kept.
    llvm::erase_if(result.reads, [&](uint32_t i) {
      const MemoryAccess &old = accesses[i];
      return old.epoch.agent == now.epoch.agent && old.proxy == now.proxy &&
             known.covers(old.epoch);
    });
    result.reads.push_back(access);
  }
  states.push_back(std::move(result));
  return states.size() - 1;
}

llvm::SmallVector<AccessHistory::Conflict, 2>
AccessHistory::record(const MemoryAccess &access, const ByteRanges &ranges,
                      const Clock &known) {
  llvm::SmallVector<Conflict, 2> conflicts;
  uint32_t id = accesses.size();
  accesses.push_back(access);
  auto check = [&](uint32_t earlier, ByteRange bytes) {
    if (known.covers(accesses[earlier].epoch))
      return;
    for (Conflict &c : conflicts)
      if (c.earlier == earlier) {
        c.bytes.begin = std::min(c.bytes.begin, bytes.begin);
        c.bytes.end = std::max(c.bytes.end, bytes.end);
        return;
      }
    conflicts.push_back({earlier, bytes});
  };
  llvm::SmallDenseMap<uint32_t, uint32_t, 8> moved;
  for (ByteRange range : ranges) {
    for (uint32_t at = range.begin; at < range.end;) {
      uint32_t state = stateOf[at], end = at;
      while (end < range.end && stateOf[end] == state)
        ++end;
      if (states[state].write != kNone)
        check(states[state].write, {at, end});
      if (access.isWrite)
        for (uint32_t read : states[state].reads)
          check(read, {at, end});
      auto [it, isNew] = moved.try_emplace(state, 0);
      if (isNew)
        it->second = next(state, id, known);
      std::fill(stateOf.begin() + at, stateOf.begin() + end, it->second);
      at = end;
    }
  }
  return conflicts;
}
