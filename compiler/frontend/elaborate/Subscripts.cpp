// Indexing: elements and regions of buffers, items of Python sequences.
#include "compiler/frontend/elaborate/Elaborator.h"

#include "compiler/frontend/builtins/Builtins.h"

namespace tlc::frontend {

Value Elaborator::evalSlice(const ast::Slice *expr) {
  SliceObject slice;
  slice.lower = expr->lower ? eval(expr->lower) : Value::none();
  slice.upper = expr->upper ? eval(expr->upper) : Value::none();
  slice.step = expr->step ? eval(expr->step) : Value::none();
  return Value::make(Kind::Slice, std::move(slice));
}

Value Elaborator::evalSubscript(const ast::Subscript *expr, bool asOperand) {
  Value base = evalOperand(expr->value);
  switch (base.kind) {
  case Kind::Poison:
    return base;
  case Kind::Buffer:
    return subscriptBuffer(std::static_pointer_cast<BufferObject>(base.object),
                           expr, asOperand);
  case Kind::Region:
    return unsupported(expr->range, "indexing a region");
  case Kind::Tuple:
  case Kind::List:
  case Kind::String:
    return subscriptSequence(base, eval(expr->index), expr->range);
  case Kind::Dict: {
    Value key = eval(expr->index);
    for (auto &entry : base.as<DictObject>().entries)
      if (equals(entry.first, key))
        return entry.second;
    if (!key.isPoison())
      error(Diag::InvalidValue, expr->index->range)
          << "key" << toRepr(key) + " is not in the dict";
    return Value::poison();
  }
  case Kind::Builtin: // T.Tensor[(M, N), dtype]
    return subscriptBuiltin(*this, *base.builtin, eval(expr->index),
                            expr->range);
  default:
    return typeError(expr->value->range, "what is indexed",
                     "a buffer, list, tuple, string or dict", base);
  }
}

/// Wraps a negative constant coordinate by adding the size.
static Value wrapNegative(Elaborator &e, const Value &index, const Value &size,
                          llvm::SMRange range) {
  if (!index.isIntLike() || index.asInt() >= 0)
    return index;
  return e.binary(ast::BinaryOperator::Add, size, index, range);
}

/// Whether a value can be a coordinate; reports if not.
static bool isCoordinate(Elaborator &e, const Value &v, llvm::SMRange range) {
  bool good = v.isIntLike() || v.is(Kind::Symbolic) ||
              (v.is(Kind::Scalar) && (v.as<ScalarObject>().dtype.isInt() ||
                                      v.as<ScalarObject>().dtype.isBool()));
  if (!good)
    e.typeError(range, "an index", "an integer", v);
  return good;
}

static void reportOutside(Elaborator &e, BufferObject &buffer, unsigned dim,
                          int64_t index, llvm::SMRange range) {
  e.error(Diag::IndexOutOfRange, range)
          .note(buffer.range, "'" + buffer.name + "' is declared here")
      << index
      << "dimension " + std::to_string(dim) + " of '" + buffer.name + "'"
      << e.text(buffer.shape[dim]);
}

static std::optional<RegionDim> pointDim(Elaborator &e, BufferObject &buffer,
                                         unsigned dim, const Value &index,
                                         llvm::SMRange range) {
  if (!isCoordinate(e, index, range))
    return std::nullopt;
  const Value &size = buffer.shape[dim];
  RegionDim result;
  result.offset = wrapNegative(e, index, size, range);
  result.size = 1;
  const Value &at = result.offset;
  if (at.isIntLike() &&
      (at.asInt() < 0 || (size.is(Kind::Int) && at.asInt() >= size.integer))) {
    reportOutside(e, buffer, dim, index.asInt(), range);
    return std::nullopt;
  }
  return result;
}

static std::optional<RegionDim> sliceDim(Elaborator &e, BufferObject &buffer,
                                         unsigned dim, Value lower, Value upper,
                                         llvm::SMRange range) {
  const Value &size = buffer.shape[dim];
  lower = lower.isNone() ? Value::ofInt(0) : lower;
  upper = upper.isNone() ? size : upper;
  if (!isCoordinate(e, lower, range) || !isCoordinate(e, upper, range))
    return std::nullopt;
  lower = wrapNegative(e, lower, size, range);
  upper = wrapNegative(e, upper, size, range);
  RegionDim result;
  result.offset = lower;
  result.isSlice = true;
  result.size = e.differenceOf(upper, lower);
  if (result.size && *result.size <= 0) {
    e.error(Diag::InvalidValue, range)
        << "slice" << "its extent is " + std::to_string(*result.size);
    return std::nullopt;
  }
  if (buffer.space != tile::Space::Global && upper.isIntLike() &&
      upper.asInt() > size.integer) {
    reportOutside(e, buffer, dim, upper.asInt() - 1, range);
    return std::nullopt;
  }
  return result;
}

std::optional<RegionDim> Elaborator::subscriptDim(BufferObject &buffer,
                                                  unsigned dim,
                                                  const ast::Expr *expr) {
  Value index = eval(expr);
  if (!index.is(Kind::Slice))
    return pointDim(*this, buffer, dim, index, expr->range);
  auto &slice = index.as<SliceObject>();
  bool hasStep = !slice.step.isNone() && !equals(slice.step, Value::ofInt(1));
  if (hasStep) {
    if (!slice.step.isPoison())
      unsupported(expr->range, "a slice with a step");
    return std::nullopt;
  }
  return sliceDim(*this, buffer, dim, slice.lower, slice.upper, expr->range);
}

Value Elaborator::subscriptBuffer(std::shared_ptr<BufferObject> buffer,
                                  const ast::Subscript *expr, bool asOperand) {
  ast::ExprList indices = expr->indices();
  std::vector<const ast::Expr *> flat(indices.begin(), indices.end());
  // `A[(i, j)]` is `A[i, j]`.
  if (flat.size() == 1)
    if (auto *tuple = llvm::dyn_cast<ast::Tuple>(flat[0]))
      flat.assign(tuple->elts.begin(), tuple->elts.end());
  if (flat.size() != buffer->shape.size()) {
    error(Diag::WrongRank, expr->range)
            .note(buffer->range, "'" + buffer->name + "' is declared here")
        << buffer->name << buffer->shape.size() << flat.size();
    return Value::poison();
  }
  RegionObject region;
  region.buffer = buffer;
  region.range = expr->range;
  region.isElement = true;
  bool bad = false;
  for (auto [i, index] : llvm::enumerate(flat)) {
    auto dim = subscriptDim(*buffer, i, index);
    bad |= !dim;
    if (!dim)
      continue;
    region.isElement &= !dim->isSlice;
    region.dims.push_back(*dim);
  }
  if (bad)
    return Value::poison();
  if (asOperand || !region.isElement)
    return Value::make(Kind::Region, std::move(region));
  return load(*buffer, region.offsets(), expr->range);
}

Value Elaborator::subscriptSequence(const Value &base, const Value &index,
                                    llvm::SMRange range) {
  if (index.isPoison())
    return index;
  int64_t size =
      base.is(Kind::String) ? base.text().size() : base.items().size();
  auto at = [&](int64_t i) {
    return base.is(Kind::String) ? Value::ofString(base.text().substr(i, 1))
                                 : base.items()[i];
  };
  if (index.is(Kind::Slice)) {
    auto &s = index.as<SliceObject>();
    auto part = [&](const Value &v, int64_t missing) {
      return v.isNone() ? std::optional(missing)
                        : expectInt(v, range, "the bound of a slice");
    };
    auto by = part(s.step, 1);
    if (!by)
      return Value::poison();
    if (*by == 0) {
      error(Diag::InvalidValue, range) << "slice" << "its step is 0";
      return Value::poison();
    }
    auto lo = part(s.lower, *by > 0 ? 0 : size - 1);
    auto hi = part(s.upper, *by > 0 ? size : -size - 1);
    if (!lo || !hi)
      return Value::poison();
    auto clamp = [&](int64_t v) {
      v = v < 0 ? v + size : v;
      return *by > 0 ? std::clamp<int64_t>(v, 0, size)
                     : std::clamp<int64_t>(v, -1, size - 1);
    };
    std::vector<Value> items;
    std::string text;
    for (int64_t i = clamp(*lo), end = clamp(*hi); *by > 0 ? i < end : i > end;
         i += std::clamp<int64_t>(*by, -size - 1, size + 1)) {
      if (base.is(Kind::String))
        text += base.text()[i];
      else
        items.push_back(base.items()[i]);
    }
    if (base.is(Kind::String))
      return Value::ofString(text);
    return base.is(Kind::List) ? Value::ofList(items) : Value::ofTuple(items);
  }
  auto i = expectInt(index, range, "the index of a Python sequence");
  if (!i)
    return Value::poison();
  if (*i < -size || *i >= size) {
    error(Diag::IndexOutOfRange, range) << *i << describe(base) << size;
    return Value::poison();
  }
  return at(*i < 0 ? *i + size : *i);
}

bool Elaborator::isInBounds(BufferObject &buffer,
                            llvm::ArrayRef<Value> indices) {
  return llvm::all_of(llvm::zip(indices, buffer.shape), [&](auto pair) {
    auto interval = intervalOf(std::get<0>(pair));
    const Value &size = std::get<1>(pair);
    return interval && interval->lo >= 0 && size.is(Kind::Int) &&
           interval->hi < size.integer;
  });
}

Value Elaborator::load(BufferObject &buffer, llvm::ArrayRef<Value> indices,
                       llvm::SMRange range) {
  // Memory without a value is that of a kernel with errors.
  if (!requireLaunch(range, "reading '" + buffer.name + "'") || !buffer.value)
    return Value::poison();
  llvm::SmallVector<mlir::Value> coordinates;
  for (const Value &index : indices) {
    coordinates.push_back(emitIndex(index, range));
    if (!coordinates.back())
      return Value::poison();
  }
  bool inBounds =
      buffer.space == tile::Space::Global && isInBounds(buffer, indices);
  auto op =
      tile::LoadOp::create(b, loc(range), buffer.dtype.scalarType(context),
                           buffer.value, coordinates, inBounds);
  return makeScalar(op.getResult(), buffer.dtype);
}

void Elaborator::store(BufferObject &buffer, llvm::ArrayRef<Value> indices,
                       const Value &value, llvm::SMRange range) {
  if (value.isPoison() ||
      !requireLaunch(range, "writing '" + buffer.name + "'") || !buffer.value)
    return;
  if (buffer.isVar)
    varLoads.erase(&buffer);
  if (!value.isRuntime() && !value.isNumber()) {
    typeError(range, "the value stored to '" + buffer.name + "'", "a number",
              value);
    return;
  }
  mlir::Value v = emit(value, buffer.dtype, range);
  llvm::SmallVector<mlir::Value> coordinates;
  for (const Value &index : indices) {
    coordinates.push_back(v ? emitIndex(index, range) : nullptr);
    if (!coordinates.back())
      return;
  }
  bool inBounds =
      buffer.space == tile::Space::Global && isInBounds(buffer, indices);
  if (v)
    tile::StoreOp::create(b, loc(range), v, buffer.value, coordinates,
                          inBounds);
}

Value Elaborator::loadVar(BufferObject &buffer, llvm::SMRange range) {
  auto it = varLoads.find(&buffer);
  if (it != varLoads.end() && it->second.block == b.getInsertionBlock())
    return it->second.value;
  Value value = load(buffer, Value::ofInt(0), range);
  if (!value.isPoison())
    varLoads[&buffer] = {b.getInsertionBlock(), value};
  return value;
}

} // namespace tlc::frontend
