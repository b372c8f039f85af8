// Races through global memory.
#include "compiler/interp/SmGlobal.h"

#include "compiler/interp/SmRegion.h"

#include <cstring>

using namespace mlir;
using namespace tlc;
using namespace tlc::interp;
using tile::Proxy;
using tile::Space;

//===----------------------------------------------------------------------===//
// History
//===----------------------------------------------------------------------===//

uint32_t &GlobalHistory::stateOf(uint32_t param, uint32_t element) {
  std::vector<uint32_t> &page = pages[param][element / kPage];
  if (page.empty())
    page.resize(kPage, 0);
  return page[element % kPage];
}

uint32_t GlobalHistory::next(uint32_t state, uint32_t access) {
  State result;
  const GlobalAccess &now = accesses[access];
  if (now.isWrite) {
    result.write = access;
  } else {
    result = states[state];
    // A later read of the same warp stands for this one.
    llvm::erase_if(result.reads, [&](uint32_t i) {
      const GlobalAccess &old = accesses[i];
      return old.block == now.block && old.epoch.agent == now.epoch.agent &&
             old.proxy == now.proxy && now.proxy == Proxy::Generic;
    });
    if (result.reads.size() == kReads)
      result.reads.erase(result.reads.begin());
    result.reads.push_back(access);
  }
  states.push_back(std::move(result));
  return states.size() - 1;
}

SmallVector<GlobalHistory::Conflict, 2>
GlobalHistory::record(const GlobalAccess &access, const ByteRanges &elements,
                      llvm::function_ref<bool(const GlobalAccess &)> isOrdered) {
  SmallVector<Conflict, 2> conflicts;
  uint32_t id = accesses.size();
  accesses.push_back(access);
  auto check = [&](uint32_t earlier, uint32_t element) {
    for (Conflict &c : conflicts)
      if (c.earlier == earlier) {
        c.elements.end = element + 1;
        return;
      }
    if (!isOrdered(accesses[earlier]))
      conflicts.push_back({earlier, {element, element + 1}});
  };
  llvm::SmallDenseMap<uint32_t, uint32_t, 8> moved;
  for (ByteRange range : elements)
    for (uint32_t e = range.begin; e < range.end; ++e) {
      uint32_t &state = stateOf(access.param, e);
      auto [it, isNew] = moved.try_emplace(state, 0);
      if (isNew)
        it->second = next(state, id);
      // Each state is judged once, its first element names the place.
      if (isNew || !conflicts.empty()) {
        if (states[state].write != kNone)
          check(states[state].write, e);
        if (access.isWrite)
          for (uint32_t read : states[state].reads)
            check(read, e);
      }
      state = it->second;
    }
  return conflicts;
}

/// Which parameters a launch writes.
std::shared_ptr<GlobalHistory> interp::makeGlobalHistory(SmProgram &program,
                                                         sm::LaunchOp launch) {
  SmallVector<bool, 8> written(program.kernel.getNumParams(), false);
  auto write = [&](Value buffer) {
    const SmBuffer &target = program.buffer(buffer);
    if (target.space == Space::Global)
      written[target.param] = true;
  };
  launch.walk([&](Operation *op) {
    if (auto store = dyn_cast<tile::StoreOp>(op))
      write(store.getBuffer());
    if (auto atomic = dyn_cast<tile::AtomicOp>(op))
      write(atomic.getBuffer());
    if (auto copy = dyn_cast<tile::CopyOp>(op))
      write(copy.getDst());
    if (auto fill = dyn_cast<tile::FillOp>(op))
      write(fill.getDst());
    if (auto store = dyn_cast<sm::TmaStoreOp>(op))
      write(store.getDst());
  });
  return std::make_shared<GlobalHistory>(std::move(written));
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// Whether whoever knows `known` of this block is ordered after an access.
bool SmRun::isAfter(const Clock &known, const GlobalAccess &earlier) const {
  if (earlier.isOpen)
    return false;
  if (earlier.block == blockNumber)
    return known.covers(earlier.epoch);
  return llvm::any_of(acquired, [&](const Acquisition &a) {
    auto it = a.known->find(earlier.block);
    return it != a.known->end() && it->second.covers(earlier.epoch) &&
           known.covers(a.epoch);
  });
}

/// Adds what a warp knows of its own and of other blocks.
void SmRun::addKnowledge(const Warp &warp, BlockFrontiers &to) const {
  auto addAll = [&](BlockClocks &clocks, const Clock &known) {
    clocks[blockNumber].join(known);
    for (const Acquisition &a : acquired)
      if (known.covers(a.epoch))
        for (const auto &[block, clock] : *a.known)
          clocks[block].join(clock);
  };
  addAll(to.generic, warp.frontiers.generic);
  addAll(to.async, warp.frontiers.async);
}

/// The warp is ordered after all that `from` is.
void SmRun::acquireKnowledge(Warp &warp, const BlockFrontiers &from) {
  auto own = [&](const BlockClocks &clocks, Clock &frontier) {
    if (auto it = clocks.find(blockNumber); it != clocks.end())
      frontier.join(it->second);
  };
  own(from.generic, warp.frontiers.generic);
  own(from.async, warp.frontiers.async);
  Epoch generic{2 * warp.index + 1, ++warp.time};
  acquired.push_back({generic, std::make_shared<BlockClocks>(from.generic)});
  warp.frontiers.generic.raise(generic);
  // Asynchronous operations are ordered by what other blocks have fenced, and
  // after a fence of this block by the first event as well.
  Epoch async{2 * uint32_t(warps.size()) + asyncAgents_offset(), 0};
  (void)async;
}
