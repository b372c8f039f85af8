// The disk cache alone: what it keeps, what damage does, what eviction takes.
#include "runtime/jit/DiskCache.h"

#include "test/support/Catch.h"
#include "test/unit/runtime-jit/CacheFolder.h"

#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

using namespace tlc::rt;
using tlc::test::CacheFolder;
namespace fs = std::filesystem;

namespace {

std::string readFile(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

void writeFile(const fs::path &path, const std::string &text) {
  std::ofstream(path, std::ios::binary) << text;
}

fs::path onlyFile(const fs::path &folder) {
  std::vector<fs::path> list;
  for (const auto &entry : fs::directory_iterator(folder))
    list.push_back(entry.path());
  REQUIRE(list.size() == 1);
  return list.front();
}

} // namespace

TEST_CASE("disk cache: keys are SHA-256", "[cache]") {
  // FIPS 180-2, appendix B.1.
  CHECK(hashText("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb4"
                           "10ff61f20015ad");
}

TEST_CASE("disk cache: contents come back whole", "[cache]") {
  CacheFolder folder;
  DiskCache cache(folder.path, 1 << 20);
  const std::string key = hashText("k");
  CHECK(!cache.load(key));
  const std::string binary("a\0b\n\xff", 5);
  REQUIRE(cache.store(key, binary));
  CHECK(cache.load(key) == binary);
  REQUIRE(cache.store(key, "new"));
  CHECK(cache.load(key) == "new");
  REQUIRE(cache.store(key, ""));
  CHECK(cache.load(key) == "");
  CHECK(!cache.load(hashText("other")));
  CHECK(cache.usage().entries == 1);
}

TEST_CASE("disk cache: each flipped bit and each truncation is a miss",
          "[cache]") {
  CacheFolder folder;
  DiskCache cache(folder.path, 1 << 20);
  const std::string key = hashText("k");
  REQUIRE(cache.store(key, "contents"));
  const fs::path path = onlyFile(folder.path);
  const std::string whole = readFile(path);
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    writeFile(path, damaged);
    REQUIRE(!cache.load(key));
    REQUIRE(!fs::exists(path));
  }
  for (std::size_t size = 0; size < whole.size(); ++size) {
    writeFile(path, whole.substr(0, size));
    REQUIRE(!cache.load(key));
  }
  writeFile(path, whole + "x");
  CHECK(!cache.load(key));
  writeFile(path, whole);
  CHECK(cache.load(key) == "contents");
}

TEST_CASE("disk cache: an entry under another name is a miss", "[cache]") {
  CacheFolder folder;
  DiskCache cache(folder.path, 1 << 20);
  REQUIRE(cache.store(hashText("a"), "A"));
  const fs::path path = onlyFile(folder.path);
  fs::rename(path, folder.path / (hashText("b") + ".tlc"));
  CHECK(!cache.load(hashText("b")));
}

TEST_CASE("disk cache: the least recently used entries go first", "[cache]") {
  CacheFolder folder;
  const std::string contents(1000, 'x');
  DiskCache cache(folder.path, 5000);
  std::vector<std::string> keys;
  const auto now = fs::file_time_type::clock::now();
  for (int i = 0; i < 4; ++i) {
    keys.push_back(hashText(std::to_string(i)));
    REQUIRE(cache.store(keys[i], contents));
    fs::last_write_time(folder.path / (keys[i] + ".tlc"),
                        now - std::chrono::seconds(100 - i));
  }
  REQUIRE(cache.load(keys[0])); // now the most recent
  REQUIRE(cache.store(hashText("4"), contents));
  CHECK(cache.load(keys[0]));
  CHECK(!cache.load(keys[1]));
  CHECK(cache.load(hashText("4")));
  CHECK(cache.usage().bytes <= 5000);
}

TEST_CASE("disk cache: an entry above the bound stays alone", "[cache]") {
  CacheFolder folder;
  DiskCache cache(folder.path, 100);
  REQUIRE(cache.store(hashText("a"), std::string(500, 'a')));
  REQUIRE(cache.store(hashText("b"), std::string(500, 'b')));
  CHECK(cache.usage().entries == 1);
  CHECK(cache.load(hashText("b")));
}

TEST_CASE("disk cache: a disk that takes nothing is no error", "[cache]") {
  CacheFolder folder;
  // A file where the folder should be: creating it fails for root, too.
  writeFile(folder.path, "");
  DiskCache cache(folder.path / "below", 1 << 20);
  CHECK(!cache.store(hashText("a"), "A"));
  CHECK(!cache.load(hashText("a")));
  CHECK(cache.usage().entries == 0);
  CHECK(cache.clear() == 0);
}

TEST_CASE("disk cache: a full disk leaves nothing behind", "[cache]") {
  CacheFolder folder;
  DiskCache cache(folder.path, 1 << 20);
  REQUIRE(cache.store(hashText("a"), "A"));
  // As if the disk were full after 4096 bytes: writes beyond fail.
  rlimit old{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &old) == 0);
  rlimit small = old;
  small.rlim_cur = 4096;
  auto *handler = std::signal(SIGXFSZ, SIG_IGN);
  REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
  const bool stored = cache.store(hashText("b"), std::string(10000, 'b'));
  setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);
  CHECK(!stored);
  CHECK(!cache.load(hashText("b")));
  CHECK(cache.load(hashText("a")) == "A");
  CHECK(onlyFile(folder.path).extension() == ".tlc");
}

