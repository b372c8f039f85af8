// T.Kernel blocks and what is allocated in them.
#include "compiler/frontend/elaborate/Elaborator.h"

namespace tlc::frontend {

bool Elaborator::bindBlockIndices(const ast::Expr *target, mlir::Block *body,
                                  const KernelFrameObject &kernelFrame) {
  std::vector<const ast::Expr *> targets;
  if (auto *tuple = llvm::dyn_cast_if_present<ast::Tuple>(target))
    targets.assign(tuple->elts.begin(), tuple->elts.end());
  else if (auto *list = llvm::dyn_cast_if_present<ast::List>(target))
    targets.assign(list->elts.begin(), list->elts.end());
  else if (target)
    targets.push_back(target);

  std::vector<Value> indices;
  for (auto [i, extent] : llvm::enumerate(kernelFrame.grid)) {
    auto size = intervalOf(extent);
    Interval interval{0, INT32_MAX - 1};
    if (size && size->hi > 0)
      interval.hi = std::min<int64_t>(interval.hi, size->hi - 1);
    indices.push_back(makeScalar(body->getArgument(i), DtypeKind::Int32,
                                 std::nullopt, interval));
  }
  if (targets.empty())
    return true;
  // A bare name with several grid sizes stands for the list of indices.
  if (targets.size() == 1 && llvm::isa<ast::Name>(target) &&
      indices.size() > 1) {
    assign(target, Value::ofList(indices));
    return true;
  }
  if (targets.size() != indices.size()) {
    error(Diag::UnpackMismatch, target->range)
        << indices.size() << targets.size();
    return false;
  }
  for (auto [i, t] : llvm::enumerate(targets)) {
    if (auto *name = llvm::dyn_cast<ast::Name>(t))
      body->getArgument(i).setLoc(namedLoc(name->id, name->range));
    assign(t, indices[i]);
  }
  return true;
}

Flow Elaborator::withKernel(const ast::With *stmt) {
  const ast::WithItem &item = stmt->items[0];
  Value context = eval(item.context);
  if (context.isPoison())
    return Flow::Normal;
  if (!context.is(Kind::KernelFrame)) {
    error(Diag::UnsupportedConstruct, item.context->range)
        << "'with' of " + describe(context) << "a kernel";
    return Flow::Normal;
  }
  if (launch) {
    error(Diag::NestedKernel, item.context->range);
    return Flow::Normal;
  }
  if (!kernel || !frame->traced) {
    error(Diag::OutsideKernel, item.context->range)
        << "T.Kernel" << "a @T.prim_func function";
    return Flow::Normal;
  }
  if (!declareWorkspaces())
    return Flow::Normal;
  auto &spec = context.as<KernelFrameObject>();
  llvm::SmallVector<mlir::Value> grid;
  for (const Value &extent : spec.grid) {
    grid.push_back(emitIndex(extent, item.context->range));
    if (!grid.back())
      return Flow::Normal;
  }
  LaunchState state;
  state.op = tile::LaunchOp::create(b, loc(item.context->range), grid,
                                    spec.threads, 0, false);
  mlir::Block &body = state.op.getBody().emplaceBlock();
  for (size_t i = 0; i < grid.size(); ++i)
    body.addArgument(b.getI32Type(), loc(item.context->range));
  b.setInsertionPointToEnd(&body);
  state.prologueEnd = mlir::arith::ConstantOp::create(
      b, loc(item.context->range), b.getBoolAttr(false));
  b.setInsertionPointToEnd(&body);

  launch = &state;
  ++launchCount;
  size_t mark = journal.size();
  Flow flow = Flow::Normal;
  bool bound = true;
  unsigned region = lastRegion + 1;
  executeRegion({}, /*isLoop=*/false, [&] {
    bound = bindBlockIndices(item.target, &body, spec);
    if (!bound)
      return;
    jumps.push_back(prepareReturns(stmt->body, item.context->range));
    flow = execute(stmt->body);
    jumps.pop_back();
  });
  launch = nullptr;
  endLaunch(mark, region);
  state.prologueEnd->erase();
  b.setInsertionPointAfter(state.op);
  return flow == Flow::Return ? flow : Flow::Normal;
}

/// Values of the block end with it; what was known at compile time stays.
void Elaborator::endLaunch(size_t mark, unsigned region) {
  for (size_t i = mark; i < journal.size(); ++i) {
    Binding *binding = journal[i].scope->findLocal(journal[i].name);
    if (!binding || binding->region != region)
      continue;
    const Value &value = binding->value;
    bool stays = value.isNumber() || value.isNone() || value.isPoison() ||
                 value.is(Kind::String) || value.is(Kind::Dtype) ||
                 value.is(Kind::Symbolic) || value.is(Kind::Function);
    if (stays)
      binding->region = 0;
  }
  journal.resize(mark);
}

Value Elaborator::allocate(llvm::StringRef name, std::vector<int64_t> shape,
                           Dtype dtype, tile::Space space,
                           llvm::SMRange range) {
  auto saved = prologuePoint();
  auto op = tile::AllocOp::create(
      b, loc(range),
      tile::getBufferType(shape, dtype.elementType(context), space),
      name.empty() ? "buffer" : name, nullptr, nullptr, nullptr);
  b.restoreInsertionPoint(saved);
  BufferObject buffer;
  buffer.name = name.str();
  buffer.value = op.getResult();
  buffer.dtype = dtype;
  buffer.space = space;
  buffer.range = range;
  for (int64_t size : shape)
    buffer.shape.push_back(Value::ofInt(size));
  return Value::make(Kind::Buffer, std::move(buffer));
}

} // namespace tlc::frontend
