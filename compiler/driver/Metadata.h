// The launch metadata file (its format: runtime/core/LaunchMetadata.h), made
// from the IR. What is written depends on nothing but the kernel.
#pragma once

#include "compiler/target/nvrtc/Nvrtc.h"
#include "dialects/tile/Tile.h"

#include "llvm/Support/JSON.h"

namespace tlc {

/// An expression of the format: an integer, a name, or [op, lhs, rhs].
llvm::json::Value toJson(mlir::AffineExpr expr,
                         llvm::ArrayRef<std::string> symbols);
/// The same for a value that the host part of a kernel computes from scalar
/// parameters and sizes. Reports an error at the op that the host cannot
/// evaluate.
llvm::FailureOr<llvm::json::Value> toJson(mlir::Value value,
                                          tile::KernelOp kernel);

/// How one argument of a device function is made; the members of the format.
using DeviceArgument = llvm::json::Object;

struct DeviceFunction {
  std::string symbol;
  llvm::SmallVector<mlir::Value, 3> grid;
  int64_t block[3] = {1, 1, 1};
  int64_t sharedBytes = 0;
  std::vector<DeviceArgument> args;
};

/// The parameters and sizes of a kernel as they were written. Taken from the
/// tile level, because lowering hides which parameters are read and written.
struct KernelSignature {
  std::string name;
  llvm::json::Array params;
  llvm::json::Array symbols;
};
KernelSignature describeSignature(tile::KernelOp kernel);

/// The whole file. Fails after reporting if a grid is not computable.
llvm::FailureOr<std::string>
writeMetadata(tile::KernelOp kernel, const KernelSignature &signature,
              llvm::StringRef target, llvm::ArrayRef<DeviceFunction> functions,
              llvm::ArrayRef<nvrtc::KernelUsage> usage);

} // namespace tlc
