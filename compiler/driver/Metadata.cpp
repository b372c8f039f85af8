// Launch metadata as JSON.
#include "compiler/driver/Metadata.h"

#include "compiler/transforms/UserText.h"

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using llvm::json::Array;
using llvm::json::Object;
using Json = llvm::json::Value;

namespace tlc {

static Json binary(StringRef op, Json lhs, Json rhs) {
  return Array{op.str(), std::move(lhs), std::move(rhs)};
}

Json toJson(AffineExpr expr, ArrayRef<std::string> symbols) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  auto op = cast<AffineBinaryOpExpr>(expr);
  Json lhs = toJson(op.getLHS(), symbols), rhs = toJson(op.getRHS(), symbols);
  switch (op.getKind()) {
  case AffineExprKind::Add:
    return binary("+", std::move(lhs), std::move(rhs));
  case AffineExprKind::Mul:
    return binary("*", std::move(lhs), std::move(rhs));
  case AffineExprKind::FloorDiv:
    return binary("floordiv", std::move(lhs), std::move(rhs));
  case AffineExprKind::CeilDiv:
    return binary("ceildiv", std::move(lhs), std::move(rhs));
  default:
    return binary("mod", std::move(lhs), std::move(rhs));
  }
}

/// The operator of the format that a host op is, or an empty string.
static StringRef hostOperator(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case([](arith::AddIOp) { return "+"; })
      .Case([](arith::SubIOp) { return "-"; })
      .Case([](arith::MulIOp) { return "*"; })
      .Case<arith::FloorDivSIOp>([](auto) { return "floordiv"; })
      .Case<arith::CeilDivSIOp>([](auto) { return "ceildiv"; })
      .Case([](arith::MinSIOp) { return "min"; })
      .Case([](arith::MaxSIOp) { return "max"; })
      .Default([](Operation *) { return ""; });
}

/// Truncating division by a positive constant from floor divisions:
/// a / d = max(a, 0) // d - max(-a, 0) // d.
static Json truncatedDivision(Json a, int64_t d) {
  Json negated = binary("-", 0, a);
  return binary("-", binary("floordiv", binary("max", std::move(a), 0), d),
                binary("floordiv", binary("max", std::move(negated), 0), d));
}

FailureOr<Json> toJson(mlir::Value value, tile::KernelOp kernel) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return Json(constant.getSExtValue());
  if (auto arg = dyn_cast<BlockArgument>(value);
      arg && arg.getOwner() == &kernel.getBody().front())
    return Json(kernel.getArgName(arg.getArgNumber()));
  Operation *op = value.getDefiningOp();
  auto refuse = [&]() -> FailureOr<Json> {
    if (!op)
      return kernel.emitError("the grid depends on a value that the host does "
                              "not have");
    return op->emitError("the host cannot compute this part of the grid: only "
                         "sizes, scalar parameters and integer arithmetic can "
                         "be used");
  };
  if (!op)
    return refuse();
  if (isa<arith::ExtSIOp, arith::TruncIOp, arith::IndexCastOp>(op))
    return toJson(op->getOperand(0), kernel);
  if (op->getNumOperands() != 2)
    return refuse();
  APInt divisor;
  bool constantRhs = matchPattern(op->getOperand(1), m_ConstantInt(&divisor));
  StringRef name = hostOperator(op);
  FailureOr<Json> lhs = toJson(op->getOperand(0), kernel);
  FailureOr<Json> rhs = toJson(op->getOperand(1), kernel);
  if (failed(lhs) || failed(rhs))
    return failure();
  if (!name.empty())
    return binary(name, std::move(*lhs), std::move(*rhs));
  if (!constantRhs)
    return refuse();
  int64_t d = divisor.getSExtValue();
  if (isa<arith::DivSIOp>(op) && d > 0)
    return truncatedDivision(std::move(*lhs), d);
  if (isa<arith::RemSIOp>(op) && d > 0)
    return binary("-", *lhs, binary("*", truncatedDivision(*lhs, d), d));
  if (isa<arith::ShLIOp>(op) && d >= 0 && d < 31)
    return binary("*", std::move(*lhs), int64_t(1) << d);
  if (isa<arith::ShRSIOp>(op) && d >= 0 && d < 31)
    return binary("floordiv", std::move(*lhs), int64_t(1) << d);
  return refuse();
}

