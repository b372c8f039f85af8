// The command line: sub-commands, what they share, exit codes.
#pragma once

#include "compiler/driver/Compiler.h"

#include "llvm/Support/CommandLine.h"

namespace tlc::cli {

inline constexpr int kUsage = 2;

// Functions, because the options of other files refer to them before main.
llvm::cl::SubCommand &compileCommand();
llvm::cl::SubCommand &runCommand();
llvm::cl::SubCommand &explainCommand();
llvm::cl::SubCommand &checkCommand();
llvm::cl::SubCommand &benchCommand();
/// Options of the tool; the rest of LLVM's stay hidden.
llvm::cl::OptionCategory &category();

/// The source file.
const std::string &inputFile();
/// The options that shape a compilation, checked. False after saying on stderr
/// what is wrong with them.
bool readCompileOptions(CompileOptions &options);
/// Splits "NAME=VALUE"; false after a message that names `flag`.
bool splitAssignment(llvm::StringRef flag, llvm::StringRef text,
                     std::string &name, std::string &value);
/// A usage error: prints "tlc: <text>" and returns the exit code.
int usageError(const llvm::Twine &text);
/// Prints the diagnostics, as text or JSON, and returns the exit code.
int finish(Compilation &compilation, Status status);

int runCompile();
int runRun();
int runExplain();
int runCheck();
int runBench();

} // namespace tlc::cli
