// Launch metadata as JSON.
#include "compiler/driver/Metadata.h"

#include "compiler/transforms/UserText.h"
#include "dialects/tile/Workspaces.h"

#include "mlir/IR/AffineExpr.h"

using namespace mlir;
using llvm::json::Array;
using llvm::json::Object;
using Json = llvm::json::Value;

namespace tlc {

static Json binary(StringRef op, Json lhs, Json rhs) {
  return Array{op.str(), std::move(lhs), std::move(rhs)};
}

static Json toJson(AffineExpr expr, ArrayRef<std::string> symbols) {
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

static Json toJson(const cuda::SizeExpr &expr) {
  using Kind = cuda::SizeExpr::Kind;
  auto with = [&](StringRef op) {
    return binary(op, toJson(expr.operands[0]), toJson(expr.operands[1]));
  };
  switch (expr.kind) {
  case Kind::Constant:
    return expr.value;
  case Kind::Name:
    return expr.name;
  case Kind::Add:
    return with("+");
  case Kind::Sub:
    return with("-");
  case Kind::Mul:
    return with("*");
  case Kind::FloorDiv:
    return with("floordiv");
  case Kind::Mod:
    return with("mod");
  case Kind::CeilDiv:
    return with("ceildiv");
  case Kind::Min:
    return with("min");
  case Kind::Max:
    return with("max");
  }
  return 0;
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

static Array shapeOf(tile::KernelOp kernel, unsigned param,
                     ArrayRef<std::string> symbols) {
  Array shape;
  for (AffineExpr extent : kernel.getParamShape(param).getResults())
    shape.push_back(toJson(extent, symbols));
  return shape;
}

HostSignature describeSignature(tile::KernelOp kernel) {
  HostSignature result;
  result.name = kernel.getSymName().str();
  std::vector<std::string> symbols;
  for (Attribute name : kernel.getSymbolNames()) {
    symbols.push_back(cast<StringAttr>(name).getValue().str());
    result.symbols.push_back(Object{{"name", symbols.back()}});
  }
  SmallVector<std::string> access = accesses(kernel);
  unsigned passed = tile::getNumPassed(kernel);
  for (unsigned i = 0; i < passed; ++i) {
    Type type = kernel.getParam(i).getType();
    auto memref = dyn_cast<MemRefType>(type);
    Object param{
        {"name", kernel.getArgName(i).str()},
        {"kind", memref ? "tensor" : "scalar"},
        {"dtype", tile::dtypeName(memref ? memref.getElementType() : type)}};
    if (memref) {
      param["shape"] = shapeOf(kernel, i, symbols);
      param["access"] = access[i];
    }
    result.params.push_back(std::move(param));
  }
  for (unsigned i = passed; i < kernel.getNumParams(); ++i) {
    auto type = cast<MemRefType>(kernel.getParam(i).getType());
    result.workspaces.push_back(
        Object{{"name", kernel.getArgName(i).str()},
               {"dtype", tile::dtypeName(type.getElementType())},
               {"shape", shapeOf(kernel, i, symbols)}});
  }
  if (auto outputs = kernel->getAttrOfType<DenseI64ArrayAttr>("tile.outputs"))
    for (int64_t i : outputs.asArrayRef())
      result.outputs.push_back(kernel.getArgName(i).str());
  return result;
}

static Array toJson(ArrayRef<cuda::SizeExpr> list) {
  Array result;
  for (const cuda::SizeExpr &expr : list)
    result.push_back(toJson(expr));
  return result;
}

/// What a pointer or tensor map is of.
static StringRef baseKey(const cuda::KernelArg &arg) {
  return arg.isOfCall ? "workspace" : "param";
}

static Object tensorMap(const cuda::KernelArg &arg) {
  const cuda::TensorMapInfo &map = arg.tensorMap;
  std::string swizzle =
      map.swizzleBytes ? std::to_string(map.swizzleBytes) + "B" : "none";
  return Object{
      {"kind", "tensormap"},
      {baseKey(arg), arg.name},
      {"dtype", tile::dtypeName(map.element)},
      {"rank", static_cast<int64_t>(map.globalDims.size())},
      {"global_dims", toJson(ArrayRef(map.globalDims))},
      {"global_strides_bytes", toJson(ArrayRef(map.globalStridesBytes))},
      {"box", Array(map.box)},
      {"element_strides", Array(std::vector<int64_t>(map.box.size(), 1))},
      {"swizzle", swizzle},
      {"l2_promotion", "256B"},
      {"oob_fill", "zero"}};
}

static Object toJson(const cuda::KernelArg &arg) {
  switch (arg.kind) {
  case cuda::KernelArg::Kind::Pointer:
    return Object{{"kind", "pointer"},
                  {baseKey(arg), arg.name},
                  {"alignment", arg.alignment}};
  case cuda::KernelArg::Kind::Scalar:
    return Object{{"kind", "scalar"},
                  {"param", arg.name},
                  {"dtype", tile::dtypeName(arg.type)}};
  case cuda::KernelArg::Kind::Symbol:
    return Object{{"kind", "scalar"},
                  {"expr", arg.name},
                  {"dtype", tile::dtypeName(arg.type)}};
  case cuda::KernelArg::Kind::TensorMap:
    return tensorMap(arg);
  case cuda::KernelArg::Kind::Workspace:
    return Object{{"kind", "workspace"}, {"bytes", arg.bytes}, {"zero", true}};
  }
  return Object();
}

static Object toJson(const cuda::KernelSignature &function) {
  Array args;
  for (const cuda::KernelArg &arg : function.args)
    args.push_back(toJson(arg));
  return Object{{"symbol", function.symbol},
                {"grid", toJson(ArrayRef(function.grid))},
                {"block", Array{function.threads, 1, 1}},
                {"shared_bytes", function.sharedBytes},
                {"cooperative", function.cooperative},
                {"args", std::move(args)}};
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

std::string writeMetadata(const HostSignature &signature, StringRef target,
                          ArrayRef<cuda::KernelSignature> functions,
                          ArrayRef<nvrtc::KernelUsage> usage) {
  Array launches;
  for (const cuda::KernelSignature &function : functions)
    launches.push_back(toJson(function));
  Object resources;
  for (const nvrtc::KernelUsage &figures : usage)
    resources[figures.symbol] = toJson(figures);
  // Objects print their members sorted by name, so equal kernels give equal
  // bytes.
  bool hasWorkspaces = !signature.workspaces.empty();
  Object file{{"version", hasWorkspaces ? 2 : 1},
              {"target", target.str()},
              {"name", signature.name},
              {"params", Array(signature.params)},
              {"symbols", Array(signature.symbols)},
              {"outputs", Array(signature.outputs)},
              {"launches", std::move(launches)},
              {"resources", std::move(resources)}};
  if (hasWorkspaces)
    file["workspaces"] = Array(signature.workspaces);
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::formatv("{0:2}", Json(std::move(file))) << "\n";
  return text;
}

} // namespace tlc
