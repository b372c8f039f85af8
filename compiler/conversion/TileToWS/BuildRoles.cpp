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

/// Registers that a thread needs besides its fragments: addresses, loop state
/// and temporaries (performance.md 2.2).
constexpr int64_t kBaseRegisters = 40;
constexpr int64_t kWarp = 32;
constexpr int64_t kWarpgroup = 128;
/// Of the shared memory of a block, what rings deeper than asked for may fill:
/// more loads in flight crowd out the stores (evidence/golden/correct_h0.md,
/// rule 10).
constexpr double kDeepShare = 0.625;

/// Barriers and what tiles are aligned to.
constexpr int64_t kSharedReserve = 2048;

/// A ring to be: its fills, all in one block, in order.
struct RingSpec {
  std::string name;
  int64_t depth;
  SmallVector<tile::CopyOp> fills;
  Value ring;
  bool inGroups = false; ///< all threads fill it, by cp.async
  bool deepened = false; ///< one slot more than num_stages
};

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
      buildPrefetching(role);
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

  static int64_t bytesOf(Value tile) {
    auto type = cast<MemRefType>(tile.getType());
    return type.getNumElements() * std::max(8u, type.getElementTypeBitWidth()) /
           8;
  }

  static int64_t slotBytes(const RingSpec &spec) {
    int64_t bytes = 0;
    for (tile::CopyOp fill : spec.fills)
      bytes += bytesOf(fill.getDst());
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
        (isStored(alloc) ? leaving : bytes) += bytesOf(alloc.getResult());
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
    consumeRings(consumer);
    lowerLoops(consumer);
  }

  /// setmaxnreg only if a consumer needs more registers than the launch gives
  /// (evidence/golden/gemm.md, rule 11); then roles are whole warpgroups.
  void chooseRegisters(int64_t warps, int64_t producers, int64_t &consumer,
                       int64_t &producer) {
    int64_t threads = warps * kWarp;
    if (estimateRegisters() <=
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

  int64_t estimateRegisters() {
    int64_t bits = 0;
    launch.walk([&](tile::AllocOp alloc) {
      auto type = alloc.getResult().getType();
      if (tile::isInSpace(type, tile::Space::Fragment))
        bits += type.getNumElements() * type.getElementTypeBitWidth();
    });
    return bits / 32 / launch.getNumThreads() + kBaseRegisters;
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
    lowerLoops(elect);
  }

  /// acquire before the first fill of the block, commit after the last.
  void produceRing(RingSpec &spec, Operation *scope) {
    llvm::MapVector<Block *, SmallVector<tile::CopyOp>> spans;
    scope->walk([&](tile::CopyOp copy) {
      if (copy.getRing() == spec.name)
        spans[copy->getBlock()].push_back(copy);
    });
    for (auto &[block, fills] : spans)
      acquireAround(spec, fills);
  }

  void acquireAround(RingSpec &spec, ArrayRef<tile::CopyOp> fills) {
    OpBuilder b(fills.front());
    auto ring = spec.ring.getDefiningOp<ws::RingOp>();
    auto acquire =
        ws::AcquireOp::create(b, tile::CopyOp(fills.front()).getLoc(),
                              ws::WriteTokenType::get(b.getContext()),
                              ring.getMembers().getTypes(), spec.ring);
    // The fills follow the acquire directly: their addresses come first.
    Operation *last = acquire;
    for (tile::CopyOp fill : fills) {
      for (auto [member, view] :
           llvm::zip(ring.getMembers(), acquire.getViews()))
        if (fill.getDst() == member)
          fill.getDstMutable().assign(view);
      last = fill;
    }
    b.setInsertionPointAfter(last);
    ws::CommitOp::create(b, last->getLoc(), acquire.getToken());
  }

  /// In the consumer: a wait before the first use takes the place of the fills.
  void consumeRings(ws::RoleOp role) {
    for (RingSpec &spec : rings) {
      llvm::MapVector<Block *, SmallVector<tile::CopyOp>> spans;
      role.walk([&](tile::CopyOp copy) {
        if (copy.getRing() == spec.name)
          spans[copy->getBlock()].push_back(copy);
      });
      for (auto &[block, fills] : spans)
        waitInsteadOf(spec, block, fills);
    }
  }

  ws::WaitOp waitInsteadOf(RingSpec &spec, Block *block,
                           ArrayRef<tile::CopyOp> fills) {
    auto ring = spec.ring.getDefiningOp<ws::RingOp>();
    Operation *place = fills.back()->getNextNode();
    Operation *first = nullptr;
    for (Value member : ring.getMembers())
      for (Operation *access : getAccesses(member)) {
        Operation *use = getAncestorIn(block, access);
        if (use && !llvm::is_contained(fills, use) &&
            (!first || use->isBeforeInBlock(first)))
          first = use;
      }
    OpBuilder b(block, first ? Block::iterator(first)
                             : (place ? Block::iterator(place) : block->end()));
    auto wait = ws::WaitOp::create(b, tile::CopyOp(fills.front()).getLoc(),
                                   ws::ReadTokenType::get(b.getContext()),
                                   ring.getMembers().getTypes(), spec.ring);
    for (auto [member, view] : llvm::zip(ring.getMembers(), wait.getViews()))
      Value(member).replaceUsesWithIf(view, [&](OpOperand &use) {
        Operation *user = getAncestorIn(block, use.getOwner());
        return user && wait->isBeforeInBlock(user);
      });
    for (tile::CopyOp fill : fills)
      fill.erase();
    return wait;
  }

  //===--------------------------------------------------------------------===//
  // One role that runs ahead
  //===--------------------------------------------------------------------===//

  void buildPrefetching(ws::RoleOp role) {
    SmallVector<tile::PipelinedOp> loops;
    role.walk([&](tile::PipelinedOp loop) {
      if (loop.getPlan() == tile::Plan::Pipelined)
        loops.push_back(loop);
    });
    for (tile::PipelinedOp loop : loops) {
      SmallVector<Operation *> body =
          llvm::to_vector(llvm::make_pointer_range(loop.getBody().front()));
      prefetch(loop);
      prefetchInGroups(loop, body);
    }
    consumeRings(role);
    lowerLoops(role);
  }

  /// Before the loop the first `depth` turns are filled; at the end of a turn,
  /// when its slots have been released, the turn `depth` later is.
  void prefetch(tile::PipelinedOp loop) {
    OpBuilder b(loop);
    Location loc = loop.getLoc();
    for (RingSpec &spec : rings) {
      if (spec.inGroups || !isFilledIn(loop, spec))
        continue;
      b.setInsertionPoint(loop);
      Value depth =
          arith::ConstantIntOp::create(b, loc, spec.depth, /*width=*/32);
      Value one = arith::ConstantIntOp::create(b, loc, 1, /*width=*/32);
      Value ahead = arith::AddIOp::create(b, loc, loop.getLower(), depth);
      Value end = arith::MinSIOp::create(b, loc, ahead, loop.getUpper());
      auto fillLoop = scf::ForOp::create(b, loc, loop.getLower(), end, one);
      OpBuilder inner = OpBuilder::atBlockBegin(fillLoop.getBody());
      cloneFills(inner, loop, fillLoop.getInductionVar(), spec);
      inner = OpBuilder::atBlockEnd(&loop.getBody().front());
      Value turn = arith::AddIOp::create(
          inner, loc, loop.getBody().front().getArgument(0), depth);
      Value more = arith::CmpIOp::create(inner, loc, arith::CmpIPredicate::slt,
                                         turn, loop.getUpper());
      auto guard = scf::IfOp::create(inner, loc, more, /*withElse=*/false);
      inner.setInsertionPointToStart(guard.thenBlock());
      cloneFills(inner, loop, turn, spec);
    }
  }

  /// One thread runs the slice of the fills of a ring for turn `turn`.
  void cloneFills(OpBuilder &b, tile::PipelinedOp loop, Value turn,
                  RingSpec &spec) {
    auto elect = ws::ElectOp::create(b, loop.getLoc());
    SmallVector<Operation *> body;
    for (Operation &op : loop.getBody().front())
      if (!isa<ws::ElectOp>(op) && !isPrefetchGuard(&op))
        body.push_back(&op);
    cloneSlice(elect, loop, body, turn, spec);
  }

  /// Fills `elect` with what the fills of a ring need of `body`.
  void cloneSlice(ws::ElectOp elect, tile::PipelinedOp loop,
                  ArrayRef<Operation *> body, Value turn, RingSpec &spec) {
    OpBuilder inner = OpBuilder::atBlockEnd(&elect.getBody().emplaceBlock());
    IRMapping mapping;
    mapping.map(loop.getBody().front().getArgument(0), turn);
    for (Operation *op : body)
      inner.clone(*op, mapping);
    SmallVector<Operation *> targets;
    elect.walk([&](tile::CopyOp copy) {
      if (copy.getRing() == spec.name)
        targets.push_back(copy);
    });
    eraseOutside(elect, computeSlice(targets, elect, written));
    produceRing(spec, elect);
    elect.walk([&](tile::CopyOp copy) { copy.removeRingAttr(); });
  }

  static bool isFilledIn(tile::PipelinedOp loop, const RingSpec &spec) {
    bool found = false;
    loop.walk([&](tile::CopyOp copy) { found |= copy.getRing() == spec.name; });
    return found;
  }

  /// The same with all threads, whose copies are complete in groups, one a ring
  /// and turn: those of a turn come in the order of the rings.
  void prefetchInGroups(tile::PipelinedOp loop, ArrayRef<Operation *> body) {
    SmallVector<RingSpec *> mine;
    for (RingSpec &spec : rings)
      if (spec.inGroups && isFilledIn(loop, spec))
        mine.push_back(&spec);
    if (mine.empty())
      return;
    OpBuilder b(loop);
    Location loc = loop.getLoc();
    Value depth =
        arith::ConstantIntOp::create(b, loc, mine.front()->depth, /*width=*/32);
    Value one = arith::ConstantIntOp::create(b, loc, 1, /*width=*/32);
    Value ahead = arith::AddIOp::create(b, loc, loop.getLower(), depth);
    auto first = scf::ForOp::create(b, loc, loop.getLower(), ahead, one);
    OpBuilder inner = OpBuilder::atBlockBegin(first.getBody());
    fillInGroups(inner, loop, body, first.getInductionVar(), mine);
    inner = OpBuilder::atBlockEnd(&loop.getBody().front());
    ws::BarrierOp::create(
        inner, loc,
        inner.getStringAttr("all threads have released the slots that are "
                            "refilled now"),
        /*source=*/false);
    Value turn = arith::AddIOp::create(
        inner, loc, loop.getBody().front().getArgument(0), depth);
    fillInGroups(inner, loop, body, turn, mine);
  }

  /// Fills of one turn, if there is such a turn; their groups are closed in any
  /// case.
  void fillInGroups(OpBuilder &b, tile::PipelinedOp loop,
                    ArrayRef<Operation *> body, Value turn,
                    ArrayRef<RingSpec *> mine) {
    Location loc = loop.getLoc();
    Value more = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, turn,
                                       loop.getUpper());
    for (RingSpec *spec : mine) {
      auto guard = scf::IfOp::create(b, loc, more, /*withElse=*/false);
      OpBuilder inner = OpBuilder::atBlockBegin(guard.thenBlock());
      auto part = ws::ElectOp::create(inner, loc);
      cloneSlice(part, loop, body, turn, *spec);
      Block &block = part.getBody().front();
      guard.thenBlock()->getOperations().splice(Block::iterator(part),
                                                block.getOperations());
      part.erase();
      ws::GroupCommitOp::create(b, loc, spec->ring);
    }
  }

  static bool isPrefetchGuard(Operation *op) {
    auto guard = dyn_cast<scf::IfOp>(op);
    return guard && !guard.thenBlock()->empty() &&
           isa<ws::ElectOp>(guard.thenBlock()->front());
  }

  /// How the loop runs and why stays on it, for people.
  static void keepPlan(tile::PipelinedOp loop, scf::ForOp plain) {
    if (!loop.getPlan())
      return;
    plain->setDiscardableAttr("ws.plan", loop.getPlanAttr());
    plain->setDiscardableAttr("ws.stages", loop.getNumStagesAttr());
    if (StringAttr reason = loop.getReasonAttr())
      plain->setDiscardableAttr("ws.plan_reason", reason);
  }

  /// Every pipelined loop is a plain loop now.
  void lowerLoops(Operation *scope) {
    SmallVector<tile::PipelinedOp> loops;
    scope->walk([&](tile::PipelinedOp loop) { loops.push_back(loop); });
    for (tile::PipelinedOp loop : loops) {
      OpBuilder b(loop);
      Value one = arith::ConstantIntOp::create(b, loop.getLoc(), 1, 32);
      auto plain = scf::ForOp::create(b, loop.getLoc(), loop.getLower(),
                                      loop.getUpper(), one);
      keepPlan(loop, plain);
      Block &from = loop.getBody().front();
      plain.getInductionVar().setLoc(from.getArgument(0).getLoc());
      from.getArgument(0).replaceAllUsesWith(plain.getInductionVar());
      plain.getBody()->getOperations().splice(plain.getBody()->begin(),
                                              from.getOperations());
      loop.erase();
    }
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
