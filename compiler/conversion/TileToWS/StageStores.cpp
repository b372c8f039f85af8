// A fragment that each turn of a pipelined loop stores goes through a shared
// tile and a tensor store: the threads write 16 bytes of shared memory where
// they would write global memory, and the copy unit does the rest while they go
// on (evidence/golden/correct_h0.md, section 4 and rule 15).
//
//   copy f -> C[i]; ...; product
// becomes
//   copy f -> s; ...; copy s -> C[i]; product
//
// It pays where the loads and stores of the threads bound the turn: A of a
// product comes through registers, or the grid leaves most of the SMs free. The
// store goes as late as it may, to the product: one fence and one barrier then
// serve the tile, what the product reads and the slots that are released.
#include "compiler/conversion/Conversion.h"
#include "compiler/conversion/TileToWS/Buffers.h"
#include "compiler/conversion/TileToWS/Stores.h"
#include "compiler/support/Remarks.h"
#include "compiler/transforms/Selection.h"
#include "compiler/transforms/UserText.h"

#include "mlir/IR/Matchers.h"

namespace tlc {
#define GEN_PASS_DEF_TILESTAGESTORESPASS
#include "compiler/conversion/Conversion.h.inc"
} // namespace tlc

using namespace mlir;
using namespace tlc;

namespace {

/// Smaller tiles are stored by the threads in as little time as they are staged
/// (measured: docs/levers.md).
constexpr int64_t kSmallestTile = 8192;

/// What is decided about one store, and why.
struct Decision {
  bool isStaged = false;
  std::string why;
};

class StoreStager {
public:
  StoreStager(tile::PipelinedOp loop, const target::TargetInfo &target)
      : loop(loop), launch(loop->getParentOfType<tile::LaunchOp>()),
        target(target) {}

  void run() {
    SmallVector<tile::CopyOp> stores;
    for (auto copy : loop.getBody().front().getOps<tile::CopyOp>())
      if (isCandidate(copy))
        stores.push_back(copy);
    for (tile::CopyOp store : stores) {
      Decision decision = decide(store);
      if (decision.isStaged)
        decision = stage(store, decision.why);
      if (!decision.isStaged)
        store.setReason("stored from registers: " + decision.why);
      emitDecision(store, "store",
                   (decision.isStaged ? "staged through shared memory: "
                                      : "stored from registers: ") +
                       decision.why);
      if (decision.isStaged)
        store.erase();
    }
  }

private:
  /// A store of a whole fragment in each turn of a loop with a product.
  bool isCandidate(tile::CopyOp copy) {
    return tile::isInSpace(copy.getSrc(), tile::Space::Fragment) &&
           tile::isInSpace(copy.getDst(), tile::Space::Global) &&
           copy.getSrcSizes() == copy.getSrc().getType().getShape() &&
           loop.getNumStages() != 0 && loop->getParentOp() == launch &&
           findProduct(&loop.getBody().front().front());
  }

  /// The first statement from `op` on with a product in it.
  static Operation *findProduct(Operation *op) {
    for (; op; op = op->getNextNode())
      if (op->walk([](tile::GemmOp) {
              return WalkResult::interrupt();
            }).wasInterrupted())
        return op;
    return nullptr;
  }

  /// A product of the loop that reads A in registers, loaded from a tile.
  tile::GemmOp findRegisterProduct() {
    tile::GemmOp found;
    loop.walk([&](tile::GemmOp gemm) {
      bool isLoaded =
          llvm::any_of(gemm.getA().getUsers(), [&](Operation *user) {
            auto copy = dyn_cast<tile::CopyOp>(user);
            return copy && copy.getDst() == gemm.getA() &&
                   loop->isAncestor(copy) &&
                   tile::isInSpace(copy.getSrc(), tile::Space::Shared);
          });
      if (isLoaded)
        found = gemm;
    });
    return found;
  }

  std::optional<int64_t> countBlocks() {
    int64_t blocks = 1;
    for (Value extent : launch.getGrid()) {
      APInt constant;
      if (!matchPattern(extent, m_ConstantInt(&constant)))
        return std::nullopt;
      blocks *= constant.getSExtValue();
    }
    return blocks;
  }

  Decision decide(tile::CopyOp store) {
    if (store.getDisableTma())
      return {false, "the program disables TMA"};
    if (Operation *signal = findSignal(loop))
      return {false, "the " + describeOp(signal) +
                         " may tell others what is stored, and would wait for "
                         "the store in each turn"};
    if (int64_t bytes = storedBytes(store); bytes < kSmallestTile)
      return {false, "its " + std::to_string(bytes) +
                         " bytes take the threads as little time as staging"};
    if (tile::GemmOp gemm = findRegisterProduct())
      return {true, "an operand of the T.gemm at " +
                        describeLine(gemm.getLoc()) +
                        " comes through registers, so that the loads and "
                        "stores of the threads bound a turn"};
    std::optional<int64_t> blocks = countBlocks();
    if (!blocks)
      return {false, "the products read shared memory, and the number of "
                     "blocks is known only at launch"};
    std::string grid = std::to_string(*blocks) + " blocks on " +
                       std::to_string(target.multiprocessors) + " SMs";
    if (2 * *blocks > target.multiprocessors)
      return {false, "the products read shared memory, and " + grid +
                         " are bound by global memory"};
    return {true, grid + " are bound by the time of a turn"};
  }

