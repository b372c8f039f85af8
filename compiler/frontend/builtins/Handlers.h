// One handler for each supported entry of Builtins.def, or for a group of alike
// entries. They are grouped by file; see Builtins.def for the files.
#pragma once

#include "compiler/frontend/builtins/Builtins.h"
#include "compiler/frontend/elaborate/Elaborator.h"

namespace tlc::frontend::builtins {

#define TLC_LANGUAGE(Name, Handler, Signature) Value Handler(CallArgs &);
#define TLC_MATH(Name, Handler, Signature) Value Handler(CallArgs &);
#define TLC_TILELANG(Name, Handler, Signature) Value Handler(CallArgs &);
#define TLC_PYTHON(Name, Handler, Signature) Value Handler(CallArgs &);
#define TLC_UNSUPPORTED(Name)
#include "compiler/frontend/builtins/Builtins.def"

// ---- Shared by the handlers
// --------------------------------------------------

/// A tile operand: offsets and sizes for each dimension of a buffer.
struct TileOperand {
  std::shared_ptr<BufferObject> buffer;
  std::vector<Value> offsets;
  /// Known extents; empty entries only where `isElement`.
  std::vector<int64_t> sizes;
  bool isWhole = false;
  bool isElement = false;
  llvm::SMRange range;

  std::string name() const { return "'" + buffer->name + "'"; }
};

/// Reads a buffer, region or element reference. Extents must be constants,
/// except those of an element reference, which are 1. Nothing after an error.
std::optional<TileOperand> tileOperand(CallArgs &args, llvm::StringRef param);
/// Offsets as i32; nothing after an error.
std::optional<llvm::SmallVector<mlir::Value>> emitOffsets(CallArgs &args,
                                                          TileOperand &tile);
/// A shape: an int, tuple or list; sizes are ints or symbolic.
std::optional<std::vector<Value>>
shapeArgument(CallArgs &args, const Value &value, llvm::SMRange range);
/// The smaller or larger of two numbers.
Value minMaxOf(Elaborator &e, const Value &a, const Value &b, bool isMax,
               llvm::SMRange range);
Value absoluteOf(Elaborator &e, const Value &x, llvm::SMRange range);
/// The smallest or largest number of a type; of floats infinite if asked for.
Value extremeOf(Elaborator &e, Dtype type, bool isMin, bool infinite,
                llvm::SMRange range);
/// A copy of one whole on-chip buffer to another of the same shape.
void emitCopy(CallArgs &args, BufferObject &src, BufferObject &dst);
Value tensorType(Elaborator &e, const Value &shape, const Value &dtype,
                 llvm::SMRange range);

} // namespace tlc::frontend::builtins
