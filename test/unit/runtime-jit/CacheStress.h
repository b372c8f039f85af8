// What the stress tests of the caches share: processes that run a hidden test
// of this program again, and somebody who damages the entries meanwhile.
#pragma once

#include "test/support/Catch.h"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tlc::test {

/// The entries of a cache folder at this moment.
inline std::vector<std::filesystem::path>
entriesOf(const std::filesystem::path &folder) {
  std::vector<std::filesystem::path> list;
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder, error), end;
       !error && it != end; it.increment(error))
    if (it->path().extension() == ".tlc")
      list.push_back(it->path());
  return list;
}

/// Flips bits of entries in place and cuts entries short until it is destroyed.
class Vandal {
public:
  Vandal(std::filesystem::path folder, std::chrono::microseconds pause)
      : thread([this, folder = std::move(folder), pause] {
          std::mt19937 random(1);
          while (!done) {
            const auto files = entriesOf(folder);
            if (!files.empty())
              damage(files[random() % files.size()], random);
            std::this_thread::sleep_for(pause);
          }
        }) {}
  ~Vandal() {
    done = true;
    thread.join();
  }
  Vandal(const Vandal &) = delete;
  Vandal &operator=(const Vandal &) = delete;

private:
  static void damage(const std::filesystem::path &path, std::mt19937 &random) {
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);
    if (error || size == 0)
      return;
    const auto place = random() % size;
    if (random() % 3 == 0) {
      std::filesystem::resize_file(path, place, error);
      return;
    }
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(place));
    const int byte = file.get();
    file.seekp(static_cast<std::streamoff>(place));
    file.put(static_cast<char>(byte ^ (1 << random() % 8)));
  }

  std::atomic<bool> done{false};
  std::thread thread;
};

/// Runs the hidden test `name` of this program in `count` processes at once,
/// each of which must succeed.
inline void runProcesses(std::string name, int count) {
  std::string program =
      std::filesystem::read_symlink("/proc/self/exe").string();
  char *words[] = {program.data(), name.data(), nullptr};
  std::vector<pid_t> processes(count);
  for (pid_t &process : processes)
    REQUIRE(posix_spawn(&process, program.c_str(), nullptr, nullptr, words,
                        environ) == 0);
  for (pid_t process : processes) {
    int status = -1;
    REQUIRE(waitpid(process, &status, 0) == process);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
  }
}

} // namespace tlc::test
