#include "runtime/jit/DiskCache.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tlc::rt {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "tlc-entry-1\n";
constexpr std::string_view kExtension = ".tlc";
constexpr std::string_view kTemporary = "tmp-";
constexpr std::size_t kDigestBytes = 32;
constexpr std::uint64_t kDefaultMegabytes = 1024;
// A writer that takes longer than this is gone.
constexpr std::chrono::hours kStale{1};

class File {
public:
  explicit File(int descriptor) : descriptor(descriptor) {}
  ~File() { close(); }
  File(const File &) = delete;
  File &operator=(const File &) = delete;

  explicit operator bool() const { return descriptor >= 0; }
  int get() const { return descriptor; }
  bool close() {
    int old = std::exchange(descriptor, -1);
    return old < 0 || ::close(old) == 0;
  }

private:
  int descriptor;
};

std::string digestOf(std::string_view key, std::string_view contents) {
  llvm::SHA256 hash;
  hash.update(llvm::StringRef(key.data(), key.size()));
  hash.update(llvm::StringRef(contents.data(), contents.size()));
  auto digest = hash.final();
  return std::string(digest.begin(), digest.end());
}

/// Not by mapping: another process may truncate the file meanwhile.
std::optional<std::string> readAll(int descriptor) {
  struct stat status{};
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode))
    return std::nullopt;
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t done = 0;
  while (done < text.size()) {
    ssize_t got = read(descriptor, text.data() + done, text.size() - done);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      break;
    done += static_cast<std::size_t>(got);
  }
  text.resize(done);
  return text;
}

bool writeAll(int descriptor, std::string_view text) {
  while (!text.empty()) {
    ssize_t put = write(descriptor, text.data(), text.size());
    if (put < 0 && errno == EINTR)
      continue;
    if (put <= 0)
      return false;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

/// The contents of a file of the format that is whole and of this key.
std::optional<std::string> contentsOf(std::string_view file,
                                      std::string_view key) {
  if (!file.starts_with(kMagic))
    return std::nullopt;
  file.remove_prefix(kMagic.size());
  if (file.size() < kDigestBytes + key.size())
    return std::nullopt;
  std::string_view digest = file.substr(0, kDigestBytes);
  file.remove_prefix(kDigestBytes);
  if (!file.starts_with(key))
    return std::nullopt;
  std::string_view contents = file.substr(key.size());
  if (digestOf(key, contents) != digest)
    return std::nullopt;
  return std::string(contents);
}

struct Entry {
  fs::path path;
  std::uint64_t bytes = 0;
  fs::file_time_type used;
  bool temporary = false;
  bool result = false; ///< neither temporary nor a note
};

/// The files of the cache; whatever else lies in the folder is not ours.
std::vector<Entry> listEntries(const fs::path &folder) {
  std::vector<Entry> list;
  std::error_code error;
  fs::directory_iterator it(folder, error), end;
  for (; !error && it != end; it.increment(error)) {
    Entry entry;
    entry.path = it->path();
    std::string name = entry.path.filename().string();
    entry.temporary = name.starts_with(kTemporary);
    if (!entry.temporary && entry.path.extension() != kExtension)
      continue;
    entry.result = !entry.temporary && !name.starts_with(kNotePrefix);
    // Another process may remove it between these calls.
    std::error_code gone;
    entry.bytes = it->file_size(gone);
    if (!gone)
      entry.used = it->last_write_time(gone);
    if (!gone)
      list.push_back(std::move(entry));
  }
  return list;
}

std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

/// The folder that the environment names; empty when it names none.
fs::path folderOfEnvironment() {
  if (std::string folder = environment("TLC_CACHE_DIR"); !folder.empty())
    return folder;
  // The XDG specification: a relative path is to be ignored.
  if (fs::path base = environment("XDG_CACHE_HOME"); base.is_absolute())
    return base / "tlc";
  if (fs::path home = environment("HOME"); home.is_absolute())
    return home / ".cache" / "tlc";
  return {};
}

std::uint64_t limitOfEnvironment() {
  std::string text = environment("TLC_CACHE_MAX_MB");
  std::uint64_t megabytes = kDefaultMegabytes;
  const char *end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, megabytes);
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
  if (error != std::errc() || stop != end || megabytes > kMost)
    megabytes = kDefaultMegabytes;
  return megabytes << 20;
}

} // namespace

