// A launch becomes rings and roles.
//
//   launch { copy A -> a {ring}; use a }
// becomes
//   ring; role consumer { wait; use view }
//         role producer { role load_ring { elect { acquire; copy; commit } } }
//
// or, without specialization, one role in which one thread issues the fills of
// later turns when a slot has been released, or all threads do by cp.async:
//
//   fill, group_commit for each of the first turns
//   loop { wait; use view; barrier; fill of a later turn; group_commit }
#include "compiler/conversion/Conversion.h"
#include "compiler/conversion/TileToWS/Buffers.h"
#include "compiler/conversion/TileToWS/Registers.h"
#include "compiler/conversion/TileToWS/Rings.h"
#include "compiler/conversion/TileToWS/SinkLoads.h"
#include "compiler/conversion/TileToWS/Slices.h"
#include "compiler/target/TargetInfo.h"

namespace tlc {
#define GEN_PASS_DEF_CONVERTTILETOWSPASS
#include "compiler/conversion/Conversion.h.inc"
} // namespace tlc

using namespace mlir;
using namespace tlc;

namespace {

constexpr int64_t kWarpgroup = 128;
/// Of the shared memory of a block, what rings deeper than asked for may fill:
/// more loads in flight crowd out the stores (evidence/golden/correct_h0.md,
/// rule 10).
constexpr double kDeepShare = 0.625;

class RoleBuilder {
public:
  RoleBuilder(tile::LaunchOp launch, const target::TargetInfo &target,
              bool deeperRings, bool producerPerRing)
      : launch(launch), target(target), builder(launch.getContext()),
        deeperRings(deeperRings), producerPerRing(producerPerRing),
        written(getWrittenGlobals(launch)) {}

  LogicalResult run() {
    collectRings();
    hoistSharedTiles();
    if (specialized && deeperRings)
      deepenRings();
    createRings();
    // The old body is cloned into the roles, then dropped.
    SmallVector<Operation *> body;
    for (Operation &op : launch.getBody().front())
      if (!isPlaced(&op))
        body.push_back(&op);
    if (specialized) {
      buildSpecialized(body);
    } else {
      ws::RoleOp role = createRole("block", 0, ceilWarps(), body);
      buildRunningAhead(role, rings, written);
    }
    for (Operation *op : llvm::reverse(body)) {
      op->dropAllUses();
      op->erase();
    }
    return success();
  }

private:
  int64_t ceilWarps() {
    return llvm::divideCeil(launch.getNumThreads(), kWarp);
  }

  void collectRings() {
    launch.walk([&](tile::CopyOp copy) {
      if (!copy.getRing())
        return;
      auto loop = copy->getParentOfType<tile::PipelinedOp>();
      specialized |= loop.getPlan() == tile::Plan::WarpSpecialized;
      for (RingSpec &spec : rings)
        if (spec.name == *copy.getRing())
          return spec.fills.push_back(copy);
      rings.push_back({copy.getRing()->str(),
                       static_cast<int64_t>(loop.getNumStages()),
                       {copy},
                       nullptr,
                       copy.getInst() == tile::CopyInst::CpAsync});
    });
  }

  static int64_t slotBytes(const RingSpec &spec) {
    int64_t bytes = 0;
    for (tile::CopyOp fill : spec.fills)
      bytes += getTileBytes(fill.getDst());
    return bytes;
  }

  static bool isStored(tile::AllocOp alloc) {
    return llvm::any_of(alloc->getUsers(), [&](Operation *user) {
      auto copy = dyn_cast<tile::CopyOp>(user);
      return copy && copy.getSrc() == alloc.getResult() &&
             copy.getInst() == tile::CopyInst::TmaStore;
    });
  }

