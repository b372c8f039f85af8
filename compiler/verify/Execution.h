// A machine that runs the barrier skeleton of a launch: waits, arrivals, bytes,
// named barriers, counters and the control flow around them. No data, no
// memory model: those are the abstract interpretation's. Each role is one
// agent, or two if a part of it runs in an elected thread: its first warp and
// the others.
#ifndef TLC_COMPILER_VERIFY_EXECUTION_H
#define TLC_COMPILER_VERIFY_EXECUTION_H

#include "compiler/verify/Values.h"

#include "llvm/ADT/DenseMap.h"

#include <deque>

namespace tlc::verify {

/// One step of the skeleton.
struct Node {
  enum Kind {
    Wait,
    Arrive,
    Expect,
    Load,
    Bar,
    Counter,
    Stage,
    Phase,
    Advance,
    ReadLocal,
    WriteLocal,
    Unknown, ///< a value that memory holds
    // Only if tiles are filled by cp.async (GroupSlots.cpp).
    Touch, ///< accesses of slots by threads, cp.async among them
    Fence,
    GroupCommit,
    GroupWait,
    Product,
    ProductCommit,
    ProductWait,
    For,
    While,
    If,
    Elect
  };
  Kind kind;
  mlir::Operation *op;
  /// Loops: the body; branches: both sides; while: before and after.
  std::vector<Node> body, other;
  /// Has actions that other roles can notice.
  bool isShared = false;
  bool isElected = false;
};

/// The skeleton of one role.
std::vector<Node> buildSkeleton(const Protocol &protocol, const RoleInfo &role);

/// What went wrong in a run.
struct Failure {
  mlir::Operation *at;
  std::string text;
  std::vector<Note> notes;
};

struct RunResult {
  std::optional<Failure> failure;
  uint64_t steps = 0;
  bool outOfSteps = false;
};

class Machine {
public:
  Machine(const Protocol &protocol, llvm::ArrayRef<std::vector<Node>> skeletons,
          AtomTable &atoms, Choices &choices);

  /// Number of agents: `last` below may be any of them.
  size_t numAgents() const { return agents.size(); }
  /// Runs to the end. Agent `last` moves only when no other can, which lets the
  /// others get as far ahead of it as they ever can.
  RunResult run(std::optional<size_t> last);

private:
  struct Frame {
    const std::vector<Node> *nodes;
    size_t pc = 0;
    const Node *owner = nullptr; ///< the loop, branch or elect it belongs to
    bool after = false;          ///< while: in the second region
    int64_t iv = 0, upper = 0, step = 1;
  };
  /// A slot of a tile that is filled by cp.async, as the threads of one agent
  /// know it.
  struct GroupSlot {
    enum { Unfilled, InFlight, Landed, Visible } state = Unfilled;
    mlir::Operation *fill = nullptr;
    bool fenced = false;                ///< since it has landed
    bool lateFence = false;             ///< ... but only since all have met
    mlir::Operation *read = nullptr;    ///< since all have met
    mlir::Operation *product = nullptr; ///< reads it and was not waited for
  };
  using SlotKey = std::pair<void *, int64_t>;
  using SlotKeys = std::vector<SlotKey>;

  struct Agent {
    Agent(const RoleInfo &role, bool elected, int64_t threads, Evaluator values)
        : role(&role), elected(elected), threads(threads),
          values(std::move(values)) {}

    const RoleInfo *role;
    bool elected; ///< has the elected thread
    int64_t threads;
    std::vector<Frame> frames;
    Evaluator values;
    llvm::DenseMap<mlir::Value, int64_t> counters;
    llvm::DenseMap<mlir::Value, std::map<int64_t, Linear>> locals;
    std::map<std::pair<void *, int64_t>, int64_t> waits; ///< by barrier, stage
    std::map<mlir::Operation *, int64_t> visits;
    mlir::Operation *blocked = nullptr;
    std::optional<uint64_t> barTicket; ///< generation of the bar waited for
    int64_t wantedPhase = 0, wantedStage = 0;
    bool isElect = false; ///< inside sm.elect
    std::map<SlotKey, GroupSlot> slots;
    SlotKeys openCopies, openProducts;
    std::deque<SlotKeys> copies, products; ///< committed groups, oldest first
  };
  struct BarrierStage {
    int64_t pending, completed = 0, expected = 0, issued = 0;
    mlir::Operation *expect = nullptr, *load = nullptr;
  };
  struct NamedBarrier {
    int64_t threads = 0, arrived = 0;
    uint64_t generation = 0;
    mlir::Operation *first = nullptr;
  };

  bool step(Agent &agent);
  bool execute(Agent &agent, const Node &node);
  bool leaveFrame(Agent &agent);
  bool enterFor(Agent &agent, const Node &node);
  void enterIf(Agent &agent, const Node &node);
  void enterWhile(Agent &agent, const Node &node);
  void readCounter(Agent &agent, const Node &node);
  void bindUnknown(Agent &agent, mlir::Operation *op);
  std::optional<int64_t> elementOf(Agent &agent, mlir::ValueRange indices,
                                   mlir::MemRefType type);
  bool wait(Agent &agent, sm::MBarrierWaitOp op);
  void arrive(Agent &agent, sm::MBarrierArriveOp op);
  void expect(Agent &agent, sm::MBarrierArriveExpectTxOp op);
  void load(Agent &agent, mlir::Operation *op);
  bool bar(Agent &agent, sm::BarSyncOp op);
  void readLocal(Agent &agent, tile::LoadOp op);
  void writeLocal(Agent &agent, tile::StoreOp op);
  // GroupSlots.cpp
  void runGroupNode(Agent &agent, const Node &node);
  void touchSlots(Agent &agent, mlir::Operation *op);
  void fillSlot(Agent &agent, mlir::Operation *op, const SlotKey &key,
                const std::string &name);
  void readSlot(mlir::Operation *op, const GroupSlot &slot, bool async,
                const std::string &name);
  void meet(Agent &agent);
  void checkLanded(const Agent &agent);
  void countArrivals(mlir::Operation *op, mlir::Value barrier, int64_t stage,
                     int64_t arrivals);
  BarrierStage *stageOf(mlir::Operation *op, mlir::Value barrier,
                        int64_t stage);
  void flip(BarrierStage &stage, mlir::Value barrier);
  void fail(mlir::Operation *at, std::string text,
            std::vector<Note> notes = {});
  void reportBlocked();
  bool reportBytes();
  void checkEnd();

  const Protocol &protocol;
  std::vector<Agent> agents;
  llvm::DenseMap<mlir::Value, std::vector<BarrierStage>> barriers;
  std::map<int64_t, NamedBarrier> named;
  RunResult result;
};

} // namespace tlc::verify

#endif // TLC_COMPILER_VERIFY_EXECUTION_H
