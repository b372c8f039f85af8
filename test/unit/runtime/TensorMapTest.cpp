#include "runtime/core/TensorMap.h"

#include "test/support/Catch.h"

using namespace tlc;
using namespace tlc::rt;
using Catch::Contains;

namespace {

/// A [256, 128] bfloat16 matrix in boxes of 64 x 64, 128-byte swizzle.
TensorMapKey matrix() {
  TensorMapKey key;
  key.address = 0x7f0000000000;
  key.rank = 2;
  key.dtype = DType::BFloat16;
  key.dims = {128, 256};
  key.stridesBytes = {256};
  key.box = {64, 64};
  key.elementStrides = {1, 1};
  key.swizzle = Swizzle::B128;
  return key;
}

} // namespace

TEST_CASE("tensor map: rules are explained with the fix", "[tensor-map]") {
  CHECK(explainTensorMapProblem(matrix()).empty());

  TensorMapKey key = matrix();
  key.address += 8;
  CHECK_THAT(explainTensorMapProblem(key),
             Contains("0x7f0000000008 is not a multiple of 16") &&
                 Contains("copy of the slice"));
  key = matrix();
  key.stridesBytes[0] = 130;
  CHECK_THAT(explainTensorMapProblem(key),
             Contains("row stride of 130 bytes") &&
                 Contains("multiple of 8 elements"));
  key.stridesBytes[0] = std::uint64_t{1} << 40;
  CHECK_THAT(explainTensorMapProblem(key), Contains("less than 2^40"));
  key = matrix();
  key.dims[1] = (std::uint64_t{1} << 32) + 1;
  CHECK_THAT(explainTensorMapProblem(key), Contains("1 to 2^32"));
  key = matrix();
  key.box[1] = 257;
  CHECK_THAT(explainTensorMapProblem(key), Contains("1 to 256"));
  key = matrix();
  key.box[0] = 128;
  CHECK_THAT(explainTensorMapProblem(key),
             Contains("256 bytes wide, more than its swizzle of 128"));
  key.swizzle = Swizzle::None;
  CHECK(explainTensorMapProblem(key).empty());
  key.box[0] = 4;
  CHECK_THAT(explainTensorMapProblem(key), Contains("not a multiple of 16"));
}

TEST_CASE("tensor map: one dimension needs no stride", "[tensor-map]") {
  TensorMapKey key = matrix();
  key.rank = 1;
  key.stridesBytes = {3};
  CHECK(explainTensorMapProblem(key).empty());
}
