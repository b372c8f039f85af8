// The virtual SM: runs a finished `sm` program (an `sm.launch` inside a
// `tile.kernel`, before it is expanded to threads) on the CPU, with the
// hardware being as nasty as the PTX memory model and our measurements allow.
//
// Agents are the warps of the block, one for each bulk or tensor copy and one
// for each warp's share of a wgmma. A schedule decides who acts next, when a
// copy lands, when a product reads its operands and how long an ordinary load
// of shared memory lags behind the instructions after it. Order itself is
// checked independently of the schedule, by vector clocks with two frontiers
// (SmClocks.h): a pair of conflicting accesses without a path between them is
// a race, whether or not this run computed a wrong value.
//
// Values are computed, bit for bit those of the tile interpreter where the
// order of accumulation is the same. Shared memory that nothing has written,
// or that a copy is about to overwrite, reads as bytes 0xff.
#pragma once

#include "compiler/interp/TileInterp.h"

#include <string>
#include <vector>

namespace tlc::interp {

/// Who acts next.
enum class SmSchedule {
  Canonical,        ///< warps in turn; copies land soon; loads do not lag
  AdversarialEarly, ///< copies land when issued, producers first; loads lag
  /// Part of a copy lands when issued, the rest and the reads of products when
  /// nothing else can act.
  AdversarialLate,
  Seeded,     ///< a random choice at each step
  Exhaustive, ///< every order of dependent actions, tags only
};

/// The name of a schedule, as in reports and on the command line.
llvm::StringRef spelling(SmSchedule schedule);

struct SmOptions {
  SmSchedule schedule = SmSchedule::Canonical;
  /// Of the random choices; printed in reports, so that a run can be repeated.
  uint64_t seed = 0;
  /// Check order only: tile operations access memory and compute nothing.
  bool tagsOnly = false;
  /// Operations executed per block after which a run is given up.
  uint64_t stepBudget = uint64_t(1) << 32;
  /// Reports of different pairs of places that are kept.
  unsigned maxReports = 8;
  /// Exhaustive: states, and seconds (0: no limit), after which the search ends
  /// unfinished.
  uint64_t maxStates = 20000;
  double searchSeconds = 0;
  /// Exhaustive: leave out orders that make no difference. Else every order of
  /// actions is run, which tests compare with.
  bool reduce = true;
  /// Blocks of a launch that are run, the first ones; 0: all.
  int64_t maxBlocks = 0;
  /// Called after each block with the blocks done and their number.
  std::function<void(int64_t done, int64_t total)> progress;
};

enum class SmProblem {
  Race,        ///< conflicting accesses without an order between them
  Deadlock,    ///< no agent can act
  Barrier,     ///< wrong counts, bytes or phases; barrier not initialised
  Convergence, ///< a collective operation without all its threads
  Register,    ///< wgmma fence or wait missing
  Lifetime,    ///< asynchronous work still running when the block ends
  Budget,      ///< gave up: steps
  Fault,       ///< index outside a buffer, division by zero, unsupported
};

/// One problem. `text` is complete and for people, several lines, without a
/// final newline; the fields say the same to programs.
struct SmReport {
  SmProblem kind = SmProblem::Fault;
  std::string text;
  std::string buffer; ///< name of the shared tile or barrier
  int64_t slot = -1;
  int64_t generation = -1;      ///< of the first access, -1: not counted
  mlir::Location first, second; ///< the two accesses, or the place twice
  /// Race: ordered in the generic frontier, so that only a proxy fence is
  /// missing.
  bool missingProxyFence = false;

  explicit SmReport(mlir::Location loc) : first(loc), second(loc) {}
};

struct SmStats {
  uint64_t blocks = 0, steps = 0, accesses = 0, copies = 0;
  uint64_t schedules = 0, states = 0; ///< of an exhaustive search
  bool complete = true;               ///< exhaustive: everything was explored
};

enum class SmStatus {
  Clean,    ///< ran to the end, nothing to report
  Reported, ///< see `reports`
  Invalid,  ///< the program or the arguments cannot run; a diagnostic is out
};

struct SmResult {
  SmStatus status = SmStatus::Clean;
  std::vector<SmReport> reports;
  SmStats stats;
};

/// Runs all launches of `kernel`, blocks one after the other, and writes the
/// tensors of `args`. Arguments as for `interpret`. After a problem other than
/// a race the run ends.
SmResult runSm(tile::KernelOp kernel, llvm::ArrayRef<ArgValue> args,
               const SmOptions &options = {});

} // namespace tlc::interp
