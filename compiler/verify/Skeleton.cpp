// Reduces a role to what its barriers depend on.
#include "compiler/verify/Execution.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::verify;

namespace {

class SkeletonBuilder {
public:
  SkeletonBuilder(const Protocol &protocol, const RoleInfo &role)
      : protocol(protocol), role(role) {
    sm::LaunchOp launch = protocol.launch;
    launch.walk([&](tile::EffectsOpInterface op) {
      SmallVector<tile::Effect> effects;
      op.getTileEffects(effects);
      for (const tile::Effect &effect : effects)
        if (effect.kind == tile::AccessKind::Write)
          written.insert(effect.buffer);
    });
  }

  std::vector<Node> build(Block &block) {
    std::vector<Node> nodes;
    for (Operation &op : block)
      append(nodes, &op);
    return nodes;
  }

private:
  void append(std::vector<Node> &nodes, Operation *op) {
    auto add = [&](Node::Kind kind, bool shared = false) {
      Node node{kind, op, {}, {}};
      node.isShared = shared;
      nodes.push_back(std::move(node));
    };
    TypeSwitch<Operation *>(op)
        .Case([&](sm::MBarrierWaitOp) { add(Node::Wait, true); })
        .Case([&](sm::MBarrierArriveOp) { add(Node::Arrive, true); })
        .Case([&](sm::MBarrierArriveExpectTxOp) { add(Node::Expect, true); })
        .Case<sm::TmaLoadOp, sm::BulkLoadOp>(
            [&](auto) { add(Node::Load, true); })
        .Case([&](sm::BarSyncOp bar) { add(Node::Bar, !isOwn(bar)); })
        .Case([&](sm::CounterOp) { add(Node::Counter); })
        .Case([&](sm::CounterStageOp) { add(Node::Stage); })
        .Case([&](sm::CounterPhaseOp) { add(Node::Phase); })
        .Case([&](sm::CounterAdvanceOp) { add(Node::Advance); })
        .Case([&](tile::LoadOp load) { addLoad(nodes, load); })
        .Case([&](tile::StoreOp store) {
          if (tile::isInSpace(store.getBuffer(), tile::Space::Local) &&
              store.getValue().getType().isIntOrIndex())
            add(Node::WriteLocal);
        })
        .Case<scf::ForOp, scf::WhileOp, scf::IfOp, sm::ElectOp>(
            [&](auto x) { addRegion(nodes, x); });
    if (std::optional<Node::Kind> kind = groupKind(op))
      add(*kind, /*shared=*/true);
  }

  /// What matters to slots that are filled by cp.async, if there are any.
  std::optional<Node::Kind> groupKind(Operation *op) const {
    if (protocol.groupTiles.empty())
      return std::nullopt;
    return TypeSwitch<Operation *, std::optional<Node::Kind>>(op)
        .Case([](sm::CpAsyncCommitOp) { return Node::GroupCommit; })
        .Case([](sm::CpAsyncWaitOp) { return Node::GroupWait; })
        .Case<sm::FenceProxyAsyncOp, tile::FenceProxyAsyncOp>(
            [](auto) { return Node::Fence; })
        .Case([](sm::WgmmaOp) { return Node::Product; })
        .Case([](sm::WgmmaCommitOp) { return Node::ProductCommit; })
        .Case([](sm::WgmmaWaitOp) { return Node::ProductWait; })
        .Case<scf::ForOp, scf::WhileOp, scf::IfOp, sm::ElectOp>(
            [](auto) { return std::nullopt; })
        .Default([&](Operation *other) -> std::optional<Node::Kind> {
          bool touches = false;
          other->walk([&](tile::EffectsOpInterface inner) {
            SmallVector<tile::Effect> effects;
            inner.getTileEffects(effects);
            for (const tile::Effect &effect : effects)
              if (sm::SharedOp tile = baseTile(effect.buffer))
                touches |= protocol.isFilledInGroups(tile);
          });
          if (touches)
            return Node::Touch;
          return std::nullopt;
        });
  }

  /// A barrier of all threads of the role and no others.
  bool isOwn(sm::BarSyncOp bar) const {
    return static_cast<int64_t>(bar.getThreads()) ==
               static_cast<int64_t>(llvm::alignTo(role.threads, 32)) &&
           !isElected(bar);
  }

  /// Inputs are the same everywhere and are evaluated where they are needed;
  /// other memory is read when the program reads it.
  void addLoad(std::vector<Node> &nodes, tile::LoadOp load) {
    if (!load.getResult().getType().isIntOrIndex())
      return;
    if (tile::isInSpace(load.getBuffer(), tile::Space::Local))
      nodes.push_back({Node::ReadLocal, load, {}, {}});
    else if (!tile::isInSpace(load.getBuffer(), tile::Space::Global) ||
             written.contains(load.getBuffer()))
      nodes.push_back({Node::Unknown, load, {}, {}});
  }

  void addRegion(std::vector<Node> &nodes, Operation *op) {
    Node node{Node::If, op, {}, {}};
    if (isa<scf::ForOp>(op))
      node.kind = Node::For;
    else if (isa<scf::WhileOp>(op))
      node.kind = Node::While;
    else if (isa<sm::ElectOp>(op))
      node.kind = Node::Elect;
    auto build = [&](Region &region) {
      return region.empty() ? std::vector<Node>() : this->build(region.front());
    };
    node.body = build(op->getRegion(0));
    if (op->getNumRegions() > 1)
      node.other = build(op->getRegion(1));
    auto isShared = [](const Node &inner) { return inner.isShared; };
    node.isShared =
        llvm::any_of(node.body, isShared) || llvm::any_of(node.other, isShared);
    if (node.body.empty() && node.other.empty() && op->getNumResults() == 0 &&
        !isa<scf::WhileOp>(op))
      return;
    nodes.push_back(std::move(node));
  }

  const Protocol &protocol;
  const RoleInfo &role;
  llvm::DenseSet<Value> written;
};

} // namespace

std::vector<Node> tlc::verify::buildSkeleton(const Protocol &protocol,
                                             const RoleInfo &role) {
  return SkeletonBuilder(protocol, role).build(*role.body);
}
