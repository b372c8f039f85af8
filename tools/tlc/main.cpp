// tlc: the command line of the compiler.
//
// Exit codes: 0 fine, 1 the input is wrong or a check failed, 2 usage,
// 3 something is missing on this machine, 70 a fault of tlc.
#include "tools/tlc/Options.h"

#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

using namespace tlc::cli;
namespace cl = llvm::cl;

static constexpr const char kOverview[] =
    "tlc: compiles and runs tile kernels (.tl) for NVIDIA GPUs\n";

static constexpr const char kUsageText[] =
    R"(usage: tlc compile FILE [options]   a cubin and its metadata, or --emit a level
       tlc run FILE [options]       on a GPU or, with --device virtual, on the CPU
       tlc --version
       tlc COMMAND --help           the options of a command
)";

static void hideForeignOptions() {
  for (cl::SubCommand *command : {&compileCommand(), &runCommand()})
    cl::HideUnrelatedOptions(category(), *command);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
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
  if (first != "compile" && first != "run")
    return usageError((first.starts_with("-") ? "expected a command before '"
                                              : "unknown command '") +
                      first + "'; the commands are compile and run");
  hideForeignOptions();
  std::string problem;
  llvm::raw_string_ostream problems(problem);
  if (!cl::ParseCommandLineOptions(argc, argv, kOverview, &problems)) {
    llvm::errs() << problem;
    return kUsage;
  }
  return compileCommand() ? runCompile() : runRun();
}
