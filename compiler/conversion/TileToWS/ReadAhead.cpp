// A slot that threads only load into a fragment is loaded one turn early, while
// the products of the turn before it still run (evidence/golden/correct_h0.md,
// section 4).
//
//   for i { wait s; copy s -> f; release s; ...; product; mma_wait }
// becomes
//   if 0 < n { wait s; copy s -> a; release s }
//   for i { copy a -> f; ...;
//           product; if i + 1 < n { wait s; copy s -> a; release s }; mma_wait
//           }
//
// On each path of a turn the slot is read once, after the place where the
// fragment `a` was used. It runs on released slots: what holds a slot longer
// than its read forbids the change, and fences are derived for the new places.
#include "compiler/analysis/Layout.h"
#include "compiler/conversion/Conversion.h"
#include "compiler/conversion/TileToWS/Buffers.h"
#include "compiler/conversion/TileToWS/Paths.h"
#include "compiler/conversion/TileToWS/Registers.h"
#include "compiler/conversion/TileToWS/Slices.h"
#include "compiler/conversion/TileToWS/Tokens.h"
#include "compiler/support/Remarks.h"
#include "compiler/target/TargetInfo.h"

#include "mlir/IR/Matchers.h"

namespace tlc {
#define GEN_PASS_DEF_WSREADAHEADPASS
#include "compiler/conversion/Conversion.h.inc"
} // namespace tlc

using namespace mlir;
using namespace tlc;

namespace {

/// The last op from `op` on in its block that is a wait for products or a
/// branch with one; null if there is none. Loops are not entered.
Operation *findFlight(Operation *op) {
  Operation *last = nullptr;
  for (; op; op = op->getNextNode()) {
    if (isa<ws::MmaWaitOp>(op))
      last = op;
    auto branch = dyn_cast<scf::IfOp>(op);
    if (branch &&
        (findFlight(&branch.thenBlock()->front()) ||
         (branch.elseBlock() && findFlight(&branch.elseBlock()->front()))))
      last = op;
  }
  return last;
}

/// A slot of a turn, and its one read.
struct Read {
  ws::WaitOp wait;
  ws::ReleaseOp release;
  tile::CopyOp copy;
};

class SlotReader {
public:
  SlotReader(scf::ForOp loop, ws::WaitOp wait, const target::TargetInfo &target,
             int64_t mostElements)
      : loop(loop), role(loop->getParentOfType<ws::RoleOp>()), target(target),
        mostElements(mostElements) {
    read.wait = wait;
  }

  void run() {
    if (!isCandidate())
      return;
    std::string refusal = whyNot();
    if (!refusal.empty())
      return emitMissedDecision(read.copy, "read-ahead",
                                "the slot of '" + getName() +
                                    "' is not read one turn early: " + refusal);
    Operation *flight = findFlight(read.release);
    emitDecision(read.copy, "read-ahead",
                 "the slot of '" + getName() +
                     "' is read one turn early, while the product at " +
                     describeLine(findProduct(flight).getLoc()) + " runs");
    rewrite(flight);
  }

private:
  std::string getName() {
    return read.wait.getRing().getDefiningOp<ws::RingOp>().getName().str();
  }

  /// A slot that a copy takes into a fragment; others are not worth a word.
  bool isCandidate() {
    for (const SlotAccess &access : getSlotAccesses(read.wait))
      if (auto copy = dyn_cast<tile::CopyOp>(access.op))
        if (tile::isInSpace(copy.getDst(), tile::Space::Fragment))
          read.copy = copy;
    return read.copy != nullptr;
  }

  static bool isWhole(Value buffer, ValueRange offsets,
                      ArrayRef<int64_t> sizes) {
    return llvm::equal(cast<MemRefType>(buffer.getType()).getShape(), sizes) &&
           llvm::all_of(offsets,
                        [](Value at) { return matchPattern(at, m_Zero()); });
  }

  std::string whyNot() {
    for (auto check : {&SlotReader::whyNotSlot, &SlotReader::whyNotOrder,
                       &SlotReader::whyNotFlight, &SlotReader::whyNotRegisters,
                       &SlotReader::whyNotWorth})
      if (std::string why = (this->*check)(); !why.empty())
        return why;
    return "";
  }

