// The optimisations that can be switched off one by one (`--disable`), to
// measure what each is worth. A program means the same with any set of them.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tlc {

enum class Lever : uint8_t {
  TransposeProduct,
  RegisterOperand,
  Renumber,
  RingDepth,
  RingProducers,
  EarlyRelease,
  ReadAhead,
  MergeFences,
  StagedStore,
  PrefetchGuards,
  GuardLoads,
  UniformAddresses,
};

struct LeverText {
  Lever lever;
  llvm::StringLiteral name, help;
};

/// All levers with their names on the command line.
llvm::ArrayRef<LeverText> allLevers();

/// The levers that are in use; all by default.
class LeverSet {
public:
  bool isOn(Lever lever) const { return !(off >> unsigned(lever) & 1); }
  void disable(Lever lever) { off |= 1u << unsigned(lever); }
  /// Those that are off, as `parse` reads them.
  std::string disabledText() const;
  /// A list of names with commas between them, of levers to switch off; on
  /// failure `unknown` is the name that is none.
  static std::optional<LeverSet> parse(llvm::StringRef disabled,
                                       std::string &unknown);
  bool operator==(const LeverSet &other) const = default;

private:
  uint32_t off = 0;
};

} // namespace tlc
