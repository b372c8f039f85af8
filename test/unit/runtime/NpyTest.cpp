#include "runtime/core/Npy.h"

#include "test/support/Catch.h"
#include "test/unit/runtime/ErrorText.h"

#include <filesystem>
#include <fstream>

#include <unistd.h>

using namespace tlc;
using namespace tlc::rt;
using Catch::Contains;
using tlc::test::errorText;
namespace fs = std::filesystem;

namespace {

/// A folder that goes away with the test.
struct Folder {
  fs::path path =
      fs::temp_directory_path() / ("tlc-npy-" + std::to_string(getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
  std::string file(const std::string &name) const {
    return (path / name).string();
  }
};

/// A file as numpy writes it: version 1, padded to 64 bytes.
std::string npy(const std::string &dictionary, const std::string &data,
                int major = 1) {
  std::size_t width = major == 1 ? 2 : 4;
  std::string header = dictionary;
  while ((8 + width + header.size() + 1) % 64 != 0)
    header += ' ';
  header += '\n';
  std::string text = "\x93NUMPY";
  text += char(major);
  text += '\0';
  for (std::size_t i = 0; i < width; ++i)
    text += char(header.size() >> (8 * i) & 0xff);
  return text + header + data;
}

std::string header(const std::string &descr, const std::string &shape,
                   bool fortran = false) {
  return "{'descr': '" + descr +
         "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + shape + ", }";
}

std::string readError(const Folder &folder, const std::string &content,
                      std::optional<DType> wanted = std::nullopt) {
  std::string path = folder.file("bad.npy");
  std::ofstream(path, std::ios::binary) << content;
  ErrorCode code = ErrorCode::Internal;
  std::string text = errorText([&] { readNpy(path, wanted); }, &code);
  CHECK(code == ErrorCode::Io);
  CHECK_THAT(text, Contains("bad.npy"));
  return text;
}

HostTensor readText(const Folder &folder, const std::string &content,
                    std::optional<DType> wanted = std::nullopt) {
  std::string path = folder.file("good.npy");
  std::ofstream(path, std::ios::binary) << content;
  return readNpy(path, wanted);
}

} // namespace

TEST_CASE("npy: every dtype and rank survives a round trip", "[npy]") {
  Folder folder;
  std::string path = folder.file("x.npy");
  for (int i = 0; i <= int(DType::TFloat32); ++i)
    for (const Dims &shape : {Dims{}, Dims{5}, Dims{2, 3}, Dims{3, 0, 2}}) {
      auto dtype = static_cast<DType>(i);
      CAPTURE(name(dtype), shape.size());
      HostTensor tensor(dtype, shape);
      fillRandom(tensor, 3);
      writeNpy(path, tensor);
      HostTensor back = readNpy(path, dtype);
      CHECK(back.dtype() == dtype);
      CHECK(back.shape() == shape);
      CHECK(std::equal(back.bytes().begin(), back.bytes().end(),
                       tensor.bytes().begin(), tensor.bytes().end()));
    }
  // Nothing but the file itself is left behind.
  CHECK(std::distance(fs::directory_iterator(folder.path), {}) == 1);
}

TEST_CASE("npy: what is written is what numpy writes", "[npy]") {
  Folder folder;
  std::string path = folder.file("x.npy");
  HostTensor tensor(DType::Int16, {2, 2});
  fillIota(tensor);
  writeNpy(path, tensor);
  std::ifstream file(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  CHECK(text ==
        npy(header("<i2", "(2, 2)"), std::string("\0\0\1\0\2\0\3\0", 8)));
  HostTensor vector(DType::BFloat16, {1});
  writeNpy(path, vector);
  std::ifstream second(path, std::ios::binary);
  text.assign(std::istreambuf_iterator<char>(second), {});
  CHECK(text == npy(header("<V2", "(1,)"), std::string(2, '\0')));
}

TEST_CASE("npy: files of numpy in their variants", "[npy]") {
  Folder folder;
  std::string data("\1\0\2\0\3\0\4\0\5\0\6\0", 12);
  HostTensor rows = readText(folder, npy(header("<i2", "(2, 3)"), data));
  CHECK(rows.get(1) == 2);
  HostTensor columns =
      readText(folder, npy(header("<i2", "(2, 3)", true), data));
  // Column-major 1..6 of 2x3: rows 1 3 5 and 2 4 6.
  CHECK(columns.get(1) == 3);
  CHECK(columns.get(3) == 2);
  CHECK(readText(folder, npy(header("<i2", "(6L,)"), data, 2)).get(5) == 6);
  CHECK(readText(folder, npy(header("=i2", "(6,)"), data, 3)).get(5) == 6);
  CHECK(readText(folder, npy(header("|u1", "()"), "\7")).get(0) == 7);
  HostTensor brain =
      readText(folder, npy(header("<u2", "(1,)"), "\x80\x3f"), DType::BFloat16);
  CHECK(brain.get(0) == 1.0);
  CHECK(readText(folder, npy(header("|V2", "(1,)"), "\x80\x3f")).dtype() ==
        DType::BFloat16);
  CHECK(
      readText(folder, npy(header("|u1", "(1,)"), "\x38"), DType::Float8E4M3FN)
          .get(0) == 1.0);
}

TEST_CASE("npy: damaged files are refused with the reason", "[npy]") {
  Folder folder;
  std::string good = npy(header("<f4", "(2,)"), std::string(8, '\0'));
  CHECK_THAT(readError(folder, ""), Contains("not an .npy file"));
  CHECK_THAT(readError(folder, "PK\3\4 something else"),
             Contains("not an .npy file"));
  CHECK_THAT(readError(folder, good.substr(0, 9)), Contains("truncated"));
  CHECK_THAT(readError(folder, good.substr(0, 60)), Contains("truncated"));
  CHECK_THAT(readError(folder, good.substr(0, good.size() - 1)),
             Contains("truncated: its header promises 8 bytes of data, it has "
                      "7"));
  CHECK_THAT(readError(folder, good + "x"), Contains("damaged"));
  CHECK_THAT(
      readError(folder, npy(header("<f4", "(2, 4611686018427387904)"), "")),
      Contains("truncated"));
  CHECK_THAT(
      readError(folder, npy(header("<f4", "(99999999999999999999,)"), "")),
      Contains("'shape' holds something that is no extent"));
  CHECK_THAT(readError(folder, npy(header("<f4", "(-1,)"), "")),
             Contains("'shape'"));
  CHECK_THAT(readError(folder, npy(header("<f4", "(1,1,1,1,1,1,1,1,1)"), "")),
             Contains("more than 8 dimensions"));
  CHECK_THAT(readError(folder, npy(header("<f4", "[2]"), "")),
             Contains("not a tuple"));
  CHECK_THAT(readError(folder, npy("{'descr': '<f4'}", "")),
             Contains("is missing"));
  CHECK_THAT(readError(folder, npy("{'descr': '<f4", "")),
             Contains("damaged header"));
  CHECK_THAT(readError(folder, npy("{'evil': 1}", "")), Contains("'evil'"));
  CHECK_THAT(readError(folder, npy("{'descr': [('a', '<f4')], }", "")),
             Contains("structured"));
  CHECK_THAT(readError(folder, npy(header("<c8", "(1,)"), "12345678")),
             Contains("'<c8'"));
  CHECK_THAT(readError(folder, npy(header(">f4", "(1,)"), "1234")),
             Contains("big-endian"));
  std::string version9 = good;
  version9[6] = 9;
  CHECK_THAT(readError(folder, version9), Contains("version 9.0"));
  CHECK_THAT(readError(folder, good, DType::Float16),
             Contains("holds dtype float32 ('<f4'), expected float16"));
}

TEST_CASE("npy: every truncation and bit flip ends in an error or a tensor",
          "[npy]") {
  Folder folder;
  std::string good = npy(header("<f4", "(2, 2)"), std::string(16, '\1'));
  std::string path = folder.file("bad.npy");
  auto readAny = [&](const std::string &content) {
    std::ofstream(path, std::ios::binary) << content;
    errorText([&] { readNpy(path); }); // anything but tlc::Error would escape
  };
  for (std::size_t size = 0; size < good.size(); ++size)
    readAny(good.substr(0, size));
  for (std::size_t i = 0; i < good.size(); ++i)
    for (int flip : {1, 8, 128}) {
      std::string damaged = good;
      damaged[i] = char(damaged[i] ^ flip);
      readAny(damaged);
    }
  SUCCEED();
}

TEST_CASE("npy: paths that cannot be used", "[npy]") {
  Folder folder;
  CHECK_THAT(errorText([&] { readNpy(folder.file("none.npy")); }),
             Contains("none.npy': cannot be read: No such file"));
  CHECK_THAT(errorText([&] { readNpy(folder.path.string()); }),
             Contains("is a folder"));
  HostTensor tensor(DType::Float32, {1});
  CHECK_THAT(errorText([&] { writeNpy(folder.file("no/x.npy"), tensor); }),
             Contains("cannot be written"));
  fs::create_directories(folder.path / "taken.npy");
  CHECK_THAT(errorText([&] { writeNpy(folder.file("taken.npy"), tensor); }),
             Contains("cannot be written"));
  CHECK(std::distance(fs::directory_iterator(folder.path), {}) == 1);
}
