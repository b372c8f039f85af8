#include "runtime/core/Launch.h"

#include "runtime/core/DevicePointers.h"
#include "tlc/Error.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

namespace tlc::rt {
namespace {

// Grid limits of every architecture since sm_30 (CUDA C++ Programming Guide,
// technical specifications).
constexpr std::int64_t kMaxGrid[] = {2147483647, 65535, 65535};
// Larger clusters have to be asked for.
constexpr unsigned kPortableCluster = 8;

std::atomic<std::uint64_t> kernelCount{0};

unsigned product(const std::array<std::uint32_t, 3> &extents) {
  return extents[0] * extents[1] * extents[2];
}

} // namespace

LoadedKernel::LoadedKernel(LaunchMetadata metadata, std::vector<char> image,
                           std::shared_ptr<const KernelOrigin> origin)
    : identity(++kernelCount), meta(std::move(metadata)),
      cubin(std::move(image)), made(std::move(origin)), binder(meta) {
  auto compile = [&](const Expr &expr) {
    return ExprProgram(expr, binder.symbolNames());
  };
  auto compileAll = [&](const std::vector<Expr> &exprs) {
    std::vector<ExprProgram> list;
    std::ranges::transform(exprs, std::back_inserter(list), compile);
    return list;
  };
  for (const WorkspaceInfo &workspace : meta.workspaces)
    workspaceShapes.push_back(compileAll(workspace.shape));
  for (const LaunchInfo &launch : meta.launches) {
    LaunchProgram &program = programs.emplace_back();
    std::ranges::transform(launch.grid, program.grid.begin(), compile);
    for (const LaunchArg &arg : launch.args) {
      ArgProgram &packed = program.args.emplace_back();
      packed.arg = &arg;
      if (const auto *pointer = std::get_if<PointerArg>(&arg)) {
        packed.param = meta.paramIndex(pointer->param);
        packed.workspace = meta.workspaceIndex(pointer->workspace);
      }
      if (const auto *scalar = std::get_if<ScalarArg>(&arg)) {
        packed.param = meta.paramIndex(scalar->param);
        packed.value = compile(scalar->expr);
      }
      if (const auto *workspace = std::get_if<WorkspaceArg>(&arg))
        packed.value = compile(workspace->bytes);
      if (const auto *map = std::get_if<TensorMapArg>(&arg)) {
        packed.param = meta.paramIndex(map->param);
        packed.workspace = meta.workspaceIndex(map->workspace);
        packed.value = compile(map->baseOffsetBytes);
        packed.dims = compileAll(map->globalDims);
        packed.strides = compileAll(map->globalStridesBytes);
      }
    }
  }
}

const LoadedKernel::OnDevice &LoadedKernel::load(const Device &device) const {
  const OnDevice *last = lastUsed.load(std::memory_order_acquire);
  if (last && last->ordinal == device.ordinal())
    return *last;
  std::lock_guard lock(mutex);
  auto found = devices.find(device.ordinal());
  if (found == devices.end())
    found = devices.emplace(device.ordinal(), loadOnto(device)).first;
  lastUsed.store(&found->second, std::memory_order_release);
  return found->second;
}

LoadedKernel::OnDevice LoadedKernel::loadOnto(const Device &device) const {
  OnDevice loaded;
  loaded.ordinal = device.ordinal();
  loaded.module =
      std::make_unique<Module>(cubin, device.ordinal(), meta.target);
  const Driver &driver = Driver::get();
  for (const LaunchInfo &launch : meta.launches) {
    cu::Function function = loaded.module->function(launch.symbol);
    allowDynamicShared(function, launch.sharedBytes, device, launch.symbol);
    if (product(launch.cluster) > kPortableCluster)
      driver.check(
          driver.funcSetAttribute(function, cu::kNonPortableClusterSize, 1),
          "allowing a large cluster");
    loaded.functions.push_back(function);
    loaded.residency.push_back(launch.cooperative
                                   ? residencyOf(function, launch, device)
                                   : Residency());
    if (!meta.workspaces.empty() ||
        std::ranges::any_of(launch.args, [](const LaunchArg &arg) {
          return std::holds_alternative<WorkspaceArg>(arg);
        }))
      device.workspacePool();
  }
  return loaded;
}

void LoadedKernel::prepare(std::span<const Argument> arguments,
                           PreparedLaunch &out) const {
  thread_local BoundArguments bound;
  out.kernel = this;
  if (isVirtual()) {
    binder.bind(arguments, bound, DeviceKind::Host);
    sizeWorkspaces(bound, out);
    out.device = nullptr;
    out.hostArguments.assign(arguments.begin(), arguments.end());
    out.hostSymbols.assign(bound.symbols.begin(),
                           bound.symbols.begin() + meta.symbols.size());
    return;
  }
  binder.bind(arguments, bound);
  const Device &device = Device::get(bound.deviceId);
  const OnDevice &loaded = load(device);
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i].kind() == Argument::Kind::Tensor) {
      std::string problem = explainPointerProblem(arguments[i].tensor());
      if (!problem.empty())
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("kernel {} input {} {}", meta.name,
                                meta.params[i].name, problem));
    }
  out.device = &device;
  sizeWorkspaces(bound, out);
  out.launches.resize(programs.size());
  for (std::size_t i = 0; i < programs.size(); ++i) {
    out.launches[i].function = loaded.functions[i];
    PackedLaunch &launch = out.launches[i];
    launch.residency = loaded.residency[i];
    pack(i, arguments, bound, launch);
    if (meta.launches[i].cooperative && !launch.empty &&
        launch.blocks() > launch.residency.blocks)
      throw Error(ErrorCode::InvalidArgument,
                  explainTooLarge(meta.launches[i], launch.blocks(),
                                  launch.residency, device));
    for (const PackedLaunch::CallWorkspaceUse &use : launch.callWorkspaces)
      out.workspaces[use.workspace].isUsed = true;
  }
}

