// Statements: assignment, names and their regions, `if`, `with`, `assert`.
#include "compiler/frontend/elaborate/Elaborator.h"

#include "llvm/ADT/ScopeExit.h"

namespace tlc::frontend {

Flow Elaborator::execute(ast::Block block) {
  for (auto [i, stmt] : llvm::enumerate(block)) {
    if (!step(stmt->range))
      return Flow::Stop;
    Flow flow = execute(stmt);
    if (flow != Flow::Normal)
      return flow;
    ast::Block rest = block.drop_front(i + 1);
    if (!rest.empty() && frame->traced && mayJump(stmt)) {
      emitIf(isClear(*jumps.back().skip, stmt->range), stmt->range,
             [&] { execute(rest); });
      return Flow::Normal;
    }
  }
  return Flow::Normal;
}

Flow Elaborator::execute(const ast::Stmt *stmt) {
  switch (stmt->kind) {
  case ast::StmtKind::Assign:
    return executeAssign(llvm::cast<ast::Assign>(stmt)), Flow::Normal;
  case ast::StmtKind::AugAssign:
    return executeAugAssign(llvm::cast<ast::AugAssign>(stmt)), Flow::Normal;
  case ast::StmtKind::AnnAssign:
    return executeAnnAssign(llvm::cast<ast::AnnAssign>(stmt)), Flow::Normal;
  case ast::StmtKind::ExprStmt:
    return executeExpr(llvm::cast<ast::ExprStmt>(stmt));
  case ast::StmtKind::FunctionDef:
    return executeDef(llvm::cast<ast::FunctionDef>(stmt)), Flow::Normal;
  case ast::StmtKind::Return:
    return executeReturn(llvm::cast<ast::Return>(stmt));
  case ast::StmtKind::If:
    return executeIf(llvm::cast<ast::If>(stmt));
  case ast::StmtKind::For:
    return executeFor(llvm::cast<ast::For>(stmt));
  case ast::StmtKind::While:
    return executeWhile(llvm::cast<ast::While>(stmt));
  case ast::StmtKind::With:
    return executeWith(llvm::cast<ast::With>(stmt));
  case ast::StmtKind::Assert:
    return executeAssert(llvm::cast<ast::Assert>(stmt));
  case ast::StmtKind::Raise:
    return executeRaise(llvm::cast<ast::Raise>(stmt));
  case ast::StmtKind::Import:
    return executeImport(llvm::cast<ast::Import>(stmt)), Flow::Normal;
  case ast::StmtKind::ImportFrom:
    return executeImportFrom(llvm::cast<ast::ImportFrom>(stmt)), Flow::Normal;
  case ast::StmtKind::Pass:
    return Flow::Normal;
  case ast::StmtKind::Break:
  case ast::StmtKind::Continue:
    return executeJump(stmt);
  case ast::StmtKind::Try:
    // Guards optional imports; nothing that a kernel needs raises.
    return execute(llvm::cast<ast::Try>(stmt)->body);
  default:
    error(Diag::UnsupportedConstruct, stmt->range)
        << ast::kindName(stmt->kind)
        << (frame->traced ? "a kernel" : "code that a kernel needs");
    return Flow::Normal;
  }
}

// ---- Names ------------------------------------------------------------------

/// A name that is read in a loop before it is bound again would have to carry
/// its value around the loop.
bool Elaborator::checkRebinding(llvm::StringRef name, const Binding &old,
                                llvm::SMRange range) {
  if (old.isLoopVariable && isActive(old.region)) {
    error(Diag::ReadOnlyLoopVariable, range) << name;
    return false;
  }
  for (auto [region, start] : loops) {
    if (old.region >= region || old.lastRead <= start || old.value.isPoison() ||
        !isActive(old.region))
      continue;
    bool isNumber = old.value.isNumber() || old.value.is(Kind::Symbolic);
    if (isNumber)
      error(Diag::CompileTimeRebound, range)
              .note(old.range, "'" + name + "' is assigned here")
          << name << "a loop that runs on the device" << name;
    else
      error(Diag::CarriedValue, range)
              .note(old.range, "'" + name + "' is assigned here")
          << name << name;
    return false;
  }
  return true;
}

void Elaborator::bind(llvm::StringRef name, const Value &value,
                      llvm::SMRange range, bool isLoopVariable) {
  Binding *old = frame->scope->findLocal(name);
  Binding fresh{value, activeRegions.empty() ? 0 : activeRegions.back(), 0,
                range, isLoopVariable};
  if (old && !checkRebinding(name, *old, range))
    fresh.value = Value::poison();
  if (!activeRegions.empty())
    journal.push_back(
        {frame->scope, name.str(), old ? std::optional(*old) : std::nullopt});
  frame->scope->set(name, std::move(fresh));
}

void Elaborator::nameValue(llvm::StringRef name, const Value &value,
                           llvm::SMRange range) {
  if (value.is(Kind::Buffer)) {
    auto &buffer = value.as<BufferObject>();
    auto op = buffer.value ? buffer.value.getDefiningOp<tile::AllocOp>()
                           : tile::AllocOp();
    if (buffer.name.empty()) {
      buffer.name = name.str();
      buffer.range = range;
    } else {
      return;
    }
    if (op) {
      op.setName(name);
      op->setLoc(namedLoc(name, range));
    }
    return;
  }
  if (!value.is(Kind::Scalar))
    return;
  mlir::Value v = value.as<ScalarObject>().value;
  mlir::Operation *op = v ? v.getDefiningOp() : nullptr;
  if (op && !llvm::isa<mlir::NameLoc>(op->getLoc()) &&
      !llvm::isa<mlir::arith::ConstantOp>(op))
    op->setLoc(mlir::NameLoc::get(b.getStringAttr(name), op->getLoc()));
}

void Elaborator::assignName(llvm::StringRef name, const Value &value,
                            llvm::SMRange range) {
  Binding *old = frame->scope->findLocal(name);
  bool isVar = old && isActive(old->region) && old->value.is(Kind::Buffer) &&
               old->value.as<BufferObject>().isVar;
  if (isVar && !value.is(Kind::Buffer)) {
    store(old->value.as<BufferObject>(), Value::ofInt(0), value, range);
    return;
  }
  bool isElement = old && isActive(old->region) &&
                   old->value.is(Kind::Region) &&
                   old->value.as<RegionObject>().isElement;
  if (isElement && !value.is(Kind::Buffer)) {
    auto &region = old->value.as<RegionObject>();
    store(*region.buffer, region.offsets(), value, range);
    return;
  }
  nameValue(name, value, range);
  bind(name, value, range);
}

void Elaborator::assign(const ast::Expr *target, const Value &value) {
  if (auto *name = llvm::dyn_cast<ast::Name>(target))
    return assignName(name->id, value, name->range);
  if (auto *subscript = llvm::dyn_cast<ast::Subscript>(target))
    return assignSubscript(subscript, value);
  ast::ExprList targets;
  if (auto *tuple = llvm::dyn_cast<ast::Tuple>(target))
    targets = tuple->elts;
  else if (auto *list = llvm::dyn_cast<ast::List>(target))
    targets = list->elts;
  else {
    error(Diag::UnsupportedConstruct, target->range)
        << "this assignment target"
        << (frame->traced ? "a kernel" : "code that a kernel needs");
    return;
  }
  if (value.isPoison()) {
    for (const ast::Expr *t : targets)
      assign(t, value);
    return;
  }
  auto items = iterate(value, target->range);
  if (items && items->size() != targets.size())
    error(Diag::UnpackMismatch, target->range)
        << items->size() << targets.size();
  if (!items || items->size() != targets.size())
    items = std::vector<Value>(targets.size(), Value::poison());
  for (auto [t, item] : llvm::zip(targets, *items))
    assign(t, item);
}

void Elaborator::assignSubscript(const ast::Subscript *target,
                                 const Value &value) {
  Value base = evalOperand(target->value);
  if (base.is(Kind::List) || base.is(Kind::Dict)) {
    Value index = eval(target->index);
    if (base.is(Kind::List)) {
      auto i = expectInt(index, target->range, "the index of a list");
      int64_t size = base.items().size();
      if (i && (*i < -size || *i >= size))
        error(Diag::IndexOutOfRange, target->range) << *i << "a list" << size;
      else if (i)
        base.items()[*i < 0 ? *i + size : *i] = value;
      return;
    }
    auto &entries = base.as<DictObject>().entries;
    for (auto &entry : entries)
      if (equals(entry.first, index))
        return void(entry.second = value);
    entries.push_back({index, value});
    return;
  }
  Value region = evalSubscript(target, /*asOperand=*/true);
  if (region.isPoison())
    return;
  if (!region.is(Kind::Region)) {
    typeError(target->range, "what is assigned to",
              "an element of a buffer, list or dict", base);
    return;
  }
  auto &r = region.as<RegionObject>();
  if (!r.isElement) {
    unsupported(target->range, "assigning to a slice of a buffer");
    return;
  }
  store(*r.buffer, r.offsets(), value, target->range);
}

void Elaborator::executeAssign(const ast::Assign *stmt) {
  Value value = eval(stmt->value);
  for (const ast::Expr *target : stmt->targets)
    assign(target, value);
}

void Elaborator::executeAnnAssign(const ast::AnnAssign *stmt) {
  if (stmt->value)
    return assign(stmt->target, eval(stmt->value));
  // `x: type` alone declares nothing in a lazy kernel.
}

void Elaborator::executeAugAssign(const ast::AugAssign *stmt) {
  if (auto *name = llvm::dyn_cast<ast::Name>(stmt->target)) {
    Value old = evalName(name);
    if (old.is(Kind::List) && stmt->op == ast::BinaryOperator::Add) {
      if (auto items = iterate(eval(stmt->value), stmt->value->range))
        old.items().insert(old.items().end(), items->begin(), items->end());
      return;
    }
    Value value = binary(stmt->op, old, eval(stmt->value), stmt->range);
    return assignName(name->id, value, name->range);
  }
  auto *subscript = llvm::dyn_cast<ast::Subscript>(stmt->target);
  if (!subscript) {
    error(Diag::UnsupportedConstruct, stmt->target->range)
        << "this assignment target" << "a kernel";
    return;
  }
  Value element = evalOperand(subscript);
  if (element.isPoison())
    return;
  if (!element.is(Kind::Region)) // of a list or dict
    return assignSubscript(
        subscript, binary(stmt->op, element, eval(stmt->value), stmt->range));
  auto &region = element.as<RegionObject>();
  if (!region.isElement) {
    unsupported(subscript->range, "assigning to a slice of a buffer");
    return;
  }
  std::vector<Value> coordinates = region.offsets();
  Value old = load(*region.buffer, coordinates, subscript->range);
  Value value = binary(stmt->op, old, eval(stmt->value), stmt->range);
  store(*region.buffer, coordinates, value, stmt->range);
}

// ---- Control flow -----------------------------------------------------------

void Elaborator::rollBack(size_t mark) {
  for (size_t i = journal.size(); i > mark; --i) {
    Change &change = journal[i - 1];
    if (change.old)
      change.scope->set(change.name, *change.old);
    else
      change.scope->erase(change.name);
  }
}

void Elaborator::endRegions(size_t mark) {
  // What was bound inside is dead, also names that had a value before.
  for (size_t i = mark; i < journal.size(); ++i) {
    Change &change = journal[i];
    Binding *binding = change.scope->findLocal(change.name);
    Binding dead = binding ? *binding : Binding{Value::none(), 0, 0, {}, false};
    if (!binding || isActive(dead.region))
      dead.region = ++lastRegion;
    if (!dead.range.isValid() && change.old)
      dead.range = change.old->range;
    change.scope->set(change.name, dead);
  }
  if (activeRegions.empty())
    journal.resize(mark);
}

Flow Elaborator::executeRegion(ast::Block block, bool isLoop,
                               llvm::function_ref<void()> prepare) {
  unsigned region = ++lastRegion;
  activeRegions.push_back(region);
  if (isLoop)
    loops.push_back({region, clock});
  forgetVarLoads();
  if (prepare)
    prepare();
  Flow flow = execute(block);
  forgetVarLoads();
  if (isLoop)
    loops.pop_back();
  activeRegions.pop_back();
  return flow;
}

static void collectTargets(const ast::Expr *target,
                           std::vector<const ast::Name *> &names) {
  if (auto *name = llvm::dyn_cast<ast::Name>(target))
    names.push_back(name);
  else if (llvm::isa<ast::Tuple, ast::List, ast::Starred>(target))
    ast::forEachChild(target,
                      [&](const ast::Expr *e) { collectTargets(e, names); });
}

/// After a condition that failed: names that the block would have bound are
/// poison, so that their uses are silent.
void Elaborator::poisonTargets(ast::Block block) {
  std::vector<const ast::Name *> names;
  for (const ast::Stmt *stmt : block) {
    if (auto *a = llvm::dyn_cast<ast::Assign>(stmt)) {
      for (const ast::Expr *target : a->targets)
        collectTargets(target, names);
    } else if (auto *i = llvm::dyn_cast<ast::If>(stmt)) {
      poisonTargets(i->body);
      poisonTargets(i->orelse);
    } else if (auto *f = llvm::dyn_cast<ast::For>(stmt)) {
      poisonTargets(f->body);
    } else if (auto *d = llvm::dyn_cast<ast::FunctionDef>(stmt)) {
      bind(d->name.name, Value::poison(), d->name.range);
    }
  }
  for (const ast::Name *name : names) {
    Binding *old = frame->scope->findLocal(name->id);
    if (!old || !old->value.is(Kind::Buffer))
      bind(name->id, Value::poison(), name->range);
  }
}

Flow Elaborator::executeIf(const ast::If *stmt) {
  Value test = condition(eval(stmt->test), stmt->test->range);
  if (test.isPoison()) {
    poisonTargets(stmt->body);
    poisonTargets(stmt->orelse);
    return Flow::Normal;
  }
  if (test.is(Kind::Bool))
    return execute(test.boolean ? stmt->body : stmt->orelse);
  if (!frame->traced) {
    error(Diag::NotCompileTime, stmt->test->range)
            .help("make the function a @T.macro")
        << "the condition of an 'if' in a plain function";
    return Flow::Stop;
  }
  if (!requireLaunch(stmt->range, "a run-time 'if'"))
    return Flow::Normal;
  mlir::Value cond = materialize(test.as<ScalarObject>(), stmt->test->range);
  auto op = mlir::scf::IfOp::create(b, loc(stmt->test->range), cond,
                                    !stmt->orelse.empty());
  size_t mark = journal.size();
  b.setInsertionPoint(op.thenYield());
  executeRegion(stmt->body, false);
  if (!stmt->orelse.empty()) {
    rollBack(mark);
    b.setInsertionPoint(op.elseYield());
    executeRegion(stmt->orelse, false);
  }
  endRegions(mark);
  b.setInsertionPointAfter(op);
  return Flow::Normal;
}

Flow Elaborator::executeReturn(const ast::Return *stmt) {
  if (activeRegions.size() > frame->regionDepth) {
    error(Diag::InvalidReturn, stmt->range) << frame->name;
    return Flow::Stop;
  }
  if (stmt->value)
    frame->result = eval(stmt->value);
  return Flow::Return;
}

Flow Elaborator::executeAssert(const ast::Assert *stmt) {
  Value test = eval(stmt->test);
  if (test.isPoison())
    return Flow::Normal;
  auto t = truth(test);
  if (!t) {
    unsupported(stmt->range, "'assert' on a run-time condition");
    return Flow::Normal;
  }
  if (*t)
    return Flow::Normal;
  std::string message;
  if (stmt->msg)
    message = ": " + toString(eval(stmt->msg));
  error(Diag::AssertionFailed, stmt->range) << message;
  return Flow::Stop;
}

Flow Elaborator::executeRaise(const ast::Raise *stmt) {
  std::string what = "an exception";
  if (auto *c = llvm::dyn_cast_if_present<ast::Call>(stmt->exc)) {
    what = ast::sourceText(c->callee->range).str();
    if (!c->args.empty())
      what += ": " + toString(eval(c->args[0]));
  } else if (stmt->exc) {
    what = ast::sourceText(stmt->exc->range).str();
  }
  error(Diag::RaisedException, stmt->range) << what;
  return Flow::Stop;
}

Flow Elaborator::executeWith(const ast::With *stmt) {
  if (stmt->items.size() != 1) {
    error(Diag::UnsupportedConstruct, stmt->range)
        << "'with' of several items" << "a kernel";
    return Flow::Normal;
  }
  return withKernel(stmt);
}

Flow Elaborator::executeExpr(const ast::ExprStmt *stmt) {
  if (!llvm::isa<ast::Constant>(stmt->value))
    eval(stmt->value);
  return Flow::Normal;
}

FunctionKind Elaborator::functionKind(const ast::FunctionDef *def) {
  FunctionKind kind = FunctionKind::Plain;
  for (const ast::Expr *decorator : def->decorators) {
    if (auto *c = llvm::dyn_cast<ast::Call>(decorator))
      decorator = c->callee;
    llvm::StringRef name;
    if (auto *n = llvm::dyn_cast<ast::Name>(decorator))
      name = n->id;
    else if (auto *a = llvm::dyn_cast<ast::Attribute>(decorator))
      name = a->attr.name;
    if (name == "prim_func")
      return FunctionKind::PrimFunc;
    if (name == "macro")
      kind = FunctionKind::Macro;
    else if (name == "jit" || name == "lazy_jit")
      kind = FunctionKind::Jit;
  }
  return kind;
}

void Elaborator::executeDef(const ast::FunctionDef *stmt) {
  FunctionObject function;
  function.kind = functionKind(stmt);
  function.def = stmt;
  function.closure = frame->scope;
  for (const ast::Parameter &param : stmt->params)
    function.defaults.push_back(param.defaultValue ? eval(param.defaultValue)
                                                   : Value::poison());
  bind(stmt->name.name, Value::make(Kind::Function, std::move(function)),
       stmt->name.range);
}

} // namespace tlc::frontend
