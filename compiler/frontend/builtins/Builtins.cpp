// The table of builtins, look-up of module attributes, binding of arguments.
#include "compiler/frontend/builtins/Builtins.h"

#include "compiler/frontend/builtins/Handlers.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>
#include <limits>

namespace tlc::frontend {

static const Builtin kTable[] = {
#define TLC_LANGUAGE(Name, Handler, Signature)                                 \
  {"T.", #Name, Signature, builtins::Handler},
#define TLC_MATH(Name, Handler, Signature)                                     \
  {"math.", #Name, Signature, builtins::Handler},
#define TLC_TILELANG(Name, Handler, Signature)                                 \
  {"tilelang.", #Name, Signature, builtins::Handler},
#define TLC_PYTHON(Name, Handler, Signature)                                   \
  {"", #Name, Signature, builtins::Handler},
#define TLC_UNSUPPORTED(Name) {"T.", #Name, "*args", nullptr},
#include "compiler/frontend/builtins/Builtins.def"
};

const Builtin *findBuiltin(llvm::StringRef prefix, llvm::StringRef name) {
  for (const Builtin &builtin : kTable)
    if (builtin.name == name && builtin.prefix == prefix)
      return &builtin;
  return nullptr;
}

const Builtin *findPythonBuiltin(llvm::StringRef name) {
  return findBuiltin("", name);
}

static std::vector<llvm::StringRef> namesOf(llvm::StringRef prefix) {
  std::vector<llvm::StringRef> names;
  for (const Builtin &builtin : kTable)
    if (builtin.prefix == prefix)
      names.push_back(builtin.name);
  return names;
}

std::vector<llvm::StringRef> pythonBuiltinNames() { return namesOf(""); }

static std::optional<double> mathConstant(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<double>>(name)
      .Case("pi", M_PI)
      .Case("tau", 2 * M_PI)
      .Case("e", M_E)
      .Case("inf", std::numeric_limits<double>::infinity())
      .Case("nan", std::numeric_limits<double>::quiet_NaN())
      .Default(std::nullopt);
}

static Value opaque(llvm::StringRef module, llvm::StringRef name) {
  OpaqueObject object;
  object.path = (module + "." + name).str();
  return Value::make(Kind::Opaque, std::move(object));
}

static Value languageAttribute(Elaborator &e, llvm::StringRef name,
                               llvm::SMRange range) {
  if (const Builtin *builtin = findBuiltin("T.", name)) {
    if (!builtin->handler) {
      e.error(Diag::UnsupportedName, range) << builtin->fullName();
      return Value::poison();
    }
    return Value::ofBuiltin(builtin);
  }
  if (auto dtype = Dtype::fromName(name))
    return Value::ofDtype(*dtype);
  if (Dtype::isKnownUnsupported(name)) {
    e.error(Diag::UnsupportedName, range) << ("T." + name).str();
    return Value::poison();
  }
  std::vector<llvm::StringRef> names = namesOf("T.");
  names.insert(names.end(), {"float16", "float32", "bfloat16", "int32", "int64",
                             "uint8", "uint32", "int8"});
  e.error(Diag::UnknownAttribute, range).suggest(name, names)
      << "the tile language" << name;
  return Value::poison();
}

Value moduleAttribute(Elaborator &e, const ModuleObject &module,
                      llvm::StringRef name, llvm::SMRange range) {
  switch (module.kind) {
  case ModuleKind::Language:
    return languageAttribute(e, name, range);
  case ModuleKind::Math:
    if (auto constant = mathConstant(name))
      return Value::ofFloat(*constant);
    if (const Builtin *builtin = findBuiltin("math.", name))
      return Value::ofBuiltin(builtin);
    break;
  case ModuleKind::Tilelang:
    if (name == "language") {
      ModuleObject language;
      language.kind = ModuleKind::Language;
      language.name = "tilelang.language";
      return Value::make(Kind::Module, std::move(language));
    }
    if (name == "math")
      return Value::make(Kind::Module, ModuleObject(module));
    if (const Builtin *builtin = findBuiltin("tilelang.", name))
      return Value::ofBuiltin(builtin);
    break;
  case ModuleKind::Torch:
    if (auto dtype = Dtype::fromName(name))
      return Value::ofDtype(*dtype);
    break;
  case ModuleKind::Other:
    break;
  }
  return opaque(module.name, name);
}

std::optional<Value> enumMember(const Builtin &builtin, llvm::StringRef name) {
  if (builtin.name != "GemmWarpPolicy")
    return std::nullopt;
  return llvm::StringSwitch<std::optional<Value>>(name)
      .Case("Square", Value::ofInt(0))
      .Case("FullRow", Value::ofInt(1))
      .Case("FullCol", Value::ofInt(2))
      .Default(std::nullopt);
}

Value subscriptBuiltin(Elaborator &e, const Builtin &builtin,
                       const Value &index, llvm::SMRange range) {
  bool good = builtin.handler == builtins::tensor && index.is(Kind::Tuple) &&
              index.items().size() == 2;
  if (!good) {
    if (!index.isPoison())
      e.error(Diag::TypeMismatch, range)
          << "what is indexed" << "a buffer, list, tuple, string or dict"
          << "'" + builtin.fullName() + "'";
    return Value::poison();
  }
  return builtins::tensorType(e, index.items()[0], index.items()[1], range);
}

// ---- Arguments
// ----------------------------------------------------------------

CallArgs::Slot &CallArgs::slot(llvm::StringRef param) {
  for (Slot &slot : slots)
    if (slot.name == param)
      return slot;
  llvm_unreachable("parameter is not in the signature");
}

Value CallArgs::eval(Slot &slot, bool asOperand) {
  if (!slot.value)
    slot.value = asOperand ? e.evalOperand(slot.expr) : e.eval(slot.expr);
  return *slot.value;
}

Value CallArgs::value(llvm::StringRef param, Value missing) {
  Slot &s = slot(param);
  return s.isSet() ? eval(s, false) : missing;
}

Value CallArgs::operand(llvm::StringRef param) {
  Slot &s = slot(param);
  return s.isSet() ? eval(s, true) : Value::none();
}

llvm::SMRange CallArgs::rangeOf(llvm::StringRef param) {
  Slot &s = slot(param);
  return s.isSet() ? s.range : range;
}

Value CallArgs::restValue(unsigned i) { return eval(rest[i], false); }

std::optional<int64_t> CallArgs::integer(llvm::StringRef param,
                                         int64_t missing) {
  if (!has(param))
    return missing;
  return e.expectInt(value(param), rangeOf(param),
                     "'" + param + "' of " + name());
}

std::optional<bool> CallArgs::boolean(llvm::StringRef param, bool missing) {
  if (!has(param))
    return missing;
  return e.expectBool(value(param), rangeOf(param),
                      "'" + param + "' of " + name());
}

namespace {
/// A parameter of a signature.
struct Param {
  llvm::StringRef name;
  bool optional = false, unsupported = false, hint = false;
  bool keywordOnly = false, variadic = false;
};
} // namespace

static std::vector<Param> parseSignature(llvm::StringRef signature) {
  std::vector<Param> params;
  bool keywordOnly = false;
  llvm::SmallVector<llvm::StringRef> parts;
  signature.split(parts, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef part : parts) {
    Param param;
    if (part == "*") {
      keywordOnly = true;
      continue;
    }
    param.variadic = part.consume_front("*");
    param.unsupported = part.consume_back("!");
    param.hint = part.consume_back("~");
    param.optional = part.consume_back("=") || param.unsupported || param.hint;
    param.keywordOnly = keywordOnly;
    keywordOnly |= param.variadic;
    param.name = part;
    params.push_back(param);
  }
  return params;
}

/// Puts a keyword argument into its slot; false after an error.
static bool setKeyword(CallArgs &args, llvm::ArrayRef<Param> params,
                       llvm::StringRef name, CallArgs::Slot value) {
  std::vector<llvm::StringRef> known;
  for (auto [param, slot] : llvm::zip(params, args.slots)) {
    if (param.variadic)
      continue;
    known.push_back(param.name);
    if (param.name != name)
      continue;
    if (slot.isSet()) {
      args.e.error(Diag::RepeatedArgument, value.range) << args.name() << name;
      return false;
    }
    value.name = slot.name;
    slot = value;
    return true;
  }
  args.e.error(Diag::UnexpectedArgument, value.range).suggest(name, known)
      << args.name() << name;
  return false;
}

/// Puts the arguments of the call into the slots; false after an error.
static bool bindCall(CallArgs &args, llvm::ArrayRef<Param> params,
                     const ast::Call &call) {
  Elaborator &e = args.e;
  int variadic = -1;
  std::vector<CallArgs::Slot *> positional;
  args.slots.reserve(params.size());
  for (auto [i, p] : llvm::enumerate(params)) {
    CallArgs::Slot slot;
    slot.name = p.name;
    args.slots.push_back(slot);
    if (p.variadic)
      variadic = i;
    else if (!p.keywordOnly)
      positional.push_back(&args.slots.back());
  }
  size_t next = 0, given = 0;
  auto add = [&](CallArgs::Slot value) {
    ++given;
    if (next < positional.size()) {
      value.name = positional[next]->name;
      *positional[next++] = value;
    } else if (variadic >= 0) {
      args.rest.push_back(value);
    }
  };
  for (const ast::Expr *arg : call.args) {
    CallArgs::Slot slot;
    slot.range = arg->range;
    auto *starred = llvm::dyn_cast<ast::Starred>(arg);
    if (!starred) {
      slot.expr = arg;
      add(slot);
      continue;
    }
    auto items = e.iterate(e.eval(starred->value), starred->range);
    if (!items)
      return false;
    for (const Value &item : *items) {
      slot.value = item;
      add(slot);
    }
  }
  if (given > positional.size() && variadic < 0) {
    e.error(Diag::WrongArity, call.range)
        << args.name() << positional.size() << given;
    return false;
  }
  for (const ast::Keyword &keyword : call.keywords) {
    CallArgs::Slot slot;
    slot.range = keyword.range;
    if (!keyword.isUnpack()) {
      slot.expr = keyword.value;
      if (!setKeyword(args, params, keyword.name.name, slot))
        return false;
      continue;
    }
    Value dict = e.eval(keyword.value);
    if (!dict.is(Kind::Dict)) {
      e.typeError(keyword.range, "the operand of '**'", "a dict", dict);
      return false;
    }
    for (auto &[key, value] : dict.as<DictObject>().entries) {
      slot.value = value;
      if (key.is(Kind::String) && !setKeyword(args, params, key.text(), slot))
        return false;
    }
  }
  return true;
}

/// Required parameters are there, unsupported ones are not, hints are dropped.
static bool checkCall(CallArgs &args, llvm::ArrayRef<Param> params) {
  Elaborator &e = args.e;
  for (auto [param, slot] : llvm::zip(params, args.slots)) {
    if (!slot.isSet()) {
      if (param.optional || param.variadic)
        continue;
      e.error(Diag::MissingArgument, args.range) << args.name() << param.name;
      return false;
    }
    if (!param.unsupported && !param.hint)
      continue;
    Value value = args.value(param.name);
    if (value.isPoison())
      return false;
    if (value.isNone() || (value.is(Kind::Bool) && !value.boolean))
      continue;
    if (param.hint) {
      e.diags.report(Diag::HintDropped, slot.range)
          << "'" + param.name.str() + "' of " + args.name();
      continue;
    }
    e.unsupported(slot.range, "'" + param.name + "' of " + args.name());
    return false;
  }
  return true;
}

Value callBuiltin(Elaborator &e, const Builtin &builtin,
                  const ast::Call &call) {
  CallArgs args(e, builtin, call.range);
  std::vector<Param> params = parseSignature(builtin.signature);
  if (!bindCall(args, params, call) || !checkCall(args, params))
    return Value::poison();
  return builtin.handler(args);
}

} // namespace tlc::frontend
