// Reads roles, rings and the order of each role off a `ws` program.
#include "compiler/explain/Collect.h"

#include "compiler/conversion/TileToWS/Buffers.h"
#include "compiler/conversion/TileToWS/Tokens.h"
#include "compiler/explain/Describe.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tlc::explain {

namespace {

/// One launch of a `ws` program.
class RoleCollector {
public:
  RoleCollector(tile::LaunchOp op, const Sources &sources, Launch &launch)
      : op(op), sources(sources), launch(launch) {}

  void run() {
    for (Value extent : op.getGrid())
      launch.grid.push_back(describeExtent(extent));
    llvm::append_range(launch.programThreads, op.getThreads());
    for (auto ring : op.getBody().getOps<ws::RingOp>())
      addRing(ring);
    for (auto alloc : op.getBody().getOps<tile::AllocOp>())
      addLocal(alloc);
    for (auto role : op.getBody().getOps<ws::RoleOp>())
      addRole(role, "");
    llvm::erase_if(launch.locals, [](const LocalTile &local) {
      return local.accesses.empty();
    });
  }

private:
  //===--------------------------------------------------------------------===//
  // Tiles
  //===--------------------------------------------------------------------===//

  void addRing(ws::RingOp op) {
    Ring ring;
    ring.name = op.getName().str();
    ring.depth = op.getDepth();
    ring.groups = op.getGroups();
    ring.reason = op.getReason().value_or("").str();
    for (Value member : op.getMembers()) {
      ring.tiles.push_back(
          describe(member.getDefiningOp<tile::AllocOp>(), sources));
      ring.bytes += ring.tiles.back().bytes;
    }
    ringIndex[op] = launch.rings.size();
    launch.rings.push_back(std::move(ring));
  }

  void addLocal(tile::AllocOp alloc) {
    if (!tile::isInSpace(alloc.getResult(), tile::Space::Shared) ||
        llvm::any_of(alloc->getUsers(), llvm::IsaPred<ws::RingOp>))
      return;
    localIndex[alloc] = launch.locals.size();
    launch.locals.push_back({describe(alloc, sources), {}});
  }

  /// The ring that a view of a slot belongs to, or null.
  ws::RingOp ringOf(Value buffer) {
    Operation *def = buffer.getDefiningOp();
    if (auto wait = dyn_cast_or_null<ws::WaitOp>(def))
      return wait.getRing().getDefiningOp<ws::RingOp>();
    if (auto acquire = dyn_cast_or_null<ws::AcquireOp>(def))
      return acquire.getRing().getDefiningOp<ws::RingOp>();
    return nullptr;
  }

  /// Files what `op` does to slots and tiles; the ring it touches first.
  std::string addAccesses(Operation *op) {
    SmallVector<tile::Effect> effects;
    collectEffects(op, effects);
    std::string first;
    for (const tile::Effect &effect : effects) {
      if (ws::RingOp ring = ringOf(effect.buffer)) {
        auto view = cast<OpResult>(effect.buffer);
        // The token is result 0, the views follow in the order of members.
        Value member = ring.getMembers()[view.getResultNumber() - 1];
        Ring &model = launch.rings[ringIndex[ring]];
        bool load = isa<ws::AcquireOp>(view.getOwner());
        addAccess(op, effect, tile::getBufferName(member),
                  load ? model.writes : model.uses);
        if (first.empty())
          first = model.name;
      } else if (auto alloc = effect.buffer.getDefiningOp<tile::AllocOp>();
                 alloc && localIndex.contains(alloc)) {
        LocalTile &local = launch.locals[localIndex[alloc]];
        addAccess(op, effect, local.tile.name, local.accesses);
      }
    }
    return first;
  }

