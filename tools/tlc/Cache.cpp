#include "tools/tlc/Cache.h"

#include "tlc/Jit.h"
#include "tools/tlc/Options.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace tlc::cli {

static constexpr const char kCacheUsage[] =
    R"(usage: tlc cache info     where compiled kernels are kept, how many, their size
       tlc cache clear    remove them; they are compiled again when needed

The folder is TLC_CACHE_DIR, else $XDG_CACHE_HOME/tlc, else ~/.cache/tlc.
TLC_CACHE=off turns the cache off, TLC_CACHE_MAX_MB bounds it (1024).
)";

static double megabytes(std::uint64_t bytes) {
  return static_cast<double>(bytes) / (1 << 20);
}

static int printInfo() {
  CacheInfo info = cacheInfo();
  if (!info.enabled) {
    llvm::outs() << "off: " << info.folder << "\n";
    return 0;
  }
  llvm::outs() << "folder   " << info.folder << "\nentries  " << info.entries
               << llvm::format("\nsize     %.1f MB of at most %.0f MB\n",
                               megabytes(info.bytes), megabytes(info.maxBytes));
  return 0;
}

static int clear() {
  CacheInfo info = cacheInfo();
  std::uint64_t removed = clearCache();
  if (!info.enabled)
    llvm::outs() << "off: " << info.folder << "\n";
  else
    llvm::outs() << "removed " << removed << " entries from " << info.folder
                 << "\n";
  return 0;
}

int runCache(int argc, char **argv) {
  llvm::StringRef action = argc == 2 ? argv[1] : "";
  if (action == "--help" || action == "-h") {
    llvm::outs() << kCacheUsage;
    return 0;
  }
  try {
    if (action == "info")
      return printInfo();
    if (action == "clear")
      return clear();
  } catch (const Error &error) {
    llvm::errs() << "tlc: " << error.what() << "\n";
    return exitCode(error.code());
  }
  llvm::errs() << kCacheUsage;
  return kUsage;
}

} // namespace tlc::cli
