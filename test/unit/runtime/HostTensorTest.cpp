#include "runtime/core/HostTensor.h"

#include "test/support/Catch.h"
#include "test/unit/runtime/ErrorText.h"

#include <cmath>

using namespace tlc;
using namespace tlc::rt;
using tlc::test::errorText;

TEST_CASE("host tensor: values survive every dtype", "[host-tensor]") {
  for (int i = 0; i <= int(DType::TFloat32); ++i) {
    auto dtype = static_cast<DType>(i);
    CAPTURE(name(dtype));
    HostTensor tensor(dtype, {2, 3});
    CHECK(tensor.bytes().size() == 6 * bytes(dtype));
    CHECK(tensor.get(5) == 0);
    tensor.set(5, 1);
    CHECK(tensor.get(5) == 1);
    CHECK(tensor.get(4) == 0);
  }
}

TEST_CASE("host tensor: integers truncate and saturate", "[host-tensor]") {
  HostTensor bytes(DType::Int8, {1});
  bytes.set(0, -3.9);
  CHECK(bytes.get(0) == -3);
  bytes.set(0, 1000);
  CHECK(bytes.get(0) == 127);
  HostTensor words(DType::UInt32, {1});
  words.set(0, -5);
  CHECK(words.get(0) == 0);
  words.set(0, NAN);
  CHECK(words.get(0) == 0);
  HostTensor longs(DType::Int64, {1});
  longs.set(0, 1e300);
  CHECK(longs.as<std::int64_t>()[0] ==
        std::numeric_limits<std::int64_t>::max());
}

TEST_CASE("host tensor: empty and impossible shapes", "[host-tensor]") {
  HostTensor empty(DType::Float32, {4, 0});
  CHECK(empty.elements() == 0);
  fillRandom(empty, 1);
  CHECK(HostTensor(DType::Float32, {}).elements() == 1);
  CHECK_THAT(errorText([] { HostTensor(DType::Int8, {-1}); }),
             Catch::Contains("negative: -1"));
  CHECK_THAT(errorText([] {
               HostTensor(DType::Int8,
                          {std::int64_t{1} << 40, std::int64_t{1} << 40});
             }),
             Catch::Contains("more elements"));
}

TEST_CASE("host tensor: random is normal, seeded and repeatable",
          "[host-tensor]") {
  constexpr std::int64_t kCount = 100001;
  HostTensor first(DType::Float32, {kCount}), again(DType::Float32, {kCount}),
      other(DType::Float32, {kCount});
  fillRandom(first, 7);
  fillRandom(again, 7);
  fillRandom(other, 8);
  CHECK(std::equal(first.bytes().begin(), first.bytes().end(),
                   again.bytes().begin()));
  CHECK_FALSE(std::equal(first.bytes().begin(), first.bytes().end(),
                         other.bytes().begin()));
  double sum = 0, squares = 0, within = 0;
  for (std::int64_t i = 0; i < kCount; ++i) {
    double value = first.get(i);
    REQUIRE(std::isfinite(value));
    sum += value;
    squares += value * value;
    within += std::fabs(value) < 1;
  }
  // Four standard errors of each estimate.
  CHECK(std::fabs(sum / kCount) < 4 / std::sqrt(kCount));
  CHECK(std::fabs(squares / kCount - 1) < 4 * std::sqrt(2.0 / kCount));
  CHECK(std::fabs(within / kCount - 0.6827) < 4 * 0.466 / std::sqrt(kCount));
}

TEST_CASE("host tensor: iota wraps to the width", "[host-tensor]") {
  HostTensor bytes(DType::UInt8, {300});
  fillIota(bytes);
  CHECK(bytes.get(255) == 255);
  CHECK(bytes.get(256) == 0);
  HostTensor shorts(DType::Int8, {300});
  fillIota(shorts);
  CHECK(shorts.get(128) == -128);
  HostTensor brain(DType::BFloat16, {300});
  fillIota(brain);
  CHECK(brain.get(257) == 256); // eight bits of significand, tie to even
  fillZeros(brain);
  CHECK(brain.get(257) == 0);
}
