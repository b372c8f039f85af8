// Which functions of a file are kernels or factories, the choice among them,
// and the values that -D gives.
#include "compiler/frontend/elaborate/Outputs.h"

#include "llvm/ADT/StringExtras.h"

namespace tlc::frontend {

/// Whether a block defines a prim_func or, outside nested functions, has a
/// T.Kernel block.
static void
inspect(ast::Block block, bool &hasPrimFunc, bool &hasWith,
        llvm::function_ref<FunctionKind(const ast::FunctionDef *)> kindOf) {
  auto walk = [&](ast::Block b) { inspect(b, hasPrimFunc, hasWith, kindOf); };
  for (const ast::Stmt *stmt : block) {
    if (auto *s = llvm::dyn_cast<ast::FunctionDef>(stmt)) {
      hasPrimFunc |= kindOf(s) == FunctionKind::PrimFunc;
    } else if (auto *s = llvm::dyn_cast<ast::If>(stmt)) {
      walk(s->body);
      walk(s->orelse);
    } else if (auto *s = llvm::dyn_cast<ast::For>(stmt)) {
      walk(s->body);
    } else if (auto *s = llvm::dyn_cast<ast::With>(stmt)) {
      hasWith = true;
      walk(s->body);
    }
  }
}

static void collectFunctions(ast::Block block,
                             std::vector<const ast::FunctionDef *> &defs) {
  for (const ast::Stmt *stmt : block) {
    if (auto *s = llvm::dyn_cast<ast::FunctionDef>(stmt)) {
      defs.push_back(s);
    } else if (auto *s = llvm::dyn_cast<ast::If>(stmt)) {
      if (isMainGuard(s))
        continue;
      collectFunctions(s->body, defs);
      collectFunctions(s->orelse, defs);
    } else if (auto *s = llvm::dyn_cast<ast::Try>(stmt)) {
      collectFunctions(s->body, defs);
    }
  }
}

std::vector<Elaborator::Candidate> Elaborator::candidates() {
  std::vector<const ast::FunctionDef *> defs;
  collectFunctions(module.body, defs);
  std::vector<Candidate> result;
  for (const ast::FunctionDef *def : defs) {
    FunctionKind kind = functionKind(def);
    bool hasPrimFunc = false, hasWith = false;
    inspect(def->body, hasPrimFunc, hasWith,
            [&](const ast::FunctionDef *d) { return functionKind(d); });
    bool isKernel = kind == FunctionKind::PrimFunc;
    if (!isKernel && kind != FunctionKind::Jit && !hasPrimFunc)
      continue;
    bool known = llvm::any_of(result, [&](const Candidate &c) {
      return c.def->name.name == def->name.name;
    });
    if (!known)
      result.push_back({def, !isKernel, !isKernel && !hasPrimFunc && hasWith});
  }
  return result;
}

std::vector<Elaborator::Candidate> Elaborator::chooseKernels() {
  std::vector<Candidate> all = candidates();
  std::vector<llvm::StringRef> names;
  for (const Candidate &c : all)
    names.push_back(c.def->name.name);
  if (!options.kernel.empty()) {
    for (const Candidate &c : all)
      if (c.def->name.name == options.kernel)
        return {c};
    diags.report(Diag::NoKernel).suggest(options.kernel, names)
        << " named '" + options.kernel + "'";
    return {};
  }
  if (all.empty()) {
    diags.report(Diag::NoKernel) << "";
    return {};
  }
  bool allKernels =
      llvm::none_of(all, [](const Candidate &c) { return c.isFactory; });
  if (all.size() == 1 || allKernels)
    return all;
  diags.report(Diag::AmbiguousKernel) << llvm::join(names, ", ");
  return {};
}

std::vector<KernelInfo> Elaborator::listKernels() {
  std::vector<KernelInfo> result;
  for (const Candidate &c : candidates()) {
    KernelInfo info;
    info.name = c.def->name.name.str();
    info.isFactory = c.isFactory;
    if (c.isFactory)
      for (const ast::Parameter &p : c.def->params)
        info.params.push_back(
            {p.name.name.str(),
             p.defaultValue ? ast::sourceText(p.defaultValue->range).str()
                            : ""});
    result.push_back(std::move(info));
  }
  return result;
}

/// The names of `M, N = T.const("M, N")` among the statements of a kernel.
static void collectConstNames(ast::Block body,
                              std::vector<llvm::StringRef> &names) {
  for (const ast::Stmt *stmt : body) {
    auto *assign = llvm::dyn_cast<ast::Assign>(stmt);
    auto *call = assign ? llvm::dyn_cast<ast::Call>(assign->value) : nullptr;
    auto *callee =
        call ? llvm::dyn_cast<ast::Attribute>(call->callee) : nullptr;
    if (!callee || callee->attr.name != "const" || call->args.empty())
      continue;
    auto *text = llvm::dyn_cast<ast::Constant>(call->args[0]);
    llvm::SmallVector<llvm::StringRef> parts;
    if (text && text->isString())
      llvm::SplitString(text->text, parts, ", ");
    names.insert(names.end(), parts.begin(), parts.end());
  }
}

/// Every -D must name a parameter of a chosen factory or a module variable.
bool Elaborator::checkDefines(llvm::ArrayRef<Candidate> chosen) {
  std::vector<llvm::StringRef> names;
  for (const Candidate &c : chosen) {
    if (c.isFactory)
      for (const ast::Parameter &p : c.def->params)
        names.push_back(p.name.name);
    if (c.isEager)
      collectConstNames(c.def->body, names);
  }
  for (llvm::StringRef name : names)
    definesParam.insert(name);
  for (auto &entry : moduleNames)
    if (llvm::any_of(entry.second.statements, [&](unsigned statement) {
          return llvm::isa<ast::Assign>(module.body[statement]);
        }))
      names.push_back(entry.first());
  llvm::sort(names);
  for (auto &[name, text] : options.defines)
    if (!llvm::is_contained(names, name)) {
      diags.report(Diag::UnknownParameter).suggest(name, names)
          << name << chosen.front().def->name.name;
      return false;
    }
  return true;
}

/// Splits at commas outside brackets and quotes.
static std::vector<llvm::StringRef> splitItems(llvm::StringRef text) {
  std::vector<llvm::StringRef> items;
  int depth = 0;
  char quote = 0;
  size_t start = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (quote)
      quote = c == quote ? 0 : quote;
    else if (c == '"' || c == '\'')
      quote = c;
    else if (c == '(' || c == '[')
      ++depth;
    else if (c == ')' || c == ']')
      --depth;
    else if (c == ',' && depth == 0) {
      items.push_back(text.slice(start, i).trim());
      start = i + 1;
    }
  }
  if (llvm::StringRef last = text.substr(start).trim(); !last.empty())
    items.push_back(last);
  return items;
}

