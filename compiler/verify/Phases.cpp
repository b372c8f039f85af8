// V7, what can be seen without running: stage and parity of a wait belong to
// the same count, the counter fits its ring, and only the filling side starts
// with the inverted parity (sync.md 2.3, E16). Counts themselves, and phases
// that could be confused with each other, are the execution's business.
#include "compiler/verify/Obligations.h"
#include "compiler/verify/RoleWalk.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::verify;

void RoleWalk::checkPhase(sm::MBarrierWaitOp wait) {
  StageKey stage = keyOf(wait.getStage()), parity = keyOf(wait.getParity());
  auto counter = parity.origin.getDefiningOp<sm::CounterOp>();
  if (!counter)
    return;
  std::string name = barrierName(wait.getBarrier());
  if (stage != parity)
    return reporter.error(wait, "stage and parity of this wait on " + name +
                                    " are not of the same count");
  auto decl = wait.getBarrier().getDefiningOp<sm::MBarrierOp>();
  if (decl && decl.getStages() != counter.getDepth())
    reporter.error(wait, name + " has " + Twine(decl.getStages()) +
                             " stages, but its counter runs over " +
                             Twine(counter.getDepth()));
  if (protocol.ringOfFull(wait.getBarrier()) && wait.getInvert())
    reporter.error(wait, "the wait on " + name +
                             " passes before anything is loaded: its parity "
                             "must not be inverted");
  if (Ring *ring = protocol.ringOfEmpty(wait.getBarrier());
      ring && !wait.getInvert())
    reporter.error(wait, "the first wait of the loader on " + name +
                             " never passes, since the slots of " + ring->text +
                             " start free: its parity must be inverted");
}

static void checkUsers(sm::CounterOp counter, Reporter &reporter) {
  Operation *elected = nullptr, *all = nullptr;
  for (Operation *user : counter.getResult().getUsers())
    (isElected(user) && !isElected(counter) ? elected : all) = user;
  if (elected && all)
    reporter.error(all,
                   "counter '" + counter.getName() +
                       "' is used by one thread in one place and by all in "
                       "another: their counts differ",
                   {{elected, "used by one thread here"}});
}

void tlc::verify::checkCounters(const Protocol &protocol, Reporter &reporter) {
  sm::LaunchOp launch = protocol.launch;
  launch.walk([&](sm::CounterOp counter) { checkUsers(counter, reporter); });
  for (const auto &ring : protocol.rings) {
    auto full = ring->full.getDefiningOp<sm::MBarrierOp>();
    for (sm::SharedOp member : ring->members)
      if (full && full.getStages() != member.getStages())
        reporter.error(member, "'" + member.getName() + "' has " +
                                   Twine(member.getStages()) + " slots, but " +
                                   barrierName(ring->full) + " has " +
                                   Twine(full.getStages()) + " stages");
  }
}
