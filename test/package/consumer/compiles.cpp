// Compiles a kernel from text on the virtual device; also sees to it that an
// error crosses the library's border as what it is.
#include <tlc/DLPack.h>
#include <tlc/tlc.h>

#include <cstdio>
#include <vector>

static const char kFill[] = R"(import tilelang.language as T

def fill(n, value, dtype="float32"):
    @T.prim_func
    def main(Y: T.Tensor((n,), dtype)):
        with T.Kernel(1, threads=128) as b:
            for i in T.Parallel(n):
                Y[i] = value
    return main
)";

int main() {
  try {
    tlc::load("none.cubin");
    return 1;
  } catch (const tlc::Error &error) {
    if (error.code() != tlc::ErrorCode::Io)
      return 2;
  }
  const tlc::Device device = tlc::Device::virtual_sm();
  tlc::Kernel fill = tlc::jit(
      tlc::Source{kFill, "fill.tl"},
      {.params = {{"n", 8}, {"value", 7}, {"dtype", tlc::DType::Int32}},
       .device = device});
  tlc::Array y(tlc::DType::Int32, {8}, device);
  tlc::Plan plan = fill.prepare(y);
  plan.launch();
  std::vector<double> values = y.values();
  if (values != std::vector<double>(8, 7.0))
    return 3;
  std::printf("%zu sevens\n", values.size());
}
