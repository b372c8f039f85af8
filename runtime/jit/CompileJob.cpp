// Runs the in-process compiler for one request.
#include "runtime/jit/CompiledSource.h"

#include "compiler/driver/Compiler.h"
#include "compiler/driver/MlirDiagnostics.h"
#include "compiler/interp/TileInterp.h"
#include "runtime/jit/LargeStack.h"

#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

namespace tlc::rt {
namespace {

std::string render(const DiagnosticEngine &engine) {
  std::string text;
  llvm::raw_string_ostream os(text);
  engine.print(os);
  while (!text.empty() && text.back() == '\n')
    text.pop_back();
  return text;
}

/// The code of a failed compilation: what the input does wrong comes before
/// what we cannot do yet.
ErrorCode codeOf(Status status, const DiagnosticEngine &engine) {
  if (status == Status::Environment)
    return ErrorCode::Environment;
  if (status == Status::Internal)
    return ErrorCode::Internal;
  bool unsupported = false;
  for (const Diagnostic &diagnostic : engine.diagnostics()) {
    if (diagnostic.diagClass() == DiagClass::Error)
      return ErrorCode::Compile;
    unsupported |= diagnostic.diagClass() == DiagClass::Unsupported;
  }
  return unsupported ? ErrorCode::Unsupported : ErrorCode::Compile;
}

void check(Status status, Compilation &compilation, const Source &source) {
  if (status == Status::Ok)
    return;
  const DiagnosticEngine &engine = compilation.diagnostics();
  std::string diagnostics = render(engine);
  throw Error(codeOf(status, engine),
              fmt::format("cannot compile '{}'", source.name), diagnostics);
}

std::string printHere(const CompileRequest &request, SourceLevel level) {
  Compilation compilation(request.options);
  compilation.setSource(request.source->text, request.source->name);
  std::string text;
  if (level == SourceLevel::Ptx) {
    check(compilation.compile(Level::Ptx), compilation, *request.source);
    for (const CompiledKernel &kernel : compilation.kernels())
      text += kernel.ptx;
    return text;
  }
  constexpr Level kLevels[] = {Level::Ast, Level::Tile, Level::WS, Level::SM,
                               Level::Cuda};
  llvm::raw_string_ostream os(text);
  check(compilation.print(kLevels[static_cast<int>(level)], os), compilation,
        *request.source);
  return text;
}

std::string print(const CompileRequest &request, SourceLevel level) {
  std::string text;
  onLargeStack([&] { text = printHere(request, level); });
  return text;
}

/// Shows levels by compiling again: whoever looks at them can wait, and those
/// who launch keep no text.
class GpuOrigin : public KernelOrigin {
public:
  GpuOrigin(CompileRequest request, const std::string &kernel)
      : request(std::move(request)) {
    this->request.options.kernel = kernelFor(this->request, kernel);
  }

  std::string source(SourceLevel level) const override {
    return print(request, level);
  }
  void run(std::span<const Argument>,
           std::span<const std::int64_t>) const override {
    throw Error(ErrorCode::Internal, "a GPU kernel was run on the CPU");
  }

private:
  /// A factory goes by its own name, not by that of its kernel.
  static std::string kernelFor(const CompileRequest &request,
                               const std::string &kernel) {
    bool isMlir = llvm::StringRef(request.source->name).ends_with(".mlir");
    return request.options.kernel.empty() && isMlir ? kernel
                                                    : request.options.kernel;
  }

  CompileRequest request;
};

/// A program at the tile level with the interpreter. The program's context is
/// not made for several threads, so runs of one kernel take turns.
class CpuOrigin : public KernelOrigin {
public:
  CpuOrigin(CompileRequest request, std::shared_ptr<Compilation> compilation,
            tile::KernelOp kernel, std::shared_ptr<std::mutex> mutex)
      : request(std::move(request)), compilation(std::move(compilation)),
        kernel(kernel), mutex(std::move(mutex)) {}

  std::string source(SourceLevel level) const override {
    return print(request, level);
  }
  bool isVirtual() const override { return true; }
  void run(std::span<const Argument> arguments,
           std::span<const std::int64_t> symbols) const override;

private:
  void runHere(std::span<const Argument> arguments,
               std::span<const std::int64_t> symbols) const;
  interp::ArgValue value(const Argument &argument, unsigned index,
                         std::span<const std::int64_t> symbols) const;

