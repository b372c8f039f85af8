// V17: in the machine code, no slot is handed back while a read of it may be
// under way.
//
// A bulk copy enters shared memory by another path than loads do, so an arrive
// that is issued behind a load lets the copy overtake it. For each arrive that
// releases a slot, on each path from the reads of shared memory to it: the
// arrive, or something before it, waits for the reads, or for a
// FENCE.VIEW.ASYNC behind them. Reads count
// that may be of a slot.
#ifndef TLC_COMPILER_VERIFY_SASS_LINT_H
#define TLC_COMPILER_VERIFY_SASS_LINT_H

#include "compiler/verify/sass/Cubin.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tlc::sass {

/// An mbarrier of a kernel, with one word of 8 bytes for each stage.
struct Barrier {
  std::int64_t offset = 0; ///< from the kernel's shared memory
  std::int64_t stages = 1;
  /// Arrivals hand back slots that threads read with ordinary loads.
  bool releases = false;
};

/// Bytes of shared memory that are of no slot to be protected. A load belongs
/// to them if the constant part of its address does. Where a region begins at
/// 0 that is not certain, since small constants are also places in a slot:
/// what only such loads would be blamed for is not checked.
struct Region {
  std::int64_t offset = 0, bytes = 0;
};

/// An arrive that does not wait for a read.
struct Finding {
  unsigned arrive = 0, read = 0; ///< indices of instructions
  /// The barrier by its index, if the arrive shows which one it is.
  std::optional<unsigned> barrier;
  bool membar = false; ///< a MEMBAR stands between, which does not help
  bool fence = false;  ///< a fence stands between that nothing waits for
};

struct LintResult {
  /// Arrives that release slots, and those of them that do not wait.
  unsigned releases = 0;
  std::vector<Finding> findings;
  /// Nothing was checked, and why.
  std::string skipped;

  bool isClean() const { return findings.empty() && skipped.empty(); }
};

/// Checks one function of a cubin for sm_90 or sm_90a; for others, and for code
/// that cannot be followed, the result is `skipped`. An arrive whose address
/// lies in no known barrier counts as a release; every read counts that is not
/// known to go `elsewhere`.
LintResult lint(const Cubin &cubin, llvm::StringRef function,
                llvm::ArrayRef<Barrier> barriers,
                llvm::ArrayRef<Region> elsewhere = {});

} // namespace tlc::sass

#endif // TLC_COMPILER_VERIFY_SASS_LINT_H
