// A prim_func becomes a tile.kernel: parameters, sizes known at launch,
// T.Kernel blocks and allocations.
#include "compiler/frontend/elaborate/Elaborator.h"

#include "compiler/frontend/builtins/Builtins.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/ScopeExit.h"

namespace tlc::frontend {

struct Elaborator::Param {
  std::string name;
  llvm::SMRange range;
  Dtype dtype;
  bool isTensor = false;
  std::vector<Value> shape;
};

/// Reads the annotations. They see the names around the function and, as
/// sizes, the integer parameters before them.
bool Elaborator::bindParams(FunctionObject &function,
                            std::vector<Param> &params) {
  Frame annotations;
  annotations.scope = std::make_shared<Scope>(function.closure);
  annotations.name = "the kernel '" + function.name().str() + "'";
  Frame *saved = frame;
  frame = &annotations;
  llvm::scope_exit leave([&] { frame = saved; });
  bool good = true;
  for (const ast::Parameter &p : function.params()) {
    Param param;
    param.name = p.name.name.str();
    param.range = p.name.range;
    if (!p.annotation) {
      error(Diag::MissingAnnotation, p.name.range) << param.name << param.name;
      good = false;
      continue;
    }
    Value type = eval(p.annotation);
    if (type.is(Kind::TensorType)) {
      auto &tensor = type.as<TensorTypeObject>();
      param.isTensor = true;
      param.dtype = tensor.dtype;
      param.shape = tensor.shape;
    } else if (auto dtype = toDtype(type)) {
      param.dtype = *dtype;
      if (param.dtype == Dtype(DtypeKind::Handle)) {
        unsupported(p.annotation->range, "a pointer parameter");
        good = false;
        continue;
      }
      if (param.dtype.isInt() && !annotations.scope->find(param.name) &&
          !lookupModule(param.name, std::nullopt))
        annotations.scope->set(param.name,
                               {symbol(param.name), 0, 0, param.range, false});
    } else {
      if (!type.isPoison())
        typeError(p.annotation->range, "the type of '" + param.name + "'",
                  "a T.Tensor(...) or an element type", type);
      good = false;
      continue;
    }
    params.push_back(std::move(param));
  }
  return good;
}

/// The symbols of an expression in the order of their first use; `isLinear` is
/// cleared if it is more than a sum of multiples of them.
static void findSymbols(mlir::AffineExpr expr, std::vector<unsigned> &order,
                        bool &isLinear) {
  if (auto s = llvm::dyn_cast<mlir::AffineSymbolExpr>(expr)) {
    if (!llvm::is_contained(order, s.getPosition()))
      order.push_back(s.getPosition());
    return;
  }
  auto op = llvm::dyn_cast<mlir::AffineBinaryOpExpr>(expr);
  if (!op)
    return;
  bool isSum = expr.getKind() == mlir::AffineExprKind::Add;
  bool isMultiple = expr.getKind() == mlir::AffineExprKind::Mul &&
                    llvm::isa<mlir::AffineConstantExpr>(op.getRHS());
  isLinear &= isSum || isMultiple;
  findSymbols(op.getLHS(), order, isLinear);
  findSymbols(op.getRHS(), order, isLinear);
}

/// The sizes that shapes use, in order of appearance. Each must follow from
/// actual shapes: some dimension is linear in it and otherwise known.
bool Elaborator::collectSymbols(llvm::ArrayRef<Param> params,
                                std::vector<unsigned> &order) {
  std::vector<std::vector<unsigned>> linear;
  llvm::DenseMap<unsigned, llvm::SMRange> where;
  for (const Param &param : params)
    for (const Value &size : param.shape) {
      if (!size.is(Kind::Symbolic))
        continue;
      std::vector<unsigned> used;
      bool isLinear = true;
      findSymbols(size.symbolic, used, isLinear);
      for (unsigned s : used) {
        where.try_emplace(s, param.range);
        if (!llvm::is_contained(order, s))
          order.push_back(s);
      }
      if (isLinear)
        linear.push_back(used);
    }
  llvm::DenseMap<unsigned, bool> known;
  for (bool changed = true; changed;) {
    changed = false;
    for (auto &used : linear) {
      llvm::erase_if(used, [&](unsigned s) { return known.contains(s); });
      if (used.size() == 1)
        changed |= known.try_emplace(used[0], true).second;
    }
  }
  bool good = true;
  for (unsigned s : order)
    if (!known.contains(s)) {
      error(Diag::UndeterminedSymbol, where[s]) << symbols[s].name;
      good = false;
    }
  return good;
}

void Elaborator::elaborateKernel(FunctionObject &function,
                                 mlir::ModuleOp module) {
  std::vector<Param> params;
  std::vector<unsigned> order;
  if (!bindParams(function, params) || !collectSymbols(params, order))
    return;

  // Symbols of the language are numbered in the order of T.dynamic, those of
  // the kernel in the order of `order`.
  llvm::SmallVector<mlir::AffineExpr> renumbered(
      symbols.size(), mlir::getAffineConstantExpr(0, context));
  for (auto [i, s] : llvm::enumerate(order))
    renumbered[s] = mlir::getAffineSymbolExpr(i, context);
  llvm::SmallVector<mlir::Attribute> names, shapes, symbolNames;
  for (const Param &param : params) {
    llvm::SmallVector<mlir::AffineExpr> sizes;
    for (const Value &size : param.shape)
      sizes.push_back(size.is(Kind::Symbolic)
                          ? size.symbolic.replaceSymbols(renumbered)
                          : mlir::getAffineConstantExpr(size.integer, context));
    names.push_back(b.getStringAttr(param.name));
    shapes.push_back(mlir::AffineMapAttr::get(
        mlir::AffineMap::get(0, order.size(), sizes, context)));
  }
  for (unsigned s : order)
    symbolNames.push_back(b.getStringAttr(symbols[s].name));

  std::string name = function.name().str();
  while (module.lookupSymbol(name))
    name += "_";
  b.setInsertionPointToEnd(module.getBody());
  kernel = tile::KernelOp::create(
      b, loc(function.range()), b.getStringAttr(name), b.getArrayAttr(names),
      b.getArrayAttr(shapes), b.getArrayAttr(symbolNames), nullptr,
      fastMath ? b.getUnitAttr() : nullptr);
  mlir::Block &body = kernel.getBody().emplaceBlock();

  Frame activation;
  activation.scope = std::make_shared<Scope>(function.closure);
  activation.traced = true;
  activation.name = "the kernel '" + function.name().str() + "'";
  frame = &activation;
  for (const Param &param : params) {
    mlir::Location l = namedLoc(param.name, param.range);
    Value value;
    if (param.isTensor) {
      BufferObject buffer;
      buffer.name = param.name;
      buffer.dtype = param.dtype;
      buffer.shape = param.shape;
      buffer.range = param.range;
      llvm::SmallVector<int64_t> sizes;
      for (const Value &size : param.shape)
        sizes.push_back(size.is(Kind::Int) ? size.integer
                                           : mlir::ShapedType::kDynamic);
      buffer.value = body.addArgument(
          tile::getBufferType(sizes, param.dtype.elementType(context),
                              tile::Space::Global),
          l);
      value = Value::make(Kind::Buffer, std::move(buffer));
    } else {
      mlir::Value arg = body.addArgument(param.dtype.scalarType(context), l);
      if (param.dtype == Dtype(DtypeKind::Int32)) {
        value = Value::ofSymbolic(
            mlir::getAffineSymbolExpr(symbols.size(), context));
        symbols.push_back({param.name, true, arg});
      } else {
        value = makeScalar(arg, param.dtype);
      }
    }
    activation.scope->set(param.name, {value, 0, 0, param.range, false});
  }
  for (unsigned s : order)
    symbols[s].value = body.addArgument(
        b.getI32Type(), namedLoc(symbols[s].name, function.range()));

  b.setInsertionPointToEnd(&body);
  preludes.clear();
  launchCount = 0;
  execute(function.def->body);
  if (launchCount == 0 && !diags.hasErrors())
    error(Diag::NoLaunch, function.range()) << function.name();
  if (!preludes.empty())
    kernel.setPrelude(llvm::join(preludes, "\n"));
  for (Symbol &s : symbols)
    s.value = nullptr;
  frame = nullptr;
  kernel = nullptr;
}

// ---- T.Kernel ---------------------------------------------------------------

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
    if (bound)
      flow = execute(stmt->body);
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
      name.empty() ? "buffer" : name, nullptr, nullptr);
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
