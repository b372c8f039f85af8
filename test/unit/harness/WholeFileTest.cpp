// Result files are there complete or not at all.
#include "kernels/harness/WholeFile.h"
#include "test/support/Catch.h"
#include "tlc/Error.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace tlc;
namespace fs = std::filesystem;

namespace {
struct Folder {
  Folder() {
    std::string name =
        (fs::temp_directory_path() / "tlc-whole-file-XXXXXX").string();
    path = mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path); }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(path), fs::directory_iterator()));
  }
  fs::path path;
};

std::string contents(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
} // namespace

TEST_CASE("a file is replaced as a whole") {
  const Folder folder;
  const std::string path = (folder.path / "r.json").string();
  kernels::writeWholeFile(path, "a long first text");
  kernels::writeWholeFile(path, "short");
  CHECK(contents(path) == "short");
  CHECK(folder.files() == 1);
}

TEST_CASE("where nothing can be written, nothing is left") {
  const Folder folder;
  const std::string missing = (folder.path / "no" / "r.json").string();
  CHECK_THROWS_AS(kernels::writeWholeFile(missing, "x"), Error);
  // A folder is in the way.
  const fs::path taken = folder.path / "taken";
  fs::create_directory(taken);
  try {
    kernels::writeWholeFile(taken.string(), "x");
    FAIL("a folder was overwritten");
  } catch (const Error &error) {
    CHECK(error.code() == ErrorCode::Io);
    CHECK(std::string(error.what()).find("'" + taken.string() + "'") !=
          std::string::npos);
  }
  CHECK(folder.files() == 1);
}

TEST_CASE("a device is written to in place") {
  kernels::writeWholeFile("/dev/null", "x");
  CHECK(fs::is_character_file("/dev/null"));
}
