// Calls: binding of arguments, functions and macros, methods, attributes.
#include "compiler/frontend/elaborate/Elaborator.h"

#include "compiler/frontend/builtins/Builtins.h"
#include "llvm/ADT/ScopeExit.h"

namespace tlc::frontend {

static constexpr unsigned kMaxCallDepth = 100;

/// Whether a parameter is annotated T.Ref.
static bool isReference(const ast::Parameter &param) {
  auto *a = llvm::dyn_cast_if_present<ast::Attribute>(param.annotation);
  return a && a->attr.name == "Ref";
}

std::optional<Arguments>
Elaborator::evalArguments(const ast::Call *expr,
                          const FunctionObject *function) {
  Arguments args;
  args.range = expr->range;
  auto paramAt = [&](size_t position) -> const ast::Parameter * {
    return function && position < function->params().size()
               ? &function->params()[position]
               : nullptr;
  };
  auto paramNamed = [&](llvm::StringRef name) -> const ast::Parameter * {
    if (function)
      for (const ast::Parameter &p : function->params())
        if (p.name.name == name)
          return &p;
    return nullptr;
  };
  auto evalFor = [&](const ast::Expr *e, const ast::Parameter *param) {
    return param && isReference(*param) ? evalOperand(e) : eval(e);
  };
  for (const ast::Expr *arg : expr->args) {
    if (auto *starred = llvm::dyn_cast<ast::Starred>(arg)) {
      auto items = iterate(eval(starred->value), starred->range);
      if (!items)
        return std::nullopt;
      for (Value &item : *items)
        args.items.push_back({item, "", starred->range});
      continue;
    }
    args.items.push_back(
        {evalFor(arg, paramAt(args.items.size())), "", arg->range});
  }
  for (const ast::Keyword &keyword : expr->keywords) {
    if (!keyword.isUnpack()) {
      args.items.push_back(
          {evalFor(keyword.value, paramNamed(keyword.name.name)),
           keyword.name.name, keyword.range});
      continue;
    }
    Value dict = eval(keyword.value);
    if (!dict.is(Kind::Dict)) {
      typeError(keyword.range, "the operand of '**'", "a dict", dict);
      return std::nullopt;
    }
    for (auto &[key, value] : dict.as<DictObject>().entries)
      if (key.is(Kind::String))
        args.items.push_back({value, key.text(), keyword.range});
  }
  return args;
}

std::optional<std::vector<Value>>
Elaborator::bindArguments(FunctionObject &function, const Arguments &args) {
  llvm::ArrayRef<ast::Parameter> params = function.params();
  std::string name = "'" + function.name().str() + "'";
  std::vector<std::optional<Value>> slots(params.size());
  std::vector<Value> rest;
  DictObject named;
  int restSlot = -1, namedSlot = -1;
  std::vector<unsigned> positional;
  for (auto [i, p] : llvm::enumerate(params)) {
    if (p.kind == ast::ParameterKind::VarArgs)
      restSlot = i;
    else if (p.kind == ast::ParameterKind::KwArgs)
      namedSlot = i;
    else if (p.kind != ast::ParameterKind::KeywordOnly)
      positional.push_back(i);
  }
  unsigned next = 0, given = 0;
  for (const Arguments::Item &item : args.items) {
    if (item.keyword.empty()) {
      ++given;
      if (next < positional.size())
        slots[positional[next++]] = item.value;
      else if (restSlot >= 0)
        rest.push_back(item.value);
      continue;
    }
    auto it = llvm::find_if(params, [&](const ast::Parameter &p) {
      return p.name.name == item.keyword &&
             p.kind != ast::ParameterKind::VarArgs &&
             p.kind != ast::ParameterKind::KwArgs;
    });
    if (it == params.end()) {
      if (namedSlot >= 0) {
        named.entries.push_back({Value::ofString(item.keyword), item.value});
        continue;
      }
      std::vector<llvm::StringRef> known;
      for (const ast::Parameter &p : params)
        known.push_back(p.name.name);
      error(Diag::UnexpectedArgument, item.range).suggest(item.keyword, known)
          << name << item.keyword;
      return std::nullopt;
    }
    auto &slot = slots[it - params.begin()];
    if (slot) {
      error(Diag::RepeatedArgument, item.range) << name << item.keyword;
      return std::nullopt;
    }
    slot = item.value;
  }
  if (given > positional.size() && restSlot < 0) {
    error(Diag::WrongArity, args.range)
            .note(function.range(), name + " is defined here")
        << name << positional.size() << given;
    return std::nullopt;
  }
  if (restSlot >= 0)
    slots[restSlot] = Value::ofTuple(rest);
  if (namedSlot >= 0)
    slots[namedSlot] = Value::make(Kind::Dict, std::move(named));
  std::vector<Value> values;
  for (auto [i, p] : llvm::enumerate(params)) {
    if (!slots[i] && p.defaultValue)
      slots[i] = function.defaults[i];
    if (!slots[i]) {
      error(Diag::MissingArgument, args.range)
              .note(function.range(), name + " is defined here")
          << name << p.name.name;
      return std::nullopt;
    }
    values.push_back(*slots[i]);
  }
  return values;
}

Value Elaborator::callFunction(FunctionObject &function,
                               const Arguments &args) {
  if (function.kind == FunctionKind::PrimFunc) {
    error(Diag::NotCallable, args.range)
        << "the kernel '" + function.name().str() + "'";
    return Value::poison();
  }
  if (callDepth >= kMaxCallDepth) {
    error(Diag::RecursionTooDeep, args.range) << function.name();
    return Value::poison();
  }
  auto values = bindArguments(function, args);
  if (!values)
    return Value::poison();
  Frame activation;
  activation.scope = makeScope(function.closure);
  activation.traced = function.kind == FunctionKind::Macro;
  activation.regionDepth = activeRegions.size();
  activation.name = (activation.traced ? "the macro '" : "the function '") +
                    function.name().str() + "'";
  Frame *saved = frame;
  frame = &activation;
  ++callDepth;
  llvm::scope_exit leave([&] {
    frame = saved;
    --callDepth;
  });
  for (auto [param, value] : llvm::zip(function.params(), *values))
    bind(param.name.name, value, param.name.range);
  if (function.lambda)
    return eval(function.lambda->body);
  if (execute(function.def->body) == Flow::Stop)
    return Value::poison();
  return activation.result;
}

Value Elaborator::call(const Value &callee, const ast::Call *expr) {
  switch (callee.kind) {
  case Kind::Poison:
    return callee;
  case Kind::Builtin:
    return callBuiltin(*this, *callee.builtin, *expr);
  case Kind::Function: {
    auto &function = callee.as<FunctionObject>();
    auto args = evalArguments(expr, &function);
    return args ? callFunction(function, *args) : Value::poison();
  }
  case Kind::Method: {
    auto args = evalArguments(expr, nullptr);
    if (!args)
      return Value::poison();
    bool poison = llvm::any_of(
        args->items, [](auto &item) { return item.value.isPoison(); });
    return poison ? Value::poison()
                  : callMethod(callee.as<MethodObject>(), *args);
  }
  case Kind::Dtype: { // T.float32(x)
    auto args = evalArguments(expr, nullptr);
    if (!args)
      return Value::poison();
    if (args->items.size() != 1 || !args->items[0].keyword.empty()) {
      error(Diag::WrongArity, expr->range)
          << "'" + callee.dtype.name().str() + "'" << 1 << args->items.size();
      return Value::poison();
    }
    return cast(args->items[0].value, callee.dtype, expr->range);
  }
  case Kind::Opaque:
    error(Diag::UnsupportedImport, expr->callee->range)
        << callee.as<OpaqueObject>().path
        << llvm::StringRef(callee.as<OpaqueObject>().path).split('.').first;
    return Value::poison();
  default:
    error(Diag::NotCallable, expr->callee->range) << describe(callee);
    return Value::poison();
  }
}

// ---- Attributes -------------------------------------------------------------

static Value method(const Value &self, llvm::StringRef name) {
  MethodObject object;
  object.self = self;
  object.name = name.str();
  return Value::make(Kind::Method, std::move(object));
}

static std::vector<llvm::StringRef> attributeNames(Kind kind) {
  switch (kind) {
  case Kind::Buffer:
    return {"shape", "dtype", "scope"};
  case Kind::Scalar:
    return {"dtype", "astype"};
  case Kind::Symbolic:
    return {"dtype", "astype"};
  case Kind::Dtype:
    return {"bits", "bytes", "lanes"};
  case Kind::List:
    return {"append", "extend", "pop", "insert", "index", "count"};
  case Kind::Tuple:
    return {"index", "count"};
  case Kind::Dict:
    return {"get", "keys", "values", "items", "update", "pop"};
  case Kind::String:
    return {"startswith", "endswith", "upper", "lower", "split",
            "replace",    "join",     "strip", "format"};
  default:
    return {};
  }
}

Value Elaborator::attribute(const Value &base, llvm::StringRef name,
                            llvm::SMRange baseRange, llvm::SMRange range) {
  if (base.isPoison())
    return base;
  if (base.is(Kind::Module))
    return moduleAttribute(*this, base.as<ModuleObject>(), name, range);
  if (base.is(Kind::Opaque)) {
    OpaqueObject object;
    object.path = base.as<OpaqueObject>().path + "." + name.str();
    return Value::make(Kind::Opaque, std::move(object));
  }
  if (base.is(Kind::Builtin)) {
    if (auto value = enumMember(*base.builtin, name))
      return *value;
  }
  if (base.is(Kind::Buffer)) {
    auto &buffer = base.as<BufferObject>();
    if (name == "dtype")
      return Value::ofDtype(buffer.dtype);
    if (name == "shape")
      return Value::ofList(buffer.shape);
    if (name == "data" || name == "strides" || name == "ptr")
      return unsupported(range, "the attribute '" + name + "' of a buffer");
  }
  if (name == "dtype" && base.is(Kind::Scalar))
    return Value::ofDtype(base.as<ScalarObject>().dtype);
  if (name == "dtype" && base.is(Kind::Symbolic))
    return Value::ofDtype(DtypeKind::Int32);
  if (base.is(Kind::Region) && name == "dtype")
    return Value::ofDtype(base.as<RegionObject>().buffer->dtype);
  if (base.is(Kind::Dtype)) {
    if (name == "bits")
      return Value::ofInt(base.dtype.bits());
    if (name == "bytes" || name == "itemsize")
      return Value::ofInt(base.dtype.bits() / 8);
    if (name == "lanes")
      return Value::ofInt(1);
  }
  // A variable stands for its element.
  if (base.is(Kind::Buffer) && base.as<BufferObject>().isVar &&
      name == "astype")
    return method(loadVar(base.as<BufferObject>(), baseRange), name);
  std::vector<llvm::StringRef> names = attributeNames(base.kind);
  if (llvm::is_contained(names, name))
    return method(base, name);
  error(Diag::UnknownAttribute, range).suggest(name, names)
      << describe(base) << name;
  return Value::poison();
}

} // namespace tlc::frontend