  void addAccess(Operation *op, const tile::Effect &effect,
                 const std::string &tile, std::vector<Access> &list) {
    Access access;
    access.statement = sources.statement(op);
    access.tile = tile;
    access.role = current->name;
    access.write = effect.kind == tile::AccessKind::Write;
    access.async = effect.proxy != tile::Proxy::Generic;
    access.instruction = describeInstruction(op, effect);
    access.reason = describeChoice(op);
    access.guards = sources.guards(op, currentOp);
    for (const Access &known : list)
      if (known.statement == access.statement && known.tile == access.tile &&
          known.role == access.role && known.write == access.write)
        return;
    list.push_back(std::move(access));
  }

  //===--------------------------------------------------------------------===//
  // Roles
  //===--------------------------------------------------------------------===//

  void addRole(ws::RoleOp op, StringRef parent) {
    size_t index = launch.roles.size();
    Role &role = launch.roles.emplace_back();
    role.name = op.getName().str();
    role.parent = parent.str();
    role.firstWarp = op.getWarps()[0];
    role.warps = op.getWarps()[1];
    role.registers = op.getRegisters();
    Block &block = op.getBody().front();
    role.oneThread =
        llvm::hasSingleElement(block) && isa<ws::ElectOp>(block.front());
    // Parts follow their group; `role` may move then.
    for (auto part : block.getOps<ws::RoleOp>())
      addRole(part, op.getName());
    current = &launch.roles[index];
    currentOp = op;
    addBlock(block, 0);
  }

  Action &add(ActionKind kind, unsigned depth, Operation *op) {
    Action &action = current->actions.emplace_back();
    action.kind = kind;
    action.depth = depth;
    action.statement = sources.statement(findOrigin(op));
    return action;
  }

  /// An op that a pass put beside a statement has the place of the statement:
  /// it stands before it, or after the last use of a slot.
  static Operation *findOrigin(Operation *op) {
    if (!isa<ws::FenceOp, ws::BarrierOp, ws::MmaWaitOp, ws::MmaFenceOp>(op))
      return op;
    auto isOrigin = [&](Operation &other) {
      return nameOf(&other) != "statement" && other.getLoc() == op->getLoc();
    };
    auto fence = dyn_cast<ws::FenceOp>(op);
    if (!fence || fence.getViews().empty())
      for (Operation *next = op->getNextNode(); next;
           next = next->getNextNode())
        if (isOrigin(*next))
          return next;
    for (Operation &other : *op->getBlock())
      if (isOrigin(other))
        return &other;
    return op;
  }

  void addBlock(Block &block, unsigned depth) {
    for (Operation &op : block)
      addOp(&op, depth);
  }

  void addOp(Operation *op, unsigned depth) {
    llvm::TypeSwitch<Operation *>(op)
        .Case<ws::RoleOp>([](auto) {})
        .Case<ws::ElectOp>([&](ws::ElectOp elect) {
          bool silent = current->oneThread && depth == 0;
          addNested(ActionKind::Elect, elect, elect.getBody().front(), depth,
                    silent);
        })
        .Case<scf::IfOp>([&](scf::IfOp branch) { addBranch(branch, depth); })
        .Case<scf::ForOp, scf::WhileOp>(
            [&](auto loop) { addLoop(loop, depth); })
        .Case<ws::AcquireOp, ws::CommitOp, ws::WaitOp, ws::ReleaseOp>(
            [&](auto token) { addToken(token, depth); })
        .Case<ws::FenceOp>([&](ws::FenceOp fence) { addFence(fence, depth); })
        .Case<ws::BarrierOp>([&](ws::BarrierOp barrier) {
          Action &action = add(ActionKind::Barrier, depth, barrier);
          action.instruction = "bar.sync";
          action.reason = barrier.getReason().value_or("").str();
          action.written = barrier.getSource();
        })
        .Case<ws::MmaWaitOp>([&](ws::MmaWaitOp wait) {
          Action &action = add(ActionKind::CompletionWait, depth, wait);
          action.instruction =
              "wgmma.wait_group " + std::to_string(wait.getPending());
          action.reason = wait.getReason().value_or("").str();
        })
        .Case<ws::GroupCommitOp>([&](ws::GroupCommitOp commit) {
          Action &action = add(ActionKind::CompletionWait, depth, commit);
          action.instruction = "cp.async.commit_group";
          action.reason = "closes the group of the turn";
        })
        .Case<ws::GroupWaitOp>([&](ws::GroupWaitOp wait) {
          Action &action = add(ActionKind::CompletionWait, depth, wait);
          action.instruction =
              "cp.async.wait_group " + std::to_string(wait.getPending());
          action.reason = wait.getReason().value_or("").str();
        })
        .Case<ws::StoreWaitOp>([&](ws::StoreWaitOp wait) {
          Action &action = add(ActionKind::CompletionWait, depth, wait);
          action.instruction =
              (Twine("cp.async.bulk.wait_group") +
               (wait.getRead() ? ".read " : " ") + Twine(wait.getPending()))
                  .str();
          action.reason = wait.getReason().value_or("").str();
        })
        .Case<ws::MmaFenceOp>([&](ws::MmaFenceOp fence) {
          add(ActionKind::RegisterFence, depth, fence).instruction =
              "wgmma.fence";
        })
        .Default([&](Operation *other) { addStatement(other, depth); });
  }

