// The part of the CUDA driver interface that tlc uses, declared here so that
// building needs no CUDA toolkit. Names, values and layouts are those of the
// driver's stable ABI (CUDA Driver API reference, version 12).
#pragma once

#include <cstddef>
#include <cstdint>

namespace tlc::rt::cu {

using Result = int; // 0 is success
using Device = int;
using DevicePtr = std::uint64_t;
using Context = struct ContextTag *;
using Module = struct ModuleTag *;
using Function = struct FunctionTag *;
using Stream = struct StreamTag *;
using Event = struct EventTag *;
using Graph = struct GraphTag *;
using GraphExec = struct GraphExecTag *;
using MemoryPool = struct MemoryPoolTag *;

inline constexpr Result kSuccess = 0;
inline constexpr Result kInvalidValue = 1;
inline constexpr Result kCooperativeTooLarge = 720;

enum DeviceAttribute : int {
  kSmCount = 16,
  kClockRateKHz = 13,
  kL2Bytes = 38,
  kComputeMajor = 75,
  kComputeMinor = 76,
  kMaxSharedOptin = 97,
};

enum FunctionAttribute : int {
  kMaxThreadsPerBlock = 0,
  kStaticSharedBytes = 1,
  kConstantBytes = 2,
  kLocalBytes = 3,
  kRegisters = 4,
  kMaxDynamicSharedBytes = 8,
  kNonPortableClusterSize = 14,
};

enum PointerAttribute : int { kMemoryType = 2, kIsManaged = 8, kOrdinal = 9 };
enum MemoryType : unsigned { kMemoryHost = 1, kMemoryDevice = 2 };
enum StreamFlags : unsigned { kStreamNonBlocking = 1 };
enum CaptureMode : int { kCaptureThreadLocal = 1 };

enum LaunchAttributeId : int {
  kAttributeIgnore = 0,
  kAttributeCooperative = 2,
  kAttributeCluster = 4,
};

enum MemoryPoolAttribute : int { kPoolReleaseThreshold = 4 };

/// CUmemPoolProps: pinned memory of one device, no export, no size limit.
struct MemoryPoolProperties {
  int allocationType = 1;
  int handleTypes = 0;
  int locationType = 1;
  int locationId = 0;
  void *securityAttributes = nullptr;
  std::size_t maxBytes = 0;
  unsigned char reserved[56] = {};
};
static_assert(sizeof(MemoryPoolProperties) == 88);

union LaunchAttributeValue {
  char pad[64];
  int cooperative;
  struct {
    unsigned x, y, z;
  } cluster;
};

// Two of the driver's many kinds of value are used here.
// NOLINTNEXTLINE(bugprone-tagged-union-member-count)
struct LaunchAttribute {
  LaunchAttributeId id;
  char pad[8 - sizeof(LaunchAttributeId)];
  LaunchAttributeValue value;
};
static_assert(sizeof(LaunchAttribute) == 72);

struct LaunchConfig {
  unsigned gridX, gridY, gridZ;
  unsigned blockX, blockY, blockZ;
  unsigned sharedBytes;
  Stream stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};
static_assert(sizeof(LaunchConfig) == 56);

/// Opaque; the kernel takes it by value as a `__grid_constant__` parameter.
struct alignas(64) TensorMap {
  std::uint64_t opaque[16];
};
static_assert(sizeof(TensorMap) == 128);

enum TensorMapType : int {
  kMapUInt8 = 0,
  kMapUInt16,
  kMapUInt32,
  kMapInt32,
  kMapUInt64,
  kMapInt64,
  kMapFloat16,
  kMapFloat32,
  kMapFloat64,
  kMapBFloat16,
  kMapFloat32Ftz,
  kMapTFloat32,
};

// Every function used: member name, exported symbol, parameter types.
// clang-format off
#define TLC_DRIVER_FUNCTIONS(X)                                                \
  X(init, cuInit, (unsigned flags))                                            \
  X(driverGetVersion, cuDriverGetVersion, (int *version))                      \
  X(getErrorName, cuGetErrorName, (Result, const char **text))                 \
  X(getErrorString, cuGetErrorString, (Result, const char **text))             \
  X(deviceGetCount, cuDeviceGetCount, (int *count))                            \
  X(deviceGet, cuDeviceGet, (Device *, int ordinal))                           \
  X(deviceGetName, cuDeviceGetName, (char *text, int size, Device))            \
  X(deviceGetAttribute, cuDeviceGetAttribute, (int *, int attribute, Device))  \
  X(deviceTotalMem, cuDeviceTotalMem_v2, (std::size_t *bytes, Device))         \
  X(primaryCtxRetain, cuDevicePrimaryCtxRetain, (Context *, Device))           \
  X(primaryCtxRelease, cuDevicePrimaryCtxRelease_v2, (Device))                 \
  X(ctxSetCurrent, cuCtxSetCurrent, (Context))                                 \
  X(ctxGetCurrent, cuCtxGetCurrent, (Context *))                               \
  X(ctxSynchronize, cuCtxSynchronize, ())                                      \
  X(moduleLoadData, cuModuleLoadData, (Module *, const void *image))           \
  X(moduleUnload, cuModuleUnload, (Module))                                    \
  X(moduleGetFunction, cuModuleGetFunction,                                    \
    (Function *, Module, const char *name))                                    \
  X(funcSetAttribute, cuFuncSetAttribute, (Function, int attribute, int))      \
  X(funcGetAttribute, cuFuncGetAttribute, (int *, int attribute, Function))    \
  X(memAlloc, cuMemAlloc_v2, (DevicePtr *, std::size_t bytes))                 \
  X(memFree, cuMemFree_v2, (DevicePtr))                                        \
  X(memPoolCreate, cuMemPoolCreate,                                            \
    (MemoryPool *, const MemoryPoolProperties *))                              \
  X(memPoolSetAttribute, cuMemPoolSetAttribute,                                \
    (MemoryPool, int attribute, void *value))                                  \
  X(memAllocFromPoolAsync, cuMemAllocFromPoolAsync,                            \
    (DevicePtr *, std::size_t bytes, MemoryPool, Stream))                      \
  X(memFreeAsync, cuMemFreeAsync, (DevicePtr, Stream))                         \
  X(memcpyHtoD, cuMemcpyHtoD_v2, (DevicePtr, const void *, std::size_t bytes)) \
  X(memcpyDtoH, cuMemcpyDtoH_v2, (void *, DevicePtr, std::size_t bytes))       \
  X(memcpyDtoD, cuMemcpyDtoD_v2, (DevicePtr, DevicePtr, std::size_t bytes))    \
  X(memsetD8, cuMemsetD8_v2, (DevicePtr, unsigned char, std::size_t bytes))    \
  X(memsetD8Async, cuMemsetD8Async,                                            \
    (DevicePtr, unsigned char, std::size_t bytes, Stream))                     \
  X(pointerGetAttributes, cuPointerGetAttributes,                              \
    (unsigned count, const int *attributes, void **values, DevicePtr))         \
  X(streamCreate, cuStreamCreate, (Stream *, unsigned flags))                  \
  X(streamDestroy, cuStreamDestroy_v2, (Stream))                               \
  X(streamSynchronize, cuStreamSynchronize, (Stream))                          \
  X(streamWaitEvent, cuStreamWaitEvent, (Stream, Event, unsigned flags))       \
  X(streamBeginCapture, cuStreamBeginCapture_v2, (Stream, int mode))           \
  X(streamEndCapture, cuStreamEndCapture, (Stream, Graph *))                   \
  X(graphInstantiate, cuGraphInstantiateWithFlags,                             \
    (GraphExec *, Graph, unsigned long long flags))                            \
  X(graphLaunch, cuGraphLaunch, (GraphExec, Stream))                           \
  X(graphExecDestroy, cuGraphExecDestroy, (GraphExec))                         \
  X(graphDestroy, cuGraphDestroy, (Graph))                                     \
  X(eventCreate, cuEventCreate, (Event *, unsigned flags))                     \
  X(eventDestroy, cuEventDestroy_v2, (Event))                                  \
  X(eventRecord, cuEventRecord, (Event, Stream))                               \
  X(eventSynchronize, cuEventSynchronize, (Event))                             \
  X(eventElapsedTime, cuEventElapsedTime,                                      \
    (float *milliseconds, Event begin, Event end))                             \
  X(launchKernelEx, cuLaunchKernelEx,                                          \
    (const LaunchConfig *, Function, void **parameters, void **extra))         \
  X(occupancyBlocks, cuOccupancyMaxActiveBlocksPerMultiprocessor,              \
    (int *blocks, Function, int threads, std::size_t sharedBytes))             \
  X(occupancyClusters, cuOccupancyMaxActiveClusters,                           \
    (int *clusters, Function, const LaunchConfig *))                           \
  X(tensorMapEncodeTiled, cuTensorMapEncodeTiled,                              \
    (TensorMap *, int type, std::uint32_t rank, void *address,                 \
     const std::uint64_t *dims, const std::uint64_t *stridesBytes,             \
     const std::uint32_t *box, const std::uint32_t *elementStrides,            \
     int interleave, int swizzle, int l2Promotion, int oobFill))
// clang-format on

/// The table as pointers; null until the driver is loaded.
struct Functions {
// A declarator and a parameter list take no parentheses.
// NOLINTNEXTLINE(bugprone-macro-parentheses)
#define TLC_DECLARE(member, symbol, params) Result(*member) params = nullptr;
  TLC_DRIVER_FUNCTIONS(TLC_DECLARE)
#undef TLC_DECLARE
};

} // namespace tlc::rt::cu
