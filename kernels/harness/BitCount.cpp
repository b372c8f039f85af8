// The kernel is PTX that the driver compiles: what judges our kernels is not
// made by the compiler that made them.
#include "kernels/harness/BitCount.h"

#include "runtime/core/Stream.h"

#include <cstring>

namespace tlc::kernels {

static constexpr char kPtx[] = R"(.version 7.0
.target sm_80
.address_size 64

.visible .entry count_differences(
  .param .u64 left, .param .u64 right, .param .u64 words, .param .u64 count)
{
  .reg .pred %p<3>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<12>;

  ld.param.u64 %rd1, [left];
  ld.param.u64 %rd2, [right];
  ld.param.u64 %rd3, [words];
  ld.param.u64 %rd4, [count];
  cvta.to.global.u64 %rd1, %rd1;
  cvta.to.global.u64 %rd2, %rd2;
  cvta.to.global.u64 %rd4, %rd4;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mov.u32 %r4, %nctaid.x;
  mul.wide.u32 %rd5, %r1, %r2;
  cvt.u64.u32 %rd6, %r3;
  add.u64 %rd5, %rd5, %rd6;
  mul.wide.u32 %rd7, %r4, %r2;
  mov.u32 %r5, 0;
NEXT:
  setp.ge.u64 %p1, %rd5, %rd3;
  @%p1 bra SUM;
  shl.b64 %rd8, %rd5, 2;
  add.u64 %rd9, %rd1, %rd8;
  add.u64 %rd10, %rd2, %rd8;
  ld.global.u32 %r6, [%rd9];
  ld.global.u32 %r7, [%rd10];
  setp.ne.u32 %p2, %r6, %r7;
  @%p2 add.u32 %r5, %r5, 1;
  add.u64 %rd5, %rd5, %rd7;
  bra NEXT;
SUM:
  setp.eq.u32 %p1, %r5, 0;
  @%p1 bra END;
  red.global.add.u32 [%rd4], %r5;
END:
  ret;
}
)";

/// Loaded once and kept as long as the process.
static rt::cu::Function kernel() {
  static const rt::cu::Function function = [] {
    rt::Device::get().makeCurrent();
    const rt::Driver &driver = rt::Driver::get();
    rt::cu::Module module = nullptr;
    rt::cu::Function result = nullptr;
    driver.check(driver.moduleLoadData(&module, kPtx),
                 "compiling the comparison of outputs");
    driver.check(driver.moduleGetFunction(&result, module, "count_differences"),
                 "finding the comparison of outputs");
    return result;
  }();
  return function;
}

BitCount::BitCount(int comparisons)
    : counts(static_cast<std::size_t>(comparisons) * sizeof(std::uint32_t)) {
  if (comparisons > 0)
    counts.fill(0);
}

void BitCount::compare(rt::cu::Stream stream, int index, const Tensor &left,
                       const Tensor &right) {
  if (left.sizeInBytes() != right.sizeInBytes() ||
      left.sizeInBytes() % sizeof(std::uint32_t) != 0)
    throw Error(ErrorCode::InvalidArgument,
                "only tensors of one size in whole words can be compared");
  auto a = reinterpret_cast<std::uint64_t>(left.data);
  auto b = reinterpret_cast<std::uint64_t>(right.data);
  std::uint64_t words = left.sizeInBytes() / sizeof(std::uint32_t);
  auto count = reinterpret_cast<std::uint64_t>(counts.data()) +
               static_cast<std::uint64_t>(index) * sizeof(std::uint32_t);
  void *parameters[] = {&a, &b, &words, &count};
  rt::cu::LaunchConfig config{};
  config.gridX = 1024;
  config.blockX = 256;
  config.gridY = config.gridZ = config.blockY = config.blockZ = 1;
  config.stream = stream;
  const rt::Driver &driver = rt::Driver::get();
  driver.check(driver.launchKernelEx(&config, kernel(), parameters, nullptr),
               "comparing outputs");
}

std::vector<std::uint32_t> BitCount::read() const {
  std::vector<std::uint32_t> result(counts.size() / sizeof(std::uint32_t));
  rt::synchronizeDevice();
  if (!result.empty())
    counts.download(std::as_writable_bytes(std::span(result)));
  return result;
}

} // namespace tlc::kernels
