// Defects put into correct sm programs, one at a time: each must be caught by
// the verifier or the virtual SM (sync.md 4.5 and 1). Used by test/mutation and
// as the pass `tlc-test-mutate{name=...}` of tlc-opt.
#pragma once

#include "dialects/tile/Tile.h"

#include <vector>

namespace tlc::test {

/// Who must notice.
enum class Caught {
  Both,      ///< the verifier rejects it, the virtual SM reports it
  Verifier,  ///< no run shows it
  Search,    ///< ... but the search over all schedules does, or a seeded one
  Machine,   ///< beyond what the verifier looks at
  NotProved, ///< a control: the verifier has doubts, every run is clean
  Nobody,    ///< a control: another correct form
};

struct Mutation {
  llvm::StringRef name;
  llvm::StringRef text;    ///< what is wrong, in a line
  llvm::StringRef witness; ///< "4.5", or the entry of section 1
  /// Programs it applies to, separated by spaces (test/mutation/Programs.h).
  llvm::StringRef programs;
  Caught caught;
  /// Changes the kernel; false if it has no such place.
  bool (*apply)(tile::KernelOp kernel);
};

/// All of them, in the order of the table.
const std::vector<Mutation> &allMutations();
const Mutation *findMutation(llvm::StringRef name);

/// Registers `tlc-test-mutate`.
void registerMutatePass();

// By family; for allMutations.
std::vector<Mutation> fenceMutations();
std::vector<Mutation> barrierMutations();
std::vector<Mutation> productMutations();
std::vector<Mutation> groupMutations();
std::vector<Mutation> localMutations();
std::vector<Mutation> protocolMutations();
std::vector<Mutation> readAheadMutations();
std::vector<Mutation> leverMutations();
std::vector<Mutation> resourceMutations();
std::vector<Mutation> gridMutations();
std::vector<Mutation> storeMutations();

} // namespace tlc::test
