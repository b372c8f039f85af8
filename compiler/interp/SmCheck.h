// Checks a finished `sm` program over many inputs: trip counts of its
// pipelines, patterns of the flags that guard parts of them, schedules. One
// block is run; values are not computed (SmMachine.h, tagsOnly).
//
// A few runs have several blocks, for races between them through global memory.
// Searches over all schedules come last, with one more turn each, as far as the
// time goes.
//
// Order repeats after twice the least common multiple of the ring depths, the
// period of slots and parities, so that trip counts up to that and two more
// stand for all; all patterns of flags are tried for up to six turns, samples
// above (sync.md 4.4).
#pragma once

#include "compiler/interp/SmMachine.h"

#include <memory>

namespace tlc::interp {

/// Arguments with the memory that they point to.
struct SmInputs {
  std::vector<std::vector<uint8_t>> memory;
  std::vector<ArgValue> args;
};

/// Makes arguments for a run: `turns` is how often the pipelined loops should
/// run, bit i of `flags` whether the guard of turn i holds (bit i mod 64).
using SmInputMaker = std::function<SmInputs(int64_t turns, uint64_t flags)>;

struct SmCheckOptions {
  /// Seconds after which no new run is begun; 0: no limit.
  double seconds = 60;
  uint64_t seed = 1;
  /// Null: makeCheckInputs.
  SmInputMaker inputs;
  /// Called before each run with the runs done and planned.
  std::function<void(int64_t done, int64_t total)> progress;
};

struct SmCheckResult {
  SmStatus status = SmStatus::Clean;
  /// Of the first run that has any; each names its inputs and schedule.
  std::vector<SmReport> reports;
  int64_t runs = 0, planned = 0;
  int64_t maxTurns = 0;
  bool hasFlags = false; ///< some guard depends on a tensor
  /// Every schedule was tried, for every pattern of flags that was run, of
  /// trip counts up to this one; -1: of none.
  int64_t searchedTurns = -1;
  uint64_t schedules = 0; ///< runs that the searches took
  double seconds = 0;
};

/// Runs the kernel on the virtual SM until something is reported, everything
/// was tried or the time is over.
SmCheckResult checkKernel(tile::KernelOp kernel,
                          const SmCheckOptions &options = {});

/// How the default inputs of a kernel are made: from what its loop bounds and
/// conditions depend on.
///
/// Sizes and numbers that bound a loop are `turns` tiles; sizes that only bound
/// the grid are one tile.
/// Integer tensors that bound a loop hold multiples of `turns` (offsets of
/// sequences of that length), or `turns` if they are one number; tensors that
/// guard an `if` hold the flags, by their first index; all others hold zeros.
/// With `tiles`, sizes that only bound the grid are that many tiles.
SmInputMaker makeCheckInputs(tile::KernelOp kernel, int64_t tiles = 1);

/// Whether some condition outside of parallel loops depends on the contents of
/// a tensor that bounds no loop.
bool hasFlagTensors(tile::KernelOp kernel);

/// Twice the least common multiple of the ring depths, plus two.
int64_t turnsToCheck(tile::KernelOp kernel);

} // namespace tlc::interp
