// The state of a run of the virtual SM and what changes it. Private to the
// library.
#pragma once

#include "compiler/interp/SmBarriers.h"
#include "compiler/interp/SmGlobal.h"
#include "compiler/interp/SmMachine.h"
#include "compiler/interp/SmWarp.h"

#include <array>
#include <random>

namespace tlc::interp {

/// A global tensor.
struct GlobalTensor {
  uint8_t *data = nullptr;
  llvm::SmallVector<int64_t, 4> shape, strides;
};

/// The barrier of all blocks of a launch that run together.
struct GridState {
  int64_t blocks = 0, arrived = 0;
  uint64_t generation = 0; ///< times that all have met
  /// What those who came last time knew, and those who have come since.
  std::shared_ptr<const BlockFrontiers> released;
  BlockFrontiers gathered;
};

/// Which parameters a launch writes: those are followed.
std::shared_ptr<GlobalHistory> makeGlobalHistory(SmProgram &program,
                                                 sm::LaunchOp launch);

/// One step of order, for the paths in reports.
struct SyncEvent {
  enum Kind : uint8_t { Arrive, Wait, Bar, Fence } kind;
  uint32_t warp;
  uint32_t object; ///< number of the mbarrier stage or named barrier
  uint64_t phase;
  uint64_t step;
  mlir::Operation *op;
};

/// What the body of a parallel loop uses from outside.
struct LoopUses {
  std::vector<uint32_t> values;
  llvm::SmallVector<std::pair<uint32_t, bool>, 4> registers; ///< tile, written
  bool canLag = false; ///< it ends in registers, and no path depends on loads
};

/// The loads of a parallel loop that lags, in order.
struct LoopLoads {
  llvm::SmallVector<const mlir::Operation *, 2> ops; ///< of shared memory
  llvm::SmallVector<Sample, 2> samples;              ///< by op
  llvm::SmallVector<size_t, 2> next;                 ///< by op, when replayed
  std::vector<Cell> global; ///< what global memory held
  size_t nextGlobal = 0;
  bool isReplay = false;
};

/// One side of a copy, placed.
struct SmRegion;
/// An operand of a product, placed.
struct MatrixOperand;

class SmRun {
public:
  SmRun(SmProgram &program, const SmOptions &options, SmResult &result);

  void bindTensor(unsigned param, const TensorArg &tensor);
  void bindValue(mlir::Value value, Cell cell);
  void run();

  // -- the state of a block and its actions, for the search over schedules
  void runHost();
  bool stopped() const { return halted; }

private:
  friend class SmSearch;

  // SmMachine.cpp: launches and blocks.
  void runLaunch(const SmNode &node);
  void startBlock(sm::LaunchOp launch, const SmNode &node,
                  llvm::ArrayRef<int64_t> ids);
  void finishBlock();
  // SmGrid.cpp: blocks that meet.
  void runTogether(sm::LaunchOp op, const SmNode &node,
                   llvm::ArrayRef<int64_t> grid, int64_t total);
  void startLinear(sm::LaunchOp op, const SmNode &node,
                   llvm::ArrayRef<int64_t> grid, int64_t linear);
  bool runBlocks(llvm::ArrayRef<std::unique_ptr<SmRun>> blocks,
                 GridState &state);
  void gridBarrier(Warp &warp, const SmNode &node);
  void reportSecondArrival(const SmNode &node);
  const Warp *atGrid() const;
  void checkLifetimes();

  // SmSchedule.cpp: who acts next.
  void runBlock();
  bool runRound();
  bool runAdversarial();
  bool runSeeded();
  bool isEnabled(Warp &warp);
  bool isEnabled(Warp &warp, const SmNode &node);
  void step(Warp &warp);
  bool isDone() const;
  bool lags() const;

