// The decoder. Numbers of bits count from the low word's bit 0 to 127.
#include "compiler/verify/sass/Instruction.h"

#include "llvm/Support/MathExtras.h"

namespace tlc::sass {

/// Bits [from, from + count) of a word.
static std::uint64_t bits(std::uint64_t word, unsigned from, unsigned count) {
  return word >> from & ((std::uint64_t(1) << count) - 1);
}

/// The operations, without the form of their operands.
enum Operation : unsigned {
  kLdsm = 0x03b,
  kBar = 0x11d,
  kDepbar = 0x11a,
  kFirstControl = 0x140,
  kBsync = 0x141,
  kBreak = 0x142,
  kCallRel = 0x144,
  kBssy = 0x145,
  kYield = 0x146,
  kBra = 0x147,
  kWarpsync = 0x148,
  kExit = 0x14d,
  kRet = 0x150,
  kKill = 0x15b,
  kNanosleep = 0x15d,
  kLastControl = 0x15f,
  kLd = 0x180,
  kLds = 0x184,
  kMembar = 0x192,
  kSyncs = 0x1a7,
  kFenceView = 0x1c6,
};

/// Distances count from the next instruction, in units of four bytes: the low
/// byte of the number is bits 16 to 23, the rest bits 34 to 81.
static std::int64_t branchDistance(std::uint64_t low, std::uint64_t high) {
  std::uint64_t upper = low >> 34 | bits(high, 0, 18) << 30;
  std::int64_t words = llvm::SignExtend64<48>(upper) * 256 +
                       static_cast<std::int64_t>(bits(low, 16, 8));
  return words * 4 + kInstructionBytes;
}

/// A branch may also test a predicate (bits 87 to 90, 7 for none) or whether
/// the warp diverges or a uniform predicate holds (bits 24 to 33).
static bool hasNoCondition(std::uint64_t low, std::uint64_t high) {
  return bits(high, 23, 4) == kAlways && bits(low, 24, 10) == 0;
}

/// The constant that is added to the registers of an address.
static std::int32_t addressConstant(std::uint64_t low) {
  return static_cast<std::int32_t>(llvm::SignExtend64<24>(low >> 40));
}

static void decodeSyncs(Instruction &result, std::uint64_t low,
                        std::uint64_t high) {
  result.address = addressConstant(low);
  if (result.opcode == 0x5a7) {
    result.kind = bits(high, 6, 1) ? Kind::Wait : Kind::Unknown;
    return;
  }
  if (result.opcode != 0x9a7) {
    result.kind = Kind::Unknown;
    return;
  }
  // What it adds: A1TR, A1T0, -, A0TR, A0TX, ART0.
  switch (bits(high, 20, 3)) {
  case 1:
  case 5:
    result.kind = Kind::Arrive;
    return;
  case 0:
  case 3:
  case 4:
    result.kind = Kind::Expect;
    return;
  default:
    result.kind = Kind::Unknown;
  }
}

/// DEPBAR.LE SBn, m, {list}: waits until at most m are left on SBn, and none on
/// those of the list.
static void decodeDepbar(Instruction &result, std::uint64_t low) {
  result.kind = Kind::WaitCounter;
  result.counted = static_cast<std::uint8_t>(bits(low, 32, 6));
  bool lessOrEqual = bits(low, 47, 1);
  if (lessOrEqual && bits(low, 38, 6) == 0 && bits(low, 44, 3) < 6)
    result.counted |= 1u << bits(low, 44, 3);
}

static void decodeControl(Instruction &result, unsigned operation,
                          std::uint64_t low, std::uint64_t high) {
  result.unconditional = hasNoCondition(low, high);
  switch (operation) {
  case kBra:
    result.kind = Kind::Branch;
    result.distance = branchDistance(low, high);
    return;
  case kCallRel:
    // Other forms take the place from a register.
    result.kind = result.opcode == 0x944 ? Kind::Call : Kind::Unknown;
    result.distance = branchDistance(low, high);
    return;
  case kBssy:
    result.kind = Kind::Enter;
    result.convergence = bits(low, 16, 4);
    result.distance =
        llvm::SignExtend64<32>(low >> 32) + std::int64_t(kInstructionBytes);
    return;
  case kBsync:
    result.kind = Kind::Meet;
    result.convergence = bits(low, 16, 4);
    return;
  case kWarpsync:
    // WARPSYNC.COLLECTIVE goes on elsewhere, the others behind it.
    if (result.opcode != 0x348)
      return;
    result.kind = Kind::Collective;
    result.distance = branchDistance(low, high);
    return;
  case kExit:
  case kKill:
    result.kind = Kind::Exit;
    return;
  case kRet:
    result.kind = Kind::Return;
    return;
  case kBreak:
  case kYield:
  case kNanosleep:
    return;
  default:
    result.kind = Kind::Unknown;
  }
}

Instruction decode(std::uint64_t low, std::uint64_t high) {
  Instruction result;
  result.opcode = bits(low, 0, 12);
  result.guard = bits(low, 12, 4);
  std::uint64_t control = high >> 41;
  result.stall = bits(control, 0, 4);
  result.writeScoreboard = bits(control, 5, 3);
  result.readScoreboard = bits(control, 8, 3);
  result.waitMask = bits(control, 11, 6);
  unsigned operation = result.opcode & 0x1ff;
  switch (operation) {
  case kLds:
  case kLdsm:
    result.kind = Kind::SharedLoad;
    result.address = addressConstant(low);
    return result;
  case kLd:
    result.kind = Kind::GenericLoad;
    return result;
  case kBar:
    result.kind = Kind::Barrier;
    return result;
  case kMembar:
    result.kind = Kind::Membar;
    return result;
  case kFenceView:
    // Bits 72 and up say what it covers; 0 is all, or shared memory.
    if (bits(high, 8, 8) == 0)
      result.kind = Kind::AsyncFence;
    return result;
  case kDepbar:
    decodeDepbar(result, low);
    return result;
  case kSyncs:
    decodeSyncs(result, low, high);
    return result;
  default:
    if (operation >= kFirstControl && operation <= kLastControl)
      decodeControl(result, operation, low, high);
    return result;
  }
}

} // namespace tlc::sass
