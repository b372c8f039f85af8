// V11: accesses of different threads of a role to the same shared tile, at
// least one of them a write, have a barrier of all its threads between them on
// every path, the back edges of loops included. GlobalTensors.cpp
// has tensors.
#include "compiler/verify/Obligations.h"
#include "compiler/verify/RoleWalk.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::verify;

namespace {
/// Which thread touches which element: a layout over the extents of a region.
struct ThreadMap {
  StringRef layout;
  SmallVector<Value> offsets;
  ArrayRef<int64_t> sizes;
};
} // namespace

static std::optional<ThreadMap> findMap(Operation *op, Value buffer) {
  if (auto fill = dyn_cast<tile::FillOp>(op)) {
    if (!fill.getLayout() || fill.getDst() != buffer)
      return std::nullopt;
    return ThreadMap{fill.getLayout()->getText(),
                     llvm::to_vector(fill.getOffsets()), fill.getSizes()};
  }
  auto copy = dyn_cast<tile::CopyOp>(op);
  if (!copy || !copy.getLayout())
    return std::nullopt;
  bool src = copy.getSrc() == buffer, dst = copy.getDst() == buffer;
  if (src == dst)
    return std::nullopt;
  if (src)
    return ThreadMap{copy.getLayout()->getText(),
                     llvm::to_vector(copy.getSrcOffsets()), copy.getSrcSizes()};
  return ThreadMap{copy.getLayout()->getText(),
                   llvm::to_vector(copy.getDstOffsets()), copy.getDstSizes()};
}

/// Equal in every turn of every loop of the role.
static bool isFixed(Value offset, Operation *role) {
  APInt constant;
  if (matchPattern(offset, m_ConstantInt(&constant)))
    return true;
  for (Operation *op = offset.getParentBlock()->getParentOp(); op && op != role;
       op = op->getParentOp())
    if (isa<LoopLikeOpInterface>(op))
      return false;
  return true;
}

static bool isEqual(Value a, Value b) {
  APInt x, y;
  if (matchPattern(a, m_ConstantInt(&x)) && matchPattern(b, m_ConstantInt(&y)))
    return x == y;
  return a == b;
}

/// Two of these threads hold copies of an element: a thread digit with a step
/// of zeros only.
static bool isReplicated(StringRef layout) {
  StringRef threads = layout.split("threads=[").second.split(']').first;
  while (!threads.empty()) {
    auto [digit, rest] = threads.split(')');
    StringRef step = digit.split('(').second;
    if (!step.empty() && step.find_first_not_of("0,") == StringRef::npos)
      return true;
    threads = rest;
  }
  return false;
}

/// Extents of 1 do not take part in a layout.
bool tlc::verify::isSameThread(Operation *a, Operation *b, Value buffer,
                               Operation *role) {
  auto x = findMap(a, buffer), y = findMap(b, buffer);
  if (!x || !y || x->layout != y->layout || x->sizes != y->sizes)
    return false;
  if (a != b && isReplicated(x->layout))
    return false;
  for (auto [p, q, size] : llvm::zip(x->offsets, y->offsets, x->sizes))
    if (size != 1 && (!isFixed(p, role) || !isEqual(p, q)))
      return false;
  return true;
}

/// Null, with an error, for a slot that the role does not hold, and for a slot
/// whose order is checked elsewhere.
Hazard *RoleWalk::hazardOf(Operation *op, const Place &place) {
  if (protocol.isFilledInGroups(place.tile))
    return nullptr;
  if (!place.ring)
    return &state.locals[place.tile.getResult()];
  Span *span = requireSpan(op, place);
  return span ? &span->hazard : nullptr;
}

