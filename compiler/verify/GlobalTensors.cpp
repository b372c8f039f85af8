// V11 for global tensors: what one thread of the block writes and another one
// uses has a barrier between. Which elements an access touches is not worked
// out, nor are other blocks: what may collide is not proved, and left to the
// virtual SM. A tensor that is only read, or written by one operation only, has
// nothing to order.
#include "compiler/verify/Obligations.h"
#include "compiler/verify/RoleWalk.h"
#include "compiler/verify/StoreBoxes.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::verify;

/// One thread does both.
static bool isOneThread(sm::LaunchOp launch, Operation *a, Operation *b) {
  Operation *thread = findLoneThread(launch, a);
  return thread && thread == findLoneThread(launch, b);
}

void RoleWalk::atGlobal(Operation *op, Value tensor, bool write) {
  checkStoresInFlight(op, tensor);
  state.touched.insert({tensor, op});
  Hazard &hazard = state.locals[tensor];
  if (Operation *store = hazard.asyncWrite;
      store && overlapOf(store, op, tensor, role.op) != Overlap::Never)
    reporter.error(op,
                   "the " + actionName(op) + " touches '" +
                       tile::getBufferName(tensor) +
                       "' before other threads know that the tensor store" +
                       atLine(store) +
                       " is over: a barrier is missing after the wait for it",
                   {{store, "the store is issued here"}});
  auto check = [&](Operation *earlier, bool many, StringRef what) {
    if (!earlier || areAtomic(earlier, op) ||
        (!many && (earlier == op || isOneThread(protocol.launch, earlier, op) ||
                   isSameThread(earlier, op, tensor, role.op))))
      return;
    reporter.notProved(op, "the " + actionName(op) +
                               (write ? " writes '" : " reads '") +
                               tile::getBufferName(tensor) + "' after the " +
                               what + atLine(earlier) +
                               " with no barrier of all threads between them");
  };
  check(hazard.write, hazard.manyWrites, "write");
  if (write)
    check(hazard.read, hazard.manyReads, "read");
  auto note = [&](Operation *&noted, bool &many) {
    many |= noted && noted != op && !areAtomic(noted, op);
    noted = op;
  };
  if (write)
    note(hazard.write, hazard.manyWrites);
  else
    note(hazard.read, hazard.manyReads);
}

void tlc::verify::checkTensorOwners(const Protocol &protocol,
                                    Reporter &reporter) {
  struct Uses {
    Operation *write = nullptr;
    SmallVector<Operation *, 4> all;
  };
  llvm::MapVector<Value, Uses> tensors;
  protocol.launch.walk([&](tile::EffectsOpInterface op) {
    SmallVector<tile::Effect> effects;
    op.getTileEffects(effects);
    for (const tile::Effect &effect : effects) {
      if (!tile::isInSpace(effect.buffer, tile::Space::Global))
        continue;
      Uses &uses = tensors[effect.buffer];
      uses.all.push_back(op);
      if (effect.kind == tile::AccessKind::Write)
        uses.write = op;
    }
  });
  for (auto &[tensor, uses] : tensors) {
    const RoleInfo *writer = uses.write ? protocol.roleOf(uses.write) : nullptr;
    for (Operation *use : uses.all) {
      const RoleInfo *user = protocol.roleOf(use);
      if (!writer || !user || user == writer)
        continue;
      reporter.notProved(use, "'" + tile::getBufferName(tensor) +
                                  "' is written by role '" + writer->name +
                                  "' and used by role '" + user->name +
                                  "': their order through global memory is "
                                  "not looked at");
      break;
    }
  }
}
