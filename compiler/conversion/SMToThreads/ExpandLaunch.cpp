// The frame of the expansion: structure, roles, allocations, dispatch.
#include "compiler/conversion/SMToThreads/Expander.h"

#include "compiler/analysis/SharedKinds.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::sm;
using analysis::LinearLayout;
using analysis::SharedKind;
using analysis::SharedLayout;

Expander::Expander(LaunchOp launch, tile::KernelOp kernel,
                   bool uniformAddresses)
    : b(launch), old(launch), kernel(kernel),
      uniformAddresses(uniformAddresses) {}

Location Expander::named(Location loc, StringRef name) {
  if (auto nameLoc = dyn_cast<NameLoc>(loc))
    loc = nameLoc.getChildLoc();
  return NameLoc::get(StringAttr::get(loc.getContext(), name), loc);
}

const Fragment *Expander::fragment(Value v) const {
  auto it = fragments.find(v);
  return it == fragments.end() ? nullptr : &it->second;
}

FailureOr<SharedTile> Expander::sharedTile(Operation *op, Value v) {
  auto it = tiles.find(v);
  if (it == tiles.end())
    return op->emitError("shared buffer is not an sm.shared or sm.slot");
  return it->second;
}

FailureOr<LinearLayout> Expander::parseLayout(Operation *op,
                                              tile::FragmentLayoutAttr text) {
  std::string error;
  if (auto layout = LinearLayout::parse(text.getText(), &error))
    return *layout;
  return op->emitError("bad layout: ") << error;
}

Value Expander::dimension(Value param, unsigned dim) {
  Value &cached = dimensions[{param, dim}];
  if (cached)
    return cached;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&launch.getBody().front());
  unsigned arg = cast<BlockArgument>(param).getArgNumber();
  SmallVector<Value> symbols;
  for (unsigned i = 0; i < kernel.getSymbolNames().size(); ++i)
    symbols.push_back(kernel.getSymbolValue(i));
  Arith a = arith(kernel.getLoc());
  cached = a.affine(kernel.getParamShape(arg).getResult(dim), symbols);
  return cached;
}

Value Expander::stride(Value param, unsigned dim) {
  unsigned rank = cast<MemRefType>(param.getType()).getRank();
  Arith a = arith(kernel.getLoc());
  Value product;
  int64_t constant = 1;
  for (unsigned i = dim + 1; i < rank; ++i) {
    Value size = dimension(param, i);
    if (auto c = constantOf(size))
      constant *= *c;
    else
      product = product ? a.mul(product, a.wide(size)) : a.wide(size);
  }
  if (!product)
    return constant == 1 ? Value() : a.i64(constant);
  return a.mul(product, constant);
}

/// Values that the host computes are computed again in the kernel: they are
/// pure functions of parameters and sizes.
void Expander::cloneHostValues() {
  for (Operation &op : kernel.getBody().front()) {
    if (&op == old || isa<LaunchOp>(op) || op.getNumRegions() != 0)
      continue;
    bool used = llvm::any_of(op.getUsers(), [&](Operation *user) {
      return old->isProperAncestor(user);
    });
    if (used)
      b.clone(op, map);
  }
}

