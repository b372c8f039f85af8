// Does what the word says and prints the code and text of what goes wrong;
// ctest runs it in environments where something is missing.
//   compile   a kernel for a GPU      allocate   memory on a GPU
//   launch    a kernel compiled ahead of time
#include "tlc/tlc.h"

#include "test/unit/runtime-jit/Kernels.h"

#include <cstdio>
#include <string>

static constexpr char kEmpty[] = R"({
  "version": 1, "target": "sm_90a", "name": "empty", "params": [],
  "symbols": [], "launches": [{"symbol": "empty", "grid": [1, 1, 1],
  "block": [32, 1, 1], "shared_bytes": 0, "cooperative": false, "args": []}]
})";

static void act(const std::string &what) {
  if (what == "compile")
    tlc::jit(tlc::test::scaleSource());
  else if (what == "allocate")
    tlc::Array(tlc::DType::Float32, {4}, tlc::Device::gpu());
  else
    tlc::loadFromMemory("\177ELF", kEmpty).launch(nullptr);
}

int main(int, char **argv) {
  try {
    act(argv[1]);
    std::puts("fine");
  } catch (const tlc::Error &error) {
    std::printf("exit %d: %s\n", tlc::exitCode(error.code()), error.what());
  }
}
