// Finding is trying: a fence is taken out, the verifier is asked, the fence is
// put back.
#include "test/exec/war_race/ReleaseFences.h"

#include "compiler/verify/Verify.h"

#include "mlir/IR/Diagnostics.h"

#include <algorithm>
#include <memory>
#include <set>

using namespace mlir;
using namespace tlc;
using namespace tlc::test;

static constexpr StringRef kSpellings[] = {"none", "bar.sync", "membar"};

StringRef tlc::test::spelling(Substitute substitute) {
  return kSpellings[static_cast<int>(substitute)];
}

std::optional<Substitute> tlc::test::parseSubstitute(StringRef name) {
  for (Substitute known :
       {Substitute::Nothing, Substitute::BarSync, Substitute::Membar})
    if (spelling(known) == name)
      return known;
  return std::nullopt;
}

namespace {
using Rings = std::set<std::string>;

/// A fence out of the program for as long as this lives.
class TakenOut {
public:
  explicit TakenOut(Operation *op)
      : op(op), block(op->getBlock()), next(op->getNextNode()) {
    op->remove();
  }
  TakenOut(const TakenOut &) = delete;
  TakenOut &operator=(const TakenOut &) = delete;
  ~TakenOut() {
    block->getOperations().insert(next ? Block::iterator(next) : block->end(),
                                  op);
  }

private:
  Operation *op;
  Block *block;
  Operation *next;
};
} // namespace

/// Adds the rings that a finding of the verifier's obligation V4 names:
/// "the slot of 'h_shared' is handed back to the loader before ...".
static void addRings(StringRef finding, Rings &rings) {
  constexpr StringRef begin = "the slot of ", end = " is handed back to";
  if (!finding.contains(end))
    return;
  StringRef names = finding.split(begin).second.split(end).first;
  SmallVector<StringRef> list;
  names.split(list, ", ");
  for (StringRef name : list)
    rings.insert(name.trim('\'').str());
}

/// Rings of which the verifier cannot see that releases follow the reads.
static Rings unorderedRings(tile::KernelOp kernel) {
  Rings rings;
  ScopedDiagnosticHandler handler(kernel.getContext(), [&](Diagnostic &found) {
    addRings(found.str(), rings);
    return success();
  });
  verify::VerifyReport report =
      verify::verifySm(kernel, *target::lookupTarget("sm_90a"));
  for (const verify::Unproved &unproved : report.notProved)
    addRings(unproved.why, rings);
  return rings;
}

static std::vector<sm::FenceProxyAsyncOp> fencesOfRoles(tile::KernelOp kernel) {
  std::vector<sm::FenceProxyAsyncOp> fences;
  kernel.walk([&](sm::FenceProxyAsyncOp fence) {
    if (!fence->getParentOfType<sm::ElectOp>())
      fences.push_back(fence);
  });
  return fences;
}

/// Where each fence has another that covers for it: a set of them whose absence
/// shows, and of which each counts.
static Rings findTogether(tile::KernelOp kernel,
                          std::vector<sm::FenceProxyAsyncOp> &fences) {
  auto unorderedWithout = [&](const std::set<Operation *> &kept) {
    std::vector<std::unique_ptr<TakenOut>> taken;
    for (sm::FenceProxyAsyncOp fence : fences)
      if (!kept.count(fence))
        taken.push_back(std::make_unique<TakenOut>(fence));
    Rings rings = unorderedRings(kernel);
    // In the opposite order each finds its neighbour again.
    while (!taken.empty())
      taken.pop_back();
    return rings;
  };
  std::set<Operation *> kept;
  Rings rings = unorderedWithout(kept);
  if (rings.empty()) {
    fences.clear();
    return rings;
  }
  for (sm::FenceProxyAsyncOp fence : fences) {
    kept.insert(fence);
    if (unorderedWithout(kept) != rings)
      kept.erase(fence);
  }
  llvm::erase_if(fences, [&](Operation *fence) { return kept.count(fence); });
  return rings;
}

ReleaseFences tlc::test::findReleaseFences(tile::KernelOp kernel) {
  ReleaseFences found;
  Rings rings;
  for (sm::FenceProxyAsyncOp fence : fencesOfRoles(kernel)) {
    TakenOut without(fence);
    Rings unordered = unorderedRings(kernel);
    if (unordered.empty())
      continue;
    found.fences.push_back(fence);
    rings.insert(unordered.begin(), unordered.end());
  }
  if (found.fences.empty()) {
    found.fences = fencesOfRoles(kernel);
    rings = findTogether(kernel, found.fences);
  }
  kernel.walk([&](sm::SharedOp tile) {
    if (rings.count(tile.getName().str()))
      found.rings[tile.getName().str()] = tile.getStages();
  });
  return found;
}

/// A named barrier that the program does not use; there are 16.
static int64_t freeBarrier(tile::KernelOp kernel) {
  int64_t next = 1;
  kernel.walk([&](sm::BarSyncOp barrier) {
    next = std::max<int64_t>(next, barrier.getId() + 1);
  });
  return std::min<int64_t>(next, 15);
}

/// Threads that execute `op`: those of its role, or of the block.
static int64_t threadsAt(Operation *op) {
  if (auto role = op->getParentOfType<sm::RoleOp>())
    return 32 * role.getWarps()[1];
  return op->getParentOfType<sm::LaunchOp>().getThreads();
}

void tlc::test::replaceFences(tile::KernelOp kernel, const ReleaseFences &found,
                              Substitute substitute) {
  int64_t barrier = freeBarrier(kernel);
  for (sm::FenceProxyAsyncOp fence : found.fences) {
    OpBuilder b(fence);
    if (substitute == Substitute::BarSync)
      sm::BarSyncOp::create(b, fence.getLoc(), barrier, threadsAt(fence));
    else if (substitute == Substitute::Membar)
      sm::MembarOp::create(b, fence.getLoc());
    fence.erase();
  }
}
