// Both caches as tlc::jit uses them, without a compiler behind: processes with
// many threads each share a folder whose entries are damaged meanwhile. Quick,
// and sanitizers see all of it.
#include "runtime/jit/DiskCache.h"
#include "runtime/jit/MemoryCache.h"

#include "test/unit/runtime-jit/CacheFolder.h"
#include "test/unit/runtime-jit/CacheStress.h"

using namespace tlc::rt;
using namespace tlc::test;
namespace fs = std::filesystem;

namespace {

constexpr int kKeys = 20, kThreads = 8, kProcesses = 4, kRounds = 200;

/// What a compilation would give: a different length and text for each key.
std::string contentsOf(int key) {
  std::string text;
  for (int i = 0; i < 100 + 37 * key; ++i)
    text += hashText(std::to_string(key) + "/" + std::to_string(i));
  return text;
}

/// Threads that look for whatever, in memory, on disk, and else make it.
/// Returns the number of wrong results.
int work() {
  const auto disk = DiskCache::fromEnvironment();
  REQUIRE(disk);
  MemoryCache<std::string> memory(kKeys / 2);
  std::vector<std::string> expected;
  expected.reserve(kKeys);
  for (int key = 0; key < kKeys; ++key)
    expected.push_back(contentsOf(key));
  auto load = [&](int key) {
    const std::string name = hashText("key " + std::to_string(key));
    if (auto found = disk->load(name))
      return std::make_shared<const std::string>(std::move(*found));
    auto made = std::make_shared<const std::string>(contentsOf(key));
    disk->store(name, *made);
    return made;
  };
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&, thread] {
      std::mt19937 random(static_cast<unsigned>(thread));
      for (int round = 0; round < kRounds; ++round) {
        const int key = static_cast<int>(random() % kKeys);
        if (random() % 16 == 0)
          memory.clear();
        auto value = memory.get(std::to_string(key), [&] { return load(key); });
        wrong += *value != expected[key];
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  return wrong;
}

} // namespace

TEST_CASE("caches: one process", "[.]") { CHECK(work() == 0); }

TEST_CASE("caches: processes share a folder that is damaged meanwhile",
          "[cache]") {
  CacheFolder folder;
  fs::create_directories(folder.path);
  // The smaller bound evicts all but the newest entry.
  for (const char *megabytes : {"1", "0"}) {
    setenv("TLC_CACHE_MAX_MB", megabytes, 1);
    Vandal vandal(folder.path, std::chrono::microseconds(500));
    runProcesses("caches: one process", kProcesses);
  }
  unsetenv("TLC_CACHE_MAX_MB");
  for (const auto &entry : fs::directory_iterator(folder.path))
    CHECK(entry.path().extension() == ".tlc"); // nothing half-written
  CHECK(work() == 0);
}
