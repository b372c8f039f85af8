// Rules, from the machine code of the kernels of which it is known whether
// they fail on hardware (sync.md 0.1):
// - An instruction is issued when the scoreboards of its wait mask are empty.
//   That a predicate turns it off does not matter.
// - A read is over when its scoreboard is.
// - FENCE.VIEW.ASYNC reports, on its own scoreboard, that the reads before it
//   are over. To issue it is not enough.
// - MEMBAR and BAR say nothing about reads.
#include "compiler/verify/sass/PendingReads.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tlc::sass {

bool PendingReads::add(const PendingRead &read) {
  for (PendingRead &known : list)
    if (known.isLike(read)) {
      if (known.at >= read.at)
        return false;
      known.at = read.at;
      return true;
    }
  list.push_back(read);
  return true;
}

void PendingReads::wait(std::uint8_t mask) {
  if (mask != 0)
    llvm::erase_if(list, [mask](const PendingRead &read) {
      return (read.scoreboards & mask) != 0;
    });
}

/// Changes every read; those that become alike are one.
template <typename Change> void PendingReads::change(Change &&change) {
  SmallVector<PendingRead, 8> before;
  before.swap(list);
  for (PendingRead &read : before) {
    change(read);
    add(read);
  }
}

void PendingReads::addSharedLoad(const Instruction &load, unsigned index,
                                 bool counts) {
  PendingRead read;
  read.guard = load.guard;
  read.at = index;
  read.inOrder = load.writeScoreboard == kNoScoreboard;
  if (read.inOrder) {
    if (counts)
      add(read);
    return;
  }
  read.scoreboards = 1u << load.writeScoreboard;
  // A load that a predicate may turn off says nothing about others.
  change([&](PendingRead &earlier) {
    if (earlier.inOrder && (load.isAlways() || load.guard == earlier.guard))
      earlier.scoreboards |= read.scoreboards;
  });
  if (counts)
    add(read);
}

void PendingReads::issue(const Instruction &instruction, unsigned index,
                         bool counts) {
  if (instruction.isNever())
    return;
  bool reports = instruction.writeScoreboard != kNoScoreboard;
  std::uint8_t scoreboard = reports ? 1u << instruction.writeScoreboard : 0;
  switch (instruction.kind) {
  case Kind::SharedLoad:
    return addSharedLoad(instruction, index, counts);
  case Kind::GenericLoad: {
    PendingRead read;
    read.scoreboards = scoreboard;
    read.guard = instruction.guard;
    read.at = index;
    add(read);
    return;
  }
  case Kind::AsyncFence:
    if (instruction.isAlways())
      change([&](PendingRead &read) {
        read.scoreboards |= scoreboard;
        read.fence = true;
      });
    return;
  case Kind::Membar:
    return change([](PendingRead &read) { read.membar = true; });
  case Kind::WaitCounter:
    return wait(instruction.counted);
  default:
    return;
  }
}

bool PendingReads::join(const PendingReads &other) {
  bool changed = false;
  for (const PendingRead &read : other.list)
    changed |= add(read);
  return changed;
}

const PendingRead &PendingReads::latest() const {
  return *llvm::max_element(
      list,
      [](const PendingRead &a, const PendingRead &b) { return a.at < b.at; });
}

} // namespace tlc::sass