  /// The slot is read once, as a whole, in each turn.
  std::string whyNotSlot() {
    if (read.wait->getBlock() != loop.getBody())
      return "it is read under a condition";
    for (const SlotAccess &access : getSlotAccesses(read.wait))
      if (access.op != read.copy)
        return "the " + describeOp(access.op) + " uses it too";
    if (read.copy->getBlock() != loop.getBody())
      return "it is read under a condition";
    tile::CopyOp copy = read.copy;
    if (copy.getSrcSizes() != copy.getDstSizes() ||
        !isWhole(copy.getSrc(), copy.getSrcOffsets(), copy.getSrcSizes()) ||
        !isWhole(copy.getDst(), copy.getDstOffsets(), copy.getDstSizes()) ||
        !copy.getDst().getDefiningOp<tile::AllocOp>())
      return "it is not read as a whole into a whole fragment";
    return "";
  }

  /// Nothing depends on when the slot is waited for and released.
  std::string whyNotOrder() {
    SmallVector<ws::ReleaseOp> releases = getReleases(read.wait);
    if (releases.size() != 1 || releases.front()->getBlock() != loop.getBody())
      return "its release depends on a condition";
    read.release = releases.front();
    for (Operation *op = read.wait->getNextNode(); op != read.release;
         op = op->getNextNode())
      if (op != read.copy && !isMemoryEffectFree(op))
        return "the " + describeOp(op) + " keeps it";
    for (Operation *user : read.wait.getRing().getUsers())
      if (isa<ws::WaitOp>(user) && user != read.wait)
        return "it is waited for at " + describeLine(user->getLoc()) + " too";
    return whyNotProducer();
  }

  /// A thread that fills two rings, and waits for a slot of the other one that
  /// is still held here, would never come to the slot that this waits for.
  std::string whyNotProducer() {
    for (Operation *user : read.wait.getRing().getUsers()) {
      auto acquire = dyn_cast<ws::AcquireOp>(user);
      auto producer =
          acquire ? acquire->getParentOfType<ws::ElectOp>() : ws::ElectOp();
      if (!producer)
        continue;
      std::string other;
      producer.walk([&](ws::AcquireOp op) {
        if (op.getRing() != read.wait.getRing())
          other = op.getRing().getDefiningOp<ws::RingOp>().getName().str();
      });
      if (!other.empty())
        return "the thread that fills it fills '" + other + "' too";
    }
    return "";
  }

  std::string whyNotFlight() {
    Operation *flight = findFlight(read.release);
    if (!flight)
      return "no product runs after it in its turn";
    if (dependsOnThread(loop.getLowerBound(), role) ||
        dependsOnThread(loop.getUpperBound(), role))
      return "threads run different numbers of turns";
    bool splits = false;
    flight->walk([&](scf::IfOp branch) {
      splits |= dependsOnThread(branch.getCondition(), role);
    });
    return splits ? "threads take different paths to the product" : "";
  }

  int64_t countThreads() {
    int64_t warps = 0;
    role->getParentOfType<tile::LaunchOp>().walk([&](ws::RoleOp op) {
      warps = std::max(warps, op.getWarps()[0] + op.getWarps()[1]);
    });
    return warps * kWarp;
  }

  /// As many as fragments of the role hold, all of them at once.
  std::string whyNotRegisters() {
    int64_t bits = countFragmentBits(role);
    // The compiler of the vendor keeps a register for each narrow element.
    auto slot = cast<MemRefType>(read.copy.getSrc().getType());
    bits +=
        slot.getNumElements() * std::max(32u, slot.getElementTypeBitWidth());
    int64_t need = estimateRegisters(bits, getRoleThreads(loop));
    int64_t have = static_cast<int64_t>(role.getRegisters());
    if (have == 0)
      have = target.launchRegisters(countThreads());
    if (need <= have)
      return "";
    return "a thread would need some " + std::to_string(need) +
           " registers and has " + std::to_string(have);
  }

  /// What it costs, an instruction for each element and its register, is more
  /// than the wait that it hides (measured: docs/levers.md).
  std::string whyNotWorth() {
    bool inRegisters = false;
    loop.walk([&](tile::GemmOp gemm) {
      inRegisters |= tile::isInSpace(gemm.getA(), tile::Space::Fragment);
    });
    if (inRegisters)
      return "the products take A from registers, which are loaded meanwhile";
    auto slot = cast<MemRefType>(read.copy.getSrc().getType());
    int64_t elements = slot.getNumElements() / getRoleThreads(loop);
    if (elements > mostElements)
      return "a thread would keep " + std::to_string(elements) +
             " elements of it, more than " + std::to_string(mostElements);
    auto layout = read.copy.getDst().getDefiningOp<tile::AllocOp>().getLayout();
    auto parsed = layout ? analysis::LinearLayout::parse(layout->getText())
                         : std::nullopt;
    if (parsed && !parsed->registerDigits().empty() &&
        parsed->registerDigits().front().step.back() != 1)
      return "the elements that a thread reads are no neighbours in memory";
    return "";
  }

