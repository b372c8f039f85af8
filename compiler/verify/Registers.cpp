// V14: register reallocation. Whole warpgroups take part, outside any branch
// or loop, in the direction that the count asks for, and the block stays within
// its registers, else an increase waits for ever (PTX ISA, setmaxnreg).
#include "compiler/verify/Obligations.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::verify;

/// Warps of a warpgroup.
constexpr int64_t kGroupWarps = 4;

static void checkPlace(sm::SetMaxNRegOp op, sm::RoleOp role, int64_t launch,
                       Reporter &reporter) {
  int64_t first = role.getWarps()[0], warps = role.getWarps()[1];
  if (first % kGroupWarps != 0 || warps % kGroupWarps != 0)
    reporter.error(op, "role '" + role.getName() + "' has warps " +
                           Twine(first) + " to " + Twine(first + warps - 1) +
                           ": registers are reallocated by whole warpgroups");
  if (op->getBlock() != &role.getBody().front())
    reporter.error(op, "registers are reallocated under a condition or by a "
                       "part of the role: every warp of the role must do it");
  int64_t registers = static_cast<int64_t>(op.getRegisters());
  if (op.getIncrease() ? registers < launch : registers > launch)
    reporter.error(op, "a change from " + Twine(launch) + " to " +
                           Twine(registers) + " registers a thread is no " +
                           (op.getIncrease() ? "increase" : "decrease"));
}

void tlc::verify::checkRegisters(const Protocol &protocol,
                                 const target::TargetInfo &target,
                                 Reporter &reporter) {
  sm::LaunchOp launch = protocol.launch;
  int64_t threads = static_cast<int64_t>(launch.getThreads());
  int64_t atLaunch = target.launchRegisters(threads);
  int64_t total = threads * atLaunch;
  SmallVector<sm::SetMaxNRegOp> ops;
  launch.walk([&](sm::SetMaxNRegOp op) { ops.push_back(op); });
  llvm::DenseSet<Operation *> roles;
  for (sm::SetMaxNRegOp op : ops) {
    auto role = op->getParentOfType<sm::RoleOp>();
    if (!role) {
      reporter.error(op, "registers are reallocated outside a role");
      continue;
    }
    checkPlace(op, role, atLaunch, reporter);
    if (!roles.insert(role).second)
      continue;
    int64_t registers = static_cast<int64_t>(op.getRegisters());
    total += 32 * role.getWarps()[1] * (registers - atLaunch);
  }
  if (!ops.empty() && !target.hasSetMaxNReg)
    reporter.error(ops.front(), Twine("the target ") + target.name +
                                    " cannot reallocate registers");
  if (!ops.empty() && total > target.registersPerBlock)
    reporter.error(ops.front(), "the roles ask for " + Twine(total) +
                                    " registers in all, the block has " +
                                    Twine(target.registersPerBlock) +
                                    ": an increase would wait for ever");
}
