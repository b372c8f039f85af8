// Exhaustive search over the schedules of one block. Private to the library.
//
// The block is run again and again from its start, each time along a prefix of
// choices of which the last has not been tried (dynamic partial-order
// reduction with sleep sets). An action is a step of a warp on a barrier, or
// the landing of a copy; accesses of memory and registers happen between
// actions: their order is judged by the clocks, whatever the schedule.
//
// A run shows which pairs of actions could come in the other order and make a
// difference: those on one barrier that belong to different phases of it and
// that no chain of barriers orders. Only those are tried the other way round. A
// program whose barriers order all of them has one run; that run is then what
// all schedules do (sync.md 4.4).
#pragma once

#include "compiler/interp/SmRun.h"

#include "llvm/ADT/BitVector.h"

#include <chrono>
#include <map>

namespace tlc::interp {

class SmSearch {
public:
  explicit SmSearch(SmRun &run);

  /// Explores the block that `start` begins; reports are those of the run.
  void run(llvm::function_ref<void()> start);

private:
  enum class Kind : uint8_t { Contribution, Wait, Atomic, Free };
  /// What an agent does next: a warp (its number) or a copy that lands.
  struct Action {
    uint32_t agent = 0;
    uint64_t object = 0; ///< what it acts on; actions on others commute with it
    Kind kind = Kind::Free;
  };
  /// An action that was taken.
  struct Event : Action {
    uint64_t phase = 0;     ///< of the object: contributed to, or waited for
    bool completes = false; ///< the phase
  };
  /// A state on the path, and what was and will be tried from it.
  struct Choice {
    llvm::SmallVector<Action, 8> enabled;
    llvm::SmallVector<uint32_t, 4> toTry, tried; ///< agents
    llvm::SmallVector<Action, 4> sleep;
    uint32_t taken = 0;
  };
  /// Events, by number.
  using Past = llvm::BitVector;

  void runPath(llvm::function_ref<void()> start);
  void beginPath();
  void runInvisible();
  bool choose(size_t depth);
  Action nextAction(Warp &warp);
  llvm::SmallVector<Action, 8> enabledActions();
  void take(const Action &action);
  void order(uint32_t number);
  void findReversals(uint32_t number, const Past &past, const Past &phasePast);
  bool canReverse(const Event &earlier, const Event &later) const;
  void addChoice(uint32_t at, uint32_t number);
  llvm::SmallVector<uint32_t, 8> beginnings(uint32_t at, uint32_t number) const;
  Past pastInTrace(uint32_t number);
  void meet(uint32_t number);
  bool wakes(const Event &event, const Action &asleep) const;
  uint64_t phaseOf(const Action &action) const;
  Past &pastOf(uint32_t agent);
  bool isOver() const;
  bool backtrack();

  SmRun &sm;
  std::vector<Choice> path;
  llvm::DenseSet<mlir::Value> decisive; ///< buffers of atomics that tell
  std::chrono::steady_clock::time_point begin;

  // Of the run at work.
  std::vector<Event> events;
  std::map<uint64_t, std::vector<uint32_t>> eventsOn; ///< by object
  std::map<uint32_t, Past> pasts; ///< by agent: what barriers order before it
  std::vector<Past> behind;       ///< by event: what it depends on in this run
  std::map<uint32_t, Past> tracePasts;       ///< by agent: of its next event
  std::map<uint64_t, Past> joined, released; ///< by object: phase at work, last
  std::map<uint64_t, uint64_t> meetings;     ///< of named barriers, over
};

} // namespace tlc::interp
