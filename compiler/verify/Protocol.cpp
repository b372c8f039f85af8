// Rediscovers roles, barriers and rings of a finished launch.
#include "compiler/verify/Protocol.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::verify;

std::string tlc::verify::barrierName(Value barrier) {
  if (auto decl = barrier.getDefiningOp<sm::MBarrierOp>())
    return ("'" + decl.getName() + "'").str();
  return "an unknown barrier";
}

bool tlc::verify::isElected(Operation *op) {
  return op->getParentOfType<sm::ElectOp>() != nullptr;
}

int64_t tlc::verify::elementBytes(Type memref) {
  unsigned bits = cast<MemRefType>(memref).getElementTypeBitWidth();
  return std::max<int64_t>(8, bits) / 8;
}

int64_t LoadView::bytes() const {
  int64_t bytes = elementBytes(dst.getType());
  for (int64_t size : sizes)
    bytes *= size;
  return bytes;
}

LoadView tlc::verify::viewLoad(Operation *op) {
  if (auto load = dyn_cast<sm::TmaLoadOp>(op))
    return {op, load.getDst(), load.getBarrier(), load.getStage(),
            load.getSizes()};
  if (auto load = dyn_cast<sm::BulkLoadOp>(op))
    return {op, load.getDst(), load.getBarrier(), load.getStage(),
            load.getSizes()};
  return {};
}

sm::SharedOp tlc::verify::baseTile(Value buffer) {
  if (auto slot = buffer.getDefiningOp<sm::SlotOp>())
    buffer = slot.getBuffer();
  return buffer.getDefiningOp<sm::SharedOp>();
}

Ring *Protocol::ringOfTile(sm::SharedOp tile) const {
  for (const auto &ring : rings)
    if (llvm::is_contained(ring->members, tile))
      return ring.get();
  return nullptr;
}

Ring *Protocol::ringOfFull(Value barrier) const {
  for (const auto &ring : rings)
    if (ring->full == barrier)
      return ring.get();
  return nullptr;
}

Ring *Protocol::ringOfEmpty(Value barrier) const {
  for (const auto &ring : rings)
    if (ring->empty && ring->empty == barrier)
      return ring.get();
  return nullptr;
}

const RoleInfo *Protocol::roleOf(Operation *op) const {
  for (const RoleInfo &role : roles)
    if (role.op->isAncestor(op))
      return &role;
  return nullptr;
}

int64_t Protocol::threadsOf(Operation *op) const {
  if (isElected(op))
    return 1;
  const RoleInfo *role = roleOf(op);
  return role ? role->threads : static_cast<int64_t>(launch.getThreads());
}

namespace {

class Discovery {
public:
  Discovery(sm::LaunchOp launch, Reporter &reporter) : reporter(reporter) {
    protocol.launch = launch;
  }

  Protocol run() {
    protocol.launch.walk([&](sm::RoleOp role) { addRole(role); });
    if (protocol.roles.empty())
      protocol.roles.push_back(
          {protocol.launch, &protocol.launch.getBody().front(), "block", 0,
           static_cast<int64_t>(protocol.launch.getThreads())});
    protocol.launch.walk([&](Operation *op) { addBarrierOp(op); });
    protocol.launch.walk([&](tile::CopyOp copy) {
      if (sm::SharedOp tile = baseTile(copy.getDst());
          tile && copy.getInst() == tile::CopyInst::CpAsync)
        protocol.groupTiles.insert(tile.getResult());
    });
    for (auto &[barrier, info] : protocol.barriers)
      for (Operation *load : info.loads)
        addLoad(viewLoad(load));
    for (auto &ring : protocol.rings)
      nameRing(*ring);
    protocol.launch.walk([&](tile::EffectsOpInterface op) { addReader(op); });
    return std::move(protocol);
  }

private:
  void addRole(sm::RoleOp role) {
    if (!role.getBody().getOps<sm::RoleOp>().empty())
      return;
    int64_t first = role.getWarps()[0];
    int64_t threads = std::min<int64_t>(
        32 * role.getWarps()[1],
        static_cast<int64_t>(protocol.launch.getThreads()) - 32 * first);
    protocol.roles.push_back(
        {role, &role.getBody().front(), role.getName().str(), first, threads});
  }

