// `break` and `continue` of kernel loops. Two variables say that the rest of an
// iteration and all later iterations are skipped; what follows a statement that
// may jump is guarded by them.
#include "compiler/frontend/elaborate/Elaborator.h"

namespace tlc::frontend {

/// Whether a statement of a loop body may jump out of the iteration. Inner
/// loops keep their own jumps.
static void findJumps(const ast::Stmt *stmt, bool &breaks, bool &continues) {
  auto walk = [&](ast::Block block) {
    for (const ast::Stmt *inner : block)
      findJumps(inner, breaks, continues);
  };
  breaks |= stmt->kind == ast::StmtKind::Break;
  continues |= stmt->kind == ast::StmtKind::Continue;
  if (auto *s = llvm::dyn_cast<ast::If>(stmt)) {
    walk(s->body);
    walk(s->orelse);
  } else if (auto *s = llvm::dyn_cast<ast::With>(stmt)) {
    walk(s->body);
  }
}

/// Calls `found` on the statements T.thread_return() of a block, those in loops
/// left out.
static void findReturns(const ast::Stmt *stmt,
                        llvm::function_ref<void(const ast::Call *)> found) {
  auto walk = [&](ast::Block block) {
    for (const ast::Stmt *inner : block)
      findReturns(inner, found);
  };
  if (auto *s = llvm::dyn_cast<ast::If>(stmt)) {
    walk(s->body);
    walk(s->orelse);
  } else if (auto *s = llvm::dyn_cast<ast::With>(stmt)) {
    walk(s->body);
  } else if (auto *s = llvm::dyn_cast<ast::ExprStmt>(stmt)) {
    auto *call = llvm::dyn_cast<ast::Call>(s->value);
    if (!call)
      return;
    llvm::StringRef name;
    if (auto *attribute = llvm::dyn_cast<ast::Attribute>(call->callee))
      name = attribute->attr.name;
    else if (auto *plain = llvm::dyn_cast<ast::Name>(call->callee))
      name = plain->id;
    if (name == "thread_return")
      found(call);
  }
}

/// The variable of a T.Kernel block that says that the thread has returned,
/// made only if it may.
Elaborator::Jumps Elaborator::prepareReturns(ast::Block body,
                                             llvm::SMRange range) {
  Jumps result;
  for (const ast::Stmt *stmt : body)
    findReturns(stmt, [&](const ast::Call *call) {
      launch->returns.push_back(call->range.Start.getPointer());
    });
  if (launch->returns.empty())
    return result;
  Value buffer =
      allocate("returned", {1}, DtypeKind::Bool, tile::Space::Local, range);
  buffer.as<BufferObject>().isVar = true;
  result.skip = std::static_pointer_cast<BufferObject>(buffer.object);
  result.isLaunch = true;
  store(*result.skip, Value::ofInt(0), Value::ofBool(false), range);
  return result;
}

void Elaborator::returnThread(llvm::SMRange range) {
  bool known = !jumps.empty() && jumps.back().isLaunch &&
               llvm::is_contained(launch->returns, range.Start.getPointer());
  if (!known) {
    unsupported(range, "T.thread_return in a loop, macro or function");
    return;
  }
  store(*jumps.back().skip, Value::ofInt(0), Value::ofBool(true), range);
}

bool Elaborator::mayJump(const ast::Stmt *stmt) {
  if (!jumps.empty() && jumps.back().isLaunch) {
    bool returns = false;
    findReturns(stmt, [&](const ast::Call *) { returns = true; });
    return returns;
  }
  bool breaks = false, continues = false;
  findJumps(stmt, breaks, continues);
  return (breaks || continues) && !jumps.empty() && jumps.back().skip;
}

/// The variables of a loop with that body, made only if it jumps. `broken` is
/// reset here, before the loop.
Elaborator::Jumps Elaborator::prepareJumps(ast::Block body,
                                           llvm::SMRange range) {
  bool breaks = false, continues = false;
  for (const ast::Stmt *stmt : body)
    findJumps(stmt, breaks, continues);
  Jumps result;
  auto flag = [&](llvm::StringRef name) {
    Value buffer =
        allocate(name, {1}, DtypeKind::Bool, tile::Space::Local, range);
    buffer.as<BufferObject>().isVar = true;
    return std::static_pointer_cast<BufferObject>(buffer.object);
  };
  if (breaks || continues)
    result.skip = flag("skip");
  if (breaks) {
    result.broken = flag("broken");
    store(*result.broken, Value::ofInt(0), Value::ofBool(false), range);
  }
  return result;
}

Value Elaborator::isClear(BufferObject &flag, llvm::SMRange range) {
  return logicalNot(loadVar(flag, range), range);
}

/// Runs the body of one iteration.
void Elaborator::executeIteration(ast::Block body, const Jumps &own,
                                  llvm::SMRange range) {
  jumps.push_back(own);
  auto run = [&] {
    if (own.skip)
      store(*own.skip, Value::ofInt(0), Value::ofBool(false), range);
    execute(body);
  };
  if (own.broken)
    emitIf(isClear(*own.broken, range), range, run);
  else
    run();
  jumps.pop_back();
}

Flow Elaborator::executeJump(const ast::Stmt *stmt) {
  bool isBreak = stmt->kind == ast::StmtKind::Break;
  if (activeRegions.size() <= frame->regionDepth)
    return isBreak ? Flow::Break : Flow::Continue;
  if (jumps.empty() || !jumps.back().skip || jumps.back().isLaunch) {
    unsupported(stmt->range, isBreak ? "'break' in this kind of loop"
                                     : "'continue' in this kind of loop");
    return Flow::Stop;
  }
  store(*jumps.back().skip, Value::ofInt(0), Value::ofBool(true), stmt->range);
  if (isBreak)
    store(*jumps.back().broken, Value::ofInt(0), Value::ofBool(true),
          stmt->range);
  return isBreak ? Flow::Break : Flow::Continue;
}

} // namespace tlc::frontend
