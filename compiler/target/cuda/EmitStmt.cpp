// Statements: control flow, roles, accesses, ordering actions.
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
      .Case<tile::AllocOp, tile::StoreOp, sm::StSharedOp, sm::StGlobalOp,
            sm::UnpackOp, sm::SharedBaseOp>(
          [&](auto o) { return accessStatement(o); })
      .Case<sm::MbarInitOp, sm::MbarWaitOp, sm::MbarArriveOp, sm::MbarExpectOp,
            sm::TmaLoadBoxOp, sm::TmaStoreBoxOp, sm::BulkCopyOp, sm::BarSyncOp,
            sm::FenceMBarrierInitOp, sm::FenceProxyAsyncOp, sm::MembarOp,
            sm::SetMaxNRegOp, sm::BulkCommitOp, sm::BulkWaitOp>(
          [&](auto o) { return barrierStatement(o); })
      .Case<sm::LdMatrixOp, sm::MmaSyncOp, sm::WgmmaInstOp, sm::KeepOp,
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
  if (isa<sm::SharedBaseOp>(op)) {
    declare(op->getResult(0), hintFor(op));
    for (StringRef entry : {"u32", "uniform", "smem_address"})
      prelude.use(entry);
    line("extern __shared__ unsigned char shared_memory[];");
    line("const u32 " + names[op->getResult(0)] +
         " = (uniform(smem_address(shared_memory)) + 1023) & ~1023u;");
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

LogicalResult KernelEmitter::barrierStatement(Operation *op) {
  auto emit = [&](StringRef function, const Twine &args) {
    prelude.use(function);
    line(function + "(" + args + ");");
    return success();
  };
  auto emitSized = [&](StringRef function, const Twine &sizes) {
    prelude.use(function);
    line(function + "<" + sizes + ">();");
    return success();
  };
  auto coords = [&](ValueRange values) { // innermost first
    std::string text;
    for (Value v : llvm::reverse(values))
      text += ", " + expr(v).text;
    return text;
  };
  auto mapName = [&](Value v) {
    auto map = v.getDefiningOp<sm::TensorMapOp>();
    for (auto &[other, name] : tensorMaps)
      if (other.getBuffer() == map.getBuffer() &&
          other.getBox() == map.getBox() &&
          other.getSwizzle() == map.getSwizzle())
        return name;
    return std::string();
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](sm::MbarInitOp o) {
        return emit("mbar_init", expr(o.getAddress()).text + ", " +
                                     llvm::itostr(o.getCount()));
      })
      .Case([&](sm::MbarWaitOp o) {
        return emit("mbar_wait", expr(o.getAddress()).text + ", " +
                                     expr(o.getParity()).text);
      })
      .Case([&](sm::MbarArriveOp o) {
        return emit(o.getPerWarp() ? "mbar_arrive_warp" : "mbar_arrive",
                    expr(o.getAddress()).text);
      })
      .Case([&](sm::MbarExpectOp o) {
        return emit("mbar_expect", expr(o.getAddress()).text + ", " +
                                       llvm::itostr(o.getBytes()));
      })
      .Case([&](sm::TmaLoadBoxOp o) {
        std::string name = prelude.useTmaLoad(o.getCoords().size());
        line(name + "(" + expr(o.getAddress()).text + ", " +
             mapName(o.getMap()) + ", " + expr(o.getBarrier()).text +
             coords(o.getCoords()) + ");");
        return success();
      })
      .Case([&](sm::TmaStoreBoxOp o) {
        std::string name = prelude.useTmaStore(o.getCoords().size());
        line(name + "(" + expr(o.getAddress()).text + ", " +
             mapName(o.getMap()) + coords(o.getCoords()) + ");");
        return success();
      })
      .Case([&](sm::BulkCopyOp o) {
        return emit("bulk_load",
                    expr(o.getAddress()).text + ", " +
                        globalAddress(o.getBuffer(), o.getIndex()).text + ", " +
                        llvm::itostr(o.getBytes()) + ", " +
                        expr(o.getBarrier()).text);
      })
      .Case([&](sm::BarSyncOp o) {
        return emitSized("bar_sync", llvm::itostr(o.getId()) + ", " +
                                         llvm::itostr(o.getThreads()));
      })
      .Case(
          [&](sm::FenceMBarrierInitOp) { return emit("fence_mbar_init", ""); })
      .Case(
          [&](sm::FenceProxyAsyncOp) { return emit("fence_proxy_async", ""); })
      .Case([&](sm::MembarOp) { return emit("membar_cta", ""); })
      .Case([&](sm::SetMaxNRegOp o) {
        return emitSized(o.getIncrease() ? "setmaxnreg_inc" : "setmaxnreg_dec",
                         llvm::itostr(o.getRegisters()));
      })
      .Case([&](sm::BulkCommitOp) { return emit("bulk_commit", ""); })
      .Case([&](sm::BulkWaitOp o) {
        return emitSized(o.getRead() ? "bulk_wait_read" : "bulk_wait",
                         llvm::itostr(o.getPending()));
      })
      .Default([](auto) { return failure(); });
}

