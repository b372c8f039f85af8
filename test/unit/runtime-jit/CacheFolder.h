// A cache folder of a test's own, by the environment, removed afterwards.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace tlc::test {

/// One at a time: the environment belongs to the process.
class CacheFolder {
public:
  CacheFolder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "tlc-cache-XXXXXX").string();
    root = mkdtemp(pattern.data());
    path = root / "cache";
    setenv("TLC_CACHE_DIR", path.c_str(), 1);
    unsetenv("TLC_CACHE");
    unsetenv("TLC_CACHE_MAX_MB");
  }
  ~CacheFolder() {
    unsetenv("TLC_CACHE_DIR");
    std::error_code error;
    std::filesystem::permissions(path, std::filesystem::perms::owner_all,
                                 error);
    std::filesystem::remove_all(root, error);
  }
  CacheFolder(const CacheFolder &) = delete;
  CacheFolder &operator=(const CacheFolder &) = delete;

  std::filesystem::path path; ///< does not exist yet

private:
  std::filesystem::path root;
};

} // namespace tlc::test
