// T.alloc_*: tiles, fragments, private arrays and variables.
#include "compiler/frontend/builtins/Handlers.h"

namespace tlc::frontend::builtins {

/// Elements of one allocation; far beyond what any memory of a block holds.
static constexpr int64_t kMaxElements = int64_t(1) << 28;

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
    return args.e.unsupported(args.range, "a workspace in global memory");
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
