// Shared memory of a launch: tiles, slots of rings, and their barriers with
// arrival counts and expected bytes.
#include "compiler/conversion/WSToSM/WSToSM.h"

#include "compiler/analysis/SharedKinds.h"
#include "compiler/analysis/SharedMemoryPlan.h"
#include "compiler/conversion/TileToWS/Buffers.h"
#include "compiler/conversion/TileToWS/Tokens.h"
#include "compiler/transforms/UserText.h"

using namespace mlir;
using namespace tlc;
using analysis::SharedLayout;
using analysis::SharedRequest;

/// An mbarrier is 8 bytes (PTX ISA, mbarrier).
constexpr int64_t kBarrierBytes = 8;

static std::string describeShape(MemRefType type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(type.getShape(), os, "x");
  return text;
}

static int64_t getElementBits(MemRefType type) {
  return std::max<int64_t>(8, type.getElementTypeBitWidth());
}

static SharedRequest requestTile(tile::AllocOp alloc, int64_t stages,
                                 const target::TargetInfo &target) {
  MemRefType type = alloc.getResult().getType();
  SharedLayout layout(analysis::sharedKindOf(alloc.getSwizzle()),
                      type.getShape(), getElementBits(type),
                      analysis::tileOrderOf(alloc.getOrderAttr()));
  return {alloc.getName().str(),
          layout.sizeBytes(),
          stages,
          std::max(layout.alignment(), target.tma.sharedAlignment),
          alloc.getLoc(),
          describeShape(type),
          tile::dtypeName(type.getElementType())};
}

namespace {

/// Collects requests, has them placed, and makes the ops.
class SharedPlanner {
public:
  SharedPlanner(tile::LaunchOp launch, const target::TargetInfo &target,
                OpBuilder &builder)
      : launch(launch), target(target), builder(builder) {}

  FailureOr<SharedMemory> run() {
    for (auto ring : launch.getBody().getOps<ws::RingOp>()) {
      for (Value member : ring.getMembers())
        addTile(member.getDefiningOp<tile::AllocOp>(), ring.getDepth());
      if (!ring.getGroups())
        addBarriers(ring);
    }
    for (auto alloc : launch.getBody().getOps<tile::AllocOp>())
      if (!index.contains(alloc.getResult()) && !alloc->use_empty())
        addTile(alloc, 1);
    auto placed = analysis::planSharedMemory(
        requests, target, [&] { return launch.emitError(); });
    if (failed(placed))
      return failure();
    plan = *placed;
    return createOps();
  }

private:
  void addTile(tile::AllocOp alloc, int64_t stages) {
    index[alloc.getResult()] = requests.size();
    requests.push_back(requestTile(alloc, stages, target));
  }

  void addBarriers(ws::RingOp ring) {
    barrierIndex[ring.getRing()] = requests.size();
    requests.push_back({ring.getName().str() + " barriers", kBarrierBytes,
                        2 * static_cast<int64_t>(ring.getDepth()),
                        kBarrierBytes, ring.getLoc(), "", ""});
  }

  SharedMemory createOps() {
    SharedMemory shared;
    shared.totalBytes = plan.totalBytes;
    for (auto &[tile, i] : index)
      if (!isMember(tile))
        shared.tiles[tile] = createTile(tile, i);
    for (auto ring : launch.getBody().getOps<ws::RingOp>())
      shared.rings[ring.getRing()] = createRing(ring);
    return shared;
  }

  static bool isMember(Value tile) {
    return llvm::any_of(tile.getUsers(), llvm::IsaPred<ws::RingOp>);
  }

  Value createTile(Value tile, size_t i) {
    auto alloc = tile.getDefiningOp<tile::AllocOp>();
    return sm::SharedOp::create(builder, alloc.getLoc(), tile.getType(),
                                alloc.getName(), plan.offsets[i],
                                requests[i].stages, plan.slotStride[i],
                                alloc.getSwizzleAttr(), alloc.getOrderAttr());
  }

  LoweredRing createRing(ws::RingOp ring) {
    LoweredRing lowered;
    lowered.ring = ring;
    for (Value member : ring.getMembers()) {
      lowered.members.push_back(createTile(member, index[member]));
      auto type = cast<MemRefType>(member.getType());
      lowered.bytes += type.getNumElements() * getElementBits(type) / 8;
    }
    if (ring.getGroups())
      return lowered;
    lowered.perWarp = llvm::none_of(getWaits(ring), hasGenericAccess);
    int64_t offset = plan.offsets[barrierIndex[ring.getRing()]];
    lowered.full = createBarrier(ring, "_full", offset, 1);
    lowered.empty =
        createBarrier(ring, "_empty", offset + kBarrierBytes * ring.getDepth(),
                      countArrivals(ring, lowered.perWarp));
    return lowered;
  }

  static SmallVector<ws::WaitOp> getWaits(ws::RingOp ring) {
    SmallVector<ws::WaitOp> waits;
    for (Operation *user : ring.getRing().getUsers())
      if (auto wait = dyn_cast<ws::WaitOp>(user))
        waits.push_back(wait);
    return waits;
  }

  Value createBarrier(ws::RingOp ring, StringRef suffix, int64_t offset,
                      int64_t count) {
    return sm::MBarrierOp::create(
        builder, ring.getLoc(), sm::MBarrierType::get(builder.getContext()),
        (ring.getName() + suffix).str(), offset, ring.getDepth(), count);
  }

  /// Arrivals of one phase of the empty barrier: every thread, or every warp,
  /// of the role that releases.
  int64_t countArrivals(ws::RingOp ring, bool perWarp) {
    for (ws::WaitOp wait : getWaits(ring)) {
      int64_t threads = getRoleThreads(wait);
      return perWarp ? threads / target.warpSize : threads;
    }
    return 1;
  }

  tile::LaunchOp launch;
  const target::TargetInfo &target;
  OpBuilder &builder;
  SmallVector<SharedRequest> requests;
  llvm::MapVector<Value, size_t> index;
  llvm::DenseMap<Value, size_t> barrierIndex;
  analysis::SharedPlan plan;
};

} // namespace

FailureOr<SharedMemory> tlc::planShared(tile::LaunchOp launch,
                                        const target::TargetInfo &target,
                                        OpBuilder &builder) {
  return SharedPlanner(launch, target, builder).run();
}
