// One compilation: what was asked for, how, and what came out. The request is
// plain text, so that equal requests have equal keys.
#pragma once

#include "compiler/pipeline/Options.h"
#include "runtime/core/Launch.h"
#include "runtime/jit/DiskCache.h"
#include "tlc/Jit.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tlc::rt {

/// Source and options with everything checked that needs no compiler.
struct CompileRequest {
  std::shared_ptr<const Source> source;
  CompileOptions options;
  tlc::Device device = tlc::Device::gpu(); ///< a CPU one, or any GPU
};

/// Throws tlc::Error (InvalidArgument) for an option with no meaning.
CompileRequest makeRequest(const Source &source, const JitOptions &options);

/// Everything that decides the result within this process, as text.
std::string memoryKey(const CompileRequest &request);
/// The same for all processes: with the build of tlc and the version of NVRTC,
/// hashed. Throws tlc::Error (Environment) without NVRTC.
std::string diskKey(const CompileRequest &request, const DiskCache &disk);

/// A kernel as text, before it is loaded.
struct KernelImage {
  std::string name;
  std::string metadata;
  std::string cubin;
};

struct CompiledSource {
  std::vector<KernelImage> images;
  std::vector<std::shared_ptr<LoadedKernel>> kernels; ///< one for each image
  std::string warnings;
};

/// Compiles down to cubins. Throws tlc::Error.
std::shared_ptr<const CompiledSource>
compileForGpu(const CompileRequest &request);
/// Compiles to what the interpreter or the virtual SM runs. Throws tlc::Error.
std::shared_ptr<const CompiledSource>
compileForCpu(const CompileRequest &request);

/// The contents of a disk entry, and back; nothing when they are not what
/// `writeEntry` writes.
std::string writeEntry(const CompiledSource &compiled);
std::shared_ptr<const CompiledSource> readEntry(std::string_view contents,
                                                const CompileRequest &request);

/// Compiles, unless memory or the disk has the result. Throws tlc::Error.
std::shared_ptr<const CompiledSource>
compileCached(const CompileRequest &request);

/// Makes this process forget what it compiled; kernels in use stay.
void clearMemoryCache();

} // namespace tlc::rt
