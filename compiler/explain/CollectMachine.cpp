// Adds what `sm` says: threads, barriers with counts and bytes, shared memory.
#include "compiler/explain/Collect.h"

#include "dialects/sm/Sm.h"

using namespace mlir;

namespace tlc::explain {

namespace {

/// One launch of an `sm` program, whose `ws` form filled `launch` already.
class MachineCollector {
public:
  MachineCollector(sm::LaunchOp op, Launch &launch) : op(op), launch(launch) {}

  void run(const target::TargetInfo &target) {
    launch.lowered = true;
    launch.threads = op.getThreads();
    launch.registerLimit = target.launchRegisters(launch.threads);
    launch.sharedBytes = op.getSharedBytes();
    launch.sharedLimit = target.maxDynamicSharedBytes;
    for (auto tile : op.getBody().getOps<sm::SharedOp>())
      launch.shared.push_back({tile.getName().str(),
                               static_cast<int64_t>(tile.getOffset()),
                               static_cast<int64_t>(tile.getSlotBytes()),
                               static_cast<int64_t>(tile.getStages()), false});
    for (auto barrier : op.getBody().getOps<sm::MBarrierOp>())
      addBarrier(barrier);
    // Regions do not overlap: offsets differ.
    llvm::sort(launch.shared, [](const Region &a, const Region &b) {
      return a.offset < b.offset;
    });
    op.walk([&](sm::BarSyncOp barrier) { addNamedBarrier(barrier); });
    op.walk([&](sm::RoleOp role) { nameBarriers(role); });
  }

private:
  /// An mbarrier is 8 bytes (PTX ISA, mbarrier).
  static constexpr int64_t kBarrierBytes = 8;

  static std::string roleOf(Operation *user) {
    auto role = user->getParentOfType<sm::RoleOp>();
    return role ? role.getName().str() : "";
  }

  void addBarrier(sm::MBarrierOp barrier) {
    Mbarrier model;
    model.name = barrier.getName().str();
    model.offset = barrier.getOffset();
    model.stages = barrier.getStages();
    model.count = barrier.getCount();
    for (Operation *user : barrier->getUsers()) {
      if (auto expect = dyn_cast<sm::MBarrierArriveExpectTxOp>(user)) {
        model.bytes = expect.getBytes();
        model.arrivedBy = roleOf(user);
      }
      if (auto arrive = dyn_cast<sm::MBarrierArriveOp>(user)) {
        model.perWarp = arrive.getPerWarp();
        model.arrivedBy = roleOf(user);
      }
    }
    launch.shared.push_back(
        {model.name, model.offset, kBarrierBytes, model.stages, true});
    for (Ring &ring : launch.rings) {
      if (model.name == ring.name + "_full")
        ring.full = model;
      if (model.name == ring.name + "_empty")
        ring.empty = model;
    }
  }

  void addNamedBarrier(sm::BarSyncOp barrier) {
    int64_t id = barrier.getId(), threads = barrier.getThreads();
    for (NamedBarrier &known : launch.namedBarriers)
      if (known.id == id && known.threads == threads) {
        ++known.places;
        return;
      }
    launch.namedBarriers.push_back({id, threads, 1});
  }

  /// The barriers of a role are lowered one by one, in their order.
  void nameBarriers(sm::RoleOp op) {
    SmallVector<sm::BarSyncOp> lowered;
    op.walk([&](sm::BarSyncOp barrier) {
      if (barrier->getParentOfType<sm::RoleOp>() == op)
        lowered.push_back(barrier);
    });
    for (Role &role : launch.roles) {
      if (role.name != op.getName())
        continue;
      SmallVector<Action *> barriers;
      for (Action &action : role.actions)
        if (action.kind == ActionKind::Barrier)
          barriers.push_back(&action);
      if (barriers.size() != lowered.size())
        return;
      for (auto [action, barrier] : llvm::zip(barriers, lowered))
        action->instruction =
            ("bar.sync " + Twine(static_cast<int64_t>(barrier.getId())) + ", " +
             Twine(static_cast<int64_t>(barrier.getThreads())))
                .str();
    }
  }

  sm::LaunchOp op;
  Launch &launch;
};

} // namespace

void collectMachine(ModuleOp module, const target::TargetInfo &target,
                    Explanation &result) {
  for (auto [op, kernel] :
       llvm::zip(module.getOps<tile::KernelOp>(), result.kernels))
    for (auto [launchOp, launch] :
         llvm::zip(op.getBody().getOps<sm::LaunchOp>(), kernel.launches))
      MachineCollector(launchOp, launch).run(target);
}

} // namespace tlc::explain
