// Statements: layout of the text, variables, accesses.
#include "compiler/target/cuda/KernelEmitter.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::cuda;

void KernelEmitter::line(const Twine &text) {
  body.append(2 * depth, ' ');
  body += text.str();
  body += '\n';
}

void KernelEmitter::open(const Twine &text) {
  line(text);
  ++depth;
  names.enter();
}

void KernelEmitter::close(const Twine &text) {
  names.leave();
  --depth;
  line(text);
}

/// Source positions, whenever the line changes.
void KernelEmitter::lineDirective(Location loc) {
  auto place = loc->findInstanceOf<FileLineColRange>();
  if (!place)
    return;
  StringRef file = place.getFilename().getValue();
  unsigned number = place.getStartLine();
  if (number == 0 || (number == lastLine && file == lastFile))
    return;
  body += "#line " + llvm::utostr(number);
  if (file != lastFile) {
    body += " \"";
    llvm::raw_string_ostream os(body);
    llvm::printEscapedString(file, os);
    body += '"';
  }
  body += '\n';
  lastFile = file.str();
  lastLine = number;
}

std::string KernelEmitter::hintFor(Operation *op) {
  StringRef name = nameOf(op->getLoc());
  name.consume_front("~");
  if (!name.empty())
    return name.str();
  if (auto load = dyn_cast<tile::LoadOp>(op);
      load && load.getIndices().empty()) {
    // A counter's variable: its last word says what it is.
    std::string buffer = tile::getBufferName(load.getBuffer());
    return buffer.substr(buffer.rfind('_') + 1);
  }
  return llvm::TypeSwitch<Operation *, std::string>(op)
      .Case<sm::ThreadOp>([](auto) { return "thread"; })
      .Case<sm::LdSharedOp, sm::LdGlobalOp>([](auto) { return "v"; })
      .Case<sm::GlobalAlignedOp>([](auto) { return "aligned"; })
      .Case<arith::CmpIOp, arith::CmpFOp>([](auto) { return "c"; })
      .Case<scf::IfOp, scf::ForOp, scf::WhileOp>([](auto) { return "r"; })
      .Default([](auto) { return "t"; });
}

LogicalResult KernelEmitter::block(Block &block) {
  findInlined(block);
  for (Operation *op = &block.front(), *next; op; op = next) {
    if (block.empty())
      break;
    next = op->getNextNode();
    if (isa<sm::RoleOp>(op)) {
      Operation *last = op;
      if (failed(roles(op, last)))
        return failure();
      next = last->getNextNode();
      continue;
    }
    if (auto product = dyn_cast<sm::WgmmaInstOp>(op)) {
      Operation *last = op;
      if (failed(products(product, last)))
        return failure();
      next = last->getNextNode();
      continue;
    }
    if (failed(statement(op)))
      return failure();
  }
  return success();
}

/// The store behind a scalar variable that gives its first value.
static tile::StoreOp initializer(tile::AllocOp alloc) {
  auto store = dyn_cast_or_null<tile::StoreOp>(alloc->getNextNode());
  if (store && store.getBuffer() == alloc.getResult() &&
      alloc.getResult().getType().getRank() == 0 &&
      isa_and_nonnull<arith::ConstantOp>(store.getValue().getDefiningOp()))
    return store;
  return {};
}

LogicalResult KernelEmitter::statement(Operation *op) {
  if (inlined.contains(op) || isa<arith::ConstantOp, sm::TensorMapOp>(op))
    return success();
  if (auto alloc = dyn_cast_or_null<tile::AllocOp>(op->getPrevNode()))
    if (initializer(alloc) == op)
      return success(); // printed with the variable
  if (isa<scf::YieldOp, scf::ConditionOp>(op))
    return success(); // printed by the op around it
  if (!isa<tile::AllocOp, sm::SharedBaseOp>(op))
    lineDirective(op->getLoc());
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](scf::ForOp o) { return forLoop(o); })
      .Case([&](scf::WhileOp o) { return whileLoop(o); })
      .Case([&](scf::IfOp o) { return branch(o); })
      .Case([&](sm::ElectOp o) { return elect(o); })
      .Case([&](tile::CallExternOp o) { return externCall(o); })
      .Case([&](sm::AtomicOp o) { return atomicStatement(o); })
      .Case<tile::AllocOp, tile::StoreOp, sm::StSharedOp, sm::StGlobalOp,
            sm::UnpackOp, sm::SharedBaseOp>(
          [&](auto o) { return accessStatement(o); })
      .Case<sm::MbarInitOp, sm::MbarWaitOp, sm::MbarArriveOp, sm::MbarExpectOp,
            sm::TmaLoadBoxOp, sm::TmaStoreBoxOp, sm::BulkCopyOp, sm::BarSyncOp,
            sm::FenceMBarrierInitOp, sm::FenceProxyAsyncOp, sm::MembarOp,
            sm::SetMaxNRegOp, sm::BulkCommitOp, sm::BulkWaitOp, sm::CpAsyncOp,
            sm::CpAsyncCommitOp, sm::CpAsyncWaitOp, sm::GridBarrierOp>(
          [&](auto o) { return barrierStatement(o); })
      .Case<sm::LdMatrixOp, sm::MmaSyncOp, sm::KeepOp, sm::RotateOp,
            sm::WgmmaFenceOp, sm::WgmmaCommitOp, sm::WgmmaWaitOp>(
          [&](auto o) { return matrixStatement(o); })
      .Default([&](Operation *o) { return define(o); });
}

