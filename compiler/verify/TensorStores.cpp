// V11 for tensor stores: what a store writes is not touched again before it was
// waited for as a whole, by the thread that issued it, and others come after a
// barrier. Blocks do not meet before that. What threads do to a tensor before a
// store of it would take a proxy fence for global memory, which `sm` does not
// have.
#include "compiler/verify/RoleWalk.h"
#include "compiler/verify/StoreBoxes.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::verify;

/// A store in flight that writes what `op` touches.
void RoleWalk::checkStoresInFlight(Operation *op, Value tensor) {
  state.writes.forEach([&](AsyncGroup &group) {
    for (AsyncWrite &write : group.tensors) {
      if (write.tensor != tensor || isPoisoned(write.store))
        continue;
      Overlap overlap = overlapOf(write.store, op, tensor, role.op);
      if (overlap == Overlap::Never)
        continue;
      std::string text = "the " + actionName(op).str() + " touches '" +
                         tile::getBufferName(tensor) +
                         "' while the tensor store" + atLine(write.store) +
                         " may still write it: a wait for the whole store, not "
                         "only for its reads, is missing between them";
      if (overlap == Overlap::Always)
        reporter.error(op, text, {{write.store, "the store is issued here"}});
      else
        reporter.notProved(op, text + ", if the places overlap");
      poison(write.store);
    }
  });
}

void RoleWalk::atTensorWrite(sm::TmaStoreOp store) {
  Value tensor = store.getDst();
  checkStoresInFlight(store, tensor);
  if (Operation *earlier = state.touched.lookup(tensor))
    reporter.notProved(store, "'" + tile::getBufferName(tensor) +
                                  "' is used by threads" + atLine(earlier) +
                                  " before this tensor store: their order "
                                  "through global memory is not looked at");
  state.writes.open.op = store;
  state.writes.open.tensors.push_back({store, tensor});
}

/// The issuing thread knows that these stores are over; others do not yet.
void RoleWalk::endWrites(ArrayRef<AsyncGroup> groups) {
  for (const AsyncGroup &group : groups)
    for (const AsyncWrite &write : group.tensors)
      state.locals[write.tensor].asyncWrite = write.store;
}

void RoleWalk::atGridBarrier(sm::GridBarrierOp barrier) {
  auto report = [&](Operation *store, const Twine &missing) {
    reporter.error(barrier,
                   "the blocks meet before the tensor store" + atLine(store) +
                       " is known to have written: " + missing,
                   {{store, "the store is issued here"}});
  };
  state.writes.forEach([&](AsyncGroup &group) {
    if (group.op)
      report(group.op, "a wait for the whole store is missing");
  });
  for (auto &[tensor, hazard] : state.locals)
    if (hazard.asyncWrite)
      report(hazard.asyncWrite, "a barrier of the block is missing after the "
                                "wait for it");
}
