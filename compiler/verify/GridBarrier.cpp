// V15: a block reports to the grid barrier once, whatever its shape, and every
// block does: the conditions over the arrival are evaluated for every thread,
// and for every block where they tell blocks apart. All
// threads of the block come before the arrival and none goes on before the
// wait is over, and roles do not meet there one by one.
#include "compiler/verify/Obligations.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::verify;

namespace {

/// Integer expressions for one thread of a block.
class ThreadValues {
public:
  ThreadValues(sm::LaunchOp launch, ArrayRef<int64_t> block, int64_t thread)
      : body(launch.getBody()), shape(launch.getProgramThreads()), block(block),
        thread(thread) {}

  /// Nothing for what is not computed from constants, the block and the thread.
  std::optional<int64_t> of(Value value) {
    if (auto arg = dyn_cast<BlockArgument>(value)) {
      if (arg.getOwner()->getParent() != &body ||
          arg.getArgNumber() >= block.size())
        return std::nullopt;
      return block[arg.getArgNumber()];
    }
    APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant)))
      return value.getType().isInteger(1) ? !constant.isZero()
                                          : constant.getSExtValue();
    Operation *op = value.getDefiningOp();
    if (!op)
      return std::nullopt;
    if (auto id = dyn_cast<tile::ThreadIdOp>(op))
      return coordinate(static_cast<unsigned>(id.getDim()));
    if (auto id = dyn_cast<sm::ThreadOp>(op))
      return thread - static_cast<int64_t>(id.getFirst());
    if (auto id = dyn_cast<sm::WarpOp>(op))
      return thread / 32 - static_cast<int64_t>(id.getFirst());
    if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp,
            arith::IndexCastOp>(op))
      return of(op->getOperand(0));
    SmallVector<int64_t, 3> operands;
    for (Value operand : op->getOperands()) {
      auto known = of(operand);
      if (!known)
        return std::nullopt;
      operands.push_back(*known);
    }
    return compute(op, operands);
  }

private:
  int64_t coordinate(unsigned dim) const {
    int64_t below = 1;
    for (unsigned i = 0; i < dim; ++i)
      below *= shape[i];
    return thread / below % shape[dim];
  }

  static std::optional<int64_t> compute(Operation *op, ArrayRef<int64_t> v) {
    using Result = std::optional<int64_t>;
    if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(
            op) &&
        (v[0] < 0 || v[1] <= 0))
      return std::nullopt;
    return TypeSwitch<Operation *, Result>(op)
        .Case<arith::AddIOp>([&](auto) { return v[0] + v[1]; })
        .Case<arith::SubIOp>([&](auto) { return v[0] - v[1]; })
        .Case<arith::MulIOp>([&](auto) { return v[0] * v[1]; })
        .Case<arith::AndIOp>([&](auto) { return v[0] & v[1]; })
        .Case<arith::OrIOp>([&](auto) { return v[0] | v[1]; })
        .Case<arith::XOrIOp>([&](auto) { return v[0] ^ v[1]; })
        .Case<arith::DivSIOp, arith::DivUIOp>([&](auto) { return v[0] / v[1]; })
        .Case<arith::RemSIOp, arith::RemUIOp>([&](auto) { return v[0] % v[1]; })
        .Case<arith::SelectOp>([&](auto) { return v[0] ? v[1] : v[2]; })
        .Case<arith::CmpIOp>([&](arith::CmpIOp cmp) -> Result {
          return compare(cmp.getPredicate(), v[0], v[1]);
        })
        .Default([](Operation *) { return std::nullopt; });
  }

  static std::optional<int64_t> compare(arith::CmpIPredicate predicate,
                                        int64_t a, int64_t b) {
    using P = arith::CmpIPredicate;
    bool isUnsigned = predicate >= P::ult;
    if (isUnsigned && (a < 0 || b < 0))
      return std::nullopt;
    switch (predicate) {
    case P::eq:
      return a == b;
    case P::ne:
      return a != b;
    case P::slt:
    case P::ult:
      return a < b;
    case P::sle:
    case P::ule:
      return a <= b;
    case P::sgt:
    case P::ugt:
      return a > b;
    case P::sge:
    case P::uge:
      return a >= b;
    }
    return std::nullopt;
  }

  Region &body;
  ArrayRef<int64_t> shape, block;
  int64_t thread;
};