void RoleWalk::checkCollision(Operation *op, const Place &place, bool write) {
  Hazard *hazard = hazardOf(op, place);
  if (!hazard)
    return;
  std::string name = "'" + place.tile.getName().str() + "'";
  std::string verb = write ? " writes " : " reads ";
  auto collide = [&](Operation *earlier, StringRef what, bool many) {
    if (!earlier ||
        (!many && (areAtomic(earlier, op) ||
                   isSameThread(earlier, op, place.tile.getResult(), role.op))))
      return;
    std::string text = ("the " + actionName(op) + verb + name + " before the " +
                        what + " of other threads" + atLine(earlier) +
                        " is over: a barrier is missing between them")
                           .str();
    SmallVector<Note> notes{{earlier, "the earlier access is here"}};
    if (Operation *condition = findThreadCondition(op)) {
      text.insert(0, kThreadCondition);
      notes.push_back({condition, "the condition is here"});
    }
    reporter.error(op, text, notes);
  };
  collide(hazard->write, "write", hazard->manyWrites);
  if (!write)
    return;
  collide(hazard->read, "read", hazard->manyReads);
  collide(hazard->asyncRead, "read", /*many=*/true);
  auto inFlight = [&](AsyncGroup &group) {
    if (!isPoisoned(group.op) &&
        llvm::is_contained(group.sources, place.source()))
      reporter.error(op,
                     "the " + actionName(op) + " writes " + name +
                         " while the " + actionName(group.op) +
                         atLine(group.op) +
                         " may still read it: a wait for its completion and a "
                         "barrier are missing between them",
                     {{group.op, "the asynchronous read is issued here"}});
  };
  state.products.forEach(inFlight);
  state.stores.forEach(inFlight);
}

void RoleWalk::recordAccess(Operation *op, const Place &place, bool write) {
  Hazard *hazard = hazardOf(op, place);
  if (!hazard)
    return;
  auto note = [&](Operation *&noted, bool &many) {
    many |= noted && noted != op && !areAtomic(noted, op);
    if (!noted || !inElect)
      noted = op;
  };
  if (write) {
    note(hazard->write, hazard->manyWrites);
    hazard->unfenced = op;
    hazard->unsynced = nullptr;
    hazard->barrierBeforeFence = false;
  } else {
    note(hazard->read, hazard->manyReads);
  }
  if (place.ring)
    noteGenericAccess(op, *requireSpan(op, place));
}

/// A tensor store reads its tile asynchronously, on behalf of one thread.
void RoleWalk::atStore(sm::TmaStoreOp store) {
  if (!inElect && !findLoneThread(protocol.launch, store))
    reporter.error(store, "the tensor store is issued by every thread that "
                          "comes here: one must be elected");
  atTensorWrite(store);
  auto place = resolve(store.getSrc());
  if (!place || place->fragment)
    return;
  checkAsyncRead(store, *place);
  state.stores.open.op = store;
  state.stores.open.sources.push_back(place->source());
}

/// The waiting threads know that these reads are over; others do not yet.
void RoleWalk::endReads(ArrayRef<AsyncGroup> groups) {
  for (const AsyncGroup &group : groups)
    for (const AsyncSource &source : group.sources) {
      if (!source.ring)
        state.locals[source.tile.getResult()].asyncRead = group.op;
      else if (Span *span =
                   state.findSpan(source.ring, /*fill=*/false, source.stage))
        span->hazard.asyncRead = group.op;
    }
}

/// A tile without barriers of its own belongs to one role.
void tlc::verify::checkTileOwners(const Protocol &protocol,
                                  Reporter &reporter) {
  protocol.launch.walk([&](sm::SharedOp tile) {
    if (protocol.ringOfTile(tile))
      return;
    const RoleInfo *owner = nullptr;
    for (Operation *user : tile.getResult().getUsers()) {
      const RoleInfo *role = protocol.roleOf(user);
      if (owner && role && role != owner)
        return reporter.notProved(
            user, "'" + tile.getName() + "' is used by the roles '" +
                      owner->name + "' and '" + role->name +
                      "' with no barrier of its own to order them");
      if (role)
        owner = role;
    }
  });
}
