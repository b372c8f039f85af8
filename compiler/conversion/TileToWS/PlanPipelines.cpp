// Which copies fill rings, and how each pipelined loop runs.
//
// A copy fills a ring if TMA or cp.async makes it, if its tile is written by
// nothing else and used only after it in the same turn, and if another warp can
// run everything that its address and its guards depend on (sync.md 3.6).
// Copies whose tiles have the same first and last use share a ring
// (sync.md 3.3, 6).
#include "compiler/conversion/Conversion.h"
#include "compiler/conversion/TileToWS/Buffers.h"
#include "compiler/conversion/TileToWS/SinkLoads.h"
#include "compiler/conversion/TileToWS/Slices.h"
#include "compiler/conversion/TileToWS/Stores.h"
#include "compiler/support/Remarks.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

namespace tlc {
#define GEN_PASS_DEF_TILEPLANPIPELINESPASS
#include "compiler/conversion/Conversion.h.inc"
} // namespace tlc

using namespace mlir;
using namespace tlc;

namespace {

/// A copy that may fill a ring, and the statements that first and last use its
/// tile in the block of the copy (null: no use).
struct Candidate {
  tile::CopyOp copy;
  Operation *firstUse = nullptr, *lastUse = nullptr;
};

class LaunchPlanner {
public:
  LaunchPlanner(tile::LaunchOp launch, bool warpSpecialize, bool guardLoads,
                bool delay)
      : launch(launch), warpSpecialize(warpSpecialize), guardLoads(guardLoads),
        delay(delay), written(getWrittenGlobals(launch)) {}

  LogicalResult run() {
    SmallVector<tile::PipelinedOp> loops;
    launch.walk([&](tile::PipelinedOp loop) { loops.push_back(loop); });
    std::string refusal = whyNotSpecialize();
    for (tile::PipelinedOp loop : loops) {
      if (refusal.empty() && guardLoads)
        sinkLoads(loop, launch, written, delay);
      planLoop(loop, refusal);
    }
    // Whatever else fills no ring is made by the threads themselves.
    launch.walk([&](tile::CopyOp copy) {
      if (isStore(copy)) {
        if (std::string why = whyNoTensorStore(copy, launch); !why.empty())
          makeVector(copy, why);
      } else if (!copy.getRing() && copy.getInst() != tile::CopyInst::Vector) {
        makeVector(copy, whyOutside(copy));
      }
    });
    return failure(isRefused);
  }

private:
  static Operation *findGridBarrier(Operation *scope) {
    Operation *found = nullptr;
    scope->walk([&](tile::SyncGridOp barrier) { found = barrier; });
    return found;
  }

  tile::CopyOp findThreadCopy() {
    tile::CopyOp found;
    launch.walk([&](tile::CopyOp copy) {
      if (copy.getInst() == tile::CopyInst::CpAsync)
        found = copy;
    });
    return found;
  }

  std::string whyNotSpecialize() {
    if (!warpSpecialize)
      return "warp specialization is switched off";
    if (tile::CopyOp copy = findThreadCopy())
      return "the threads make the copy at " + describeLine(copy.getLoc()) +
             " by cp.async";
    if (Operation *barrier = findGridBarrier(launch))
      return llvm::formatv("the blocks meet at T.sync_grid at {0}, and roles "
                           "would meet there one by one",
                           describeLine(barrier->getLoc()));
    int64_t threads = launch.getNumThreads();
    if (threads + 32 > 1024)
      return llvm::formatv("{0} threads leave no room for a producer warp",
                           threads);
    return "";
  }

  static std::string whyOutside(tile::CopyOp copy) {
    bool isAsked = copy.getPreferTma() || copy.getPreferCpAsync();
    return isAsked ? "loads are asynchronous only where a pipelined loop uses "
                     "their tile in the same turn"
                   : "it fills no ring";
  }

  /// An instruction that was asked for is used or refused.
  void makeVector(tile::CopyOp copy, const Twine &why) {
    if (copy.getPreferTma() || copy.getPreferCpAsync()) {
      copy.emitError() << "T.copy: "
                       << (copy.getPreferTma() ? "TMA" : "cp.async")
                       << " cannot be used here: " << why;
      isRefused = true;
    }
    copy.setInst(tile::CopyInst::Vector);
    copy.setReason(("made by the threads: " + why).str());
  }

