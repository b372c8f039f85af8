// Accesses of global tensors and what orders them: inside of a block its
// clocks, between blocks the grid barrier and atomics that release and acquire.
// Only tensors that the launch writes are followed. Private to the library.
#pragma once

#include "compiler/interp/SmClocks.h"

#include <map>
#include <memory>

namespace tlc::interp {

/// What is known of the events of other blocks, by the number of the block.
using BlockClocks = std::map<uint32_t, Clock>;

/// Knowledge of other blocks that a warp got with one of its events: who is
/// ordered after the event has it.
struct Acquisition {
  Epoch epoch;
  std::shared_ptr<const BlockClocks> known;
};

/// Both frontiers of all blocks that take part.
struct BlockFrontiers {
  BlockClocks generic, async;
};

struct GlobalAccess : MemoryAccess {
  uint32_t block = 0; ///< of the launch, in the order in which they begin
  uint32_t param = 0;
  bool isOpen = false;     ///< an asynchronous write that nobody has waited for
  bool keepsValue = false; ///< a write of the values that were there
};

/// The last write of every element and the reads since, for all blocks of a
/// launch.
class GlobalHistory {
public:
  /// `written`: parameters that the launch writes.
  explicit GlobalHistory(llvm::SmallVector<bool, 8> written)
      : written(std::move(written)), pages(this->written.size()) {}

  bool follows(uint32_t param) const { return written[param]; }

  struct Conflict {
    uint32_t earlier;
    ByteRange elements;
  };
  /// Enters an access; `isOrdered` tells whether it comes after an earlier one.
  llvm::SmallVector<Conflict, 2>
  record(const GlobalAccess &access, const ByteRanges &elements,
         llvm::function_ref<bool(const GlobalAccess &)> isOrdered);

  GlobalAccess &access(uint32_t i) { return accesses[i]; }
  uint32_t last() const { return accesses.size() - 1; }
  uint32_t newBlock() { return blocks++; }

  /// What atomics have released, by parameter and element.
  std::map<std::pair<uint32_t, int64_t>, BlockFrontiers> released;

private:
  struct State {
    uint32_t write = kNone;
    llvm::SmallVector<uint32_t, 4> reads;
  };
  static constexpr uint32_t kNone = ~0u, kPage = 1024;
  /// Reads of one element that are kept; more hide no race of their own block.
  static constexpr size_t kReads = 64;

  uint32_t &stateOf(uint32_t param, uint32_t element);
  uint32_t next(uint32_t state, uint32_t access);

  llvm::SmallVector<bool, 8> written;
  std::vector<llvm::DenseMap<uint32_t, std::vector<uint32_t>>> pages;
  std::vector<State> states = std::vector<State>(1);
  std::vector<GlobalAccess> accesses;
  uint32_t blocks = 0;
};

} // namespace tlc::interp