  static int64_t storedBytes(tile::CopyOp store) {
    auto to = cast<MemRefType>(store.getDst().getType());
    return store.getSrc().getType().getNumElements() *
           tile::storageBits(to.getElementType()) / 8;
  }

  /// Slots that a tile has if all loads of pipelined loops fill rings.
  static int64_t countSlots(tile::AllocOp tile) {
    int64_t slots = 1;
    for (Operation *user : tile->getUsers()) {
      auto copy = dyn_cast<tile::CopyOp>(user);
      auto loop = user->getParentOfType<tile::PipelinedOp>();
      if (copy && loop && copy.getInst() == tile::CopyInst::TmaLoad)
        slots = std::max<int64_t>(slots, loop.getNumStages());
    }
    return slots;
  }

  std::string whyNoRoom() {
    int64_t bytes = kSharedReserve;
    launch.walk([&](tile::AllocOp alloc) {
      if (tile::isInSpace(alloc.getResult(), tile::Space::Shared))
        bytes += countSlots(alloc) * getTileBytes(alloc.getResult());
    });
    if (bytes <= target.maxDynamicSharedBytes)
      return "";
    return "the tile would not fit beside the slots of the loads";
  }

  tile::AllocOp createTile(tile::CopyOp store, OpBuilder &b) {
    auto type = cast<MemRefType>(store.getDst().getType());
    return tile::AllocOp::create(
        b, store.getLoc(),
        tile::getBufferType(store.getSrc().getType().getShape(),
                            type.getElementType(), tile::Space::Shared),
        b.getStringAttr(tile::getBufferName(store.getDst()) + "_stage"), {},
        {});
  }

  /// Puts a tile and a tensor store in the place of `store`, which stays to be
  /// erased; takes them back if that is not possible.
  Decision stage(tile::CopyOp store, const std::string &why) {
    OpBuilder b = OpBuilder::atBlockBegin(&launch.getBody().front());
    tile::AllocOp tile = createTile(store, b);
    b.setInsertionPoint(store);
    Value zero = arith::ConstantIntOp::create(b, store.getLoc(), 0, 32);
    SmallVector<Value> origin(tile.getResult().getType().getRank(), zero);
    ArrayRef<int64_t> shape = store.getSrcSizes();
    auto fill = tile::CopyOp::create(
        b, store.getLoc(), store.getSrc(), store.getSrcOffsets(), tile, origin,
        shape, shape, /*disable_tma=*/false, /*prefer_tma=*/false,
        tile::CopyInstAttr::get(b.getContext(), tile::CopyInst::Vector),
        b.getStringAttr("staged for a TMA store: " + why), /*ring=*/nullptr,
        /*layout=*/nullptr);
    auto leave = tile::CopyOp::create(
        b, store.getLoc(), tile, origin, store.getDst(), store.getDstOffsets(),
        shape, store.getDstSizes(), /*disable_tma=*/false,
        /*prefer_tma=*/false, /*inst=*/nullptr, /*reason=*/nullptr,
        /*ring=*/nullptr, /*layout=*/nullptr);
    std::string refusal = whyNotLeave(leave, store);
    if (!refusal.empty()) {
      for (Operation *op : {leave.getOperation(), fill.getOperation(),
                            zero.getDefiningOp(), tile.getOperation()})
        op->erase();
      return {false, refusal};
    }
    leave.setReason(leave.getReason().value_or("").str() + "; staged, since " +
                    why);
    sink(leave, store);
    return {true, why};
  }

  std::string whyNotLeave(tile::CopyOp leave, tile::CopyOp store) {
    if (failed(tile::selectCopy(leave, target, {})) ||
        leave.getInst() != tile::CopyInst::TmaStore)
      return leave.getReason().value_or("TMA cannot store the tile").str();
    if (std::string why = whyNoTensorStore(leave, launch, store); !why.empty())
      return why;
    return whyNoRoom();
  }

  /// Past what touches neither the tile nor the tensor, to the product.
  void sink(tile::CopyOp leave, Operation *replaced) {
    Operation *product = findProduct(leave);
    if (!product)
      return;
    Operation *place = leave->getNextNode();
    while (place != product && (place == replaced || canPass(leave, place)))
      place = place->getNextNode();
    leave->moveBefore(place);
  }

  static bool canPass(tile::CopyOp leave, Operation *op) {
    SmallVector<tile::Effect> effects;
    collectEffects(op, effects);
    bool touches = llvm::any_of(effects, [&](const tile::Effect &effect) {
      return effect.buffer == leave.getSrc() || effect.buffer == leave.getDst();
    });
    return !touches &&
           !op->walk([](Operation *inner) {
                return isa<tile::SyncThreadsOp, tile::SyncGridOp,
                           tile::CallExternOp, tile::AtomicOp>(inner)
                           ? WalkResult::interrupt()
                           : WalkResult::advance();
              }).wasInterrupted();
  }

  tile::PipelinedOp loop;
  tile::LaunchOp launch;
  const target::TargetInfo &target;
};

struct TileStageStoresPass
    : tlc::impl::TileStageStoresPassBase<TileStageStoresPass> {
  using Base::Base;
  void runOnOperation() override {
    const target::TargetInfo *found = target::lookupTarget(arch);
    if (!found) {
      getOperation().emitError() << "unknown architecture '" << arch << "'";
      return signalPassFailure();
    }
    SmallVector<tile::PipelinedOp> loops;
    getOperation().walk([&](tile::PipelinedOp op) { loops.push_back(op); });
    for (tile::PipelinedOp op : loops)
      StoreStager(op, *found).run();
  }
};

} // namespace
