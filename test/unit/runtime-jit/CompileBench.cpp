// How long kernels take to be there: compiled, from disk, from memory. Hidden;
// JitTest "[bench]" prints the table.
#include "tlc/tlc.h"

#include "runtime/jit/CompiledSource.h"
#include "test/support/Catch.h"
#include "test/unit/runtime-jit/CacheFolder.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

using namespace tlc;

namespace {

double milliseconds(const std::function<void()> &action) {
  auto begin = std::chrono::steady_clock::now();
  action();
  std::chrono::duration<double, std::milli> time =
      std::chrono::steady_clock::now() - begin;
  return time.count();
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void measure(const std::string &name, const std::string &path) {
  constexpr int kRounds = 5, kHits = 1000;
  std::vector<double> cold, disk, memory;
  const Source source = Source::file(path);
  for (int round = 0; round < kRounds; ++round) {
    // A text of its own, so that nothing anywhere has seen it.
    Source fresh = source;
    fresh.text += "\n# round " + std::to_string(round) + "\n";
    rt::clearMemoryCache();
    cold.push_back(milliseconds([&] { jit(fresh); }));
    rt::clearMemoryCache();
    disk.push_back(milliseconds([&] { jit(fresh); }));
  }
  jit(path);
  for (int hit = 0; hit < kHits; ++hit)
    memory.push_back(milliseconds([&] { jit(path); }));
  std::printf("%-12s %10.1f ms %10.2f ms %10.2f us\n", name.c_str(),
              median(cold), median(disk), median(memory) * 1e3);
}

} // namespace

TEST_CASE("compile times", "[.][bench]") {
  test::CacheFolder folder;
  std::printf("%-12s %13s %13s %13s\n", "kernel", "compiled", "from disk",
              "from memory");
  const std::string kernels = TLC_SOURCE_DIR "/kernels/";
  for (const char *name : {"gemm", "correct_h0"}) {
    try {
      measure(name, kernels + name + "/" + name + ".tl");
    } catch (const Error &error) {
      std::printf("%-12s %s\n", name, error.what());
    }
  }
}
