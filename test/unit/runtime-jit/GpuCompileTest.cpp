// Compiling for a GPU, which needs NVRTC but no GPU: the disk cache as jit uses
// it, saved files, levels. Says so and passes where there is no NVRTC.
#include "tlc/tlc.h"

#include "compiler/target/nvrtc/Nvrtc.h"
#include "runtime/jit/CompiledSource.h"
#include "runtime/jit/NvrtcIdentity.h"
#include "test/support/Catch.h"
#include "test/unit/runtime-jit/CacheFolder.h"
#include "test/unit/runtime-jit/Kernels.h"
#include "test/unit/runtime/ErrorText.h"

#include <chrono>
#include <fstream>
#include <iterator>
#include <vector>

using namespace tlc;
using namespace tlc::test;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

bool hasNvrtc() {
  auto version = nvrtc::version();
  if (version)
    return true;
  WARN("skipped: " << llvm::toString(version.takeError()));
  return false;
}

std::vector<fs::path> filesOf(const fs::path &folder) {
  std::vector<fs::path> list;
  std::error_code error;
  for (const auto &entry : fs::directory_iterator(folder, error))
    if (!entry.path().filename().string().starts_with("note-"))
      list.push_back(entry.path());
  return list;
}

std::string readFile(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

} // namespace

TEST_CASE("gpu compile: wrong CUDA of the user's own is the user's", "[jit]") {
  if (!hasNvrtc())
    return;
  CacheFolder folder;
  auto kernel = [](const char *statement) {
    return Source{std::string("import tilelang.language as T\n"
                              "@T.prim_func\n"
                              "def k(X: T.Tensor((4,), \"float32\")):\n"
                              "    with T.Kernel(1, threads=32) as b:\n"
                              "        X[0] = 1\n"
                              "        ") +
                      statement + "\n",
                  "own.tl"};
  };
  for (auto [statement, expected] :
       {std::pair("T.import_source(\"__device__ int f() { return x; }\")",
                  "own.tl:6:54: error[TL0712]"),
        std::pair("T.call_extern(\"handle\", \"nobody\")",
                  "own.tl:6:9: error[TL0713]")}) {
    ErrorCode code = ErrorCode::Internal;
    CHECK_THAT(errorText([&] { compile(kernel(statement)); }, &code),
               Contains(expected));
    CHECK(code == ErrorCode::Compile);
  }
  CHECK(filesOf(folder.path).empty());
}

TEST_CASE("gpu compile: memory, then disk, then the compiler", "[jit]") {
  if (!hasNvrtc())
    return;
  CacheFolder folder;
  rt::clearMemoryCache();
  const JitCounts begin = jitCounts();
  CompiledModule first = compile(scaleSource());
  const std::string cubin(first.cubin()), metadata(first.metadata());
  CHECK(cubin.starts_with("\177ELF"));
  REQUIRE(filesOf(folder.path).size() == 1);

  compile(scaleSource());
  CHECK(jitCounts().fromMemory - begin.fromMemory == 1);
  rt::clearMemoryCache();
  CompiledModule again = compile(scaleSource());
  CHECK(jitCounts().fromDisk - begin.fromDisk == 1);
  CHECK(jitCounts().compiled - begin.compiled == 1);
  CHECK(again.cubin() == cubin);
  CHECK(again.metadata() == metadata);
  CHECK(again.kernel().parameters() == std::vector<std::string>{"X", "Y"});

  // Damage is found and mended.
  const fs::path path = filesOf(folder.path).front();
  const std::string whole = readFile(path);
  std::string damaged = whole;
  damaged[damaged.size() / 2] ^= 4;
  for (const std::string &text :
       {damaged, whole.substr(0, 100), std::string()}) {
    std::ofstream(path, std::ios::binary) << text;
    rt::clearMemoryCache();
    CHECK(compile(scaleSource()).cubin() == cubin);
    CHECK(readFile(path) == whole);
  }
  CHECK(jitCounts().compiled - begin.compiled == 4);
}

