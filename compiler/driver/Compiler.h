// The in-process compiler: a source and options in; diagnostics, the text of
// any level, cubins and their launch metadata out. The command line, the JIT
// and tests call this and nothing below it.
//
//   Compilation c(options);
//   if (c.readFile("k.tl") == Status::Ok && c.compile() == Status::Ok)
//     use(c.kernels()[0].cubin, c.kernels()[0].metadata);
//   c.diagnostics().print(llvm::errs());
#pragma once

#include "compiler/driver/MachineCode.h"
#include "compiler/driver/Metadata.h"
#include "compiler/pipeline/Options.h"
#include "compiler/support/Diagnostics.h"
#include "compiler/target/nvrtc/Nvrtc.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tlc {

/// How a step ended; the values are exit codes.
enum class Status {
  Ok = 0,
  Input = 1,       ///< the input is wrong; diagnostics say why
  Environment = 3, ///< something is missing on this machine
  Internal = 70,   ///< a fault of tlc
};

/// The levels that `--emit` names.
enum class Level { Ast, Tile, WS, SM, Cuda, Ptx, Cubin };
std::optional<Level> parseLevel(llvm::StringRef name);
llvm::StringRef spelling(Level level);

/// What a kernel has become.
struct CompiledKernel {
  std::string name;
  std::string metadata; ///< JSON, runtime/core/LaunchMetadata.h
  std::string cuda;     ///< self-contained
  std::string ptx;
  std::string cubin;
  /// What ptxas said of each device function, in the order of the text.
  std::vector<nvrtc::KernelUsage> usage;
  std::vector<nvrtc::PtxasWarning> warnings;
  /// The device functions in launch order.
  llvm::SmallVector<cuda::KernelSignature, 1> functions;
  /// What the check of the cubin found.
  MachineCode machineCode;
};

/// One source file on its way down. The steps may be called in any order; each
/// runs what it needs, once. After a failure every later step fails the same.
class Compilation {
public:
  explicit Compilation(CompileOptions options);
  ~Compilation();
  Compilation(const Compilation &) = delete;
  Compilation &operator=(const Compilation &) = delete;

  /// A `.tl` file, or a `.mlir` file that holds a tile program.
  Status readFile(const std::string &path);
  /// The same from memory; `name` stands in messages.
  void setSource(llvm::StringRef text, const std::string &name);

  /// Called at the beginning of each step with its name.
  std::function<void(llvm::StringRef step)> onStep;

  /// Whether decisions that passes remark on become diagnostics.
  bool keepRemarks = false;

  /// The program at `level`, for people; Ast to Cuda.
  Status print(Level level, llvm::raw_ostream &os);
  /// Brings every kernel down to `last`: Cuda, Ptx or Cubin.
  Status compile(Level last = Level::Cubin);
  /// Stops at the tile level; see `module`.
  Status elaborate();

  const std::vector<CompiledKernel> &kernels() const { return compiled; }
  /// The program at the lowest level reached; null before `elaborate`.
  mlir::ModuleOp module() { return program ? *program : mlir::ModuleOp(); }
  /// Parameters and sizes of a tile kernel as launch metadata whose device
  /// functions are empty: enough to bind arguments.
  static std::string describe(tile::KernelOp kernel, llvm::StringRef arch);

  DiagnosticEngine &diagnostics() { return *engine; }
  const llvm::SourceMgr &sources() const { return *sourceManager; }
  const CompileOptions &options() const { return compileOptions; }

private:
  enum class Reached { Nothing, Tile, WS, SM, Threads, Cuda };

  Status fail(Status why);
  Status lowerTo(Reached level);
  Status readProgram();
  Status verify(llvm::function_ref<void(mlir::OpPassManager &)> build);
  Status runPasses(llvm::function_ref<void(mlir::OpPassManager &)> build);
  Status parseTile(unsigned buffer);
  Status emitCuda();
  Status emitKernel(tile::KernelOp kernel, const HostSignature &signature);
  Status runNvrtc(CompiledKernel &kernel, bool cubin);
  bool reportUsersFault(const CompiledKernel &kernel, llvm::StringRef log,
                        const nvrtc::Options &options);
  Status checkCubin(CompiledKernel &kernel);
  void step(llvm::StringRef name) {
    if (onStep)
      onStep(name);
  }

  CompileOptions compileOptions;
  std::unique_ptr<llvm::SourceMgr> sourceManager;
  std::unique_ptr<DiagnosticEngine> engine;
  std::unique_ptr<mlir::MLIRContext> context;
  std::unique_ptr<mlir::ScopedDiagnosticHandler> handler;
  mlir::OwningOpRef<mlir::ModuleOp> program;
  std::vector<HostSignature> signatures;
  /// Of each kernel, in the order of `signatures`.
  std::vector<KernelReleases> releases;
  std::vector<CompiledKernel> compiled;
  unsigned buffer = 0;
  bool isMlir = false;
  unsigned traceCount = 0;
  Reached reached = Reached::Nothing;
  Status status = Status::Ok;
};

} // namespace tlc
