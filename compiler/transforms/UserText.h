// Types and shapes as the kernel language spells them, and the number of bits
// an element takes in memory.
#ifndef TLC_COMPILER_TRANSFORMS_USERTEXT_H
#define TLC_COMPILER_TRANSFORMS_USERTEXT_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/ArrayRef.h"

#include <string>

namespace tlc::tile {

/// "float16", "bfloat16", "int8", "uint8", "bool" ...
std::string dtypeName(mlir::Type element);

/// "128x64"; an extent that is not known is "?".
std::string shapeText(llvm::ArrayRef<int64_t> shape);

/// Bits of an element in memory: a bool takes a byte, tf32 four.
unsigned storageBits(mlir::Type element);

/// The sizes other than 1, or one dimension of extent 1.
llvm::SmallVector<int64_t> nonUnitSizes(llvm::ArrayRef<int64_t> sizes);

} // namespace tlc::tile

#endif // TLC_COMPILER_TRANSFORMS_USERTEXT_H