  /// Nothing is shown of a region in which nothing happens.
  void addNested(ActionKind kind, Operation *op, Block &block, unsigned depth,
                 bool silent = false) {
    size_t index = current->actions.size();
    if (!silent)
      add(kind, depth, op);
    size_t before = current->actions.size();
    addBlock(block, silent ? depth : depth + 1);
    if (current->actions.size() == before)
      current->actions.resize(index);
  }

  void addBranch(scf::IfOp branch, unsigned depth) {
    size_t before = current->actions.size();
    addNested(ActionKind::If, branch, *branch.thenBlock(), depth);
    if (!branch.elseBlock())
      return;
    if (current->actions.size() == before)
      add(ActionKind::If, depth, branch);
    size_t then = current->actions.size();
    addNested(ActionKind::Else, branch, *branch.elseBlock(), depth);
    if (current->actions.size() == then && then == before + 1)
      current->actions.resize(before);
    else if (current->actions.size() != then)
      finishElse(branch, current->actions[before], current->actions[then]);
  }

  /// A path that only releases slots and reads ahead was made for that, and the
  /// two paths of the guard of a load for the flag.
  static void finishElse(scf::IfOp branch, Action &then, Action &other) {
    then.firstTurns = isLoadGuard(branch, /*fills=*/true);
    bool made = llvm::all_of(*branch.elseBlock(), [](Operation &op) {
      return isMemoryEffectFree(&op) || isa<ws::ReleaseOp>(op) ||
             isRunAhead(&op) || describeInstruction(&op) == "registers";
    });
    if (made || isLoadGuard(branch))
      other.statement.place = {};
  }

  template <typename LoopOp> void addLoop(LoopOp loop, unsigned depth) {
    Operation *op = loop;
    size_t index = current->actions.size();
    Action &action = add(ActionKind::Loop, depth, op);
    if (auto reason = op->template getAttrOfType<StringAttr>("ws.plan_reason"))
      action.reason = reason.str();
    size_t before = current->actions.size();
    for (mlir::Region &region : op->getRegions())
      addBlock(region.front(), depth + 1);
    addPlan(op);
    if (current->actions.size() == before)
      current->actions.resize(index);
  }

  void addPlan(Operation *op) {
    auto plan = op->getAttrOfType<tile::PlanAttr>("ws.plan");
    if (!plan)
      return;
    Loop loop;
    loop.statement = sources.statement(op);
    loop.plan = tile::stringifyPlan(plan.getValue()).str();
    if (auto stages = op->getAttrOfType<IntegerAttr>("ws.stages"))
      loop.stages = stages.getInt();
    if (auto reason = op->getAttrOfType<StringAttr>("ws.plan_reason"))
      loop.reason = reason.str();
    // Each role runs its copy of the loop.
    for (const Loop &known : launch.loops)
      if (known.statement == loop.statement)
        return;
    launch.loops.push_back(std::move(loop));
  }

