// What layouts of fragments must fulfil: each thread that runs a point holds
// the elements that the point names, and what is written reaches all copies.
#include "compiler/transforms/FragmentInference.h"

#include <map>

using namespace mlir;
using namespace tlc::analysis;

namespace tlc::tile {

LogicalResult FragmentInference::reportMismatch(Nest &nest,
                                                const FragmentAccess &access) {
  AllocOp alloc = access.fragment;
  const Fragment &fragment = fragments[alloc];
  InFlightDiagnostic diag =
      access.op->emitError()
      << "'" << alloc.getName()
      << "' does not lie in the threads that run this T.Parallel; this is not "
         "supported yet, copy it through a shared tile";
  diag.attachNote(nest.op.getLoc()) << "the loop";
  diag.attachNote(fragment.origin->getLoc())
      << "'" << alloc.getName() << "' is laid out as " << fragment.why
      << " here";
  return diag;
}

/// What the program calls a loop variable.
static std::string varName(ParallelOp nest, unsigned var) {
  Location loc = nest.getBody().getArgument(var).getLoc();
  if (auto name = dyn_cast<NameLoc>(loc))
    return "'" + name.getName().str() + "'";
  return "number " + std::to_string(var);
}

/// Calls `visit` with each point of a rectangle.
static void forEachPoint(ArrayRef<int64_t> extents,
                         function_ref<void(ArrayRef<int64_t>)> visit) {
  for (Coords point(extents.size(), 0);;) {
    visit(point);
    size_t dim = extents.size();
    while (dim > 0 && ++point[dim - 1] == extents[dim - 1])
      point[--dim] = 0;
    if (dim == 0)
      return;
  }
}

/// Point by point: a thread that runs one holds its element, and if it is
/// written, every holder runs all points that name it, so that they follow
/// each other there.
LogicalResult FragmentInference::checkExpression(Nest &nest,
                                                 const FragmentAccess &access) {
  const LinearLayout &points = *nest.layout;
  const LinearLayout &held = *fragments[access.fragment].layout;
  std::map<Coords, int64_t> named; // points of each element
  bool inside = true;
  forEachPoint(nest.extents(), [&](ArrayRef<int64_t> point) {
    std::optional<Coords> element = elementAt(access, nest.op, point);
    inside &= element.has_value();
    for (unsigned dim = 0; inside && dim < element->size(); ++dim)
      inside = (*element)[dim] >= 0 && (*element)[dim] < access.shape()[dim];
    if (inside)
      ++named[*element];
  });
  if (!inside)
    return access.op->emitError()
           << "an index of '" << access.fragment.getName()
           << "' in T.Parallel lies outside of it";
  std::map<std::pair<Coords, int64_t>, int64_t> runs; // of element and thread
  for (int64_t reg = 0; reg < points.numRegisters(); ++reg)
    for (int64_t thread = 0; thread < threads; ++thread)
      if (points.inRange(reg, thread))
        ++runs[{*elementAt(access, nest.op, points.coords(reg, thread)),
                thread}];
  for (auto &[element, count] : named) {
    int64_t holders = 0, runners = 0;
    for (Owner owner : held.ownerOf(element)) {
      auto run = runs.find({element, owner.thread});
      holders += run != runs.end();
      if (access.isWrite && (run == runs.end() || run->second != count))
        return reportMismatch(nest, access);
    }
    for (auto it = runs.lower_bound({element, 0});
         it != runs.end() && it->first.first == element; ++it)
      ++runners;
    if (holders != runners)
      return reportMismatch(nest, access);
  }
  return success();
}

LogicalResult FragmentInference::checkAccess(Nest &nest,
                                             const FragmentAccess &access) {
  if (access.isExpression())
    return checkExpression(nest, access);
  if (access.isWrite)
    if (std::optional<unsigned> var = spreadVar(*nest.layout, access))
      return access.op->emitError()
             << "points of T.Parallel that differ in loop variable "
             << varName(nest.op, *var) << " write the same element of '"
             << access.fragment.getName()
             << "' from different threads; use a reduction (T.reduce_sum ...) "
                "or T.serial for that variable";
  LinearLayout needed = layoutOfElements(*nest.layout, access, nest.extents());
  LinearLayout held =
      fragments[access.fragment].layout->withShape(needed.shape());
  if (held == needed)
    return success();
  // Readers need the element in the same thread; a write must reach all copies.
  if (!held.registerConversion(needed) ||
      (access.isWrite && !needed.registerConversion(held)))
    return reportMismatch(nest, access);
  return success();
}

/// Where threads hold copies of a fragment that the nest writes, each of them
/// runs the point, but only one of them stores to memory. None of the others
/// may then read what was stored.
static LogicalResult checkCopiesReadFirst(Nest &nest) {
  bool writesFragment =
      llvm::any_of(nest.accesses,
                   [](const FragmentAccess &access) { return access.isWrite; });
  if (!writesFragment || !nest.layout->hasReplicatedThreads())
    return success();
  llvm::DenseMap<Value, Operation *> stored;
  nest.op.walk([&](StoreOp store) {
    if (isInSpace(store.getBuffer(), Space::Shared) ||
        isInSpace(store.getBuffer(), Space::Global))
      stored.try_emplace(store.getBuffer(), store);
  });
  WalkResult walk =
      nest.op.walk([&](LoadOp load) {
        Operation *store = stored.lookup(load.getBuffer());
        if (!store)
          return WalkResult::advance();
        InFlightDiagnostic diag =
            load.emitError()
            << "'" << getBufferName(load.getBuffer())
            << "' is read and written by a T.Parallel whose fragments several "
               "threads hold; this is not supported yet, use two loops";
        diag.attachNote(store->getLoc()) << "written here";
        return WalkResult::interrupt();
      });
  return failure(walk.wasInterrupted());
}

LogicalResult FragmentInference::checkNest(Nest &nest) {
  if (failed(checkCopiesReadFirst(nest)))
    return failure();
  for (const FragmentAccess &access : nest.accesses)
    if (failed(checkAccess(nest, access)))
      return failure();
  return success();
}

LogicalResult FragmentInference::checkScalarAccess(Operation *op) {
  auto load = dyn_cast<LoadOp>(op);
  AllocOp alloc =
      fragmentOf(load ? load.getBuffer() : cast<StoreOp>(op).getBuffer());
  const Fragment &fragment = fragments[alloc];
  LinearLayout all =
      LinearLayout::replicated(alloc.getResult().getType().getShape(), threads);
  if (*fragment.layout == all || fragment.layout->registerConversion(all))
    return success();
  InFlightDiagnostic diag =
      op->emitError() << "'" << alloc.getName()
                      << "' is used outside of T.Parallel, but its elements "
                         "are spread over the threads; this is not supported "
                         "yet, copy it to a shared tile and read that";
  diag.attachNote(fragment.origin->getLoc())
      << "'" << alloc.getName() << "' is laid out as " << fragment.why
      << " here";
  return diag;
}

LogicalResult FragmentInference::check() {
  for (Nest &nest : nests)
    if (failed(checkNest(nest)))
      return failure();
  for (Operation *op : scalarAccesses)
    if (failed(checkScalarAccess(op)))
      return failure();
  return success();
}

} // namespace tlc::tile