void KernelEmitter::declare(Value v, StringRef hint) {
  std::string type = typeName(v.getType());
  for (StringRef entry :
       {"u16", "u32x2", "u32x4", "u32", "bf16", "f16", "f8e4m3", "f8e5m2"})
    if (type == entry)
      prelude.use(entry);
  names[v] = names.make(hint);
}

/// `const T name = expression;`
LogicalResult KernelEmitter::define(Operation *op) {
  StringRef dialect = op->getName().getDialectNamespace();
  bool known =
      dialect == "arith" || dialect == "math" ||
      isa<tile::LoadOp, sm::LdSharedOp, sm::LdGlobalOp, sm::PackOp,
          sm::ThreadOp, sm::WarpOp, sm::WgmmaDescOp, sm::GlobalAlignedOp,
          sm::BitPackOp, sm::PointerOp, sm::QuadTransposeOp>(op);
  if (!known || op->getNumResults() != 1)
    return op->emitError() << "'" << op->getName()
                           << "' is not part of a thread program";
  Value result = op->getResult(0);
  std::string type = typeName(result.getType());
  Expr e = inlineExpr(op, 0);
  if (e.text.empty() || type.empty())
    return op->emitError() << "'" << op->getName() << "' of type "
                           << result.getType() << " is not supported yet";
  bool isAddress = isa<sm::WgmmaDescOp>(op);
  if (isAddress) {
    prelude.use("u64");
    type = "u64";
  }
  if (isa<sm::PointerOp>(op))
    type = "auto";
  declare(result, hintFor(op));
  line("const " + type + " " + names[result] + " = " + e.text + ";");
  return success();
}

LogicalResult KernelEmitter::accessStatement(Operation *op) {
  if (auto base = dyn_cast<sm::SharedBaseOp>(op)) {
    declare(base.getResult(), hintFor(op));
    for (StringRef entry : {"u32", "smem_address"})
      prelude.use(entry);
    std::string address = "smem_address(shared_memory)";
    if (base.getBroadcast()) {
      prelude.use("uniform");
      address = "uniform(" + address + ")";
    }
    line("extern __shared__ unsigned char shared_memory[];");
    line("const u32 " + names[base.getResult()] + " = (" + address +
         " + 1023) & ~1023u;");
  } else if (auto alloc = dyn_cast<tile::AllocOp>(op)) {
    MemRefType type = alloc.getResult().getType();
    std::string element = typeName(type.getElementType());
    if (!tile::isInSpace(type, tile::Space::Local) || element.empty())
      return op->emitError("only arrays of a thread are printed");
    declare(alloc.getResult(), alloc.getName());
    for (StringRef entry :
         {"bf16", "f16", "f8e4m3", "f8e5m2", "u32", "u16", "u64"})
      if (element == entry)
        prelude.use(entry);
    std::string dims;
    for (int64_t size : type.getShape())
      dims += "[" + llvm::itostr(size) + "]";
    std::string value;
    if (tile::StoreOp store = initializer(alloc))
      value = " = " + expr(store.getValue()).text;
    line(element + " " + names[alloc.getResult()] + dims + value + ";");
  } else if (auto store = dyn_cast<tile::StoreOp>(op)) {
    line(element(store.getBuffer(), store.getIndices()).text + " = " +
         expr(store.getValue()).text + ";");
  } else if (auto store = dyn_cast<sm::StSharedOp>(op)) {
    std::string name =
        "st_shared_b" + llvm::itostr(bitsOf(store.getValue().getType()));
    if (bitsOf(store.getValue().getType()) == 64 &&
        !isa<VectorType>(store.getValue().getType()))
      return op->emitError("64-bit elements in shared memory are not supported "
                           "yet");
    prelude.use(name);
    line(name + "(" + expr(store.getAddress()).text + ", " +
         bits(store.getValue()).text + ");");
  } else if (auto store = dyn_cast<sm::StGlobalOp>(op)) {
    std::string text;
    if (isa<VectorType>(store.getValue().getType())) {
      std::string name =
          "st_global_b" + llvm::itostr(bitsOf(store.getValue().getType()));
      prelude.use(name);
      text = name + "(" +
             globalAddress(store.getBuffer(), store.getIndex()).text + ", " +
             expr(store.getValue()).text + ");";
    } else {
      text = element(store.getBuffer(), store.getIndex()).text + " = " +
             expr(store.getValue()).text + ";";
    }
    if (store.getPredicate()) {
      line("if (" + expr(store.getPredicate()).text + ")");
      ++depth;
      line(text);
      --depth;
    } else {
      line(text);
    }
  } else {
    auto unpack = cast<sm::UnpackOp>(op);
    for (auto [i, result] : llvm::enumerate(unpack.getResults())) {
      Expr e = inlineExpr(op, i);
      declare(result, "x");
      line("const " + typeName(result.getType()) + " " + names[result] + " = " +
           e.text + ";");
    }
  }
  return success();
}
