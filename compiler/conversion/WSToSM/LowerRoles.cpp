// Roles: tokens become barrier arithmetic, slots become views at a stage, and
// products become wgmma or mma. Stage and phase come from a counter of executed
// spans for each role and side of a ring (sync.md 3.2).
#include "compiler/conversion/WSToSM/WSToSM.h"

#include "compiler/conversion/TileToWS/Buffers.h"

using namespace mlir;
using namespace tlc;

namespace {

class RoleLowering {
public:
  RoleLowering(const SharedMemory &shared, int64_t barrierId)
      : shared(shared), barrierId(barrierId) {}

  void run(ws::RoleOp role, OpBuilder &b) {
    sm::RoleOp lowered = createRole(role, b);
    Block &block = lowered.getBody().front();
    OpBuilder inner = OpBuilder::atBlockEnd(&block);
    if (int64_t registers = role.getRegisters())
      sm::SetMaxNRegOp::create(inner, role.getLoc(), registers,
                               /*increase=*/isConsumer(role));
    for (auto nested :
         llvm::make_early_inc_range(role.getBody().getOps<ws::RoleOp>()))
      lowerNested(nested, inner);
    // A barrier counts whole warps, the last one too if it is not full.
    threads = llvm::alignTo(getRoleThreads(role), 32);
    block.getOperations().splice(block.end(),
                                 role.getBody().front().getOperations());
    lowerBlock(lowered);
  }

private:
  void lowerNested(ws::RoleOp nested, OpBuilder &b) {
    RoleLowering(shared, barrierId).run(nested, b);
    nested.erase();
  }

  static bool isConsumer(ws::RoleOp role) {
    return role.getBody().getOps<ws::RoleOp>().empty();
  }

  static sm::RoleOp createRole(ws::RoleOp role, OpBuilder &b) {
    auto lowered =
        sm::RoleOp::create(b, role.getLoc(), role.getName(), role.getWarps());
    lowered.getBody().emplaceBlock();
    return lowered;
  }

  void lowerBlock(sm::RoleOp role) {
    SmallVector<Operation *> ops;
    role.walk([&](Operation *op) {
      if (op->getParentOfType<sm::RoleOp>() == role)
        ops.push_back(op);
    });
    this->role = role;
    for (Operation *op : ops)
      lower(op);
    eraseDead();
  }

  void lower(Operation *op) {
    OpBuilder b(op);
    llvm::TypeSwitch<Operation *>(op)
        .Case<ws::AcquireOp>([&](auto x) { lowerAcquire(x, b); })
        .Case<ws::CommitOp>([&](auto x) {
          sm::CounterAdvanceOp::create(b, x.getLoc(),
                                       spans[x.getToken()].counter);
          dead.push_back(x);
        })
        .Case<ws::WaitOp>([&](auto x) { lowerWait(x, b); })
        .Case<ws::ReleaseOp>([&](auto x) { lowerRelease(x, b); })
        .Case<ws::FenceOp>([&](auto x) { lowerFence(x, b); })
        .Case<ws::BarrierOp>([&](auto x) {
          sm::BarSyncOp::create(b, x.getLoc(), barrierId, threads);
          dead.push_back(x);
        })
        .Case<tile::SyncGridOp>([&](auto x) { lowerGridBarrier(x, b); })
        .Case<ws::MmaWaitOp>([&](auto x) {
          sm::WgmmaWaitOp::create(b, x.getLoc(), x.getPending());
          dead.push_back(x);
        })
        .Case<ws::GroupCommitOp>([&](auto x) {
          sm::CpAsyncCommitOp::create(b, x.getLoc());
          dead.push_back(x);
        })
        .Case<ws::GroupWaitOp>([&](auto x) {
          sm::CpAsyncWaitOp::create(b, x.getLoc(), x.getPending());
          dead.push_back(x);
        })
        .Case<ws::StoreWaitOp>([&](auto x) { lowerStoreWait(x, b); })
        .Case<ws::MmaFenceOp>([&](auto x) {
          sm::WgmmaFenceOp::create(b, x.getLoc());
          dead.push_back(x);
        })
        .Case<ws::ElectOp>([&](auto x) { lowerElect(x, b); })
        .Case<tile::CopyOp>([&](auto x) { lowerCopy(x, b); })
        .Case<tile::GemmOp>([&](auto x) { lowerGemm(x, b); });
  }

