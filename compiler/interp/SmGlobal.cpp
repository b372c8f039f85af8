// Races through global memory.
#include "compiler/interp/SmGlobal.h"

#include "compiler/interp/SmRegion.h"

#include "llvm/Support/raw_ostream.h"

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

SmallVector<GlobalHistory::Conflict, 2> GlobalHistory::record(
    const GlobalAccess &access, const ByteRanges &elements,
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
  // Asynchronous operations are ordered after what other blocks have fenced;
  // after the rest by a fence of this warp.
  Epoch async = newAsyncEvent(warp.frontiers.async);
  acquired.push_back({async, std::make_shared<BlockClocks>(from.async)});
  warp.frontiers.raise(async);
}

/// All blocks have met: this warp goes on.
void SmRun::acquireGrid(Warp &warp) {
  if (grid && grid->released)
    acquireKnowledge(warp, *grid->released);
}

/// One atomic of an element: what it releases and acquires.
void SmRun::orderAtomic(Warp &warp, tile::AtomicOp op, uint32_t param,
                        int64_t element) {
  using tile::MemoryOrder;
  MemoryOrder order = op.getOrder();
  if (!globals || order == MemoryOrder::Relaxed)
    return;
  BlockFrontiers &at = globals->released[{param, element}];
  bool writes = op.getKind() != tile::AtomicKind::Load;
  bool reads = op.getKind() != tile::AtomicKind::Store;
  if (reads && order != MemoryOrder::Release && !at.generic.empty())
    acquireKnowledge(warp, BlockFrontiers(at));
  if (writes && order != MemoryOrder::Acquire)
    addKnowledge(warp, at);
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

bool SmRun::followsGlobal(const SmBuffer &buffer) const {
  return globals && buffer.space == Space::Global &&
         globals->follows(buffer.param);
}

/// Accesses that do not race: atomics, and every thread or block storing what
/// all of them store.
static bool isHarmless(const GlobalAccess &now, const GlobalAccess &earlier) {
  if (isa<tile::AtomicOp>(now.op) && isa<tile::AtomicOp>(earlier.op))
    return true;
  if (now.op != earlier.op || !now.isWrite || !earlier.isWrite)
    return false;
  bool isScalar = isa<tile::StoreOp>(now.op) &&
                  !now.op->getParentOfType<tile::ParallelOp>();
  return isScalar && (now.block == earlier.block || now.keepsValue);
}

/// The number of the access in the history.
uint32_t SmRun::recordGlobal(Warp &warp, GlobalAccess access,
                             const ByteRanges &elements, const Clock &known) {
  access.warp = warp.index;
  access.block = blockNumber;
  access.step = result.stats.steps;
  auto conflicts =
      globals->record(access, elements, [&](const GlobalAccess &earlier) {
        return isAfter(known, earlier);
      });
  for (const auto &conflict : conflicts) {
    const GlobalAccess &earlier = globals->access(conflict.earlier);
    if (!isHarmless(access, earlier))
      reportGlobal(access, earlier, conflict.elements,
                   isAfter(warp.frontiers.generic, earlier));
  }
  return globals->last();
}

void SmRun::recordGlobal(Warp &warp, Operation *op, uint32_t param, bool write,
                         ByteRanges elements, bool keepsValue) {
  if (elements.empty())
    return;
  normalize(elements);
  GlobalAccess access;
  access.epoch = {2 * warp.index + write, ++warp.time};
  access.isWrite = write;
  access.op = op;
  access.param = param;
  access.keepsValue = keepsValue;
  recordGlobal(warp, access, elements, warp.frontiers.generic);
  warp.frontiers.generic.raise(access.epoch);
}

/// Single elements, gathered until the end of the operation or loop.
void SmRun::noteGlobal(Operation *op, uint32_t param, bool write,
                       int64_t element, bool keepsValue) {
  auto at = static_cast<uint32_t>(element);
  for (GlobalNote &note : globalNotes)
    if (note.op == op && note.write == write) {
      note.keepsValue &= keepsValue;
      note.elements.push_back({at, at + 1});
      return;
    }
  globalNotes.push_back({op, param, write, keepsValue, {{at, at + 1}}});
}

void SmRun::flushGlobalNotes(Warp &warp) {
  for (GlobalNote &note : std::exchange(globalNotes, {}))
    recordGlobal(warp, note.op, note.param, note.write,
                 std::move(note.elements), note.keepsValue);
}

/// The box of a bulk copy. A store is open until it is waited for as a whole.
void SmRun::recordGlobalBox(Warp &warp, BulkCopy &copy, ArrayRef<int64_t> sizes,
                            bool write) {
  const GlobalTensor &tensor = tensors[copy.param];
  if (!globals || !globals->follows(copy.param))
    return;
  ByteRanges elements;
  SmallVector<int64_t, 4> at(sizes.size(), 0);
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  for (int64_t i = 0; i < count; ++i, nextIndex(at, sizes)) {
    int64_t element = 0;
    bool inside = true;
    for (size_t d = 0; d < at.size(); ++d) {
      int64_t index = copy.coords[d] + at[d];
      inside &= index >= 0 && index < tensor.shape[d];
      element += index * tensor.strides[d];
    }
    if (!inside)
      continue;
    auto e = static_cast<uint32_t>(element);
    if (!elements.empty() && elements.back().end == e)
      ++elements.back().end;
    else
      elements.push_back({e, e + 1});
  }
  normalize(elements);
  GlobalAccess access;
  access.epoch = copy.epoch;
  access.isWrite = access.isOpen = write;
  access.proxy = Proxy::AsyncCopy;
  access.op = copy.node->op;
  access.param = copy.param;
  copy.globalAccess = recordGlobal(warp, access, elements, copy.known);
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

void SmRun::reportGlobal(const GlobalAccess &now, const GlobalAccess &earlier,
                         ByteRange elements, bool orderedGeneric) {
  const std::string name = program.kernel.getArgName(now.param).str();
  SmReport found(earlier.op->getLoc());
  found.kind = SmProblem::Race;
  found.second = now.op->getLoc();
  found.buffer = name;
  found.missingProxyFence = orderedGeneric && earlier.proxy == Proxy::Generic &&
                            !earlier.isOpen && now.proxy != Proxy::Generic;
  for (const SmReport &old : result.reports)
    if (old.kind == SmProblem::Race && old.first == found.first &&
        old.second == found.second && old.buffer == name)
      return;
  bool isOther = earlier.block != now.block;
  llvm::raw_string_ostream out(found.text);
  out << "RACE  " << name << " in global memory, elements " << elements.begin
      << ".." << elements.end - 1 << "\n"
      << describe(earlier) << (isOther ? ", another block" : "") << "\n"
      << describe(now) << "\n";
  std::string a = placeText(earlier.op), b = placeText(now.op);
  if (found.missingProxyFence)
    out << "  path     ordered in the generic frontier, NOT in the async "
           "frontier\n  missing  fence.proxy.async between "
        << a << " and " << b << "\n";
  else if (earlier.isOpen)
    out << "  path     none: nobody has waited for the write\n  missing  a "
           "wait for the whole bulk store of "
        << a << ", not only for its reads, that reaches " << b << "\n";
  else
    out << "  path     none: nothing orders the two\n  missing  a "
        << (isOther ? "grid barrier" : "barrier") << " between " << a << " and "
        << b << (isOther ? ", or elements that only one block uses" : "")
        << "\n";
  out << "  effect   "
      << (!now.isWrite || !earlier.isWrite
              ? "the read takes what was there before or after the write"
              : "either of the two values may stay")
      << "\n"
      << replayText();
  report(std::move(found), false);
}
