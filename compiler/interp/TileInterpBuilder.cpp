// Kernel, launches, loops and tile operations; TileInterpScalarBuilder.cpp has
// the scalar operations.
#include "compiler/interp/TileInterpBuilder.h"

using namespace mlir;
using namespace tlc::interp;
namespace tile = tlc::tile;
using tile::Space;

FailureOr<Program> tlc::interp::buildProgram(tile::KernelOp kernel) {
  return ProgramBuilder(kernel).run();
}

FailureOr<Program> ProgramBuilder::run() {
  tile::KernelOp kernel = program.kernel;
  program.argCells.assign(kernel.getBody().getNumArguments(), 0);
  constant(Cell{0}); // cell 0 is nobody's: "no cell"
  for (BlockArgument arg : kernel.getBody().getArguments()) {
    Type type = arg.getType();
    auto memref = dyn_cast<MemRefType>(type);
    auto elem = elemOf(memref ? memref.getElementType() : type);
    if (!elem)
      return kernel.emitError()
             << "the virtual device does not support the type " << type
             << " of '" << kernel.getArgName(arg.getArgNumber()) << "'";
    if (memref) {
      buffers[arg] = program.buffers.size();
      program.buffers.push_back(
          {arg, *elem, Space::Global, {}, int(arg.getArgNumber()), 1});
    } else {
      program.argCells[arg.getArgNumber()] = newRef(arg).slot;
    }
  }
  if (failed(block(kernel.getBody().front(), program.nodes)))
    return failure();
  return std::move(program);
}

Ref ProgramBuilder::newCells(uint32_t mask) {
  Ref r{program.numCells, mask};
  program.numCells += mask ? threads : 1;
  return r;
}

Ref ProgramBuilder::newRef(Value value) {
  bool varying = !inParallel && uniformity && uniformity->isVarying(value);
  return refs[value] = newCells(varying ? ~0u : 0u);
}

Ref ProgramBuilder::constant(Cell cell) {
  Ref r = newCells(0);
  program.constants.push_back({r.slot, cell});
  return r;
}

Ref ProgramBuilder::intConstant(int64_t value) {
  Cell c;
  c.i = value;
  return constant(c);
}

Ref ProgramBuilder::ref(Value value) {
  auto it = refs.find(value);
  assert(it != refs.end() && "operand before its definition");
  return it->second;
}

bool ProgramBuilder::isUniform(ValueRange values) const {
  return llvm::all_of(values, [&](Value v) {
    auto it = refs.find(v);
    return it == refs.end() || it->second.mask == 0;
  });
}

BufferRegion ProgramBuilder::region(Value buffer, OperandRange offsets,
                                    ArrayRef<int64_t> sizes) {
  BufferRegion r{bufferOf(buffer), {}, SmallVector<int64_t, 4>(sizes)};
  for (Value v : offsets)
    r.offsets.push_back(ref(v));
  return r;
}

void ProgramBuilder::push(Node node, Nodes &nodes) {
  node.perThread |= (node.dst.mask | node.a.mask | node.b.mask | node.c.mask);
  nodes.push_back(node);
}

void ProgramBuilder::move(Operation *op, Value from, Ref to, Nodes &nodes) {
  Node node = makeNode(Code::Move, op);
  node.dst = to;
  node.a = ref(from);
  push(node, nodes);
}

LogicalResult ProgramBuilder::requireCollective(Operation *op,
                                                ValueRange operands) {
  if (inParallel)
    return op->emitError("a tile operation cannot be inside T.Parallel");
  if (divergent)
    return op->emitError(
        "a tile operation is executed by all threads of the block, but this "
        "one is under a condition that differs between threads");
  if (!isUniform(operands))
    return op->emitError("an operand of this tile operation differs between "
                         "threads");
  return success();
}

LogicalResult ProgramBuilder::block(Block &block, Nodes &nodes) {
  for (Operation &o : block)
    if (!o.hasTrait<OpTrait::IsTerminator>() && failed(op(&o, nodes)))
      return failure();
  return success();
}

LogicalResult ProgramBuilder::op(Operation *o, Nodes &nodes) {
  return TypeSwitch<Operation *, LogicalResult>(o)
      .Case([&](tile::LaunchOp l) { return launch(l, nodes); })
      .Case([&](scf::IfOp i) { return ifOp(i, nodes); })
      .Case([&](scf::ForOp f) { return forOp(f, nodes); })
      .Case([&](scf::WhileOp w) { return whileOp(w, nodes); })
      .Case([&](arith::ConstantOp c) { return constantOp(c); })
      .Default([&](Operation *other) {
        return isa<tile::TileDialect>(other->getDialect())
                   ? tileOp(other, nodes)
                   : scalar(other, nodes);
      });
}