/// The statement around the arrival that all threads reach, and the conditions
/// inside it that choose the threads that arrive.
struct Election {
  Operation *statement;
  SmallVector<std::pair<scf::IfOp, bool>> guards; ///< wanted truth
  bool isElect = false;
  bool byBlock = false;           ///< some guard tells blocks apart
  Operation *loop = nullptr;      ///< that threads leave at different turns
  Operation *blockLoop = nullptr; ///< ... that blocks do
};

class GridBarrierChecker {
public:
  GridBarrierChecker(const Protocol &protocol, Reporter &reporter)
      : protocol(protocol), reporter(reporter), launch(protocol.launch) {}

  void check(sm::GridBarrierOp barrier) {
    if (protocol.roles.size() > 1)
      return reporter.error(barrier,
                            "the grid barrier is reached by one role of "
                            "several: the others do not wait for it");
    Election election = findElection(barrier);
    checkLeader(barrier, election);
    if (!isBlockBarrier(neighbour(election.statement, /*before=*/true)))
      reporter.error(barrier, "the block arrives at the grid barrier before "
                              "all of its threads have come: a barrier of the "
                              "block is missing before it");
    if (!isBlockBarrier(neighbour(election.statement, /*before=*/false)))
      reporter.error(barrier, "threads of the block go on before the grid "
                              "barrier is complete: a barrier of the block is "
                              "missing after it");
  }

private:
  Election findElection(Operation *barrier) {
    Election election{barrier, {}};
    Operation *child = barrier;
    for (Operation *op = barrier->getParentOp();
         !isa<sm::LaunchOp, sm::RoleOp>(op);
         child = op, op = op->getParentOp()) {
      if (auto branch = dyn_cast<scf::IfOp>(op)) {
        bool byThread = dependsOnThread(branch.getCondition());
        bool byBlock = dependsOnBlock(branch.getCondition());
        election.byBlock |= byBlock;
        bool isThen = child->getParentRegion() == &branch.getThenRegion();
        if (byThread || byBlock)
          election.guards.push_back({branch, isThen});
        if (!byThread)
          continue;
      } else if (isa<sm::ElectOp>(op)) {
        election.isElect = true;
      } else if (splitsLoop(op, dependsOnThread)) {
        election.loop = op;
      } else {
        if (splitsLoop(op, dependsOnBlock))
          election.blockLoop = op;
        continue;
      }
      election.statement = op;
    }
    return election;
  }

  static bool splitsLoop(Operation *op, bool (*depends)(Value)) {
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      return depends(loop.getConditionOp().getCondition());
    auto loop = dyn_cast<scf::ForOp>(op);
    return loop && (depends(loop.getLowerBound()) ||
                    depends(loop.getUpperBound()) || depends(loop.getStep()));
  }

  void checkLeader(Operation *barrier, Election &election) {
    if (election.loop)
      return reporter.error(barrier,
                            "threads of the block arrive at the grid barrier "
                            "a different number of times",
                            {{election.loop, "the loop is here"}});
    if (election.blockLoop)
      reporter.notProved(barrier, "blocks may arrive at the grid barrier a "
                                  "different number of times");
    if (election.isElect && election.guards.empty())
      return;
    if (!election.byBlock) {
      checkCount(barrier, election, {});
      return;
    }
    forEachBlock(barrier, [&](ArrayRef<int64_t> block) {
      return checkCount(barrier, election, block);
    });
  }

  /// Calls `check` for the blocks of the launch until it is false.
  void forEachBlock(Operation *barrier,
                    llvm::function_ref<bool(ArrayRef<int64_t>)> check) {
    constexpr int64_t kMost = 4096;
    SmallVector<int64_t, 3> extents;
    int64_t total = 1;
    for (Value extent : launch.getGrid()) {
      APInt constant;
      if (!matchPattern(extent, m_ConstantInt(&constant)))
        return reporter.notProved(
            barrier, "which blocks reach the grid barrier depends on their "
                     "number, which is not a constant");
      extents.push_back(constant.getSExtValue());
      total *= extents.back();
    }
    if (total > kMost)
      return reporter.notProved(barrier, "which of the " + Twine(total) +
                                             " blocks reach the grid barrier "
                                             "was not looked at");
    for (int64_t linear = 0; linear < total; ++linear) {
      SmallVector<int64_t, 3> block;
      int64_t rest = linear;
      for (int64_t extent : extents) {
        block.push_back(rest % extent);
        rest /= extent;
      }
      if (!check(block))
        return;
    }
  }

