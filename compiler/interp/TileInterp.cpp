// Arguments of a run: checks, dynamic sizes, scalars.
#include "compiler/interp/TileInterp.h"

#include "compiler/interp/TileInterpMachine.h"

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"

using namespace mlir;
using namespace tlc::interp;
namespace tile = tlc::tile;

/// Dimensions of parameter `i` for the given sizes.
static SmallVector<int64_t> evaluateShape(tile::KernelOp kernel, unsigned i,
                                          ArrayRef<int64_t> sizes) {
  MLIRContext *context = kernel.getContext();
  SmallVector<AffineExpr> values;
  for (int64_t v : sizes)
    values.push_back(getAffineConstantExpr(v, context));
  SmallVector<int64_t> shape;
  for (AffineExpr e : kernel.getParamShape(i).getResults()) {
    AffineExpr folded =
        simplifyAffineExpr(e.replaceSymbols(values), 0, values.size());
    auto constant = dyn_cast<AffineConstantExpr>(folded);
    shape.push_back(constant ? constant.getValue() : -1);
  }
  return shape;
}

/// Solves `expr` == `value` for the only unknown size, if that is possible:
/// sums and products with known values are taken apart. Returns whether a size
/// became known.
static bool solveOne(AffineExpr expr, int64_t value,
                     SmallVectorImpl<std::optional<int64_t>> &sizes) {
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
    auto &size = sizes[symbol.getPosition()];
    if (size)
      return false;
    size = value;
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  auto constant =
      binary ? dyn_cast<AffineConstantExpr>(binary.getRHS()) : nullptr;
  if (!constant)
    return false;
  int64_t c = constant.getValue();
  if (binary.getKind() == AffineExprKind::Add)
    return solveOne(binary.getLHS(), value - c, sizes);
  if (binary.getKind() == AffineExprKind::Mul && c != 0 && value % c == 0)
    return solveOne(binary.getLHS(), value / c, sizes);
  return false;
}

FailureOr<SmallVector<int64_t>>
tlc::interp::solveSizes(tile::KernelOp kernel, ArrayRef<ArgValue> args) {
  SmallVector<std::optional<int64_t>> sizes(kernel.getSymbolNames().size());
  MLIRContext *context = kernel.getContext();
  for (bool changed = true; changed;) {
    changed = false;
    SmallVector<AffineExpr> known;
    for (auto [i, size] : llvm::enumerate(sizes))
      known.push_back(size ? getAffineConstantExpr(*size, context)
                           : getAffineSymbolExpr(i, context));
    for (unsigned i = 0;
         i < std::min<size_t>(args.size(), kernel.getNumParams()); ++i) {
      auto *tensor = std::get_if<TensorArg>(&args[i]);
      AffineMap map = kernel.getParamShape(i);
      if (!tensor || tensor->shape.size() != map.getNumResults())
        continue;
      for (auto [expr, dim] : llvm::zip(map.getResults(), tensor->shape))
        changed |= solveOne(expr.replaceSymbols(known), dim, sizes);
    }
  }
  SmallVector<int64_t> result;
  for (auto [i, size] : llvm::enumerate(sizes)) {
    if (!size)
      return kernel.emitError()
             << "no argument determines the size '"
             << kernel.getArgName(kernel.getNumParams() + i) << "'";
    result.push_back(*size);
  }
  return result;
}

static std::string shapeText(ArrayRef<int64_t> shape) {
  std::string text = "(";
  for (auto [i, d] : llvm::enumerate(shape))
    text += (i ? ", " : "") + std::to_string(d);
  return text + (shape.size() == 1 ? ",)" : ")");
}

static LogicalResult checkTensor(tile::KernelOp kernel, unsigned i,
                                 const TensorArg &tensor,
                                 ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> expected = evaluateShape(kernel, i, sizes);
  if (!llvm::equal(expected, tensor.shape))
    return kernel.emitError()
           << "argument '" << kernel.getArgName(i) << "': expected the shape "
           << shapeText(expected) << ", got " << shapeText(tensor.shape);
  bool empty = llvm::is_contained(tensor.shape, 0);
  if (!tensor.data && !empty)
    return kernel.emitError()
           << "argument '" << kernel.getArgName(i) << "' has no memory";
  if (!tensor.strides.empty() && tensor.strides.size() != tensor.shape.size())
    return kernel.emitError() << "argument '" << kernel.getArgName(i)
                              << "': as many strides as dimensions are needed";
  return success();
}

Cell tlc::interp::scalarCell(const ArgValue &value, Type type) {
  Cell c;
  c.i = 0;
  if (auto *integer = std::get_if<int64_t>(&value)) {
    c.i = *integer;
    return convert(c, Elem::I64, *elemOf(type));
  }
  c.d = std::get<double>(value);
  return convert(c, Elem::F64, *elemOf(type));
}

LogicalResult tlc::interp::checkArguments(tile::KernelOp kernel,
                                          ArrayRef<ArgValue> args,
                                          ArrayRef<int64_t> sizes) {
  if (args.size() != kernel.getNumParams())
    return kernel.emitError() << "expected " << kernel.getNumParams()
                              << " arguments, got " << args.size();
  if (sizes.size() != kernel.getSymbolNames().size())
    return kernel.emitError() << "expected " << kernel.getSymbolNames().size()
                              << " sizes, got " << sizes.size();
  for (auto [i, arg] : llvm::enumerate(args)) {
    auto *tensor = std::get_if<TensorArg>(&arg);
    if (isa<MemRefType>(kernel.getParam(i).getType()) != (tensor != nullptr))
      return kernel.emitError()
             << "argument '" << kernel.getArgName(i) << "': expected a "
             << (tensor ? "number" : "tensor");
    if (tensor && failed(checkTensor(kernel, i, *tensor, sizes)))
      return failure();
  }
  return success();
}

static void bind(Machine &machine, tile::KernelOp kernel,
                 ArrayRef<ArgValue> args, ArrayRef<int64_t> sizes) {
  for (auto [i, arg] : llvm::enumerate(args)) {
    if (auto *tensor = std::get_if<TensorArg>(&arg))
      machine.bindTensor(i, *tensor);
    else
      machine.bindCell(i, scalarCell(arg, kernel.getParam(i).getType()));
  }
  for (auto [i, size] : llvm::enumerate(sizes)) {
    Cell c;
    c.i = size;
    machine.bindCell(kernel.getNumParams() + i, c);
  }
}

LogicalResult tlc::interp::interpret(tile::KernelOp kernel,
                                     ArrayRef<ArgValue> args,
                                     ArrayRef<int64_t> symbols,
                                     const InterpOptions &options) {
  if (failed(checkArguments(kernel, args, symbols)))
    return failure();
  FailureOr<Program> program = buildProgram(kernel);
  if (failed(program))
    return failure();
  Machine machine(*program, options);
  bind(machine, kernel, args, symbols);
  return machine.run();
}

LogicalResult tlc::interp::interpret(tile::KernelOp kernel,
                                     ArrayRef<ArgValue> args,
                                     const InterpOptions &options) {
  FailureOr<SmallVector<int64_t>> sizes = solveSizes(kernel, args);
  if (failed(sizes))
    return failure();
  return interpret(kernel, args, *sizes, options);
}
