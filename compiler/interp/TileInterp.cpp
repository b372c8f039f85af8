// Arguments of a run: checks, dynamic sizes, scalars.
#include "compiler/interp/TileInterp.h"

#include "compiler/interp/TileInterpMachine.h"
#include "dialects/tile/Workspaces.h"

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>
#include <new>

using namespace mlir;
using namespace tlc::interp;
namespace tile = tlc::tile;

/// Bytes of a workspace; more are an error instead of a machine that swaps.
static constexpr int64_t kMaxWorkspace = int64_t(1) << 34;

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

/// The argument for the integer parameter of that name, if there is one.
static std::optional<int64_t>
numberOf(tile::KernelOp kernel, ArrayRef<ArgValue> args, Attribute name) {
  for (auto [i, arg] : llvm::enumerate(args))
    if (auto *integer = std::get_if<int64_t>(&arg);
        integer && i < kernel.getNumParams() &&
        kernel.getParamNames()[i] == name)
      return *integer;
  return std::nullopt;
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
      size = numberOf(kernel, args, kernel.getSymbolNames()[i]);
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

/// The tensor of a workspace with memory that nothing has written; nothing
/// after an error.
static std::unique_ptr<uint8_t[]>
makeWorkspace(tile::KernelOp kernel, unsigned param, TensorArg &tensor) {
  auto fail = [&](const Twine &text) {
    kernel.emitError() << "workspace '" << kernel.getArgName(param)
                       << "' of the shape " << shapeText(tensor.shape) << " "
                       << text.str();
    return nullptr;
  };
  auto type = cast<MemRefType>(kernel.getParam(param).getType());
  int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  bool isEmpty = llvm::is_contained(tensor.shape, 0);
  for (int64_t extent : tensor.shape) {
    if (extent < 0)
      return fail("has a negative size");
    if (!isEmpty &&
        (llvm::MulOverflow(bytes, extent, bytes) || bytes > kMaxWorkspace))
      return fail("is larger than this device's memory");
  }
  if (isEmpty)
    bytes = 1;
  std::unique_ptr<uint8_t[]> memory(new (std::nothrow) uint8_t[bytes]);
  if (!memory)
    return fail("is larger than this device's memory");
  std::memset(memory.get(), 0xff, bytes);
  tensor.data = memory.get();
  return memory;
}

LogicalResult WorkspaceMemory::add(tile::KernelOp kernel,
                                   ArrayRef<int64_t> sizes,
                                   SmallVectorImpl<ArgValue> &args) {
  if (args.size() != tile::getNumPassed(kernel) ||
      sizes.size() != kernel.getSymbolNames().size())
    return success();
  for (unsigned i = args.size(); i < kernel.getNumParams(); ++i) {
    TensorArg tensor;
    tensor.shape.assign(evaluateShape(kernel, i, sizes));
    memory.push_back(makeWorkspace(kernel, i, tensor));
    if (!memory.back())
      return failure();
    args.push_back(std::move(tensor));
  }
  return success();
}

static void bindArguments(Machine &machine, tile::KernelOp kernel,
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
  SmallVector<ArgValue> all(args);
  WorkspaceMemory workspaces;
  if (failed(workspaces.add(kernel, symbols, all)) ||
      failed(checkArguments(kernel, all, symbols)))
    return failure();
  FailureOr<Program> program = buildProgram(kernel);
  if (failed(program))
    return failure();
  Machine machine(*program, options);
  bindArguments(machine, kernel, all, symbols);
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
