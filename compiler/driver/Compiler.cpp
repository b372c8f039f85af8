// The steps of a compilation.
#include "compiler/driver/Compiler.h"

#include "compiler/driver/CudaErrors.h"
#include "compiler/driver/Metadata.h"
#include "compiler/driver/MlirDiagnostics.h"
#include "compiler/frontend/Frontend.h"
#include "compiler/frontend/syntax/Parser.h"
#include "compiler/pipeline/Pipelines.h"
#include "compiler/target/TargetInfo.h"
#include "compiler/target/cuda/CudaEmitter.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace tlc {

static constexpr StringRef kLevelNames[] = {"ast",  "tile", "ws",   "sm",
                                            "cuda", "ptx",  "cubin"};

std::optional<Level> parseLevel(StringRef name) {
  for (auto [i, known] : llvm::enumerate(kLevelNames))
    if (name == known)
      return static_cast<Level>(i);
  return std::nullopt;
}

StringRef spelling(Level level) { return kLevelNames[static_cast<int>(level)]; }

Compilation::Compilation(CompileOptions options)
    : compileOptions(std::move(options)),
      sourceManager(std::make_unique<llvm::SourceMgr>()),
      engine(std::make_unique<DiagnosticEngine>(*sourceManager)),
      context(std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED)) {
  context->loadDialect<tile::TileDialect, ws::WSDialect, sm::SmDialect,
                       arith::ArithDialect, math::MathDialect,
                       memref::MemRefDialect, scf::SCFDialect>();
  context->printOpOnDiagnostic(false);
  handler = std::make_unique<ScopedDiagnosticHandler>(
      context.get(), [this](mlir::Diagnostic &diagnostic) {
        if (keepRemarks ||
            diagnostic.getSeverity() != DiagnosticSeverity::Remark ||
            isListedRemark(diagnostic))
          report(*engine, diagnostic);
        return success();
      });
}

Compilation::~Compilation() = default;

Status Compilation::fail(Status why) {
  if (status == Status::Ok)
    status = why;
  // A fault of ours outranks what the input did.
  for (const Diagnostic &diagnostic : engine->diagnostics())
    if (diagnostic.diagClass() == DiagClass::Internal)
      status = Status::Internal;
  return status;
}

Status Compilation::readFile(const std::string &path) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!file) {
    engine->report(Diag::CannotReadFile) << path << file.getError().message();
    return fail(Status::Input);
  }
  isMlir = llvm::sys::path::extension(path) == ".mlir";
  buffer = sourceManager->AddNewSourceBuffer(std::move(*file), llvm::SMLoc());
  return Status::Ok;
}

void Compilation::setSource(StringRef text, const std::string &name) {
  isMlir = llvm::sys::path::extension(name) == ".mlir";
  buffer = sourceManager->AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(text, name), llvm::SMLoc());
}

/// Reads a tile program; --kernel chooses among its kernels.
Status Compilation::parseTile(unsigned id) {
  // Parsing owns its source manager: positions come back by file and line.
  const llvm::MemoryBuffer *text = sourceManager->getMemoryBuffer(id);
  llvm::SourceMgr parsed;
  parsed.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(text->getMemBufferRef()), llvm::SMLoc());
  program = parseSourceFile<ModuleOp>(parsed, context.get());
  if (!program)
    return fail(Status::Input);
  if (compileOptions.kernel.empty())
    return Status::Ok;
  for (auto kernel :
       llvm::make_early_inc_range(program->getOps<tile::KernelOp>()))
    if (kernel.getSymName() != compileOptions.kernel)
      kernel.erase();
  if (!program->getOps<tile::KernelOp>().empty())
    return Status::Ok;
  engine->report(Diag::NoKernel) << " called '" + compileOptions.kernel + "'";
  return fail(Status::Input);
}

Status Compilation::elaborate() { return lowerTo(Reached::Tile); }

Status Compilation::runPasses(llvm::function_ref<void(OpPassManager &)> build) {
  PassManager pm(context.get(), ModuleOp::getOperationName());
  build(pm);
  if (!compileOptions.traceFolder.empty())
    traceTo(pm, compileOptions.traceFolder, traceCount);
  if (succeeded(pm.run(*program)))
    return Status::Ok;
  if (!engine->hasErrors())
    engine->report(Diag::InternalError) << "a pass failed without saying why";
  return fail(Status::Input);
}

