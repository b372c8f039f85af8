// V10: roles and named barriers. Roles have warps of their own inside the
// block. Ids exist, a role does not use the block's barrier 0 or another
// role's, all its threads and no others take part, and no thread can miss an
// ordering action that the rest executes (PTX ISA, bar.sync).
#include "compiler/verify/Obligations.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::verify;

namespace {

class NamedBarrierChecker {
public:
  NamedBarrierChecker(const Protocol &protocol, Reporter &reporter)
      : protocol(protocol), reporter(reporter) {}

  void run() {
    sm::LaunchOp launch = protocol.launch;
    launch.walk([&](Operation *op) {
      if (auto bar = dyn_cast<sm::BarSyncOp>(op))
        checkBarrier(bar);
      if (isCollective(op))
        checkConvergence(op);
    });
    checkIds();
    checkRoles(launch.getBody().front(), 0,
               llvm::alignTo(launch.getThreads(), 32) / 32);
  }

private:
  /// Warps of sibling roles are apart, and inside those of their parent.
  void checkRoles(Block &block, int64_t first, int64_t end) {
    SmallVector<sm::RoleOp> siblings(block.getOps<sm::RoleOp>());
    for (auto [i, role] : llvm::enumerate(siblings)) {
      int64_t begin = role.getWarps()[0], stop = begin + role.getWarps()[1];
      if (begin < first || stop > end)
        reporter.error(role, "role '" + role.getName() + "' has warps " +
                                 Twine(begin) + " to " + Twine(stop - 1) +
                                 ", there are " + Twine(first) + " to " +
                                 Twine(end - 1));
      for (sm::RoleOp other : ArrayRef(siblings).take_front(i))
        if (begin < other.getWarps()[0] + other.getWarps()[1] &&
            other.getWarps()[0] < stop)
          reporter.error(role,
                         "roles '" + other.getName() + "' and '" +
                             role.getName() + "' have warps in common",
                         {{other, "the other role is here"}});
      checkRoles(role.getBody().front(), begin, stop);
    }
  }

  static bool isCollective(Operation *op) {
    return isa<sm::BarSyncOp, sm::MBarrierArriveOp, sm::MBarrierWaitOp,
               sm::WgmmaOp, sm::WgmmaFenceOp, sm::WgmmaCommitOp,
               sm::WgmmaWaitOp, sm::MmaOp, sm::SetMaxNRegOp>(op);
  }

  static std::string describe(Operation *op) {
    if (isa<sm::BarSyncOp>(op))
      return "this barrier";
    if (isa<sm::MBarrierArriveOp>(op))
      return "this arrive";
    if (isa<sm::MBarrierWaitOp>(op))
      return "this wait";
    if (isa<sm::SetMaxNRegOp>(op))
      return "this change of registers";
    return "this product";
  }

  void checkConvergence(Operation *op) {
    if (Operation *condition = findThreadCondition(op))
      reporter.error(op,
                     kThreadCondition + "not all threads reach " + describe(op),
                     {{condition, "the condition is here"}});
  }

  void checkBarrier(sm::BarSyncOp bar) {
    if (isElected(bar))
      return reporter.error(bar, "a barrier of " + Twine(bar.getThreads()) +
                                     " threads is executed by one thread");
    const RoleInfo *role = protocol.roleOf(bar);
    users[bar.getId()].push_back({bar, role});
    int64_t threads = static_cast<int64_t>(bar.getThreads());
    if (!role) {
      int64_t all = llvm::alignTo(protocol.launch.getThreads(), 32);
      if (threads != all)
        reporter.error(bar, "this barrier of the block is for " +
                                Twine(threads) + " threads, the block has " +
                                Twine(all));
      return;
    }
    if (bar.getId() == 0 && protocol.roles.size() > 1)
      reporter.error(bar, "role '" + role->name +
                              "' uses barrier 0, which belongs to the whole "
                              "block");
  }

  /// All barriers of an id: those of one role, with all its threads, or of
  /// several roles that meet there.
  void checkIds() {
    for (auto &[id, bars] : users) {
      llvm::SetVector<const RoleInfo *> roles;
      int64_t threads = 0;
      for (auto &[bar, role] : bars)
        if (role && roles.insert(role))
          threads += llvm::alignTo(role->threads, 32);
      for (auto &[bar, role] : bars)
        if (role && static_cast<int64_t>(bar.getThreads()) != threads)
          reportThreads(bar, *role, threads, roles.size());
    }
  }

  void reportThreads(sm::BarSyncOp bar, const RoleInfo &role, int64_t threads,
                     size_t roles) {
    if (roles > 1)
      return reporter.error(
          bar, "barrier " + Twine(bar.getId()) +
                   " is used by several roles with " + Twine(threads) +
                   " threads in all, but waits for " + Twine(bar.getThreads()));
    reporter.error(bar, "role '" + role.name + "' has " + Twine(threads) +
                            " threads, but this barrier waits for " +
                            Twine(bar.getThreads()));
  }

  const Protocol &protocol;
  Reporter &reporter;
  llvm::MapVector<uint64_t,
                  SmallVector<std::pair<sm::BarSyncOp, const RoleInfo *>>>
      users;
};

} // namespace

void tlc::verify::checkNamedBarriers(const Protocol &protocol,
                                     Reporter &reporter) {
  NamedBarrierChecker(protocol, reporter).run();
}
