#include "compiler/target/nvrtc/Nvrtc.h"

#include "compiler/target/nvrtc/NvrtcLibrary.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <utility>

using namespace llvm;

namespace tlc::nvrtc {

char NvrtcError::ID = 0;

void NvrtcError::log(raw_ostream &os) const { os << text; }

std::error_code NvrtcError::convertToErrorCode() const {
  return inconvertibleErrorCode();
}

namespace {

/// A program of the library, destroyed with this.
class ProgramHandle {
public:
  explicit ProgramHandle(const Library &library) : library(library) {}
  ~ProgramHandle() {
    if (raw)
      library.destroyProgram(&raw);
  }
  ProgramHandle(const ProgramHandle &) = delete;
  ProgramHandle &operator=(const ProgramHandle &) = delete;

  Program raw = nullptr;

private:
  const Library &library;
};

std::string virtualArch(StringRef arch) {
  arch.consume_front("sm_");
  return ("compute_" + arch).str();
}

std::vector<std::string> buildOptions(const Options &options, StringRef source,
                                      const Library &library) {
  std::vector<std::string> list;
  list.push_back("--gpu-architecture=" +
                 (options.cubin ? options.arch : virtualArch(options.arch)));
  list.push_back("--std=c++17");
  if (options.cubin) {
    list.push_back("--ptxas-options=-v");
    // What NVRTC takes from its own cache (there since 12.9, used where there
    // is a driver) comes without the log that the figures are read from.
    if (std::pair(library.found.major, library.found.minor) >= std::pair(12, 9))
      list.push_back("--no-cache");
  }
  if (options.minimal)
    list.push_back("--minimal");
  if (options.fastMath)
    list.push_back("--use_fast_math");
  if (options.lineInfo)
    list.push_back("--generate-line-info");
  if (options.maxRegisters)
    list.push_back("--maxrregcount=" + utostr(*options.maxRegisters));
  // Only text that the user imported has includes; ours has none.
  if (!library.includeDir.empty() && source.contains("#include"))
    list.push_back("--include-path=" + library.includeDir);
  list.insert(list.end(), options.extra.begin(), options.extra.end());
  return list;
}

using SizeFunction = Result (*)(Program, std::size_t *);
using TextFunction = Result (*)(Program, char *);

/// Empty when the library has nothing to give.
std::string fetch(Program program, SizeFunction size, TextFunction text) {
  std::size_t bytes = 0;
  if (size(program, &bytes) != 0 || bytes == 0)
    return "";
  std::string result(bytes, '\0');
  if (text(program, result.data()) != 0)
    return "";
  return result;
}

/// Text with its terminating zero taken off.
std::string fetchText(Program program, SizeFunction size, TextFunction text) {
  std::string result = fetch(program, size, text);
  while (!result.empty() && result.back() == '\0')
    result.pop_back();
  return result;
}

Error callFailed(const Library &library, StringRef what, Result result) {
  return make_error<NvrtcError>(NvrtcError::Kind::CallFailed,
                                (Twine("NVRTC ") + Twine(library.found.major) +
                                 "." + Twine(library.found.minor) + ": " +
                                 what +
                                 " failed: " + library.errorString(result))
                                    .str());
}

} // namespace

Expected<Version> version() {
  Expected<const Library *> library = getLibrary();
  if (!library)
    return library.takeError();
  return (*library)->found;
}

Expected<Output> compile(StringRef source, StringRef name,
                         const Options &options) {
  Expected<const Library *> loaded = getLibrary();
  if (!loaded)
    return loaded.takeError();
  const Library &library = **loaded;
  std::string sourceText = source.str(), nameText = name.str();
  ProgramHandle program(library);
  if (Result result =
          library.createProgram(&program.raw, sourceText.c_str(),
                                nameText.c_str(), 0, nullptr, nullptr))
    return callFailed(library, "creating a program", result);

  std::vector<std::string> list = buildOptions(options, source, library);
  std::vector<const char *> pointers;
  pointers.reserve(list.size());
  for (const std::string &option : list)
    pointers.push_back(option.c_str());
  Result result = library.compileProgram(
      program.raw, static_cast<int>(pointers.size()), pointers.data());

  Output output;
  output.log = fetchText(program.raw, library.logSize, library.log);
  if (result != 0)
    return make_error<NvrtcError>(
        NvrtcError::Kind::CompileFailed,
        output.log.empty() ? library.errorString(result) : output.log);
  output.ptx = fetchText(program.raw, library.ptxSize, library.ptx);
  if (options.cubin) {
    output.cubin = fetch(program.raw, library.cubinSize, library.cubin);
    if (output.cubin.empty())
      return callFailed(library, "fetching the cubin", result);
  }
  output.usage = parseUsage(output.log);
  output.warnings = parseWarnings(output.log);
  return output;
}

} // namespace tlc::nvrtc
