#include "compiler/frontend/elaborate/Outputs.h"

#include "dialects/tile/Workspaces.h"

namespace tlc::frontend {

static const ast::Expr *outIdxOf(const ast::FunctionDef *def) {
  for (const ast::Expr *decorator : def->decorators)
    if (auto *call = llvm::dyn_cast<ast::Call>(decorator))
      if (auto *keyword = call->findKeyword("out_idx"))
        return keyword->value;
  return nullptr;
}

/// The parameter that one item of out_idx names; negative ones count from the
/// end.
static std::optional<int64_t> outputAt(Elaborator &e, const Value &item,
                                       tile::KernelOp kernel,
                                       llvm::SMRange range) {
  if (!item.is(Kind::Int)) {
    e.typeError(range, "out_idx", "an integer or a list of integers", item);
    return std::nullopt;
  }
  int64_t params = tile::getNumPassed(kernel), index = item.integer;
  if (index < -params || index >= params) {
    e.error(Diag::IndexOutOfRange, range)
        << std::to_string(index) << "the parameters" << std::to_string(params);
    return std::nullopt;
  }
  index = index < 0 ? index + params : index;
  if (llvm::isa<mlir::MemRefType>(kernel.getParam(index).getType()))
    return index;
  e.error(Diag::InvalidValue, range)
      << "out_idx"
      << "parameter '" + kernel.getArgName(index).str() + "' is no tensor";
  return std::nullopt;
}

static void markNamed(Elaborator &e, const ast::Expr *outIdx,
                      tile::KernelOp kernel) {
  Value value = e.eval(outIdx);
  if (value.isNone() || value.isPoison())
    return;
  std::vector<Value> items{value};
  if (value.isSequence())
    items = value.items();
  llvm::SmallVector<int64_t> outputs;
  for (const Value &item : items) {
    auto index = outputAt(e, item, kernel, outIdx->range);
    if (!index)
      return;
    if (llvm::is_contained(outputs, *index)) {
      e.error(Diag::InvalidValue, outIdx->range)
          << "out_idx"
          << "parameter '" + kernel.getArgName(*index).str() +
                 "' is listed twice";
      return;
    }
    outputs.push_back(*index);
  }
  kernel->setAttr("tile.outputs", e.b.getDenseI64ArrayAttr(outputs));
}

void markOutputs(Elaborator &e, const ast::FunctionDef *def,
                 tile::KernelOp kernel, bool isEager) {
  const ast::Expr *outIdx = outIdxOf(def);
  if (!isEager) {
    if (outIdx)
      markNamed(e, outIdx, kernel);
    return;
  }
  if (outIdx) {
    e.error(Diag::InvalidValue, outIdx->range)
        << "out_idx"
        << "this function is a kernel itself, whose outputs are its T.empty "
           "tensors";
    return;
  }
  // They come after the declared parameters.
  llvm::SmallVector<int64_t> outputs;
  for (size_t i = 0; i < e.outputs.size(); ++i)
    outputs.push_back(tile::getNumPassed(kernel) - e.outputs.size() + i);
  if (!outputs.empty())
    kernel->setAttr("tile.outputs", e.b.getDenseI64ArrayAttr(outputs));
}

} // namespace tlc::frontend