void LoadedKernel::sizeWorkspaces(const BoundArguments &bound,
                                  PreparedLaunch &out) const {
  out.workspaces.assign(meta.workspaces.size(), {});
  for (std::size_t i = 0; i < workspaceShapes.size(); ++i) {
    const WorkspaceInfo &info = meta.workspaces[i];
    Dims shape;
    for (std::size_t d = 0; d < workspaceShapes[i].size(); ++d) {
      shape.push(workspaceShapes[i][d].evaluate(bound.symbols));
      if (shape[d] < 0)
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("kernel {} workspace {} shape[{}] is {} = {}, "
                                "expected at least 0",
                                meta.name, info.name, d,
                                toString(info.shape[d]), shape[d]));
    }
    std::int64_t total = bytes(info.dtype);
    bool isEmpty = std::ranges::find(shape, 0) != shape.end();
    for (std::int64_t extent : shape)
      if (!isEmpty && __builtin_mul_overflow(total, extent, &total))
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("kernel {} workspace {} of shape [{}] is "
                                "larger than any memory",
                                meta.name, info.name,
                                fmt::join(shape.begin(), shape.end(), ", ")));
    out.workspaces[i].bytes = isEmpty ? 0 : static_cast<std::size_t>(total);
  }
}

void LoadedKernel::pack(std::size_t index, std::span<const Argument> arguments,
                        const BoundArguments &bound, PackedLaunch &out) const {
  packGrid(index, bound, out);
  const LaunchProgram &program = programs[index];
  // Reserved once: `slots` keeps addresses of the elements.
  out.scalars.clear();
  out.scalars.reserve(program.args.size());
  out.maps.clear();
  out.maps.reserve(program.args.size());
  out.slots.clear();
  out.workspaces.clear();
  out.callWorkspaces.clear();
  if (out.empty)
    return;
  for (const ArgProgram &arg : program.args)
    packArg(arg, arguments, bound, out);
}

