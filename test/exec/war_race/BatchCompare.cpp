// The kernels are PTX that the driver compiles: what judges our kernels is not
// made by the compiler that made them.
#include "test/exec/war_race/BatchCompare.h"

#include "runtime/core/Driver.h"

#include <array>
#include <span>

namespace tlc::test {

namespace {
/// 0x7fbadbad is a NaN that no kernel computes.
constexpr char kPtx[] = R"(.version 7.0
.target sm_80
.address_size 64

.visible .entry compare_batch(
  .param .u64 outputs, .param .u64 right, .param .u32 words,
  .param .u32 first, .param .u32 last, .param .s32 shift, .param .u64 counts)
{
  .reg .pred %p<3>;
  .reg .b32 %r<12>;
  .reg .b32 %first, %last, %shift, %words, %step, %wrong, %next, %poison;
  .reg .b32 %x<4>, %y<4>;
  .reg .b64 %outputs, %right, %counts, %a, %b, %d;

  ld.param.u64 %outputs, [outputs];
  ld.param.u64 %right, [right];
  ld.param.u32 %words, [words];
  ld.param.u32 %first, [first];
  ld.param.u32 %last, [last];
  ld.param.s32 %shift, [shift];
  ld.param.u64 %counts, [counts];
  cvta.to.global.u64 %outputs, %outputs;
  cvta.to.global.u64 %right, %right;
  cvta.to.global.u64 %counts, %counts;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mov.u32 %r4, %nctaid.x;
  mov.u32 %r5, %ctaid.y;
  mad.lo.u32 %r0, %r1, %r2, %r3;
  shl.b32 %r0, %r0, 2;
  mul.lo.u32 %step, %r4, %r2;
  shl.b32 %step, %step, 2;
  mul.wide.u32 %d, %r5, %words;
  shl.b64 %d, %d, 2;
  add.u64 %outputs, %outputs, %d;
  mul.wide.u32 %d, %r5, 8;
  add.u64 %counts, %counts, %d;
  mov.u32 %wrong, 0;
  mov.u32 %next, 0;
  mov.u32 %poison, 0x7fbadbad;
FOUR:
  setp.ge.u32 %p0, %r0, %words;
  @%p0 bra SUM;
  mul.wide.u32 %d, %r0, 4;
  add.u64 %a, %outputs, %d;
  add.u64 %b, %right, %d;
  ld.global.v4.u32 {%x0, %x1, %x2, %x3}, [%a];
  ld.global.v4.u32 {%y0, %y1, %y2, %y3}, [%b];
  xor.b32 %x0, %x0, %y0;
  xor.b32 %x1, %x1, %y1;
  xor.b32 %x2, %x2, %y2;
  xor.b32 %x3, %x3, %y3;
  or.b32 %x0, %x0, %x1;
  or.b32 %x2, %x2, %x3;
  or.b32 %x0, %x0, %x2;
  setp.eq.u32 %p0, %x0, 0;
  @%p0 bra POISON;
  mov.u32 %r6, %r0;
  add.u32 %r7, %r0, 4;
ONE:
  mul.wide.u32 %d, %r6, 4;
  add.u64 %b, %outputs, %d;
  ld.global.u32 %r8, [%b];
  add.u64 %b, %right, %d;
  ld.global.u32 %r9, [%b];
  setp.eq.u32 %p0, %r8, %r9;
  @%p0 bra SAME;
  add.u32 %wrong, %wrong, 1;
  setp.lt.u32 %p0, %r6, %first;
  @%p0 bra SAME;
  setp.ge.u32 %p0, %r6, %last;
  @%p0 bra SAME;
  add.s32 %r10, %r6, %shift;
  mul.wide.u32 %d, %r10, 4;
  add.u64 %b, %right, %d;
  ld.global.u32 %r11, [%b];
  setp.eq.u32 %p1, %r8, %r11;
  @%p1 add.u32 %next, %next, 1;
SAME:
  add.u32 %r6, %r6, 1;
  setp.lt.u32 %p0, %r6, %r7;
  @%p0 bra ONE;
POISON:
  st.global.v4.u32 [%a], {%poison, %poison, %poison, %poison};
  add.u32 %r0, %r0, %step;
  bra FOUR;
SUM:
  setp.eq.u32 %p0, %wrong, 0;
  @%p0 bra END;
  red.global.add.u32 [%counts], %wrong;
  red.global.add.u32 [%counts+4], %next;
END:
  ret;
}

.visible .entry sum_batch(.param .u64 counts, .param .u32 batch,
                          .param .u64 sums)
{
  .reg .pred %p<2>;
  .reg .b32 %n, %zero, %wrong, %next;
  .reg .b64 %counts, %sums, %launches, %bad, %wrongs, %nexts, %d;

  ld.param.u64 %counts, [counts];
  ld.param.u32 %n, [batch];
  ld.param.u64 %sums, [sums];
  cvta.to.global.u64 %counts, %counts;
  cvta.to.global.u64 %sums, %sums;
  mov.u32 %zero, 0;
  ld.global.u64 %launches, [%sums];
  ld.global.u64 %bad, [%sums+8];
  ld.global.u64 %wrongs, [%sums+16];
  ld.global.u64 %nexts, [%sums+24];
LAUNCH:
  setp.eq.u32 %p0, %n, 0;
  @%p0 bra STORE;
  ld.global.u32 %wrong, [%counts];
  ld.global.u32 %next, [%counts+4];
  st.global.u32 [%counts], %zero;
  st.global.u32 [%counts+4], %zero;
  add.u64 %launches, %launches, 1;
  setp.ne.u32 %p1, %wrong, 0;
  @%p1 add.u64 %bad, %bad, 1;
  cvt.u64.u32 %d, %wrong;
  add.u64 %wrongs, %wrongs, %d;
  cvt.u64.u32 %d, %next;
  add.u64 %nexts, %nexts, %d;
  add.u64 %counts, %counts, 8;
  sub.u32 %n, %n, 1;
  bra LAUNCH;
STORE:
  st.global.u64 [%sums], %launches;
  st.global.u64 [%sums+8], %bad;
  st.global.u64 [%sums+16], %wrongs;
  st.global.u64 [%sums+24], %nexts;
  ret;
}

.visible .entry stir(.param .u64 buffer, .param .u32 words)
{
  .reg .pred %p<1>;
  .reg .b32 %r<6>, %words, %step;
  .reg .b64 %buffer, %a, %d;

  ld.param.u64 %buffer, [buffer];
  ld.param.u32 %words, [words];
  cvta.to.global.u64 %buffer, %buffer;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mov.u32 %r4, %nctaid.x;
  mad.lo.u32 %r0, %r1, %r2, %r3;
  mul.lo.u32 %step, %r4, %r2;
WORD:
  setp.ge.u32 %p0, %r0, %words;
  @%p0 bra END;
  mul.wide.u32 %d, %r0, 4;
  add.u64 %a, %buffer, %d;
  ld.global.u32 %r5, [%a];
  add.u32 %r5, %r5, 1;
  st.global.u32 [%a], %r5;
  add.u32 %r0, %r0, %step;
  bra WORD;
END:
  ret;
}
)";

struct Functions {
  rt::cu::Function compare = nullptr, sum = nullptr, stir = nullptr;
};
} // namespace