  static bool isStore(tile::CopyOp copy) {
    return copy.getInst() == tile::CopyInst::TmaStore;
  }

  static StringRef describePlan(tile::Plan plan) {
    switch (plan) {
    case tile::Plan::Sequential:
      return "turn by turn";
    case tile::Plan::Pipelined:
      return "with loads ahead, without specialization";
    case tile::Plan::WarpSpecialized:
      return "warp-specialized";
    }
    llvm_unreachable("unknown plan");
  }

  void setPlan(tile::PipelinedOp loop, tile::Plan plan, const Twine &reason) {
    loop.setPlan(plan);
    loop.setReason(reason.str());
    emitDecision(loop, "pipeline",
                 "T.Pipelined runs " + describePlan(plan) + ": " + reason);
  }

  void planLoop(tile::PipelinedOp loop, const std::string &refusal) {
    if (loop.getNumStages() == 0)
      return setPlan(loop, tile::Plan::Sequential, "num_stages is 0");
    SmallVector<Candidate> candidates;
    std::string firstRefusal = "no copy in it can be made asynchronously";
    loop.walk([&](tile::CopyOp copy) {
      if (copy->getParentOfType<tile::PipelinedOp>() != loop || isStore(copy) ||
          copy.getInst().value_or(tile::CopyInst::Vector) ==
              tile::CopyInst::Vector)
        return;
      Candidate candidate{copy};
      std::string why = whyNoRing(loop, candidate);
      if (why.empty() && !refusal.empty())
        why = whyNoPrefetch(loop, copy);
      if (why.empty())
        return candidates.push_back(candidate);
      firstRefusal = "the copy at " + describeLine(copy.getLoc()) + " " + why;
      makeVector(copy, why);
    });
    if (candidates.empty())
      return setPlan(loop, tile::Plan::Sequential, firstRefusal);
    assignRings(candidates);
    if (refusal.empty())
      setPlan(loop, tile::Plan::WarpSpecialized,
              "its tiles are loaded ahead by producer warps");
    else
      setPlan(loop, tile::Plan::Pipelined, refusal);
  }

  /// Empty if the copy may fill a ring; finds the uses of its tile.
  std::string whyNoRing(tile::PipelinedOp loop, Candidate &candidate) {
    tile::CopyOp copy = candidate.copy;
    Value tile = copy.getDst();
    std::string name = tile::getBufferName(tile);
    if (launch.getNumThreads() % 32 != 0)
      return "would hand slots over by whole warps, the block has " +
             std::to_string(launch.getNumThreads()) + " threads";
    if (Operation *barrier = findGridBarrier(loop))
      return "would run ahead of T.sync_grid at " +
             describeLine(barrier->getLoc());
    if (written.contains(copy.getSrc()))
      return "reads '" + tile::getBufferName(copy.getSrc()) +
             "', which the kernel writes";
    if (!tile.getDefiningOp<tile::AllocOp>())
      return "does not fill an allocated tile";
    if (copy.getDstSizes() != cast<MemRefType>(tile.getType()).getShape())
      return "fills only a part of '" + name + "'";
    if (std::string why = findUses(candidate, name); !why.empty())
      return why;
    Slice slice = computeSlice({copy}, launch, written);
    return slice.refusal;
  }

  std::string findUses(Candidate &candidate, const std::string &name) {
    Block *block = candidate.copy->getBlock();
    for (Operation *access : getAccesses(candidate.copy.getDst())) {
      if (access == candidate.copy ||
          belongsToOtherFill(access, candidate.copy))
        continue;
      Operation *use = getAncestorIn(block, access);
      auto refuse = [&](StringRef what, StringRef more = "") {
        return llvm::formatv("fills '{0}', which is {1} at {2}{3}", name, what,
                             describeLine(access->getLoc()), more)
            .str();
      };
      if (!use)
        return refuse("also used", ", outside its turn or guard");
      if (use->isBeforeInBlock(candidate.copy))
        return refuse("used before it");
      if (writes(access, candidate.copy.getDst()))
        return refuse("also written");
      if (!candidate.firstUse || use->isBeforeInBlock(candidate.firstUse))
        candidate.firstUse = use;
      if (!candidate.lastUse || candidate.lastUse->isBeforeInBlock(use))
        candidate.lastUse = use;
    }
    return "";
  }

