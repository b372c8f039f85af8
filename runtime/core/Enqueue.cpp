// Packed launches go to a stream, with the workspaces that live as long as one
// launch or one call.
#include "runtime/core/Launch.h"

#include "tlc/Error.h"

#include <fmt/format.h>

namespace tlc::rt {
namespace {

/// The workspaces of one launch, in the order of its stream: allocated before
/// it, freed after it, or freed when something in between fails.
class Workspaces {
public:
  Workspaces(const Device &device, cu::Stream stream, PackedLaunch &launch)
      : stream(stream), launch(launch) {
    try {
      for (const PackedLaunch::Workspace &workspace : launch.workspaces)
        allocate(device, workspace);
    } catch (...) {
      free();
      throw;
    }
  }
  Workspaces(const Workspaces &) = delete;
  Workspaces &operator=(const Workspaces &) = delete;
  ~Workspaces() { free(); }

  /// Frees all; an error of the driver's, if there is one.
  cu::Result free() {
    cu::Result first = cu::kSuccess;
    for (std::size_t i = 0; i < made; ++i) {
      cu::DevicePtr &address = launch.scalars[launch.workspaces[i].scalar];
      if (address == 0)
        continue;
      cu::Result result = Driver::get().memFreeAsync(address, stream);
      address = 0;
      if (first == cu::kSuccess)
        first = result;
    }
    made = 0;
    return first;
  }

private:
  void allocate(const Device &device,
                const PackedLaunch::Workspace &workspace) {
    const Driver &driver = Driver::get();
    cu::DevicePtr address = 0;
    if (workspace.bytes != 0)
      driver.check(driver.memAllocFromPoolAsync(&address, workspace.bytes,
                                                device.workspacePool(), stream),
                   "allocating a kernel's workspace");
    launch.scalars[workspace.scalar] = address;
    ++made;
    if (workspace.zero && workspace.bytes != 0)
      driver.check(driver.memsetD8Async(address, 0, workspace.bytes, stream),
                   "clearing a kernel's workspace");
  }

  cu::Stream stream;
  PackedLaunch &launch;
  std::size_t made = 0; ///< of the list, from its beginning
};

/// The workspaces of a call, in the order of its stream: allocated before its
/// first launch, freed after its last one, or when something in between fails.
class CallWorkspaces {
public:
  CallWorkspaces(PreparedLaunch &call, cu::Stream stream)
      : call(call), stream(stream) {
    try {
      for (std::size_t i = 0; i < call.workspaces.size(); ++i)
        allocate(i);
    } catch (...) {
      free();
      throw;
    }
  }
  CallWorkspaces(const CallWorkspaces &) = delete;
  CallWorkspaces &operator=(const CallWorkspaces &) = delete;
  ~CallWorkspaces() { free(); }

  /// Frees all; an error of the driver's, if there is one.
  cu::Result free() {
    cu::Result first = cu::kSuccess;
    for (PreparedLaunch::Workspace &workspace : call.workspaces) {
      if (workspace.address == 0)
        continue;
      cu::Result result = Driver::get().memFreeAsync(workspace.address, stream);
      workspace.address = 0;
      if (first == cu::kSuccess)
        first = result;
    }
    return first;
  }

private:
  void allocate(std::size_t index) {
    PreparedLaunch::Workspace &workspace = call.workspaces[index];
    if (!workspace.isUsed || workspace.bytes == 0)
      return;
    const Driver &driver = Driver::get();
    cu::DevicePtr address = 0;
    cu::Result result = driver.memAllocFromPoolAsync(
        &address, workspace.bytes, call.device->workspacePool(), stream);
    const LaunchMetadata &metadata = call.kernel->metadata();
    if (result != cu::kSuccess)
      driver.fail(result,
                  fmt::format("allocating the workspace {} of kernel {} ({} "
                              "bytes)",
                              metadata.workspaces[index].name, metadata.name,
                              workspace.bytes));
    workspace.address = address;
  }

  PreparedLaunch &call;
  cu::Stream stream;
};

/// Parameters that depend on where the workspaces of the call are.
void setAddresses(PackedLaunch &launch,
                  const std::vector<PreparedLaunch::Workspace> &workspaces) {
  for (const PackedLaunch::CallWorkspaceUse &use : launch.callWorkspaces) {
    cu::DevicePtr address = workspaces[use.workspace].address;
    if (!use.map) {
      launch.scalars[use.at] = address;
      continue;
    }
    TensorMapKey key = *use.map;
    key.address += address;
    encodeTensorMap(key, launch.maps[use.at]);
  }
}

} // namespace

void PreparedLaunch::enqueueOne(PackedLaunch &launch, cu::Stream stream) const {
  const Driver &driver = Driver::get();
  const LaunchInfo &info =
      kernel->metadata().launches[&launch - launches.data()];
  Workspaces workspaces(*device, stream, launch);
  launch.config.stream = stream;
  launch.config.attributes = launch.attributes.data();
  cu::Result result = driver.launchKernelEx(&launch.config, launch.function,
                                            launch.slots.data(), nullptr);
  // Part of the device may belong to somebody else, which only the driver sees.
  if (result == cu::kCooperativeTooLarge)
    throw Error(ErrorCode::InvalidArgument,
                "the driver refuses: " + explainTooLarge(info, launch.blocks(),
                                                         launch.residency,
                                                         *device));
  if (result != cu::kSuccess)
    driver.fail(result, fmt::format("launching kernel {}", info.symbol));
  driver.check(workspaces.free(), "freeing a kernel's workspace");
}

void PreparedLaunch::enqueue(cu::Stream stream) {
  if (!device) {
    kernel->origin()->run(hostArguments, hostSymbols);
    return;
  }
  device->makeCurrent();
  CallWorkspaces memory(*this, stream);
  for (PackedLaunch &launch : launches) {
    if (launch.empty)
      continue;
    setAddresses(launch, workspaces);
    enqueueOne(launch, stream);
  }
  Driver::get().check(memory.free(), "freeing a kernel's workspace");
}

} // namespace tlc::rt