LogicalResult ProgramBuilder::tileOp(Operation *o, Nodes &nodes) {
  return TypeSwitch<Operation *, LogicalResult>(o)
      .Case([&](tile::AllocOp a) { return alloc(a); })
      .Case([&](tile::LoadOp l) {
        Node node = makeNode(Code::Load, l);
        node.dst = newRef(l.getResult());
        node.sub = l.getInBounds();
        return access(l, l.getBuffer(), l.getIndices(), node, nodes);
      })
      .Case([&](tile::StoreOp s) {
        Node node = makeNode(Code::Store, s);
        node.a = ref(s.getValue());
        node.sub = s.getInBounds();
        return access(s, s.getBuffer(), s.getIndices(), node, nodes);
      })
      .Case([&](tile::AtomicOp a) { return atomic(a, nodes); })
      .Case([&](tile::SyncGridOp s) {
        current->syncsGrid = true;
        push(makeNode(Code::SyncGrid, s), nodes);
        return requireCollective(s, {});
      })
      .Case([&](tile::ThreadIdOp t) {
        Node node = makeNode(Code::ThreadId, t);
        node.sub = static_cast<uint8_t>(t.getDim());
        node.dst = newRef(t.getResult());
        push(node, nodes);
        return success();
      })
      .Case([&](tile::CopyOp c) { return copy(c, nodes); })
      .Case([&](tile::FillOp f) { return fill(f, nodes); })
      .Case([&](tile::GemmOp g) { return gemm(g, nodes); })
      .Case([&](tile::ParallelOp p) { return parallel(p, nodes); })
      .Case([&](tile::PipelinedOp p) { return pipelined(p, nodes); })
      .Case([&](tile::SyncThreadsOp s) { return requireCollective(s, {}); })
      .Case([&](tile::CallExternOp c) { return callExtern(c); })
      // Sequential meaning needs no fence; an access_ptr has a meaning only
      // for the call that uses it.
      .Case<tile::FenceProxyAsyncOp, tile::AccessPtrOp>(
          [](Operation *) { return success(); })
      .Default([](Operation *other) {
        return other->emitError() << "the virtual device cannot run '"
                                  << other->getName() << "' yet";
      });
}

LogicalResult ProgramBuilder::launch(tile::LaunchOp op, Nodes &nodes) {
  LaunchInfo info;
  for (Value v : op.getGrid())
    info.grid.push_back(ref(v));
  llvm::copy(op.getThreads(), info.threads);
  info.swizzle = op.getSwizzle();
  info.swizzleColumn = op.getSwizzleColumn();
  threads = op.getNumThreads();
  uniformity.emplace(op);
  for (BlockArgument arg : op.getBody().getArguments())
    info.ids.push_back(newRef(arg).slot);
  current = &info;
  LogicalResult built = block(op.getBody().front(), info.body);
  current = nullptr;
  uniformity.reset();
  threads = 1;
  if (failed(built))
    return failure();
  Node node = makeNode(Code::Launch, op);
  node.aux = program.launches.size();
  program.launches.push_back(std::move(info));
  push(node, nodes);
  return success();
}

LogicalResult ProgramBuilder::alloc(tile::AllocOp op) {
  MemRefType type = op.getResult().getType();
  auto elem = elemOf(type.getElementType());
  if (!elem)
    return op.emitError() << "the virtual device does not support elements of "
                             "type "
                          << type.getElementType();
  bool varying = uniformity && uniformity->isVarying(op.getResult());
  uint32_t id = program.buffers.size();
  buffers[op.getResult()] = id;
  program.buffers.push_back({op.getResult(), *elem, tile::getSpace(type),
                             SmallVector<int64_t, 4>(type.getShape()), -1,
                             varying ? int64_t(threads) : 1});
  if (current)
    current->allocs.push_back(id);
  return success();
}

LogicalResult ProgramBuilder::access(Operation *op, Value buffer,
                                     OperandRange indices, Node node,
                                     Nodes &nodes) {
  Access info{bufferOf(buffer), {}};
  for (Value v : indices) {
    info.indices.push_back(ref(v));
    node.perThread |= ref(v).mask != 0;
  }
  const BufferInfo &target = program.buffers[info.buffer];
  node.elem = target.elem;
  node.perThread |= target.copies > 1;
  // A point of a parallel loop and a thread of a split loop is one thread.
  node.perThread &= !inParallel;
  node.aux = program.accesses.size();
  program.accesses.push_back(std::move(info));
  push(node, nodes);
  return success();
}