void LoadedKernel::packGrid(std::size_t index, const BoundArguments &bound,
                            PackedLaunch &out) const {
  const LaunchInfo &info = meta.launches[index];
  std::array<std::int64_t, 3> grid;
  out.empty = false;
  for (unsigned i = 0; i < 3; ++i) {
    grid[i] = programs[index].grid[i].evaluate(bound.symbols);
    if (grid[i] < 0 || grid[i] > kMaxGrid[i])
      throw Error(ErrorCode::InvalidArgument,
                  fmt::format("kernel {}: grid extent {} is {} = {}, expected "
                              "0 to {}",
                              meta.name, "xyz"[i], toString(info.grid[i]),
                              grid[i], kMaxGrid[i]));
    out.empty |= grid[i] == 0;
  }
  unsigned attributes = 0;
  if (info.cooperative) {
    out.attributes[attributes].id = cu::kAttributeCooperative;
    out.attributes[attributes++].value.cooperative = 1;
  }
  if (product(info.cluster) > 1) {
    out.attributes[attributes].id = cu::kAttributeCluster;
    out.attributes[attributes++].value.cluster = {
        info.cluster[0], info.cluster[1], info.cluster[2]};
  }
  out.config = {static_cast<unsigned>(grid[0]),
                static_cast<unsigned>(grid[1]),
                static_cast<unsigned>(grid[2]),
                info.block[0],
                info.block[1],
                info.block[2],
                info.sharedBytes,
                nullptr,
                nullptr,
                attributes};
}

std::uint64_t LoadedKernel::pointerBits(const ArgProgram &program,
                                        const Argument &given) const {
  std::uint64_t address = 0;
  bool accessed = true;
  if (given.kind() == Argument::Kind::Tensor) {
    address = reinterpret_cast<std::uint64_t>(given.tensor().data);
    accessed = given.tensor().elements() != 0;
  } else if (given.kind() == Argument::Kind::Integer) { // a raw address
    address = static_cast<std::uint64_t>(given.asInteger());
  }
  std::uint32_t alignment = std::get<PointerArg>(*program.arg).alignment;
  if (accessed && address % alignment != 0)
    throw Error(
        ErrorCode::InvalidArgument,
        fmt::format("kernel {} input {} data pointer {:#x} is aligned to {} "
                    "bytes, expected a multiple of {}, which the kernel's "
                    "accesses rely on; pass a tensor that starts at a multiple "
                    "of {} bytes, for example a copy of the slice",
                    meta.name, meta.params[program.param].name, address,
                    address & -address, alignment, alignment));
  return address;
}

void LoadedKernel::packArg(const ArgProgram &program,
                           std::span<const Argument> arguments,
                           const BoundArguments &bound,
                           PackedLaunch &out) const {
  if (std::holds_alternative<TensorMapArg>(*program.arg))
    return packMap(program, arguments, bound, out);
  std::uint64_t value = 0;
  if (const auto *scalar = std::get_if<ScalarArg>(program.arg)) {
    Argument given = program.param >= 0
                         ? arguments[program.param]
                         : Argument(program.value.evaluate(bound.symbols));
    value =
        scalarBits(given, scalar->dtype, meta.name,
                   program.param >= 0 ? scalar->param : toString(scalar->expr));
  } else if (const auto *workspace = std::get_if<WorkspaceArg>(program.arg)) {
    std::int64_t bytes = program.value.evaluate(bound.symbols);
    out.workspaces.push_back({out.scalars.size(),
                              std::size_t(std::max<std::int64_t>(bytes, 0)),
                              workspace->zero});
  } else if (program.workspace >= 0) {
    out.callWorkspaces.push_back(
        {std::size_t(program.workspace), out.scalars.size(), std::nullopt});
  } else {
    value = pointerBits(program, arguments[program.param]);
  }
  out.scalars.push_back(value);
  out.slots.push_back(&out.scalars.back());
}