  /// A slot more than asked for where there is room, the largest rings first:
  /// it decouples the producer from a consumer that holds one.
  void deepenRings() {
    // Tiles that only leave crowd nothing out.
    int64_t bytes = 0, leaving = kSharedReserve;
    launch.walk([&](tile::AllocOp alloc) {
      if (tile::isInSpace(alloc.getResult(), tile::Space::Shared))
        (isStored(alloc) ? leaving : bytes) += getTileBytes(alloc.getResult());
    });
    for (RingSpec &spec : rings)
      bytes += (spec.depth - 1) * slotBytes(spec);
    SmallVector<RingSpec *> order;
    for (RingSpec &spec : rings)
      order.push_back(&spec);
    // Rings are named apart, which breaks ties.
    llvm::sort(order, [](RingSpec *a, RingSpec *b) {
      return std::pair(-slotBytes(*a), a->name) <
             std::pair(-slotBytes(*b), b->name);
    });
    for (RingSpec *spec : order) {
      int64_t more = slotBytes(*spec);
      if (spec->depth < 2 ||
          bytes + more > kDeepShare * target.maxDynamicSharedBytes ||
          bytes + more + leaving > target.maxDynamicSharedBytes)
        continue;
      bytes += more;
      ++spec->depth;
      spec->deepened = true;
    }
  }

  bool isPlaced(Operation *op) {
    return isa<ws::RingOp>(op) ||
           (isa<tile::AllocOp>(op) &&
            tile::isInSpace(op->getResult(0), tile::Space::Shared));
  }

  void hoistSharedTiles() {
    SmallVector<tile::AllocOp> tiles;
    launch.walk([&](tile::AllocOp alloc) {
      if (isPlaced(alloc))
        tiles.push_back(alloc);
    });
    Block &block = launch.getBody().front();
    for (tile::AllocOp tile : llvm::reverse(tiles))
      tile->moveBefore(&block, block.begin());
    builder.setInsertionPointToStart(&block);
    for (tile::AllocOp tile : tiles)
      builder.setInsertionPointAfter(tile);
  }

  StringAttr reasonOf(const RingSpec &spec) {
    StringAttr why = tile::CopyOp(spec.fills.front()).getReasonAttr();
    if (!spec.deepened)
      return why;
    return builder.getStringAttr(
        (why ? why.getValue() : "") +
        "; one slot more than num_stages, since there is room");
  }

  void createRings() {
    for (RingSpec &spec : rings) {
      SmallVector<Value> members;
      for (tile::CopyOp fill : spec.fills)
        members.push_back(getMember(fill));
      auto ring = ws::RingOp::create(
          builder, spec.fills.front().getLoc(),
          builder.getStringAttr(spec.name),
          builder.getI64IntegerAttr(spec.depth), members,
          spec.inGroups ? builder.getUnitAttr() : UnitAttr(), reasonOf(spec));
      spec.ring = ring.getRing();
    }
  }

  /// The tile that a fill writes; a tile that other turns use too gets slots of
  /// its own in this ring.
  Value getMember(tile::CopyOp fill) {
    Value tile = fill.getDst();
    auto isInside = [&](Operation *op) {
      return getAncestorIn(fill->getBlock(), op) != nullptr;
    };
    if (llvm::all_of(getAccesses(tile), isInside))
      return tile;
    Value own = builder.clone(*tile.getDefiningOp())->getResult(0);
    tile.replaceUsesWithIf(
        own, [&](OpOperand &use) { return isInside(use.getOwner()); });
    return own;
  }

  ws::RoleOp createEmptyRole(OpBuilder &b, StringRef name, int64_t first,
                             int64_t count, int64_t registers = 0) {
    auto role = ws::RoleOp::create(b, launch.getLoc(), b.getStringAttr(name),
                                   b.getDenseI64ArrayAttr({first, count}),
                                   b.getI64IntegerAttr(registers));
    role.getBody().emplaceBlock();
    return role;
  }

  void cloneInto(Block &block, ArrayRef<Operation *> body) {
    OpBuilder inner = OpBuilder::atBlockEnd(&block);
    IRMapping mapping;
    for (Operation *op : body)
      inner.clone(*op, mapping);
  }

