// Buffers, regions and element references as operands of tile operations.
#include "compiler/frontend/builtins/Handlers.h"

namespace tlc::frontend::builtins {

static std::optional<TileOperand>
wholeBuffer(CallArgs &args, const Value &value, llvm::SMRange range) {
  TileOperand tile;
  tile.buffer = std::static_pointer_cast<BufferObject>(value.object);
  tile.isWhole = true;
  tile.range = range;
  for (auto [i, size] : llvm::enumerate(tile.buffer->shape)) {
    if (!size.is(Kind::Int)) {
      args.e.error(Diag::RegionExtent, range)
              .note(tile.buffer->range, tile.name() + " of shape " +
                                            args.e.text(tile.buffer->shape) +
                                            " is declared here")
          << tile.buffer->name << i;
      return std::nullopt;
    }
    tile.offsets.push_back(Value::ofInt(0));
    tile.sizes.push_back(size.integer);
  }
  return tile;
}

std::optional<TileOperand> tileOperand(CallArgs &args, llvm::StringRef param) {
  Value value = args.operand(param);
  llvm::SMRange range = args.rangeOf(param);
  if (value.isPoison())
    return std::nullopt;
  if (value.is(Kind::Buffer))
    return wholeBuffer(args, value, range);
  if (!value.is(Kind::Region)) {
    args.e.typeError(range, "'" + param + "' of " + args.name(),
                     "a buffer or region", value);
    return std::nullopt;
  }
  auto &region = value.as<RegionObject>();
  TileOperand tile;
  tile.buffer = region.buffer;
  tile.isElement = region.isElement;
  tile.range = range;
  for (auto [i, dim] : llvm::enumerate(region.dims)) {
    if (!dim.size) {
      args.e.error(Diag::RegionExtent, range) << region.buffer->name << i;
      return std::nullopt;
    }
    if (region.buffer->space != tile::Space::Global &&
        *dim.size > region.buffer->shape[i].integer) {
      args.e.error(Diag::IndexOutOfRange, range)
          << *dim.size - 1
          << "dimension " + std::to_string(i) + " of " + tile.name()
          << args.e.text(region.buffer->shape[i]);
      return std::nullopt;
    }
    tile.offsets.push_back(dim.offset);
    tile.sizes.push_back(*dim.size);
  }
  return tile;
}

std::optional<llvm::SmallVector<mlir::Value>> emitOffsets(CallArgs &args,
                                                          TileOperand &tile) {
  llvm::SmallVector<mlir::Value> offsets;
  for (const Value &offset : tile.offsets) {
    offsets.push_back(args.e.emitIndex(offset, tile.range));
    if (!offsets.back())
      return std::nullopt;
  }
  return offsets;
}

} // namespace tlc::frontend::builtins
