// A CUDA driver without a GPU, for tests of what tlc asks of one: memory is the
// host's, launches are counted and their first parameter noted. The environment
// sets what it pretends to be:
//   FAKE_CUDA_VERSION (13000)  FAKE_CUDA_DEVICES (2)  FAKE_CUDA_MAJOR (9)
//   FAKE_CUDA_LAUNCH_RESULT (0)
#include "test/unit/runtime-jit/fakes/FakeDriver.h"
#include "runtime/core/DriverApi.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

using namespace tlc::rt::cu;

namespace {

constexpr std::size_t kAlignment = 1024;
constexpr Result kNoDevice = 100;
constexpr Result kInvalidDevice = 101;
constexpr Result kOutOfMemory = 2;
constexpr int kFakeL2Bytes = 1 << 20;
constexpr std::size_t kFakePoolBytes = 1 << 20;

int setting(const char *name, int otherwise) {
  const char *value = std::getenv(name);
  return value ? std::atoi(value) : otherwise;
}

struct State {
  std::mutex mutex;
  std::map<DevicePtr, std::pair<std::size_t, int>> blocks; // bytes, device
  FakeLaunches launches;
  /// Freed memory of the pool, which is never given again: what keeps an
  /// address shows.
  std::vector<DevicePtr> gone;
};

State &state() {
  static auto *state = new State;
  return *state;
}

thread_local int current = 0;

template <class Handle> Handle handle(std::uintptr_t value) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): handles are opaque
  return reinterpret_cast<Handle>(value);
}

void *pointer(DevicePtr address) { return handle<void *>(address); }

Result ok() { return kSuccess; }

} // namespace