/// The file as a tile program, folded.
Status Compilation::readProgram() {
  if (!target::lookupTarget(compileOptions.arch)) {
    engine->report(Diag::UnknownTarget)
            .suggest(compileOptions.arch, target::targetNames())
        << compileOptions.arch;
    return fail(Status::Input);
  }
  step("reading the kernel");
  if (isMlir) {
    if (parseTile(buffer) != Status::Ok)
      return status;
  } else {
    frontend::FrontendOptions options{compileOptions.kernel,
                                      compileOptions.defines};
    program =
        frontend::elaborate(*sourceManager, buffer, options, *context, *engine);
    if (!program || engine->hasErrors())
      return fail(Status::Input);
  }
  if (compileOptions.fastMath)
    for (auto kernel : program->getOps<tile::KernelOp>())
      kernel.setFastMath(true);
  return runPasses(buildTileCleanup);
}

/// Mistakes of the kernel that only the check of what was derived notices.
static bool isOfKernel(const Diagnostic &diagnostic) {
  return !diagnostic.isError() || diagnostic.diag == Diag::GridBarrierMissed ||
         diagnostic.diag == Diag::ThreadCondition ||
         diagnostic.diag == Diag::OutsideTile;
}

/// Runs passes that check what was derived. That it does not hold is a fault of
/// the derivation, but for a few mistakes of the kernel.
Status Compilation::verify(llvm::function_ref<void(OpPassManager &)> build) {
  if (status == Status::Ok && runPasses(build) == Status::Ok)
    return Status::Ok;
  if (llvm::all_of(engine->diagnostics(), isOfKernel))
    return fail(Status::Input);
  engine->report(Diag::InternalError)
      << "the program that was derived from this kernel is not ordered safely";
  return fail(Status::Internal);
}

Status Compilation::lowerTo(Reached level) {
  if (status != Status::Ok)
    return status;
  if (reached < Reached::Tile && level >= Reached::Tile) {
    if (readProgram() != Status::Ok)
      return status;
    reached = Reached::Tile;
  }
  if (reached < Reached::WS && level >= Reached::WS) {
    step("planning");
    for (auto kernel : program->getOps<tile::KernelOp>())
      signatures.push_back(describeSignature(kernel));
    if (runPasses([&](OpPassManager &pm) {
          buildTileDecisions(pm, compileOptions);
          buildTileToWS(pm, compileOptions);
        }) != Status::Ok)
      return status;
    reached = Reached::WS;
  }
  if (reached < Reached::SM && level >= Reached::SM) {
    step("lowering");
    if (runPasses([&](OpPassManager &pm) {
          buildWSToSM(pm, compileOptions);
        }) != Status::Ok)
      return status;
    step("verifying");
    // `membar` is a fault that was asked for.
    if (compileOptions.verifySM &&
        compileOptions.warFence != WarFence::Membar &&
        verify([&](OpPassManager &pm) { buildVerifySM(pm, compileOptions); }) !=
            Status::Ok)
      return status;
    for (auto kernel : program->getOps<tile::KernelOp>())
      releases.push_back(describeReleases(kernel));
    reached = Reached::SM;
  }
  if (reached < Reached::Cuda && level >= Reached::Cuda)
    return emitCuda();
  return Status::Ok;
}

std::string Compilation::describe(tile::KernelOp kernel, StringRef arch) {
  std::vector<cuda::KernelSignature> functions;
  for (auto launch : kernel.getBody().getOps<tile::LaunchOp>()) {
    cuda::KernelSignature function;
    function.symbol =
        (kernel.getSymName() + "_" + Twine(functions.size())).str();
    function.threads = launch.getNumThreads();
    functions.push_back(std::move(function));
  }
  return writeMetadata(describeSignature(kernel), arch, functions, {});
}

/// Prints one kernel as a file of its own.
Status Compilation::emitKernel(tile::KernelOp kernel,
                               const HostSignature &signature) {
  OwningOpRef<ModuleOp> alone = ModuleOp::create(kernel.getLoc());
  alone->getBody()->push_back(kernel->clone());
  CompiledKernel result;
  result.name = signature.name;
  llvm::raw_string_ostream os(result.cuda);
  if (failed(cuda::emitCuda(*alone, os, result.functions)))
    return fail(Status::Input);
  result.metadata =
      writeMetadata(signature, compileOptions.arch, result.functions, {});
  compiled.push_back(std::move(result));
  return Status::Ok;
}

