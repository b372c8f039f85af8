// Shared memory: the record of its accesses, the loads that lag, and the
// generic writes that asynchronous readers cannot see yet.
#include "compiler/interp/SmRun.h"

#include <cstring>

using namespace mlir;
using namespace tlc;
using namespace tlc::interp;

/// Conflicting generic accesses that are none: statements outside of parallel
/// loops are executed by every thread, and all store one value; atomics order
/// themselves; the threads of an external function divide its work themselves.
static bool isHarmless(const MemoryAccess &a, const MemoryAccess &b) {
  bool isGeneric =
      a.proxy == tile::Proxy::Generic && b.proxy == tile::Proxy::Generic;
  if (isa<tile::AtomicOp>(a.op) && isa<tile::AtomicOp>(b.op))
    return isGeneric;
  if (a.op != b.op || !isGeneric)
    return false;
  bool isScalar =
      isa<tile::StoreOp>(a.op) && !a.op->getParentOfType<tile::ParallelOp>();
  return isScalar || isa<tile::CallExternOp>(a.op);
}

void SmRun::recordGeneric(Warp &warp, Operation *op, uint32_t tile,
                          int64_t slot, bool write, const ByteRanges &ranges) {
  if (ranges.empty())
    return;
  ++result.stats.accesses;
  MemoryAccess access;
  access.epoch = {2 * warp.index + write, ++warp.time};
  access.isWrite = write;
  access.warp = warp.index;
  access.op = op;
  access.tile = tile;
  access.slot = slot;
  access.generation = fills[tile][slot] - 1;
  access.step = result.stats.steps;
  auto conflicts = history->record(access, ranges, warp.frontiers.generic);
  for (const auto &conflict : conflicts) {
    const MemoryAccess &earlier = history->access(conflict.earlier);
    if (!isHarmless(access, earlier))
      reportConflict(access, conflict, warp.frontiers.generic);
  }
  warp.frontiers.generic.raise(access.epoch);
  if (write)
    wroteGeneric(warp, ranges);
  else
    warp.lastLoad = access.epoch;
}

void SmRun::recordAsync(Warp &warp, Operation *op, uint32_t tile, int64_t slot,
                        bool write, tile::Proxy proxy, const ByteRanges &ranges,
                        Epoch epoch, const Clock &known) {
  ++result.stats.accesses;
  MemoryAccess access;
  access.epoch = epoch;
  access.isWrite = write;
  access.proxy = proxy;
  access.warp = warp.index;
  access.op = op;
  access.tile = tile;
  access.slot = slot;
  access.generation = fills[tile][slot] - 1;
  access.step = result.stats.steps;
  for (const auto &conflict : history->record(access, ranges, known))
    reportConflict(access, conflict, warp.frontiers.generic);
}

const ByteRanges &SmRun::rangesOf(Operation *op, unsigned which,
                                  const Warp &warp, uint32_t base,
                                  int64_t start,
                                  llvm::function_ref<ByteRanges()> make) {
  constexpr size_t kMost = 1 << 12;
  if (rangeCache.size() > kMost)
    rangeCache.clear();
  std::array<uint64_t, 5> key = {reinterpret_cast<uintptr_t>(op), which,
                                 warp.index, base,
                                 static_cast<uint64_t>(start)};
  auto [it, isNew] = rangeCache.try_emplace(key);
  if (isNew) {
    it->second = make();
    normalize(it->second);
  }
  return it->second;
}

/// A number for an asynchronous operation that is ordered after `known`.
Epoch SmRun::newAsyncEvent(const Clock &known) {
  uint32_t first = firstAsyncAgent();
  for (auto [i, agent] : llvm::enumerate(asyncAgents))
    if (known.at(first + i) >= agent.last)
      return {uint32_t(first + i), ++agent.last};
  asyncAgents.push_back({1, nullptr});
  return {uint32_t(first + asyncAgents.size() - 1), 1};
}

void SmRun::wroteGeneric(Warp &warp, const ByteRanges &ranges) {
  if (lags()) {
    unfenced.push_back({{2 * warp.index + 1, warp.time}, ranges});
    return;
  }
  for (ByteRange r : ranges)
    std::memcpy(&asyncView[r.begin], &shared[r.begin], r.end - r.begin);
}

/// An asynchronous write to pieces of the bytes of a slot has happened: loads
/// that have not been served yet get the new bytes.
void SmRun::wroteAsync(uint32_t begin, uint32_t end, uint32_t pieces) {
  auto isWritten = [&](uint32_t at) {
    return at >= begin && at < end && (pieces >> pieceOf(at - begin) & 1);
  };
  for (uint32_t at = begin; at < end; at += kPieceBytes)
    if (isWritten(at))
      std::memcpy(&asyncView[at], &shared[at], std::min(kPieceBytes, end - at));
  for (Warp &warp : warps)
    for (PendingLoad &load : warp.pending)
      for (Sample &sample : load.samples)
        for (auto [i, address] : llvm::enumerate(sample.addresses))
          if (isWritten(address))
            std::memcpy(&sample.bytes[i * sample.size], &shared[address],
                        sample.size);
}

void SmRun::fenceProxy(Warp &warp) {
  const Clock &fenced = warp.frontiers.async;
  warp.frontiers.async.join(warp.frontiers.generic);
  // The fence waits for all loads that it orders, those of other threads too.
  for (Warp &reader : warps)
    serve(reader,
          [&](const PendingLoad &load) { return fenced.covers(load.epoch); });
  llvm::erase_if(unfenced, [&](const Unfenced &write) {
    if (!warp.frontiers.async.covers(write.epoch))
      return false;
    for (ByteRange r : write.ranges)
      std::memcpy(&asyncView[r.begin], &shared[r.begin], r.end - r.begin);
    return true;
  });
}
