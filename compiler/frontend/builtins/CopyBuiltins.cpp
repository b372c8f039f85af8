// T.copy, T.fill, T.clear and synchronisation.
#include "compiler/frontend/builtins/Handlers.h"

namespace tlc::frontend::builtins {

static llvm::SmallVector<int64_t> nonUnit(llvm::ArrayRef<int64_t> sizes) {
  llvm::SmallVector<int64_t> result;
  llvm::copy_if(sizes, std::back_inserter(result),
                [](int64_t size) { return size != 1; });
  return result;
}

/// Gives the sides of a copy their extents (language.md 2.6): where they have
/// different numbers of extents other than 1, they are aligned from the right
/// and a 1 becomes what its partner has. Whole buffers keep theirs. False if
/// the extents cannot be paired.
static bool resolveExtents(TileOperand &src, TileOperand &dst) {
  if (nonUnit(src.sizes).size() != nonUnit(dst.sizes).size()) {
    size_t n = std::min(src.sizes.size(), dst.sizes.size());
    for (size_t i = 1; i <= n; ++i) {
      int64_t &s = src.sizes[src.sizes.size() - i];
      int64_t &d = dst.sizes[dst.sizes.size() - i];
      if (s == 1 && !src.isWhole)
        s = d;
      else if (d == 1 && !dst.isWhole)
        d = s;
    }
  }
  return nonUnit(src.sizes) == nonUnit(dst.sizes);
}

static std::string sideText(const TileOperand &tile) {
  return "a region of " + shapeText(tile.sizes) + " of " + tile.name();
}

/// An extent that was taken over must fit an on-chip buffer.
static bool checkReach(CallArgs &args, const TileOperand &tile) {
  if (tile.buffer->space == tile::Space::Global || tile.isWhole)
    return true;
  for (auto [i, size] : llvm::enumerate(tile.sizes)) {
    int64_t dim = tile.buffer->shape[i].integer;
    int64_t first = tile.offsets[i].isIntLike() ? tile.offsets[i].asInt() : 0;
    if (first + size <= dim)
      continue;
    args.e.error(Diag::IndexOutOfRange, tile.range)
        << first + size - 1
        << "dimension " + std::to_string(i) + " of " + tile.name() << dim;
    return false;
  }
  return true;
}

static Value copyElement(CallArgs &args, TileOperand &src, TileOperand &dst) {
  Value value = args.e.load(*src.buffer, src.offsets, src.range);
  args.e.store(*dst.buffer, dst.offsets, value, args.range);
  return Value::none();
}

namespace {
/// What the program says about the instruction of a copy.
struct CopyOptions {
  bool disableTma = false;
  /// "tma", "cp_async", "sync" or empty.
  std::string prefer;
};
} // namespace

/// Nothing after an error.
static std::optional<CopyOptions> copyOptions(CallArgs &args) {
  auto disable = args.boolean("disable_tma", false);
  Value prefer = args.value("prefer_instruction");
  if (!disable || prefer.isPoison())
    return std::nullopt;
  CopyOptions options{*disable, ""};
  if (prefer.isNone())
    return options;
  llvm::SMRange range = args.rangeOf("prefer_instruction");
  options.prefer = prefer.is(Kind::String) ? prefer.text() : "";
  if (!llvm::is_contained({"tma", "cp_async", "sync"}, options.prefer)) {
    args.e.error(Diag::InvalidValue, range)
        << "prefer_instruction"
        << toRepr(prefer) + ", expected 'tma', 'cp_async' or 'sync'";
    return std::nullopt;
  }
  if (options.prefer == "tma" && options.disableTma) {
    args.e.error(Diag::CopyInstruction, range)
        << "TMA" << "disable_tma forbids it";
    return std::nullopt;
  }
  return options;
}

static void emitCopyOp(CallArgs &args, TileOperand &src, TileOperand &dst,
                       const CopyOptions &options) {
  Elaborator &e = args.e;
  auto srcOffsets = emitOffsets(args, src);
  auto dstOffsets = srcOffsets ? emitOffsets(args, dst) : std::nullopt;
  if (!dstOffsets)
    return;
  llvm::SmallVector<mlir::Value> operands{src.buffer->value};
  operands.append(*srcOffsets);
  operands.push_back(dst.buffer->value);
  operands.append(*dstOffsets);
  tile::CopyOp::Properties properties;
  properties.src_sizes = e.b.getDenseI64ArrayAttr(src.sizes);
  properties.dst_sizes = e.b.getDenseI64ArrayAttr(dst.sizes);
  auto flag = [&](bool is) { return is ? e.b.getUnitAttr() : nullptr; };
  bool sync = options.prefer == "sync";
  properties.disable_tma = flag(options.disableTma || sync);
  properties.prefer_tma = flag(options.prefer == "tma");
  properties.prefer_cp_async = flag(options.prefer == "cp_async");
  if (sync) {
    properties.inst =
        tile::CopyInstAttr::get(e.b.getContext(), tile::CopyInst::Vector);
    properties.reason = e.b.getStringAttr("made by the threads, as asked");
  }
  properties.operandSegmentSizes = {1, static_cast<int>(srcOffsets->size()), 1,
                                    static_cast<int>(dstOffsets->size())};
  tile::CopyOp::create(e.b, e.loc(args.range), mlir::TypeRange(), operands,
                       properties);
}

void emitCopy(CallArgs &args, BufferObject &src, BufferObject &dst) {
  auto whole = [&](BufferObject &buffer) {
    TileOperand tile;
    tile.buffer = std::make_shared<BufferObject>(buffer);
    tile.range = args.range;
    for (const Value &size : buffer.shape) {
      tile.offsets.push_back(Value::ofInt(0));
      tile.sizes.push_back(size.integer);
    }
    return tile;
  };
  TileOperand from = whole(src), to = whole(dst);
  emitCopyOp(args, from, to, {});
}

Value copyTile(CallArgs &args) {
  Elaborator &e = args.e;
  auto src = tileOperand(args, "src"), dst = tileOperand(args, "dst");
  auto options = copyOptions(args);
  if (!src || !dst || !options)
    return Value::poison();
  e.forgetVarLoads();
  if (src->isElement && dst->isElement)
    return copyElement(args, *src, *dst);
  if (!e.requireTileOp(args.range, args.name()))
    return Value::poison();
  bool bothWhole = src->isWhole && dst->isWhole;
  if ((bothWhole && src->sizes != dst->sizes) || !resolveExtents(*src, *dst)) {
    e.error(Diag::CopyShape, args.range) << sideText(*src) << sideText(*dst);
    return Value::poison();
  }
  if (!checkReach(args, *src) || !checkReach(args, *dst))
    return Value::poison();
  emitCopyOp(args, *src, *dst, *options);
  return Value::none();
}

static Value fill(CallArgs &args, const Value &value) {
  Elaborator &e = args.e;
  auto tile = tileOperand(args, "buffer");
  if (!tile || value.isPoison())
    return Value::poison();
  e.forgetVarLoads();
  if (tile->isElement || tile->buffer->isVar) {
    e.store(*tile->buffer, tile->offsets, value, args.range);
    return Value::none();
  }
  if (!e.requireTileOp(args.range, args.name()))
    return Value::poison();
  if (!value.isRuntime() && !value.isNumber())
    return e.typeError(args.range, "the value of " + args.name(), "a number",
                       value);
  mlir::Value v = e.emit(value, tile->buffer->dtype, args.range);
  auto offsets = v ? emitOffsets(args, *tile) : std::nullopt;
  if (!offsets)
    return Value::poison();
  tile::FillOp::create(e.b, e.loc(args.range), v, tile->buffer->value, *offsets,
                       tile->sizes, nullptr);
  return Value::none();
}

Value fillTile(CallArgs &args) { return fill(args, args.value("value")); }
Value clearTile(CallArgs &args) { return fill(args, Value::ofInt(0)); }

Value syncThreads(CallArgs &args) {
  if (!args.e.requireTileOp(args.range, args.name()))
    return Value::poison();
  tile::SyncThreadsOp::create(args.e.b, args.e.loc(args.range));
  return Value::none();
}

Value syncGrid(CallArgs &args) {
  if (!args.e.requireTileOp(args.range, args.name()))
    return Value::poison();
  args.e.forgetVarLoads();
  tile::SyncGridOp::create(args.e.b, args.e.loc(args.range));
  return Value::none();
}

Value threadReturn(CallArgs &args) {
  if (!args.e.requireLaunch(args.range, args.name()))
    return Value::poison();
  args.e.returnThread(args.range);
  return Value::none();
}

Value fenceProxyAsync(CallArgs &args) {
  if (!args.e.requireTileOp(args.range, args.name()))
    return Value::poison();
  tile::FenceProxyAsyncOp::create(args.e.b, args.e.loc(args.range));
  return Value::none();
}

} // namespace tlc::frontend::builtins
