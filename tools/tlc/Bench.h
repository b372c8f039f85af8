// The parts of `tlc bench`.
#pragma once

#include "compiler/pipeline/Options.h"
#include "compiler/support/Diagnostics.h"
#include "kernels/harness/Bench.h"
#include "tools/tlc/RunArguments.h"

namespace tlc::cli {

/// Times the kernel of a .tl file on inputs that `request` describes. Prints a
/// table and, where something is wrong, diagnostics; `code` receives the exit
/// code. Throws tlc::Error.
kernels::BenchResult benchFile(const std::string &path,
                               const CompileOptions &options,
                               const RunRequest &request,
                               const kernels::BenchOptions &bench, int &code);

/// How long kernels take to be there: compiled, from disk, from memory. Needs
/// NVRTC, no GPU. Throws tlc::Error.
kernels::BenchResult benchCompile(const CompileOptions &options,
                                  const kernels::BenchOptions &bench);

/// What a launch costs the host, beside a bare cuLaunchKernelEx. Throws
/// tlc::Error.
kernels::BenchResult benchLaunch(const kernels::BenchOptions &bench);

} // namespace tlc::cli
