// From the public options to those of the compiler, and to cache keys.
#include "runtime/jit/CompiledSource.h"

#include "compiler/target/TargetInfo.h"
#include "runtime/jit/BuildId.h"
#include "runtime/jit/NvrtcIdentity.h"

#include <fmt/format.h>

#include <cmath>

namespace tlc {

ParamValue::ParamValue(double value) {
  if (!std::isfinite(value))
    throw Error(
        ErrorCode::InvalidArgument,
        fmt::format("a kernel parameter is a finite number, got {}", value));
  spelled = fmt::format("{}", value);
  // "2" would be an integer.
  if (spelled.find_first_of(".e") == std::string::npos)
    spelled += ".0";
}

ParamValue::ParamValue(std::string_view text) {
  // The text of a definition has no escapes.
  bool hasDouble = text.find('"') != std::string_view::npos;
  if (hasDouble && text.find('\'') != std::string_view::npos)
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("a kernel parameter holds one kind of quotes at "
                            "most, got {}",
                            text));
  char quote = hasDouble ? '\'' : '"';
  spelled = fmt::format("{}{}{}", quote, text, quote);
}

ParamValue ParamValue::tuple(const std::vector<ParamValue> &items) {
  ParamValue result(nullptr);
  result.spelled = "(";
  for (const ParamValue &item : items)
    result.spelled += item.spelled + (items.size() == 1 ? "," : ", ");
  if (items.size() > 1)
    result.spelled.resize(result.spelled.size() - 2);
  result.spelled += ")";
  return result;
}

namespace rt {

static WarFence parseFence(const std::string &text) {
  for (WarFence fence : {WarFence::Proxy, WarFence::ProxyProducer,
                         WarFence::Delay, WarFence::Membar})
    if (spelling(fence) == text)
      return fence;
  throw Error(ErrorCode::InvalidArgument,
              fmt::format("JitOptions::warFence is '{}', expected proxy, "
                          "proxy-producer, delay or membar",
                          text));
}

static LeverSet parseDisabled(const std::string &text) {
  std::string unknown;
  if (auto levers = LeverSet::parse(text, unknown))
    return *levers;
  std::string known;
  for (const LeverText &lever : allLevers())
    known += (known.empty() ? "" : ", ") + lever.name.str();
  throw Error(ErrorCode::InvalidArgument,
              fmt::format("JitOptions::disable names '{}', expected some of {}",
                          unknown, known));
}

CompileRequest makeRequest(const Source &source, const JitOptions &options) {
  CompileRequest request;
  request.source = std::make_shared<const Source>(source);
  if (options.device.isVirtual())
    request.device = options.device;
  CompileOptions &to = request.options;
  to.kernel = options.kernel;
  to.arch = options.arch;
  to.fastMath = options.fastMath;
  to.warpSpecialize = options.warpSpecialize;
  to.cpAsync = options.cpAsync;
  to.levers = parseDisabled(options.disable);
  to.warFence = parseFence(options.warFence);
  for (const auto &[name, value] : options.params)
    to.defines[name] = value.text();
  if (target::lookupTarget(to.arch))
    return request;
  std::string known;
  for (llvm::StringRef name : target::targetNames())
    known += (known.empty() ? "" : ", ") + name.str();
  throw Error(ErrorCode::InvalidArgument,
              fmt::format("JitOptions::arch is '{}', expected one of {}",
                          to.arch, known));
}

/// Lengths before texts, so that no two lists look the same.
static void append(std::string &key, std::string_view text) {
  key += std::to_string(text.size());
  key += ':';
  key += text;
}

std::string memoryKey(const CompileRequest &request) {
  const CompileOptions &options = request.options;
  std::string key;
  key.reserve(request.source->text.size() + 256);
  key += request.device.isInterp()    ? 'i'
         : request.device.isVirtual() ? 'v'
                                      : 'g';
  key += options.fastMath ? 'f' : '-';
  key += options.warpSpecialize ? 'w' : options.cpAsync ? 'c' : '-';
  key += static_cast<char>('0' + static_cast<int>(options.warFence));
  // The ending of the name chooses the language; the rest is for messages.
  key += llvm::StringRef(request.source->name).ends_with(".mlir") ? 'm' : 't';
  append(key, options.levers.disabledText());
  append(key, options.arch);
  append(key, options.kernel);
  for (const auto &[name, value] : options.defines) {
    append(key, name);
    append(key, value);
  }
  key += ';';
  append(key, request.source->text);
  return key;
}

std::string diskKey(const CompileRequest &request, const DiskCache &disk) {
  const NvrtcIdentity nvrtc = nvrtcIdentity(disk);
  std::string text;
  append(text, buildId());
  append(text, nvrtc.version);
  // Included headers come with the library, so which one it is matters, too.
  bool includes = request.source->text.find("#include") != std::string::npos;
  append(text, includes ? nvrtc.path : std::string());
  return hashText(text + memoryKey(request));
}

} // namespace rt
} // namespace tlc
