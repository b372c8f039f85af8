// Packed launches go to a stream, with the workspaces that live as long as one
// launch.
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
  for (PackedLaunch &launch : launches)
    if (!launch.empty)
      enqueueOne(launch, stream);
}

} // namespace tlc::rt