void LoadedKernel::packMap(const ArgProgram &program,
                           std::span<const Argument> arguments,
                           const BoundArguments &bound,
                           PackedLaunch &out) const {
  bool isWorkspace = program.workspace >= 0, isEmpty = false;
  std::uint64_t base = 0;
  if (!isWorkspace) {
    const Argument &given = arguments[program.param];
    isEmpty = given.kind() != Argument::Kind::Tensor;
    if (!isEmpty)
      base = reinterpret_cast<std::uint64_t>(given.tensor().data);
  }
  TensorMapKey key = mapKey(program, base, isEmpty, bound);
  std::string problem = explainTensorMapProblem(key);
  if (!problem.empty())
    throw Error(ErrorCode::InvalidArgument,
                isWorkspace
                    ? fmt::format("kernel {} workspace {} {}", meta.name,
                                  meta.workspaces[program.workspace].name,
                                  problem)
                    : fmt::format("kernel {} input {} {}", meta.name,
                                  meta.params[program.param].name, problem));
  // The map of a workspace is encoded when its memory is there.
  if (isWorkspace && !isEmpty) {
    out.callWorkspaces.push_back(
        {std::size_t(program.workspace), out.maps.size(), key});
    out.maps.emplace_back();
  } else {
    encodeTensorMap(key, out.maps.emplace_back());
  }
  out.slots.push_back(&out.maps.back());
}

TensorMapKey LoadedKernel::mapKey(const ArgProgram &program, std::uint64_t base,
                                  bool &isEmpty,
                                  const BoundArguments &bound) const {
  const auto &info = std::get<TensorMapArg>(*program.arg);
  TensorMapKey key;
  key.rank = static_cast<std::uint32_t>(info.globalDims.size());
  key.dtype = info.dtype;
  key.swizzle = info.swizzle;
  key.l2Promotion = info.l2Promotion;
  for (unsigned i = 0; i < key.rank; ++i) {
    key.dims[i] = program.dims[i].evaluate(bound.symbols);
    isEmpty |= key.dims[i] == 0;
    key.box[i] = info.box[i];
    key.elementStrides[i] = info.elementStrides[i];
    if (i + 1 < key.rank)
      key.stridesBytes[i] = program.strides[i].evaluate(bound.symbols);
  }
  if (!isEmpty) {
    key.address = base + program.value.evaluate(bound.symbols);
    return key;
  }
  // The hardware has no descriptor of nothing: one element elsewhere instead.
  Access access =
      program.param < 0 ? Access::ReadWrite : meta.params[program.param].access;
  bool writable = access == Access::Write || access == Access::ReadWrite;
  key.address = standInAddress(bound.deviceId, writable);
  for (unsigned i = 0; i < key.rank; ++i) {
    key.dims[i] = 1;
    if (i + 1 < key.rank)
      key.stridesBytes[i] = 16;
  }
  return key;
}

std::vector<KernelResources> LoadedKernel::resources() const {
  std::vector<KernelResources> list;
  for (const LaunchInfo &launch : meta.launches) {
    auto found = std::ranges::find(meta.resources, launch.symbol,
                                   &KernelResources::symbol);
    KernelResources entry =
        found == meta.resources.end() ? KernelResources() : *found;
    entry.symbol = launch.symbol;
    if (!entry.dynamicSharedBytes)
      entry.dynamicSharedBytes = launch.sharedBytes;
    list.push_back(std::move(entry));
  }
  // A device where the kernel is loaded can tell the rest.
  std::lock_guard lock(mutex);
  if (devices.empty())
    return list;
  const auto &[ordinal, loaded] = *devices.begin();
  Device::get(ordinal).makeCurrent();
  for (std::size_t i = 0; i < list.size(); ++i)
    completeResources(loaded.functions[i], list[i]);
  return list;
}

} // namespace tlc::rt