Value Elaborator::parseDefine(llvm::StringRef text) {
  text = text.trim();
  if (text == "True" || text == "true")
    return Value::ofBool(true);
  if (text == "False" || text == "false")
    return Value::ofBool(false);
  if (text == "None")
    return Value::none();
  int64_t integer;
  if (!text.getAsInteger(0, integer))
    return Value::ofInt(integer);
  double number;
  bool looksNumeric =
      !text.empty() &&
      text.find_first_of("0123456789") != llvm::StringRef::npos &&
      !llvm::isAlpha(text.front());
  if (looksNumeric && !text.getAsDouble(number))
    return Value::ofFloat(number);
  if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'') &&
      text.back() == text.front())
    return Value::ofString(text.drop_front().drop_back());
  bool tuple = text.size() >= 2 && text.front() == '(' && text.back() == ')';
  bool list = text.size() >= 2 && text.front() == '[' && text.back() == ']';
  if (tuple || list) {
    std::vector<Value> items;
    for (llvm::StringRef item : splitItems(text.drop_front().drop_back()))
      items.push_back(parseDefine(item));
    return list ? Value::ofList(items) : Value::ofTuple(items);
  }
  text.consume_front("T.");
  text.consume_front("torch.");
  return Value::ofString(text);
}

std::optional<Value> Elaborator::define(llvm::StringRef name) {
  auto it = options.defines.find(name.str());
  if (it == options.defines.end())
    return std::nullopt;
  return parseDefine(it->second);
}