  // SmControl.cpp: frames and local operations.
  const SmNode *current(const Warp &warp) const;
  void advance(Warp &warp);
  void enter(Warp &warp, const SmNode &node);
  void enterIf(Warp &warp, const SmNode &node, const Frame &frame);
  void enterFor(Warp &warp, const SmNode &node, const Frame &frame);
  void enterWhile(Warp &warp, const SmNode &node, const Frame &frame);
  void endOfBlock(Warp &warp);
  void endOfLoop(Warp &warp);
  void endOfBefore(Warp &warp);
  void runLocal(Warp &warp, const SmNode &node);
  void runScalar(Warp &warp, const SmNode &node, uint32_t mask);
  void computeScalar(Warp &warp, const SmNode &node,
                     llvm::ArrayRef<const Lanes *> operands, uint32_t mask);
  void runNested(Warp &warp, const SmBlock &block, uint32_t mask);
  void assign(Warp &warp, uint32_t to, const Lanes &from, uint32_t mask,
              uint32_t parent);
  void runEvent(Warp &warp, const SmNode &node);
  int64_t uniform(const Warp &warp, const SmNode &node, unsigned operand);

  // SmAccess.cpp: loads, stores, copies, fills and parallel loops.
  void load(Warp &warp, const SmNode &node, uint32_t mask);
  void store(Warp &warp, const SmNode &node, uint32_t mask);
  void atomic(Warp &warp, const SmNode &node, uint32_t mask);
  void copy(Warp &warp, const SmNode &node);
  void fill(Warp &warp, const SmNode &node);
  void parallel(Warp &warp, const SmNode &node);
  void runPoints(Warp &warp, const SmNode &node, const WarpPoints &points,
                 uint32_t mask);
  void callExtern(Warp &warp, const SmNode &node);
  void accessExtern(Warp &warp, const SmNode &node, tile::AccessPtrOp ptr);
  void accessWhole(Warp &warp, const SmNode &node, mlir::Value buffer);
  bool makeRegion(Warp &warp, const SmNode &node, mlir::Value buffer,
                  mlir::OperandRange offsets, llvm::ArrayRef<int64_t> sizes,
                  SmRegion &region);
  void copyLagging(Warp &warp, const SmRegion &src, const SmRegion &dst,
                   const WarpPoints &points);
  const WarpPoints &pointsOf(Warp &warp, const SmNode &node,
                             tile::FragmentLayoutAttr layout,
                             llvm::ArrayRef<mlir::Value> buffers,
                             llvm::ArrayRef<int64_t> domain);
  RegisterTile &registers(Warp &warp, const SmBuffer &buffer);
  RegisterTile &touch(Warp &warp, const SmBuffer &buffer, mlir::Operation *op,
                      bool write);
  int64_t elementOf(Warp &warp, const SmNode &node, const SmBuffer &buffer,
                    llvm::ArrayRef<uint32_t> indices, unsigned lane,
                    bool &inside);
  uint32_t slotBase(const Warp &warp, const SmNode &node, mlir::Value buffer,
                    int64_t &slot);
  void note(Warp &warp, mlir::Operation *op, mlir::Value buffer, int64_t slot,
            bool write, ByteRange bytes);
  void flushNotes(Warp &warp);
  RegisterTile &touchInLoop(Warp &warp, const SmBuffer &buffer,
                            mlir::Operation *op, bool write);

  // SmMemory.cpp: shared memory and who sees what of it.
  /// `ranges` are sorted and apart.
  void recordGeneric(Warp &warp, mlir::Operation *op, uint32_t tile,
                     int64_t slot, bool write, const ByteRanges &ranges);
  /// The bytes of operand `which` of an operation for a warp, computed once
  /// for a place in shared memory.
  const ByteRanges &rangesOf(mlir::Operation *op, unsigned which,
                             const Warp &warp, uint32_t base, int64_t start,
                             llvm::function_ref<ByteRanges()> make);
  void recordAsync(Warp &warp, mlir::Operation *op, uint32_t tile, int64_t slot,
                   bool write, tile::Proxy proxy, const ByteRanges &ranges,
                   Epoch epoch, const Clock &known);
  Epoch newAsyncEvent(const Clock &known);
  /// Agents: the loads of each warp, its other accesses, then asynchronous
  /// operations.
  uint32_t firstAsyncAgent() const { return 2 * warps.size(); }
  void wroteGeneric(Warp &warp, const ByteRanges &ranges);
  void wroteAsync(uint32_t begin, uint32_t end, uint32_t pieces);
  void fenceProxy(Warp &warp);

