// T.alloc_*: tiles, fragments, private arrays, variables and workspaces.
#include "compiler/frontend/builtins/Handlers.h"

#include "llvm/Support/MathExtras.h"

namespace tlc::frontend::builtins {

/// Elements of one allocation; far beyond what any memory of a block holds.
static constexpr int64_t kMaxElements = int64_t(1) << 28;
/// Far beyond what any device holds, and its bytes are no overflow.
static constexpr int64_t kMaxWorkspaceElements = int64_t(1) << 48;

static Value allocTile(CallArgs &args, tile::Space space,
                       llvm::ArrayRef<llvm::StringRef> scopes) {
  Elaborator &e = args.e;
  if (!e.requireLaunch(args.range, args.name()))
    return Value::poison();
  Value shapeValue = args.value("shape");
  auto dtype = e.expectDtype(args.value("dtype"), args.rangeOf("dtype"));
  Value scope = args.value("scope");
  if (shapeValue.isPoison() || scope.isPoison() || !dtype)
    return Value::poison();
  if (!scope.isNone() &&
      !(scope.is(Kind::String) && llvm::is_contained(scopes, scope.text()))) {
    e.error(Diag::InvalidValue, args.rangeOf("scope"))
        << "scope" << toRepr(scope);
    return Value::poison();
  }
  std::vector<Value> sizes{shapeValue};
  if (shapeValue.isSequence())
    sizes = shapeValue.items();
  std::vector<int64_t> shape;
  int64_t total = 1;
  for (const Value &size : sizes) {
    auto n = e.expectInt(size, args.rangeOf("shape"), "a size of a tile");
    if (!n)
      return Value::poison();
    if (*n <= 0 || *n > kMaxElements || (total *= *n) > kMaxElements) {
      e.error(Diag::InvalidShape, args.rangeOf("shape"))
          << args.name()
          << (*n <= 0 ? "a size is " + std::to_string(*n)
                      : std::string("the tile is too large"));
      return Value::poison();
    }
    shape.push_back(*n);
  }
  if (shape.empty()) {
    e.error(Diag::InvalidShape, args.rangeOf("shape"))
        << args.name() << "it has no dimension";
    return Value::poison();
  }
  if (*dtype == Dtype(DtypeKind::Handle))
    return e.unsupported(args.rangeOf("dtype"), "a tile of pointers");
  return e.allocate("", std::move(shape), *dtype, space, args.range);
}

Value allocShared(CallArgs &args) {
  return allocTile(args, tile::Space::Shared, {"shared", "shared.dyn"});
}
Value allocFragment(CallArgs &args) {
  return allocTile(args, tile::Space::Fragment, {"local.fragment"});
}
Value allocLocal(CallArgs &args) {
  return allocTile(args, tile::Space::Local, {"local", "local.var"});
}

/// A workspace is there for all T.Kernel blocks, so it stands before them.
static bool requireBeforeLaunch(CallArgs &args, bool hasScope) {
  Elaborator &e = args.e;
  bool isBefore =
      e.kernel ? !e.launch && e.launchCount == 0 : e.isEager && !e.launch;
  if (isBefore)
    return true;
  std::string what = args.name();
  if (hasScope)
    what += " of the scope \"global\"";
  auto error = e.error(Diag::OutsideKernel, args.range);
  error << what << "the kernel function, before its first T.Kernel block";
  if (!e.kernel)
    return false;
  error.help("move it before the first 'with T.Kernel'");
  if (hasScope && e.launch)
    error.help("or give a scope for memory of a block, for example "
               "scope=\"shared\"");
  return false;
}

/// Sizes are positive or known at launch. Nothing after an error.
static std::optional<std::vector<Value>> workspaceShape(CallArgs &args) {
  Elaborator &e = args.e;
  llvm::SMRange range = args.rangeOf("shape");
  auto shape = shapeArgument(args, args.value("shape"), range);
  if (!shape)
    return std::nullopt;
  auto invalid = [&](const llvm::Twine &what) {
    e.error(Diag::InvalidShape, range) << args.name() << what.str();
    return std::nullopt;
  };
  if (shape->empty())
    return invalid("it has no dimension");
  if (shape->size() > kMaxTensorRank) {
    e.error(Diag::TensorRank, range)
        << "the workspace" << std::to_string(shape->size())
        << std::to_string(kMaxTensorRank);
    return std::nullopt;
  }
  int64_t total = 1;
  for (const Value &size : *shape) {
    if (!size.is(Kind::Int))
      continue;
    if (size.integer <= 0)
      return invalid("a size is " + llvm::Twine(size.integer));
    if (llvm::MulOverflow(total, size.integer, total) ||
        total > kMaxWorkspaceElements)
      return invalid("the workspace is too large");
  }
  return shape;
}

static Value allocWorkspace(CallArgs &args, bool hasScope) {
  Elaborator &e = args.e;
  if (!requireBeforeLaunch(args, hasScope))
    return Value::poison();
  auto shape = workspaceShape(args);
  auto dtype = e.expectDtype(args.value("dtype"), args.rangeOf("dtype"));
  if (!shape || !dtype)
    return Value::poison();
  if (*dtype == Dtype(DtypeKind::Handle))
    return e.unsupported(args.rangeOf("dtype"), "a workspace of pointers");
  auto buffer = std::make_shared<BufferObject>();
  buffer->dtype = *dtype;
  buffer->shape = std::move(*shape);
  buffer->range = args.range;
  e.workspaces.push_back({buffer, args.rangeOf("shape")});
  return Value::ofObject(Kind::Buffer, buffer);
}

Value allocGlobal(CallArgs &args) {
  return allocWorkspace(args, /*hasScope=*/false);
}

Value allocBuffer(CallArgs &args) {
  Value scope = args.value("scope", Value::ofString("global"));
  if (scope.isPoison())
    return scope;
  std::string name = scope.is(Kind::String) ? scope.text() : "";
  if (name == "shared" || name == "shared.dyn")
    return allocShared(args);
  if (name == "local.fragment")
    return allocFragment(args);
  if (name == "local" || name == "local.var")
    return allocLocal(args);
  if (name == "global")
    return allocWorkspace(args, /*hasScope=*/true);
  args.e.error(Diag::InvalidValue, args.rangeOf("scope"))
      << "scope" << toRepr(scope);
  return Value::poison();
}

Value allocVar(CallArgs &args) {
  Elaborator &e = args.e;
  if (!e.requireLaunch(args.range, args.name()))
    return Value::poison();
  auto dtype = e.expectDtype(args.value("dtype"), args.rangeOf("dtype"));
  // A string in second place is the scope.
  Value init = args.value("init", Value::ofInt(0));
  if (init.is(Kind::String) || init.isNone())
    init = Value::ofInt(0);
  if (!dtype || init.isPoison())
    return Value::poison();
  Value buffer = e.allocate("", {1}, *dtype, tile::Space::Local, args.range);
  auto &object = buffer.as<BufferObject>();
  object.isVar = true;
  e.store(object, Value::ofInt(0), init, args.range);
  return buffer;
}

} // namespace tlc::frontend::builtins
