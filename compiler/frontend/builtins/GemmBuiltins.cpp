// T.gemm.
#include "compiler/frontend/builtins/Handlers.h"

namespace tlc::frontend::builtins {

static llvm::StringRef spaceText(tile::Space space) {
  switch (space) {
  case tile::Space::Global:
    return "a global tensor";
  case tile::Space::Shared:
    return "a shared tile";
  case tile::Space::Fragment:
    return "a fragment";
  case tile::Space::Local:
    return "a private array";
  }
  return "";
}

/// A and B: a matrix in shared memory or registers. False after an error.
static bool checkOperand(CallArgs &args, const TileOperand &tile,
                         llvm::StringRef param) {
  Elaborator &e = args.e;
  if (tile.buffer->space == tile::Space::Global) {
    e.error(Diag::GemmOperandGlobal, tile.range)
            .note(tile.buffer->range, tile.name() + " is declared here")
        << param << tile.buffer->name << tile.buffer->name;
    return false;
  }
  if (tile.buffer->space == tile::Space::Local) {
    e.typeError(tile.range, "'" + param + "' of T.gemm",
                "a shared tile or fragment",
                Value::ofObject(Kind::Buffer, tile.buffer));
    return false;
  }
  bool matrix = tile.sizes.size() >= 2 &&
                llvm::all_of(llvm::ArrayRef(tile.sizes).drop_back(2),
                             [](int64_t size) { return size == 1; });
  if (!matrix)
    e.error(Diag::GemmRank, tile.range)
            .note(tile.buffer->range, tile.name() + " is declared here")
        << tile.buffer->name << tile.sizes.size();
  return matrix;
}

static bool checkAccumulator(CallArgs &args, const TileOperand &c) {
  Elaborator &e = args.e;
  if (c.buffer->space != tile::Space::Fragment) {
    e.error(Diag::GemmAccumulator, c.range)
            .note(c.buffer->range, c.name() + " is declared here")
        << c.buffer->name << spaceText(c.buffer->space);
    return false;
  }
  if (c.sizes.size() != 2) {
    e.error(Diag::GemmRank, c.range) << c.buffer->name << c.sizes.size();
    return false;
  }
  for (auto [i, size] : llvm::enumerate(c.sizes))
    if (c.buffer->shape[i].integer != size) {
      e.unsupported(c.range, "T.gemm into a part of a fragment");
      return false;
    }
  return true;
}

/// Rows and columns of a stored matrix after the transposition.
static std::pair<int64_t, int64_t> extents(const TileOperand &tile,
                                           bool transpose) {
  int64_t rows = tile.sizes[tile.sizes.size() - 2], cols = tile.sizes.back();
  return transpose ? std::pair(cols, rows) : std::pair(rows, cols);
}

static bool checkShapes(CallArgs &args, const TileOperand &a, bool transA,
                        const TileOperand &b, bool transB,
                        const TileOperand &c) {
  auto [m, ka] = extents(a, transA);
  auto [kb, n] = extents(b, transB);
  auto note = [&](DiagnosticBuilder &&builder) {
    for (const TileOperand *tile : {&a, &b, &c})
      builder.note(tile->buffer->range, tile->name() + " has shape " +
                                            args.e.text(tile->buffer->shape));
  };
  if (m != c.sizes[0]) {
    note(args.e.error(Diag::GemmShapeM, args.range) << m << c.sizes[0]);
    return false;
  }
  if (n != c.sizes[1]) {
    note(args.e.error(Diag::GemmShapeN, args.range) << n << c.sizes[1]);
    return false;
  }
  if (ka != kb) {
    note(args.e.error(Diag::GemmShapeK, args.range) << ka << kb);
    return false;
  }
  return true;
}

/// The fp8 forms may be mixed; everything else multiplies like with like.
static bool checkTypes(CallArgs &args, const TileOperand &a,
                       const TileOperand &b, const TileOperand &c) {
  Dtype x = a.buffer->dtype, y = b.buffer->dtype, z = c.buffer->dtype;
  bool same =
      x == y || (x.bits() == 8 && y.bits() == 8 && x.isFloat() == y.isFloat());
  if (same && x.isFloat() == z.isFloat())
    return true;
  args.e.error(Diag::GemmTypes, args.range) << x.name() << y.name() << z.name();
  return false;
}

/// The i1 of `clear_accum`, null if it is a compile-time False.
static std::optional<mlir::Value> clearArgument(CallArgs &args) {
  Elaborator &e = args.e;
  llvm::SMRange range = args.rangeOf("clear_accum");
  Value clear = args.value("clear_accum", Value::ofBool(false));
  // The language allows integers here: not zero.
  if (clear.is(Kind::Symbolic) ||
      (clear.is(Kind::Scalar) && clear.as<ScalarObject>().dtype.isInt()))
    clear =
        e.compare(ast::CompareOperator::NotEq, clear, Value::ofInt(0), range);
  Value test = e.condition(clear, range);
  if (test.isPoison())
    return std::nullopt;
  if (test.is(Kind::Bool) && !test.boolean)
    return mlir::Value();
  return e.emit(test, DtypeKind::Bool, range);
}

Value gemmTile(CallArgs &args) {
  Elaborator &e = args.e;
  if (!e.requireTileOp(args.range, args.name()))
    return Value::poison();
  // Space first: a global operand has no constant shape to complain about.
  for (llvm::StringRef param : {"A", "B"}) {
    Value v = args.operand(param);
    std::shared_ptr<BufferObject> buffer;
    if (v.is(Kind::Buffer))
      buffer = std::static_pointer_cast<BufferObject>(v.object);
    else if (v.is(Kind::Region))
      buffer = v.as<RegionObject>().buffer;
    if (buffer && buffer->space == tile::Space::Global) {
      TileOperand tile;
      tile.buffer = buffer;
      tile.range = args.rangeOf(param);
      checkOperand(args, tile, param);
      return Value::poison();
    }
  }
  auto a = tileOperand(args, "A"), b = tileOperand(args, "B"),
       c = tileOperand(args, "C");
  auto transA = args.boolean("transpose_A", false);
  auto transB = args.boolean("transpose_B", false);
  auto policy = args.integer("policy", 0);
  if (!a || !b || !c || !transA || !transB || !policy)
    return Value::poison();
  if (!checkOperand(args, *a, "A") || !checkOperand(args, *b, "B") ||
      !checkAccumulator(args, *c) ||
      !checkShapes(args, *a, *transA, *b, *transB, *c) ||
      !checkTypes(args, *a, *b, *c))
    return Value::poison();
  if (*policy < 0 || *policy > 2) {
    e.error(Diag::InvalidValue, args.rangeOf("policy")) << "policy" << *policy;
    return Value::poison();
  }
  auto clear = clearArgument(args);
  auto aOffsets = emitOffsets(args, *a), bOffsets = emitOffsets(args, *b);
  if (!clear || !aOffsets || !bOffsets)
    return Value::poison();
  llvm::SmallVector<mlir::Value> operands{a->buffer->value};
  operands.append(*aOffsets);
  operands.push_back(b->buffer->value);
  operands.append(*bOffsets);
  operands.push_back(c->buffer->value);
  if (*clear)
    operands.push_back(*clear);
  tile::GemmOp::Properties properties;
  properties.a_sizes = e.b.getDenseI64ArrayAttr(a->sizes);
  properties.b_sizes = e.b.getDenseI64ArrayAttr(b->sizes);
  properties.trans_a = *transA ? e.b.getUnitAttr() : nullptr;
  properties.trans_b = *transB ? e.b.getUnitAttr() : nullptr;
  properties.policy = tile::WarpPolicyAttr::get(
      e.context, static_cast<tile::WarpPolicy>(*policy));
  properties.operandSegmentSizes = {1, static_cast<int>(aOffsets->size()),
                                    1, static_cast<int>(bOffsets->size()),
                                    1, *clear ? 1 : 0};
  tile::GemmOp::create(e.b, e.loc(args.range), mlir::TypeRange(), operands,
                       properties);
  return Value::none();
}

} // namespace tlc::frontend::builtins