/// Whether a decorator sets the pass config TL_ENABLE_FAST_MATH.
static bool enablesFastMath(const ast::FunctionDef *def) {
  for (const ast::Expr *decorator : def->decorators) {
    auto *call = llvm::dyn_cast<ast::Call>(decorator);
    auto *keyword = call ? call->findKeyword("pass_configs") : nullptr;
    auto *dict = keyword ? llvm::dyn_cast<ast::Dict>(keyword->value) : nullptr;
    if (!dict)
      continue;
    for (auto [key, value] : llvm::zip(dict->keys, dict->values)) {
      auto *attribute = llvm::dyn_cast_if_present<ast::Attribute>(key);
      auto *text = llvm::dyn_cast_if_present<ast::Constant>(key);
      auto *flag = llvm::dyn_cast<ast::Constant>(value);
      bool matches =
          (attribute && attribute->attr.name == "TL_ENABLE_FAST_MATH") ||
          (text && text->text == "tl.enable_fast_math");
      if (matches && flag && flag->boolValue)
        return true;
    }
  }
  return false;
}

Value Elaborator::kernelOf(const Candidate &candidate) {
  const ast::FunctionDef *def = candidate.def;
  fastMath = enablesFastMath(def);
  auto value = lookupModule(def->name.name, std::nullopt);
  if (!value || !value->is(Kind::Function)) {
    if (!value || !value->isPoison())
      diags.report(Diag::NoKernel) << " named '" + def->name.name.str() + "'";
    return Value::poison();
  }
  if (!candidate.isFactory || candidate.isEager)
    return *value;
  auto &factory = value->as<FunctionObject>();
  Arguments args;
  args.range = def->name.range;
  bool missing = false;
  for (const ast::Parameter &p : factory.params()) {
    bool variadic = p.kind == ast::ParameterKind::VarArgs ||
                    p.kind == ast::ParameterKind::KwArgs;
    if (auto value = define(p.name.name)) {
      args.items.push_back({*value, p.name.name, p.name.range});
    } else if (!p.defaultValue && !variadic) {
      error(Diag::MissingParameter, p.name.range)
          << p.name.name << def->name.name << p.name.name;
      missing = true;
    }
  }
  if (missing)
    return Value::poison();
  Value result = callFunction(factory, args);
  bool isKernel = result.is(Kind::Function) &&
                  result.as<FunctionObject>().kind == FunctionKind::PrimFunc;
  if (!isKernel && !diags.hasErrors())
    error(Diag::NotAKernel, def->name.range)
        << def->name.name << describe(result);
  return isKernel ? result : Value::poison();
}

mlir::OwningOpRef<mlir::ModuleOp> Elaborator::run() {
  std::vector<Candidate> chosen = chooseKernels();
  if (chosen.empty() || !checkDefines(chosen))
    return nullptr;
  mlir::OwningOpRef<mlir::ModuleOp> op = mlir::ModuleOp::create(
      mlir::FileLineColLoc::get(b.getStringAttr(fileName), 1, 1));
  for (const Candidate &candidate : chosen) {
    Frame root;
    root.scope = makeScope(nullptr);
    root.name = "the module";
    frame = &root;
    Value value = kernelOf(candidate);
    if (value.is(Kind::Function) && candidate.isEager)
      elaborateEager(value.as<FunctionObject>(), *op);
    else if (value.is(Kind::Function))
      elaborateKernel(value.as<FunctionObject>(), *op);
    if (value.is(Kind::Function) && !diags.hasErrors())
      markOutputs(*this, candidate.def,
                  llvm::cast<tile::KernelOp>(op->getBody()->back()),
                  candidate.isEager);
    frame = nullptr;
    if (diags.isFull())
      break;
  }
  if (diags.hasErrors() || !isVerified(*op))
    return nullptr;
  return op;
}

} // namespace tlc::frontend