TEST_CASE("gpu compile: what is noted of NVRTC is checked", "[jit]") {
  if (!hasNvrtc())
    return;
  CacheFolder folder;
  const rt::DiskCache disk(folder.path, 1 << 20);
  const rt::NvrtcIdentity loaded = rt::nvrtcIdentity(disk);
  const auto version = nvrtc::version();
  CHECK(loaded.version ==
        std::to_string(version->major) + "." + std::to_string(version->minor));
  CHECK(loaded.path == version->path);
  std::vector<fs::path> notes;
  for (const auto &entry : fs::directory_iterator(folder.path))
    notes.push_back(entry.path());
  REQUIRE(notes.size() == 1);
  CHECK(rt::nvrtcIdentity(disk).version == loaded.version);
  CHECK(disk.usage().entries == 0);
  // A note about a file that has changed counts for nothing.
  const std::string key = notes[0].stem().string();
  REQUIRE(disk.store(key, "1.0\n1:2:3.4\n" + loaded.path));
  CHECK(rt::nvrtcIdentity(disk).version == loaded.version);
  REQUIRE(disk.store(key, "nonsense"));
  CHECK(rt::nvrtcIdentity(disk).version == loaded.version);
}

TEST_CASE("gpu compile: options and text make entries of their own", "[jit]") {
  if (!hasNvrtc())
    return;
  CacheFolder folder;
  rt::clearMemoryCache();
  JitOptions options;
  compile(scaleSource(), options);
  options.params = {{"factor", 5}};
  compile(scaleSource(), options);
  options.fastMath = true;
  compile(scaleSource(), options);
  Source other = scaleSource();
  other.text += "# the end\n";
  compile(other, options);
  CHECK(filesOf(folder.path).size() == 4);
  CHECK(cacheInfo().entries == 4);
  CHECK(cacheInfo().folder == folder.path);
  CHECK(clearCache() == 4);
  CHECK(filesOf(folder.path).empty());
}

TEST_CASE("gpu compile: without a usable disk it only takes longer", "[jit]") {
  if (!hasNvrtc())
    return;
  CacheFolder folder;
  rt::clearMemoryCache();
  std::ofstream(folder.path) << "a file where the folder should be";
  CHECK(!compile(scaleSource()).cubin().empty());
  setenv("TLC_CACHE", "off", 1);
  rt::clearMemoryCache();
  CHECK(!compile(scaleSource()).cubin().empty());
  CHECK(!cacheInfo().enabled);
  CHECK(cacheInfo().folder == "TLC_CACHE is off");
  unsetenv("TLC_CACHE");
}

TEST_CASE("gpu compile: a saved kernel loads", "[jit]") {
  if (!hasNvrtc())
    return;
  CacheFolder folder;
  fs::create_directories(folder.path);
  const std::string path = (folder.path / "scale.cubin").string();
  CompiledModule module = compile(scaleSource());
  module.save(path);
  Kernel loaded = load(path);
  CHECK(loaded.parameters() == std::vector<std::string>{"X", "Y"});
  CHECK(!loaded.isVirtual());
  ErrorCode code{};
  CHECK_THAT(errorText([&] { loaded.source(SourceLevel::Cuda); }, &code),
             Contains("was loaded from a cubin, which holds no source"));
  CHECK(code == ErrorCode::Unsupported);
  CHECK_THAT(errorText([&] { module.save("/no/such/folder/k.cubin"); }),
             Contains("cannot write '/no/such/folder/k.cubin'"));
}

TEST_CASE("gpu compile: every level can be shown", "[jit]") {
  if (!hasNvrtc())
    return;
  CacheFolder folder;
  Kernel kernel = jit(scaleSource());
  CHECK_THAT(kernel.source(SourceLevel::Tile), Contains("tile.kernel"));
  CHECK_THAT(kernel.source(SourceLevel::SM), Contains("sm."));
  CHECK_THAT(kernel.source(SourceLevel::Cuda), Contains("__global__"));
  CHECK_THAT(kernel.source(SourceLevel::Ptx), Contains(".target sm_90a"));
  REQUIRE(kernel.resources().size() == 1);
  CHECK(kernel.resources()[0].registers.value_or(0) > 0);
}
