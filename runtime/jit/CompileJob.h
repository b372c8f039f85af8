// The in-process compiler for one request: what jobs for a GPU and for the CPU
// share.
#pragma once

#include "compiler/driver/Compiler.h"
#include "runtime/jit/CompiledSource.h"

namespace tlc::rt {

/// The diagnostics as `tlc compile` prints them, without a final newline.
std::string render(const DiagnosticEngine &engine);
/// Throws tlc::Error with the diagnostics unless `status` is Ok.
void check(Status status, Compilation &compilation, const Source &source);
/// The program at `level`, compiled anew.
std::string print(const CompileRequest &request, SourceLevel level);
/// Adds a kernel; the metadata of `image` is read, so it can throw.
void addKernel(CompiledSource &compiled, KernelImage image,
               std::shared_ptr<const KernelOrigin> origin);

} // namespace tlc::rt
