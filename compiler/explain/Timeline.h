// How the roles of a pipelined loop overlap over a few turns. The order of
// actions, the slots and who waits for whom are the program's; the times are
// nominal: each kind of action takes a fixed while, a load some more. All
// branches are taken, as if every guard held.
#pragma once

#include "compiler/explain/Explanation.h"

#include <cstddef>
#include <string>
#include <vector>

namespace tlc::explain {

enum class LaneKind { Role, Slot };

struct Lane {
  LaneKind kind = LaneKind::Role;
  std::string name;   ///< of the role, or "'h_shared' slot 0"
  size_t ring = 0;    ///< of a slot lane
  bool fills = false; ///< the role only loads
};

enum class BoxKind {
  Idle,       ///< a role waits
  Issue,      ///< a copy is started
  Landing,    ///< its bytes arrive in a slot
  Full,       ///< the slot is full and not used yet
  InUse,      ///< between wait and release
  Statement,  ///< of the program
  Product,    ///< the same, on tensor cores
  Completion, ///< a wait for a product
  Fence,
  Barrier,
  Release,
};

struct Box {
  BoxKind kind = BoxKind::Statement;
  size_t lane = 0;
  double begin = 0, end = 0;
  unsigned turn = 0;
  unsigned line = 0; ///< of the program, 0 for none
  bool guarded = false;
  std::string label; ///< a word
  std::string title; ///< a sentence
};

/// A slot changes hands.
struct Arrow {
  bool full = false; ///< to the role that uses it, else back to the one that
                     ///< fills it
  size_t fromLane = 0, toLane = 0;
  double from = 0, to = 0;
  unsigned turn = 0;
};

struct Timeline {
  Statement loop;
  std::vector<std::string> rings;
  std::vector<Lane> lanes; ///< from top to bottom
  std::vector<Box> boxes;
  std::vector<Arrow> arrows;
  /// When the role that uses the slots begins each turn, and when it has ended
  /// the last one.
  std::vector<double> turns;

  double end() const { return turns.empty() ? 0 : turns.back(); }
};

/// One timeline for each pipelined loop of `launch` whose loads run ahead.
std::vector<Timeline> makeTimelines(const Launch &launch, unsigned turns = 4);

} // namespace tlc::explain
