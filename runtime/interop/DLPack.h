// tlc::Tensor from DLPack tensors. Includes no DLPack header: it takes any
// struct with the members of DLTensor (of every version since 0.6), or one that
// holds it as `dl_tensor` (DLManagedTensor, DLManagedTensorVersioned).
//
//   tlc::Tensor view = tlc::fromDLPack(*managed);
//
// The view owns nothing: the DLPack tensor must outlive it.
#pragma once

#include <tlc/Error.h>
#include <tlc/Tensor.h>

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

namespace tlc {

/// The members of DLTensor.
template <class T>
concept DLTensorLike = requires(const T &tensor) {
  { tensor.data } -> std::convertible_to<void *>;
  { tensor.device.device_type };
  { tensor.device.device_id } -> std::convertible_to<std::int64_t>;
  { tensor.ndim } -> std::convertible_to<std::int64_t>;
  { tensor.dtype.code } -> std::convertible_to<int>;
  { tensor.dtype.bits } -> std::convertible_to<int>;
  { tensor.dtype.lanes } -> std::convertible_to<int>;
  { tensor.shape[0] } -> std::convertible_to<std::int64_t>;
  { tensor.strides[0] } -> std::convertible_to<std::int64_t>;
  { tensor.byte_offset } -> std::convertible_to<std::uint64_t>;
};

template <class T>
concept DLManagedLike = requires(const T &managed) {
  requires DLTensorLike<std::remove_cvref_t<decltype(managed.dl_tensor)>>;
};

namespace interop {

/// A row of DLPack's type codes (dlpack.h, DLDataTypeCode).
struct DLPackType {
  int code;
  int bits;
  DType dtype;
};
inline constexpr DLPackType kDLPackTypes[] = {
    {0, 8, DType::Int8},        {0, 16, DType::Int16},
    {0, 32, DType::Int32},      {0, 64, DType::Int64},
    {1, 8, DType::UInt8},       {1, 16, DType::UInt16},
    {1, 32, DType::UInt32},     {1, 64, DType::UInt64},
    {2, 16, DType::Float16},    {2, 32, DType::Float32},
    {2, 64, DType::Float64},    {4, 16, DType::BFloat16},
    {6, 8, DType::Bool},        {10, 8, DType::Float8E4M3FN},
    {12, 8, DType::Float8E5M2},
};

inline std::optional<DType> dtypeOf(int code, int bits, int lanes) {
  for (const DLPackType &row : kDLPackTypes)
    if (row.code == code && row.bits == bits && lanes == 1)
      return row.dtype;
  return std::nullopt;
}

/// kDLCPU, kDLCUDAHost / kDLCUDA, kDLCUDAManaged (dlpack.h, DLDeviceType).
inline std::optional<DeviceKind> deviceOf(int type) {
  if (type == 1 || type == 3)
    return DeviceKind::Host;
  if (type == 2 || type == 13)
    return DeviceKind::Cuda;
  return std::nullopt;
}

} // namespace interop

/// A view of a DLPack tensor. Throws tlc::Error: Unsupported for an element
/// type or a kind of device that kernels do not have, InvalidArgument for more
/// than kMaxRank dimensions or a missing shape.
template <DLTensorLike T> Tensor fromDLPack(const T &tensor) {
  Tensor view;
  const int code = static_cast<int>(tensor.dtype.code);
  const int bits = static_cast<int>(tensor.dtype.bits);
  const int lanes = static_cast<int>(tensor.dtype.lanes);
  std::optional<DType> dtype = interop::dtypeOf(code, bits, lanes);
  if (!dtype)
    throw Error(ErrorCode::Unsupported,
                "no kernel takes the DLPack type with code " +
                    std::to_string(code) + ", " + std::to_string(bits) +
                    " bits and " + std::to_string(lanes) + " lanes");
  const int type = static_cast<int>(tensor.device.device_type);
  std::optional<DeviceKind> device = interop::deviceOf(type);
  if (!device)
    throw Error(ErrorCode::Unsupported,
                "a DLPack tensor lives on device type " + std::to_string(type) +
                    ", expected CPU (1) or CUDA (2)");
  if (tensor.ndim < 0 || (tensor.ndim > 0 && !tensor.shape))
    throw Error(ErrorCode::InvalidArgument, "a DLPack tensor has no shape");
  view.dtype = *dtype;
  view.device = *device;
  if (*device == DeviceKind::Cuda)
    view.deviceId = static_cast<std::int32_t>(tensor.device.device_id);
  for (std::int64_t i = 0; i < tensor.ndim; ++i) {
    view.shape.push(tensor.shape[i]);
    if (tensor.strides)
      view.strides.push(tensor.strides[i]);
  }
  if (tensor.data)
    view.data = static_cast<char *>(static_cast<void *>(tensor.data)) +
                tensor.byte_offset;
  return view;
}

template <DLManagedLike T> Tensor fromDLPack(const T &managed) {
  return fromDLPack(managed.dl_tensor);
}

} // namespace tlc
