// NVRTC, loaded at run time: CUDA text in; cubin, PTX, and what ptxas says
// about each kernel out. No GPU or driver is needed.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tlc::nvrtc {

/// Why NVRTC could not do its work.
class NvrtcError : public llvm::ErrorInfo<NvrtcError> {
public:
  enum class Kind {
    NotFound,      ///< no usable library; the text says where it was looked for
    TooOld,        ///< older than 12.8
    CompileFailed, ///< the text is NVRTC's log
    CallFailed,    ///< any other failure of the library
  };
  static char ID; // NOLINT(readability-identifier-naming): LLVM asks for it

  NvrtcError(Kind kind, std::string text)
      : errorKind(kind), text(std::move(text)) {}
  Kind kind() const { return errorKind; }
  /// NotFound and TooOld: the machine lacks something (exit code 3).
  bool isEnvironment() const {
    return errorKind == Kind::NotFound || errorKind == Kind::TooOld;
  }
  llvm::StringRef what() const { return text; }
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;

private:
  Kind errorKind;
  std::string text;
};

struct Options {
  std::string arch = "sm_90a"; ///< "sm_90a" for cubin; PTX uses compute_90a
  bool cubin = true;           ///< false stops at PTX
  bool fastMath = false;
  bool minimal = true;   ///< leave out NVRTC's builtin declarations
  bool lineInfo = false; ///< source lines in the cubin
  std::optional<unsigned> maxRegisters;
  std::vector<std::string> extra; ///< passed on as they are
};

/// What ptxas reports for one kernel. A figure it did not print is absent.
struct KernelUsage {
  std::string symbol;
  std::optional<std::int64_t> registers;
  std::optional<std::int64_t> spillStoreBytes;
  std::optional<std::int64_t> spillLoadBytes;
  std::optional<std::int64_t> stackBytes;
  std::optional<std::int64_t> staticSharedBytes;
  std::optional<std::int64_t> constantBytes;
  std::optional<std::int64_t> barriers;
};

/// A message of ptxas: "C7508" with its text, about a kernel when it names one.
struct PtxasWarning {
  std::string code; ///< empty when it has none
  std::string text;
};

struct Output {
  std::string cubin;
  std::string ptx;
  std::string log; ///< as NVRTC returned it
  std::vector<KernelUsage> usage;
  std::vector<PtxasWarning> warnings;
};

struct Version {
  int major = 0, minor = 0;
  std::string path; ///< of the library that was loaded
};

/// The library's version, loading it at the first call; thread-safe. Looks in
/// TLC_NVRTC (a file or a folder), the library search path, CUDA_HOME,
/// CUDA_PATH, /usr/local/cuda*, and folders `nvrtc` near the executable. A
/// failure is not remembered.
llvm::Expected<Version> version();

/// Compiles `source`, called `name` in messages. Thread-safe.
llvm::Expected<Output> compile(llvm::StringRef source, llvm::StringRef name,
                               const Options &options = {});

/// The records in a `ptxas -v` log, one for each kernel in order of appearance.
std::vector<KernelUsage> parseUsage(llvm::StringRef log);
/// The warnings and advisories in such a log.
std::vector<PtxasWarning> parseWarnings(llvm::StringRef log);

} // namespace tlc::nvrtc