LogicalResult KernelEmitter::matrixStatement(Operation *op) {
  auto at = [&](Value array, const std::string &index) {
    return index == "0" ? names[array] : "&" + names[array] + "[" + index + "]";
  };
  auto list = [&](ValueRange values) {
    std::string text;
    for (Value v : values)
      text += ", " + expr(v).text;
    return text;
  };
  if (auto load = dyn_cast<sm::LdMatrixOp>(op)) {
    std::string name = "ldmatrix_x" + llvm::utostr(load.getRegisters().size()) +
                       (load.getTranspose() ? "_trans" : "");
    prelude.use(name);
    std::string declared, args;
    for (Value v : load.getRegisters()) {
      declare(v, "r");
      declared += (declared.empty() ? "u32 " : ", ") + names[v];
      args += ", " + names[v];
    }
    line(declared + ";");
    line(name + "(" + expr(load.getAddress()).text + args + ");");
  } else if (auto mma = dyn_cast<sm::MmaSyncOp>(op)) {
    std::string name = prelude.useMma(mma.getType(), mma.getK());
    line(name + "(" + at(mma.getAcc(), expr(mma.getIndex()).text) +
         list(mma.getA()) + list(mma.getB()) + ");");
  } else if (auto wgmma = dyn_cast<sm::WgmmaInstOp>(op)) {
    std::string name = prelude.useWgmma(
        wgmma.getN(), wgmma.getK(), wgmma.getAType(), wgmma.getBType(),
        !wgmma.getADesc(), wgmma.getTransA(), wgmma.getTransB());
    std::string a = wgmma.getADesc() ? ", " + expr(wgmma.getADesc()).text
                                     : list(wgmma.getARegs());
    std::string scale = wgmma.getScaleD() ? expr(wgmma.getScaleD()).text : "1";
    line(name + "(" + at(wgmma.getAcc(), llvm::itostr(wgmma.getBase())) + a +
         ", " + expr(wgmma.getBDesc()).text + ", " + scale + ");");
  } else if (auto keep = dyn_cast<sm::KeepOp>(op)) {
    Type element = keep.getArray().getType().getElementType();
    std::string name = element.isF32()    ? "keep"
                       : element.isBF16() ? "keep_bf16"
                       : element.isF16()  ? "keep_f16"
                                          : "keep_int";
    if (keep.getArray().getType().getRank() != 1 ||
        !(element.isF32() || element.isBF16() || element.isF16() ||
          element.isInteger(32)))
      return op->emitError("registers of this type are not supported yet");
    prelude.use(name);
    line("keep(" + names[keep.getArray()] + ");");
  } else if (auto wait = dyn_cast<sm::WgmmaWaitOp>(op)) {
    prelude.use("wgmma_wait");
    line("wgmma_wait<" + llvm::itostr(wait.getPending()) + ">();");
  } else {
    std::string name =
        isa<sm::WgmmaFenceOp>(op) ? "wgmma_fence" : "wgmma_commit";
    prelude.use(name);
    line(name + "();");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// Variables := values, all at once.
void KernelEmitter::assign(ValueRange targets, ValueRange values) {
  SmallVector<std::pair<std::string, std::string>> pending;
  for (auto [target, value] : llvm::zip(targets, values)) {
    std::string text = expr(value).text;
    if (text != names[target])
      pending.push_back({names[target], text});
  }
  if (pending.size() == 1) {
    line(pending[0].first + " = " + pending[0].second + ";");
    return;
  }
  // A value may be another target: read all before the first write.
  SmallVector<std::string> temporaries;
  for (auto &[target, text] : pending) {
    std::string name = names.make(target + "_next");
    line("const auto " + name + " = " + text + ";");
    temporaries.push_back(name);
  }
  for (auto [entry, name] : llvm::zip(pending, temporaries))
    line(entry.first + " = " + name + ";");
}

LogicalResult KernelEmitter::forLoop(scf::ForOp op) {
  for (auto [result, arg, init] :
       llvm::zip(op.getResults(), op.getRegionIterArgs(), op.getInitArgs())) {
    declare(result, hintFor(op));
    names[arg] = names[result];
    line(typeName(result.getType()) + " " + names[result] + " = " +
         expr(init).text + ";");
  }
  line(op->hasAttr("unroll") ? "#pragma unroll" : "#pragma unroll 1");
  StringRef hint = nameOf(op.getInductionVar().getLoc());
  if (hint.empty())
    hint = nameOf(op.getLoc());
  names.enter();
  std::string iv = names.make(hint.empty() ? "i" : hint);
  names[op.getInductionVar()] = iv;
  std::string step = expr(op.getStep()).text;
  open("for (" + typeName(op.getInductionVar().getType()) + " " + iv + " = " +
       expr(op.getLowerBound()).text + "; " + iv + " < " +
       operand(op.getUpperBound(), kShift) + "; " +
       (step == "1" ? "++" + iv : iv + " += " + step) + ") {");
  if (failed(block(*op.getBody())))
    return failure();
  auto yield = cast<scf::YieldOp>(op.getBody()->getTerminator());
  assign(op.getRegionIterArgs(), yield.getOperands());
  close();
  names.leave();
  return success();
}

LogicalResult KernelEmitter::whileLoop(scf::WhileOp op) {
  Block *before = op.getBeforeBody(), *after = op.getAfterBody();
  for (auto [arg, init] : llvm::zip(before->getArguments(), op.getInits())) {
    declare(arg, nameOf(arg.getLoc()).empty() ? "w" : nameOf(arg.getLoc()));
    line(typeName(arg.getType()) + " " + names[arg] + " = " + expr(init).text +
         ";");
  }
  auto condition = cast<scf::ConditionOp>(before->getTerminator());
  for (auto [result, arg] : llvm::zip(op.getResults(), after->getArguments())) {
    declare(result, "r");
    names[arg] = names[result];
    line(typeName(result.getType()) + " " + names[result] + ";");
  }
  open("while (true) {");
  if (failed(block(*before)))
    return failure();
  assign(after->getArguments(), condition.getArgs());
  line("if (!" + operand(condition.getCondition(), kUnary) + ")");
  ++depth;
  line("break;");
  --depth;
  if (failed(block(*after)))
    return failure();
  assign(before->getArguments(),
         cast<scf::YieldOp>(after->getTerminator()).getOperands());
  close();
  return success();
}

LogicalResult KernelEmitter::branch(scf::IfOp op) {
  for (Value result : op.getResults()) {
    declare(result, hintFor(op));
    line(typeName(result.getType()) + " " + names[result] + ";");
  }
  open("if (" + expr(op.getCondition()).text + ") {");
  auto part = [&](Region &region) {
    if (region.empty())
      return success();
    if (failed(block(region.front())))
      return failure();
    if (auto yield = dyn_cast<scf::YieldOp>(region.front().getTerminator()))
      assign(op.getResults(), yield.getOperands());
    return success();
  };
  if (failed(part(op.getThenRegion())))
    return failure();
  bool hasElse = !op.getElseRegion().empty() &&
                 op.getElseRegion().front().getOperations().size() >
                     (op.getNumResults() ? 0u : 1u);
  if (hasElse) {
    names.leave();
    --depth;
    open("} else {");
    if (failed(part(op.getElseRegion())))
      return failure();
  }
  close();
  return success();
}

std::string KernelEmitter::rolePredicate(sm::RoleOp op) {
  int64_t first = op.getWarps()[0], count = op.getWarps()[1];
  int64_t total = static_cast<int64_t>(launch.getThreads()) / 32;
  if (first == 0 && count == 1)
    return warpName + " == 0";
  if (first == 0)
    return warpName + " < " + llvm::itostr(count);
  if (count == 1)
    return warpName + " == " + llvm::itostr(first);
  std::string text = warpName + " >= " + llvm::itostr(first);
  if (first + count < total)
    text += " && " + warpName + " < " + llvm::itostr(first + count);
  return text;
}

/// Roles beside each other form one chain: they exclude each other.
LogicalResult KernelEmitter::roles(Operation *first, Operation *&last) {
  bool chain = false;
  for (Operation *op = first; op; op = op->getNextNode()) {
    auto role = dyn_cast<sm::RoleOp>(op);
    if (!role) {
      if (isa<arith::ConstantOp, sm::TensorMapOp>(op))
        continue;
      break;
    }
    last = op;
    // A role of all warps of the one around it needs no branch.
    bool whole =
        !roleStack.empty() && roleStack.back().getWarps() == role.getWarps();
    std::string head = whole ? "{" : "if (" + rolePredicate(role) + ") {";
    if (chain) {
      names.leave();
      --depth;
      open("} else " + head + " // " + role.getName());
    } else {
      open(head + " // " + role.getName());
    }
    chain = true;
    roleStack.push_back(role);
    if (failed(block(role.getBody().front())))
      return failure();
    roleStack.pop_back();
  }
  close();
  return success();
}

LogicalResult KernelEmitter::elect(sm::ElectOp op) {
  prelude.use("elect_one");
  int64_t first = roleStack.empty() ? 0 : roleStack.back().getWarps()[0];
  int64_t count = roleStack.empty()
                      ? static_cast<int64_t>(launch.getThreads()) / 32
                      : roleStack.back().getWarps()[1];
  std::string text = "elect_one()";
  if (count > 1)
    text = warpName + " == " + llvm::itostr(first) + " && " + text;
  open("if (" + text + ") {");
  if (failed(block(op.getBody().front())))
    return failure();
  close();
  return success();
}

LogicalResult KernelEmitter::externCall(tile::CallExternOp op) {
  std::string text = call(op.getCallee(), op.getArgs()).text;
  if (Value result = op.getResult()) {
    declare(result, hintFor(op));
    text = "const " + typeName(result.getType()) + " " + names[result] + " = " +
           text;
  }
  line(text + ";");
  return success();
}
