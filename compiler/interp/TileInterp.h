// Runs a `tile.kernel` on the CPU with its sequential meaning: the blocks of a
// launch one after the other (first grid dimension fastest), the statements of
// a block in order. Decisions that passes attached to the ops (instructions,
// layouts, stages, plans) are ignored: this is the reference for everything
// that lowering does.
//
// Arithmetic. Scalars are computed in their own type, rounded after every
// operation. T.gemm converts its operands exactly, multiplies and accumulates
// in float32 (int32 for integers, float64 for float64) with k ascending, and
// rounds once to the type of the accumulator; float32 operands lose their low
// 13 bits first, as the tensor core reads tf32. Reads outside a global tensor
// give zero and writes outside do nothing; outside a shared tile, fragment or
// local array either is an error.
//
// A launch with T.sync_grid runs all of its blocks side by side: each up to the
// barrier, then each on from it. That takes the memory of all blocks at once
// and is limited to kMaxTogether of them.
//
// Uninitialised tiles hold bytes 0xff (NaN, -1) at the start of each block, so
// that what reads them shows.
#pragma once

#include "dialects/tile/Tile.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <functional>
#include <variant>

namespace tlc::interp {

/// Memory of a tensor parameter, in the element type of the parameter. The
/// strides are in elements; empty for row-major.
struct TensorArg {
  void *data = nullptr;
  llvm::SmallVector<int64_t, 4> shape;
  llvm::SmallVector<int64_t, 4> strides;
};

/// A tensor, or a number for a scalar parameter (converted to its type).
using ArgValue = std::variant<TensorArg, int64_t, double>;

/// Blocks of a launch with T.sync_grid; more are an error.
constexpr int64_t kMaxTogether = 1024;

struct InterpOptions {
  /// Called after each block with the blocks done and their number, which is
  /// that of the launch in progress.
  std::function<void(int64_t done, int64_t total)> progress;
  /// Loop iterations after which the run is given up; 0: never.
  uint64_t maxSteps = 0;
  /// In which order the blocks of a launch run, between grid barriers too. 0:
  /// ascending, 1: descending, else a permutation for each number.
  uint64_t blockOrder = 0;
};

/// The block that runs as number `turn` of `total` in that order.
int64_t blockAt(uint64_t order, int64_t turn, int64_t total);

/// Runs all launches of `kernel`. `args` has one entry for each parameter, with
/// or without the workspaces, which are the last ones; the dynamic sizes are
/// solved from the shapes and numbers. Problems are reported as MLIR
/// errors at the op (or the kernel, for arguments) and give failure.
llvm::LogicalResult interpret(tile::KernelOp kernel,
                              llvm::ArrayRef<ArgValue> args,
                              const InterpOptions &options = {});

/// The same with the dynamic sizes given, in the order of the kernel's
/// `symbol_names`.
llvm::LogicalResult interpret(tile::KernelOp kernel,
                              llvm::ArrayRef<ArgValue> args,
                              llvm::ArrayRef<int64_t> symbols,
                              const InterpOptions &options);

/// The dynamic sizes that make the parameter shapes equal to those of `args`; a
/// size in no shape is the number that is passed by its name. Reports
/// contradictions and sizes that nothing determines.
llvm::FailureOr<llvm::SmallVector<int64_t>>
solveSizes(tile::KernelOp kernel, llvm::ArrayRef<ArgValue> args);

} // namespace tlc::interp
