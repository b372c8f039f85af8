// tlc compile: a cubin and its metadata, or the text of a level.
#include "tools/tlc/Files.h"
#include "tools/tlc/Options.h"
#include "tools/tlc/Progress.h"
#include "tools/tlc/Report.h"
#include "tools/tlc/Timing.h"

#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace cl = llvm::cl;

namespace tlc::cli {

static cl::opt<Level> emit(
    "emit", cl::init(Level::Cubin), cl::desc("what to make"),
    cl::values(clEnumValN(Level::Ast, "ast", "the syntax tree"),
               clEnumValN(Level::Tile, "tile", "what the kernel computes"),
               clEnumValN(Level::WS, "ws", "roles, rings, releases, fences"),
               clEnumValN(Level::SM, "sm", "what one SM executes"),
               clEnumValN(Level::Cuda, "cuda", "CUDA text for nvcc or NVRTC"),
               clEnumValN(Level::Ptx, "ptx", "PTX"),
               clEnumValN(Level::Cubin, "cubin",
                          "machine code and metadata (default)")),
    cl::sub(compileCommand()), cl::cat(category()));
static cl::opt<std::string> output("o", cl::desc("output file, - for stdout"),
                                   cl::value_desc("file"),
                                   cl::sub(compileCommand()),
                                   cl::cat(category()));
// "--report" alone has an empty value.
static cl::opt<ReportFormat> report(
    "report", cl::init(ReportFormat::None), cl::ValueOptional,
    cl::desc("print registers, spills and shared memory of each kernel"),
    cl::values(clEnumValN(ReportFormat::Table, "table", "for people (default)"),
               clEnumValN(ReportFormat::Json, "json", "for programs"),
               clEnumValN(ReportFormat::Table, "", "")),
    cl::sub(compileCommand()), cl::cat(category()));

static cl::opt<bool>
    timing("timing", cl::desc("print what each step of the compilation took"),
           cl::sub(compileCommand()), cl::cat(category()));

static bool wantsReport() { return report != ReportFormat::None; }

/// "dir/k.tl" -> "dir/k.cubin"; of several kernels each gets its name in.
static std::string outputPath(const std::string &base,
                              const CompiledKernel &kernel, bool several,
                              llvm::StringRef extension) {
  llvm::SmallString<128> path(base);
  llvm::sys::path::replace_extension(path, (several ? "." + kernel.name : "") +
                                               "." + extension.str());
  return path.str().str();
}

static Status writeCubins(Compilation &compilation) {
  const std::string base = output.empty() ? inputFile() : output;
  std::vector<OutputFile> files;
  bool several = compilation.kernels().size() > 1;
  for (const CompiledKernel &kernel : compilation.kernels()) {
    std::string path = !output.empty() && !several
                           ? std::string(output)
                           : outputPath(base, kernel, several, "cubin");
    files.push_back({path, kernel.cubin});
    files.push_back(
        {outputPath(base, kernel, several, "json"), kernel.metadata});
  }
  return writeFiles(files, compilation.diagnostics()) ? Status::Ok
                                                      : Status::Input;
}

static Status writeText(Compilation &compilation, const std::string &text) {
  if (output.empty() || output == "-") {
    llvm::outs() << text;
    return Status::Ok;
  }
  return writeFiles({{output, text}}, compilation.diagnostics())
             ? Status::Ok
             : Status::Input;
}

static Status compileTo(Compilation &compilation, StepTimes &times) {
  std::string text;
  llvm::raw_string_ostream os(text);
  {
    Progress progress;
    compilation.onStep = [&](llvm::StringRef step) {
      progress.step(step.str());
      times.begin(step);
    };
    Status status = emit <= Level::Cuda ? compilation.print(emit, os)
                                        : compilation.compile(emit);
    // The report needs what ptxas says.
    if (status == Status::Ok && wantsReport() && emit >= Level::Cuda)
      status = compilation.compile(Level::Cubin);
    compilation.onStep = nullptr;
    times.end();
    if (status != Status::Ok)
      return status;
  }
  for (const CompiledKernel &kernel : compilation.kernels())
    if (emit == Level::Ptx)
      os << kernel.ptx;
  return emit == Level::Cubin ? writeCubins(compilation)
                              : writeText(compilation, text);
}

int runCompile() {
  CompileOptions options;
  if (!readCompileOptions(options))
    return kUsage;
  if (emit == Level::Cubin && output == "-")
    return usageError("a cubin and its metadata are two files; -o - is for "
                      "text");
  if (wantsReport() && emit < Level::Cuda)
    return usageError("--report needs the machine code: leave out --emit " +
                      spelling(emit));
  Compilation compilation(std::move(options));
  Status status = compilation.readFile(inputFile());
  StepTimes times;
  if (status == Status::Ok)
    status = compileTo(compilation, times);
  llvm::raw_ostream &os =
      emit == Level::Cubin || !output.empty() ? llvm::outs() : llvm::errs();
  if (status == Status::Ok)
    printReport(compilation.kernels(), report, os);
  if (timing)
    times.print(os);
  return finish(compilation, status);
}

} // namespace tlc::cli
