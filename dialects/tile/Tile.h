// The tile dialect: include this header, no other of the folder.
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/tile/TileDialect.h.inc"
#include "dialects/tile/TileEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/tile/TileAttrs.h.inc"

namespace tlc::tile {

/// Through which path an access reaches memory (PTX ISA, "Proxies").
enum class Proxy {
  Generic,   ///< ld, st, ldmatrix, registers
  AsyncCopy, ///< bulk and tensor copies
  AsyncMma,  ///< operand reads of wgmma
};

/// When an access is over.
enum class Completion {
  ProgramOrder, ///< before the next access of the same thread
  MBarrier,     ///< when its bytes have completed on an mbarrier
  WgmmaGroup,   ///< when its wgmma group was waited for
  BulkGroup,    ///< when its bulk group was waited for
  CpAsyncGroup, ///< when its cp.async group was waited for
};

enum class AccessKind { Read, Write };

/// One effect of one op on one buffer. `buffer` is the memref value the op
/// names: follow views and slots to the allocation with `getRootBuffer`.
struct Effect {
  mlir::Value buffer;
  AccessKind kind;
  Proxy proxy = Proxy::Generic;
  Completion completion = Completion::ProgramOrder;
};

/// The space of a buffer type; asserts that it has one.
Space getSpace(mlir::Type type);
/// Whether `type` is a memref with a `#tile.space`.
bool hasSpace(mlir::Type type);
bool isInSpace(mlir::Type type, Space space);
inline bool isInSpace(mlir::Value v, Space space) {
  return isInSpace(v.getType(), space);
}
/// The signless scalar type that loads of a buffer give.
mlir::Type getScalarType(mlir::Type elementType);
/// Memref of the given shape, element type and space.
mlir::MemRefType getBufferType(llvm::ArrayRef<int64_t> shape,
                               mlir::Type element, Space space);
/// The name of a buffer for people: alloc name, parameter name, or "buffer".
std::string getBufferName(mlir::Value buffer);

} // namespace tlc::tile

#include "dialects/tile/TileInterfaces.h.inc"

#define GET_OP_CLASSES
#include "dialects/tile/TileOps.h.inc"