std::string hashText(std::string_view text) {
  return llvm::toHex(digestOf(text, ""), /*LowerCase=*/true);
}

std::optional<DiskCache> DiskCache::fromEnvironment(std::string *why) {
  std::string reason;
  std::string mode = environment("TLC_CACHE");
  fs::path folder = folderOfEnvironment();
  if (mode == "off" || mode == "0")
    reason = "TLC_CACHE is " + mode;
  else if (folder.empty())
    reason = "none of TLC_CACHE_DIR, XDG_CACHE_HOME and HOME names a folder";
  else
    return DiskCache(std::move(folder), limitOfEnvironment());
  if (why)
    *why = reason;
  return std::nullopt;
}

fs::path DiskCache::pathOf(const std::string &key) const {
  return root / (key + std::string(kExtension));
}

std::optional<std::string> DiskCache::load(const std::string &key) const {
  fs::path path = pathOf(key);
  File file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file)
    return std::nullopt;
  std::optional<std::string> contents;
  if (auto text = readAll(file.get()))
    contents = contentsOf(*text, key);
  if (!contents) {
    unlink(path.c_str());
    return std::nullopt;
  }
  // The time of last use orders eviction; a read-only disk keeps its order.
  timespec times[] = {{0, UTIME_OMIT}, {0, UTIME_NOW}};
  futimens(file.get(), times);
  return contents;
}

bool DiskCache::store(const std::string &key, std::string_view contents) const {
  std::error_code error;
  if (!fs::is_directory(root, error)) {
    fs::create_directories(root, error);
    if (error)
      return false;
    fs::permissions(root, fs::perms::owner_all, error);
  }
  // Unique among threads by the counter, among processes by the process, and
  // among machines that share the folder by failing to create it twice.
  static std::atomic<std::uint64_t> counter{0};
  auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  fs::path temporary =
      root / (std::string(kTemporary) + std::to_string(getpid()) + "-" +
              std::to_string(now) + "-" + std::to_string(counter++));
  File file(open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                 S_IRUSR | S_IWUSR));
  if (!file)
    return false;
  bool written = writeAll(file.get(), kMagic) &&
                 writeAll(file.get(), digestOf(key, contents)) &&
                 writeAll(file.get(), key) && writeAll(file.get(), contents);
  written &= file.close();
  fs::path path = pathOf(key);
  if (!written || rename(temporary.c_str(), path.c_str()) != 0) {
    unlink(temporary.c_str());
    return false;
  }
  evict(path);
  return true;
}

void DiskCache::evict(const fs::path &keep) const {
  std::vector<Entry> entries = listEntries(root);
  std::uint64_t total = 0;
  auto now = fs::file_time_type::clock::now();
  std::erase_if(entries, [&](const Entry &entry) {
    if (!entry.temporary) {
      total += entry.bytes;
      return false;
    }
    if (now - entry.used > kStale)
      unlink(entry.path.c_str());
    return true;
  });
  if (total <= limit)
    return;
  std::ranges::sort(entries, {}, &Entry::used);
  // A tenth more than needed, so that not every store has to evict.
  std::uint64_t target = limit - limit / 10;
  for (const Entry &entry : entries) {
    if (total <= target)
      break;
    if (entry.path == keep)
      continue;
    unlink(entry.path.c_str());
    total -= entry.bytes;
  }
}

DiskUsage DiskCache::usage() const {
  DiskUsage usage;
  for (const Entry &entry : listEntries(root)) {
    usage.entries += entry.result;
    usage.bytes += entry.bytes;
  }
  return usage;
}

std::uint64_t DiskCache::clear(std::string *failed) const {
  std::uint64_t removed = 0;
  for (const Entry &entry : listEntries(root)) {
    if (unlink(entry.path.c_str()) == 0)
      removed += entry.result;
    else if (errno != ENOENT && failed)
      *failed = entry.path.string() + ": " + std::strerror(errno);
  }
  return removed;
}

} // namespace tlc::rt
