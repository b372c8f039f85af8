// V9, and what else only shows when the roles run together (counts, bytes,
// parities, balance across roles, loads that nobody waits for): runs the
// barrier skeleton for trip counts from 0 to 2 lcm(depths) + 2, after which
// phases repeat, with guards true, false, alternating, and in all combinations
// of the first six of a run. Matching of arrivals and waits does not depend on
// the schedule as long as no phase can be confused with another; that is what
// the runs with one agent always last look for (sync.md 4.4).
#include "compiler/verify/Execution.h"
#include "compiler/verify/Obligations.h"

#include <numeric>

using namespace mlir;
using namespace tlc;
using namespace tlc::verify;

/// Bounds of the search: runs of a pattern, steps of the plain patterns and of
/// the combinations of guards.
constexpr unsigned kMaxRuns = 400;
constexpr uint64_t kMaxPlainSteps = 600000, kMaxBranchSteps = 100000;
/// Largest trip count that is tried.
constexpr int64_t kMaxTurns = 34;

namespace {

class Search {
public:
  Search(const Protocol &protocol, Reporter &reporter)
      : protocol(protocol), reporter(reporter), choices(findRange(protocol)) {
    for (const RoleInfo &role : protocol.roles)
      skeletons.push_back(buildSkeleton(protocol, role));
  }

  void run() {
    for (GuardPattern pattern :
         {GuardPattern::True, GuardPattern::False, GuardPattern::Alternate,
          GuardPattern::Branch}) {
      if (!runPattern(pattern))
        return;
      // Without guards the other patterns are the same runs.
      if (!choices.metGuards)
        return;
    }
  }

private:
  /// Two parity periods of all rings and two turns.
  static int64_t findRange(const Protocol &protocol) {
    int64_t period = 1;
    for (const auto &[value, info] : protocol.barriers)
      if (sm::MBarrierOp decl = info.decl)
        period = std::lcm(period, static_cast<int64_t>(decl.getStages()));
    for (Value tile : protocol.groupTiles)
      period =
          std::lcm(period, static_cast<int64_t>(baseTile(tile).getStages()));
    return std::min(2 * period + 3, kMaxTurns);
  }

  bool runPattern(GuardPattern pattern) {
    choices.reset(pattern);
    bool branching = pattern == GuardPattern::Branch;
    uint64_t limit = steps + kMaxBranchSteps;
    unsigned runs = 0;
    do {
      if (branching && (++runs > kMaxRuns || steps > limit))
        return true;
      if (!branching && steps > kMaxPlainSteps) {
        reporter.notProved(protocol.launch, "the program is too long to be run "
                                            "through for all trip counts");
        return false;
      }
      size_t agents = 0;
      if (!runOnce(std::nullopt, agents))
        return false;
      if (branching)
        continue;
      for (size_t last = 0; last < agents; ++last)
        if (!runOnce(last, agents))
          return false;
    } while (choices.next());
    return true;
  }

  /// False if the search is over.
  bool runOnce(std::optional<size_t> last, size_t &agents) {
    Machine machine(protocol, skeletons, atoms, choices);
    agents = machine.numAgents();
    RunResult result = machine.run(last);
    steps += result.steps;
    if (result.outOfSteps) {
      reporter.notProved(protocol.launch,
                         "a loop has no bound that can be seen, so progress "
                         "of the roles is not shown");
      return false;
    }
    if (!result.failure)
      return true;
    const Failure &failure = *result.failure;
    if (choices.areDoubtful())
      reporter.notProved(failure.at,
                         failure.text +
                             ", unless values that are not known here agree");
    else
      reporter.error(failure.at, failure.text, failure.notes);
    return false;
  }

  const Protocol &protocol;
  Reporter &reporter;
  AtomTable atoms;
  Choices choices;
  std::vector<std::vector<Node>> skeletons;
  uint64_t steps = 0;
};

} // namespace

void tlc::verify::checkProgress(const Protocol &protocol, Reporter &reporter) {
  if (!protocol.barriers.empty() || !protocol.groupTiles.empty())
    Search(protocol, reporter).run();
}
