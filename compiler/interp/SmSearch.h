// Exhaustive search over the schedules of one block. Private to the library.
//
// The block is run again and again from its start, each time along a prefix of
// choices that has not been tried. Between two choices everything runs that
// commutes with what other agents can do: accesses of memory and registers
// (their order is judged by the clocks, not by the schedule), and arrivals and
// landings that do not complete a phase. Choices are waits and what completes
// a phase. Sleep sets leave out orders that differ only in neighbouring actions
// that do not depend on each other; a state that was seen before, with no
// smaller sleep set, is not continued.
#pragma once

#include "compiler/interp/SmRun.h"

#include <map>
#include <set>

namespace tlc::interp {

class SmSearch {
public:
  explicit SmSearch(SmRun &run) : sm(run) {}

  /// Explores the block that `start` begins; reports are those of the run.
  void run(llvm::function_ref<void()> start);

private:
  /// An action: a warp (its number) or a copy that lands (after the warps).
  struct Action {
    uint32_t agent;
    uint64_t object; ///< what it acts on; actions on others commute with it
    bool isWait;     ///< waits for one phase commute, too
    bool operator<(const Action &other) const {
      return std::tie(agent, object) < std::tie(other.agent, other.object);
    }
  };
  using Actions = std::vector<Action>;
  struct Choice {
    Actions enabled; ///< not asleep
    size_t taken = 0;
    std::set<Action> sleep; ///< when the state was entered
  };

  void runPath(llvm::function_ref<void()> start);
  void runInvisible();
  Actions enabledActions();
  void act(const Action &action);
  uint64_t objectOf(Warp &warp);
  bool completes(Warp &warp);
  bool completes(const BulkCopy &copy);
  bool isWait(Warp &warp);
  uint64_t stateHash();
  bool isKnown(const std::set<Action> &sleep);
  bool backtrack();

  SmRun &sm;
  std::vector<Choice> path;
  std::map<uint64_t, std::vector<std::set<Action>>> seen;
};

} // namespace tlc::interp
