// Reductions and scans, written with what the dialect has: the operand goes to
// shared memory, each thread of a T.Parallel nest folds one row of it in order.
//
//   T.reduce_sum(x, out, dim=1)        s = T.alloc_shared(x.shape); T.copy(x,
//   s)
//                                      for i in T.Parallel(rows):
//                                          acc = 0
//                                          for k in T.serial(cols): acc += s[i,
//                                          k] out[i] = acc
#include "compiler/frontend/builtins/Handlers.h"

#include "llvm/ADT/StringSwitch.h"
#include <limits>

namespace tlc::frontend::builtins {

namespace {
enum class Fold { Sum, Max, Min, And, Or, Xor };

/// One reduction or scan over dimension `dim` of `src`.
struct Reduction {
  CallArgs &args;
  Fold fold;
  bool absolute;
  TileOperand src;
  int64_t dim;
  Dtype type; // of the accumulator

  Value combine(const Value &a, const Value &b) const;
  Value identity() const;
  /// The element of `buffer` at `at` with `k` in dimension `dim`.
  Value element(BufferObject &buffer, llvm::ArrayRef<Value> at,
                const Value &k) const;
  /// Sizes of the other dimensions; one of size 1 if there is none.
  std::vector<int64_t> rows() const;
  /// Coordinates in `src`'s space: `at` with `k` put into dimension `dim`.
  std::vector<Value> insert(llvm::ArrayRef<Value> at, const Value &k) const;
};
} // namespace

Value Reduction::combine(const Value &a, const Value &b) const {
  using Op = ast::BinaryOperator;
  switch (fold) {
  case Fold::Sum:
    return args.e.binary(Op::Add, a, b, args.range);
  case Fold::Max:
  case Fold::Min:
    return minMaxOf(args.e, a, b, fold == Fold::Max, args.range);
  case Fold::And:
    return args.e.binary(Op::BitAnd, a, b, args.range);
  case Fold::Or:
    return args.e.binary(Op::BitOr, a, b, args.range);
  case Fold::Xor:
    return args.e.binary(Op::BitXor, a, b, args.range);
  }
  return Value::poison();
}

Value Reduction::identity() const {
  if (fold == Fold::And)
    return type.isBool() ? Value::ofBool(true)
                         : args.e.cast(Value::ofInt(-1), type, args.range);
  if (fold != Fold::Max && fold != Fold::Min)
    return Value::ofInt(0);
  if (absolute)
    return Value::ofInt(0);
  bool isMax = fold == Fold::Max;
  if (type.isFloat())
    return extremeOf(args.e, type, /*isMin=*/isMax, /*infinite=*/true,
                     args.range);
  return extremeOf(args.e, type, /*isMin=*/isMax, false, args.range);
}

Value Reduction::element(BufferObject &buffer, llvm::ArrayRef<Value> at,
                         const Value &k) const {
  Value value = args.e.load(buffer, insert(at, k), args.range);
  value = args.e.cast(value, type, args.range);
  return absolute ? absoluteOf(args.e, value, args.range) : value;
}

std::vector<int64_t> Reduction::rows() const {
  std::vector<int64_t> sizes = src.sizes;
  sizes.erase(sizes.begin() + dim);
  if (sizes.empty())
    sizes.push_back(1);
  return sizes;
}

std::vector<Value> Reduction::insert(llvm::ArrayRef<Value> at,
                                     const Value &k) const {
  std::vector<Value> result;
  if (src.sizes.size() > 1)
    result = at.vec();
  result.insert(result.begin() + dim, k);
  return result;
}

/// A whole tile on the chip; nothing after an error.
static std::optional<TileOperand> wholeTile(CallArgs &args,
                                            llvm::StringRef param) {
  auto tile = tileOperand(args, param);
  if (!tile)
    return std::nullopt;
  if (tile->buffer->space == tile::Space::Global) {
    args.e.typeError(tile->range, "'" + param + "' of " + args.name(),
                     "a fragment or shared tile",
                     Value::ofObject(Kind::Buffer, tile->buffer));
    return std::nullopt;
  }
  if (!tile->isWhole) {
    args.e.unsupported(tile->range, args.name() + " of a part of a tile");
    return std::nullopt;
  }
  if (tile->buffer->space == tile::Space::Local) {
    args.e.unsupported(tile->range, args.name() + " of a private array");
    return std::nullopt;
  }
  return tile;
}

static std::optional<int64_t> dimension(CallArgs &args, const TileOperand &tile,
                                        int64_t missing) {
  auto dim = args.integer("dim", missing);
  int64_t rank = tile.sizes.size();
  if (!dim)
    return std::nullopt;
  if (*dim >= -rank && *dim < rank)
    return *dim < 0 ? *dim + rank : *dim;
  args.e.error(Diag::ReduceDimension, args.rangeOf("dim"))
      << args.name() << *dim << tile.buffer->name << rank;
  return std::nullopt;
}

/// A shared copy of a fragment; a shared tile itself.
static std::shared_ptr<BufferObject> inShared(CallArgs &args,
                                              const TileOperand &tile) {
  if (tile.buffer->space == tile::Space::Shared)
    return tile.buffer;
  Elaborator &e = args.e;
  Value copy = e.allocate(tile.buffer->name + "_rows", tile.sizes,
                          tile.buffer->dtype, tile::Space::Shared, args.range);
  auto buffer = std::static_pointer_cast<BufferObject>(copy.object);
  emitCopy(args, *tile.buffer, *buffer);
  return buffer;
}

static Fold foldOf(llvm::StringRef name) {
  return llvm::StringSwitch<Fold>(name)
      .Cases({"reduce_max", "reduce_absmax", "cummax"}, Fold::Max)
      .Case("reduce_min", Fold::Min)
      .Case("reduce_bitand", Fold::And)
      .Case("reduce_bitor", Fold::Or)
      .Case("reduce_bitxor", Fold::Xor)
      .Default(Fold::Sum);
}

/// Whether `out` has the shape of `src` without `dim`, or with size 1 there.
static bool checkShape(const Reduction &r, const TileOperand &out) {
  std::vector<int64_t> removed = r.rows(), kept = r.src.sizes;
  kept[r.dim] = 1;
  if (out.sizes == removed || out.sizes == kept)
    return true;
  r.args.e.error(Diag::ReduceShape, r.args.range)
          .note(out.buffer->range, out.name() + " is declared here")
      << r.args.name() << shapeText(removed) + " or " + shapeText(kept)
      << out.buffer->name << shapeText(out.sizes);
  return false;
}

Value reduceTile(CallArgs &args) {
  Elaborator &e = args.e;
  if (!e.requireTileOp(args.range, args.name()))
    return Value::poison();
  auto src = wholeTile(args, "buffer"), out = wholeTile(args, "out");
  auto dim = src ? dimension(args, *src, -1) : std::nullopt;
  auto clear = args.boolean("clear", true);
  if (!src || !out || !dim || !clear)
    return Value::poison();
  llvm::StringRef name = args.builtin.name;
  bool absolute = name.contains("abs");
  if (name == "reduce_abssum")
    clear = true;
  Reduction r{args, foldOf(name), absolute, *src, *dim, out->buffer->dtype};
  bool bits = name.contains("bit");
  if (bits && (r.type.isFloat() || src->buffer->dtype.isFloat()))
    return e.typeError(src->range, "the operand of " + args.name(),
                       "a tile of integers",
                       Value::ofObject(Kind::Buffer, src->buffer));
  if (!checkShape(r, *out))
    return Value::poison();
  auto shared = inShared(args, *src);
  Value variable =
      e.allocate("acc", {1}, r.type, tile::Space::Local, args.range);
  auto &acc = variable.as<BufferObject>();
  acc.isVar = true;
  e.emitParallel(r.rows(), args.range, [&](llvm::ArrayRef<Value> at) {
    std::vector<Value> target = at.vec();
    if (out->sizes.size() == src->sizes.size() && src->sizes.size() > 1)
      target = r.insert(at, Value::ofInt(0));
    Value start =
        *clear ? r.identity() : e.load(*out->buffer, target, args.range);
    e.store(acc, Value::ofInt(0), start, args.range);
    e.emitFor(Value::ofInt(src->sizes[*dim]), "k", args.range,
              [&](const Value &k) {
                Value old = e.loadVar(acc, args.range);
                e.store(acc, Value::ofInt(0),
                        r.combine(old, r.element(*shared, at, k)), args.range);
              });
    e.store(*out->buffer, target, e.loadVar(acc, args.range), args.range);
  });
  return Value::none();
}

/// Inclusive scan: like a reduction that keeps every partial result.
Value scanTile(CallArgs &args) {
  Elaborator &e = args.e;
  if (!e.requireTileOp(args.range, args.name()))
    return Value::poison();
  auto src = wholeTile(args, "src");
  bool inPlace = !args.has("dst") || args.value("dst").isNone();
  auto dst = inPlace ? src : wholeTile(args, "dst");
  auto dim = src ? dimension(args, *src, 0) : std::nullopt;
  auto reverse = args.boolean("reverse", false);
  if (!src || !dst || !dim || !reverse)
    return Value::poison();
  if (src->sizes != dst->sizes) {
    e.error(Diag::ReduceShape, args.range)
        << args.name() << shapeText(src->sizes) << dst->buffer->name
        << shapeText(dst->sizes);
    return Value::poison();
  }
  Reduction r{args, foldOf(args.builtin.name), false, *src,
              *dim, dst->buffer->dtype};
  auto from = inShared(args, *src);
  // A fragment is scanned in a shared tile of its type and copied back.
  std::shared_ptr<BufferObject> to = dst->buffer;
  if (to->space == tile::Space::Fragment)
    to = std::static_pointer_cast<BufferObject>(
        e.allocate(dst->buffer->name + "_scan", dst->sizes, r.type,
                   tile::Space::Shared, args.range)
            .object);
  Value variable =
      e.allocate("acc", {1}, r.type, tile::Space::Local, args.range);
  auto &acc = variable.as<BufferObject>();
  acc.isVar = true;
  int64_t size = src->sizes[*dim];
  e.emitParallel(r.rows(), args.range, [&](llvm::ArrayRef<Value> at) {
    e.store(acc, Value::ofInt(0), r.identity(), args.range);
    e.emitFor(Value::ofInt(size), "k", args.range, [&](const Value &step) {
      Value k = *reverse ? e.binary(ast::BinaryOperator::Sub,
                                    Value::ofInt(size - 1), step, args.range)
                         : step;
      Value old = e.loadVar(acc, args.range);
      Value next = r.combine(old, r.element(*from, at, k));
      e.store(acc, Value::ofInt(0), next, args.range);
      e.store(*to, r.insert(at, k), next, args.range);
    });
  });
  if (to != dst->buffer)
    emitCopy(args, *to, *dst->buffer);
  return Value::none();
}

} // namespace tlc::frontend::builtins
