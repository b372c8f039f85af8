// Runs what was compiled ahead of time: no compiler, no LLVM.
#include <tlc/Kernel.h>
#include <tlc/Timing.h>

#include <cstdio>

int main() {
  try {
    tlc::load("none.cubin").launch(nullptr);
  } catch (const tlc::Error &error) {
    std::printf("%s\n", error.what());
    return error.code() == tlc::ErrorCode::Io ? 0 : 1;
  }
  return 1;
}
