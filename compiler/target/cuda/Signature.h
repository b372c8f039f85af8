// What a host needs to launch a printed kernel: the grid, and how each argument
// is made from parameters and sizes. The driver turns it into k.json.
#pragma once

#include "dialects/sm/Sm.h"

#include <array>
#include <string>
#include <vector>

namespace tlc::cuda {

/// An integer computed on the host from dynamic sizes and integer parameters.
struct SizeExpr {
  enum class Kind {
    Constant,
    Name,
    Add,
    Sub,
    Mul,
    FloorDiv,
    Mod,
    CeilDiv,
    Min,
    Max
  };
  Kind kind = Kind::Constant;
  int64_t value = 0;              ///< Constant
  std::string name;               ///< Name: of a size or scalar parameter
  std::vector<SizeExpr> operands; ///< two for the others

  static SizeExpr constant(int64_t value);
  static SizeExpr named(std::string name);
  static SizeExpr binary(Kind kind, SizeExpr x, SizeExpr y);
};

/// The inputs of cuTensorMapEncodeTiled; every list is innermost first.
struct TensorMapInfo {
  mlir::Type element;
  std::vector<SizeExpr> globalDims;
  std::vector<SizeExpr> globalStridesBytes; ///< rank - 1, from dimension 1
  std::vector<int64_t> box;
  int64_t swizzleBytes = 0; ///< 0, 32, 64 or 128
};

struct KernelArg {
  enum class Kind { Pointer, Scalar, Symbol, TensorMap, Workspace };
  Kind kind;
  std::string name; ///< of the parameter or, for Symbol, of the dynamic size
  mlir::Type type;  ///< element type of a Pointer, type of a Scalar or Symbol
  int64_t alignment = 1;   ///< Pointer: bytes that the kernel relies on
  TensorMapInfo tensorMap; ///< TensorMap
  int64_t bytes = 0;       ///< Workspace: of one launch, zero at its start
  /// Pointer, TensorMap: of a workspace of the call (T.alloc_global), not of a
  /// parameter that is passed.
  bool isOfCall = false;
};

struct KernelSignature {
  std::string symbol; ///< name of the __global__ function
  std::string kernel; ///< name of the tile.kernel
  std::vector<KernelArg> args;
  std::array<SizeExpr, 3> grid;
  int64_t threads = 0;      ///< the block is one-dimensional
  int64_t sharedBytes = 0;  ///< dynamic, slack for alignment included
  bool cooperative = false; ///< all blocks must be resident at once
};

/// The host expression of a value of a kernel's body; fails if the value is
/// none (and reports it at `op`).
mlir::FailureOr<SizeExpr> sizeExprOf(mlir::Operation *op, mlir::Value value);
/// The expression of an affine expression over a kernel's sizes.
SizeExpr sizeExprOf(mlir::AffineExpr expr, tile::KernelOp kernel);

} // namespace tlc::cuda
