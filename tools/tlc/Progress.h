// One line on a terminal that says what is going on, for steps that take more
// than a second. Silent when stderr is not a terminal.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace tlc::cli {

class Progress {
public:
  Progress();
  /// Stops and removes the line.
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// What is being done from now on.
  void step(const std::string &name);
  /// How far it is.
  void advance(std::int64_t done, std::int64_t total);

private:
  void draw();
  void loop();

  std::mutex mutex;
  std::condition_variable wake;
  std::string name;
  std::int64_t done = 0, total = 0;
  std::chrono::steady_clock::time_point begin;
  bool stop = false;
  bool drawn = false;
  std::thread thread; ///< not running without a terminal
};

} // namespace tlc::cli
