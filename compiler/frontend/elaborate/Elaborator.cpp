// Construction and small services of the elaborator.
#include "compiler/frontend/elaborate/Elaborator.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"

namespace tlc::frontend {

/// Evaluations of one compilation; a kernel needs some thousands.
static constexpr uint64_t kMaxSteps = 2'000'000;

Elaborator::Elaborator(const ast::Module &module, llvm::SourceMgr &sources,
                       const FrontendOptions &options,
                       mlir::MLIRContext &context, DiagnosticEngine &diags)
    : context(&context), b(&context), diags(diags), module(module),
      sources(sources), options(options) {
  context.loadDialect<tile::TileDialect, mlir::arith::ArithDialect,
                      mlir::math::MathDialect, mlir::scf::SCFDialect,
                      mlir::memref::MemRefDialect>();
  fileName =
      sources.getMemoryBuffer(module.bufferId)->getBufferIdentifier().str();
  indexModule();
}

Elaborator::~Elaborator() {
  for (const std::weak_ptr<Scope> &entry : scopes)
    if (std::shared_ptr<Scope> scope = entry.lock())
      scope->clear();
}

std::shared_ptr<Scope> Elaborator::makeScope(std::shared_ptr<Scope> parent) {
  auto scope = std::make_shared<Scope>(std::move(parent));
  scopes.push_back(scope);
  return scope;
}

bool Elaborator::step(llvm::SMRange range) {
  if (diags.isFull())
    return false;
  if (++steps < kMaxSteps)
    return true;
  if (steps == kMaxSteps)
    error(Diag::LoopTooLong, range) << static_cast<int64_t>(kMaxSteps);
  return false;
}

Value Elaborator::unsupported(llvm::SMRange range, const llvm::Twine &what) {
  error(Diag::UnsupportedFeature, range) << what.str();
  return Value::poison();
}

Value Elaborator::typeError(llvm::SMRange range, const llvm::Twine &what,
                            llvm::StringRef expected, const Value &got) {
  if (!got.isPoison())
    error(Diag::TypeMismatch, range) << what.str() << expected << describe(got);
  return Value::poison();
}

mlir::Location Elaborator::loc(llvm::SMRange range) {
  ast::LineColRange r = ast::lineColRange(sources, range);
  return mlir::FileLineColRange::get(b.getStringAttr(fileName), r.line,
                                     r.column, r.endLine, r.endColumn);
}

mlir::Location Elaborator::namedLoc(llvm::StringRef name, llvm::SMRange range) {
  return mlir::NameLoc::get(b.getStringAttr(name), loc(range));
}

std::string Elaborator::text(const Value &value) {
  if (!value.is(Kind::Symbolic))
    return toString(value);
  auto print = [&](auto &self, mlir::AffineExpr expr) -> std::string {
    if (auto s = llvm::dyn_cast<mlir::AffineSymbolExpr>(expr))
      return symbols[s.getPosition()].name;
    if (auto c = llvm::dyn_cast<mlir::AffineConstantExpr>(expr))
      return std::to_string(c.getValue());
    auto op = llvm::cast<mlir::AffineBinaryOpExpr>(expr);
    std::string lhs = self(self, op.getLHS()), rhs = self(self, op.getRHS());
    switch (expr.getKind()) {
    case mlir::AffineExprKind::Add:
      return lhs + " + " + rhs;
    case mlir::AffineExprKind::Mul:
      return "(" + lhs + ") * " + rhs;
    case mlir::AffineExprKind::Mod:
      return "(" + lhs + ") % " + rhs;
    case mlir::AffineExprKind::FloorDiv:
      return "(" + lhs + ") // " + rhs;
    default:
      return "ceildiv(" + lhs + ", " + rhs + ")";
    }
  };
  return print(print, value.symbolic);
}

std::string Elaborator::text(llvm::ArrayRef<Value> shape) {
  std::string result = "(";
  for (auto [i, size] : llvm::enumerate(shape))
    result += (i ? ", " : "") + text(size);
  return result + (shape.size() == 1 ? ",)" : ")");
}

Value Elaborator::symbol(llvm::StringRef name) {
  for (auto [i, s] : llvm::enumerate(symbols))
    if (!s.isParam && s.name == name)
      return Value::ofSymbolic(mlir::getAffineSymbolExpr(i, context));
  symbols.push_back({name.str(), false, nullptr});
  return Value::ofSymbolic(
      mlir::getAffineSymbolExpr(symbols.size() - 1, context));
}

bool Elaborator::requireLaunch(llvm::SMRange range, llvm::StringRef what) {
  if (launch)
    return true;
  error(Diag::OutsideKernel, range) << what << "a T.Kernel block";
  return false;
}

bool Elaborator::requireTileOp(llvm::SMRange range, llvm::StringRef what) {
  if (!requireLaunch(range, what))
    return false;
  if (!inParallel())
    return true;
  error(Diag::TileOpInParallel, range) << what;
  return false;
}

/// What the elaborator emits must be valid IR: anything else is a fault of tlc.
bool Elaborator::isVerified(mlir::ModuleOp op) {
  std::string message;
  mlir::ScopedDiagnosticHandler handler(context, [&](mlir::Diagnostic &d) {
    if (message.empty())
      message = d.str();
    return mlir::success();
  });
  if (mlir::succeeded(mlir::verify(op)))
    return true;
  diags.report(Diag::InternalError)
      << "the front end made invalid IR: " + message;
  return false;
}

} // namespace tlc::frontend
