// `for` and `while`: Python loops on compile-time values, loops of the kernel.
#include "compiler/frontend/elaborate/Elaborator.h"

namespace tlc::frontend {

Flow Elaborator::executeFor(const ast::For *stmt) {
  if (stmt->isAsync || !stmt->orelse.empty()) {
    error(Diag::UnsupportedConstruct, stmt->range)
        << (stmt->isAsync ? "'async for'" : "'for' with 'else'")
        << (frame->traced ? "a kernel" : "code that a kernel needs");
    return Flow::Normal;
  }
  Value iterable = eval(stmt->iter);
  if (iterable.isPoison()) {
    std::vector<const ast::Name *> names;
    if (auto *name = llvm::dyn_cast<ast::Name>(stmt->target))
      bind(name->id, iterable, name->range);
    poisonTargets(stmt->body);
    return Flow::Normal;
  }
  if (!frame->traced) {
    if (iterable.is(Kind::Loop)) {
      error(Diag::UnsupportedConstruct, stmt->iter->range)
              .help("make the function a @T.macro")
          << "a loop of the kernel" << "a plain function";
      return Flow::Normal;
    }
    return pythonFor(stmt, iterable);
  }
  if (iterable.is(Kind::Range)) {
    auto &range = iterable.as<RangeObject>();
    LoopObject loop;
    loop.start = range.start, loop.stop = range.stop, loop.step = range.step;
    iterable = Value::make(Kind::Loop, std::move(loop));
  }
  if (!iterable.is(Kind::Loop)) {
    error(Diag::NotIterable, stmt->iter->range) << describe(iterable);
    poisonTargets(stmt->body);
    return Flow::Normal;
  }
  if (!requireLaunch(stmt->range, "a loop"))
    return Flow::Normal;
  auto &loop = iterable.as<LoopObject>();
  if (inParallel() &&
      (loop.kind == LoopKind::Parallel || loop.kind == LoopKind::Pipelined)) {
    unsupported(stmt->iter->range, loop.kind == LoopKind::Parallel
                                       ? "T.Parallel inside T.Parallel"
                                       : "T.Pipelined inside T.Parallel");
    return Flow::Normal;
  }
  switch (loop.kind) {
  case LoopKind::Parallel:
    return parallelLoop(stmt, loop);
  case LoopKind::Pipelined:
    return pipelinedLoop(stmt, loop);
  case LoopKind::Grid:
    return gridLoop(stmt, loop);
  case LoopKind::Persistent:
    return persistentLoop(stmt, loop);
  default:
    return serialLoop(stmt, loop);
  }
}

Flow Elaborator::pythonFor(const ast::For *stmt, const Value &iterable) {
  auto items = iterate(iterable, stmt->iter->range);
  if (!items)
    return Flow::Stop;
  for (const Value &item : *items) {
    if (!step(stmt->iter->range))
      return Flow::Stop;
    assign(stmt->target, item);
    Flow flow = execute(stmt->body);
    if (flow == Flow::Break)
      break;
    if (flow == Flow::Return || flow == Flow::Stop)
      return flow;
  }
  return Flow::Normal;
}

Flow Elaborator::executeWhile(const ast::While *stmt) {
  return frame->traced ? tracedWhile(stmt) : pythonWhile(stmt);
}

Flow Elaborator::pythonWhile(const ast::While *stmt) {
  while (step(stmt->test->range)) {
    Value test = eval(stmt->test);
    auto t = truth(test);
    if (!t) {
      if (!test.isPoison())
        error(Diag::NotCompileTime, stmt->test->range)
            << "the condition of a 'while' in a plain function";
      return Flow::Stop;
    }
    if (!*t)
      return execute(stmt->orelse);
    Flow flow = execute(stmt->body);
    if (flow == Flow::Break)
      return Flow::Normal;
    if (flow == Flow::Return || flow == Flow::Stop)
      return flow;
  }
  return Flow::Stop;
}

/// The condition of one iteration: false after a `break`.
Value Elaborator::whileCondition(const ast::While *stmt, const Jumps &own) {
  llvm::SMRange range = stmt->test->range;
  auto test = [&] { return condition(eval(stmt->test), range); };
  if (!own.broken)
    return test();
  return select(
      isClear(*own.broken, range), test, [] { return Value::ofBool(false); },
      range);
}

Flow Elaborator::tracedWhile(const ast::While *stmt) {
  if (!requireLaunch(stmt->range, "a loop"))
    return Flow::Normal;
  Jumps own = prepareJumps(stmt->body, stmt->test->range);
  auto op = mlir::scf::WhileOp::create(b, loc(stmt->range), mlir::TypeRange(),
                                       mlir::ValueRange());
  mlir::Block *before = b.createBlock(&op.getBefore());
  size_t mark = journal.size();
  bool failed = false;
  Flow flow = executeRegion({}, true, [&] {
    Value test = whileCondition(stmt, own);
    if (test.is(Kind::Bool) && test.boolean)
      error(Diag::InvalidValue, stmt->test->range)
          << "loop" << "its condition is always true";
    failed = test.isPoison() || (test.is(Kind::Bool) && test.boolean);
    mlir::Value cond =
        failed ? constant(b.getBoolAttr(false), loc(stmt->test->range))
               : emit(test, DtypeKind::Bool, stmt->test->range);
    mlir::scf::ConditionOp::create(b, loc(stmt->test->range), cond,
                                   mlir::ValueRange());
    // The body runs in the same region: names of the condition are visible.
    mlir::Block *after = b.createBlock(&op.getAfter());
    forgetVarLoads();
    b.setInsertionPointToEnd(after);
    if (!failed)
      executeIteration(stmt->body, own, stmt->test->range);
    b.setInsertionPointToEnd(after);
    mlir::scf::YieldOp::create(b, loc(stmt->range));
  });
  (void)before;
  endRegions(mark);
  b.setInsertionPointAfter(op);
  return flow;
}

/// Elaborates the body of a loop into `body`, before its terminator if any.
Flow Elaborator::loopBody(const ast::For *stmt, mlir::Block *body,
                          const Jumps &own,
                          llvm::function_ref<void()> bindTargets) {
  auto saved = b.saveInsertionPoint();
  if (body->mightHaveTerminator())
    b.setInsertionPoint(body->getTerminator());
  else
    b.setInsertionPointToEnd(body);
  size_t mark = journal.size();
  executeRegion({}, true, [&] {
    bindTargets();
    executeIteration(stmt->body, own, stmt->iter->range);
  });
  endRegions(mark);
  b.restoreInsertionPoint(saved);
  return Flow::Normal;
}

static const ast::Name *targetName(const ast::Expr *target) {
  if (auto *tuple = llvm::dyn_cast<ast::Tuple>(target))
    if (tuple->elts.size() == 1)
      target = tuple->elts[0];
  return llvm::dyn_cast<ast::Name>(target);
}

static std::optional<Interval> loopInterval(std::optional<Interval> lo,
                                            std::optional<Interval> hi) {
  if (!lo || !hi)
    return std::nullopt;
  return Interval{lo->lo, std::max(lo->lo, hi->hi - 1)};
}

Flow Elaborator::serialLoop(const ast::For *stmt, const LoopObject &loop) {
  const ast::Name *target = targetName(stmt->target);
  if (!target) {
    error(Diag::UnpackMismatch, stmt->target->range)
        << 1 << llvm::cast<ast::Tuple>(stmt->target)->elts.size();
    return Flow::Normal;
  }
  llvm::SMRange range = stmt->iter->range;
  auto by = expectInt(loop.step, range, "the step of a loop");
  if (!by)
    return Flow::Normal;
  if (*by == 0) {
    error(Diag::InvalidValue, range) << "step" << "it is 0";
    return Flow::Normal;
  }
  mlir::Location l = loc(range);
  // A loop downwards counts its iterations: start - i * |step|.
  Value lower = loop.start, upper = loop.stop;
  if (*by < 0) {
    Value span = binary(ast::BinaryOperator::Sub, loop.start, loop.stop, range);
    span =
        binary(ast::BinaryOperator::Add, span, Value::ofInt(-*by - 1), range);
    upper =
        binary(ast::BinaryOperator::FloorDiv, span, Value::ofInt(-*by), range);
    lower = Value::ofInt(0);
  }
  mlir::Value lo = emitIndex(lower, range);
  mlir::Value hi = lo ? emitIndex(upper, range) : nullptr;
  if (!hi)
    return poisonTargets(stmt->body), Flow::Normal;
  Jumps own = prepareJumps(stmt->body, range);
  mlir::Value stepValue = constant(b.getI32IntegerAttr(*by < 0 ? 1 : *by), l);
  auto op = mlir::scf::ForOp::create(b, l, lo, hi, stepValue);
  op.getInductionVar().setLoc(namedLoc(target->id, target->range));
  if (loop.kind == LoopKind::Unroll)
    op->setAttr("unroll", b.getUnitAttr());
  auto interval = loopInterval(intervalOf(lower), intervalOf(upper));
  return loopBody(stmt, op.getBody(), own, [&] {
    Value index = makeScalar(op.getInductionVar(), DtypeKind::Int32,
                             std::nullopt, interval);
    if (*by < 0)
      index = binary(
          ast::BinaryOperator::Sub, loop.start,
          binary(ast::BinaryOperator::Mult, index, Value::ofInt(-*by), range),
          range);
    nameValue(target->id, index, target->range);
    bind(target->id, index, target->range, /*isLoopVariable=*/true);
  });
}

Flow Elaborator::pipelinedLoop(const ast::For *stmt, const LoopObject &loop) {
  const ast::Name *target = targetName(stmt->target);
  if (!target) {
    error(Diag::UnpackMismatch, stmt->target->range)
        << 1 << llvm::cast<ast::Tuple>(stmt->target)->elts.size();
    return Flow::Normal;
  }
  llvm::SMRange range = stmt->iter->range;
  mlir::Value lo = emitIndex(loop.start, range);
  mlir::Value hi = lo ? emitIndex(loop.stop, range) : nullptr;
  if (!hi)
    return poisonTargets(stmt->body), Flow::Normal;
  auto op = tile::PipelinedOp::create(b, loc(range), lo, hi, loop.stages,
                                      nullptr, nullptr);
  mlir::Block &body = op.getBody().emplaceBlock();
  mlir::Value index =
      body.addArgument(b.getI32Type(), namedLoc(target->id, target->range));
  auto interval = loopInterval(intervalOf(loop.start), intervalOf(loop.stop));
  return loopBody(stmt, &body, {}, [&] {
    bind(target->id,
         makeScalar(index, DtypeKind::Int32, std::nullopt, interval),
         target->range, true);
  });
}

/// `for ... in T.Parallel(...)` as the only statement of a block, or null.
static const ast::For *perfectlyNested(ast::Block body) {
  auto *inner = body.size() == 1 ? llvm::dyn_cast<ast::For>(body[0]) : nullptr;
  auto *call = inner ? llvm::dyn_cast<ast::Call>(inner->iter) : nullptr;
  auto *callee = call ? llvm::dyn_cast<ast::Attribute>(call->callee) : nullptr;
  return callee && callee->attr.name == "Parallel" ? inner : nullptr;
}

static std::vector<const ast::Expr *> targetsOf(const ast::For *stmt) {
  if (auto *tuple = llvm::dyn_cast<ast::Tuple>(stmt->target))
    return {tuple->elts.begin(), tuple->elts.end()};
  return {stmt->target};
}

/// One nest: perfectly nested T.Parallel loops are merged.
Flow Elaborator::parallelLoop(const ast::For *stmt, const LoopObject &loop) {
  std::vector<const ast::Expr *> targets;
  llvm::SmallVector<int64_t> extents;
  const ast::For *innermost = stmt;
  for (const ast::For *level = stmt; level;
       level = perfectlyNested(level->body)) {
    Value nested;
    if (level != stmt)
      nested = eval(level->iter);
    if (level != stmt && !nested.is(Kind::Loop))
      return poisonTargets(stmt->body), Flow::Normal;
    auto &levelLoop = level == stmt ? loop : nested.as<LoopObject>();
    if (!parallelExtents(level, levelLoop, targets, extents))
      return poisonTargets(level->body), Flow::Normal;
    innermost = level;
  }
  auto op =
      tile::ParallelOp::create(b, loc(stmt->iter->range), extents, nullptr);
  mlir::Block &body = op.getBody().emplaceBlock();
  for (const ast::Expr *target : targets)
    body.addArgument(b.getI32Type(), namedLoc(llvm::cast<ast::Name>(target)->id,
                                              target->range));
  ++launch->parallelDepth;
  Flow flow = loopBody(innermost, &body, {}, [&] {
    for (auto [i, target] : llvm::enumerate(targets)) {
      Interval interval{0, std::max<int64_t>(extents[i] - 1, 0)};
      bind(llvm::cast<ast::Name>(target)->id,
           makeScalar(body.getArgument(i), DtypeKind::Int32, std::nullopt,
                      interval),
           target->range, true);
    }
  });
  --launch->parallelDepth;
  return flow;
}

/// Appends the variables and extents of one level; false after an error.
bool Elaborator::parallelExtents(const ast::For *stmt, const LoopObject &loop,
                                 std::vector<const ast::Expr *> &targets,
                                 llvm::SmallVectorImpl<int64_t> &extents) {
  std::vector<const ast::Expr *> own = targetsOf(stmt);
  bool names =
      llvm::all_of(own, [](auto *t) { return llvm::isa<ast::Name>(t); });
  if (!names || own.size() != loop.extents.size()) {
    error(Diag::UnpackMismatch, stmt->target->range)
        << loop.extents.size() << own.size();
    return false;
  }
  targets.insert(targets.end(), own.begin(), own.end());
  llvm::SMRange range = stmt->iter->range;
  for (const Value &extent : loop.extents) {
    bool known = extent.isIntLike();
    if (!known && extent.isRuntime()) {
      unsupported(range, extent.is(Kind::Symbolic)
                             ? "T.Parallel with an extent known only at launch"
                             : "T.Parallel with an extent known only at run "
                               "time");
      return false;
    }
    auto size = expectInt(extent, range, "an extent of T.Parallel");
    if (!size)
      return false;
    extents.push_back(std::max<int64_t>(*size, 0));
  }
  return true;
}

} // namespace tlc::frontend