// NOLINTBEGIN(readability-identifier-naming): the driver's names
extern "C" {

void fakeLaunches(FakeLaunches *launches) {
  std::lock_guard lock(state().mutex);
  *launches = std::exchange(state().launches, {});
}

Result cuInit(unsigned) {
  return setting("FAKE_CUDA_DEVICES", 2) ? kSuccess : kNoDevice;
}
Result cuDriverGetVersion(int *version) {
  *version = setting("FAKE_CUDA_VERSION", 13000);
  return ok();
}
Result cuGetErrorName(Result, const char **text) {
  *text = "CUDA_ERROR_FAKE";
  return ok();
}
Result cuGetErrorString(Result, const char **text) {
  *text = "a fake failure";
  return ok();
}
Result cuDeviceGetCount(int *count) {
  *count = setting("FAKE_CUDA_DEVICES", 2);
  return ok();
}
Result cuDeviceGet(Device *device, int ordinal) {
  *device = ordinal;
  return ordinal < setting("FAKE_CUDA_DEVICES", 2) ? kSuccess : kInvalidDevice;
}
Result cuDeviceGetName(char *text, int size, Device) {
  std::strncpy(text, "Fake H200", size);
  return ok();
}
Result cuDeviceGetAttribute(int *value, int attribute, Device) {
  switch (attribute) {
  case kSmCount:
    *value = 132;
    break;
  case kL2Bytes:
    *value = kFakeL2Bytes;
    break;
  case kComputeMajor:
    *value = setting("FAKE_CUDA_MAJOR", 9);
    break;
  case kMaxSharedOptin:
    *value = 232448;
    break;
  default:
    *value = 0;
  }
  return ok();
}
Result cuDeviceTotalMem_v2(std::size_t *bytes, Device) {
  *bytes = std::size_t{1} << 30;
  return ok();
}
Result cuDevicePrimaryCtxRetain(Context *context, Device device) {
  *context = handle<Context>(static_cast<std::uintptr_t>(device) + 1);
  return ok();
}
Result cuCtxSetCurrent(Context context) {
  current = static_cast<int>(reinterpret_cast<std::uintptr_t>(context)) - 1;
  return ok();
}
Result cuCtxGetCurrent(Context *context) {
  *context = handle<Context>(static_cast<std::uintptr_t>(current) + 1);
  return ok();
}

Result cuModuleLoadData(Module *module, const void *) {
  *module = handle<Module>(1);
  return ok();
}
Result cuModuleGetFunction(Function *function, Module, const char *) {
  *function = handle<Function>(1);
  return ok();
}
Result cuFuncGetAttribute(int *value, int, Function) {
  *value = 0;
  return ok();
}

Result cuMemAlloc_v2(DevicePtr *address, std::size_t bytes) {
  std::size_t size = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  *address = reinterpret_cast<DevicePtr>(std::aligned_alloc(kAlignment, size));
  std::lock_guard lock(state().mutex);
  state().blocks[*address] = {bytes, current};
  return ok();
}
Result cuMemFree_v2(DevicePtr address) {
  std::lock_guard lock(state().mutex);
  if (state().blocks.erase(address) == 0)
    return kInvalidValue;
  std::free(pointer(address));
  return ok();
}
Result cuMemPoolCreate(MemoryPool *pool, const MemoryPoolProperties *) {
  *pool = handle<MemoryPool>(1);
  return ok();
}
Result cuMemPoolSetAttribute(MemoryPool, int, void *) { return ok(); }
Result cuMemAllocFromPoolAsync(DevicePtr *address, std::size_t bytes,
                               MemoryPool, Stream) {
  if (bytes > kFakePoolBytes)
    return kOutOfMemory;
  cuMemAlloc_v2(address, bytes);
  std::memset(pointer(*address), 0xff, bytes);
  std::lock_guard lock(state().mutex);
  ++state().launches.workspacesMade;
  ++state().launches.workspacesLeft;
  return ok();
}
Result cuMemFreeAsync(DevicePtr address, Stream) {
  {
    std::lock_guard lock(state().mutex);
    --state().launches.workspacesLeft;
    if (state().blocks.erase(address) == 0)
      return kInvalidValue;
    state().gone.push_back(address);
  }
  return ok();
}
Result cuMemcpyHtoD_v2(DevicePtr to, const void *from, std::size_t bytes) {
  std::memcpy(pointer(to), from, bytes);
  return ok();
}
Result cuMemcpyDtoH_v2(void *to, DevicePtr from, std::size_t bytes) {
  std::memcpy(to, pointer(from), bytes);
  return ok();
}
Result cuMemcpyDtoD_v2(DevicePtr to, DevicePtr from, std::size_t bytes) {
  std::memcpy(pointer(to), pointer(from), bytes);
  return ok();
}
Result cuMemsetD8_v2(DevicePtr to, unsigned char value, std::size_t bytes) {
  std::memset(pointer(to), value, bytes);
  return ok();
}
Result cuMemsetD8Async(DevicePtr to, unsigned char value, std::size_t bytes,
                       Stream) {
  return cuMemsetD8_v2(to, value, bytes);
}
Result cuPointerGetAttributes(unsigned count, const int *attributes,
                              void **values, DevicePtr address) {
  std::lock_guard lock(state().mutex);
  ++state().launches.pointerQueries;
  auto block = state().blocks.upper_bound(address);
  bool isOurs =
      block != state().blocks.begin() &&
      address < std::prev(block)->first + std::prev(block)->second.first;
  for (unsigned i = 0; i < count; ++i)
    switch (attributes[i]) {
    case kMemoryType:
      *static_cast<unsigned *>(values[i]) = isOurs ? kMemoryDevice : 0;
      break;
    case kOrdinal:
      *static_cast<int *>(values[i]) =
          isOurs ? std::prev(block)->second.second : -2;
      break;
    default:
      *static_cast<unsigned *>(values[i]) = 0;
    }
  return ok();
}

Result cuStreamCreate(Stream *stream, unsigned) {
  *stream = handle<Stream>(1);
  return ok();
}
Result cuStreamEndCapture(Stream, Graph *graph) {
  *graph = handle<Graph>(1);
  return ok();
}
Result cuGraphInstantiateWithFlags(GraphExec *exec, Graph, unsigned long long) {
  *exec = handle<GraphExec>(1);
  return ok();
}
Result cuEventCreate(Event *event, unsigned) {
  *event = handle<Event>(1);
  return ok();
}
Result cuEventElapsedTime(float *milliseconds, Event, Event) {
  *milliseconds = 2;
  return ok();
}

Result cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, Function,
                                                   int threads, std::size_t) {
  *blocks = 2048 / threads;
  return ok();
}
Result cuOccupancyMaxActiveClusters(int *clusters, Function,
                                    const LaunchConfig *config) {
  *clusters = config->attributeCount == 1 ? 40 : 0;
  return ok();
}

Result cuLaunchKernelEx(const LaunchConfig *config, Function, void **parameters,
                        void **) {
  std::lock_guard lock(state().mutex);
  FakeLaunches &launches = state().launches;
  ++launches.count;
  launches.fewestAlive =
      std::min(launches.fewestAlive, launches.workspacesLeft);
  launches.gridX = config->gridX;
  launches.gridY = config->gridY;
  launches.cooperative = false;
  for (unsigned i = 0; i < config->attributeCount; ++i)
    launches.cooperative |= config->attributes[i].id == kAttributeCooperative;
  if (Result result = setting("FAKE_CUDA_LAUNCH_RESULT", kSuccess))
    return result;
  std::uint64_t first = 0;
  std::memcpy(&first, parameters[0], sizeof(first));
  bool seen = false;
  for (int i = 0; i < launches.distinct; ++i)
    seen |= launches.first[i] == first;
  if (!seen && launches.distinct < FakeLaunches::kMost)
    launches.first[launches.distinct++] = first;
  return ok();
}
Result cuTensorMapEncodeTiled(TensorMap *map, int, std::uint32_t, void *address,
                              const std::uint64_t *, const std::uint64_t *,
                              const std::uint32_t *, const std::uint32_t *, int,
                              int, int, int) {
  map->opaque[0] = reinterpret_cast<std::uint64_t>(address);
  return ok();
}
}
// NOLINTEND(readability-identifier-naming)
