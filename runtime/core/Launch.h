// From checked arguments to cuLaunchKernelEx: the loaded form of a kernel, one
// module for each device it was launched on, and the packed parameters of one
// launch.
#pragma once

#include "runtime/core/Binding.h"
#include "runtime/core/KernelOrigin.h"
#include "runtime/core/LaunchMetadata.h"
#include "runtime/core/Module.h"
#include "runtime/core/Residency.h"
#include "runtime/core/TensorMap.h"
#include "tlc/Kernel.h"

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace tlc::rt {

/// Parameters of one device function, packed: `slots[i]` points at the value of
/// parameter i in `scalars` or `maps`.
struct PackedLaunch {
  cu::Function function = nullptr;
  cu::LaunchConfig config{};
  std::array<cu::LaunchAttribute, 2> attributes{};
  std::vector<std::uint64_t> scalars;
  std::vector<cu::TensorMap> maps;
  std::vector<void *> slots;
  struct Workspace {
    std::size_t scalar; ///< index in `scalars` that receives the address
    std::size_t bytes;
    bool zero;
  };
  std::vector<Workspace> workspaces;
  Residency residency; ///< where the launch is cooperative
  bool empty = false;  ///< a grid extent is 0: nothing to enqueue

  /// Blocks of the grid.
  std::int64_t blocks() const {
    return std::int64_t{config.gridX} * config.gridY * config.gridZ;
  }
};

/// All launches of one call of a kernel.
struct PreparedLaunch {
  const LoadedKernel *kernel = nullptr;
  /// Set by who keeps this longer than the kernel: the module must stay loaded.
  std::shared_ptr<const LoadedKernel> owner;
  const Device *device = nullptr;
  std::vector<PackedLaunch> launches;
  /// What a virtual kernel runs on, instead of device and launches.
  std::vector<Argument> hostArguments;
  std::vector<std::int64_t> hostSymbols;

  /// Enqueues everything on `stream`, in the order of the metadata; the
  /// device's context becomes current. Each launch gets workspaces of its own,
  /// allocated and freed in stream order (in a capture: by nodes of the graph),
  /// so that launches that overlap share none and a launch that fails leaves
  /// none behind.
  void enqueue(cu::Stream stream);

private:
  void enqueueOne(PackedLaunch &launch, cu::Stream stream) const;
};

class LoadedKernel {
public:
  /// `origin` may be null; a virtual one needs no cubin.
  LoadedKernel(LaunchMetadata metadata, std::vector<char> cubin,
               std::shared_ptr<const KernelOrigin> origin = nullptr);
  LoadedKernel(const LoadedKernel &) = delete;
  LoadedKernel &operator=(const LoadedKernel &) = delete;

  const LaunchMetadata &metadata() const { return meta; }
  const KernelOrigin *origin() const { return made.get(); }
  bool isVirtual() const { return made && made->isVirtual(); }
  /// Different for every kernel of the process, also after it is gone.
  std::uint64_t id() const { return identity; }
  /// Checks `arguments`, then packs them into `out`, reusing its storage. Loads
  /// the cubin at the first call for a device.
  void prepare(std::span<const Argument> arguments, PreparedLaunch &out) const;
  std::vector<KernelResources> resources() const;

private:
  /// A launch argument with its expressions ready to evaluate.
  struct ArgProgram {
    const LaunchArg *arg;
    int param = -1;
    ExprProgram value; // scalar, workspace size or map offset
    std::vector<ExprProgram> dims, strides;
  };
  struct LaunchProgram {
    std::array<ExprProgram, 3> grid;
    std::vector<ArgProgram> args;
  };
  struct OnDevice {
    int ordinal = 0;
    std::unique_ptr<Module> module;
    std::vector<cu::Function> functions;
    std::vector<Residency> residency; ///< of cooperative functions
  };

  const OnDevice &load(const Device &device) const;
  OnDevice loadOnto(const Device &device) const;
  void pack(std::size_t index, std::span<const Argument> arguments,
            const BoundArguments &bound, PackedLaunch &out) const;
  void packArg(const ArgProgram &program, std::span<const Argument> arguments,
               const BoundArguments &bound, PackedLaunch &out) const;
  /// The address that a pointer parameter gets. Throws tlc::Error
  /// (InvalidArgument) where it is not aligned as the accesses rely on.
  std::uint64_t pointerBits(const ArgProgram &program,
                            const Argument &given) const;
  TensorMapKey mapKey(const ArgProgram &program, const Argument &argument,
                      const BoundArguments &bound) const;
  void packGrid(std::size_t index, const BoundArguments &bound,
                PackedLaunch &out) const;

  const std::uint64_t identity;
  LaunchMetadata meta;
  std::vector<char> cubin;
  std::shared_ptr<const KernelOrigin> made;
  Binder binder;
  std::vector<LaunchProgram> programs;
  mutable std::mutex mutex;
  mutable std::map<int, OnDevice> devices;
  /// The entry of `devices` that was asked for last; entries stay.
  mutable std::atomic<const OnDevice *> lastUsed{nullptr};
};

} // namespace tlc::rt
