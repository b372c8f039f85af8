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

bool Elaborator::mayJump(const ast::Stmt *stmt) {
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
  if (jumps.empty() || !jumps.back().skip) {
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