  // SmLagging.cpp: loads that lag, and what is computed from them.
  void addPending(Warp &warp, PendingLoad load);
  void serve(Warp &warp, llvm::function_ref<bool(const PendingLoad &)> which);
  void settle(Warp &warp, uint32_t registerTile, bool write);
  void settleAll(Warp &warp);
  void settleScalars(Warp &warp);
  void settleUses(Warp &warp, const SmNode &node);
  bool defer(Warp &warp, const SmNode &node, uint32_t mask);
  void lagScalar(Warp &warp, const SmNode &node, Sample sample, uint32_t mask,
                 bool isUniform);
  const LoopUses &usesOf(const SmNode &loop);
  void lagLoop(Warp &warp, const SmNode &node, const WarpPoints &points,
               const LoopUses &uses);

  // SmAsync.cpp: mbarriers, named barriers, registers.
  MBarrier *barrierAt(Warp &warp, const SmNode &node, unsigned operand);
  void initBarrier(Warp &warp, const SmNode &node);
  void fenceInit(Warp &warp);
  bool checkInit(Warp &warp, const SmNode &node, const MBarrier &barrier,
                 const Clock &known);
  void waitBarrier(Warp &warp, const SmNode &node);
  void arrive(Warp &warp, const SmNode &node, MBarrier &barrier, int64_t count);
  void completed(MBarrier &barrier, const SmNode &node);
  void barSync(Warp &warp, const SmNode &node);
  std::pair<int64_t, int64_t> barOf(const SmNode &node) const;
  void setRegisters(Warp &warp, const SmNode &node);
  bool oneThread(Warp &warp, const SmNode &node);

  // SmBulk.cpp: bulk and tensor copies.
  void issueLoad(Warp &warp, const SmNode &node);
  void issueStore(Warp &warp, const SmNode &node);
  void land(size_t index, uint32_t pieces);
  int64_t bytesLeft(const BulkCopy &copy) const;
  void readStore(BulkCopy &copy);
  void moveBox(const BulkCopy &copy, bool load, uint32_t pieces);
  void waitBulk(Warp &warp, const SmNode &node);

  // SmGroups.cpp: copies by cp.async.
  void issueGroupCopy(Warp &warp, mlir::Operation *op, const SmRegion &dst,
                      GroupCopy copy);
  void landGroupCopy(Warp &warp, GroupCopy &copy);
  void waitCopies(Warp &warp, const SmNode &node);

  // SmProducts.cpp: wgmma and mma.
  bool placeOperand(Warp &warp, const SmNode &node, mlir::Value value,
                    MatrixOperand &operand, int64_t rows, int64_t columns);
  void readOperand(Warp &warp, const Product &product, unsigned which,
                   const MatrixOperand &operand, llvm::ArrayRef<int64_t> rows,
                   int64_t firstColumn, int64_t columns);
  RegisterTile &useByWgmma(Warp &warp, const SmBuffer &buffer,
                           mlir::Operation *op);
  void issueWgmma(Warp &warp, const SmNode &node);
  void runMma(Warp &warp, const SmNode &node);
  void waitWgmma(Warp &warp, const SmNode &node);
  bool isReady(const Warp &warp, const Product &product) const;
  void computeReady(uint32_t firstWarp);