/// "r", "w", "rw" or "none" for each parameter.
static SmallVector<std::string> accesses(tile::KernelOp kernel) {
  SmallVector<unsigned> seen(kernel.getNumParams(), 0);
  SmallVector<tile::Effect> effects;
  kernel.walk([&](tile::EffectsOpInterface op) { op.getTileEffects(effects); });
  for (const tile::Effect &effect : effects) {
    auto arg = dyn_cast<BlockArgument>(effect.buffer);
    if (arg && arg.getOwner() == &kernel.getBody().front())
      seen[arg.getArgNumber()] |= effect.kind == tile::AccessKind::Read ? 1 : 2;
  }
  static const char *const names[] = {"none", "r", "w", "rw"};
  SmallVector<std::string> result;
  for (unsigned bits : seen)
    result.push_back(names[bits]);
  return result;
}

KernelSignature describeSignature(tile::KernelOp kernel) {
  KernelSignature result;
  result.name = kernel.getSymName().str();
  std::vector<std::string> symbols;
  for (Attribute name : kernel.getSymbolNames()) {
    symbols.push_back(cast<StringAttr>(name).getValue().str());
    result.symbols.push_back(Object{{"name", symbols.back()}});
  }
  SmallVector<std::string> access = accesses(kernel);
  for (unsigned i = 0; i < kernel.getNumParams(); ++i) {
    Type type = kernel.getParam(i).getType();
    auto memref = dyn_cast<MemRefType>(type);
    Object param{
        {"name", kernel.getArgName(i).str()},
        {"kind", memref ? "tensor" : "scalar"},
        {"dtype", tile::dtypeName(memref ? memref.getElementType() : type)}};
    if (memref) {
      Array shape;
      for (AffineExpr extent : kernel.getParamShape(i).getResults())
        shape.push_back(toJson(extent, symbols));
      param["shape"] = std::move(shape);
      param["access"] = access[i];
    }
    result.params.push_back(std::move(param));
  }
  return result;
}

static FailureOr<Object> toJson(const DeviceFunction &function,
                                tile::KernelOp kernel) {
  Array grid;
  for (mlir::Value extent : function.grid) {
    FailureOr<Json> expr = toJson(extent, kernel);
    if (failed(expr))
      return failure();
    grid.push_back(std::move(*expr));
  }
  while (grid.size() < 3)
    grid.push_back(1);
  Array args;
  for (const DeviceArgument &arg : function.args)
    args.push_back(Object(arg));
  return Object{
      {"symbol", function.symbol},      {"grid", std::move(grid)},
      {"block", Array(function.block)}, {"shared_bytes", function.sharedBytes},
      {"cooperative", false},           {"args", std::move(args)}};
}

static Object toJson(const nvrtc::KernelUsage &usage) {
  Object result;
  auto add = [&](StringRef key, const std::optional<int64_t> &figure) {
    if (figure)
      result[key] = *figure;
  };
  add("registers", usage.registers);
  add("spill_store_bytes", usage.spillStoreBytes);
  add("spill_load_bytes", usage.spillLoadBytes);
  add("stack_bytes", usage.stackBytes);
  add("static_shared_bytes", usage.staticSharedBytes);
  add("constant_bytes", usage.constantBytes);
  add("barriers", usage.barriers);
  return result;
}

FailureOr<std::string> writeMetadata(tile::KernelOp kernel,
                                     const KernelSignature &signature,
                                     StringRef target,
                                     ArrayRef<DeviceFunction> functions,
                                     ArrayRef<nvrtc::KernelUsage> usage) {
  Array launches;
  for (const DeviceFunction &function : functions) {
    FailureOr<Object> launch = toJson(function, kernel);
    if (failed(launch))
      return failure();
    launches.push_back(std::move(*launch));
  }
  Object resources;
  for (const nvrtc::KernelUsage &figures : usage)
    resources[figures.symbol] = toJson(figures);
  // Objects print their members sorted by name, so equal kernels give equal
  // bytes.
  Json file = Object{{"version", 1},
                      {"target", target.str()},
                      {"name", signature.name},
                      {"params", Array(signature.params)},
                      {"symbols", Array(signature.symbols)},
                      {"launches", std::move(launches)},
                      {"resources", std::move(resources)}};
  std::string text;
  llvm::raw_string_ostream(text) << llvm::formatv("{0:2}", file) << "\n";
  return text;
}

} // namespace tlc