  ws::RoleOp createRole(StringRef name, int64_t first, int64_t count,
                        ArrayRef<Operation *> body, int64_t registers = 0) {
    ws::RoleOp role = createEmptyRole(builder, name, first, count, registers);
    cloneInto(role.getBody().front(), body);
    return role;
  }

  //===--------------------------------------------------------------------===//
  // Specialised form
  //===--------------------------------------------------------------------===//

  void buildSpecialized(ArrayRef<Operation *> body) {
    int64_t warps = ceilWarps();
    // One issuing thread a ring: a wait on one ring never holds up another
    // (evidence/golden/correct_h0.md, rule 8).
    int64_t producers =
        producerPerRing ? std::min<int64_t>(rings.size(), 4) : 1;
    int64_t consumerRegisters = 0, producerRegisters = 0;
    chooseRegisters(warps, producers, consumerRegisters, producerRegisters);
    int64_t group = producerRegisters ? kWarpgroup / kWarp : producers;
    ws::RoleOp consumer =
        createRole("consumer", 0, warps, body, consumerRegisters);
    ws::RoleOp producer =
        createEmptyRole(builder, "producer", warps, group, producerRegisters);
    for (int64_t i = 0; i < producers; ++i)
      buildProducer(producer, warps + i, i, producers, body);
    consumeRings(rings, consumer);
    lowerPipelinedLoops(consumer);
  }

  /// setmaxnreg only if a consumer needs more registers than the launch gives
  /// (evidence/golden/gemm.md, rule 11); then roles are whole warpgroups.
  void chooseRegisters(int64_t warps, int64_t producers, int64_t &consumer,
                       int64_t &producer) {
    int64_t threads = warps * kWarp;
    if (estimateRegisters(countFragmentBits(launch), launch.getNumThreads()) <=
            target.launchRegisters(threads + producers * kWarp) ||
        threads % kWarpgroup != 0)
      return;
    auto split = target::splitRegisters(target, threads / kWarpgroup,
                                        /*producers=*/1);
    if (!split)
      return;
    consumer = split->front();
    producer = split->back();
  }

  void buildProducer(ws::RoleOp producer, int64_t warp, int64_t index,
                     int64_t stride, ArrayRef<Operation *> body) {
    OpBuilder b = OpBuilder::atBlockEnd(&producer.getBody().front());
    SmallVector<RingSpec *> mine;
    std::string name = "load";
    for (size_t i = index; i < rings.size(); i += stride) {
      mine.push_back(&rings[i]);
      name += "_" + rings[i].name;
    }
    ws::RoleOp role = createEmptyRole(b, name, warp, 1);
    b.setInsertionPointToEnd(&role.getBody().front());
    auto elect = ws::ElectOp::create(b, launch.getLoc());
    cloneInto(elect.getBody().emplaceBlock(), body);
    SmallVector<Operation *> targets;
    elect.walk([&](tile::CopyOp copy) {
      if (llvm::any_of(mine, [&](RingSpec *spec) {
            return copy.getRing() == spec->name;
          }))
        targets.push_back(copy);
    });
    eraseOutside(elect, computeSlice(targets, elect, written));
    askLate(elect);
    for (RingSpec *spec : mine)
      produceRing(*spec, elect);
    lowerPipelinedLoops(elect);
  }

  tile::LaunchOp launch;
  const target::TargetInfo &target;
  OpBuilder builder;
  bool deeperRings, producerPerRing;
  llvm::DenseSet<Value> written;
  SmallVector<RingSpec> rings;
  bool specialized = false;
};

struct ConvertTileToWSPass
    : tlc::impl::ConvertTileToWSPassBase<ConvertTileToWSPass> {
  using Base::Base;
  void runOnOperation() override {
    const target::TargetInfo *target = target::lookupTarget(arch);
    if (!target) {
      getOperation().emitError() << "unknown architecture '" << arch << "'";
      return signalPassFailure();
    }
    WalkResult result = getOperation().walk([&](tile::LaunchOp launch) {
      return failed(RoleBuilder(launch, *target, deeperRings, producerPerRing)
                        .run())
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
