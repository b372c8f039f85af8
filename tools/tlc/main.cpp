// tlc: the command line of the compiler.
//
// Exit codes: 0 fine, 1 the input is wrong or a check failed, 2 usage,
// 3 something is missing on this machine, 70 a fault of tlc.
#include "tools/tlc/Cache.h"
#include "tools/tlc/Options.h"

#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>
#include <cstdlib>
#include <new>

using namespace tlc::cli;
namespace cl = llvm::cl;

static constexpr const char kOverview[] =
    "tlc: compiles and runs tile kernels (.tl) for NVIDIA GPUs\n";

static constexpr const char kUsageText[] =
    R"(usage: tlc compile FILE [options]   a cubin and its metadata, or --emit a level
       tlc run FILE [options]       on a GPU or, with --device virtual or interp, on the CPU
       tlc check FILE [options]     proves the order of a kernel and tries to break it
       tlc explain FILE [options]   what was decided and why; --svg, --html draw it
       tlc explain CODE             about an error such as TL0304
       tlc bench [KERNEL | FILE]    times kernels, beside peers; --compile times the compiler
       tlc cache info | clear       the kernels that programs compiled and kept
       tlc --version
       tlc COMMAND --help           the options of a command
)";

static void hideForeignOptions() {
  for (cl::SubCommand *command :
       {&compileCommand(), &runCommand(), &explainCommand(), &checkCommand(),
        &benchCommand()})
    cl::HideUnrelatedOptions(category(), *command);
}

/// Tensors may be larger than the memory, which is no fault of tlc. Allocates
/// nothing.
static void onNoMemory() {
  llvm::outs().flush();
  std::fputs(
      "tlc: there is not enough memory for this; smaller sizes may help\n",
      stderr);
  std::_Exit(static_cast<int>(tlc::Status::Environment));
}

/// A file with all that is needed to see a fault again.
static void writeReproducer(llvm::ArrayRef<char *> words) {
  int descriptor;
  llvm::SmallString<128> path;
  if (llvm::sys::fs::createTemporaryFile("tlc-fault", "txt", descriptor, path))
    return;
  llvm::raw_fd_ostream os(descriptor, /*shouldClose=*/true);
  os << "tlc " TLC_VERSION "\n";
  for (const char *word : words)
    os << word << " ";
  os << "\n\n";
  if (auto source = llvm::MemoryBuffer::getFile(inputFile()))
    os << (*source)->getBuffer();
  llvm::errs() << "tlc: this is a fault of tlc; please report it with " << path
               << "\n";
}

static int runCommandLine(int argc, char **argv) {
  hideForeignOptions();
  std::string problem;
  llvm::raw_string_ostream problems(problem);
  if (!cl::ParseCommandLineOptions(argc, argv, kOverview, &problems)) {
    llvm::errs() << problem;
    return kUsage;
  }
  constexpr int internal = static_cast<int>(tlc::Status::Internal);
  int code = internal;
  llvm::setBugReportMsg("tlc has crashed\n");
  llvm::CrashRecoveryContext::Enable();
  llvm::CrashRecoveryContext guard;
  guard.DumpStackAndCleanupOnFailure = true;
  // A stack on which even the deepest input that is accepted fits.
  guard.RunSafelyOnThread(
      [&] {
        code = compileCommand()   ? runCompile()
               : explainCommand() ? runExplain()
               : checkCommand()   ? runCheck()
               : benchCommand()   ? runBench()
                                  : runRun();
      },
      256u << 20);
  llvm::outs().flush();
  if (code == internal)
    writeReproducer(llvm::ArrayRef(argv, argc));
  return code;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  std::set_new_handler(onNoMemory);
  if (argc < 2) {
    llvm::errs() << kUsageText;
    return kUsage;
  }
  llvm::StringRef first = argv[1];
  if (first == "--help" || first == "-h" || first == "help") {
    llvm::outs() << kOverview << "\n" << kUsageText;
    return 0;
  }
  if (first == "--version") {
    llvm::outs() << "tlc " TLC_VERSION "\n";
    return 0;
  }
  if (first == "cache")
    return runCache(argc - 1, argv + 1);
  if (first != "compile" && first != "run" && first != "explain" &&
      first != "check" && first != "bench")
    return usageError(
        (first.starts_with("-") ? "expected a command before '"
                                : "unknown command '") +
        first +
        "'; the commands are compile, run, check, explain, bench and cache");
  return runCommandLine(argc, argv);
}
