// Kernels for the CPU: compiled to what the interpreter or the virtual SM runs,
// and run.
#include "runtime/jit/CompileJob.h"

#include "compiler/driver/MlirDiagnostics.h"
#include "compiler/interp/SmMachine.h"
#include "runtime/jit/LargeStack.h"

#include "mlir/IR/AffineExpr.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

#include <mutex>

namespace tlc::rt {
namespace {

/// The program of a file, for all of its kernels. An MLIR context is not made
/// for several threads, so runs take turns.
struct CpuProgram {
  explicit CpuProgram(const CompileRequest &request)
      : request(request), compilation(request.options) {}

  CompileRequest request;
  Compilation compilation;
  std::mutex mutex;
};

class CpuOrigin : public KernelOrigin {
public:
  CpuOrigin(std::shared_ptr<CpuProgram> program, std::string name)
      : program(std::move(program)), name(std::move(name)) {}

  std::string source(SourceLevel level) const override {
    return print(program->request, level);
  }
  tlc::Device device() const override { return program->request.device; }
  void run(std::span<const Argument> arguments,
           std::span<const std::int64_t> symbols) const override;

private:
  void runHere(std::span<const Argument> arguments,
               std::span<const std::int64_t> symbols) const;
  [[noreturn]] void fail(const std::string &found) const;

  std::shared_ptr<CpuProgram> program;
  std::string name;
};

/// The shape of parameter `index` for the sizes `symbols`.
llvm::SmallVector<std::int64_t, 4>
shapeOf(tile::KernelOp kernel, unsigned index,
        std::span<const std::int64_t> symbols) {
  mlir::MLIRContext *context = kernel.getContext();
  llvm::SmallVector<mlir::AffineExpr> values;
  for (std::int64_t symbol : symbols)
    values.push_back(mlir::getAffineConstantExpr(symbol, context));
  llvm::SmallVector<std::int64_t, 4> shape;
  for (mlir::AffineExpr extent : kernel.getParamShape(index).getResults()) {
    mlir::AffineExpr folded = mlir::simplifyAffineExpr(
        extent.replaceSymbols(values), 0, values.size());
    auto constant = llvm::dyn_cast<mlir::AffineConstantExpr>(folded);
    shape.push_back(constant ? constant.getValue() : 0);
  }
  return shape;
}

interp::ArgValue valueOf(const Argument &argument, tile::KernelOp kernel,
                         unsigned index,
                         std::span<const std::int64_t> symbols) {
  if (argument.kind() == Argument::Kind::Integer)
    return argument.asInteger();
  if (argument.kind() == Argument::Kind::Float)
    return argument.asFloat();
  interp::TensorArg tensor;
  if (argument.kind() == Argument::Kind::Tensor) {
    const Tensor &view = argument.tensor();
    tensor.data = view.data;
    tensor.shape.assign(view.shape.begin(), view.shape.end());
    tensor.strides.assign(view.strides.begin(), view.strides.end());
    return tensor;
  }
  // None is for a parameter that is never accessed: any address will do.
  static char nothing;
  tensor.data = &nothing;
  tensor.shape = shapeOf(kernel, index, symbols);
  return tensor;
}

/// What a run on the virtual SM found, for people.
std::string textOf(const interp::SmResult &result) {
  std::string text;
  for (const interp::SmReport &report : result.reports)
    text += (text.empty() ? "" : "\n\n") + report.text;
  return text;
}

void CpuOrigin::fail(const std::string &found) const {
  throw Error(
      ErrorCode::Device,
      fmt::format("running kernel {} on the {} failed", name, device().name()),
      found);
}

void CpuOrigin::run(std::span<const Argument> arguments,
                    std::span<const std::int64_t> symbols) const {
  // The lock stays with the thread that asked.
  std::lock_guard lock(program->mutex);
  onLargeStack([&] { runHere(arguments, symbols); });
}

void CpuOrigin::runHere(std::span<const Argument> arguments,
                        std::span<const std::int64_t> symbols) const {
  mlir::ModuleOp module = program->compilation.module();
  auto kernel = module.lookupSymbol<tile::KernelOp>(name);
  // What goes wrong in this run only.
  DiagnosticEngine engine(program->compilation.sources());
  mlir::ScopedDiagnosticHandler handler(module.getContext(),
                                        [&](mlir::Diagnostic &diagnostic) {
                                          report(engine, diagnostic);
                                          return mlir::success();
                                        });
  std::vector<interp::ArgValue> values;
  values.reserve(arguments.size());
  for (unsigned i = 0; i < arguments.size(); ++i)
    values.push_back(valueOf(arguments[i], kernel, i, symbols));
  if (device().isInterp()) {
    llvm::SmallVector<int64_t> sizes(symbols.begin(), symbols.end());
    if (mlir::failed(interp::interpret(kernel, values, sizes, {})))
      fail(render(engine));
    return;
  }
  interp::SmResult result = interp::runSm(kernel, values);
  if (result.status != interp::SmStatus::Clean)
    fail(result.reports.empty() ? render(engine) : textOf(result));
}

} // namespace

std::shared_ptr<const CompiledSource>
compileForCpu(const CompileRequest &request) {
  auto program = std::make_shared<CpuProgram>(request);
  Compilation &compilation = program->compilation;
  compilation.setSource(request.source->text, request.source->name);
  check(compilation.elaborate(), compilation, *request.source);
  auto compiled = std::make_shared<CompiledSource>();
  // Lowering hides which parameters are read and written.
  for (auto kernel : compilation.module().getOps<tile::KernelOp>()) {
    std::string name = kernel.getSymName().str();
    addKernel(*compiled,
              {name, Compilation::describe(kernel, request.options.arch), ""},
              std::make_shared<CpuOrigin>(program, name));
  }
  if (!request.device.isInterp())
    check(compilation.print(Level::SM, llvm::nulls()), compilation,
          *request.source);
  compiled->warnings = render(compilation.diagnostics());
  return compiled;
}

} // namespace tlc::rt
