#include "runtime/core/TensorMap.h"

#include "runtime/core/Driver.h"
#include "tlc/Error.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace tlc::rt {
namespace {

constexpr std::uint64_t kMaxDim = std::uint64_t{1} << 32;
constexpr std::uint64_t kMaxStride = std::uint64_t{1} << 40;
constexpr std::uint32_t kMaxBox = 256;
constexpr std::uint32_t kMaxElementStride = 8;
constexpr unsigned kSwizzleBytes[] = {0, 32, 64, 128};
// Beyond this many distinct tensors the cache starts again.
constexpr std::size_t kMaxCached = 16384;

// Descriptors that a thread finds without a lock.
constexpr unsigned kSeenBits = 6;

std::atomic<std::uint64_t> encodeCount{0};

struct KeyHash {
  std::size_t operator()(const TensorMapKey &key) const {
    std::uint64_t hash = key.address;
    auto add = [&](std::uint64_t value) {
      hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 32;
    };
    for (unsigned i = 0; i < key.rank; ++i) {
      add(key.dims[i]);
      add(key.box[i]);
      if (i + 1 < key.rank)
        add(key.stridesBytes[i]);
    }
    add(std::uint64_t(key.dtype) << 8 | std::uint64_t(key.swizzle));
    return hash;
  }
};

struct Cache {
  std::shared_mutex mutex;
  std::unordered_map<TensorMapKey, cu::TensorMap, KeyHash> maps;
};

Cache &cache() {
  static Cache instance;
  return instance;
}

int mapType(DType dtype) {
  switch (dtype) {
  case DType::Bool:
  case DType::Int8:
  case DType::UInt8:
  case DType::Float8E4M3FN:
  case DType::Float8E5M2:
    return cu::kMapUInt8;
  case DType::Int16:
  case DType::UInt16:
    return cu::kMapUInt16;
  case DType::Int32:
    return cu::kMapInt32;
  case DType::UInt32:
    return cu::kMapUInt32;
  case DType::Int64:
    return cu::kMapInt64;
  case DType::UInt64:
    return cu::kMapUInt64;
  case DType::Float16:
    return cu::kMapFloat16;
  case DType::Float32:
    return cu::kMapFloat32;
  case DType::Float64:
    return cu::kMapFloat64;
  case DType::BFloat16:
    return cu::kMapBFloat16;
  case DType::TFloat32:
    return cu::kMapTFloat32;
  }
  return cu::kMapUInt8;
}

} // namespace

std::string explainTensorMapProblem(const TensorMapKey &key) {
  unsigned width = bytes(key.dtype);
  if (key.address % 16 != 0)
    return fmt::format("data pointer {:#x} is not a multiple of 16, which TMA "
                       "needs; pass a tensor that starts at a multiple of 16 "
                       "bytes, for example a copy of the slice",
                       key.address);
  for (unsigned i = 0; i < key.rank; ++i) {
    if (key.dims[i] == 0 || key.dims[i] > kMaxDim)
      return fmt::format("dimension {} (from the innermost) has {} elements, "
                         "TMA takes 1 to 2^32",
                         i, key.dims[i]);
    if (key.box[i] == 0 || key.box[i] > kMaxBox)
      return fmt::format("the TMA box has {} elements in dimension {} (from "
                         "the innermost), 1 to {} are possible",
                         key.box[i], i, kMaxBox);
    if (key.elementStrides[i] == 0 || key.elementStrides[i] > kMaxElementStride)
      return fmt::format("the TMA element stride {} is not in 1..{}",
                         key.elementStrides[i], kMaxElementStride);
  }
  for (unsigned i = 0; i + 1 < key.rank; ++i) {
    std::uint64_t stride = key.stridesBytes[i];
    if (stride % 16 != 0)
      return fmt::format("has a row stride of {} bytes (dimension {} from the "
                         "innermost), which TMA needs to be a multiple of 16; "
                         "pad the rows to a multiple of {} elements",
                         stride, i + 1, 16 / std::min(width, 16u));
    if (stride >= kMaxStride)
      return fmt::format("has a stride of {} bytes, TMA takes less than 2^40",
                         stride);
  }
  std::uint64_t inner = std::uint64_t(key.box[0]) * width;
  unsigned swizzle = kSwizzleBytes[std::size_t(key.swizzle)];
  if (inner % 16 != 0)
    return fmt::format("the TMA box is {} bytes wide, not a multiple of 16",
                       inner);
  if (swizzle && inner > swizzle)
    return fmt::format("the TMA box is {} bytes wide, more than its swizzle of "
                       "{}",
                       inner, swizzle);
  return "";
}

/// Asks the cache of the process, then the driver.
static void findOrEncode(const TensorMapKey &key, cu::TensorMap &out) {
  Cache &shared = cache();
  {
    std::shared_lock lock(shared.mutex);
    if (auto found = shared.maps.find(key); found != shared.maps.end()) {
      out = found->second;
      return;
    }
  }
  const Driver &driver = Driver::get();
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  auto *address = reinterpret_cast<void *>(key.address);
  driver.check(driver.tensorMapEncodeTiled(
                   &out, mapType(key.dtype), key.rank, address, key.dims.data(),
                   key.stridesBytes.data(), key.box.data(),
                   key.elementStrides.data(),
                   /*interleave=*/0, int(key.swizzle), int(key.l2Promotion),
                   /*oobFill=*/0),
               "encoding a tensor map");
  ++encodeCount;
  std::unique_lock lock(shared.mutex);
  if (shared.maps.size() >= kMaxCached)
    shared.maps.clear();
  shared.maps.emplace(key, out);
}

void encodeTensorMap(const TensorMapKey &key, cu::TensorMap &out) {
  // A descriptor follows from its key, so what a thread has seen stays true
  // and needs no lock.
  struct Seen {
    TensorMapKey key;
    cu::TensorMap map;
  };
  static thread_local std::array<Seen, 1u << kSeenBits> table;
  Seen &seen = table[KeyHash()(key) >> (64 - kSeenBits)];
  if (seen.key != key) {
    seen.key = TensorMapKey(); // in case the driver refuses
    findOrEncode(key, seen.map);
    seen.key = key;
  }
  out = seen.map;
}

std::uint64_t tensorMapEncodeCount() { return encodeCount; }

} // namespace tlc::rt
