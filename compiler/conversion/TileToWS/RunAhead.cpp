// One role that fills its own slots ahead of the turns that use them: one
// thread by TMA, or all threads by cp.async.
#include "compiler/conversion/TileToWS/Rings.h"
#include "compiler/conversion/TileToWS/Slices.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tlc;

namespace {

class RunAhead {
public:
  RunAhead(MutableArrayRef<RingSpec> rings,
           const llvm::DenseSet<Value> &written)
      : rings(rings), written(written) {}

  void build(ws::RoleOp role) {
    SmallVector<tile::PipelinedOp> loops;
    role.walk([&](tile::PipelinedOp loop) {
      if (loop.getPlan() == tile::Plan::Pipelined)
        loops.push_back(loop);
    });
    for (tile::PipelinedOp loop : loops) {
      SmallVector<Operation *> body =
          llvm::to_vector(llvm::make_pointer_range(loop.getBody().front()));
      prefetch(loop);
      prefetchInGroups(loop, body);
    }
    consumeRings(rings, role);
    lowerPipelinedLoops(role);
  }

private:
  /// Before the loop the first `depth` turns are filled; at the end of a turn,
  /// when its slots have been released, the turn `depth` later is.
  void prefetch(tile::PipelinedOp loop) {
    OpBuilder b(loop);
    Location loc = loop.getLoc();
    for (RingSpec &spec : rings) {
      if (spec.inGroups || !isFilledIn(loop, spec))
        continue;
      b.setInsertionPoint(loop);
      Value depth =
          arith::ConstantIntOp::create(b, loc, spec.depth, /*width=*/32);
      Value one = arith::ConstantIntOp::create(b, loc, 1, /*width=*/32);
      Value ahead = arith::AddIOp::create(b, loc, loop.getLower(), depth);
      Value end = arith::MinSIOp::create(b, loc, ahead, loop.getUpper());
      auto fillLoop = scf::ForOp::create(b, loc, loop.getLower(), end, one);
      OpBuilder inner = OpBuilder::atBlockBegin(fillLoop.getBody());
      cloneFills(inner, loop, fillLoop.getInductionVar(), spec);
      inner = OpBuilder::atBlockEnd(&loop.getBody().front());
      Value turn = arith::AddIOp::create(
          inner, loc, loop.getBody().front().getArgument(0), depth);
      Value more = arith::CmpIOp::create(inner, loc, arith::CmpIPredicate::slt,
                                         turn, loop.getUpper());
      auto guard = scf::IfOp::create(inner, loc, more, /*withElse=*/false);
      inner.setInsertionPointToStart(guard.thenBlock());
      cloneFills(inner, loop, turn, spec);
    }
  }

  /// One thread runs the slice of the fills of a ring for turn `turn`.
  void cloneFills(OpBuilder &b, tile::PipelinedOp loop, Value turn,
                  RingSpec &spec) {
    auto elect = ws::ElectOp::create(b, loop.getLoc());
    SmallVector<Operation *> body;
    for (Operation &op : loop.getBody().front())
      if (!isa<ws::ElectOp>(op) && !isPrefetchGuard(&op))
        body.push_back(&op);
    cloneSlice(elect, loop, body, turn, spec);
  }

  /// Fills `elect` with what the fills of a ring need of `body`.
  void cloneSlice(ws::ElectOp elect, tile::PipelinedOp loop,
                  ArrayRef<Operation *> body, Value turn, RingSpec &spec) {
    OpBuilder inner = OpBuilder::atBlockEnd(&elect.getBody().emplaceBlock());
    IRMapping mapping;
    mapping.map(loop.getBody().front().getArgument(0), turn);
    for (Operation *op : body)
      inner.clone(*op, mapping);
    SmallVector<Operation *> targets;
    elect.walk([&](tile::CopyOp copy) {
      if (copy.getRing() == spec.name)
        targets.push_back(copy);
    });
    eraseOutside(elect, computeSlice(targets, elect, written));
    produceRing(spec, elect);
    elect.walk([&](tile::CopyOp copy) { copy.removeRingAttr(); });
  }

  static bool isFilledIn(tile::PipelinedOp loop, const RingSpec &spec) {
    bool found = false;
    loop.walk([&](tile::CopyOp copy) { found |= copy.getRing() == spec.name; });
    return found;
  }

  /// The same with all threads, whose copies are complete in groups, one a ring
  /// and turn: those of a turn come in the order of the rings.
  void prefetchInGroups(tile::PipelinedOp loop, ArrayRef<Operation *> body) {
    SmallVector<RingSpec *> mine;
    for (RingSpec &spec : rings)
      if (spec.inGroups && isFilledIn(loop, spec))
        mine.push_back(&spec);
    if (mine.empty())
      return;
    OpBuilder b(loop);
    Location loc = loop.getLoc();
    Value depth =
        arith::ConstantIntOp::create(b, loc, mine.front()->depth, /*width=*/32);
    Value one = arith::ConstantIntOp::create(b, loc, 1, /*width=*/32);
    Value ahead = arith::AddIOp::create(b, loc, loop.getLower(), depth);
    auto first = scf::ForOp::create(b, loc, loop.getLower(), ahead, one);
    OpBuilder inner = OpBuilder::atBlockBegin(first.getBody());
    fillInGroups(inner, loop, body, first.getInductionVar(), mine);
    inner = OpBuilder::atBlockEnd(&loop.getBody().front());
    ws::BarrierOp::create(
        inner, loc,
        inner.getStringAttr("all threads have released the slots that are "
                            "refilled now"),
        /*source=*/false);
    Value turn = arith::AddIOp::create(
        inner, loc, loop.getBody().front().getArgument(0), depth);
    fillInGroups(inner, loop, body, turn, mine);
  }

  /// Fills of one turn, if there is such a turn; their groups are closed in any
  /// case.
  void fillInGroups(OpBuilder &b, tile::PipelinedOp loop,
                    ArrayRef<Operation *> body, Value turn,
                    ArrayRef<RingSpec *> mine) {
    Location loc = loop.getLoc();
    Value more = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, turn,
                                       loop.getUpper());
    for (RingSpec *spec : mine) {
      auto guard = scf::IfOp::create(b, loc, more, /*withElse=*/false);
      OpBuilder inner = OpBuilder::atBlockBegin(guard.thenBlock());
      auto part = ws::ElectOp::create(inner, loc);
      cloneSlice(part, loop, body, turn, *spec);
      Block &block = part.getBody().front();
      guard.thenBlock()->getOperations().splice(Block::iterator(part),
                                                block.getOperations());
      part.erase();
      ws::GroupCommitOp::create(b, loc, spec->ring);
    }
  }

  static bool isPrefetchGuard(Operation *op) {
    auto guard = dyn_cast<scf::IfOp>(op);
    return guard && !guard.thenBlock()->empty() &&
           isa<ws::ElectOp>(guard.thenBlock()->front());
  }

  MutableArrayRef<RingSpec> rings;
  const llvm::DenseSet<Value> &written;
};

} // namespace

void tlc::buildRunningAhead(ws::RoleOp role, MutableArrayRef<RingSpec> rings,
                            const llvm::DenseSet<Value> &written) {
  RunAhead(rings, written).build(role);
}
