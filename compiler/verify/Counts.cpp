// V1: every barrier is initialised once by one thread, made visible and
// synchronised before its first use, and counts as many arrivals as come in a
// phase. V2: the bytes that an arrive expects are those that the copies bring.
#include "compiler/verify/Obligations.h"
#include "compiler/verify/RoleWalk.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::verify;

void RoleWalk::atExpect(sm::MBarrierArriveExpectTxOp expect) {
  Ring *ring = protocol.ringOfFull(expect.getBarrier());
  if (!ring)
    return reporter.error(expect, "this arrive expects bytes on " +
                                      barrierName(expect.getBarrier()) +
                                      ", where no copy completes");
  if (isPoisoned(ring))
    return;
  Span *span = state.findSpan(ring, /*fill=*/true, keyOf(expect.getStage()));
  if (!span) {
    if (!ring->empty && !expect->getParentOfType<LoopLikeOpInterface>())
      return;
    reporter.error(expect,
                   "bytes are expected for a slot of " + ring->text +
                       " that is not free yet: a wait on " +
                       (ring->empty ? barrierName(ring->empty)
                                    : std::string("its empty barrier")) +
                       " for the same slot is missing before it");
    return poison(ring);
  }
  if (span->expected >= 0)
    span->expected += static_cast<int64_t>(expect.getBytes());
  span->lastUse = expect;
}

/// The filler lets go of a slot.
void RoleWalk::checkBytes(const Span &span, Operation *at) {
  if (span.expected < 0 || span.copied < 0 || isPoisoned(span.ring) ||
      span.expected == span.copied)
    return;
  Operation *expect = span.lastUse ? span.lastUse : at;
  reporter.error(expect, "the full barrier of " + span.ring->text +
                             " expects " + Twine(span.expected) +
                             " bytes a slot, but the copies into the slot "
                             "bring " +
                             Twine(span.copied));
  poison(span.ring);
}

namespace {

class CountChecker {
public:
  CountChecker(const Protocol &protocol, Reporter &reporter)
      : protocol(protocol), reporter(reporter) {}

  void run() {
    for (const auto &[value, info] : protocol.barriers) {
      if (!info.decl)
        continue;
      if (info.waits.empty() && info.arrives.empty() && info.expects.empty() &&
          info.loads.empty())
        continue;
      if (!reporter.hasErrors())
        checkInit(info);
      checkArrivals(info);
    }
  }

private:
  /// The op of the launch's body that holds `op`.
  Operation *topLevel(Operation *op) const {
    sm::LaunchOp launch = protocol.launch;
    return launch.getBody().front().findAncestorOpInBlock(*op);
  }

  Operation *firstUse(const BarrierInfo &info) const {
    Operation *first = nullptr;
    auto take = [&](Operation *op) {
      Operation *top = topLevel(op);
      if (!first || top->isBeforeInBlock(first))
        first = top;
    };
    llvm::for_each(info.waits, take);
    llvm::for_each(info.arrives, take);
    llvm::for_each(info.expects, take);
    llvm::for_each(info.loads, take);
    return first;
  }

  void checkInit(const BarrierInfo &info) {
    std::string name = barrierName(info.decl.getResult());
    if (info.inits.size() != 1) {
      reporter.error(info.decl, name + (info.inits.empty()
                                            ? " is used but never initialised"
                                            : " is initialised twice"));
      return;
    }
    sm::MBarrierInitOp init = info.inits.front();
    if (!isElected(init))
      reporter.error(init, name + " is initialised by more than one thread");
    Operation *use = firstUse(info);
    bool fenced = false, synced = false;
    walkBetween(init, use, fenced, synced);
    if (!fenced)
      reporter.error(init, "the initialisation of " + name +
                               " is not visible to the copy unit: a "
                               "fence_mbarrier_init is missing after it, "
                               "before the barrier of the block");
    else if (!synced)
      reporter.error(init, "threads may use " + name +
                               " before it is initialised: a barrier of all " +
                               Twine(protocol.launch.getThreads()) +
                               " threads is missing between the "
                               "initialisation and the roles");
  }

  /// Whether, from the init to its first use, a fence of the same thread and
  /// then a barrier of the block come.
  void walkBetween(sm::MBarrierInitOp init, Operation *use, bool &fenced,
                   bool &synced) {
    for (Operation *op = init->getNextNode(); op; op = op->getNextNode())
      fenced |= isa<sm::FenceMBarrierInitOp>(op);
    for (Operation *op = topLevel(init)->getNextNode(); op && op != use;
         op = op->getNextNode()) {
      if (auto elect = dyn_cast<sm::ElectOp>(op))
        fenced |= !elect.getBody().getOps<sm::FenceMBarrierInitOp>().empty();
      fenced |= isa<sm::FenceMBarrierInitOp>(op);
      if (auto bar = dyn_cast<sm::BarSyncOp>(op))
        synced |= fenced && bar.getThreads() >= protocol.launch.getThreads();
    }
  }

  int64_t arrivalsOf(sm::MBarrierArriveOp arrive) const {
    int64_t threads = protocol.threadsOf(arrive);
    return arrive.getPerWarp() ? (threads + 31) / 32 : threads;
  }

  /// One arriving op a role: its threads are the arrivals of a phase. What has
  /// several is left to the execution.
  void checkArrivals(const BarrierInfo &info) {
    llvm::MapVector<const RoleInfo *, Operation *> arriving;
    int64_t arrivals = 0;
    bool several = false;
    auto add = [&](Operation *op, int64_t count) {
      several |= !arriving.insert({protocol.roleOf(op), op}).second;
      arrivals += count;
    };
    for (sm::MBarrierArriveOp arrive : info.arrives)
      add(arrive, arrivalsOf(arrive));
    for (sm::MBarrierArriveExpectTxOp expect : info.expects)
      add(expect, protocol.threadsOf(expect));
    sm::MBarrierOp decl = info.decl;
    int64_t count = static_cast<int64_t>(decl.getCount());
    if (several || arriving.empty() || arrivals == count)
      return;
    SmallVector<Note> notes;
    for (auto &[role, op] : arriving)
      notes.push_back(
          {op, "role '" + (role ? role->name : "block") + "' arrives here"});
    reporter.error(decl,
                   barrierName(decl.getResult()) + " counts " + Twine(count) +
                       " arrivals a phase, but " + Twine(arrivals) + " arrive",
                   notes);
  }

  const Protocol &protocol;
  Reporter &reporter;
};

} // namespace

void tlc::verify::checkCounts(const Protocol &protocol, Reporter &reporter) {
  CountChecker(protocol, reporter).run();
}
