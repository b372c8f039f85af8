// Expressions: names, operators, conditionals, displays, f-strings.
#include "compiler/frontend/elaborate/Elaborator.h"

#include "compiler/frontend/builtins/Builtins.h"
#include "llvm/ADT/ScopeExit.h"

namespace tlc::frontend {

/// Nested evaluation beyond this would endanger the stack.
static constexpr unsigned kMaxEvalDepth = 3000;

Value Elaborator::eval(const ast::Expr *expr) {
  if (!step(expr->range))
    return Value::poison();
  if (evalDepth > kMaxEvalDepth) {
    // "the function 'g'": the text has quotes of its own.
    llvm::StringRef name = frame ? llvm::StringRef(frame->name) : "module";
    error(Diag::RecursionTooDeep, expr->range)
        << (name.contains('\'') ? name.split('\'').second.drop_back() : name);
    return Value::poison();
  }
  ++evalDepth;
  llvm::scope_exit leave([&] { --evalDepth; });
  return evalKind(expr);
}

Value Elaborator::evalOperand(const ast::Expr *expr) {
  if (auto *name = llvm::dyn_cast<ast::Name>(expr))
    return lookup(name->id, name->range);
  if (auto *subscript = llvm::dyn_cast<ast::Subscript>(expr))
    return evalSubscript(subscript, /*asOperand=*/true);
  return eval(expr);
}

Value Elaborator::evalKind(const ast::Expr *expr) {
  switch (expr->kind) {
  case ast::ExprKind::Constant:
    return evalConstant(llvm::cast<ast::Constant>(expr));
  case ast::ExprKind::Name:
    return evalName(llvm::cast<ast::Name>(expr));
  case ast::ExprKind::Attribute: {
    auto *a = llvm::cast<ast::Attribute>(expr);
    return attribute(evalOperand(a->value), a->attr.name, a->value->range,
                     a->range);
  }
  case ast::ExprKind::Subscript:
    return evalSubscript(llvm::cast<ast::Subscript>(expr), false);
  case ast::ExprKind::Slice:
    return evalSlice(llvm::cast<ast::Slice>(expr));
  case ast::ExprKind::Call: {
    auto *c = llvm::cast<ast::Call>(expr);
    return call(eval(c->callee), c);
  }
  case ast::ExprKind::BinOp: {
    auto *o = llvm::cast<ast::BinOp>(expr);
    Value lhs = eval(o->lhs), rhs = eval(o->rhs);
    return binary(o->op, lhs, rhs, o->range);
  }
  case ast::ExprKind::UnaryOp:
    return evalUnary(llvm::cast<ast::UnaryOp>(expr));
  case ast::ExprKind::BoolOp:
    return evalBoolOp(llvm::cast<ast::BoolOp>(expr));
  case ast::ExprKind::Compare:
    return evalCompare(llvm::cast<ast::Compare>(expr));
  case ast::ExprKind::IfExp:
    return evalIf(llvm::cast<ast::IfExp>(expr));
  case ast::ExprKind::Lambda: {
    FunctionObject function;
    function.lambda = llvm::cast<ast::Lambda>(expr);
    function.closure = frame->scope;
    for (const ast::Parameter &p : function.lambda->params)
      function.defaults.push_back(p.defaultValue ? eval(p.defaultValue)
                                                 : Value::poison());
    return Value::make(Kind::Function, std::move(function));
  }
  case ast::ExprKind::Tuple:
    return evalSequence(llvm::cast<ast::Tuple>(expr)->elts, false);
  case ast::ExprKind::List:
    return evalSequence(llvm::cast<ast::List>(expr)->elts, true);
  case ast::ExprKind::Dict:
    return evalDict(llvm::cast<ast::Dict>(expr));
  case ast::ExprKind::ListComp: {
    auto *c = llvm::cast<ast::ListComp>(expr);
    std::vector<Value> items;
    Value ok = evalComprehension(c->generators, [&] {
      items.push_back(eval(c->element));
      return !items.back().isPoison();
    });
    return ok.isPoison() ? ok : Value::ofList(std::move(items));
  }
  case ast::ExprKind::GeneratorExp: {
    auto *c = llvm::cast<ast::GeneratorExp>(expr);
    std::vector<Value> items;
    Value ok = evalComprehension(c->generators, [&] {
      items.push_back(eval(c->element));
      return !items.back().isPoison();
    });
    return ok.isPoison() ? ok : Value::ofList(std::move(items));
  }
  case ast::ExprKind::DictComp: {
    auto *c = llvm::cast<ast::DictComp>(expr);
    DictObject dict;
    Value ok = evalComprehension(c->generators, [&] {
      Value key = eval(c->key), value = eval(c->value);
      llvm::erase_if(dict.entries,
                     [&](auto &e) { return equals(e.first, key); });
      dict.entries.push_back({key, value});
      return !key.isPoison() && !value.isPoison();
    });
    return ok.isPoison() ? ok : Value::make(Kind::Dict, std::move(dict));
  }
  case ast::ExprKind::JoinedStr:
    return evalFormat(llvm::cast<ast::JoinedStr>(expr));
  case ast::ExprKind::NamedExpr: {
    auto *n = llvm::cast<ast::NamedExpr>(expr);
    Value value = eval(n->value);
    assignName(n->target->id, value, n->target->range);
    return value;
  }
  default:
    error(Diag::UnsupportedConstruct, expr->range)
        << ast::kindName(expr->kind)
        << (frame && frame->traced ? "a kernel" : "code that a kernel needs");
    return Value::poison();
  }
}

Value Elaborator::evalConstant(const ast::Constant *expr) {
  using T = ast::Constant::Type;
  switch (expr->type) {
  case T::None:
    return Value::none();
  case T::Bool:
    return Value::ofBool(expr->boolValue);
  case T::Int:
    if (!expr->tooBig)
      return Value::ofInt(expr->intValue);
    error(Diag::InvalidValue, expr->range)
        << "number" << "integers of more than 64 bits are not supported";
    return Value::poison();
  case T::Float:
    return Value::ofFloat(expr->floatValue);
  case T::String:
    return Value::ofString(expr->text);
  case T::Ellipsis:
    return Value::ofKind(Kind::Ellipsis);
  default:
    error(Diag::UnsupportedConstruct, expr->range)
        << "a literal of this kind" << "code that a kernel needs";
    return Value::poison();
  }
}

Value Elaborator::evalName(const ast::Name *expr) {
  Value value = lookup(expr->id, expr->range);
  if (value.is(Kind::Buffer) && value.as<BufferObject>().isVar)
    return loadVar(value.as<BufferObject>(), expr->range);
  // A T.Ref parameter that stands for an element.
  if (value.is(Kind::Region) && value.as<RegionObject>().isElement) {
    auto &region = value.as<RegionObject>();
    return load(*region.buffer, region.offsets(), expr->range);
  }
  return value;
}

Value Elaborator::lookup(llvm::StringRef name, llvm::SMRange range) {
  if (Binding *binding = frame->scope->find(name)) {
    binding->lastRead = ++clock;
    if (isActive(binding->region))
      return binding->value;
    if (!binding->value.isPoison())
      error(Diag::UsedOutsideRegion, range)
              .note(binding->range, "'" + name + "' is assigned here")
          << name << name;
    binding->value = Value::poison();
    return Value::poison();
  }
  if (auto value = lookupModule(name, frame->moduleStatement))
    return *value;
  if (name == "T")
    return importModule("tilelang.language");
  if (name == "tilelang" || name == "math")
    return importModule(name);
  if (name == "__name__")
    return Value::ofString("kernel");
  if (const Builtin *builtin = findPythonBuiltin(name))
    return Value::ofBuiltin(builtin);
  std::vector<llvm::StringRef> names = pythonBuiltinNames();
  frame->scope->collectNames(names);
  for (auto &entry : moduleNames)
    names.push_back(entry.first());
  llvm::sort(names);
  error(Diag::UnknownName, range).suggest(name, names) << name;
  frame->scope->set(name, {Value::poison(), 0, 0, range});
  return Value::poison();
}

/// A block that ops are moved out of once it is known what becomes of it.
struct Detached {
  mlir::Block *block = new mlir::Block();
  ~Detached() { delete block; }
};

/// Whether running the ops of a block without need is harmless and cheap.
static bool isSpeculatable(mlir::Block &block) {
  return llvm::all_of(block, [](mlir::Operation &op) {
    return mlir::isPure(&op) && op.getNumRegions() == 0;
  });
}

Value Elaborator::select(const Value &test, llvm::function_ref<Value()> onTrue,
                         llvm::function_ref<Value()> onFalse,
                         llvm::SMRange range) {
  if (test.isPoison())
    return test;
  if (test.is(Kind::Bool))
    return test.boolean ? onTrue() : onFalse();
  mlir::Value cond = materialize(test.as<ScalarObject>(), range);
  Detached sides[2];
  Value values[2];
  std::shared_ptr<ScalarObject> scalars[2];
  auto saved = b.saveInsertionPoint();
  for (int i = 0; i < 2; ++i) {
    forgetVarLoads();
    b.setInsertionPointToEnd(sides[i].block);
    values[i] = i == 0 ? onTrue() : onFalse();
    scalars[i] = scalar(values[i], range);
  }
  forgetVarLoads();
  b.restoreInsertionPoint(saved);
  if (!scalars[0] || !scalars[1])
    return Value::poison();
  Dtype type = promote(scalars[0]->dtype, scalars[1]->dtype);
  mlir::Value results[2];
  for (int i = 0; i < 2; ++i) {
    b.setInsertionPointToEnd(sides[i].block);
    results[i] = emit(values[i], type, range);
  }
  b.restoreInsertionPoint(saved);
  if (!results[0] || !results[1])
    return Value::poison();

  std::optional<Interval> interval;
  if (scalars[0]->range && scalars[1]->range)
    interval = join(*scalars[0]->range, *scalars[1]->range);
  mlir::Value result;
  if (isSpeculatable(*sides[0].block) && isSpeculatable(*sides[1].block)) {
    mlir::Block *into = b.getInsertionBlock();
    for (Detached &side : sides)
      into->getOperations().splice(b.getInsertionPoint(),
                                   side.block->getOperations());
    auto known = [&](int side, bool value) {
      return type.isBool() && scalars[side]->isConstant() &&
             std::get<int64_t>(scalars[side]->constant) == value;
    };
    result = emitSelect(cond, results, known(0, true), known(1, false), range);
  } else {
    result = emitLazy(cond, *sides[0].block, *sides[1].block, results, range);
  }
  return makeScalar(result, type, std::nullopt, interval);
}

/// Both values are there. `and`, `or` and chained comparisons have a constant
/// side.
mlir::Value Elaborator::emitSelect(mlir::Value cond,
                                   const mlir::Value (&results)[2], bool isOr,
                                   bool isAnd, llvm::SMRange range) {
  mlir::Location l = loc(range);
  if (isAnd)
    return b.createOrFold<mlir::arith::AndIOp>(l, cond, results[0]);
  if (isOr)
    return b.createOrFold<mlir::arith::OrIOp>(l, cond, results[1]);
  return b.createOrFold<mlir::arith::SelectOp>(l, cond, results[0], results[1]);
}

/// An scf.if around the ops of the two sides.
mlir::Value Elaborator::emitLazy(mlir::Value cond, mlir::Block &onTrue,
                                 mlir::Block &onFalse,
                                 const mlir::Value (&results)[2],
                                 llvm::SMRange range) {
  mlir::Location l = loc(range);
  auto saved = b.saveInsertionPoint();
  auto op = mlir::scf::IfOp::create(b, l, results[0].getType(), cond,
                                    /*withElseRegion=*/true);
  mlir::Block *blocks[] = {op.thenBlock(), op.elseBlock()};
  mlir::Block *sides[] = {&onTrue, &onFalse};
  for (int i = 0; i < 2; ++i) {
    blocks[i]->getOperations().splice(blocks[i]->begin(),
                                      sides[i]->getOperations());
    b.setInsertionPointToEnd(blocks[i]);
    mlir::scf::YieldOp::create(b, l, results[i]);
  }
  b.restoreInsertionPoint(saved);
  return op.getResult(0);
}

Value Elaborator::evalIf(const ast::IfExp *expr) {
  Value test = condition(eval(expr->test), expr->test->range);
  return select(
      test, [&] { return eval(expr->body); },
      [&] { return eval(expr->orelse); }, expr->range);
}

Value Elaborator::evalBoolOp(const ast::BoolOp *expr) {
  bool isAnd = expr->op == ast::BoolOperator::And;
  // The values from `i` on, right-associative: `a and (b and c)`.
  auto from = [&](auto &self, size_t i) -> Value {
    Value value = eval(expr->values[i]);
    if (value.isPoison() || i + 1 == expr->values.size())
      return value;
    if (auto t = truth(value))
      return *t == isAnd ? self(self, i + 1) : value;
    Value test = condition(value, expr->values[i]->range);
    auto rest = [&] {
      Value next = self(self, i + 1);
      return condition(next, expr->values[i + 1]->range);
    };
    auto decided = [&] { return Value::ofBool(!isAnd); };
    return isAnd ? select(test, rest, decided, expr->range)
                 : select(test, decided, rest, expr->range);
  };
  Value value = from(from, 0);
  if (value.is(Kind::Scalar))
    return condition(value, expr->range);
  return value;
}

Value Elaborator::evalCompare(const ast::Compare *expr) {
  // `a < b < c`: each operand once, later ones only if needed.
  auto from = [&](auto &self, const Value &lhs, size_t i) -> Value {
    Value rhs = eval(expr->rest[i]);
    Value first = compare(expr->ops[i], lhs, rhs, expr->range);
    if (first.isPoison() || i + 1 == expr->ops.size())
      return first;
    Value test = condition(first, expr->range);
    return select(
        test, [&] { return self(self, rhs, i + 1); },
        [&] { return Value::ofBool(false); }, expr->range);
  };
  return from(from, eval(expr->first), 0);
}

Value Elaborator::evalUnary(const ast::UnaryOp *expr) {
  Value value = eval(expr->operand);
  if (value.isPoison())
    return value;
  using U = ast::UnaryOperator;
  if (expr->op == U::Not)
    return logicalNot(value, expr->range);
  bool number = value.isRuntime() || value.isNumber();
  bool isFloat =
      value.is(Kind::Float) ||
      (value.is(Kind::Scalar) && value.as<ScalarObject>().dtype.isFloat());
  bool isBool =
      value.is(Kind::Scalar) && value.as<ScalarObject>().dtype.isBool();
  if (!number || (expr->op == U::Invert && (isFloat || isBool))) {
    error(Diag::InvalidOperands, expr->range)
        << ast::spelling(expr->op) << describe(value) << "";
    return Value::poison();
  }
  switch (expr->op) {
  case U::Plus:
    return value.is(Kind::Bool) ? Value::ofInt(value.asInt()) : value;
  case U::Minus:
    return value.is(Kind::Float) ? Value::ofFloat(-value.number)
                                 : negate(value, expr->range);
  default:
    return binary(ast::BinaryOperator::BitXor, value, Value::ofInt(-1),
                  expr->range);
  }
}

Value Elaborator::evalSequence(ast::ExprList elements, bool list) {
  std::vector<Value> items;
  for (const ast::Expr *element : elements) {
    if (auto *starred = llvm::dyn_cast<ast::Starred>(element)) {
      auto unpacked = iterate(eval(starred->value), starred->range);
      if (!unpacked)
        return Value::poison();
      items.insert(items.end(), unpacked->begin(), unpacked->end());
      continue;
    }
    items.push_back(eval(element));
  }
  return list ? Value::ofList(std::move(items))
              : Value::ofTuple(std::move(items));
}

Value Elaborator::evalDict(const ast::Dict *expr) {
  DictObject dict;
  auto insert = [&](const Value &key, const Value &value) {
    for (auto &entry : dict.entries)
      if (equals(entry.first, key))
        return void(entry.second = value);
    dict.entries.push_back({key, value});
  };
  for (auto [key, value] : llvm::zip(expr->keys, expr->values)) {
    if (key) {
      // Buffers are keys of annotate_layout and the like.
      Value k = evalOperand(key);
      insert(k, eval(value));
      continue;
    }
    Value other = eval(value);
    if (!other.is(Kind::Dict))
      return typeError(value->range, "the operand of '**'", "a dict", other);
    for (auto &entry : other.as<DictObject>().entries)
      insert(entry.first, entry.second);
  }
  return Value::make(Kind::Dict, std::move(dict));
}

Value Elaborator::evalFormat(const ast::JoinedStr *expr) {
  std::string text;
  for (const ast::Expr *part : expr->values) {
    auto *formatted = llvm::dyn_cast<ast::FormattedValue>(part);
    if (!formatted) {
      text += toString(eval(part));
      continue;
    }
    if (formatted->format && !formatted->format->values.empty()) {
      error(Diag::UnsupportedConstruct, formatted->range)
          << "a format after ':'" << "an f-string";
      return Value::poison();
    }
    Value value = eval(formatted->value);
    if (value.isPoison())
      return value;
    if (value.is(Kind::Scalar) || value.is(Kind::Symbolic)) {
      error(Diag::NotCompileTime, formatted->range) << "what an f-string says";
      return Value::poison();
    }
    text += formatted->conversion == 'r' ? toRepr(value) : this->text(value);
  }
  return Value::ofString(text);
}

Value Elaborator::evalComprehension(
    llvm::ArrayRef<ast::Comprehension> generators,
    llvm::function_ref<bool()> emitItem) {
  // The targets are local to the comprehension.
  auto outer = frame->scope;
  frame->scope = makeScope(outer);
  llvm::scope_exit leave([&] { frame->scope = outer; });
  auto run = [&](auto &self, size_t depth) -> bool {
    if (depth == generators.size())
      return emitItem();
    const ast::Comprehension &generator = generators[depth];
    auto items = iterate(eval(generator.iter), generator.iter->range);
    if (!items)
      return false;
    for (const Value &item : *items) {
      if (!step(generator.iter->range))
        return false;
      assign(generator.target, item);
      bool taken = true;
      for (const ast::Expr *test : generator.ifs) {
        Value value = eval(test);
        auto t = truth(value);
        if (!t && !value.isPoison())
          error(Diag::NotCompileTime, test->range)
              << "the condition of a comprehension";
        if (!t)
          return false;
        taken = taken && *t;
      }
      if (taken && !self(self, depth + 1))
        return false;
    }
    return true;
  };
  return run(run, 0) ? Value::none() : Value::poison();
}

} // namespace tlc::frontend