  void addToken(ws::AcquireOp op, unsigned depth) {
    nameRing(add(ActionKind::Acquire, depth, op), op.getRing());
  }

  static void nameRing(Action &action, Value value) {
    auto ring = value.getDefiningOp<ws::RingOp>();
    action.ring = ring.getName().str();
    action.groups = ring.getGroups();
  }

  void addToken(ws::CommitOp op, unsigned depth) {
    auto acquire = op.getToken().getDefiningOp<ws::AcquireOp>();
    nameRing(add(ActionKind::Commit, depth, op), acquire.getRing());
  }

  /// The statement that uses the slot first, as it stands in the block of the
  /// wait.
  Operation *findFirstUse(ws::WaitOp wait) {
    Operation *first = nullptr;
    for (const SlotAccess &access : getSlotAccesses(wait)) {
      Operation *use = getAncestorIn(wait->getBlock(), access.op);
      if (use && (!first || use->isBeforeInBlock(first)))
        first = use;
    }
    return first;
  }

  void addToken(ws::WaitOp op, unsigned depth) {
    Action &action = add(ActionKind::Wait, depth, op);
    nameRing(action, op.getRing());
    Span span;
    span.role = current->name;
    if (Operation *use = findFirstUse(op)) {
      span.firstUse = sources.statement(use);
      action.statement = span.firstUse;
    }
    if (ws::ReleaseOp release = getRelease(op)) {
      span.release = describeRelease(release);
      for (ws::ReleaseOp other : getReleases(op))
        if (other != release)
          span.otherReleases.push_back(describeRelease(other));
      auto [kind, why] = release.getFence().value_or("").split(": ");
      span.fence = kind.str();
      span.fenceReason = why.str();
      span.fenceElse = findOtherUse(op);
    }
    auto ring = op.getRing().getDefiningOp<ws::RingOp>();
    // What is done on several paths is said once.
    std::vector<Span> &spans = launch.rings[ringIndex[ring]].spans;
    if (!llvm::is_contained(spans, span))
      spans.push_back(std::move(span));
  }

  Release describeRelease(ws::ReleaseOp release) {
    return {releaseStatement(release), release.getReason().value_or("").str()};
  }

  /// A fence that another one was merged into says so in its reason.
  static std::string findOtherUse(ws::WaitOp wait) {
    constexpr StringLiteral kMerged = "; takes the place of ";
    for (Value view : wait.getViews())
      for (Operation *user : view.getUsers())
        if (auto fence = dyn_cast<ws::FenceOp>(user)) {
          StringRef reason = fence.getReason().value_or("");
          if (size_t at = reason.find(kMerged); at != StringRef::npos)
            return reason.drop_front(at + 2).str();
        }
    return "";
  }

  /// The statement after which a slot goes back.
  Statement releaseStatement(ws::ReleaseOp release) {
    Operation *before = release->getPrevNode();
    while (before && isa<ws::FenceOp, ws::MmaWaitOp>(before))
      before = before->getPrevNode();
    if (before && before->getLoc() == release->getLoc())
      return sources.statement(before);
    return {"statement", sources.place(release.getLoc())};
  }

  void addToken(ws::ReleaseOp op, unsigned depth) {
    auto wait = op.getToken().getDefiningOp<ws::WaitOp>();
    Action &action = add(ActionKind::Release, depth, op);
    action.statement = releaseStatement(op);
    nameRing(action, wait.getRing());
    action.reason = op.getReason().value_or("").str();
  }

