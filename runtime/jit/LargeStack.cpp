#include "runtime/jit/LargeStack.h"

#include "llvm/Support/thread.h"

#include <exception>
#include <optional>

namespace tlc::rt {

// Address space, not memory: only what is touched counts.
static constexpr unsigned kStackBytes = 256u << 20;

void onLargeStack(const std::function<void()> &action) {
  std::exception_ptr thrown;
  llvm::thread thread(std::optional<unsigned>(kStackBytes), [&] {
    try {
      action();
    } catch (...) {
      thrown = std::current_exception();
    }
  });
  thread.join();
  if (thrown)
    std::rethrow_exception(thrown);
}

} // namespace tlc::rt
