// What the compiler decided about the kernels of a file, as plain data: read
// off the finished `ws` and `sm` programs by Collect.h, printed by Printers.h.
// Nothing here is decided again: a reason is the text that the pass which
// decided has left in the program.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tlc::explain {

/// A piece of the source; line 0: unknown. `text` is what stands there, on one
/// line; of a loop or branch its first line.
struct Place {
  unsigned line = 0;
  unsigned column = 0;
  std::string text;

  bool operator==(const Place &) const = default;
};

/// A statement of the program: "T.copy", "if" ... and where it is.
struct Statement {
  std::string name;
  Place place;

  bool operator==(const Statement &) const = default;
};

/// The name of a statement that loads an operand of a product, in whose place
/// it stands.
inline constexpr const char kOperandLoad[] =
    "load into registers for the T.gemm";
/// The name of a branch that loads a tile in the first turns, else where a flag
/// of the program asks for it; as a guard it has the place of that branch.
inline constexpr const char kFirstTurns[] = "if it is one of the first turns";

/// A shared tile.
struct Tile {
  std::string name;
  std::string shape;    ///< "128x32"
  std::string dtype;    ///< "bfloat16"
  unsigned swizzle = 0; ///< bytes of its span, 0 for none
  std::int64_t bytes = 0;
  Place place;
};

/// One statement that touches a tile.
struct Access {
  Statement statement;
  std::string tile;
  std::string role;
  bool write = false;
  bool async = false; ///< through the async proxy, else the generic one
  std::string instruction;
  std::string reason;            ///< of the choice of the instruction
  std::vector<Statement> guards; ///< branches around it, outermost first
};

/// Where a slot goes back.
struct Release {
  Statement after;
  std::string reason;

  bool operator==(const Release &) const = default;
};

/// A wait for a slot and the releases that end it.
struct Span {
  std::string role;
  Statement firstUse;                 ///< what the wait precedes
  Release release;                    ///< the one after uses
  std::vector<Release> otherReleases; ///< on paths that do not use the slot
  std::string fence; ///< derived, source, producer, membar, none
  std::string fenceReason;
  std::string fenceElse; ///< what else its fence is for, or empty

  bool operator==(const Span &) const = default;
};

/// An array of mbarriers, one for each slot.
struct Mbarrier {
  std::string name;
  std::int64_t offset = 0;
  std::int64_t stages = 0;
  std::int64_t count = 0; ///< arrivals that complete a phase
  std::int64_t bytes = 0; ///< bytes that a phase expects besides
  bool perWarp = false;   ///< one arrival a warp, else one a thread
  std::string arrivedBy;  ///< role
};

struct Ring {
  std::string name;
  std::int64_t depth = 0;
  std::int64_t bytes = 0; ///< of one slot
  bool groups = false;    ///< filled by cp.async, handed over by bar.sync
  std::string reason;
  std::vector<Tile> tiles;
  std::vector<Access> writes; ///< by producers
  std::vector<Access> uses;   ///< between wait and release
  std::vector<Span> spans;
  Mbarrier full, empty; ///< stages 0 before `sm` was reached
};

/// A shared tile that is in no ring: one role writes and reads it.
struct LocalTile {
  Tile tile;
  std::vector<Access> accesses;
};

enum class ActionKind {
  Loop,
  If,
  Else,
  Elect,
  Acquire, ///< waits until a slot is free
  Load,    ///< starts the copy into it
  Commit,
  Wait, ///< waits until a slot is full
  Statement,
  Fence,
  Release,
  CompletionWait,
  RegisterFence, ///< wgmma.fence
  Barrier,
};

/// What a role does, in its order.
struct Action {
  ActionKind kind = ActionKind::Statement;
  unsigned depth = 0; ///< of loops and branches around it
  Statement statement;
  std::string ring;        ///< of a token, load or fence; of a use, its first
  std::string instruction; ///< "ld.shared", "bar.sync 1, 128"
  std::string reason;
  bool written = false;    ///< the program wrote this fence or barrier
  bool groups = false;     ///< of a ring that cp.async fills: a token waits for
                           ///< nothing, groups and barriers do
  bool firstTurns = false; ///< a branch that asks whether this is one of the
                           ///< first turns; else it is taken under a flag
  unsigned pieces = 1;     ///< a statement that is executed in so many pieces
};

struct Role {
  std::string name;
  std::string parent; ///< role it is part of, or empty
  std::int64_t firstWarp = 0, warps = 0;
  std::int64_t registers = 0; ///< setmaxnreg, 0: as compiled
  bool oneThread = false;     ///< an elected thread runs all of it
  std::vector<Action> actions;
};

/// A T.Pipelined loop.
struct Loop {
  Statement statement;
  std::string plan; ///< sequential, pipelined, warp_specialized
  std::int64_t stages = 0;
  std::string reason;
};

/// The instruction of a copy or product.
struct Choice {
  Statement statement;
  std::string instruction;
  std::string reason;
};

/// Bytes of shared memory.
struct Region {
  std::string name;
  std::int64_t offset = 0;
  std::int64_t slotBytes = 0; ///< from slot to slot
  std::int64_t stages = 1;
  bool barriers = false;

  std::int64_t bytes() const { return slotBytes * stages; }
};

/// A bar.sync id.
struct NamedBarrier {
  std::int64_t id = 0;
  std::int64_t threads = 0;
  std::int64_t places = 0; ///< in the program
};

struct Launch {
  std::vector<std::string> grid;
  std::vector<std::int64_t> programThreads;
  std::int64_t threads = 0;       ///< of the block, producers included
  std::int64_t registerLimit = 0; ///< a thread, of a block of this size
  std::int64_t sharedBytes = 0;   ///< 0 before `sm` was reached
  std::int64_t sharedLimit = 0;
  std::vector<Loop> loops;
  std::vector<Role> roles;
  std::vector<Ring> rings;
  std::vector<LocalTile> locals;
  std::vector<Choice> choices;
  std::vector<NamedBarrier> namedBarriers;
  std::vector<Region> shared; ///< by offset
  bool lowered = false;       ///< the facts of `sm` are in
};

struct Kernel {
  std::string name;
  std::vector<Launch> launches;
};

struct Explanation {
  std::string file;
  std::string arch;
  std::string fencePolicy;
  std::map<std::string, std::string> defines; ///< what -D gave
  std::vector<Kernel> kernels;
};

} // namespace tlc::explain
