// Write, then rename.
#include "kernels/harness/WholeFile.h"

#include "tlc/Error.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <unistd.h>

namespace tlc::kernels {

namespace fs = std::filesystem;

[[noreturn]] static void fail(const std::string &path) {
  throw Error(ErrorCode::Io, "cannot write '" + path +
                                 "': " + std::string(std::strerror(errno)));
}

/// False with errno set.
static bool write(const std::string &path, std::string_view text) {
  std::FILE *file = std::fopen(path.c_str(), "wbe");
  if (file == nullptr)
    return false;
  const bool whole =
      std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const int problem = errno;
  const bool closed = std::fclose(file) == 0;
  if (!whole)
    errno = problem;
  return whole && closed;
}

void writeWholeFile(const std::string &path, std::string_view text) {
  std::error_code ignored;
  const fs::file_status there = fs::status(path, ignored);
  if (fs::exists(there) && !fs::is_regular_file(there)) {
    if (!write(path, text))
      fail(path);
    return;
  }
  const std::string temporary = path + ".part" + std::to_string(getpid());
  if (write(temporary, text) &&
      std::rename(temporary.c_str(), path.c_str()) == 0)
    return;
  const int problem = errno;
  std::remove(temporary.c_str());
  errno = problem;
  fail(path);
}

} // namespace tlc::kernels
