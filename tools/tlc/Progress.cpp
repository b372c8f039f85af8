#include "tools/tlc/Progress.h"

#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>

namespace tlc::cli {

using namespace std::chrono_literals;

Progress::Progress() : begin(std::chrono::steady_clock::now()) {
  if (llvm::sys::Process::StandardErrIsDisplayed())
    thread = std::thread([this] { loop(); });
}

Progress::~Progress() {
  {
    std::lock_guard lock(mutex);
    stop = true;
  }
  wake.notify_all();
  if (thread.joinable())
    thread.join();
  if (drawn)
    std::fputs("\r\x1b[K", stderr);
}

void Progress::step(const std::string &text) {
  std::lock_guard lock(mutex);
  name = text;
  done = total = 0;
  begin = std::chrono::steady_clock::now();
}

void Progress::advance(std::int64_t now, std::int64_t all) {
  std::lock_guard lock(mutex);
  done = now;
  total = all;
}

void Progress::draw() {
  auto elapsed = std::chrono::steady_clock::now() - begin;
  if (elapsed < 1s || name.empty())
    return;
  long seconds =
      std::chrono::duration_cast<std::chrono::seconds>(elapsed).count();
  std::fprintf(stderr, "\r\x1b[K%s ", name.c_str());
  if (total)
    std::fprintf(stderr, "%lld of %lld, ", static_cast<long long>(done),
                 static_cast<long long>(total));
  std::fprintf(stderr, "%ld s", seconds);
  std::fflush(stderr);
  drawn = true;
}

void Progress::loop() {
  std::unique_lock lock(mutex);
  while (!wake.wait_for(lock, 250ms, [this] { return stop; }))
    draw();
}

} // namespace tlc::cli
