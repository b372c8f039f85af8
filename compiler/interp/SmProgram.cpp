// Translation of an `sm` program into nodes.
#include "compiler/interp/SmWarp.h"

#include "compiler/analysis/SharedKinds.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::interp;
using analysis::LinearLayout;
using analysis::SharedKind;
using analysis::SharedLayout;
using tile::Space;

std::string tlc::interp::roleAround(Operation *op) {
  auto role = op->getParentOfType<sm::RoleOp>();
  return role ? role.getName().str() : "block";
}

namespace {
class SmBuilder {
public:
  explicit SmBuilder(SmProgram &program) : p(program) {}
  LogicalResult run();

private:
  using Result = LogicalResult;

  uint32_t number(Value v);
  SmBlock *newBlock();
  Result addBuffer(Operation *op, Value v, StringRef name, int param);
  Result block(Block &from, SmBlock *&to);
  Result fill(Block &from, SmBlock &to);
  Result op(Operation *o, SmBlock &to);
  Result declaration(Operation *o, bool &handled);
  Result shared(sm::SharedOp op);
  Result alloc(tile::AllocOp op);
  void mbarrier(sm::MBarrierOp op);
  void alias(Value view, Value of);

  SmProgram &p;
};
} // namespace

LogicalResult tlc::interp::buildSmProgram(tile::KernelOp kernel,
                                          SmProgram &program) {
  program.kernel = kernel;
  return SmBuilder(program).run();
}

uint32_t SmBuilder::number(Value v) {
  auto [it, isNew] = p.numbers.try_emplace(v, p.numValues);
  p.numValues += isNew;
  return it->second;
}

SmBlock *SmBuilder::newBlock() {
  p.blocks.push_back(std::make_unique<SmBlock>());
  return p.blocks.back().get();
}

LogicalResult SmBuilder::run() {
  tile::KernelOp kernel = p.kernel;
  for (BlockArgument arg : kernel.getBody().getArguments()) {
    StringRef name = kernel.getArgName(arg.getArgNumber());
    if (!isa<MemRefType>(arg.getType())) {
      if (!elemOf(arg.getType()))
        return kernel.emitError()
               << "the virtual device does not support the type "
               << arg.getType() << " of '" << name << "'";
      number(arg);
    } else if (failed(addBuffer(kernel, arg, name, arg.getArgNumber()))) {
      return failure();
    }
  }
  return block(kernel.getBody().front(), p.body);
}

LogicalResult SmBuilder::addBuffer(Operation *op, Value v, StringRef name,
                                   int param) {
  auto type = cast<MemRefType>(v.getType());
  auto elem = elemOf(type.getElementType());
  if (!elem)
    return op->emitError() << "the virtual device does not support the type "
                           << type.getElementType() << " of '" << name << "'";
  SmBuffer buffer;
  buffer.value = v;
  buffer.name = name.str();
  buffer.elem = *elem;
  buffer.space = tile::getSpace(type);
  buffer.param = param;
  if (param < 0)
    buffer.shape.assign(type.getShape().begin(), type.getShape().end());
  p.bufferOf[v] = p.buffers.size();
  p.buffers.push_back(std::move(buffer));
  number(v);
  return success();
}

LogicalResult SmBuilder::block(Block &from, SmBlock *&to) {
  to = newBlock();
  return fill(from, *to);
}

LogicalResult SmBuilder::fill(Block &from, SmBlock &to) {
  for (BlockArgument arg : from.getArguments())
    to.arguments.push_back(number(arg));
  for (Operation &o : from) {
    if (isa<scf::YieldOp, scf::ConditionOp>(o)) {
      for (Value v : o.getOperands())
        to.yielded.push_back(number(v));
      continue;
    }
    if (failed(op(&o, to)))
      return failure();
  }
  return success();
}