  /// Tokens are used until every op has been lowered.
  void eraseDead() {
    for (Operation *op : llvm::reverse(dead)) {
      op->dropAllUses();
      op->erase();
    }
  }

  /// A span of a ring: the stage it uses and the counter that numbers it.
  struct Span {
    const LoweredRing *ring = nullptr;
    Value counter, stage;
  };

  /// One counter for each ring and side, at the start of the role.
  Value getCounter(ws::RingOp ring, StringRef side) {
    std::string name = (ring.getName() + side).str();
    Value &counter = counters[name];
    if (!counter) {
      OpBuilder b = OpBuilder::atBlockBegin(&role.getBody().front());
      if (auto reg =
              dyn_cast<sm::SetMaxNRegOp>(&role.getBody().front().front()))
        b.setInsertionPointAfter(reg);
      counter = sm::CounterOp::create(b, ring.getLoc(),
                                      sm::CounterType::get(b.getContext()),
                                      name, ring.getDepth());
    }
    return counter;
  }

  template <typename Op>
  Span openSpan(Op op, OpBuilder &b, StringRef side, bool fill) {
    const LoweredRing &ring = shared.rings.find(op.getRing())->second;
    Span span{&ring, getCounter(ring.ring, side), nullptr};
    Type i32 = b.getI32Type();
    span.stage = sm::CounterStageOp::create(b, op.getLoc(), i32, span.counter);
    if (ring.full) {
      Value phase =
          sm::CounterPhaseOp::create(b, op.getLoc(), i32, span.counter);
      // A fresh empty barrier lets the first `depth` fills pass: their parity
      // is the inverted one (sync.md 2.3, E16).
      sm::MBarrierWaitOp::create(b, op.getLoc(), fill ? ring.empty : ring.full,
                                 span.stage, phase, /*invert=*/fill);
    }
    for (auto [view, member] : llvm::zip(op.getViews(), ring.members)) {
      Value slot = sm::SlotOp::create(b, op.getLoc(), member.getType(), member,
                                      span.stage);
      Value(view).replaceAllUsesWith(slot);
    }
    spans[op.getToken()] = span;
    dead.push_back(op);
    return span;
  }

  void lowerAcquire(ws::AcquireOp acquire, OpBuilder &b) {
    Span span = openSpan(acquire, b, "_fills", /*fill=*/true);
    if (!span.ring->full)
      return;
    // A fence of the producer lies between the acquire and the first copy.
    if (auto fence = dyn_cast_or_null<ws::FenceOp>(acquire->getNextNode()))
      b.setInsertionPointAfter(fence);
    sm::MBarrierArriveExpectTxOp::create(b, acquire.getLoc(), span.ring->full,
                                         span.stage, span.ring->bytes);
    current = span;
  }

  void lowerWait(ws::WaitOp wait, OpBuilder &b) {
    openSpan(wait, b, "_uses", /*fill=*/false);
  }

  void lowerRelease(ws::ReleaseOp release, OpBuilder &b) {
    const Span &span = spans[release.getToken()];
    if (span.ring->empty)
      sm::MBarrierArriveOp::create(b, release.getLoc(), span.ring->empty,
                                   span.stage, span.ring->perWarp);
    sm::CounterAdvanceOp::create(b, release.getLoc(), span.counter);
    dead.push_back(release);
  }

  void lowerFence(ws::FenceOp fence, OpBuilder &b) {
    if (fence.getKind() == ws::FenceKind::ProxyAsync)
      sm::FenceProxyAsyncOp::create(b, fence.getLoc());
    else
      sm::MembarOp::create(b, fence.getLoc());
    dead.push_back(fence);
  }

  /// The block arrives once, by its first thread in linear order, after all of
  /// its threads and before any goes on.
  void lowerGridBarrier(tile::SyncGridOp barrier, OpBuilder &b) {
    Location loc = barrier.getLoc();
    auto launch = role->getParentOfType<sm::LaunchOp>();
    sm::BarSyncOp::create(b, loc, barrierId, threads);
    Value thread = sm::ThreadOp::create(b, loc, 0, launch.getThreads());
    Value zero = arith::ConstantIntOp::create(b, loc, 0, /*width=*/32);
    Value isFirst =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, thread, zero);
    auto branch = scf::IfOp::create(b, loc, isFirst, /*withElse=*/false);
    OpBuilder inner = OpBuilder::atBlockBegin(branch.thenBlock());
    sm::GridBarrierOp::create(inner, loc);
    sm::BarSyncOp::create(b, loc, barrierId, threads);
    dead.push_back(barrier);
  }

