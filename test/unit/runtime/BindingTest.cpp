#include "runtime/core/Binding.h"

#include "test/support/Catch.h"
#include "test/unit/runtime/ErrorText.h"
#include "test/unit/runtime/GemmMetadata.h"

#include <bit>

using namespace tlc;
using namespace tlc::rt;
using Catch::Contains;
using Catch::StartsWith;
using tlc::test::errorText;

namespace {

// An address that is never read.
void *const kAddress = reinterpret_cast<void *>(0x10000);

Tensor tensor(DType dtype, const Dims &shape) {
  Tensor view;
  view.data = kAddress;
  view.dtype = dtype;
  view.shape = shape;
  return view;
}

ParamInfo tensorParam(const std::string &name, std::vector<Expr> shape,
                      Access access = Access::Read) {
  return {name,  ParamKind::Tensor, DType::Float32, std::move(shape), {},
          access};
}

ParamInfo scalarParam(const std::string &name, DType dtype) {
  return {name, ParamKind::Scalar, dtype, {}, {}, {}};
}

LaunchMetadata kernelOf(std::vector<ParamInfo> params,
                        std::vector<std::string> symbols) {
  LaunchMetadata metadata;
  metadata.name = "k";
  metadata.params = std::move(params);
  metadata.symbols = std::move(symbols);
  return metadata;
}

/// The values of the symbols after binding `arguments`.
std::vector<std::int64_t> bind(const LaunchMetadata &metadata,
                               std::vector<Argument> arguments) {
  BoundArguments bound;
  Binder(metadata).bind(arguments, bound);
  return bound.symbols;
}

std::string bindError(const LaunchMetadata &metadata,
                      std::vector<Argument> arguments) {
  ErrorCode code = ErrorCode::InvalidArgument;
  std::string text = errorText([&] { bind(metadata, arguments); }, &code);
  CHECK(code == ErrorCode::InvalidArgument);
  return text;
}

struct Gemm {
  LaunchMetadata metadata = parseMetadata(test::kGemmJson, "k.json");
  Tensor a = tensor(DType::BFloat16, {256, 128});
  Tensor b = tensor(DType::BFloat16, {128, 512});
  Tensor c = tensor(DType::Float32, {256, 512});

  std::string error(const Argument &x, const Argument &y, const Argument &z,
                    const Argument &alpha = 1.0) const {
    return bindError(metadata, {x, y, z, alpha});
  }
};

} // namespace

TEST_CASE("binding: sizes are solved", "[binding]") {
  Gemm gemm;
  CHECK(bind(gemm.metadata, {gemm.a, gemm.b, gemm.c, 2.0}) ==
        std::vector<std::int64_t>{256, 512});
}

TEST_CASE("binding: each wrong argument has its message", "[binding]") {
  Gemm gemm;
  CHECK(bindError(gemm.metadata, {gemm.a, gemm.b, gemm.c}) ==
        "kernel gemm expected 4 inputs (A, B, C, alpha), but 3 are provided");
  CHECK_THAT(bindError(gemm.metadata, {gemm.a, gemm.b, gemm.c, 1, 2}),
             Contains("but 5 are provided"));
  CHECK_THAT(gemm.error(nullptr, gemm.b, gemm.c),
             StartsWith("kernel gemm input A expected a tensor, but got None"));
  CHECK(gemm.error(3, gemm.b, gemm.c) ==
        "kernel gemm input A expected a tensor, but got a number");
  CHECK(gemm.error(tensor(DType::BFloat16, {1, 256, 128}), gemm.b, gemm.c) ==
        "kernel gemm input A ndim mismatch, expected 2, but got 3 "
        "(shape [1, 256, 128])");
  CHECK(gemm.error(tensor(DType::Float16, {256, 128}), gemm.b, gemm.c) ==
        "kernel gemm input A dtype mismatch, expected bfloat16, but got "
        "float16");
  CHECK(gemm.error(tensor(DType::BFloat16, {256, 64}), gemm.b, gemm.c) ==
        "kernel gemm input A shape[1] violates packed ABI constraint, expected "
        "128, but got 64 (shape [256, 64])");
  CHECK(
      gemm.error(tensor(DType::BFloat16, {-1, 128}), gemm.b, gemm.c) ==
      "kernel gemm input A shape[0] is negative, expected at least 0, but got "
      "-1");
  CHECK(gemm.error(gemm.a, gemm.b, tensor(DType::Float32, {256, 500})) ==
        "kernel gemm input C shape[1] violates packed ABI constraint, expected "
        "N = 512, but got 500 (N = 512 from B.shape[1])");
  Tensor other = gemm.b;
  other.deviceId = 1;
  CHECK(gemm.error(gemm.a, other, gemm.c) ==
        "kernel gemm input B device_id mismatch, expected 0 as for A, but got "
        "1");
  other = gemm.b;
  other.device = DeviceKind::Host;
  CHECK(gemm.error(gemm.a, other, gemm.c) ==
        "kernel gemm input B device_type mismatch, expected cuda, but got cpu");
  other = gemm.b;
  other.data = nullptr;
  CHECK_THAT(gemm.error(gemm.a, other, gemm.c),
             StartsWith("kernel gemm input B data pointer is NULL"));
  CHECK(gemm.error(gemm.a, gemm.b, gemm.c, gemm.a) ==
        "kernel gemm input alpha expected a number (float32), but got a "
        "tensor");
  CHECK_THAT(gemm.error(gemm.a, gemm.b, gemm.c, nullptr),
             Contains("input alpha") && Contains("got None"));
}