  /// False with a finding, unless one thread of the block arrives.
  bool checkCount(Operation *barrier, Election &election,
                  ArrayRef<int64_t> block) {
    auto count = countLeaders(election, block);
    if (!count) {
      reporter.notProved(barrier, election.byBlock
                                      ? "which blocks and threads arrive at "
                                        "the grid barrier is not known"
                                      : "which threads arrive at the grid "
                                        "barrier is not known");
      return false;
    }
    if (*count == 1)
      return true;
    SmallVector<Note, 1> notes;
    for (auto [branch, wanted] : election.guards)
      if (notes.empty() || dependsOnBlock(branch.getCondition()))
        notes.assign({{branch, "the condition is here"}});
    if (election.byBlock && *count == 0) {
      std::string name;
      for (int64_t id : block)
        name += (name.empty() ? "" : ", ") + std::to_string(id);
      reporter.error(barrier,
                     "block (" + name +
                         ") does not arrive at the grid barrier: the others "
                         "wait for it for ever",
                     notes);
      return false;
    }
    std::string shape;
    for (int64_t extent : launch.getProgramThreads())
      shape += (shape.empty() ? "" : " x ") + std::to_string(extent);
    reporter.error(barrier,
                   Twine(*count) + " threads of a block of " + shape +
                       " arrive at the grid barrier, it counts blocks: " +
                       "exactly one must",
                   notes);
    return false;
  }

  std::optional<int64_t> countLeaders(Election &election,
                                      ArrayRef<int64_t> block) {
    int64_t count = 0;
    for (int64_t t = 0, e = launch.getThreads(); t < e; ++t) {
      ThreadValues values(launch, block, t);
      bool arrives = true;
      for (auto &[branch, wanted] : election.guards) {
        auto truth = values.of(branch.getCondition());
        if (!truth)
          return std::nullopt;
        arrives &= (*truth != 0) == wanted;
      }
      count += arrives;
    }
    return count;
  }

  /// The next op on that side that does something.
  static Operation *neighbour(Operation *op, bool before) {
    do
      op = before ? op->getPrevNode() : op->getNextNode();
    while (op && isMemoryEffectFree(op));
    return op;
  }

  bool isBlockBarrier(Operation *op) const {
    auto bar = dyn_cast_or_null<sm::BarSyncOp>(op);
    int64_t all = llvm::alignTo(protocol.launch.getThreads(), 32);
    return isa_and_nonnull<tile::SyncThreadsOp>(op) ||
           (bar && static_cast<int64_t>(bar.getThreads()) == all);
  }

  const Protocol &protocol;
  Reporter &reporter;
  sm::LaunchOp launch;
};

} // namespace

Operation *tlc::verify::findLoneThread(sm::LaunchOp launch, Operation *op) {
  SmallVector<std::pair<scf::IfOp, bool>> guards;
  Operation *inner = nullptr, *child = op;
  for (Operation *parent = op->getParentOp();
       parent && !isa<sm::LaunchOp, sm::RoleOp>(parent);
       child = parent, parent = parent->getParentOp()) {
    if (isa<sm::ElectOp>(parent))
      return inner ? nullptr : parent;
    auto branch = dyn_cast<scf::IfOp>(parent);
    if (!branch || !dependsOnThread(branch.getCondition()))
      continue;
    guards.push_back(
        {branch, child->getParentRegion() == &branch.getThenRegion()});
    inner = inner ? inner : parent;
  }
  int64_t count = 0;
  for (int64_t t = 0, e = launch.getThreads(); t < e && inner; ++t) {
    ThreadValues values(launch, {}, t);
    bool reaches = true;
    for (auto &[branch, wanted] : guards) {
      auto truth = values.of(branch.getCondition());
      if (!truth)
        return nullptr;
      reaches &= (*truth != 0) == wanted;
    }
    count += reaches;
  }
  return count == 1 ? inner : nullptr;
}

void tlc::verify::checkGridBarriers(const Protocol &protocol,
                                    Reporter &reporter) {
  GridBarrierChecker checker(protocol, reporter);
  sm::LaunchOp(protocol.launch).walk([&](sm::GridBarrierOp barrier) {
    checker.check(barrier);
  });
}