  void lowerElect(ws::ElectOp elect, OpBuilder &b) {
    auto lowered = sm::ElectOp::create(b, elect.getLoc());
    lowered.getBody().takeBody(elect.getBody());
    dead.push_back(elect);
  }

  /// The same thread issues every store of the role and waits for it.
  OpBuilder electAt(Location loc, OpBuilder &b) {
    auto elect = sm::ElectOp::create(b, loc);
    return OpBuilder::atBlockEnd(&elect.getBody().emplaceBlock());
  }

  void lowerStore(tile::CopyOp copy, OpBuilder &b) {
    OpBuilder inner = electAt(copy.getLoc(), b);
    sm::TmaStoreOp::create(inner, copy.getLoc(), copy.getSrc(), copy.getDst(),
                           copy.getDstOffsets(), copy.getDstSizes());
    sm::BulkCommitOp::create(inner, copy.getLoc());
    dead.push_back(copy);
  }

  void lowerStoreWait(ws::StoreWaitOp wait, OpBuilder &b) {
    OpBuilder inner = electAt(wait.getLoc(), b);
    sm::BulkWaitOp::create(inner, wait.getLoc(), wait.getPending(),
                           wait.getRead());
    dead.push_back(wait);
  }

  void lowerCopy(tile::CopyOp copy, OpBuilder &b) {
    tile::CopyInst inst = copy.getInst().value_or(tile::CopyInst::Vector);
    if (inst == tile::CopyInst::TmaStore)
      return lowerStore(copy, b);
    if (inst != tile::CopyInst::TmaLoad && inst != tile::CopyInst::BulkLoad)
      return;
    Value full = current.ring->full, stage = current.stage;
    if (inst == tile::CopyInst::TmaLoad)
      sm::TmaLoadOp::create(b, copy.getLoc(), copy.getSrc(),
                            copy.getSrcOffsets(), copy.getSrcSizes(),
                            copy.getDst(), full, stage);
    else
      sm::BulkLoadOp::create(b, copy.getLoc(), copy.getSrc(),
                             copy.getSrcOffsets(), copy.getSrcSizes(),
                             copy.getDst(), full, stage);
    dead.push_back(copy);
  }

  template <typename Product>
  void createProduct(tile::GemmOp gemm, OpBuilder &b) {
    Product::create(b, gemm.getLoc(), gemm.getA(), gemm.getAOffsets(),
                    gemm.getB(), gemm.getBOffsets(), gemm.getC(),
                    gemm.getClear(), gemm.getASizes(), gemm.getBSizes(),
                    gemm.getTransA(), gemm.getTransB(), *gemm.getWarpsM(),
                    *gemm.getWarpsN(), gemm.getTransC(), gemm.getQuadM(),
                    gemm.getQuadN(), gemm.getPairK());
  }

  void lowerGemm(tile::GemmOp gemm, OpBuilder &b) {
    if (gemm.getInst() == tile::GemmInst::MmaSync) {
      createProduct<sm::MmaOp>(gemm, b);
    } else {
      createProduct<sm::WgmmaOp>(gemm, b);
      sm::WgmmaCommitOp::create(b, gemm.getLoc());
    }
    dead.push_back(gemm);
  }

  const SharedMemory &shared;
  int64_t barrierId;
  int64_t threads = 0;
  sm::RoleOp role;
  Span current; ///< the span that fills are issued into
  llvm::DenseMap<Value, Span> spans;
  llvm::StringMap<Value> counters;
  SmallVector<Operation *> dead;
};

} // namespace

void tlc::lowerRoles(tile::LaunchOp launch, const SharedMemory &shared,
                     OpBuilder &builder) {
  SmallVector<ws::RoleOp> roles(launch.getBody().getOps<ws::RoleOp>());
  // Barrier 0 is the whole block's; a role has one of its own.
  int64_t barrierId = roles.size() > 1 ? 1 : 0;
  for (ws::RoleOp role : roles)
    RoleLowering(shared, barrierId).run(role, builder);
}
