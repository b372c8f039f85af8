// Options that sub-commands share.
#include "tools/tlc/Options.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

namespace cl = llvm::cl;

namespace tlc::cli {

cl::SubCommand &compileCommand() {
  static cl::SubCommand command("compile", "compile a kernel, or show a level");
  return command;
}
cl::SubCommand &runCommand() {
  static cl::SubCommand command("run", "run a kernel on a GPU or on the CPU");
  return command;
}
cl::SubCommand &explainCommand() {
  static cl::SubCommand command("explain",
                                "say what was decided about a kernel and why");
  return command;
}
cl::SubCommand &checkCommand() {
  static cl::SubCommand command(
      "check", "prove the order of a kernel and try to break it");
  return command;
}
cl::SubCommand &benchCommand() {
  static cl::SubCommand command("bench", "time kernels, beside peers");
  return command;
}
cl::OptionCategory &category() {
  static cl::OptionCategory options("Options");
  return options;
}

#define TLC_SHARED                                                             \
  cl::sub(compileCommand()), cl::sub(runCommand()), cl::sub(explainCommand()), \
      cl::sub(checkCommand()), cl::cat(category())
// What shapes a compilation also belongs to a benchmark.
#define TLC_COMPILED TLC_SHARED, cl::sub(benchCommand())

static cl::opt<std::string> file(cl::Positional, cl::desc("FILE"), cl::Required,
                                 TLC_SHARED);
static cl::opt<std::string>
    kernel("kernel", cl::desc("the kernel, where the file leaves a choice"),
           cl::value_desc("name"), TLC_COMPILED);
static cl::list<std::string> defines("D", cl::Prefix,
                                     cl::desc("set a parameter of the factory"),
                                     cl::value_desc("name=value"),
                                     TLC_COMPILED);
static cl::opt<std::string> arch("arch", cl::init("sm_90a"),
                                 cl::desc("target GPU (sm_90a)"),
                                 cl::value_desc("name"), TLC_COMPILED);
static cl::opt<WarFence> warFence(
    "war-fence", cl::init(WarFence::Proxy),
    cl::desc("how a slot that threads read is protected from its refill"),
    cl::values(clEnumValN(WarFence::Proxy, "proxy", "by the readers (default)"),
               clEnumValN(WarFence::ProxyProducer, "proxy-producer",
                          "by the thread that refills it"),
               clEnumValN(WarFence::Delay, "delay",
                          "no fence: released past the next wait"),
               clEnumValN(WarFence::Membar, "membar",
                          "by membar, which fails; reproduces a report")),
    TLC_COMPILED);
/// How tiles are loaded where no warps are there for it.
enum class OneRole { None, Tma, CpAsync };
static cl::opt<OneRole> noWarpSpecialize(
    "no-warp-specialize", cl::init(OneRole::None), cl::ValueOptional,
    cl::desc("no producer warps: every warp does the same"),
    cl::values(clEnumValN(OneRole::Tma, "tma",
                          "one thread issues TMA loads ahead (default)"),
               clEnumValN(OneRole::CpAsync, "cp-async",
                          "all threads load ahead by cp.async"),
               clEnumValN(OneRole::Tma, "", "")),
    TLC_COMPILED);
static cl::opt<std::string> disabledLevers(
    "disable", cl::value_desc("lever,..."),
    cl::desc("switch optimisations off, by name, to measure them"),
    TLC_COMPILED);
static cl::opt<bool> fastMath("fast-math",
                              cl::desc("approximate division and functions"),
                              TLC_COMPILED);
static cl::opt<std::string>
    diagnosticFormat("diagnostics", cl::init("text"),
                     cl::desc("format of messages: text, json"),
                     cl::value_desc("format"), TLC_SHARED);
static cl::opt<std::string>
    trace("trace", cl::desc("write the program after each pass to a folder"),
          cl::value_desc("folder"), TLC_SHARED);

#undef TLC_COMPILED
#undef TLC_SHARED

const std::string &inputFile() { return file; }

int usageError(const llvm::Twine &text) {
  llvm::errs() << "tlc: " << text << "\n";
  return kUsage;
}

bool splitAssignment(llvm::StringRef flag, llvm::StringRef text,
                     std::string &name, std::string &value) {
  auto [left, right] = text.split('=');
  name = left.trim().str();
  value = right.str();
  if (!name.empty() && text.contains('='))
    return true;
  usageError(flag + " takes NAME=VALUE, got '" + text + "'");
  return false;
}

/// `--disable`: the levers that stay on; false after an error.
static bool readLevers(LeverSet &levers) {
  std::string unknown;
  std::optional<LeverSet> read = LeverSet::parse(disabledLevers, unknown);
  if (read) {
    levers = *read;
    return true;
  }
  std::string known;
  for (const LeverText &lever : allLevers())
    known += "\n  " + lever.name.str() + ": " + lever.help.str();
  usageError("--disable takes names of optimisations, '" + unknown +
             "' is none; there are" + known);
  return false;
}

bool readCompileOptions(CompileOptions &options) {
  options.kernel = kernel;
  options.arch = arch;
  options.warFence = warFence;
  options.warpSpecialize = noWarpSpecialize == OneRole::None;
  options.cpAsync = noWarpSpecialize == OneRole::CpAsync;
  options.fastMath = fastMath;
  if (!readLevers(options.levers))
    return false;
  options.traceFolder = trace;
  for (const std::string &define : defines) {
    std::string name, value;
    if (!splitAssignment("-D", define, name, value))
      return false;
    options.defines[name] = value;
  }
  if (diagnosticFormat != "text" && diagnosticFormat != "json") {
    usageError("--diagnostics is text or json, got '" + diagnosticFormat + "'");
    return false;
  }
  if (trace.empty())
    return true;
  if (std::error_code error = llvm::sys::fs::create_directories(trace)) {
    usageError("--trace: cannot make the folder '" + trace +
               "': " + error.message());
    return false;
  }
  return true;
}

int finish(Compilation &compilation, Status status) {
  if (diagnosticFormat == "json")
    compilation.diagnostics().printJSON(llvm::errs());
  else
    compilation.diagnostics().print(llvm::errs());
  return static_cast<int>(status);
}

} // namespace tlc::cli
