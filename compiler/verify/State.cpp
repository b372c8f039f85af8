// Joins of the abstract domain.
#include "compiler/verify/State.h"

#include <algorithm>

using namespace mlir;
using namespace tlc;
using namespace tlc::verify;

/// Groups in flight that are told apart; older ones are merged.
constexpr size_t kMaxGroups = 8;

bool tlc::verify::areAtomic(Operation *a, Operation *b) {
  return isa_and_nonnull<tile::AtomicOp>(a) &&
         isa_and_nonnull<tile::AtomicOp>(b);
}

static void joinOp(Operation *&into, Operation *other) {
  if (!into)
    into = other;
}

/// An access of all threads is worse than one of an elected thread.
static void joinAccess(Operation *&into, Operation *other, bool &many) {
  many |= into && other && into != other && !areAtomic(into, other);
  if (!into || (other && isElected(into)))
    into = other;
}

void Hazard::passBarrier() {
  write = read = asyncRead = asyncWrite = nullptr;
  manyWrites = manyReads = false;
  barrierBeforeFence = unfenced != nullptr;
  if (!unfenced)
    unsynced = nullptr;
}

void Hazard::join(const Hazard &other) {
  manyWrites |= other.manyWrites;
  manyReads |= other.manyReads;
  joinAccess(write, other.write, manyWrites);
  joinAccess(read, other.read, manyReads);
  joinOp(asyncRead, other.asyncRead);
  joinOp(asyncWrite, other.asyncWrite);
  joinOp(unfenced, other.unfenced);
  joinOp(unsynced, other.unsynced);
  barrierBeforeFence |= other.barrierBeforeFence;
}

void Span::join(const Span &other) {
  // A delay protects only if every path with a pending access has it.
  delayed = (!pending || delayed) && (!other.pending || other.delayed) &&
            (pending || other.pending);
  joinOp(pending, other.pending);
  joinOp(lastUse, other.lastUse);
  membar |= other.membar;
  barrier |= other.barrier;
  fenced &= other.fenced;
  byOne |= other.byOne;
  if (expected != other.expected)
    expected = -1;
  if (copied != other.copied)
    copied = -1;
  hazard.join(other.hazard);
}

template <typename List> static void uniteList(List &into, const List &other) {
  for (const auto &element : other)
    if (!llvm::is_contained(into, element))
      into.push_back(element);
}

void AsyncGroup::join(const AsyncGroup &other) {
  joinOp(op, other.op);
  uniteList(sources, other.sources);
  uniteList(written, other.written);
  uniteList(read, other.read);
  uniteList(tensors, other.tensors);
}

void AsyncQueue::commit() {
  committed.push_back(std::move(open));
  open = {};
  if (committed.size() <= kMaxGroups)
    return;
  committed[1].join(committed[0]);
  committed.erase(committed.begin());
}

SmallVector<AsyncGroup, 2> AsyncQueue::retire(int64_t pending) {
  SmallVector<AsyncGroup, 2> done;
  int64_t size = committed.size();
  int64_t count = size - std::clamp<int64_t>(pending, 0, size);
  for (int64_t i = 0; i < count; ++i)
    done.push_back(committed[i]);
  if (count > 0)
    committed.erase(committed.begin(), committed.begin() + count);
  return done;
}

void AsyncQueue::join(const AsyncQueue &other) {
  open.join(other.open);
  size_t size = std::max(committed.size(), other.committed.size());
  while (committed.size() < size)
    committed.insert(committed.begin(), AsyncGroup());
  size_t shift = size - other.committed.size();
  for (auto [i, group] : llvm::enumerate(other.committed))
    committed[i + shift].join(group);
}

void AsyncQueue::forEach(llvm::function_ref<void(AsyncGroup &)> visit) {
  for (AsyncGroup &group : committed)
    visit(group);
  visit(open);
}

bool State::operator==(const State &other) const {
  auto sameMap = [](const auto &a, const auto &b) {
    if (a.size() != b.size())
      return false;
    return llvm::all_of(a, [&](const auto &entry) {
      auto it = b.find(entry.first);
      return it != b.end() && it->second == entry.second;
    });
  };
  return sameMap(stages, other.stages) && spans == other.spans &&
         sameMap(locals, other.locals) &&
         sameMap(unfencedRegisters, other.unfencedRegisters) &&
         products == other.products && stores == other.stores &&
         writes == other.writes && sameMap(touched, other.touched);
}

Span *State::findSpan(Ring *ring, bool fill, const StageKey &stage) {
  for (Span &span : spans)
    if (span.ring == ring && span.fill == fill && span.stage == stage)
      return &span;
  return nullptr;
}

void State::forEachHazard(llvm::function_ref<void(Hazard &)> visit) {
  for (auto &[tile, hazard] : locals)
    visit(hazard);
  for (Span &span : spans)
    visit(span.hazard);
}

SmallVector<Span, 2> State::join(const State &other) {
  SmallVector<Span, 2> lonely;
  SmallVector<Span, 4> kept;
  for (Span &span : spans) {
    auto match = llvm::find_if(other.spans,
                               [&](const Span &s) { return s.isSame(span); });
    if (match == other.spans.end()) {
      lonely.push_back(span);
      continue;
    }
    span.join(*match);
    kept.push_back(span);
  }
  for (const Span &span : other.spans)
    if (llvm::none_of(spans, [&](const Span &s) { return s.isSame(span); }))
      lonely.push_back(span);
  spans = std::move(kept);
  SmallVector<Value> stale;
  for (auto &[value, key] : stages) {
    auto it = other.stages.find(value);
    if (it == other.stages.end() || !(it->second == key))
      stale.push_back(value);
  }
  for (Value value : stale)
    stages.erase(value);
  for (const auto &[tile, hazard] : other.locals)
    locals[tile].join(hazard);
  for (const auto &[fragment, op] : other.unfencedRegisters)
    joinOp(unfencedRegisters[fragment], op);
  products.join(other.products);
  stores.join(other.stores);
  writes.join(other.writes);
  for (const auto &[tensor, op] : other.touched)
    joinOp(touched[tensor], op);
  return lonely;
}