LogicalResult SmBuilder::shared(sm::SharedOp op) {
  if (failed(addBuffer(op, op.getResult(), op.getName(), -1)))
    return failure();
  SmBuffer &buffer = p.buffers.back();
  MemRefType type = op.getResult().getType();
  SharedKind kind = analysis::sharedKindOf(op.getSwizzle());
  SmallVector<int64_t> shape(type.getShape());
  if (shape.empty())
    shape.push_back(1);
  unsigned bits = std::max(8u, type.getElementTypeBitWidth());
  analysis::TileOrder order = analysis::tileOrderOf(op.getOrderAttr());
  if (!SharedLayout::isPossible(kind, shape, bits, order))
    return op.emitError("this swizzle does not fit the rows of the tile");
  SmTile tile;
  tile.buffer = p.buffers.size() - 1;
  tile.offset = op.getOffset();
  tile.stages = op.getStages();
  tile.slotBytes = op.getSlotBytes();
  tile.elementBytes = bits / 8;
  tile.layout = SharedLayout(kind, shape, bits, order);
  if (tile.layout.sizeBytes() > tile.slotBytes)
    return op.emitError() << "the tile has " << tile.layout.sizeBytes()
                          << " bytes, its slot " << tile.slotBytes;
  analysis::Coords at(shape.size(), 0);
  for (int64_t i = 0, n = buffer.numElements(); i < n; ++i) {
    tile.byteOf.push_back(tile.layout.offsetBytes(at));
    tile.pieceBytes[pieceOf(tile.byteOf.back())] += tile.elementBytes;
    nextIndex(at, shape);
  }
  buffer.place = p.tiles.size();
  p.tiles.push_back(std::move(tile));
  return success();
}

LogicalResult SmBuilder::alloc(tile::AllocOp op) {
  if (tile::isInSpace(op.getResult(), Space::Shared))
    return op.emitError("a shared tile of a finished sm program is an "
                        "sm.shared");
  if (failed(addBuffer(op, op.getResult(), op.getName(), -1)))
    return failure();
  SmRegisters registers;
  registers.buffer = p.buffers.size() - 1;
  if (auto text = op.getLayoutAttr()) {
    std::string error;
    auto layout = LinearLayout::parse(text.getText(), &error);
    if (!layout)
      return op.emitError("bad layout: ") << error;
    registers.layout = *layout;
    registers.hasLayout = true;
  }
  p.buffers.back().place = p.registers.size();
  p.registers.push_back(std::move(registers));
  return success();
}

void SmBuilder::mbarrier(sm::MBarrierOp op) {
  SmBarrierDecl decl;
  decl.op = op;
  decl.name = op.getName().str();
  decl.stages = op.getStages();
  decl.count = op.getCount();
  decl.first = p.numStages;
  for (Operation *user : op.getResult().getUsers()) {
    if (!isa<sm::MBarrierArriveOp, sm::MBarrierArriveExpectTxOp>(user))
      continue;
    std::string role = roleAround(user);
    if (!llvm::is_contained(decl.arrivers, role))
      decl.arrivers.push_back(role);
  }
  llvm::sort(decl.arrivers);
  p.numStages += decl.stages;
  p.barrierOf[op.getResult()] = p.barriers.size();
  p.barriers.push_back(std::move(decl));
}

/// A view has a value of its own, which holds the slot.
void SmBuilder::alias(Value view, Value of) {
  number(view);
  p.bufferOf[view] = p.bufferOf.lookup(of);
}

LogicalResult SmBuilder::declaration(Operation *o, bool &handled) {
  handled = true;
  return llvm::TypeSwitch<Operation *, LogicalResult>(o)
      .Case([&](sm::SharedOp s) { return shared(s); })
      .Case([&](tile::AllocOp a) { return alloc(a); })
      .Case([&](sm::MBarrierOp b) {
        mbarrier(b);
        return success();
      })
      .Case([&](sm::CounterOp c) {
        p.counterOf[c.getResult()] = p.counterDepths.size();
        p.counterDepths.push_back(c.getDepth());
        return success();
      })
      .Case([&](arith::ConstantOp c) -> LogicalResult {
        auto cell = constantCell(c);
        if (!cell)
          return c.emitError() << "the virtual device does not support a "
                                  "constant of type "
                               << c.getType();
        p.constants.push_back({number(c.getResult()), *cell});
        return success();
      })
      .Case([&](tile::AccessPtrOp) { return success(); })
      .Default([&](Operation *) {
        handled = false;
        return success();
      });
}