  /// A use in another span, after a fill of the same tile there, does not see
  /// what this fill wrote.
  static bool belongsToOtherFill(Operation *access, tile::CopyOp copy) {
    for (Operation *other : getAccesses(copy.getDst())) {
      auto fill = dyn_cast<tile::CopyOp>(other);
      if (!fill || fill == copy || fill.getDst() != copy.getDst() ||
          fill->getBlock() == copy->getBlock())
        continue;
      Operation *use = getAncestorIn(fill->getBlock(), access);
      if (access == fill || (use && fill->isBeforeInBlock(use)))
        return !fill->getBlock()->findAncestorOpInBlock(*copy);
    }
    return false;
  }

  static bool writes(Operation *op, Value buffer) {
    SmallVector<tile::Effect> effects;
    cast<tile::EffectsOpInterface>(op).getTileEffects(effects);
    return llvm::any_of(effects, [&](const tile::Effect &effect) {
      return effect.buffer == buffer && effect.kind == tile::AccessKind::Write;
    });
  }

  /// Without a producer the fill of a later turn is issued in this one: its
  /// slice is evaluated out of turn, so nothing in it may change per turn.
  std::string whyNoPrefetch(tile::PipelinedOp loop, tile::CopyOp copy) {
    for (Operation *parent = copy->getParentOp(); parent != loop;
         parent = parent->getParentOp())
      if (!isa<scf::IfOp>(parent))
        return "lies in an inner loop";
    if (computeSlice({copy}, launch, written).writesInside(loop))
      return "depends on a variable that changes in the loop";
    return "";
  }

  void assignRings(MutableArrayRef<Candidate> candidates) {
    SmallVector<std::string> names(candidates.size());
    for (size_t i = 0; i < candidates.size(); ++i) {
      if (!names[i].empty())
        continue;
      SmallVector<size_t> members = {i};
      for (size_t j = i + 1; j < candidates.size(); ++j)
        if (names[j].empty() && share(candidates[i], candidates[j]))
          members.push_back(j);
      std::string name;
      for (size_t m : members)
        name += (name.empty() ? "" : "_") +
                tile::getBufferName(candidates[m].copy.getDst());
      for (size_t m : members) {
        names[m] = unique(name);
        candidates[m].copy.setRing(names[m]);
      }
      taken.insert(unique(name));
    }
  }

  /// Loops that use the same tile have a ring each.
  std::string unique(const std::string &name) {
    std::string result = name;
    for (unsigned i = 2; taken.contains(result); ++i)
      result = name + "_" + std::to_string(i);
    return result;
  }

  static bool isInGroups(tile::CopyOp copy) {
    return copy.getInst() == tile::CopyInst::CpAsync;
  }

  static bool share(Candidate a, Candidate b) {
    return a.copy->getBlock() == b.copy->getBlock() && a.firstUse &&
           a.firstUse == b.firstUse && a.lastUse == b.lastUse &&
           a.copy.getDst() != b.copy.getDst() &&
           isInGroups(a.copy) == isInGroups(b.copy) &&
           b.copy->isBeforeInBlock(a.firstUse);
  }

  tile::LaunchOp launch;
  bool warpSpecialize, guardLoads, delay;
  llvm::DenseSet<Value> written;
  llvm::StringSet<> taken;
  bool isRefused = false; ///< with an error
};

struct TilePlanPipelinesPass
    : tlc::impl::TilePlanPipelinesPassBase<TilePlanPipelinesPass> {
  using Base::Base;
  void runOnOperation() override {
    getOperation().walk([&](tile::LaunchOp launch) {
      if (failed(
              LaunchPlanner(launch, warpSpecialize, guardLoads, delay).run()))
        signalPassFailure();
    });
  }
};

} // namespace
