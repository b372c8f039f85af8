// A folder of cache entries that any number of processes share. An entry is one
// file, named by its key, with a checksum over its contents:
//
//   "tlc-entry-1\n"  32 bytes: SHA-256 of what follows  key  contents
//
// Writing goes to a temporary file that is renamed when it is complete, so a
// reader sees a whole entry or none. Whatever is wrong with a file (truncated,
// changed, of another key) makes it absent: it is removed and built again. No
// failure of the disk is an error here; it costs the time of a compilation.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace tlc::rt {

/// Keys that begin so are notes, not results: they are not counted.
inline constexpr std::string_view kNotePrefix = "note-";

struct DiskUsage {
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;
};

/// Stateless, so any number of threads may use one.
class DiskCache {
public:
  /// `maxBytes` bounds the sum of the entries: storing removes those that were
  /// not used for the longest time.
  DiskCache(std::filesystem::path folder, std::uint64_t maxBytes)
      : root(std::move(folder)), limit(maxBytes) {}

  /// The one that the environment describes (tlc::CacheInfo). Nothing when it
  /// is off; `why` receives the reason.
  static std::optional<DiskCache> fromEnvironment(std::string *why = nullptr);

  /// The contents stored under `key` (of `hashText`, perhaps after a prefix).
  /// Marks the entry as used.
  std::optional<std::string> load(const std::string &key) const;
  /// Replaces the entry. False when the disk did not take it.
  bool store(const std::string &key, std::string_view contents) const;

  DiskUsage usage() const;
  /// Removes all entries and leftovers; returns how many entries. `failed`
  /// receives the name of a file that could not be removed.
  std::uint64_t clear(std::string *failed = nullptr) const;

  const std::filesystem::path &folder() const { return root; }
  std::uint64_t maxBytes() const { return limit; }

private:
  std::filesystem::path pathOf(const std::string &key) const;
  void evict(const std::filesystem::path &keep) const;

  std::filesystem::path root;
  std::uint64_t limit;
};

/// SHA-256 of `text` in hexadecimal.
std::string hashText(std::string_view text);

} // namespace tlc::rt