  CompileRequest request;
  std::shared_ptr<Compilation> compilation;
  mutable tile::KernelOp kernel;
  std::shared_ptr<std::mutex> mutex;
};

interp::ArgValue CpuOrigin::value(const Argument &argument, unsigned index,
                                  std::span<const std::int64_t> symbols) const {
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
  mlir::MLIRContext *context = kernel.getContext();
  llvm::SmallVector<mlir::AffineExpr> values;
  for (std::int64_t symbol : symbols)
    values.push_back(mlir::getAffineConstantExpr(symbol, context));
  for (mlir::AffineExpr extent : kernel.getParamShape(index).getResults()) {
    mlir::AffineExpr folded = mlir::simplifyAffineExpr(
        extent.replaceSymbols(values), 0, values.size());
    auto constant = llvm::dyn_cast<mlir::AffineConstantExpr>(folded);
    tensor.shape.push_back(constant ? constant.getValue() : 0);
  }
  return tensor;
}

void CpuOrigin::run(std::span<const Argument> arguments,
                    std::span<const std::int64_t> symbols) const {
  // The lock stays with the thread that asked.
  std::lock_guard lock(*mutex);
  onLargeStack([&] { runHere(arguments, symbols); });
}

void CpuOrigin::runHere(std::span<const Argument> arguments,
                        std::span<const std::int64_t> symbols) const {
  // What goes wrong in this run only.
  DiagnosticEngine engine(compilation->sources());
  mlir::ScopedDiagnosticHandler handler(kernel.getContext(),
                                        [&](mlir::Diagnostic &diagnostic) {
                                          report(engine, diagnostic);
                                          return mlir::success();
                                        });
  std::vector<interp::ArgValue> values;
  values.reserve(arguments.size());
  for (unsigned i = 0; i < arguments.size(); ++i)
    values.push_back(value(arguments[i], i, symbols));
  llvm::SmallVector<int64_t> sizes(symbols.begin(), symbols.end());
  if (mlir::failed(interp::interpret(kernel, values, sizes, {})))
    throw Error(ErrorCode::Device,
                fmt::format("running kernel {} on the CPU failed",
                            kernel.getSymName().str()),
                render(engine));
}

void addKernel(CompiledSource &compiled, KernelImage image,
               std::shared_ptr<const KernelOrigin> origin) {
  compiled.kernels.push_back(std::make_shared<LoadedKernel>(
      parseMetadata(image.metadata, "launch metadata"),
      std::vector<char>(image.cubin.begin(), image.cubin.end()),
      std::move(origin)));
  compiled.images.push_back(std::move(image));
}

} // namespace

std::shared_ptr<const CompiledSource>
compileForGpu(const CompileRequest &request) {
  Compilation compilation(request.options);
  compilation.setSource(request.source->text, request.source->name);
  check(compilation.compile(), compilation, *request.source);
  auto compiled = std::make_shared<CompiledSource>();
  compiled->warnings = render(compilation.diagnostics());
  for (const CompiledKernel &kernel : compilation.kernels())
    addKernel(*compiled, {kernel.name, kernel.metadata, kernel.cubin},
              std::make_shared<GpuOrigin>(request, kernel.name));
  return compiled;
}

std::shared_ptr<const CompiledSource>
compileForCpu(const CompileRequest &request) {
  auto compilation = std::make_shared<Compilation>(request.options);
  compilation->setSource(request.source->text, request.source->name);
  check(compilation->elaborate(), *compilation, *request.source);
  auto compiled = std::make_shared<CompiledSource>();
  compiled->warnings = render(compilation->diagnostics());
  auto mutex = std::make_shared<std::mutex>();
  for (auto kernel : compilation->module().getOps<tile::KernelOp>())
    addKernel(*compiled,
              {kernel.getSymName().str(),
               Compilation::describe(kernel, request.options.arch), ""},
              std::make_shared<CpuOrigin>(request, compilation, kernel, mutex));
  return compiled;
}

/// Texts with their lengths.
std::string writeEntry(const CompiledSource &compiled) {
  std::string contents;
  auto append = [&](std::string_view text) {
    contents += fmt::format("{}:{}", text.size(), text);
  };
  for (const KernelImage &image : compiled.images)
    for (const std::string *text : {&image.name, &image.metadata, &image.cubin})
      append(*text);
  return contents;
}

std::shared_ptr<const CompiledSource> readEntry(std::string_view contents,
                                                const CompileRequest &request) {
  llvm::StringRef rest(contents.data(), contents.size());
  auto read = [&](std::string &text) {
    std::size_t size = 0;
    if (rest.consumeInteger(10, size) || !rest.consume_front(":") ||
        size > rest.size())
      return false;
    text = rest.take_front(size).str();
    rest = rest.drop_front(size);
    return true;
  };
  auto compiled = std::make_shared<CompiledSource>();
  try {
    while (!rest.empty()) {
      KernelImage image;
      if (!read(image.name) || !read(image.metadata) || !read(image.cubin))
        return nullptr;
      auto origin = std::make_shared<GpuOrigin>(request, image.name);
      addKernel(*compiled, std::move(image), std::move(origin));
    }
  } catch (const Error &) {
    return nullptr; // metadata of another format
  }
  return compiled->images.empty() ? nullptr : compiled;
}

} // namespace tlc::rt
