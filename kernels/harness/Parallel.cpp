// One counter, a thread for each core.
#include "kernels/harness/Parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace tlc::kernels {

void forEachInParallel(std::size_t count,
                       const std::function<void(std::size_t)> &work) {
  std::atomic<std::size_t> next = 0;
  std::exception_ptr thrown;
  std::mutex mutex;
  const auto loop = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!thrown)
          thrown = std::current_exception();
      }
    }
  };
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < std::min(cores, count); ++i)
    threads.emplace_back(loop);
  loop();
  for (std::thread &thread : threads)
    thread.join();
  if (thrown)
    std::rethrow_exception(thrown);
}

} // namespace tlc::kernels