/// Whether a thread of those that compute issues loads. The broadcast of the
/// shared base does not keep addresses in uniform registers then; it only holds
/// up the issuing thread.
static bool loadsAmongOthers(LaunchOp launch) {
  auto isLoadOfOne = [](Operation *op) {
    auto role = op->getParentOfType<RoleOp>();
    return isa<TmaLoadOp, BulkLoadOp>(op) &&
           (!role || role.getWarps().back() > 1);
  };
  return launch
      .walk([&](Operation *op) {
        return isLoadOfOne(op) ? WalkResult::interrupt()
                               : WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult Expander::run() {
  b.setInsertionPoint(old);
  launch = cast<LaunchOp>(b.cloneWithoutRegions(*old.getOperation()));
  Block *body = b.createBlock(&launch.getBody());
  for (BlockArgument arg : old.getBody().getArguments())
    map.map(arg, body->addArgument(arg.getType(), arg.getLoc()));
  b.setInsertionPointToStart(body);
  cloneHostValues();
  int64_t threads = old.getThreads();
  Role all{0, (threads + 31) / 32, threads, {}};
  all.thread = ThreadOp::create(b, named(old.getLoc(), "thread"), 0, threads);
  sharedBase = SharedBaseOp::create(b, named(old.getLoc(), "shared"),
                                    /*broadcast=*/uniformAddresses &&
                                        !loadsAmongOthers(old));
  roles.push_back(all);
  if (failed(expandBlock(old.getBody().front()))) {
    launch->erase();
    return failure();
  }
  old->erase();
  return success();
}

LogicalResult Expander::expandBlock(Block &block) {
  for (Operation &op : block)
    if (failed(expandOp(&op)))
      return failure();
  return success();
}

LogicalResult Expander::expandOp(Operation *op) {
  using namespace tile;
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](AllocOp o) { return expandAlloc(o); })
      .Case([&](SharedOp o) { return expandShared(o); })
      .Case([&](SlotOp o) { return expandSlot(o); })
      .Case([&](RoleOp o) { return expandRole(o); })
      .Case([&](ThreadIdOp o) { return expandThreadId(o); })
      .Case([&](CopyOp o) { return expandCopy(o); })
      .Case([&](FillOp o) { return expandFill(o); })
      .Case([&](ParallelOp o) { return expandParallel(o); })
      .Case([&](tile::LoadOp o) { return expandLoad(o); })
      .Case([&](tile::StoreOp o) { return expandStore(o); })
      .Case([&](tile::AtomicOp o) { return expandAtomic(o); })
      .Case([&](ThreadOp o) { return expandThread(o); })
      .Case([&](CallExternOp o) { return expandCall(o); })
      .Case([&](AccessPtrOp) { return success(); })
      .Case([&](TmaLoadOp o) { return expandTmaLoad(o); })
      .Case([&](TmaStoreOp o) { return expandTmaStore(o); })
      .Case([&](BulkLoadOp o) { return expandBulkLoad(o); })
      .Case([&](WgmmaOp o) { return expandWgmma(o); })
      .Case([&](MmaOp o) { return expandMma(o); })
      .Case([&](WgmmaFenceOp o) {
        tieBeforeFence(o);
        b.clone(*o, map);
        return success();
      })
      .Case([&](WgmmaWaitOp o) {
        b.clone(*o, map);
        tieAfterWait(o);
        return success();
      })
      .Case<MBarrierOp, MBarrierInitOp, CounterOp, CounterStageOp,
            CounterPhaseOp, CounterAdvanceOp, MBarrierWaitOp,
            MBarrierArriveExpectTxOp, MBarrierArriveOp, SyncThreadsOp,
            tile::FenceProxyAsyncOp>(
          [&](Operation *o) { return expandBarrierOp(o); })
      .Case<FenceMBarrierInitOp, BarSyncOp, sm::FenceProxyAsyncOp, MembarOp,
            SetMaxNRegOp, BulkCommitOp, BulkWaitOp, CpAsyncCommitOp,
            CpAsyncWaitOp, WgmmaCommitOp, GridBarrierOp>([&](Operation *o) {
        b.clone(*o, map);
        return success();
      })
      .Default([&](Operation *o) { return expandStructured(o); });
}

/// Loops, branches and scalar code keep their form; their regions are
/// expanded.
LogicalResult Expander::expandStructured(Operation *op) {
  StringRef dialect = op->getName().getDialectNamespace();
  if (dialect != "scf" && dialect != "arith" && dialect != "math" &&
      !isa<ElectOp>(op))
    return op->emitError() << "'" << op->getName()
                           << "' in a thread program is not supported yet";
  Operation *copy = b.cloneWithoutRegions(*op, map);
  for (auto [from, to] : llvm::zip(op->getRegions(), copy->getRegions()))
    for (Block &block : from) {
      OpBuilder::InsertionGuard guard(b);
      Block *body = b.createBlock(&to, to.end());
      for (BlockArgument arg : block.getArguments())
        map.map(arg, body->addArgument(arg.getType(), arg.getLoc()));
      if (failed(expandBlock(block)))
        return failure();
    }
  return success();
}

LogicalResult Expander::expandRole(RoleOp op) {
  auto copy =
      RoleOp::create(b, op.getLoc(), op.getNameAttr(), op.getWarpsAttr());
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&copy.getBody());
  int64_t first = op.getWarps()[0], warps = op.getWarps()[1];
  int64_t threads =
      std::min<int64_t>(32 * warps, old.getThreads() - 32 * first);
  Role role{first, warps, threads, {}};
  role.thread =
      ThreadOp::create(b, named(op.getLoc(), "thread"), 32 * first, threads);
  roles.push_back(role);
  LogicalResult result = expandBlock(op.getBody().front());
  roles.pop_back();
  return result;
}

