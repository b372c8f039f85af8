#include "runtime/jit/NvrtcIdentity.h"

#include "compiler/target/nvrtc/Nvrtc.h"
#include "runtime/jit/BuildId.h"
#include "tlc/Error.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>

#include <sys/stat.h>

namespace tlc::rt {
namespace {

/// What changes when somebody replaces a file or adds one to a folder.
std::string signatureOf(const char *path) {
  struct stat status{};
  if (stat(path, &status) != 0)
    return "absent";
  return fmt::format("{}:{}:{}.{}", status.st_ino, status.st_size,
                     status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

/// What decides where NVRTC is found (compiler/target/nvrtc/Nvrtc.h).
std::string searchState() {
  std::string state = buildId();
  for (const char *name :
       {"TLC_NVRTC", "LD_LIBRARY_PATH", "CUDA_HOME", "CUDA_PATH"}) {
    const char *value = std::getenv(name);
    state += fmt::format("\n{}={}", name, value ? value : "");
  }
  std::error_code error;
  state +=
      '\n' + std::filesystem::read_symlink("/proc/self/exe", error).string();
  for (const char *path : {"/etc/ld.so.cache", "/usr/local"})
    state += '\n' + signatureOf(path);
  return state;
}

/// "version\nsignature\npath".
std::optional<NvrtcIdentity> parse(std::string_view text) {
  const std::size_t first = text.find('\n');
  const std::size_t second =
      first == text.npos ? first : text.find('\n', first + 1);
  if (second == text.npos)
    return std::nullopt;
  NvrtcIdentity identity{std::string(text.substr(0, first)),
                         std::string(text.substr(second + 1))};
  if (text.substr(first + 1, second - first - 1) !=
      signatureOf(identity.path.c_str()))
    return std::nullopt;
  return identity;
}

} // namespace

NvrtcIdentity nvrtcIdentity(const DiskCache &disk) {
  const std::string key = std::string(kNotePrefix) + hashText(searchState());
  if (auto text = disk.load(key))
    if (auto identity = parse(*text))
      return *identity;
  auto version = nvrtc::version();
  if (!version)
    throw Error(ErrorCode::Environment, toString(version.takeError()));
  NvrtcIdentity identity{fmt::format("{}.{}", version->major, version->minor),
                         version->path};
  // A relative path means another file in another folder.
  if (std::filesystem::path(identity.path).is_absolute())
    disk.store(key,
               fmt::format("{}\n{}\n{}", identity.version,
                           signatureOf(identity.path.c_str()), identity.path));
  return identity;
}

} // namespace tlc::rt