/// Every thread takes part, also where no operand differs between threads.
LogicalResult ProgramBuilder::atomic(tile::AtomicOp op, Nodes &nodes) {
  Node node = makeNode(Code::Atomic, op, /*perThread=*/true);
  node.sub = static_cast<uint8_t>(op.getKind());
  if (op.getValue())
    node.a = ref(op.getValue());
  if (op.getResult())
    node.dst = newRef(op.getResult());
  else
    node.dst = newCells(inParallel ? 0u : ~0u);
  return access(op, op.getBuffer(), op.getIndices(), node, nodes);
}

LogicalResult ProgramBuilder::copy(tile::CopyOp op, Nodes &nodes) {
  bool perThread = tile::isInSpace(op.getSrc(), Space::Local) ||
                   tile::isInSpace(op.getDst(), Space::Local);
  if (!perThread && failed(requireCollective(op, op->getOperands())))
    return failure();
  CopyInfo info{region(op.getSrc(), op.getSrcOffsets(), op.getSrcSizes()),
                region(op.getDst(), op.getDstOffsets(), op.getDstSizes())};
  Node node = makeNode(Code::Copy, op);
  node.perThread = !isUniform(op->getOperands()) ||
                   program.buffers[info.src.buffer].copies > 1 ||
                   program.buffers[info.dst.buffer].copies > 1;
  node.aux = program.copies.size();
  program.copies.push_back(std::move(info));
  push(node, nodes);
  return success();
}

LogicalResult ProgramBuilder::fill(tile::FillOp op, Nodes &nodes) {
  bool local = tile::isInSpace(op.getDst(), Space::Local);
  if (!local && failed(requireCollective(op, op->getOperands())))
    return failure();
  Node node = makeNode(Code::Fill, op);
  node.a = ref(op.getValue());
  node.aux = program.regions.size();
  program.regions.push_back(
      region(op.getDst(), op.getOffsets(), op.getSizes()));
  const BufferInfo &target = program.buffers[program.regions.back().buffer];
  node.elem = target.elem;
  node.perThread = !isUniform(op->getOperands()) || target.copies > 1;
  push(node, nodes);
  return success();
}

LogicalResult ProgramBuilder::gemm(tile::GemmOp op, Nodes &nodes) {
  if (failed(requireCollective(op, op->getOperands())))
    return failure();
  GemmInfo info;
  info.a = region(op.getA(), op.getAOffsets(), op.getASizes());
  info.b = region(op.getB(), op.getBOffsets(), op.getBSizes());
  info.c = bufferOf(op.getC());
  info.transA = op.getTransA();
  info.transB = op.getTransB();
  info.transC = op.getTransC();
  info.hasClear = bool(op.getClear());
  if (op.getClear())
    info.clear = ref(op.getClear());
  Elem c = program.buffers[info.c].elem;
  Elem a = program.buffers[info.a.buffer].elem;
  Elem b = program.buffers[info.b.buffer].elem;
  if (isFloat(a) != isFloat(c) || isFloat(b) != isFloat(c))
    return op.emitError("the operands and the accumulator of T.gemm must all "
                        "be integers or all be floats");
  Node node = makeNode(Code::Gemm, op);
  node.elem = c;
  node.aux = program.gemms.size();
  program.gemms.push_back(std::move(info));
  push(node, nodes);
  return success();
}

LogicalResult ProgramBuilder::callExtern(tile::CallExternOp op) {
  bool readOnly = !op.getResult();
  for (Value arg : op.getArgs()) {
    auto ptr = arg.getDefiningOp<tile::AccessPtrOp>();
    readOnly &= ptr && ptr.getMode() == tile::AccessMode::Read;
  }
  if (!readOnly)
    return op.emitError() << "cannot run the external function '"
                          << op.getCallee()
                          << "' on the virtual device: it is CUDA code";
  // What only reads the kernel's buffers cannot change its results.
  op.emitWarning() << "the call of '" << op.getCallee()
                   << "' is left out on the virtual device: it only reads";
  return success();
}

LogicalResult ProgramBuilder::parallel(tile::ParallelOp op, Nodes &nodes) {
  if (!inParallel && divergent)
    return requireCollective(op, {});
  ParallelInfo info;
  info.extents.assign(op.getExtents().begin(), op.getExtents().end());
  bool outer = inParallel;
  inParallel = true;
  for (BlockArgument arg : op.getBody().getArguments())
    info.ivs.push_back(newRef(arg).slot);
  LogicalResult built = block(op.getBody().front(), info.body);
  inParallel = outer;
  Node node = makeNode(Code::Parallel, op);
  node.aux = program.parallels.size();
  program.parallels.push_back(std::move(info));
  push(node, nodes);
  return built;
}