  void addFence(ws::FenceOp fence, unsigned depth) {
    Action &action = add(ActionKind::Fence, depth, fence);
    action.instruction = fence.getKind() == ws::FenceKind::ProxyAsync
                             ? "fence.proxy.async"
                             : "membar.cta";
    action.reason = fence.getReason().value_or("").str();
    action.written = fence.getSource();
    if (!fence.getViews().empty())
      if (ws::RingOp ring = ringOf(fence.getViews().front()))
        action.ring = ring.getName().str();
  }

  /// Anything that touches memory other than reading sizes and flags.
  void addStatement(Operation *op, unsigned depth) {
    SmallVector<tile::Effect> effects;
    collectEffects(op, effects);
    bool scalarLoad =
        isa<tile::LoadOp>(op) &&
        !tile::isInSpace(effects.front().buffer, tile::Space::Shared);
    bool localStore =
        isa<tile::StoreOp>(op) &&
        tile::isInSpace(effects.front().buffer, tile::Space::Local);
    if (isa<tile::AllocOp>(op) || scalarLoad || localStore ||
        (effects.empty() && !isa<tile::CallExternOp, tile::SyncGridOp>(op)))
      return;
    auto copy = dyn_cast<tile::CopyOp>(op);
    bool load = copy && ringOf(copy.getDst()) &&
                isa<ws::AcquireOp>(copy.getDst().getDefiningOp());
    Action &action =
        add(load ? ActionKind::Load : ActionKind::Statement, depth, op);
    action.instruction = describeInstruction(op);
    action.reason = describeChoice(op);
    action.ring = addAccesses(op);
    addChoice(op, action);
    if (isPiece(op))
      joinPieces();
  }

  /// Whether a product was split, and `op` is a load or a product of it.
  static bool isPiece(Operation *op) {
    auto gemm = dyn_cast<tile::GemmOp>(op);
    return isOperandLoad(op) ||
           (gemm && llvm::any_of(gemm.getA().getUsers(), isOperandLoad));
  }

  /// Pieces of one statement that follow each other are one action; what
  /// settles the registers between them goes without saying.
  void joinPieces() {
    std::vector<Action> &actions = current->actions;
    size_t last = actions.size() - 1, before = last;
    while (before > 0 && actions[before - 1].kind == ActionKind::RegisterFence)
      --before;
    if (before == 0)
      return;
    Action &first = actions[before - 1];
    const Action &piece = actions[last];
    if (first.kind != ActionKind::Statement || first.kind != piece.kind ||
        first.depth != piece.depth || first.statement != piece.statement ||
        first.instruction != piece.instruction)
      return;
    ++first.pieces;
    actions.resize(before);
  }

  void addChoice(Operation *op, const Action &action) {
    if (!isa<tile::CopyOp, tile::GemmOp>(op))
      return;
    for (const Choice &known : launch.choices)
      if (known.statement == action.statement)
        return;
    launch.choices.push_back(
        {action.statement, action.instruction, action.reason});
  }

  tile::LaunchOp op;
  const Sources &sources;
  Launch &launch;
  Role *current = nullptr;
  ws::RoleOp currentOp;
  llvm::DenseMap<Operation *, size_t> ringIndex, localIndex;
};

} // namespace

void collectRoles(ModuleOp module, const Sources &sources,
                  Explanation &result) {
  for (auto op : module.getOps<tile::KernelOp>()) {
    Kernel &kernel = result.kernels.emplace_back();
    kernel.name = op.getSymName().str();
    for (auto launchOp : op.getBody().getOps<tile::LaunchOp>()) {
      Launch &launch = kernel.launches.emplace_back();
      RoleCollector(launchOp, sources, launch).run();
      llvm::sort(launch.choices, [](const Choice &a, const Choice &b) {
        const Place &p = a.statement.place, &q = b.statement.place;
        return std::tie(p.line, p.column) < std::tie(q.line, q.column);
      });
    }
  }
}

} // namespace tlc::explain
