#include "runtime/core/Npy.h"

#include "runtime/core/NpyHeader.h"
#include "tlc/Error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace tlc::rt {
namespace {

constexpr char kMagic[] = "\x93NUMPY";
constexpr std::size_t kMagicSize = 6;
// numpy aligns the data to this.
constexpr std::size_t kAlignment = 64;
// A header describes at most a few dimensions; more is damage.
constexpr std::size_t kMaxHeader = 1 << 20;

[[noreturn]] void fail(const std::string &path, const std::string &text) {
  throw Error(ErrorCode::Io, fmt::format("'{}': {}", path, text));
}

std::string readHeaderText(std::ifstream &file, const std::string &path) {
  unsigned char start[12] = {};
  file.read(reinterpret_cast<char *>(start), 8);
  if (file.gcount() < 8 || std::memcmp(start, kMagic, kMagicSize) != 0)
    fail(path, "not an .npy file: it does not start with '\\x93NUMPY'");
  unsigned major = start[6];
  if (major < 1 || major > 3)
    fail(path, fmt::format("has .npy format version {}.{}; versions 1 to 3 can "
                           "be read",
                           major, start[7]));
  std::size_t width = major == 1 ? 2 : 4;
  file.read(reinterpret_cast<char *>(start) + 8, std::streamsize(width));
  if (std::size_t(file.gcount()) != width)
    fail(path, "is truncated in its header");
  std::size_t length = 0;
  for (std::size_t i = width; i-- > 0;)
    length = length << 8 | start[8 + i];
  if (length > kMaxHeader)
    fail(path, fmt::format("is damaged: its header claims {} bytes", length));
  std::string text(length, '\0');
  file.read(text.data(), std::streamsize(length));
  if (std::size_t(file.gcount()) != length)
    fail(path, "is truncated in its header");
  return text;
}

/// The dtype to read `descr` as, given what is wanted.
DType chooseDType(const std::string &descr, std::optional<DType> wanted,
                  const std::string &path) {
  std::vector<DType> possible = dtypesOfDescr(descr);
  if (possible.empty()) {
    if (descr.starts_with(">"))
      fail(path, fmt::format("holds big-endian data ('{}'); convert it with "
                             "numpy: x.astype(x.dtype.newbyteorder('<'))",
                             descr));
    fail(path,
         fmt::format("holds dtype '{}', which no kernel type matches", descr));
  }
  if (!wanted)
    return possible.front();
  if (std::ranges::find(possible, *wanted) != possible.end())
    return *wanted;
  fail(path, fmt::format("holds dtype {} ('{}'), expected {}",
                         name(possible.front()), descr, name(*wanted)));
}

/// Fortran order to row-major.
void transpose(HostTensor &tensor, const std::vector<std::byte> &source) {
  std::size_t width = bytes(tensor.dtype());
  const Dims &shape = tensor.shape();
  std::vector<std::int64_t> index(shape.size(), 0);
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    std::int64_t from = 0;
    for (std::size_t d = shape.size(); d-- > 0;)
      from = from * shape[d] + index[d];
    std::memcpy(tensor.bytes().data() + i * width, source.data() + from * width,
                width);
    for (std::size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d])
        break;
      index[d] = 0;
    }
  }
}

/// Removes the temporary file unless it was renamed.
struct TemporaryFile {
  std::string path;
  bool keep = false;
  ~TemporaryFile() {
    std::error_code ignored;
    if (!keep)
      std::filesystem::remove(path, ignored);
  }
};

} // namespace

HostTensor readNpy(const std::string &path, std::optional<DType> wanted) {
  std::error_code status;
  if (std::filesystem::is_directory(path, status))
    fail(path, "is a folder, not an .npy file");
  std::ifstream file(path, std::ios::binary);
  if (!file)
    fail(path, fmt::format("cannot be read: {}", std::strerror(errno)));
  NpyHeader header;
  std::string problem = parseNpyHeader(readHeaderText(file, path), header);
  if (!problem.empty())
    fail(path, "has a damaged header: " + problem);
  DType dtype = chooseDType(header.descr, wanted, path);

  std::int64_t begin = file.tellg();
  file.seekg(0, std::ios::end);
  std::int64_t available = std::int64_t(file.tellg()) - begin;
  file.seekg(begin);
  // Compared before allocating, so that a damaged shape costs no memory.
  unsigned __int128 needed = bytes(dtype);
  for (std::int64_t extent : header.shape)
    needed = std::min<unsigned __int128>(needed * extent, ~std::uint64_t{0});
  if (needed != static_cast<unsigned __int128>(available))
    fail(path, fmt::format("is {}: its header promises {} bytes of data, it "
                           "has {}",
                           needed > std::uint64_t(available) ? "truncated"
                                                             : "damaged",
                           static_cast<std::uint64_t>(needed), available));
  HostTensor tensor(dtype, header.shape);
  std::vector<std::byte> source;
  if (header.fortranOrder)
    source.resize(tensor.bytes().size());
  std::span<std::byte> target =
      header.fortranOrder ? std::span<std::byte>(source) : tensor.bytes();
  file.read(reinterpret_cast<char *>(target.data()),
            std::streamsize(target.size()));
  if (!file)
    fail(path, "cannot be read to its end");
  if (header.fortranOrder)
    transpose(tensor, source);
  return tensor;
}

void writeNpy(const std::string &path, const HostTensor &tensor) {
  std::string header = formatNpyHeader(tensor.dtype(), tensor.shape());
  std::size_t prefix = kMagicSize + 2 + 2;
  std::size_t total = prefix + header.size() + 1;
  header.append((kAlignment - total % kAlignment) % kAlignment, ' ');
  header += '\n';

  TemporaryFile temporary{fmt::format("{}.{}.tmp", path, getpid())};
  std::ofstream file(temporary.path, std::ios::binary | std::ios::trunc);
  if (!file)
    fail(path, fmt::format("cannot be written: {}", std::strerror(errno)));
  file.write(kMagic, kMagicSize);
  const char version[] = {1, 0, static_cast<char>(header.size() & 0xff),
                          static_cast<char>(header.size() >> 8)};
  file.write(version, sizeof(version));
  file.write(header.data(), std::streamsize(header.size()));
  file.write(reinterpret_cast<const char *>(tensor.bytes().data()),
             std::streamsize(tensor.bytes().size()));
  file.close();
  if (!file)
    fail(path, fmt::format("cannot be written: {}", std::strerror(errno)));
  std::error_code problem;
  std::filesystem::rename(temporary.path, path, problem);
  if (problem)
    fail(path, "cannot be written: " + problem.message());
  temporary.keep = true;
}

} // namespace tlc::rt
