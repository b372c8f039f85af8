// Tensor maps: the 128-byte descriptors through which the TMA unit sees a
// global tensor. Encoding asks the driver; equal inputs are answered from a
// cache, so a launch with known tensors does not encode.
#pragma once

#include "runtime/core/DriverApi.h"
#include "runtime/core/LaunchMetadata.h"

#include <array>
#include <cstdint>
#include <string>

namespace tlc::rt {

/// The TMA unit's highest rank.
inline constexpr unsigned kMaxMapRank = 5;

/// Everything a descriptor depends on; innermost dimension first, unused
/// entries 0.
struct TensorMapKey {
  std::uint64_t address = 0;
  std::array<std::uint64_t, kMaxMapRank> dims{};
  std::array<std::uint64_t, kMaxMapRank - 1> stridesBytes{};
  std::array<std::uint32_t, kMaxMapRank> box{};
  std::array<std::uint32_t, kMaxMapRank> elementStrides{};
  std::uint32_t rank = 0;
  DType dtype = DType::Float32;
  Swizzle swizzle = Swizzle::None;
  L2Promotion l2Promotion = L2Promotion::None;

  bool operator==(const TensorMapKey &other) const = default;
};

/// What is wrong with `key` by the rules of cuTensorMapEncodeTiled, as a text
/// with the fix that follows "kernel K input X: "; empty when it is fine. The
/// caller handles extents of 0 first: there is no descriptor of an empty
/// tensor.
std::string explainTensorMapProblem(const TensorMapKey &key);

/// The descriptor for `key`, which must be free of problems, written to `out`.
/// Thread-safe. Throws tlc::Error (Device) when the driver refuses.
void encodeTensorMap(const TensorMapKey &key, cu::TensorMap &out);

/// Number of descriptors encoded by the driver since the start of the process.
std::uint64_t tensorMapEncodeCount();

} // namespace tlc::rt
