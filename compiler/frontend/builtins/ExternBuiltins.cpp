// T.access_ptr and T.call_extern.
#include "compiler/frontend/builtins/Handlers.h"

namespace tlc::frontend::builtins {

static std::optional<tile::AccessMode> accessMode(CallArgs &args) {
  Value type = args.value("access_type", Value::ofString("r"));
  if (type.isPoison())
    return std::nullopt;
  if (type.is(Kind::String)) {
    if (type.text() == "r")
      return tile::AccessMode::Read;
    if (type.text() == "w")
      return tile::AccessMode::Write;
    if (type.text() == "rw")
      return tile::AccessMode::ReadWrite;
  }
  if (type.is(Kind::Int) && type.integer >= 1 && type.integer <= 3)
    return static_cast<tile::AccessMode>(type.integer);
  args.e.error(Diag::InvalidValue, args.rangeOf("access_type"))
      << "access_type" << toRepr(type) + ", expected 'r', 'w' or 'rw'";
  return std::nullopt;
}

/// The number of elements that `extent=` or `*extents` declare.
static std::optional<std::optional<int64_t>> declaredExtent(CallArgs &args) {
  if (args.has("extent") && !args.value("extent").isNone()) {
    auto n = args.integer("extent", 0);
    return n ? std::optional(std::optional(*n)) : std::nullopt;
  }
  if (args.rest.empty())
    return std::optional<int64_t>();
  int64_t product = 1;
  for (unsigned i = 0; i < args.rest.size(); ++i) {
    auto n = args.e.expectInt(args.restValue(i), args.rest[i].range,
                              "an extent of T.access_ptr");
    if (!n)
      return std::nullopt;
    product *= *n;
  }
  return std::optional(product);
}

/// Spreads `count` consecutive elements from the base over the last
/// dimensions; what does not fit exactly covers whole rows.
static void spread(TileOperand &tile, int64_t count) {
  for (size_t i = tile.sizes.size(); i > 0; --i) {
    const Value &dim = tile.buffer->shape[i - 1];
    int64_t size = dim.is(Kind::Int) ? dim.integer : count;
    tile.sizes[i - 1] = std::max<int64_t>(1, std::min(size, count));
    count = size > 0 ? (count + size - 1) / size : 1;
  }
}

Value accessPtr(CallArgs &args) {
  Elaborator &e = args.e;
  if (!e.requireLaunch(args.range, args.name()))
    return Value::poison();
  auto tile = tileOperand(args, "base");
  auto mode = accessMode(args);
  auto extent = declaredExtent(args);
  if (!tile || !mode || !extent)
    return Value::poison();
  Value offset = args.value("offset", Value::ofInt(0));
  if (!equals(offset, Value::ofInt(0))) {
    if (tile->offsets.size() != 1)
      return e.unsupported(args.rangeOf("offset"),
                           "'offset' of T.access_ptr on several dimensions");
    tile->offsets[0] = e.binary(ast::BinaryOperator::Add, tile->offsets[0],
                                offset, args.rangeOf("offset"));
  }
  if (*extent) {
    if (**extent <= 0) {
      e.error(Diag::InvalidValue, args.range) << "extent" << **extent;
      return Value::poison();
    }
    spread(*tile, **extent);
  }
  auto offsets = emitOffsets(args, *tile);
  if (!offsets)
    return Value::poison();
  auto op =
      tile::AccessPtrOp::create(e.b, e.loc(args.range), tile->buffer->value,
                                *offsets, tile->sizes, *mode);
  return e.makeScalar(op.getResult(), DtypeKind::Handle);
}

Value callExtern(CallArgs &args) {
  Elaborator &e = args.e;
  if (!e.requireLaunch(args.range, args.name()))
    return Value::poison();
  // (dtype, name, args...) or (name, args..., dtype=...).
  unsigned first = args.has("dtype") ? 1 : 2;
  if (args.rest.size() < first) {
    e.error(Diag::MissingArgument, args.range) << args.name() << "name";
    return Value::poison();
  }
  Value type = first == 1 ? args.value("dtype") : args.restValue(0);
  Value name = args.restValue(first - 1);
  if (type.isPoison() || name.isPoison())
    return Value::poison();
  if (!name.is(Kind::String))
    return e.typeError(args.rest[first - 1].range, "the name of the function",
                       "a string", name);
  bool isVoid = type.is(Kind::String) &&
                (type.text() == "handle" || type.text() == "void");
  isVoid |= type.is(Kind::Dtype) && type.dtype == Dtype(DtypeKind::Handle);
  auto dtype = isVoid ? std::optional(Dtype(DtypeKind::Handle))
                      : e.expectDtype(type, args.range);
  if (!dtype)
    return Value::poison();
  llvm::SmallVector<mlir::Value> operands;
  for (unsigned i = first; i < args.rest.size(); ++i) {
    CallArgs::Slot &slot = args.rest[i];
    Value value = slot.value ? *slot.value : e.evalOperand(slot.expr);
    if (value.is(Kind::Region) && value.as<RegionObject>().isElement)
      value = e.eval(slot.expr);
    if (value.is(Kind::Buffer)) {
      operands.push_back(value.as<BufferObject>().isVar
                             ? e.emit(e.eval(slot.expr),
                                      value.as<BufferObject>().dtype,
                                      slot.range)
                             : value.as<BufferObject>().value);
    } else if (value.is(Kind::Region)) {
      return e.unsupported(slot.range, "a region as argument of T.call_extern");
    } else {
      auto scalar = e.scalar(value, slot.range);
      operands.push_back(scalar ? e.materialize(*scalar, slot.range) : nullptr);
    }
    if (!operands.back())
      return Value::poison();
  }
  e.forgetVarLoads();
  auto op = tile::CallExternOp::create(e.b, e.loc(args.range),
                                       isVoid ? mlir::Type()
                                              : dtype->scalarType(e.context),
                                       name.text(), operands);
  return isVoid ? Value::none() : e.makeScalar(op.getResult(), *dtype);
}

} // namespace tlc::frontend::builtins