  static tile::GemmOp findProduct(Operation *flight) {
    for (Operation *op = flight; op; op = op->getPrevNode()) {
      tile::GemmOp product;
      op->walk([&](tile::GemmOp gemm) { product = gemm; });
      if (product)
        return product;
    }
    return nullptr;
  }

  void rewrite(Operation *flight) {
    createFragment();
    readIf(OpBuilder(loop), loop.getLowerBound());
    OpBuilder b(read.copy);
    Value next = arith::AddIOp::create(b, read.copy.getLoc(),
                                       loop.getInductionVar(), loop.getStep());
    readAt(flight, next);
    read.copy.getSrcMutable().assign(fragment);
    read.copy.setReason("read in the turn before");
    read.release.erase();
    read.wait.erase();
  }

  void createFragment() {
    auto slot = cast<MemRefType>(read.copy.getSrc().getType());
    auto to = cast<MemRefType>(read.copy.getDst().getType());
    auto type =
        MemRefType::get(slot.getShape(), slot.getElementType(),
                        MemRefLayoutAttrInterface(), to.getMemorySpace());
    auto like = read.copy.getDst().getDefiningOp<tile::AllocOp>();
    auto b = OpBuilder::atBlockBegin(&role.getBody().front());
    fragment = tile::AllocOp::create(b, read.copy.getLoc(), type,
                                     b.getStringAttr(getName() + "_ahead"),
                                     tile::SwizzleAttr(), like.getLayoutAttr());
  }

  /// Reads the slot of turn `turn`, if there is such a turn.
  void readIf(OpBuilder b, Value turn) {
    Location loc = read.copy.getLoc();
    Value more = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, turn,
                                       loop.getUpperBound());
    auto guard = scf::IfOp::create(b, loc, more, /*withElse=*/false);
    b.setInsertionPointToStart(guard.thenBlock());
    IRMapping mapping;
    b.clone(*read.wait, mapping);
    // The constants of the copy may lie in the loop.
    Value zero = arith::ConstantIntOp::create(b, loc, 0, /*width=*/32);
    for (ValueRange offsets :
         {read.copy.getSrcOffsets(), read.copy.getDstOffsets()})
      for (Value offset : offsets)
        mapping.map(offset, zero);
    mapping.map(read.copy.getDst(), fragment);
    b.clone(*read.copy, mapping);
    auto release = cast<ws::ReleaseOp>(b.clone(*read.release, mapping));
    release.setReason(read.release.getReason().value_or("").str() +
                      ", one turn early");
  }

  /// Before `place`; if that is a branch with products, in both of its paths.
  void readAt(Operation *place, Value turn) {
    auto branch = dyn_cast<scf::IfOp>(place);
    if (!branch)
      return readIf(OpBuilder(place), turn);
    for (Block *block : {branch.thenBlock(), getOrCreateElse(branch)}) {
      Operation *inner = findFlight(&block->front());
      readAt(inner ? inner : block->getTerminator(), turn);
    }
  }

  scf::ForOp loop;
  ws::RoleOp role;
  const target::TargetInfo &target;
  int64_t mostElements;
  Read read;
  Value fragment;
};

struct WSReadAheadPass : tlc::impl::WSReadAheadPassBase<WSReadAheadPass> {
  using Base::Base;

  static bool isSpecialized(scf::ForOp loop) {
    auto plan = loop->getAttrOfType<tile::PlanAttr>("ws.plan");
    return plan && plan.getValue() == tile::Plan::WarpSpecialized;
  }

  void runOnOperation() override {
    const target::TargetInfo *info = target::lookupTarget(arch);
    if (!info) {
      getOperation().emitError() << "unknown architecture '" << arch << "'";
      return signalPassFailure();
    }
    SmallVector<ws::WaitOp> waits;
    getOperation().walk([&](ws::WaitOp wait) { waits.push_back(wait); });
    for (ws::WaitOp wait : waits) {
      auto loop = wait->getParentOfType<scf::ForOp>();
      if (loop && isSpecialized(loop))
        SlotReader(loop, wait, *info, mostElements).run();
    }
  }
};

} // namespace