TEST_CASE("binding: checks come in their order", "[binding]") {
  // Everything is wrong: rank is said first, then dtype, then shape.
  Gemm gemm;
  Tensor wrong = tensor(DType::Int8, {7});
  wrong.data = nullptr;
  CHECK_THAT(gemm.error(wrong, wrong, wrong), Contains("A ndim"));
  wrong.shape = {7, 7};
  CHECK_THAT(gemm.error(wrong, wrong, wrong), Contains("A dtype"));
  wrong.dtype = DType::BFloat16;
  CHECK_THAT(gemm.error(wrong, wrong, wrong), Contains("A shape[1]"));
  wrong.shape = {7, 128};
  wrong.strides = {128, 2};
  CHECK_THAT(gemm.error(wrong, wrong, wrong), Contains("A expected to be"));
  wrong.strides = {};
  CHECK_THAT(gemm.error(wrong, wrong, wrong), Contains("A data pointer"));
}

TEST_CASE("binding: strides", "[binding]") {
  Gemm gemm;
  Tensor transposed = gemm.a;
  transposed.strides = {1, 256};
  CHECK(gemm.error(transposed, gemm.b, gemm.c) ==
        "kernel gemm input A expected to be compact array, but got non-compact "
        "strides (expected [128, 1], got [1, 256]); pass a contiguous copy");
  transposed.strides = {128};
  CHECK_THAT(gemm.error(transposed, gemm.b, gemm.c),
             Contains("expected 2 strides, one for each dimension, but got 1"));
  // A dimension of extent 1 never steps.
  Tensor single = tensor(DType::BFloat16, {1, 128});
  single.strides = {7, 1};
  CHECK(bind(gemm.metadata,
             {single, gemm.b, tensor(DType::Float32, {1, 512}), 1})[0] == 1);

  LaunchMetadata strided = kernelOf({tensorParam("S", {"M", 8})}, {"M", "ld"});
  strided.params[0].strides = {"ld", 1};
  Tensor rows = tensor(DType::Float32, {4, 8});
  rows.strides = {10, 1};
  CHECK(bind(strided, {rows}) == std::vector<std::int64_t>{4, 10});
  rows.strides = {};
  CHECK(bind(strided, {rows}) == std::vector<std::int64_t>{4, 8});
  rows.strides = {10, 2};
  CHECK(bindError(strided, {rows}) ==
        "kernel k input S stride[1] violates packed ABI constraint, expected "
        "1, but got 2");
}

TEST_CASE("binding: empty tensors", "[binding]") {
  Gemm gemm;
  Tensor a = tensor(DType::BFloat16, {0, 128});
  a.data = nullptr;
  a.strides = {5, 5}; // never followed
  Tensor c = tensor(DType::Float32, {0, 512});
  c.data = nullptr;
  CHECK(bind(gemm.metadata, {a, gemm.b, c, 1}) ==
        std::vector<std::int64_t>{0, 512});
}

TEST_CASE("binding: a size from a linear expression", "[binding]") {
  LaunchMetadata offsets =
      kernelOf({tensorParam("cu", {{ExprOp::Add, "batch", 1}}),
                tensorParam("x", {{ExprOp::Mul, 4, "batch"}, "n"})},
               {"batch", "n"});
  CHECK(bind(offsets,
             {tensor(DType::Float32, {9}), tensor(DType::Float32, {32, 5})}) ==
        std::vector<std::int64_t>{8, 5});
  CHECK(bindError(offsets, {tensor(DType::Float32, {9}),
                            tensor(DType::Float32, {36, 5})}) ==
        "kernel k input x shape[0] violates packed ABI constraint, expected "
        "4 * batch = 32, but got 36 (batch = 8 from cu.shape[0])");
  CHECK(bindError(offsets, {tensor(DType::Float32, {0}),
                            tensor(DType::Float32, {32, 5})}) ==
        "kernel k input cu cu.shape[0] = 0 makes the dynamic size batch "
        "negative: -1");

  LaunchMetadata pairs =
      kernelOf({tensorParam("x", {{ExprOp::Mul, 2, "n"}})}, {"n"});
  CHECK(bind(pairs, {tensor(DType::Float32, {10})})[0] == 5);
  CHECK(bindError(pairs, {tensor(DType::Float32, {7})}) ==
        "kernel k input x x.shape[0] = 7 cannot be 2 * n for any integer n");

  // Solved through another: m from its own tensor, then n from m * n.
  LaunchMetadata chain = kernelOf({tensorParam("x", {{ExprOp::Mul, "m", "n"}}),
                                   tensorParam("y", {{ExprOp::Sub, 10, "m"}})},
                                  {"m", "n"});
  CHECK(bind(chain,
             {tensor(DType::Float32, {12}), tensor(DType::Float32, {6})}) ==
        std::vector<std::int64_t>{4, 3});
}

