// What early releases, merged fences, flags that are loaded ahead and loads
// under flags must not do.
#include "test/support/mutations/Mutations.h"
#include "test/support/mutations/Places.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::test;

static constexpr StringRef kFlags = "kv-best kv-bwd-best vk-best vk-bwd-best";

/// The arrive that hands m back before the products are over, and the one of
/// the path without products.
static std::vector<sm::MBarrierArriveOp> releasesOfM(tile::KernelOp kernel) {
  std::vector<sm::MBarrierArriveOp> found;
  for (auto arrive : all<sm::MBarrierArriveOp>(kernel))
    if (auto decl = arrive.getBarrier().getDefiningOp<sm::MBarrierOp>();
        decl && decl.getName() == "m_shared_empty")
      found.push_back(arrive);
  return found;
}

/// Before the last of the pieces of m is loaded into registers.
static bool releaseBeforeLastRead(tile::KernelOp kernel) {
  auto releases = releasesOfM(kernel);
  if (releases.size() != 2)
    return false;
  for (Operation *op = releases[0]; op; op = op->getPrevNode())
    if (auto copy = dyn_cast<tile::CopyOp>(op)) {
      releases[0]->moveBefore(copy);
      return true;
    }
  return false;
}

static bool keepOnOtherPath(tile::KernelOp kernel) {
  auto releases = releasesOfM(kernel);
  return releases.size() == 2 && erase(releases[1]);
}

static bool releaseOnOnePathTwice(tile::KernelOp kernel) {
  auto releases = releasesOfM(kernel);
  if (releases.size() != 2)
    return false;
  OpBuilder b(releases[0]->getContext());
  b.setInsertionPointAfter(releases[0]->getParentOp());
  b.clone(*releases[0]);
  return true;
}

/// The fence that stands for two: behind the read of h.
static bool dropMergedFence(tile::KernelOp kernel) {
  tile::CopyOp read = copyFrom(kernel, "h_shared");
  return read &&
         erase(dyn_cast_or_null<sm::FenceProxyAsyncOp>(read->getNextNode()));
}

/// The loop that carries a flag into its next turn.
static scf::ForOp carryingLoop(tile::KernelOp kernel) {
  for (auto loop : all<scf::ForOp>(kernel))
    if (loop.getNumRegionIterArgs() == 1 &&
        loop.getRegionIterArg(0).getType().isInteger(1))
      return loop;
  return {};
}

static bool keepFirstFlag(tile::KernelOp kernel) {
  scf::ForOp loop = carryingLoop(kernel);
  if (loop)
    loop.getBody()->getTerminator()->setOperand(0, loop.getRegionIterArg(0));
  return bool(loop);
}

/// The flag of this turn is loaded for the next one.
static bool loadFlagLate(tile::KernelOp kernel) {
  scf::ForOp loop = carryingLoop(kernel);
  if (!loop)
    return false;
  Value turn = loop.getInductionVar();
  for (Operation *user : turn.getUsers())
    if (auto next = dyn_cast<arith::AddIOp>(user);
        next && user->getBlock() == loop.getBody() &&
        next.getRhs() == loop.getStep()) {
      next.getResult().replaceAllUsesWith(turn);
      return erase(next);
    }
  return false;
}

static sm::RoleOp roleNamed(tile::KernelOp kernel, StringRef name) {
  for (auto role : all<sm::RoleOp>(kernel))
    if (role.getName() == name)
      return role;
  return {};
}

/// The producer of m asks for the flag of the neighbour.
static bool askForOtherFlag(tile::KernelOp kernel) {
  sm::RoleOp role = roleNamed(kernel, "load_m_shared");
  tile::LoadOp flag;
  if (role)
    role.walk([&](tile::LoadOp load) {
      if (load.getResult().getType().isInteger(1))
        flag = load;
    });
  if (!flag)
    return false;
  OpBuilder b(flag);
  Location loc = flag.getLoc();
  Value one = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(1));
  Value other = arith::AddIOp::create(b, loc, flag.getIndices()[0], one);
  flag.getIndicesMutable()[0].assign(other);
  return true;
}

/// The producer of m loads without asking in one turn more than the consumer
/// expects.
static bool loadOneMore(tile::KernelOp kernel) {
  sm::RoleOp role = roleNamed(kernel, "load_m_shared");
  arith::CmpIOp early;
  if (role)
    role.walk([&](arith::CmpIOp compare) { early = compare; });
  if (!early)
    return false;
  OpBuilder b(early);
  Location loc = early.getLoc();
  Value one = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(1));
  early.getRhsMutable().assign(
      arith::AddIOp::create(b, loc, early.getRhs(), one));
  return true;
}

std::vector<Mutation> tlc::test::leverMutations() {
  return {
      {"early-release-before-read",
       "m goes back before the last of it is in registers", "4.5",
       "kv-words-best", Caught::Both, releaseBeforeLastRead},
      {"early-release-one-path",
       "m goes back early, and not at all on the path without products",
       "1: 12", "kv-words-best", Caught::Both, keepOnOtherPath},
      {"early-release-twice", "m goes back early, and again behind the branch",
       "4.5", "kv-words-best", Caught::Both, releaseOnOnePathTwice},
      {"merged-fence-dropped", "no proxy fence where one stands for two", "4.5",
       "kv-bwd-best", Caught::Both, dropMergedFence},
      {"prefetched-flag-kept", "every turn goes by the flag of the first",
       "1: 9", kFlags, Caught::Both, keepFirstFlag},
      {"prefetched-flag-late", "each turn goes by the flag of the one before",
       "1: 9", kFlags, Caught::Both, loadFlagLate},
      {"guarded-load-other-flag",
       "m is loaded under the flag of another turn than it is used under",
       "1: 9", kFlags, Caught::Both, askForOtherFlag},
      {"guarded-load-once-more",
       "m is loaded without a flag in one turn more than it is awaited", "1: 9",
       kFlags, Caught::Both, loadOneMore},
  };
}