/// Loaded once and kept as long as the process.
static const Functions &functions() {
  static const Functions loaded = [] {
    rt::Device::get().makeCurrent();
    const rt::Driver &driver = rt::Driver::get();
    rt::cu::Module module = nullptr;
    Functions result;
    driver.check(driver.moduleLoadData(&module, kPtx),
                 "compiling the comparison of outputs");
    const auto find = [&](rt::cu::Function &function, const char *name) {
      driver.check(driver.moduleGetFunction(&function, module, name),
                   "finding the comparison of outputs");
    };
    find(result.compare, "compare_batch");
    find(result.sum, "sum_batch");
    find(result.stir, "stir");
    return result;
  }();
  return loaded;
}

static void launch(rt::cu::Stream stream, rt::cu::Function function,
                   unsigned gridX, unsigned gridY, unsigned threads,
                   std::span<void *> parameters) {
  rt::cu::LaunchConfig config{};
  config.gridX = gridX;
  config.gridY = gridY;
  config.blockX = threads;
  config.gridZ = config.blockY = config.blockZ = 1;
  config.stream = stream;
  const rt::Driver &driver = rt::Driver::get();
  driver.check(
      driver.launchKernelEx(&config, function, parameters.data(), nullptr),
      "comparing outputs");
}

static std::uint64_t addressOf(const void *pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

RaceCounts &RaceCounts::operator+=(const RaceCounts &other) {
  launches += other.launches;
  bad += other.bad;
  wrong += other.wrong;
  next += other.next;
  return *this;
}

BatchCompare::BatchCompare(int batch)
    : batch(batch), counts(sizeof(std::uint32_t) * 2 * batch),
      sums(sizeof(RaceCounts)) {
  counts.fill(0);
  sums.fill(0);
}

void BatchCompare::enqueue(rt::cu::Stream stream, void *outputs,
                           const void *right, std::int64_t words,
                           const NextGeneration &generation) {
  constexpr unsigned kThreads = 256, kBlocks = 256;
  std::uint64_t at = addressOf(outputs), from = addressOf(right),
                to = addressOf(counts.data()), total = addressOf(sums.data());
  auto size = static_cast<std::uint32_t>(words),
       first = static_cast<std::uint32_t>(generation.first),
       last = static_cast<std::uint32_t>(generation.last),
       n = static_cast<std::uint32_t>(batch);
  auto shift = static_cast<std::int32_t>(generation.shift);
  std::array<void *, 7> compare{&at, &from, &size, &first, &last, &shift, &to};
  launch(stream, functions().compare, kBlocks, n, kThreads, compare);
  std::array<void *, 3> sum{&to, &n, &total};
  launch(stream, functions().sum, 1, 1, 1, sum);
}

RaceCounts BatchCompare::take() {
  RaceCounts result;
  sums.download(std::as_writable_bytes(std::span(&result, 1)));
  sums.fill(0);
  return result;
}

void stir(rt::cu::Stream stream, void *buffer, std::int64_t words) {
  constexpr unsigned kThreads = 256, kBlocks = 132;
  std::uint64_t at = addressOf(buffer);
  auto size = static_cast<std::uint32_t>(words);
  std::array<void *, 2> parameters{&at, &size};
  launch(stream, functions().stir, kBlocks, 1, kThreads, parameters);
}

} // namespace tlc::test