static std::optional<SmCode> codeOf(Operation *o) {
  return llvm::TypeSwitch<Operation *, std::optional<SmCode>>(o)
      .Case([](tile::ThreadIdOp) { return SmCode::ThreadId; })
      .Case<sm::ThreadOp, sm::WarpOp>(
          [](Operation *) { return SmCode::ThreadIndex; })
      .Case([](sm::SlotOp) { return SmCode::Slot; })
      .Case([](sm::CounterStageOp) { return SmCode::CounterStage; })
      .Case([](sm::CounterPhaseOp) { return SmCode::CounterPhase; })
      .Case([](sm::CounterAdvanceOp) { return SmCode::CounterAdvance; })
      .Case([](scf::IfOp) { return SmCode::If; })
      .Case([](scf::ForOp) { return SmCode::For; })
      .Case([](scf::WhileOp) { return SmCode::While; })
      .Case([](sm::RoleOp) { return SmCode::Role; })
      .Case([](sm::ElectOp) { return SmCode::Elect; })
      .Case([](tile::LoadOp) { return SmCode::Load; })
      .Case([](tile::StoreOp) { return SmCode::Store; })
      .Case([](tile::AtomicOp) { return SmCode::Atomic; })
      .Case([](tile::CopyOp) { return SmCode::Copy; })
      .Case([](tile::FillOp) { return SmCode::Fill; })
      .Case([](tile::ParallelOp) { return SmCode::Parallel; })
      .Case([](tile::CallExternOp) { return SmCode::Extern; })
      .Case([](sm::MBarrierInitOp) { return SmCode::MBarrierInit; })
      .Case([](sm::FenceMBarrierInitOp) { return SmCode::FenceMBarrierInit; })
      .Case([](sm::MBarrierWaitOp) { return SmCode::MBarrierWait; })
      .Case([](sm::MBarrierArriveExpectTxOp) { return SmCode::ArriveExpect; })
      .Case([](sm::MBarrierArriveOp) { return SmCode::Arrive; })
      .Case<sm::BarSyncOp, tile::SyncThreadsOp>(
          [](Operation *) { return SmCode::BarSync; })
      .Case<sm::FenceProxyAsyncOp, tile::FenceProxyAsyncOp>(
          [](Operation *) { return SmCode::FenceProxy; })
      .Case([](sm::MembarOp) { return SmCode::Membar; })
      .Case<sm::TmaLoadOp, sm::BulkLoadOp>(
          [](Operation *) { return SmCode::BulkLoad; })
      .Case([](sm::TmaStoreOp) { return SmCode::BulkStore; })
      .Case([](sm::BulkCommitOp) { return SmCode::BulkCommit; })
      .Case([](sm::BulkWaitOp) { return SmCode::BulkWait; })
      .Case([](sm::CpAsyncCommitOp) { return SmCode::CpAsyncCommit; })
      .Case([](sm::CpAsyncWaitOp) { return SmCode::CpAsyncWait; })
      .Case([](sm::WgmmaOp) { return SmCode::Wgmma; })
      .Case([](sm::MmaOp) { return SmCode::Mma; })
      .Case([](sm::WgmmaFenceOp) { return SmCode::WgmmaFence; })
      .Case([](sm::WgmmaCommitOp) { return SmCode::WgmmaCommit; })
      .Case([](sm::WgmmaWaitOp) { return SmCode::WgmmaWait; })
      .Case([](sm::SetMaxNRegOp) { return SmCode::SetMaxNReg; })
      .Case([](sm::GridBarrierOp) { return SmCode::GridBarrier; })
      .Case([](sm::LaunchOp) { return SmCode::Launch; })
      .Default([](Operation *) { return std::nullopt; });
}

LogicalResult SmBuilder::op(Operation *o, SmBlock &to) {
  bool handled = false;
  if (failed(declaration(o, handled)))
    return failure();
  if (handled)
    return success();
  SmNode node;
  node.op = o;
  if (auto code = codeOf(o)) {
    node.code = *code;
  } else if (!describeScalar(o, node.scalar, node.function)) {
    return o->emitError() << "the virtual SM cannot run '" << o->getName()
                          << "' yet";
  }
  if (auto copy = dyn_cast<tile::CopyOp>(o))
    if (auto inst = copy.getInst().value_or(tile::CopyInst::Vector);
        inst != tile::CopyInst::Vector && inst != tile::CopyInst::CpAsync)
      return o->emitError("only copies made by threads are left in a finished "
                          "sm program");
  if (auto slot = dyn_cast<sm::SlotOp>(o))
    alias(slot.getResult(), slot.getBuffer());
  for (Value v : o->getOperands())
    node.operands.push_back(number(v));
  for (Value v : o->getResults())
    node.results.push_back(number(v));
  for (auto [i, region] : llvm::enumerate(o->getRegions()))
    if (!region.empty() && i < 2 &&
        failed(block(region.front(), node.blocks[i])))
      return failure();
  to.nodes.push_back(std::move(node));
  return success();
}
