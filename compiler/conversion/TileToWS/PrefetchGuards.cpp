// A flag that guards a statement of a pipelined turn is loaded one turn ahead:
// a load from global memory takes as long as half a turn, and the branch waits
// for it (evidence/golden/correct_h0.md, rule 9).
//
//   for i { f = load flags[i]; if f {...} }
// becomes
//   f0 = load flags[0]; for i (f = f0) { n = load flags[i + 1]; if f {...};
//                                        yield n }
//
// Only loads that may be made out of turn: of tensors that the kernel does not
// write, guarded against places outside, at indices that follow from the loop
// variable alone. Guards of ring accesses stay: producer and consumer must see
// the same flags.
#include "compiler/conversion/Conversion.h"
#include "compiler/conversion/TileToWS/Buffers.h"
#include "compiler/support/Remarks.h"

#include "mlir/IR/PatternMatch.h"

namespace tlc {
#define GEN_PASS_DEF_WSPREFETCHGUARDSPASS
#include "compiler/conversion/Conversion.h.inc"
} // namespace tlc

using namespace mlir;
using namespace tlc;

namespace {

/// Loads of one element in one turn, and the computation of its indices.
struct Flag {
  SmallVector<tile::LoadOp> loads;
  llvm::SetVector<Operation *> slice; ///< in program order
};

class GuardPrefetcher {
public:
  GuardPrefetcher(scf::ForOp loop, const llvm::DenseSet<Value> &written)
      : loop(loop), written(written) {}

  void run() {
    collect();
    if (!flags.empty())
      rewrite();
  }

private:
  /// The flags that a thread may carry in registers.
  static constexpr size_t kMaxFlags = 4;

  static bool guardsRing(tile::LoadOp load) {
    return llvm::any_of(load->getUsers(), [](Operation *user) {
      return isa<scf::IfOp>(user) &&
             user->walk([](Operation *op) {
                   return isa<ws::WaitOp, ws::AcquireOp>(op)
                              ? WalkResult::interrupt()
                              : WalkResult::advance();
                 })
                 .wasInterrupted();
    });
  }

  bool isFlag(tile::LoadOp load) {
    return tile::isInSpace(load.getBuffer(), tile::Space::Global) &&
           !written.contains(load.getBuffer()) && !load.getInBounds() &&
           load.getResult().getType().isInteger(1) &&
           load->getParentOfType<scf::ForOp>() == loop && !guardsRing(load) &&
           llvm::any_of(load->getUsers(), llvm::IsaPred<scf::IfOp>);
  }

  /// Adds what computes `value` in the loop; false if another turn could not.
  bool addSlice(Value value, llvm::SetVector<Operation *> &slice) {
    Operation *def = value.getDefiningOp();
    if (!def)
      return !loop->isAncestor(
                 cast<BlockArgument>(value).getOwner()->getParentOp()) ||
             value == loop.getInductionVar();
    if (!loop->isProperAncestor(def) || slice.contains(def))
      return true;
    if (!isPure(def) || def->getNumRegions() != 0)
      return false;
    for (Value operand : def->getOperands())
      if (!addSlice(operand, slice))
        return false;
    slice.insert(def);
    return true;
  }

  void collect() {
    loop.walk([&](tile::LoadOp load) {
      if (!isFlag(load))
        return;
      for (Flag &flag : flags)
        if (flag.loads.front().getBuffer() == load.getBuffer() &&
            flag.loads.front().getIndices() == load.getIndices())
          return flag.loads.push_back(load);
      Flag flag{{load}, {}};
      if (flags.size() < kMaxFlags &&
          llvm::all_of(load.getIndices(), [&](Value index) {
            return addSlice(index, flag.slice);
          }))
        flags.push_back(std::move(flag));
    });
  }

  static Value loadAt(OpBuilder &b, Flag &flag, Value oldTurn, Value turn) {
    IRMapping mapping;
    mapping.map(oldTurn, turn);
    for (Operation *op : flag.slice)
      b.clone(*op, mapping);
    return b.clone(*flag.loads.front(), mapping)->getResult(0);
  }

  void rewrite() {
    IRRewriter rewriter(loop.getContext());
    rewriter.setInsertionPoint(loop);
    SmallVector<Value> first;
    for (Flag &flag : flags)
      first.push_back(
          loadAt(rewriter, flag, loop.getInductionVar(), loop.getLowerBound()));
    DictionaryAttr notes = loop->getDiscardableAttrDictionary();
    Location loc = loop.getLoc();
    auto yieldNext = [&](OpBuilder &b, Location, ArrayRef<BlockArgument> args) {
      auto inner = cast<scf::ForOp>(args.front().getOwner()->getParentOp());
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(inner.getBody());
      Value turn = inner.getInductionVar();
      Value next = arith::AddIOp::create(b, loc, turn, inner.getStep());
      SmallVector<Value> values;
      for (Flag &flag : flags)
        values.push_back(loadAt(b, flag, loop.getInductionVar(), next));
      for (auto [flag, arg] : llvm::zip(flags, args)) {
        BlockArgument(arg).setLoc(flag.loads.front().getLoc());
        for (tile::LoadOp load : flag.loads) {
          emitDecision(load, "prefetch",
                       "'" + tile::getBufferName(load.getBuffer()) +
                           "' is loaded one turn ahead");
          load.getResult().replaceAllUsesWith(arg);
          load->erase();
        }
      }
      return values;
    };
    auto result = loop.replaceWithAdditionalYields(
        rewriter, first, /*replaceInitOperandUsesInLoop=*/false, yieldNext);
    if (succeeded(result))
      (*result)->setDiscardableAttrs(notes);
  }

  scf::ForOp loop;
  const llvm::DenseSet<Value> &written;
  SmallVector<Flag> flags;
};

struct WSPrefetchGuardsPass
    : tlc::impl::WSPrefetchGuardsPassBase<WSPrefetchGuardsPass> {
  using Base::Base;
  void runOnOperation() override {
    getOperation().walk([&](ws::RoleOp role) {
      llvm::DenseSet<Value> written = getWrittenGlobals(getOperation());
      SmallVector<scf::ForOp> loops;
      role.walk([&](ws::WaitOp wait) {
        auto loop = wait->getParentOfType<scf::ForOp>();
        if (loop && role->isAncestor(loop) && !llvm::is_contained(loops, loop))
          loops.push_back(loop);
      });
      for (scf::ForOp loop : loops)
        GuardPrefetcher(loop, written).run();
      return WalkResult::skip();
    });
  }
};

} // namespace
