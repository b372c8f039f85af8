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
#include <optional>
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
  /// A parameter that depends on the address of a workspace of the call.
  struct CallWorkspaceUse {
    std::size_t workspace; ///< index in PreparedLaunch::workspaces
    std::size_t at;        ///< index in `scalars` or `maps`
    /// Of a map; its address is relative to the workspace.
    std::optional<TensorMapKey> map;
  };
  std::vector<CallWorkspaceUse> callWorkspaces;
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
  /// A workspace of the whole call, in the order of the metadata.
  struct Workspace {
    std::size_t bytes = 0;
    bool isUsed = false;       ///< by a launch that is not empty
    cu::DevicePtr address = 0; ///< during `enqueue`
  };
  std::vector<Workspace> workspaces;
  /// What a virtual kernel runs on, instead of device and launches.
  std::vector<Argument> hostArguments;
  std::vector<std::int64_t> hostSymbols;

  /// Enqueues everything on `stream`, in the order of the metadata; the
  /// device's context becomes current. The call and each of its launches get
  /// workspaces of their own, allocated and freed in stream order (in a
  /// capture: by nodes of the graph), so that calls that overlap share none and
  /// a call that fails leaves none behind.
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
    int workspace = -1; ///< of the call
    ExprProgram value;  // scalar, workspace size or map offset
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
  /// Throws tlc::Error (InvalidArgument) for a negative extent or a workspace
  /// larger than any memory.
  void sizeWorkspaces(const BoundArguments &bound, PreparedLaunch &out) const;
  void pack(std::size_t index, std::span<const Argument> arguments,
            const BoundArguments &bound, PackedLaunch &out) const;
  void packArg(const ArgProgram &program, std::span<const Argument> arguments,
               const BoundArguments &bound, PackedLaunch &out) const;
  /// The address that a pointer parameter gets. Throws tlc::Error
  /// (InvalidArgument) where it is not aligned as the accesses rely on.
  std::uint64_t pointerBits(const ArgProgram &program,
                            const Argument &given) const;
  void packMap(const ArgProgram &program, std::span<const Argument> arguments,
               const BoundArguments &bound, PackedLaunch &out) const;
  /// The descriptor of memory at `base`, or of some other memory where the
  /// tensor is empty, which `isEmpty` says in advance or learns.
  TensorMapKey mapKey(const ArgProgram &program, std::uint64_t base,
                      bool &isEmpty, const BoundArguments &bound) const;
  void packGrid(std::size_t index, const BoundArguments &bound,
                PackedLaunch &out) const;

  const std::uint64_t identity;
  LaunchMetadata meta;
  std::vector<char> cubin;
  std::shared_ptr<const KernelOrigin> made;
  Binder binder;
  std::vector<LaunchProgram> programs;
  std::vector<std::vector<ExprProgram>> workspaceShapes;
  mutable std::mutex mutex;
  mutable std::map<int, OnDevice> devices;
  /// The entry of `devices` that was asked for last; entries stay.
  mutable std::atomic<const OnDevice *> lastUsed{nullptr};
};

} // namespace tlc::rt
