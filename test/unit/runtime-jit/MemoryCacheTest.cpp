// The memory cache alone: one build for each key, whatever the threads do.
#include "runtime/jit/MemoryCache.h"

#include "test/support/Catch.h"

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

using tlc::rt::MemoryCache;

namespace {

using Cache = MemoryCache<int>;

Cache::Pointer make(int value) { return std::make_shared<const int>(value); }

void onThreads(int count, const std::function<void(int)> &work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i)
    threads.emplace_back(work, i);
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace

TEST_CASE("memory cache: many threads share one build for each key",
          "[cache]") {
  Cache cache(100);
  std::atomic<int> builds[20]{};
  std::atomic<int> wrong{0}, found{0};
  onThreads(8, [&](int thread) {
    for (int i = 0; i < 200; ++i) {
      int key = (i * 7 + thread) % 20;
      bool hit = false;
      auto value = cache.get(
          std::to_string(key),
          [&] {
            ++builds[key];
            std::this_thread::yield();
            return make(key);
          },
          &hit);
      wrong += *value != key;
      found += hit;
    }
  });
  for (auto &count : builds)
    CHECK(count == 1);
  CHECK(wrong == 0);
  CHECK(found == 8 * 200 - 20);
}

TEST_CASE("memory cache: a failure reaches all who wait and is forgotten",
          "[cache]") {
  Cache cache(10);
  std::atomic<int> failures{0};
  onThreads(8, [&](int) {
    try {
      cache.get("k", []() -> Cache::Pointer {
        std::this_thread::yield();
        throw std::runtime_error("no");
      });
    } catch (const std::runtime_error &) {
      ++failures;
    }
  });
  CHECK(failures == 8);
  CHECK(cache.size() == 0);
  CHECK(*cache.get("k", [] { return make(3); }) == 3);
}

TEST_CASE("memory cache: the least recently used value goes first", "[cache]") {
  Cache cache(2);
  int builds = 0;
  auto get = [&](const char *key) {
    return cache.get(key, [&] { return make(++builds); });
  };
  auto a = get("a");
  get("b");
  get("a");
  get("c"); // b goes
  CHECK(cache.size() == 2);
  CHECK(get("a") == a);
  CHECK(builds == 3);
  get("b");
  CHECK(builds == 4);
}

TEST_CASE("memory cache: clearing during builds and evictions", "[cache]") {
  Cache cache(3);
  std::atomic<int> wrong{0};
  onThreads(8, [&](int thread) {
    for (int i = 0; i < 300; ++i) {
      int key = (i + thread) % 7;
      if (i % 50 == thread)
        cache.clear();
      try {
        auto value = cache.get(std::to_string(key), [&]() -> Cache::Pointer {
          if (i % 11 == 0)
            throw std::runtime_error("no");
          return make(key);
        });
        wrong += *value != key;
      } catch (const std::runtime_error &) {
      }
    }
  });
  CHECK(wrong == 0);
  CHECK(cache.size() <= 3);
}
