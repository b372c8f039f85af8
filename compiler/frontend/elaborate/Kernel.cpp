// A prim_func becomes a tile.kernel: parameters, sizes known at launch,
// T.Kernel blocks and allocations.
#include "compiler/frontend/elaborate/Elaborator.h"

#include "compiler/frontend/builtins/Builtins.h"
#include "llvm/Support/SaveAndRestore.h"

namespace tlc::frontend {

/// Reads the annotations. They see the names around the function and, as
/// sizes, the integer parameters before them.
bool Elaborator::bindParams(FunctionObject &function,
                            std::vector<Param> &params) {
  Frame annotations;
  annotations.scope = makeScope(function.closure);
  annotations.name = "the kernel '" + function.name().str() + "'";
  llvm::SaveAndRestore saved(frame, &annotations);
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

bool Elaborator::checkRanks(llvm::ArrayRef<Param> params) {
  bool good = true;
  for (const Param &param : params)
    if (param.shape.size() > kMaxTensorRank) {
      error(Diag::TensorRank, param.range)
          << param.name << std::to_string(param.shape.size())
          << std::to_string(kMaxTensorRank);
      good = false;
    }
  return good;
}

/// Creates the op with its arguments; parameters get their values in `frame`.
/// False after an error.
bool Elaborator::beginKernel(llvm::StringRef name, llvm::SMRange range,
                             llvm::MutableArrayRef<Param> params,
                             mlir::ModuleOp module) {
  std::vector<unsigned> order;
  if (!checkRanks(params) || !collectSymbols(params, order))
    return false;
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

  std::string unique = name.str();
  while (module.lookupSymbol(unique))
    unique += "_";
  b.setInsertionPointToEnd(module.getBody());
  kernel = tile::KernelOp::create(b, loc(range), b.getStringAttr(unique),
                                  b.getArrayAttr(names), b.getArrayAttr(shapes),
                                  b.getArrayAttr(symbolNames), nullptr,
                                  fastMath ? b.getUnitAttr() : nullptr);
  mlir::Block &body = kernel.getBody().emplaceBlock();
  for (Param &param : params)
    frame->scope->set(param.name,
                      {bindParam(param, body), 0, 0, param.range, false});
  for (unsigned s : order)
    symbols[s].value =
        body.addArgument(b.getI32Type(), namedLoc(symbols[s].name, range));
  b.setInsertionPointToEnd(&body);
  preludes.clear();
  launchCount = 0;
  return true;
}

/// Adds the block argument of a parameter and gives what its name stands for.
Value Elaborator::bindParam(Param &param, mlir::Block &body) {
  mlir::Location l = namedLoc(param.name, param.range);
  if (param.isTensor) {
    auto buffer =
        param.output ? param.output : std::make_shared<BufferObject>();
    buffer->name = param.name;
    buffer->dtype = param.dtype;
    buffer->shape = param.shape;
    buffer->range = param.range;
    llvm::SmallVector<int64_t> sizes;
    for (const Value &size : param.shape)
      sizes.push_back(size.is(Kind::Int) ? size.integer
                                         : mlir::ShapedType::kDynamic);
    buffer->value = body.addArgument(
        tile::getBufferType(sizes, param.dtype.elementType(context),
                            tile::Space::Global),
        l);
    return Value::ofObject(Kind::Buffer, buffer);
  }
  mlir::Value arg = body.addArgument(param.dtype.scalarType(context), l);
  if (param.dtype != Dtype(DtypeKind::Int32))
    return makeScalar(arg, param.dtype);
  symbols.push_back({param.name, true, arg});
  return Value::ofSymbolic(
      mlir::getAffineSymbolExpr(symbols.size() - 1, context));
}

void Elaborator::endKernel(llvm::StringRef name, llvm::SMRange range) {
  if (launchCount == 0 && !diags.hasErrors())
    error(Diag::NoLaunch, range) << name;
  if (!preludes.empty())
    kernel.setPrelude(llvm::join(preludes, "\n"));
  for (Symbol &s : symbols)
    s.value = nullptr;
  workspaces.clear();
  kernel = nullptr;
}

void Elaborator::elaborateKernel(FunctionObject &function,
                                 mlir::ModuleOp module) {
  std::vector<Param> params;
  if (!bindParams(function, params))
    return;
  workspaces.clear();
  Frame activation;
  activation.scope = makeScope(function.closure);
  activation.traced = true;
  activation.name = "the kernel '" + function.name().str() + "'";
  llvm::SaveAndRestore saved(frame, &activation);
  if (!beginKernel(function.name(), function.range(), params, module))
    return;
  execute(function.def->body);
  endKernel(function.name(), function.range());
}

} // namespace tlc::frontend
