// Who acts next, and what is enabled.
#include "compiler/interp/SmRun.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::interp;

bool SmRun::isEnabled(Warp &warp) {
  if (warp.finished() || warp.atBarrier)
    return false;
  if (warp.atGrid)
    return grid->generation > warp.gridGeneration;
  settleUses(warp, *current(warp));
  return isEnabled(warp, *current(warp));
}

bool SmRun::isEnabled(Warp &warp, const SmNode &node) {
  switch (node.code) {
  case SmCode::MBarrierWait: {
    auto op = cast<sm::MBarrierWaitOp>(node.op);
    MBarrier *barrier = barrierAt(warp, node, 1);
    if (!barrier || !barrier->initialized)
      return true; // running it reports the problem
    int64_t parity = (uniform(warp, node, 2) & 1) ^ op.getInvert();
    if (barrier->isOver(parity))
      return true;
    if (!warp.waiting) {
      warp.waiting = true;
      warp.waitingSince = barrier->phase;
    } else if (barrier->phase >= warp.waitingSince + 2 &&
               options.schedule != SmSchedule::Exhaustive) {
      problem(SmProblem::Barrier, node.op,
              "the phase that this waits for has passed by: '" +
                  program.barriers[barrier->decl].name + "[" +
                  std::to_string(barrier->stage) +
                  "]' completed the next one before this thread looked");
    }
    return false;
  }
  case SmCode::WgmmaWait: {
    size_t pending = cast<sm::WgmmaWaitOp>(node.op).getPending();
    for (size_t i = 0; i + pending < warp.productGroups.size(); ++i)
      for (const Product &product : warp.productGroups[i])
        if (!isReady(warp, product))
          return false;
    return true;
  }
  case SmCode::SetMaxNReg: {
    int64_t more =
        cast<sm::SetMaxNRegOp>(node.op).getRegisters() - warp.maxRegisters;
    return more <= 0 || more * 32 <= registerPool;
  }
  default:
    return true;
  }
}

void SmRun::step(Warp &warp) {
  bool resumes = warp.atGrid;
  warp.atGrid = false;
  if (resumes)
    acquireGrid(warp);
  else
    runEvent(warp, *current(warp));
  if (halted || warp.atBarrier || warp.atGrid)
    return;
  ++warp.frames.back().pc;
  advance(warp);
}

bool SmRun::isDone() const {
  return llvm::all_of(warps, [](const Warp &w) { return w.finished(); });
}

void SmRun::runBlock() {
  while (!halted && !isDone()) {
    bool acted = false;
    switch (options.schedule) {
    case SmSchedule::Canonical:
      acted = runRound();
      break;
    case SmSchedule::Seeded:
      acted = runSeeded();
      break;
    default:
      acted = runAdversarial();
      break;
    }
    if (acted || halted)
      continue;
    if (atGrid())
      return; // until the other blocks come
    deadlock();
  }
}

/// One step of every warp, then one copy lands.
bool SmRun::runRound() {
  bool acted = false;
  for (Warp &warp : warps) {
    if (halted || !isEnabled(warp))
      continue;
    step(warp);
    acted = true;
  }
  if (!halted && !inFlight.empty()) {
    land(0, kAllPieces);
    acted = true;
  }
  return acted;
}

/// Warps whose loads lag act last, so that what can overtake the loads does;
/// copies still in flight land when nobody else can act.
bool SmRun::runAdversarial() {
  for (bool lagging : {false, true})
    for (size_t i = 0; i < warps.size(); ++i) {
      Warp &warp = warps[(nextWarp + i) % warps.size()];
      if (halted || warp.pending.empty() == lagging || !isEnabled(warp))
        continue;
      nextWarp = (warp.index + 1) % warps.size();
      step(warp);
      return true;
    }
  if (halted || inFlight.empty())
    return halted;
  land(0, kAllPieces);
  return true;
}

/// A random agent acts; loads are served at random, copies land whole or piece
/// by piece. Some warps are slow for a while, which reorders more than fair
/// choices do.
bool SmRun::runSeeded() {
  if (random() % 8 == 0) {
    Warp &warp = warps[random() % warps.size()];
    if (!warp.pending.empty()) {
      Epoch epoch = warp.pending[random() % warp.pending.size()].epoch;
      serve(warp, [&](const PendingLoad &load) {
        return load.epoch.time == epoch.time;
      });
    }
  }
  SmallVector<uint32_t, 16> choices;
  size_t slow =
      (result.stats.steps / 64 * 0x9e3779b97f4a7c15ull + options.seed) >> 32;
  for (Warp &warp : warps)
    if (!halted && isEnabled(warp)) {
      choices.push_back(warp.index);
      if ((slow >> warp.index % 32 & 1) == 0)
        choices.append(7, warp.index);
    }
  for (size_t i = 0; i < inFlight.size(); ++i)
    choices.push_back(warps.size() + i);
  if (halted || choices.empty())
    return halted;
  uint32_t choice = choices[random() % choices.size()];
  if (choice < warps.size()) {
    step(warps[choice]);
    return true;
  }
  uint32_t pieces = random() % 2 ? kAllPieces : 1 + random() % kAllPieces;
  land(choice - warps.size(), pieces);
  return true;
}
