// tlc::Tensor from structs with the members of DLPack's (dlpack.h, version 1),
// typed from its description.
#include "runtime/interop/DLPack.h"

#include "test/support/Catch.h"
#include "test/unit/runtime/ErrorText.h"

#include <vector>

using namespace tlc;
using tlc::test::errorText;

namespace {

enum DeviceType { Cpu = 1, Cuda = 2, CudaHost = 3, Rocm = 10, Managed = 13 };

struct DLTensor {
  void *data;
  struct {
    DeviceType device_type;
    std::int32_t device_id;
  } device;
  std::int32_t ndim;
  struct {
    std::uint8_t code, bits;
    std::uint16_t lanes;
  } dtype;
  std::int64_t *shape;
  std::int64_t *strides;
  std::uint64_t byte_offset;
};

struct DLManagedTensor {
  DLTensor dl_tensor;
  void *manager_ctx;
  void (*deleter)(DLManagedTensor *);
};

struct Sample {
  char memory[64] = {};
  std::int64_t shape[9] = {2, 3, 1, 1, 1, 1, 1, 1, 1};
  std::int64_t strides[9] = {4, 1};
  DLTensor tensor{memory, {Cuda, 1}, 2, {2, 32, 1}, shape, strides, 8};
};

} // namespace

TEST_CASE("dlpack: a view has address, type, shape, strides and device",
          "[dlpack]") {
  Sample sample;
  Tensor view = fromDLPack(sample.tensor);
  CHECK(view.data == sample.memory + 8);
  CHECK(view.dtype == DType::Float32);
  CHECK(view.shape == Dims{2, 3});
  CHECK(view.strides == Dims{4, 1});
  CHECK(view.device == DeviceKind::Cuda);
  CHECK(view.deviceId == 1);

  sample.tensor.strides = nullptr; // compact
  sample.tensor.device.device_type = CudaHost;
  DLManagedTensor managed{sample.tensor, nullptr, nullptr};
  view = fromDLPack(managed);
  CHECK(view.strides.empty());
  CHECK(view.device == DeviceKind::Host);
  CHECK(view.deviceId == 0);

  sample.tensor.ndim = 0;
  sample.tensor.shape = nullptr;
  sample.tensor.device.device_type = Managed;
  view = fromDLPack(sample.tensor);
  CHECK(view.rank() == 0);
  CHECK(view.device == DeviceKind::Cuda);
  sample.tensor.data = nullptr; // empty tensors may have none
  CHECK(fromDLPack(sample.tensor).data == nullptr);
}

TEST_CASE("dlpack: every element type that kernels have", "[dlpack]") {
  struct Row {
    std::uint8_t code, bits;
    DType dtype;
  };
  const Row rows[] = {{0, 8, DType::Int8},          {0, 64, DType::Int64},
                      {1, 8, DType::UInt8},         {1, 16, DType::UInt16},
                      {2, 16, DType::Float16},      {2, 64, DType::Float64},
                      {4, 16, DType::BFloat16},     {6, 8, DType::Bool},
                      {10, 8, DType::Float8E4M3FN}, {12, 8, DType::Float8E5M2}};
  for (const Row &row : rows) {
    Sample sample;
    sample.tensor.dtype = {row.code, row.bits, 1};
    CHECK(fromDLPack(sample.tensor).dtype == row.dtype);
  }
}

TEST_CASE("dlpack: what kernels do not have is named", "[dlpack]") {
  Sample sample;
  sample.tensor.dtype = {5, 64, 1}; // complex
  ErrorCode code{};
  CHECK(errorText([&] { fromDLPack(sample.tensor); }, &code) ==
        "no kernel takes the DLPack type with code 5, 64 bits and 1 lanes");
  CHECK(code == ErrorCode::Unsupported);
  sample.tensor.dtype = {2, 32, 4}; // float4
  CHECK_THAT(errorText([&] { fromDLPack(sample.tensor); }),
             Catch::Contains("4 lanes"));
  sample.tensor.dtype = {2, 32, 1};
  sample.tensor.device.device_type = Rocm;
  CHECK(errorText([&] { fromDLPack(sample.tensor); }) ==
        "a DLPack tensor lives on device type 10, expected CPU (1) or CUDA "
        "(2)");
  sample.tensor.device.device_type = Cpu;
  sample.tensor.ndim = 9;
  CHECK(errorText([&] { fromDLPack(sample.tensor); }) ==
        "a tensor has at most 8 dimensions");
  sample.tensor.ndim = 1;
  sample.tensor.shape = nullptr;
  CHECK(errorText([&] { fromDLPack(sample.tensor); }) ==
        "a DLPack tensor has no shape");
}
