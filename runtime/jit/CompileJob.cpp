#include "runtime/jit/CompileJob.h"

#include "runtime/jit/LargeStack.h"

#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

namespace tlc::rt {

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
static ErrorCode codeOf(Status status, const DiagnosticEngine &engine) {
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

static std::string printHere(const CompileRequest &request, SourceLevel level) {
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

namespace {

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

} // namespace

void addKernel(CompiledSource &compiled, KernelImage image,
               std::shared_ptr<const KernelOrigin> origin) {
  compiled.kernels.push_back(std::make_shared<LoadedKernel>(
      parseMetadata(image.metadata, "launch metadata"),
      std::vector<char>(image.cubin.begin(), image.cubin.end()),
      std::move(origin)));
  compiled.images.push_back(std::move(image));
}

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
