// Several processes with many threads each share one disk cache while its
// entries are damaged. Every result must be the one that a compilation without
// a cache gives. TLC_STRESS_ROUNDS sets the compilations of each thread (40).
#include "tlc/tlc.h"

#include "compiler/target/nvrtc/Nvrtc.h"
#include "runtime/jit/CompiledSource.h"
#include "runtime/jit/DiskCache.h"
#include "test/unit/runtime-jit/CacheFolder.h"
#include "test/unit/runtime-jit/CacheStress.h"

#include "llvm/Support/Error.h"

#include <cstdlib>
#include <iterator>

using namespace tlc;
namespace fs = std::filesystem;

namespace {

constexpr int kKernels = 20, kThreads = 8, kProcesses = 4;

int rounds() {
  const char *text = std::getenv("TLC_STRESS_ROUNDS");
  return text ? std::atoi(text) : 40;
}

Source kernelSource(int value) {
  return {"import tilelang.language as T\n"
          "@T.prim_func\n"
          "def fill(Y: T.Tensor((8,), \"int32\")):\n"
          "    with T.Kernel(1, threads=128) as b:\n"
          "        for i in T.Parallel(8):\n"
          "            Y[i] = " +
              std::to_string(value) + "\n",
          "fill.tl"};
}

/// One process: threads that compile whatever, with their memory emptied now
/// and then. Returns the number of wrong results.
int work(const std::vector<std::string> &expected) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&, thread] {
      std::mt19937 random(static_cast<unsigned>(thread));
      for (int round = 0; round < rounds(); ++round) {
        const int kernel = static_cast<int>(random() % kKernels);
        if (random() % 16 == 0)
          rt::clearMemoryCache();
        try {
          CompiledModule module = compile(kernelSource(kernel));
          wrong += rt::hashText(module.cubin()) != expected[kernel];
        } catch (const Error &) {
          ++wrong;
        }
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  return wrong;
}

std::vector<std::string> readExpected(const fs::path &path) {
  std::ifstream file(path);
  return std::vector<std::string>(std::istream_iterator<std::string>(file), {});
}

} // namespace

TEST_CASE("stress: one process", "[.]") {
  const char *expected = std::getenv("TLC_STRESS_EXPECTED");
  REQUIRE(expected);
  const std::vector<std::string> hashes = readExpected(expected);
  REQUIRE(hashes.size() == kKernels);
  CHECK(work(hashes) == 0);
}

TEST_CASE("stress: processes share a cache that is damaged meanwhile",
          "[stress]") {
  if (auto version = nvrtc::version(); !version) {
    WARN("skipped: " << llvm::toString(version.takeError()));
    return;
  }
  test::CacheFolder folder;
  fs::create_directories(folder.path);
  const fs::path list = folder.path / "expected.txt";
  {
    JitOptions options;
    options.cache = false;
    std::ofstream file(list);
    for (int kernel = 0; kernel < kKernels; ++kernel)
      file << rt::hashText(compile(kernelSource(kernel), options).cubin())
           << "\n";
  }
  setenv("TLC_STRESS_EXPECTED", list.c_str(), 1);
  {
    test::Vandal vandal(folder.path, std::chrono::milliseconds(20));
    test::runProcesses("stress: one process", kProcesses);
  }
  unsetenv("TLC_STRESS_EXPECTED");

  // What is left is whole or is recognised as damaged; nothing is half-written.
  rt::DiskCache cache(folder.path, 1 << 30);
  for (const fs::path &path : test::entriesOf(folder.path))
    cache.load(path.stem().string());
  for (const auto &entry : fs::directory_iterator(folder.path))
    CHECK(!entry.path().filename().string().starts_with("tmp-"));
  const std::vector<std::string> expected = readExpected(list);
  CHECK(work(expected) == 0);
}