Status Compilation::emitCuda() {
  step("printing CUDA");
  if (runPasses([&](OpPassManager &pm) {
        buildSMToThreads(pm, compileOptions);
      }) != Status::Ok)
    return status;
  step("verifying");
  if (verify(buildVerifyThreads) != Status::Ok)
    return status;
  step("printing CUDA");
  if (runPasses(buildThreadCleanup) != Status::Ok)
    return status;
  reached = Reached::Threads;
  for (auto [kernel, signature] :
       llvm::zip(program->getOps<tile::KernelOp>(), signatures))
    if (emitKernel(kernel, signature) != Status::Ok)
      return status;
  reached = Reached::Cuda;
  return Status::Ok;
}

Status Compilation::print(Level level, llvm::raw_ostream &os) {
  if (level == Level::Ast) {
    if (status != Status::Ok)
      return status;
    auto tree = frontend::parseModule(*sourceManager, buffer, *engine);
    if (!tree)
      return fail(Status::Input);
    frontend::ast::print(*tree, *sourceManager, os);
    return Status::Ok;
  }
  static constexpr Reached stages[] = {Reached::Nothing, Reached::Tile,
                                       Reached::WS, Reached::SM, Reached::Cuda};
  if (lowerTo(stages[static_cast<int>(level)]) != Status::Ok)
    return status;
  if (level != Level::Cuda) {
    program->print(os, OpPrintingFlags().printNameLocAsPrefix());
    return Status::Ok;
  }
  // All kernels as one file: they share the functions they call.
  llvm::SmallVector<cuda::KernelSignature, 1> functions;
  if (failed(cuda::emitCuda(*program, os, functions)))
    return fail(Status::Input);
  return Status::Ok;
}

/// Reports CUDA of the user's own that NVRTC refuses; false if there is none.
bool Compilation::reportUsersFault(const CompiledKernel &kernel, StringRef log,
                                   const nvrtc::Options &options) {
  const llvm::MemoryBuffer *text = sourceManager->getMemoryBuffer(buffer);
  for (auto op : program->getOps<tile::KernelOp>())
    if (op.getSymName() == kernel.name)
      return CudaErrors(op, kernel.cuda, text->getBufferIdentifier(),
                        text->getBuffer(), options, *engine)
          .report(log);
  return false;
}

Status Compilation::runNvrtc(CompiledKernel &kernel, bool cubin) {
  nvrtc::Options options;
  options.arch = compileOptions.arch;
  options.cubin = cubin;
  options.fastMath = compileOptions.fastMath;
  auto output = nvrtc::compile(kernel.cuda, kernel.name + ".cu", options);
  if (output) {
    kernel.ptx = std::move(output->ptx);
    kernel.cubin = std::move(output->cubin);
    kernel.usage = std::move(output->usage);
    kernel.warnings = std::move(output->warnings);
    for (const HostSignature &signature : signatures)
      if (signature.name == kernel.name)
        kernel.metadata = writeMetadata(signature, compileOptions.arch,
                                        kernel.functions, kernel.usage);
    return Status::Ok;
  }
  Status result = Status::Internal;
  llvm::handleAllErrors(
      output.takeError(), [&](const nvrtc::NvrtcError &error) {
        if (error.isEnvironment()) {
          engine->report(Diag::NvrtcMissing) << error.what();
          result = Status::Environment;
        } else if (reportUsersFault(kernel, error.what(), options)) {
          result = Status::Input;
        } else {
          engine->report(Diag::NvrtcRejected) << kernel.name << error.what();
        }
      });
  return fail(result);
}

/// That machine code does not keep the order is a fault of ours or of ptxas.
Status Compilation::checkCubin(CompiledKernel &kernel) {
  if (!compileOptions.checkMachineCode)
    return Status::Ok;
  step("checking machine code");
  unsigned errors = engine->errorCount();
  for (auto [signature, of] : llvm::zip(signatures, releases))
    if (signature.name == kernel.name)
      kernel.machineCode = checkMachineCode(kernel.cubin, kernel.functions, of,
                                            compileOptions.warFence, *engine);
  return engine->errorCount() > errors ? fail(Status::Internal) : Status::Ok;
}

Status Compilation::compile(Level last) {
  if (lowerTo(Reached::Cuda) != Status::Ok)
    return status;
  if (last < Level::Ptx)
    return Status::Ok;
  for (CompiledKernel &kernel : compiled) {
    step("NVRTC");
    if (runNvrtc(kernel, last == Level::Cubin) != Status::Ok)
      return status;
    if (last == Level::Cubin && checkCubin(kernel) != Status::Ok)
      return status;
  }
  return Status::Ok;
}

} // namespace tlc
