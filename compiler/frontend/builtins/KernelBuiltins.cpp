// T.Kernel, parameter types, sizes known at launch, thread and block indices.
#include "compiler/frontend/builtins/Handlers.h"

#include "llvm/Support/FormatVariadic.h"

namespace tlc::frontend::builtins {

static constexpr int64_t kMaxThreads = 1024;

Value decorator(CallArgs &args) {
  args.e.error(Diag::NotCallable, args.range) << "'" + args.name() + "'";
  return Value::poison();
}

Value hintOnly(CallArgs &args) {
  args.e.diags.report(Diag::HintDropped, args.range) << args.name();
  return Value::none();
}

std::optional<std::vector<Value>>
shapeArgument(CallArgs &args, const Value &value, llvm::SMRange range) {
  std::vector<Value> shape;
  if (value.isPoison())
    return std::nullopt;
  if (value.isSequence())
    shape = value.items();
  else
    shape.push_back(value);
  for (const Value &size : shape)
    if (!size.is(Kind::Int) && !size.is(Kind::Symbolic)) {
      args.e.typeError(range, "a size", "an int or T.dynamic", size);
      return std::nullopt;
    }
  return shape;
}

Value tensorType(Elaborator &e, const Value &shape, const Value &dtype,
                 llvm::SMRange range) {
  if (shape.isPoison() || dtype.isPoison())
    return Value::poison();
  TensorTypeObject type;
  if (shape.isSequence())
    type.shape = shape.items();
  else
    type.shape.push_back(shape);
  for (const Value &size : type.shape) {
    if (!size.is(Kind::Int) && !size.is(Kind::Symbolic))
      return e.typeError(range, "a size", "an int or T.dynamic", size);
    if (size.is(Kind::Int) && size.integer < 0) {
      e.error(Diag::InvalidShape, range)
          << "the tensor" << "a size is " + std::to_string(size.integer);
      return Value::poison();
    }
  }
  if (type.shape.empty()) {
    e.error(Diag::InvalidShape, range) << "the tensor" << "it has no dimension";
    return Value::poison();
  }
  auto element = e.expectDtype(dtype, range);
  if (!element)
    return Value::poison();
  type.dtype = *element;
  return Value::make(Kind::TensorType, std::move(type));
}

Value tensor(CallArgs &args) {
  return tensorType(args.e, args.value("shape"),
                    args.value("dtype", Value::ofDtype(DtypeKind::Float32)),
                    args.range);
}

Value dynamicSize(CallArgs &args) {
  Value name = args.value("name");
  if (!name.is(Kind::String))
    return args.e.typeError(args.rangeOf("name"), "the name of a size",
                            "a string", name);
  Value dtype = args.value("dtype");
  if (!dtype.isNone()) {
    auto type = args.e.expectDtype(dtype, args.rangeOf("dtype"));
    if (!type)
      return Value::poison();
    if (*type != Dtype(DtypeKind::Int32))
      return args.e.unsupported(args.rangeOf("dtype"),
                                "a size that is not int32");
  }
  std::vector<Value> sizes;
  llvm::SmallVector<llvm::StringRef> names;
  llvm::SplitString(name.text(), names, ", ");
  for (llvm::StringRef one : names)
    sizes.push_back(args.e.symbol(one));
  if (sizes.empty()) {
    args.e.error(Diag::InvalidValue, args.range) << "name" << "it is empty";
    return Value::poison();
  }
  return sizes.size() == 1 ? sizes[0] : Value::ofTuple(sizes);
}

/// T.const("M, N"): sizes that are fixed when the kernel is compiled.
Value constSize(CallArgs &args) {
  Elaborator &e = args.e;
  Value name = args.value("name");
  if (!name.is(Kind::String))
    return e.typeError(args.rangeOf("name"), "the name of a size", "a string",
                       name);
  if (!e.isEager) {
    e.error(Diag::OutsideKernel, args.range)
        << args.name() << "a @tilelang.jit function that is itself the kernel";
    return Value::poison();
  }
  std::vector<Value> sizes;
  llvm::SmallVector<llvm::StringRef> names;
  llvm::SplitString(name.text(), names, ", ");
  for (llvm::StringRef one : names) {
    auto value = e.define(one);
    if (!value)
      e.error(Diag::MissingConstant, args.range) << one << one;
    sizes.push_back(value.value_or(Value::poison()));
  }
  if (sizes.empty()) {
    e.error(Diag::InvalidValue, args.range) << "name" << "it is empty";
    return Value::poison();
  }
  return sizes.size() == 1 ? sizes[0] : Value::ofTuple(sizes);
}

/// T.empty(shape or *sizes, dtype): an output of an eager kernel.
Value emptyTensor(CallArgs &args) {
  Elaborator &e = args.e;
  if (!e.isEager || e.kernel) {
    e.error(Diag::OutsideKernel, args.range)
        << args.name() << "a @tilelang.jit function, before its T.Kernel block";
    return Value::poison();
  }
  std::vector<Value> items;
  for (unsigned i = 0; i < args.rest.size(); ++i)
    items.push_back(args.restValue(i));
  Value dtype = args.value("dtype", Value::ofDtype(DtypeKind::Float32));
  // (shape, dtype) or (size, size, ..., dtype=...).
  if (!args.has("dtype") && items.size() >= 2 && toDtype(items.back())) {
    dtype = items.back();
    items.pop_back();
  }
  Value shape = items.size() == 1 ? items[0] : Value::ofTuple(items);
  Value type = tensorType(e, shape, dtype, args.range);
  if (type.isPoison())
    return type;
  auto buffer = std::make_shared<BufferObject>();
  buffer->dtype = type.as<TensorTypeObject>().dtype;
  buffer->shape = type.as<TensorTypeObject>().shape;
  buffer->range = args.range;
  e.outputs.push_back(buffer);
  return Value::ofObject(Kind::Buffer, buffer);
}

Value dtypeOf(CallArgs &args) {
  auto dtype = args.e.expectDtype(args.value("value"), args.rangeOf("value"));
  return dtype ? Value::ofDtype(*dtype) : Value::poison();
}

/// Fills `threads`; false after an error.
static bool threadsArgument(CallArgs &args, int64_t (&threads)[3]) {
  Value value = args.value("threads");
  llvm::SMRange range = args.rangeOf("threads");
  if (value.isNone())
    return true;
  std::vector<Value> sizes{value};
  if (value.isSequence())
    sizes = value.items();
  if (sizes.empty() || sizes.size() > 3) {
    args.e.error(Diag::InvalidThreads, range)
        << std::to_string(sizes.size()) + " dimensions";
    return false;
  }
  int64_t total = 1;
  std::fill(threads, threads + 3, 1);
  for (auto [i, size] : llvm::enumerate(sizes)) {
    auto n = args.e.expectInt(size, range, "the number of threads");
    if (!n)
      return false;
    if (*n <= 0 || *n > kMaxThreads || (total *= *n) > kMaxThreads) {
      args.e.error(Diag::InvalidThreads, range)
          << std::to_string(*n <= 0 || *n > kMaxThreads ? *n : total);
      return false;
    }
    threads[i] = *n;
  }
  return true;
}

/// Adds CUDA text, once, under a name that says where it was given.
static void addPrelude(CallArgs &args, llvm::StringRef parameter,
                       llvm::StringRef text) {
  for (llvm::StringRef known : args.e.preludes)
    if (known.split('\n').second == text)
      return;
  SourceSpan span =
      sourceSpan(args.e.diags.sourceManager(), args.rangeOf(parameter));
  args.e.preludes.push_back(
      llvm::formatv("#line 1 \"T.import_source at {0}:{1}\"\n{2}", span.line,
                    span.column, text));
}

Value kernelFrame(CallArgs &args) {
  KernelFrameObject frame;
  if (!threadsArgument(args, frame.threads))
    return Value::poison();
  if (args.rest.empty() || args.rest.size() > 3) {
    args.e.error(Diag::GridRank, args.range) << args.rest.size();
    return Value::poison();
  }
  for (unsigned i = 0; i < args.rest.size(); ++i) {
    Value extent = args.restValue(i);
    bool isInt =
        extent.is(Kind::Int) || extent.is(Kind::Symbolic) ||
        (extent.is(Kind::Scalar) && extent.as<ScalarObject>().dtype.isInt());
    if (!isInt)
      return args.e.typeError(args.rest[i].range, "a grid size", "an integer",
                              extent);
    if (extent.is(Kind::Int) && extent.integer < 0) {
      args.e.error(Diag::InvalidValue, args.rest[i].range)
          << "grid size" << extent.integer;
      return Value::poison();
    }
    frame.grid.push_back(extent);
  }
  Value prelude = args.value("prelude");
  if (prelude.is(Kind::String))
    addPrelude(args, "prelude", prelude.text());
  else if (!prelude.isNone())
    return args.e.typeError(args.rangeOf("prelude"), "'prelude'", "a string",
                            prelude);
  return Value::make(Kind::KernelFrame, std::move(frame));
}

Value importSource(CallArgs &args) {
  Value source = args.value("source");
  if (source.isNone())
    return source;
  if (!source.is(Kind::String))
    return args.e.typeError(args.rangeOf("source"), "the source", "a string",
                            source);
  addPrelude(args, "source", source.text());
  return Value::none();
}

Value useSwizzle(CallArgs &args) {
  auto panel = args.integer("panel_size", 0);
  auto enable = args.boolean("enable", true);
  Value order = args.value("order", Value::ofString("row"));
  if (!panel || !enable || order.isPoison() ||
      !args.e.requireLaunch(args.range, args.name()))
    return Value::poison();
  bool column = order.is(Kind::String) && order.text() == "column";
  if (!column && !(order.is(Kind::String) && order.text() == "row")) {
    args.e.error(Diag::InvalidValue, args.rangeOf("order"))
        << "order" << toRepr(order) + ", expected 'row' or 'column'";
    return Value::poison();
  }
  if (*panel <= 0) {
    args.e.error(Diag::InvalidValue, args.rangeOf("panel_size"))
        << "panel size" << *panel;
    return Value::poison();
  }
  if (*enable) {
    args.e.launch->op.setSwizzle(*panel);
    args.e.launch->op.setSwizzleColumn(column);
  }
  return Value::none();
}

// ---- Thread and block indices
// --------------------------------------------------

static std::optional<int64_t> dimension(CallArgs &args) {
  auto dim = args.integer("dim", 0);
  if (!dim || !args.e.requireLaunch(args.range, args.name()))
    return std::nullopt;
  if (*dim >= 0 && *dim < 3)
    return dim;
  args.e.error(Diag::InvalidValue, args.rangeOf("dim"))
      << "dimension" << std::to_string(*dim) + ", expected 0, 1 or 2";
  return std::nullopt;
}

static Value threadIndex(CallArgs &args, int64_t dim) {
  Elaborator &e = args.e;
  auto op = tile::ThreadIdOp::create(e.b, e.loc(args.range),
                                     static_cast<tile::Dim>(dim));
  return e.makeScalar(op.getResult(), DtypeKind::Int32, std::nullopt,
                      Interval{0, e.launch->op.getThreads()[dim] - 1});
}

/// Lane, warp or warpgroup of the thread with linear index x + X (y + Y z).
Value threadPart(CallArgs &args) {
  Elaborator &e = args.e;
  if (!e.requireLaunch(args.range, args.name()))
    return Value::poison();
  using Op = ast::BinaryOperator;
  auto threads = e.launch->op.getThreads();
  Value linear = threadIndex(args, 0);
  int64_t stride = threads[0];
  for (int64_t dim : {1, 2}) {
    if (threads[dim] != 1)
      linear = e.binary(Op::Add, linear,
                        e.binary(Op::Mult, threadIndex(args, dim),
                                 Value::ofInt(stride), args.range),
                        args.range);
    stride *= threads[dim];
  }
  if (args.builtin.name == "get_lane_idx")
    return e.binary(Op::Mod, linear, Value::ofInt(32), args.range);
  int64_t group = args.builtin.name == "get_warp_group_idx" ? 128 : 32;
  return e.binary(Op::FloorDiv, linear, Value::ofInt(group), args.range);
}

/// An expression statement: its operand is evaluated.
Value evaluate(CallArgs &args) {
  args.value("value");
  return Value::none();
}

static Value blockIndex(CallArgs &args, int64_t dim) {
  mlir::Block &body = args.e.launch->op.getBody().front();
  if (dim >= static_cast<int64_t>(body.getNumArguments()))
    return Value::ofInt(0);
  return args.e.makeScalar(body.getArgument(dim), DtypeKind::Int32,
                           std::nullopt, Interval{0, INT32_MAX - 1});
}

static Value blockCount(CallArgs &args, int64_t dim) {
  auto grid = args.e.launch->op.getGrid();
  if (dim >= static_cast<int64_t>(grid.size()))
    return Value::ofInt(1);
  llvm::APInt known;
  if (mlir::matchPattern(grid[dim], mlir::m_ConstantInt(&known)))
    return Value::ofInt(known.getSExtValue());
  return args.e.makeScalar(grid[dim], DtypeKind::Int32, std::nullopt,
                           Interval{0, INT32_MAX - 1});
}

static Value forAll(CallArgs &args, Value (*get)(CallArgs &, int64_t)) {
  if (!args.e.requireLaunch(args.range, args.name()))
    return Value::poison();
  return Value::ofList({get(args, 0), get(args, 1), get(args, 2)});
}

static Value threadCount(CallArgs &args, int64_t dim) {
  return Value::ofInt(args.e.launch->op.getThreads()[dim]);
}

Value threadBinding(CallArgs &args) {
  auto dim = dimension(args);
  return dim ? threadIndex(args, *dim) : Value::poison();
}
Value blockBinding(CallArgs &args) {
  auto dim = dimension(args);
  return dim ? blockIndex(args, *dim) : Value::poison();
}
Value threadExtent(CallArgs &args) {
  auto dim = dimension(args);
  return dim ? threadCount(args, *dim) : Value::poison();
}
Value blockExtent(CallArgs &args) {
  auto dim = dimension(args);
  return dim ? blockCount(args, *dim) : Value::poison();
}
Value threadBindings(CallArgs &args) { return forAll(args, threadIndex); }
Value blockBindings(CallArgs &args) { return forAll(args, blockIndex); }
Value threadExtents(CallArgs &args) { return forAll(args, threadCount); }
Value blockExtents(CallArgs &args) { return forAll(args, blockCount); }

} // namespace tlc::frontend::builtins