  void addBarrierOp(Operation *op) {
    auto &barriers = protocol.barriers;
    if (auto decl = dyn_cast<sm::MBarrierOp>(op))
      barriers[decl.getResult()].decl = decl;
    else if (auto init = dyn_cast<sm::MBarrierInitOp>(op))
      barriers[init.getBarrier()].inits.push_back(init);
    else if (auto wait = dyn_cast<sm::MBarrierWaitOp>(op))
      barriers[wait.getBarrier()].waits.push_back(wait);
    else if (auto arrive = dyn_cast<sm::MBarrierArriveOp>(op))
      barriers[arrive.getBarrier()].arrives.push_back(arrive);
    else if (auto expect = dyn_cast<sm::MBarrierArriveExpectTxOp>(op))
      barriers[expect.getBarrier()].expects.push_back(expect);
    else if (LoadView load = viewLoad(op))
      barriers[load.barrier].loads.push_back(op);
  }

  /// Two stage values of the same slot as far as one can see without counting.
  static bool sameStage(Value a, Value b) {
    if (a == b)
      return true;
    auto x = a.getDefiningOp<sm::CounterStageOp>();
    auto y = b.getDefiningOp<sm::CounterStageOp>();
    return x && y && x.getCounter() == y.getCounter();
  }

  /// The wait that lets the copy run: the nearest before it, in its block or
  /// around it, at the same stage.
  static Value findEmpty(const LoadView &load) {
    for (Operation *at = load.op; at && !isa<sm::LaunchOp>(at);
         at = at->getParentOp())
      for (Operation *op = at->getPrevNode(); op; op = op->getPrevNode())
        if (auto wait = dyn_cast<sm::MBarrierWaitOp>(op))
          if (sameStage(wait.getStage(), load.stage) &&
              wait.getBarrier() != load.barrier)
            return wait.getBarrier();
    return {};
  }

  void addLoad(const LoadView &load) {
    Value base = load.dst;
    if (auto slot = base.getDefiningOp<sm::SlotOp>())
      base = slot.getBuffer();
    auto tile = base.getDefiningOp<sm::SharedOp>();
    if (!tile)
      return reporter.notProved(load.op, "the copy fills an unknown tile");
    Ring *ring = protocol.ringOfFull(load.barrier);
    if (!ring) {
      protocol.rings.push_back(std::make_unique<Ring>());
      ring = protocol.rings.back().get();
      ring->full = load.barrier;
    }
    if (Ring *other = protocol.ringOfTile(tile); other && other != ring)
      reporter.error(load.op, "'" + tile.getName() +
                                  "' is filled on two barriers, " +
                                  barrierName(other->full) + " and " +
                                  barrierName(ring->full));
    if (!llvm::is_contained(ring->members, tile))
      ring->members.push_back(tile);
    setEmpty(*ring, load, findEmpty(load));
  }

  void setEmpty(Ring &ring, const LoadView &load, Value empty) {
    if (!empty)
      return;
    if (ring.empty && ring.empty != empty)
      reporter.error(load.op, "this copy waits for " + barrierName(empty) +
                                  ", other copies on " +
                                  barrierName(ring.full) + " wait for " +
                                  barrierName(ring.empty));
    ring.empty = empty;
  }

  void addReader(tile::EffectsOpInterface op) {
    SmallVector<tile::Effect> effects;
    op.getTileEffects(effects);
    for (const tile::Effect &effect : effects) {
      if (effect.proxy == tile::Proxy::Generic ||
          effect.kind != tile::AccessKind::Read)
        continue;
      Value base = effect.buffer;
      if (auto slot = base.getDefiningOp<sm::SlotOp>())
        base = slot.getBuffer();
      if (auto tile = base.getDefiningOp<sm::SharedOp>())
        if (Ring *ring = protocol.ringOfTile(tile))
          ring->hasAsyncReader = true;
    }
  }

  static void nameRing(Ring &ring) {
    llvm::raw_string_ostream os(ring.text);
    llvm::interleaveComma(ring.members, os, [&](sm::SharedOp tile) {
      os << "'" << tile.getName() << "'";
    });
  }

  Protocol protocol;
  Reporter &reporter;
};

} // namespace

Protocol tlc::verify::discoverProtocol(sm::LaunchOp launch,
                                       Reporter &reporter) {
  return Discovery(launch, reporter).run();
}