  // SmGlobal.cpp: races through global memory.
  bool isAfter(const Clock &known, const GlobalAccess &earlier) const;
  void addKnowledge(const Warp &warp, BlockFrontiers &to) const;
  void acquireKnowledge(Warp &warp, const BlockFrontiers &from);
  void acquireGrid(Warp &warp);
  void orderAtomic(Warp &warp, tile::AtomicOp op, uint32_t param,
                   int64_t element);
  bool followsGlobal(const SmBuffer &buffer) const;
  uint32_t recordGlobal(Warp &warp, GlobalAccess access,
                        const ByteRanges &elements, const Clock &known);
  void recordGlobal(Warp &warp, mlir::Operation *op, uint32_t param, bool write,
                    ByteRanges elements, bool keepsValue);
  void noteGlobal(mlir::Operation *op, uint32_t param, bool write,
                  int64_t element, bool keepsValue);
  void flushGlobalNotes(Warp &warp);
  void recordGlobalBox(Warp &warp, BulkCopy &copy,
                       llvm::ArrayRef<int64_t> sizes, bool write);
  void reportGlobal(const GlobalAccess &now, const GlobalAccess &earlier,
                    ByteRange elements, bool orderedGeneric);

  // SmReport.cpp.
  static std::string placeText(mlir::Operation *op);
  void reportConflict(const MemoryAccess &now, AccessHistory::Conflict conflict,
                      const Clock &generic);
  void report(SmReport report, bool halt);
  void problem(SmProblem kind, mlir::Operation *op, const std::string &text);
  void deadlock();
  std::string describe(const MemoryAccess &access) const;
  std::string pathText(const MemoryAccess &from, const MemoryAccess &to,
                       bool ordered, std::string &missing) const;
  std::string effectText(const MemoryAccess &from,
                         const MemoryAccess &to) const;
  std::string blockedText(Warp &warp, const SmNode &node);
  std::string warpName(const Warp &warp) const;
  std::string replayText() const;
  void log(SyncEvent::Kind kind, Warp &warp, uint32_t object, uint64_t phase,
           mlir::Operation *op);

  SmProgram &program;
  const SmOptions &options;
  SmResult &result;
  std::mt19937_64 random;
  bool halted = false;

  Warp host;
  std::vector<GlobalTensor> tensors; ///< by kernel parameter

  // One block.
  sm::LaunchOp launch;
  std::vector<Warp> warps;
  std::vector<uint8_t> shared;    ///< as generic accesses see it
  std::vector<uint8_t> asyncView; ///< without generic writes not fenced
  struct Unfenced {
    Epoch epoch;
    ByteRanges ranges;
  };
  std::vector<Unfenced> unfenced;
  std::unique_ptr<AccessHistory> history;
  std::vector<MBarrier> barriers;
  std::vector<NamedBarrier> named;
  std::deque<BulkCopy> inFlight;
  struct AsyncAgent {
    uint32_t last = 0;
    mlir::Operation *op = nullptr; ///< of the last event, if it must be seen
  };
  std::vector<AsyncAgent> asyncAgents;     ///< numbered after the warps
  std::vector<std::vector<int64_t>> fills; ///< generations by tile and slot
  std::deque<SyncEvent> events;
  int64_t registerPool = 0;
  size_t nextWarp = 0;
  uint64_t blockSteps = 0;
  std::string blockName;
  uint32_t blockNumber = 0;               ///< of the launch, for `globals`
  std::shared_ptr<GlobalHistory> globals; ///< of the launch
  std::vector<Acquisition> acquired;      ///< by warps of this block
  GridState *grid = nullptr; ///< null: blocks run one after the other
  uint64_t gridArrived = 0;  ///< generation in which the block arrived, plus 1

  // Accesses of a parallel loop, gathered until its end.
  struct Noted {
    mlir::Operation *op;
    uint32_t tile;
    int64_t slot;
    bool write;
    ByteRanges ranges;
  };
  std::vector<Noted> notes;
  struct GlobalNote {
    mlir::Operation *op;
    uint32_t param;
    bool write, keepsValue;
    ByteRanges elements;
  };
  std::vector<GlobalNote> globalNotes;
  bool gathering = false;
  LoopLoads *loopLoads = nullptr; ///< of the parallel loop at work, if it lags
  std::map<const SmNode *, LoopUses> loopUses;

  std::map<std::pair<const void *, uint32_t>, WarpPoints> pointCache;
  std::map<std::pair<uint32_t, uint32_t>, std::vector<uint8_t>> heldCache;
  std::map<std::array<uint64_t, 5>, ByteRanges> rangeCache;
};

} // namespace tlc::interp
