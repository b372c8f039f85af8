// Reads of shared memory that were issued and may not be over: the state of
// the lint at one place in the code.
#ifndef TLC_COMPILER_VERIFY_SASS_PENDINGREADS_H
#define TLC_COMPILER_VERIFY_SASS_PENDINGREADS_H

#include "compiler/verify/sass/Instruction.h"

#include "llvm/ADT/SmallVector.h"

namespace tlc::sass {

/// Reads that end in the same way; the latest of them stands for all.
struct PendingRead {
  /// Scoreboards; to wait for one of them is to wait for the read. None: only
  /// a later instruction can make it known that the read is over.
  std::uint8_t scoreboards = 0;
  /// It has no scoreboard of its own: it is over when a later read is that
  /// has one, since reads of shared memory return in order.
  bool inOrder = false;
  std::uint8_t guard = kAlways;
  /// A MEMBAR was met since.
  bool membar = false;
  /// A fence was met since; whether it was waited for is in `scoreboards`.
  bool fence = false;
  unsigned at = 0; ///< index of the instruction

  bool isLike(const PendingRead &other) const {
    return scoreboards == other.scoreboards && inOrder == other.inOrder &&
           guard == other.guard && membar == other.membar &&
           fence == other.fence;
  }
};

class PendingReads {
public:
  /// What waiting to be issued ends.
  void wait(std::uint8_t mask);
  /// What the instruction does once it is issued. A load that does not count
  /// still makes known that those before it are over.
  void issue(const Instruction &instruction, unsigned index,
             bool counts = true);
  /// Adds what may be pending on another path; true if that changed anything.
  bool join(const PendingReads &other);

  bool empty() const { return list.empty(); }
  /// The latest read; there must be one.
  const PendingRead &latest() const;

private:
  bool add(const PendingRead &read);
  void addSharedLoad(const Instruction &load, unsigned index, bool counts);
  template <typename Change> void change(Change &&change);

  llvm::SmallVector<PendingRead, 8> list;
};

} // namespace tlc::sass

#endif // TLC_COMPILER_VERIFY_SASS_PENDINGREADS_H
