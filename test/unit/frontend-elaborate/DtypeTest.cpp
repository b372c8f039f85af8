// Names, sizes and promotion of element types against the table of the
// language (language.md 4.3, 4.4).
#include "compiler/frontend/elaborate/Dtype.h"
#include "test/support/Catch.h"

using namespace tlc::frontend;

static std::string common(llvm::StringRef a, llvm::StringRef b) {
  std::string forward =
      promote(*Dtype::fromName(a), *Dtype::fromName(b)).name().str();
  CHECK(promote(*Dtype::fromName(b), *Dtype::fromName(a)).name().str() ==
        forward);
  return forward;
}

TEST_CASE("dtype: aliases name the same types", "[dtype]") {
  CHECK(Dtype::fromName("half") == Dtype::fromName("float16"));
  CHECK(Dtype::fromName("float") == Dtype::fromName("float32"));
  CHECK(Dtype::fromName("double") == Dtype::fromName("float64"));
  CHECK(Dtype::fromName("long") == Dtype::fromName("int64"));
  CHECK(Dtype::fromName("uint") == Dtype::fromName("uint32"));
  CHECK(Dtype::fromName("e4m3") == Dtype::fromName("float8_e4m3fn"));
  CHECK_FALSE(Dtype::fromName("float33"));
  CHECK_FALSE(Dtype::fromName(""));
}

TEST_CASE("dtype: vector and sub-byte types are known, not supported",
          "[dtype]") {
  CHECK(Dtype::isKnownUnsupported("float16x2"));
  CHECK(Dtype::isKnownUnsupported("float32x8"));
  CHECK(Dtype::isKnownUnsupported("int4"));
  CHECK(Dtype::isKnownUnsupported("float4_e2m1fn"));
  CHECK_FALSE(Dtype::isKnownUnsupported("float32"));
  CHECK_FALSE(Dtype::isKnownUnsupported("matrix2"));
}

TEST_CASE("dtype: floats promote to the wider standard float", "[dtype]") {
  CHECK(common("float16", "float32") == "float32");
  CHECK(common("float32", "float64") == "float64");
  CHECK(common("float16", "float16") == "float16");
}

TEST_CASE("dtype: a standard float wins over everything else", "[dtype]") {
  CHECK(common("bfloat16", "float32") == "float32");
  CHECK(common("bfloat16", "float16") == "float16");
  CHECK(common("int32", "float16") == "float16");
  CHECK(common("int64", "float32") == "float32");
  CHECK(common("bool", "float16") == "float16");
  CHECK(common("float8_e4m3fn", "float16") == "float16");
}

TEST_CASE("dtype: bfloat16 and float8 win over integers", "[dtype]") {
  CHECK(common("bfloat16", "int32") == "bfloat16");
  CHECK(common("float8_e5m2", "uint8") == "float8_e5m2");
}

TEST_CASE("dtype: integers promote by width, then to unsigned", "[dtype]") {
  CHECK(common("bool", "int8") == "int8");
  CHECK(common("int8", "int32") == "int32");
  CHECK(common("uint8", "uint64") == "uint64");
  CHECK(common("uint8", "int32") == "int32");
  CHECK(common("int8", "uint32") == "uint32");
  CHECK(common("int32", "uint32") == "uint32");
}
