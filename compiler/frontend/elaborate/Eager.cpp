// Eager style: a @tilelang.jit function whose own body is the kernel. Bare
// annotations in the body type its tensors, T.empty makes outputs, the other
// parameters and T.const sizes are compile-time values.
#include "compiler/frontend/elaborate/Elaborator.h"

#include "llvm/Support/SaveAndRestore.h"

namespace tlc::frontend {

/// `A: T.Tensor(...)` on its own.
static const ast::Name *annotated(const ast::Stmt *stmt) {
  auto *a = llvm::dyn_cast<ast::AnnAssign>(stmt);
  return a && !a->value ? llvm::dyn_cast<ast::Name>(a->target) : nullptr;
}

/// Parameters that are not tensors get their -D value or default.
bool Elaborator::bindConstants(FunctionObject &function,
                               const llvm::StringSet<> &tensors) {
  bool good = true;
  for (auto [param, missing] :
       llvm::zip(function.params(), function.defaults)) {
    if (tensors.contains(param.name.name))
      continue;
    std::optional<Value> value = define(param.name.name);
    if (!value && param.defaultValue)
      value = missing;
    if (!value) {
      error(Diag::MissingParameter, param.name.range)
          << param.name.name << function.name() << param.name.name;
      good = false;
      continue;
    }
    bind(param.name.name, *value, param.name.range);
  }
  return good;
}

bool Elaborator::annotateTensor(const ast::AnnAssign *stmt,
                                std::vector<Param> &params) {
  auto *name = llvm::cast<ast::Name>(stmt->target);
  Value type = eval(stmt->annotation);
  Param param;
  param.name = name->id.str();
  param.range = name->range;
  if (type.is(Kind::TensorType)) {
    param.isTensor = true;
    param.dtype = type.as<TensorTypeObject>().dtype;
    param.shape = type.as<TensorTypeObject>().shape;
  } else if (auto dtype = toDtype(type)) {
    param.dtype = *dtype;
  } else {
    typeError(stmt->annotation->range, "the type of '" + param.name + "'",
              "a T.Tensor(...) or an element type", type);
    return false;
  }
  params.push_back(std::move(param));
  return true;
}

/// All outputs are returned, in the order in which they were made.
bool Elaborator::checkReturn(const Value &result, llvm::SMRange range) {
  std::vector<Value> items;
  if (result.isSequence())
    items = result.items();
  else if (!result.isNone())
    items.push_back(result);
  bool good = items.size() == outputs.size() &&
              llvm::all_of(llvm::zip(items, outputs), [](auto pair) {
                return std::get<0>(pair).object == std::get<1>(pair);
              });
  if (!good && !result.isPoison())
    error(Diag::TypeMismatch, range)
        << "what the kernel returns" << "its T.empty tensors in order"
        << (result.isNone() ? "nothing" : describe(result));
  return good;
}

void Elaborator::elaborateEager(FunctionObject &function,
                                mlir::ModuleOp module) {
  ast::Block body = function.def->body;
  llvm::StringSet<> tensors;
  for (const ast::Stmt *stmt : body)
    if (const ast::Name *name = annotated(stmt))
      tensors.insert(name->id);

  Frame activation;
  activation.scope = makeScope(function.closure);
  activation.name = "the kernel '" + function.name().str() + "'";
  llvm::SaveAndRestore saved(frame, &activation);
  llvm::SaveAndRestore eager(isEager, true);
  outputs.clear();
  workspaces.clear();
  if (!bindConstants(function, tensors))
    return;

  // Up to the first T.Kernel the body is ordinary Python.
  std::vector<Param> annotations;
  size_t next = 0;
  for (; next < body.size() && body[next]->kind != ast::StmtKind::With;
       ++next) {
    if (annotated(body[next])) {
      if (!annotateTensor(llvm::cast<ast::AnnAssign>(body[next]), annotations))
        return;
    } else if (execute(body[next]) != Flow::Normal) {
      return;
    }
  }
  std::vector<Param> params;
  for (const ast::Parameter &p : function.params())
    for (Param &param : annotations)
      if (param.name == p.name.name)
        params.push_back(param);
  for (auto &output : outputs) {
    Param param;
    param.name = output->name;
    param.range = output->range;
    param.dtype = output->dtype;
    param.isTensor = true;
    param.shape = output->shape;
    param.output = output;
    params.push_back(param);
  }
  if (diags.hasErrors() ||
      !beginKernel(function.name(), function.range(), params, module))
    return;
  activation.traced = true;
  execute(body.drop_front(next));
  endKernel(function.name(), function.range());
  if (!diags.hasErrors())
    checkReturn(activation.result, function.range());
}

} // namespace tlc::frontend
