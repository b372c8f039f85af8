// What the expansions of wgmma and mma.sync share.
#pragma once

#include "compiler/conversion/SMToThreads/Expander.h"
#include "compiler/target/TargetInfo.h"

#include "llvm/ADT/SetVector.h"

namespace tlc::sm {

/// The matrix-unit type of an element type; f32 operands are tf32.
std::optional<target::MatrixType> matrixType(mlir::Type element);

/// The fragment of an accumulator, which must have the hardware's layout.
mlir::FailureOr<Fragment> accumulatorOf(Expander &x, mlir::Operation *op,
                                        mlir::Value c,
                                        const analysis::LinearLayout &expected);

/// `count` 32-bit registers of elements of `bits` bits, from position `first`
/// of a fragment on.
mlir::SmallVector<mlir::Value> packRegisters(Expander &x, mlir::Location loc,
                                             const Fragment &fragment,
                                             int64_t count, int64_t first,
                                             unsigned bits);

/// Where an operand begins in its tile: address of the matrix, constant row
/// and column.
struct MatrixStart {
  mlir::Value address;
  int64_t row = 0, column = 0;
};
mlir::FailureOr<MatrixStart> matrixStart(Expander &x, mlir::Operation *op,
                                         const SharedTile &tile,
                                         mlir::ValueRange offsets);

} // namespace tlc::sm
