// One instruction of sm_90 as far as the order of shared memory needs it.
//
// An instruction has 128 bits, two little-endian words. NVIDIA documents
// neither them nor the control bits; what is here was found by compiling
// kernels of one instruction and comparing. The low 9 of the 12 bits of the
// opcode name the operation, the others the form of its operands.
#ifndef TLC_COMPILER_VERIFY_SASS_INSTRUCTION_H
#define TLC_COMPILER_VERIFY_SASS_INSTRUCTION_H

#include <cstdint>
#include <optional>

namespace tlc::sass {

enum class Kind : std::uint8_t {
  Other,
  SharedLoad,  ///< LDS, LDSM
  GenericLoad, ///< LD, which may go to shared memory
  Arrive,      ///< SYNCS.ARRIVE that only arrives, by one or by a count
  Expect,      ///< SYNCS.ARRIVE that announces or completes bytes
  Wait,        ///< SYNCS.PHASECHK: try_wait and test_wait
  AsyncFence,  ///< FENCE.VIEW.ASYNC that covers shared memory
  Membar,      ///< MEMBAR of any scope
  Barrier,     ///< BAR
  WaitCounter, ///< DEPBAR.LE
  Branch,      ///< BRA
  Call,        ///< CALL.REL to a fixed place
  Return,      ///< RET
  Exit,        ///< EXIT, KILL
  Enter,       ///< BSSY: names the place where a BSYNC goes on
  Meet,        ///< BSYNC
  Collective,  ///< WARPSYNC with a place to go on
  Unknown,     ///< may branch, or arrive, in a way that is not known
};

/// No scoreboard.
constexpr unsigned kNoScoreboard = 7;
/// The predicate that is always true.
constexpr unsigned kAlways = 7;

struct Instruction {
  Kind kind = Kind::Other;
  std::uint16_t opcode = 0;     ///< 12 bits
  std::uint8_t guard = kAlways; ///< predicate register, bit 3 negates
  std::uint8_t waitMask = 0;    ///< scoreboards that it waits for to be issued
  /// The scoreboard on which its result, and the reading of its operands, is
  /// reported.
  std::uint8_t writeScoreboard = kNoScoreboard;
  std::uint8_t readScoreboard = kNoScoreboard;
  std::uint8_t stall = 0; ///< cycles until the next instruction
  /// Branch, Call, Exit: there is no condition besides the guard.
  bool unconditional = true;
  std::uint8_t convergence = 0; ///< Enter, Meet: the number of the barrier
  std::uint8_t counted = 0; ///< WaitCounter: scoreboards that are empty then
  std::int32_t address = 0; ///< SharedLoad, Arrive: its constant part
  /// Branch, Call, Enter, Collective: distance in bytes from the instruction.
  std::optional<std::int64_t> distance;

  bool isNever() const { return guard == (8 | kAlways); }
  bool isAlways() const { return guard == kAlways; }
};

constexpr unsigned kInstructionBytes = 16;

/// Decodes any two words.
Instruction decode(std::uint64_t low, std::uint64_t high);

} // namespace tlc::sass

#endif // TLC_COMPILER_VERIFY_SASS_INSTRUCTION_H