TEST_CASE("disk cache: a read-only folder still serves", "[cache]") {
  CacheFolder folder;
  DiskCache cache(folder.path, 1 << 20);
  REQUIRE(cache.store(hashText("a"), "A"));
  fs::permissions(folder.path, fs::perms::owner_read | fs::perms::owner_exec);
  CHECK(cache.load(hashText("a")) == "A");
  if (geteuid() != 0) // root writes anywhere
    CHECK(!cache.store(hashText("b"), "B"));
  fs::permissions(folder.path, fs::perms::owner_all);
}

TEST_CASE("disk cache: clearing leaves the files of others", "[cache]") {
  CacheFolder folder;
  DiskCache cache(folder.path, 1 << 20);
  REQUIRE(cache.store(hashText("a"), "A"));
  REQUIRE(cache.store(hashText("b"), "B"));
  writeFile(folder.path / "notes.txt", "mine");
  writeFile(folder.path / "tmp-1-2-3", "left by a process that died");
  CHECK(cache.clear() == 2);
  CHECK(onlyFile(folder.path).filename() == "notes.txt");
}

TEST_CASE("disk cache: the environment chooses the folder", "[cache]") {
  CacheFolder folder;
  CHECK(DiskCache::fromEnvironment()->folder() == folder.path);
  CHECK(DiskCache::fromEnvironment()->maxBytes() == std::uint64_t{1} << 30);
  setenv("TLC_CACHE_MAX_MB", "7", 1);
  CHECK(DiskCache::fromEnvironment()->maxBytes() == 7 << 20);
  setenv("TLC_CACHE_MAX_MB", "many", 1);
  CHECK(DiskCache::fromEnvironment()->maxBytes() == std::uint64_t{1} << 30);
  unsetenv("TLC_CACHE_MAX_MB");

  const char *xdg = std::getenv("XDG_CACHE_HOME");
  const std::string oldXdg = xdg ? xdg : "";
  unsetenv("TLC_CACHE_DIR");
  setenv("XDG_CACHE_HOME", "/x", 1);
  CHECK(DiskCache::fromEnvironment()->folder() == "/x/tlc");
  setenv("XDG_CACHE_HOME", "relative", 1);
  if (const char *home = std::getenv("HOME"))
    CHECK(DiskCache::fromEnvironment()->folder() ==
          fs::path(home) / ".cache" / "tlc");
  if (xdg)
    setenv("XDG_CACHE_HOME", oldXdg.c_str(), 1);
  else
    unsetenv("XDG_CACHE_HOME");

  setenv("TLC_CACHE", "off", 1);
  std::string why;
  CHECK(!DiskCache::fromEnvironment(&why));
  CHECK(why == "TLC_CACHE is off");
  unsetenv("TLC_CACHE");
}
