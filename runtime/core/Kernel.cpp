// The public face of a loaded kernel.
#include "tlc/Kernel.h"

#include "runtime/core/Launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace tlc {

Plan::Plan(std::unique_ptr<rt::PreparedLaunch> launch)
    : prepared(std::move(launch)) {}
Plan::Plan(Plan &&) noexcept = default;
Plan &Plan::operator=(Plan &&) noexcept = default;
Plan::~Plan() = default;

void Plan::launch(StreamHandle stream) const {
  prepared->enqueue(static_cast<rt::cu::Stream>(stream));
}

Kernel::Kernel(std::shared_ptr<rt::LoadedKernel> loaded)
    : loaded(std::move(loaded)) {}

const std::string &Kernel::name() const { return loaded->metadata().name; }

std::vector<std::string> Kernel::parameters() const {
  std::vector<std::string> names;
  for (const rt::ParamInfo &param : loaded->metadata().params)
    names.push_back(param.name);
  return names;
}

std::vector<std::string> Kernel::outputs() const {
  return loaded->metadata().outputs;
}

std::vector<KernelResources> Kernel::resources() const {
  return loaded->resources();
}

bool Kernel::isVirtual() const { return loaded->isVirtual(); }

std::string Kernel::source(SourceLevel level) const {
  if (!loaded->origin())
    throw Error(ErrorCode::Unsupported,
                fmt::format("kernel {} was loaded from a cubin, which holds no "
                            "source; compile it with tlc::jit, or use tlc "
                            "compile --emit",
                            name()));
  return loaded->origin()->source(level);
}

namespace {

/// The last launch of a kernel on this thread. Equal arguments need no second
/// check: the packed launch depends on nothing else.
struct LastLaunch {
  std::uint64_t kernel = 0;
  std::vector<Argument> arguments;
  rt::PreparedLaunch prepared;
};

LastLaunch &lastLaunch(std::uint64_t kernel) {
  static thread_local std::array<LastLaunch, 32> table;
  return table[kernel % table.size()];
}

} // namespace

void Kernel::launchArguments(StreamHandle stream,
                             std::span<const Argument> arguments) const {
  LastLaunch &last = lastLaunch(loaded->id());
  bool same = last.kernel == loaded->id() &&
              std::equal(arguments.begin(), arguments.end(),
                         last.arguments.begin(), last.arguments.end());
  if (!same) {
    last.kernel = 0; // in case a check fails
    loaded->prepare(arguments, last.prepared);
    last.arguments.assign(arguments.begin(), arguments.end());
    last.kernel = loaded->id();
  }
  last.prepared.enqueue(static_cast<rt::cu::Stream>(stream));
}

Plan Kernel::prepareArguments(std::span<const Argument> arguments) const {
  auto prepared = std::make_unique<rt::PreparedLaunch>();
  loaded->prepare(arguments, *prepared);
  prepared->owner = loaded;
  return Plan(std::move(prepared));
}

Kernel load(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw Error(ErrorCode::Io, fmt::format("cannot read cubin '{}': {}", path,
                                           std::strerror(errno)));
  std::vector<char> cubin(std::istreambuf_iterator<char>(file), {});
  std::filesystem::path metadata(path);
  metadata.replace_extension(".json");
  if (cubin.size() < 4 || std::memcmp(cubin.data(), "\177ELF", 4) != 0)
    throw Error(ErrorCode::Io,
                fmt::format("'{}' is not a cubin: it is no ELF file", path));
  return Kernel(std::make_shared<rt::LoadedKernel>(
      rt::readMetadata(metadata.string()), std::move(cubin)));
}

Kernel loadFromMemory(std::span<const char> cubin, std::string_view metadata) {
  return Kernel(std::make_shared<rt::LoadedKernel>(
      rt::parseMetadata(metadata, "launch metadata"),
      std::vector<char>(cubin.begin(), cubin.end())));
}

} // namespace tlc
