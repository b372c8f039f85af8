#include "tlc/Tensor.h"

#include "test/support/Catch.h"
#include "test/unit/runtime/ErrorText.h"

using namespace tlc;

TEST_CASE("tensor: every dtype has a name that parses back", "[tensor]") {
  for (int i = 0; i <= int(DType::TFloat32); ++i) {
    auto dtype = static_cast<DType>(i);
    CAPTURE(name(dtype));
    CHECK(parseDType(name(dtype)) == dtype);
  }
  CHECK(parseDType("half") == DType::Float16);
  CHECK(parseDType("e5m2") == DType::Float8E5M2);
  CHECK_FALSE(parseDType("float12"));
  CHECK(bits(DType::Bool) == 8);
  CHECK(bits(DType::BFloat16) == 16);
  CHECK(bits(DType::TFloat32) == 32);
  CHECK(bytes(DType::UInt64) == 8);
}

TEST_CASE("tensor: sizes and strides", "[tensor]") {
  Tensor tensor;
  tensor.dtype = DType::Float16;
  CHECK(tensor.elements() == 1);
  tensor.shape = {3, 4, 5};
  CHECK(tensor.sizeInBytes() == 120);
  CHECK(compactStrides(tensor.shape) == Dims{20, 5, 1});
  tensor.shape = {3, 0, 5};
  CHECK(tensor.elements() == 0);
  CHECK(compactStrides({}) == Dims{});
}

TEST_CASE("tensor: more dimensions than fit is an error", "[tensor]") {
  CHECK_THAT(tlc::test::errorText([] { Dims{1, 2, 3, 4, 5, 6, 7, 8, 9}; }),
             Catch::Contains("at most 8 dimensions"));
}