LogicalResult ProgramBuilder::pipelined(tile::PipelinedOp op, Nodes &nodes) {
  LoopInfo info;
  info.lower = ref(op.getLower());
  info.upper = ref(op.getUpper());
  info.step = intConstant(1);
  bool split = !isUniform(op->getOperands()), outer = divergent;
  info.iv = newRef(op.getBody().getArgument(0));
  divergent |= split;
  LogicalResult built = block(op.getBody().front(), info.body);
  divergent = outer;
  Node node = makeNode(Code::For, op, split);
  node.aux = program.loops.size();
  program.loops.push_back(std::move(info));
  push(node, nodes);
  return built;
}

LogicalResult ProgramBuilder::ifOp(scf::IfOp op, Nodes &nodes) {
  IfInfo info;
  info.condition = ref(op.getCondition());
  for (Value result : op.getResults())
    newRef(result);
  bool split = info.condition.mask != 0, outer = divergent;
  divergent |= split;
  auto arm = [&](mlir::Region &region, Nodes &body) {
    if (region.empty())
      return success();
    if (failed(block(region.front(), body)))
      return failure();
    Operation *yield = region.front().getTerminator();
    for (auto [result, value] :
         llvm::zip(op.getResults(), yield->getOperands()))
      move(yield, value, ref(result), body);
    return success();
  };
  LogicalResult built =
      success(succeeded(arm(op.getThenRegion(), info.thenNodes)) &&
              succeeded(arm(op.getElseRegion(), info.elseNodes)));
  divergent = outer;
  Node node = makeNode(Code::If, op, split);
  node.aux = program.ifs.size();
  program.ifs.push_back(std::move(info));
  push(node, nodes);
  return built;
}

LogicalResult ProgramBuilder::forOp(scf::ForOp op, Nodes &nodes) {
  LoopInfo info;
  info.lower = ref(op.getLowerBound());
  info.upper = ref(op.getUpperBound());
  info.step = ref(op.getStep());
  info.isUnsigned = op.getUnsignedCmp();
  bool split = info.lower.mask | info.upper.mask | info.step.mask;
  bool outer = divergent;
  info.iv = newRef(op.getInductionVar());
  for (auto [arg, result, init] :
       llvm::zip(op.getRegionIterArgs(), op.getResults(), op.getInitArgs())) {
    refs[result] = newRef(arg);
    move(op, init, ref(arg), nodes);
  }
  divergent |= split;
  if (failed(block(*op.getBody(), info.body)))
    return failure();
  divergent = outer;
  // A yield may exchange carried values: read all before writing any.
  Operation *yield = op.getBody()->getTerminator();
  SmallVector<Ref> temps;
  for (auto [value, arg] :
       llvm::zip(yield->getOperands(), op.getRegionIterArgs())) {
    temps.push_back(newCells(ref(arg).mask));
    move(yield, value, temps.back(), info.body);
  }
  for (auto [temp, arg] : llvm::zip(temps, op.getRegionIterArgs())) {
    Node node = makeNode(Code::Move, yield);
    node.dst = ref(arg);
    node.a = temp;
    push(node, info.body);
  }
  Node node = makeNode(Code::For, op, split);
  node.aux = program.loops.size();
  program.loops.push_back(std::move(info));
  push(node, nodes);
  return success();
}

LogicalResult ProgramBuilder::whileOp(scf::WhileOp op, Nodes &nodes) {
  WhileInfo info;
  Block &before = op.getBefore().front(), &after = op.getAfter().front();
  for (auto [arg, init] : llvm::zip(before.getArguments(), op.getInits()))
    move(op, init, newRef(arg), nodes);
  for (auto [arg, result] : llvm::zip(after.getArguments(), op.getResults()))
    refs[result] = newRef(arg);
  scf::ConditionOp condition = op.getConditionOp();
  bool split = uniformity && !inParallel &&
               uniformity->isVarying(condition.getCondition());
  bool outer = divergent;
  divergent |= split;
  if (failed(block(before, info.before)))
    return failure();
  info.condition = ref(condition.getCondition());
  for (auto [value, arg] : llvm::zip(condition.getArgs(), after.getArguments()))
    move(condition, value, ref(arg), info.before);
  if (failed(block(after, info.after)))
    return failure();
  divergent = outer;
  Operation *yield = after.getTerminator();
  for (auto [value, arg] :
       llvm::zip(yield->getOperands(), before.getArguments()))
    move(yield, value, ref(arg), info.after);
  Node node = makeNode(Code::While, op, split);
  node.aux = program.whiles.size();
  program.whiles.push_back(std::move(info));
  push(node, nodes);
  return success();
}
