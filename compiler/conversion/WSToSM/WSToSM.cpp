// ws launch -> sm launch: shared memory, barrier initialisation, roles.
#include "compiler/conversion/WSToSM/WSToSM.h"

#include "compiler/conversion/TileToWS/Buffers.h"

namespace tlc {
#define GEN_PASS_DEF_CONVERTWSTOSMPASS
#include "compiler/conversion/Conversion.h.inc"
} // namespace tlc

using namespace mlir;
using namespace tlc;

/// Threads of the block: up to the last warp of a role.
static int64_t countThreads(tile::LaunchOp launch) {
  int64_t warps = 0;
  for (auto role : launch.getBody().getOps<ws::RoleOp>())
    warps = std::max(warps, role.getWarps()[0] + role.getWarps()[1]);
  bool single = llvm::hasSingleElement(launch.getBody().getOps<ws::RoleOp>());
  return single ? launch.getNumThreads() : warps * 32;
}

/// One thread initialises; the fence and the block barrier come before any use
/// (sync.md 2.3, E1).
static void initBarriers(const SharedMemory &shared, int64_t threads,
                         Location loc, OpBuilder &b) {
  if (llvm::none_of(shared.rings,
                    [](const auto &entry) { return entry.second.full; }))
    return;
  auto elect = sm::ElectOp::create(b, loc);
  OpBuilder inner = OpBuilder::atBlockEnd(&elect.getBody().emplaceBlock());
  for (const auto &[value, ring] : shared.rings) {
    LoweredRing lowered = ring;
    if (!lowered.full)
      continue;
    sm::MBarrierInitOp::create(inner, lowered.ring.getLoc(), lowered.full);
    sm::MBarrierInitOp::create(inner, lowered.ring.getLoc(), lowered.empty);
  }
  sm::FenceMBarrierInitOp::create(inner, loc);
  sm::BarSyncOp::create(b, loc, 0, llvm::alignTo(threads, 32));
}

static LogicalResult convertLaunch(tile::LaunchOp launch,
                                   const target::TargetInfo &target) {
  OpBuilder b(launch);
  int64_t threads = countThreads(launch);
  auto lowered = sm::LaunchOp::create(
      b, launch.getLoc(), launch.getGrid(), threads, launch.getThreads(),
      /*shared_bytes=*/0, launch.getSwizzle(), launch.getSwizzleColumn());
  Block &block = lowered.getBody().emplaceBlock();
  for (BlockArgument arg : launch.getBody().getArguments())
    arg.replaceAllUsesWith(block.addArgument(arg.getType(), arg.getLoc()));
  b.setInsertionPointToStart(&block);
  FailureOr<SharedMemory> shared = planShared(launch, target, b);
  if (failed(shared))
    return failure();
  lowered.setSharedBytes(shared->totalBytes);
  initBarriers(*shared, threads, launch.getLoc(), b);
  lowerRoles(launch, *shared, b);
  for (auto [tile, replacement] : shared->tiles)
    Value(tile).replaceAllUsesWith(replacement);
  launch.erase();
  return success();
}

namespace {
struct ConvertWSToSMPass : tlc::impl::ConvertWSToSMPassBase<ConvertWSToSMPass> {
  using Base::Base;
  void runOnOperation() override {
    const target::TargetInfo *target = target::lookupTarget(arch);
    if (!target) {
      getOperation().emitError() << "unknown architecture '" << arch << "'";
      return signalPassFailure();
    }
    SmallVector<tile::LaunchOp> launches;
    getOperation().walk(
        [&](tile::LaunchOp launch) { launches.push_back(launch); });
    for (tile::LaunchOp launch : launches)
      if (failed(convertLaunch(launch, *target)))
        return signalPassFailure();
  }
};
} // namespace