TEST_CASE("binding: a size that nothing determines", "[binding]") {
  LaunchMetadata lost =
      kernelOf({tensorParam("x", {{ExprOp::FloorDiv, "n", 2}})}, {"n"});
  CHECK_THAT(errorText([&] { Binder{lost}; }),
             Contains("no argument determines the dynamic size 'n'"));
  LaunchMetadata product =
      kernelOf({tensorParam("x", {{ExprOp::Mul, "n", "n"}})}, {"n"});
  CHECK_THAT(errorText([&] { Binder{product}; }), Contains("'n'"));

  LaunchMetadata unused = kernelOf({tensorParam("x", {"n"}, Access::None),
                                    tensorParam("y", {"n"}, Access::None)},
                                   {"n"});
  CHECK(bind(unused, {nullptr, tensor(DType::Float32, {3})})[0] == 3);
  CHECK(bindError(unused, {nullptr, nullptr}) ==
        "kernel k: Symbolic shape variable n requires at least one non-null "
        "buffer among: x, y");
}

TEST_CASE("binding: integer parameters bind sizes too", "[binding]") {
  LaunchMetadata metadata =
      kernelOf({tensorParam("x", {"n"}), scalarParam("n", DType::Int32)}, {});
  CHECK(bind(metadata, {tensor(DType::Float32, {6}), 6})[0] == 6);
  CHECK(bindError(metadata, {tensor(DType::Float32, {6}), 5}) ==
        "kernel k input x shape[0] violates packed ABI constraint, expected "
        "n = 5, but got 6 (n = 5 from argument n)");
}

TEST_CASE("binding: dtypes that share storage", "[binding]") {
  auto accepts = [](DType declared, DType actual) {
    LaunchMetadata metadata = kernelOf({tensorParam("x", {1})}, {});
    metadata.params[0].dtype = declared;
    return errorText([&] { bind(metadata, {tensor(actual, {1})}); }) ==
           "no error";
  };
  CHECK(accepts(DType::Bool, DType::UInt8));
  CHECK(accepts(DType::Bool, DType::Int8));
  CHECK_FALSE(accepts(DType::UInt8, DType::Bool));
  CHECK(accepts(DType::Float8E4M3FN, DType::Float8E5M2));
  CHECK(accepts(DType::TFloat32, DType::Float32));
  CHECK_FALSE(accepts(DType::Int32, DType::UInt32));
  CHECK_FALSE(accepts(DType::BFloat16, DType::Float16));
}

TEST_CASE("binding: scalars convert as in Python", "[binding]") {
  auto bits = [](const Argument &value, DType dtype) {
    return scalarBits(value, dtype, "k", "x");
  };
  CHECK(bits(-1, DType::Int32) << 32 == 0xffffffffull << 32);
  CHECK(bits(true, DType::Int64) == 1);
  CHECK(bits(7, DType::Bool) == 1);
  CHECK(bits(0.5, DType::Bool) == 1);
  CHECK(bits(3, DType::Float32) == std::bit_cast<std::uint32_t>(3.0f));
  CHECK(bits(0.1f, DType::Float64) ==
        std::bit_cast<std::uint64_t>(double(0.1f)));
  CHECK(bits(1.0, DType::BFloat16) == 0x3f80);
  CHECK(bits(1.0, DType::Float16) == 0x3c00);
  CHECK(bits(4.0, DType::Int32) == 4);
  CHECK(bits(~0ull, DType::UInt64) == ~0ull);
  auto fails = [&](const Argument &value, DType dtype) {
    return errorText([&] { bits(value, dtype); });
  };
  CHECK(fails(4.5, DType::Int32) ==
        "kernel k input x expected int32, but got 4.5, which is not a whole "
        "number");
  CHECK(fails(std::int64_t{3000000000}, DType::Int32) ==
        "kernel k input x expected int32, but got 3000000000, which does not "
        "fit");
  CHECK_THAT(fails(-1, DType::UInt8), Contains("does not fit"));
  CHECK_THAT(fails(1e30, DType::Int64), Contains("not a whole number"));
}

TEST_CASE("binding: host tensors for the CPU", "[binding]") {
  LaunchMetadata metadata = kernelOf({tensorParam("x", {"n"})}, {"n"});
  Tensor host = tensor(DType::Float32, {3});
  host.device = DeviceKind::Host;
  BoundArguments bound;
  std::vector<Argument> arguments{host};
  Binder(metadata).bind(arguments, bound, DeviceKind::Host);
  CHECK(bound.symbols[0] == 3);
}