LogicalResult Expander::expandAlloc(tile::AllocOp op) {
  MemRefType type = op.getResult().getType();
  Location loc = named(op.getLoc(), op.getName());
  if (tile::isInSpace(type, tile::Space::Local)) {
    map.map(op.getResult(),
            tile::AllocOp::create(b, loc, type, op.getNameAttr(), {}, {})
                .getResult());
    return success();
  }
  if (tile::isInSpace(type, tile::Space::Shared))
    return op.emitError("shared buffer has no place yet: sm.shared expected");
  Fragment fragment;
  if (op.getLayoutAttr()) {
    auto layout = parseLayout(op, op.getLayoutAttr());
    if (failed(layout))
      return failure();
    fragment.layout = *layout;
  } else {
    return op.emitError("fragment has no layout");
  }
  auto arrayType =
      tile::getBufferType({fragment.layout.numRegisters()},
                          type.getElementType(), tile::Space::Local);
  fragment.array =
      tile::AllocOp::create(b, loc, arrayType, op.getNameAttr(), {}, {})
          .getResult();
  fragments[op.getResult()] = fragment;
  map.map(op.getResult(), fragment.array);
  return success();
}

LogicalResult Expander::expandShared(SharedOp op) {
  MemRefType type = op.getResult().getType();
  unsigned bits = std::max(8u, type.getElementTypeBitWidth());
  SharedKind kind = analysis::sharedKindOf(op.getSwizzle());
  SmallVector<int64_t> shape(type.getShape());
  if (shape.empty())
    shape.push_back(1);
  analysis::TileOrder order = analysis::tileOrderOf(op.getOrderAttr());
  if (!SharedLayout::isPossible(kind, shape, bits, order))
    return op.emitError("this swizzle does not fit the rows of the tile");
  Location loc = named(op.getLoc(), op.getName());
  OpBuilder::InsertionGuard guard(b);
  Value address = sharedBase;
  if (op.getOffset() != 0)
    address = arith::AddIOp::create(b, loc, sharedBase,
                                    arith(loc).i32(op.getOffset()));
  tiles[op.getResult()] = {address, SharedLayout(kind, shape, bits, order),
                           static_cast<int64_t>(op.getSlotBytes())};
  return success();
}

LogicalResult Expander::expandThread(ThreadOp op) {
  Value thread = roles.front().thread;
  bool isBlock = op.getFirst() == 0 &&
                 static_cast<int64_t>(op.getCount()) == roles.front().threads;
  map.map(op.getResult(), isBlock ? thread : b.clone(*op)->getResult(0));
  return success();
}

LogicalResult Expander::expandSlot(SlotOp op) {
  auto tile = sharedTile(op, op.getBuffer());
  if (failed(tile))
    return failure();
  Arith a = arith(op.getLoc());
  tile->address =
      a.add(tile->address, a.mul(lookup(op.getStage()), tile->slotBytes));
  tiles[op.getResult()] = *tile;
  return success();
}

/// The program's threads are the first of the block, in row-major order with x
/// fastest.
LogicalResult Expander::expandThreadId(tile::ThreadIdOp op) {
  Arith a = arith(op.getLoc());
  ArrayRef<int64_t> shape = old.getProgramThreads();
  Value id = roles.front().thread;
  auto dim = static_cast<unsigned>(op.getDim());
  int64_t below = 1, total = shape[0] * shape[1] * shape[2];
  for (unsigned i = 0; i < dim; ++i)
    below *= shape[i];
  id = a.div(id, below);
  if (below * shape[dim] < total ||
      total < static_cast<int64_t>(old.getThreads()))
    id = a.rem(id, shape[dim]);
  map.map(op.getResult(), a.orZero(id));
  return success();
}
