// An `sm` program compiled for the virtual SM: nodes whose operands are
// numbers of values. Private to the library.
#pragma once

#include "compiler/analysis/Layout.h"
#include "compiler/analysis/SharedLayout.h"
#include "compiler/interp/TileInterpProgram.h"
#include "dialects/sm/Sm.h"

#include "llvm/ADT/DenseMap.h"

#include <array>
#include <memory>
#include <vector>

namespace tlc::interp {

enum class SmCode : uint8_t {
  // Local to a warp: nobody else can tell when they happen.
  Scalar,
  ThreadId,
  ThreadIndex,
  Slot,
  CounterStage,
  CounterPhase,
  CounterAdvance,
  If,
  For,
  While,
  Role,
  Elect,
  // Events.
  Load,
  Store,
  Atomic,
  Copy,
  Fill,
  Parallel,
  Extern,
  MBarrierInit,
  FenceMBarrierInit,
  MBarrierWait,
  ArriveExpect,
  Arrive,
  BarSync,
  FenceProxy,
  Membar,
  BulkLoad,
  BulkStore,
  BulkCommit,
  BulkWait,
  CpAsyncCommit,
  CpAsyncWait,
  Wgmma,
  Mma,
  WgmmaFence,
  WgmmaCommit,
  WgmmaWait,
  SetMaxNReg,
  GridBarrier,
  // Of the host.
  Launch,
};
inline bool isEvent(SmCode code) { return code >= SmCode::Load; }

struct SmBlock;

struct SmNode {
  SmCode code = SmCode::Scalar;
  mlir::Operation *op = nullptr;
  Node scalar; ///< of a scalar operation
  MathFunction function;
  llvm::SmallVector<uint32_t, 6> operands;
  llvm::SmallVector<uint32_t, 1> results;
  /// If: then, else; While: before, after; others: the body. Null if empty.
  SmBlock *blocks[2] = {nullptr, nullptr};
};

struct SmBlock {
  std::vector<SmNode> nodes;
  llvm::SmallVector<uint32_t, 4> arguments;
  llvm::SmallVector<uint32_t, 4> yielded; ///< Condition: condition first
};

/// A buffer of the program.
struct SmBuffer {
  mlir::Value value;
  std::string name;
  Elem elem = Elem::F32;
  tile::Space space = tile::Space::Global;
  llvm::SmallVector<int64_t, 4> shape; ///< empty for a tensor
  int param = -1;
  int32_t place = -1; ///< number among the buffers of its space

  int64_t numElements() const {
    int64_t n = 1;
    for (int64_t d : shape)
      n *= d;
    return n;
  }
};

/// A tile in shared memory.
struct SmTile {
  uint32_t buffer;
  int64_t offset, stages, slotBytes, elementBytes;
  analysis::SharedLayout layout;
  std::vector<uint32_t> byteOf; ///< by row-major element, within a slot
  std::array<int64_t, 4> pieceBytes = {}; ///< of elements, by piece (SmWarp.h)
};

/// A tile.alloc: fragment or thread-private array.
struct SmRegisters {
  uint32_t buffer;
  bool hasLayout = false;
  analysis::LinearLayout layout;
};

struct SmBarrierDecl {
  sm::MBarrierOp op;
  std::string name;
  int64_t stages, count;
  uint32_t first; ///< number of stage 0 among all mbarriers
  /// Names of roles with an arrival on it, for deadlock reports.
  llvm::SmallVector<std::string, 2> arrivers;
};

struct SmProgram {
  tile::KernelOp kernel;
  SmBlock *body = nullptr;
  uint32_t numValues = 0;
  std::vector<std::pair<uint32_t, Cell>> constants;
  std::vector<std::unique_ptr<SmBlock>> blocks;
  std::vector<SmBuffer> buffers;
  std::vector<SmTile> tiles;
  std::vector<SmRegisters> registers;
  std::vector<SmBarrierDecl> barriers;
  uint32_t numStages = 0; ///< mbarriers, all stages
  std::vector<int64_t> counterDepths;
  llvm::DenseMap<mlir::Value, uint32_t> numbers;  ///< of values
  llvm::DenseMap<mlir::Value, uint32_t> bufferOf; ///< of memrefs
  llvm::DenseMap<mlir::Value, uint32_t> barrierOf;
  llvm::DenseMap<mlir::Value, uint32_t> counterOf;

  uint32_t number(mlir::Value v) const { return numbers.lookup(v); }
  const SmBuffer &buffer(mlir::Value v) const {
    return buffers[bufferOf.lookup(v)];
  }
};

/// Compiles a kernel whose launches are all `sm.launch`. Reports what the
/// virtual SM cannot run at the op and fails.
llvm::LogicalResult buildSmProgram(tile::KernelOp kernel, SmProgram &program);

/// Moves an index to the next one in row-major order, the last to the first.
inline void nextIndex(llvm::MutableArrayRef<int64_t> index,
                      llvm::ArrayRef<int64_t> shape) {
  for (size_t d = shape.size(); d-- > 0;) {
    if (++index[d] < shape[d])
      return;
    index[d] = 0;
  }
}

/// The name of the innermost role around `op`, "block" outside of roles.
std::string roleAround(mlir::Operation *op);

} // namespace tlc::interp
