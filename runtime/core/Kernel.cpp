// The public face of a loaded kernel.
#include "tlc/Kernel.h"

#include "runtime/core/Launch.h"

#include <fmt/format.h>

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

std::vector<KernelResources> Kernel::resources() const {
  return loaded->resources();
}

void Kernel::launchArguments(StreamHandle stream,
                             std::span<const Argument> arguments) const {
  // Storage is reused from launch to launch; each thread has its own.
  static thread_local rt::PreparedLaunch scratch;
  struct Release { // also when a check fails
    ~Release() { scratch.kernel.reset(); }
  } release;
  loaded->prepare(arguments, scratch);
  scratch.enqueue(static_cast<rt::cu::Stream>(stream));
}

Plan Kernel::prepareArguments(std::span<const Argument> arguments) const {
  auto prepared = std::make_unique<rt::PreparedLaunch>();
  loaded->prepare(arguments, *prepared);
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
