// The public functions: look in memory, then on disk, then compile.
#include "tlc/Jit.h"

#include "runtime/jit/CompiledSource.h"
#include "runtime/jit/DiskCache.h"
#include "runtime/jit/LargeStack.h"
#include "runtime/jit/MemoryCache.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

namespace tlc {

using rt::CompiledSource;
using CompiledPointer = std::shared_ptr<const CompiledSource>;

namespace {

// Kernels that one process is likely to use at a time.
constexpr std::size_t kMemoryEntries = 1024;

struct Counters {
  std::atomic<std::uint64_t> compiled{0}, fromDisk{0}, fromMemory{0};
};

Counters &counters() {
  static Counters counters;
  return counters;
}

/// Never destroyed: threads may compile while the process ends.
rt::MemoryCache<CompiledSource> &memory() {
  static auto *cache = new rt::MemoryCache<CompiledSource>(kMemoryEntries);
  return *cache;
}

} // namespace

void rt::clearMemoryCache() { memory().clear(); }

namespace {

CompiledPointer compileNow(const rt::CompileRequest &request) {
  ++counters().compiled;
  CompiledPointer compiled;
  rt::onLargeStack([&] {
    compiled = request.device.isVirtual() ? rt::compileForCpu(request)
                                          : rt::compileForGpu(request);
  });
  return compiled;
}

/// Only machine code is worth keeping on disk.
CompiledPointer loadOrCompile(const rt::CompileRequest &request) {
  if (request.device.isVirtual())
    return compileNow(request);
  auto disk = rt::DiskCache::fromEnvironment();
  if (!disk)
    return compileNow(request);
  const std::string key = rt::diskKey(request, *disk);
  if (auto contents = disk->load(key))
    if (CompiledPointer compiled = rt::readEntry(*contents, request)) {
      ++counters().fromDisk;
      return compiled;
    }
  CompiledPointer compiled = compileNow(request);
  disk->store(key, rt::writeEntry(*compiled));
  return compiled;
}

std::string join(const std::vector<std::string> &list) {
  return fmt::format("{}", fmt::join(list, ", "));
}

std::vector<std::string> namesOf(const CompiledSource &compiled) {
  std::vector<std::string> names;
  names.reserve(compiled.images.size());
  for (const rt::KernelImage &image : compiled.images)
    names.push_back(image.name);
  return names;
}

std::size_t indexOf(const CompiledSource &compiled, std::string_view name) {
  const std::vector<std::string> names = namesOf(compiled);
  if (name.empty()) {
    if (names.size() == 1)
      return 0;
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("there are {} kernels, say which: {}", names.size(),
                            join(names)));
  }
  auto found = std::ranges::find(names, name);
  if (found == names.end())
    throw Error(
        ErrorCode::InvalidArgument,
        fmt::format("there is no kernel '{}' among {}", name, join(names)));
  return static_cast<std::size_t>(found - names.begin());
}

void writeFile(const std::filesystem::path &path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (!file)
    throw Error(ErrorCode::Io,
                fmt::format("cannot write '{}': {}", path.string(),
                            std::strerror(errno)));
}

} // namespace

Source Source::file(const std::string &path) {
  auto fail = [&] {
    throw Error(ErrorCode::Io, fmt::format("cannot read kernel file '{}': {}",
                                           path, std::strerror(errno)));
  };
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(
      std::fopen(path.c_str(), "rbe"), &std::fclose);
  if (!file)
    fail();
  // This is on the way of every call that finds its kernel in memory.
  Source source{"", path};
  constexpr std::size_t kPiece = 16384;
  std::size_t got = 0;
  do {
    const std::size_t size = source.text.size();
    source.text.resize(size + kPiece);
    got = std::fread(source.text.data() + size, 1, kPiece, file.get());
    source.text.resize(size + got);
  } while (got == kPiece);
  if (std::ferror(file.get()))
    fail();
  return source;
}

CompiledPointer rt::compileCached(const CompileRequest &request) {
  bool found = false;
  CompiledPointer compiled = memory().get(
      memoryKey(request), [&] { return loadOrCompile(request); }, &found);
  counters().fromMemory += found;
  return compiled;
}

CompiledModule compile(const Source &source, const JitOptions &options) {
  rt::CompileRequest request = rt::makeRequest(source, options);
  if (!options.cache)
    return CompiledModule(compileNow(request));
  return CompiledModule(rt::compileCached(request));
}

CompiledModule compile(const std::string &path, const JitOptions &options) {
  return compile(Source::file(path), options);
}

Kernel jit(const Source &source, const JitOptions &options) {
  return compile(source, options).kernel();
}

Kernel jit(const std::string &path, const JitOptions &options) {
  return compile(path, options).kernel();
}

CompiledModule::CompiledModule(std::shared_ptr<const CompiledSource> compiled)
    : compiled(std::move(compiled)) {}

std::vector<std::string> CompiledModule::kernels() const {
  return namesOf(*compiled);
}

Kernel CompiledModule::kernel(std::string_view name) const {
  return Kernel(compiled->kernels[indexOf(*compiled, name)]);
}

std::string_view CompiledModule::cubin(std::string_view kernel) const {
  return compiled->images[indexOf(*compiled, kernel)].cubin;
}

std::string_view CompiledModule::metadata(std::string_view kernel) const {
  return compiled->images[indexOf(*compiled, kernel)].metadata;
}

std::string_view CompiledModule::warnings() const { return compiled->warnings; }

void CompiledModule::save(const std::string &path,
                          std::string_view kernel) const {
  const rt::KernelImage &image = compiled->images[indexOf(*compiled, kernel)];
  if (image.cubin.empty())
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("kernel {} was compiled for the virtual device: "
                            "there is no cubin to save",
                            image.name));
  std::filesystem::path metadata(path);
  metadata.replace_extension(".json");
  writeFile(path, image.cubin);
  writeFile(metadata, image.metadata);
}

CacheInfo cacheInfo() {
  CacheInfo info;
  auto disk = rt::DiskCache::fromEnvironment(&info.folder);
  if (!disk)
    return info;
  rt::DiskUsage usage = disk->usage();
  info.enabled = true;
  info.folder = disk->folder().string();
  info.entries = usage.entries;
  info.bytes = usage.bytes;
  info.maxBytes = disk->maxBytes();
  return info;
}

std::uint64_t clearCache() {
  rt::clearMemoryCache();
  auto disk = rt::DiskCache::fromEnvironment();
  if (!disk)
    return 0;
  std::string failed;
  std::uint64_t removed = disk->clear(&failed);
  if (!failed.empty())
    throw Error(ErrorCode::Io,
                fmt::format("cannot remove a cache entry: {}", failed));
  return removed;
}

JitCounts jitCounts() {
  Counters &now = counters();
  return {now.compiled, now.fromDisk, now.fromMemory};
}

} // namespace tlc
