// T.grid and T.Persistent: nests of serial loops.
#include "compiler/frontend/elaborate/Elaborator.h"

#include "compiler/frontend/builtins/Handlers.h"

namespace tlc::frontend {

using Op = ast::BinaryOperator;

/// The loop variables; empty after an error.
std::vector<const ast::Name *> Elaborator::loopTargets(const ast::For *stmt,
                                                       size_t count) {
  ast::ExprList targets = stmt->target;
  if (auto *tuple = llvm::dyn_cast<ast::Tuple>(stmt->target))
    targets = tuple->elts;
  std::vector<const ast::Name *> names;
  for (const ast::Expr *target : targets)
    if (auto *name = llvm::dyn_cast<ast::Name>(target))
      names.push_back(name);
  if (names.size() == count && targets.size() == count)
    return names;
  error(Diag::UnpackMismatch, stmt->target->range) << count << targets.size();
  return {};
}

/// `for i in range(0, extent)` around `body`, which gets i.
void Elaborator::emitFor(const Value &extent, llvm::StringRef name,
                         llvm::SMRange range,
                         llvm::function_ref<void(const Value &)> body) {
  mlir::Value hi = emitIndex(extent, range);
  if (!hi)
    return;
  mlir::Location l = loc(range);
  mlir::Value zero = constant(b.getI32IntegerAttr(0), l);
  mlir::Value one = constant(b.getI32IntegerAttr(1), l);
  auto op = mlir::scf::ForOp::create(b, l, zero, hi, one);
  op.getInductionVar().setLoc(namedLoc(name, range));
  std::optional<Interval> interval;
  if (auto size = intervalOf(extent))
    interval = Interval{0, std::max<int64_t>(size->hi - 1, 0)};
  auto saved = b.saveInsertionPoint();
  b.setInsertionPoint(op.getBody()->getTerminator());
  size_t mark = journal.size();
  executeRegion({}, /*isLoop=*/true, [&] {
    body(makeScalar(op.getInductionVar(), DtypeKind::Int32, std::nullopt,
                    interval));
  });
  endRegions(mark);
  b.restoreInsertionPoint(saved);
}

void Elaborator::emitParallel(
    llvm::ArrayRef<int64_t> extents, llvm::SMRange range,
    llvm::function_ref<void(llvm::ArrayRef<Value>)> body) {
  auto op = tile::ParallelOp::create(b, loc(range), extents, nullptr);
  mlir::Block &block = op.getBody().emplaceBlock();
  std::vector<Value> indices;
  for (int64_t extent : extents)
    indices.push_back(makeScalar(
        block.addArgument(b.getI32Type(), loc(range)), DtypeKind::Int32,
        std::nullopt, Interval{0, std::max<int64_t>(extent - 1, 0)}));
  auto saved = b.saveInsertionPoint();
  b.setInsertionPointToEnd(&block);
  size_t mark = journal.size();
  ++launch->parallelDepth;
  executeRegion({}, /*isLoop=*/true, [&] { body(indices); });
  --launch->parallelDepth;
  endRegions(mark);
  b.restoreInsertionPoint(saved);
}

/// `body` under a condition, which may be known.
void Elaborator::emitIf(const Value &test, llvm::SMRange range,
                        llvm::function_ref<void()> body) {
  if (test.isPoison() || (test.is(Kind::Bool) && !test.boolean))
    return;
  if (test.is(Kind::Bool))
    return body();
  mlir::Value cond = emit(test, DtypeKind::Bool, range);
  auto op = mlir::scf::IfOp::create(b, loc(range), cond, false);
  auto saved = b.saveInsertionPoint();
  b.setInsertionPoint(op.thenYield());
  size_t mark = journal.size();
  executeRegion({}, /*isLoop=*/false, body);
  endRegions(mark);
  b.restoreInsertionPoint(saved);
}

Flow Elaborator::gridLoop(const ast::For *stmt, const LoopObject &loop) {
  auto targets = loopTargets(stmt, loop.extents.size());
  if (targets.empty())
    return poisonTargets(stmt->body), Flow::Normal;
  jumps.push_back({});
  auto level = [&](auto &self, size_t i) -> void {
    if (i == targets.size())
      return void(execute(stmt->body));
    emitFor(loop.extents[i], targets[i]->id, targets[i]->range,
            [&](const Value &index) {
              bind(targets[i]->id, index, targets[i]->range, true);
              self(self, i + 1);
            });
  };
  level(level, 0);
  jumps.pop_back();
  return Flow::Normal;
}

/// Work items in groups along the last dimension, dealt out in waves
/// (language.md 2.8).
Flow Elaborator::persistentLoop(const ast::For *stmt, const LoopObject &loop) {
  size_t rank = loop.extents.size();
  auto targets = loopTargets(stmt, rank);
  if (targets.empty())
    return poisonTargets(stmt->body), Flow::Normal;
  llvm::SMRange range = stmt->iter->range;
  const Value &workers = loop.stop, &worker = loop.start;
  const Value &last = loop.extents.back();
  auto ceilDiv = [&](const Value &a, const Value &d) {
    Value bias = binary(Op::Sub, d, Value::ofInt(1), range);
    return binary(Op::FloorDiv, binary(Op::Add, a, bias, range), d, range);
  };
  Value group = builtins::minMaxOf(
      *this, Value::ofInt(1),
      builtins::minMaxOf(*this, loop.step, last, false, range), true, range);
  std::vector<Value> radices{ceilDiv(last, group)};
  radices.insert(radices.end(), loop.extents.begin(), loop.extents.end() - 1);
  radices.push_back(group);
  Value padded = Value::ofInt(1);
  for (const Value &radix : radices)
    padded = binary(Op::Mult, padded, radix, range);

  jumps.push_back({});
  emitFor(ceilDiv(padded, workers), "wave", range, [&](const Value &wave) {
    Value linear =
        binary(Op::Add, binary(Op::Mult, wave, workers, range), worker, range);
    auto below = [&](const Value &a, const Value &limit) {
      return condition(compare(ast::CompareOperator::Lt, a, limit, range),
                       range);
    };
    emitIf(below(linear, padded), range, [&] {
      std::vector<Value> digits(radices.size());
      Value rest = linear;
      for (size_t i = radices.size(); i-- > 0;) {
        digits[i] = i == 0 ? rest : binary(Op::Mod, rest, radices[i], range);
        if (i != 0)
          rest = binary(Op::FloorDiv, rest, radices[i], range);
      }
      Value lastIndex =
          binary(Op::Add, binary(Op::Mult, digits.front(), group, range),
                 digits.back(), range);
      emitIf(below(lastIndex, last), range, [&] {
        for (size_t i = 0; i < rank; ++i) {
          const Value &index = i + 1 == rank ? lastIndex : digits[i + 1];
          nameValue(targets[i]->id, index, targets[i]->range);
          bind(targets[i]->id, index, targets[i]->range, true);
        }
        execute(stmt->body);
      });
    });
  });
  jumps.pop_back();
  return Flow::Normal;
}

} // namespace tlc::frontend
