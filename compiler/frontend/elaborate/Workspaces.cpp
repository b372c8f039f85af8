// Workspaces become parameters of the kernel, after those that a caller passes.
#include "dialects/tile/Workspaces.h"

#include "compiler/frontend/elaborate/Elaborator.h"

namespace tlc::frontend {

static std::vector<unsigned> symbolsOf(mlir::AffineExpr expr) {
  std::vector<unsigned> used;
  expr.walk([&](mlir::AffineExpr e) {
    if (auto s = llvm::dyn_cast<mlir::AffineSymbolExpr>(e))
      used.push_back(s.getPosition());
  });
  return used;
}

/// Adds a size to the kernel: the value of the integer parameter of that name.
static unsigned addSize(tile::KernelOp kernel, mlir::StringAttr name,
                        mlir::Location loc) {
  mlir::Builder b(kernel.getContext());
  llvm::SmallVector<mlir::Attribute> names(kernel.getSymbolNames().getValue());
  names.push_back(name);
  llvm::SmallVector<mlir::Attribute> shapes;
  for (unsigned i = 0; i < kernel.getNumParams(); ++i)
    shapes.push_back(mlir::AffineMapAttr::get(mlir::AffineMap::get(
        0, names.size(), kernel.getParamShape(i).getResults(),
        kernel.getContext())));
  kernel.setSymbolNamesAttr(b.getArrayAttr(names));
  kernel.setParamShapesAttr(b.getArrayAttr(shapes));
  kernel.getBody().addArgument(b.getI32Type(), loc);
  return names.size() - 1;
}

/// The kernel's size that a symbol of the language stands for; null after an
/// error.
mlir::AffineExpr Elaborator::kernelSize(unsigned number, llvm::SMRange range) {
  const Symbol &symbol = symbols[number];
  if (!symbol.value) {
    error(Diag::UndeterminedSymbol, range) << symbol.name;
    return nullptr;
  }
  auto name = b.getStringAttr(symbol.name);
  llvm::ArrayRef<mlir::Attribute> names = kernel.getSymbolNames().getValue();
  auto found = llvm::find(names, name);
  unsigned at = found - names.begin();
  if (found == names.end())
    at = addSize(kernel, name, namedLoc(symbol.name, range));
  return mlir::getAffineSymbolExpr(at, context);
}

/// A name that no parameter and no size has.
static std::string uniqueName(tile::KernelOp kernel, llvm::StringRef wanted) {
  auto isTaken = [&](llvm::StringRef name) {
    auto is = [&](mlir::Attribute other) {
      return llvm::cast<mlir::StringAttr>(other).getValue() == name;
    };
    return llvm::any_of(kernel.getParamNames(), is) ||
           llvm::any_of(kernel.getSymbolNames(), is);
  };
  std::string name = wanted.str();
  for (unsigned i = 1; isTaken(name); ++i)
    name = (wanted + "_" + llvm::Twine(i)).str();
  return name;
}

bool Elaborator::declareWorkspace(const WorkspaceRequest &request) {
  BufferObject &buffer = *request.buffer;
  llvm::SmallVector<mlir::AffineExpr> kernelSizes(
      symbols.size(), mlir::getAffineConstantExpr(0, context));
  for (const Value &size : buffer.shape)
    if (size.is(Kind::Symbolic))
      for (unsigned s : symbolsOf(size.symbolic))
        if (!(kernelSizes[s] = kernelSize(s, request.range)))
          return false;
  llvm::SmallVector<mlir::AffineExpr> dims;
  llvm::SmallVector<int64_t> sizes;
  for (const Value &size : buffer.shape) {
    bool isKnown = size.is(Kind::Int);
    dims.push_back(isKnown ? mlir::getAffineConstantExpr(size.integer, context)
                           : size.symbolic.replaceSymbols(kernelSizes));
    sizes.push_back(isKnown ? size.integer : mlir::ShapedType::kDynamic);
  }
  buffer.name =
      uniqueName(kernel, buffer.name.empty() ? "workspace" : buffer.name);
  unsigned params = kernel.getNumParams();
  buffer.value = kernel.getBody().insertArgument(
      params,
      tile::getBufferType(sizes, buffer.dtype.elementType(context),
                          tile::Space::Global),
      namedLoc(buffer.name, buffer.range));
  llvm::SmallVector<mlir::Attribute> names(kernel.getParamNames().getValue());
  llvm::SmallVector<mlir::Attribute> shapes(kernel.getParamShapes().getValue());
  names.push_back(b.getStringAttr(buffer.name));
  shapes.push_back(mlir::AffineMapAttr::get(
      mlir::AffineMap::get(0, kernel.getSymbolNames().size(), dims, context)));
  kernel.setParamNamesAttr(b.getArrayAttr(names));
  kernel.setParamShapesAttr(b.getArrayAttr(shapes));
  kernel->setAttr(tile::kWorkspacesAttr,
                  b.getI64IntegerAttr(tile::getNumWorkspaces(kernel) + 1));
  return true;
}

/// Before the first T.Kernel, when all names are known.
bool Elaborator::declareWorkspaces() {
  bool good = true;
  for (const WorkspaceRequest &request : std::exchange(workspaces, {}))
    good &= declareWorkspace(request);
  return good;
}

} // namespace tlc::frontend
