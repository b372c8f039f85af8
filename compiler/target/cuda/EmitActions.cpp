// Statements that are one hardware action each: barriers, copies, products.
#include "compiler/target/cuda/KernelEmitter.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::cuda;

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
      .Case([&](sm::CpAsyncOp o) {
        std::string args = expr(o.getAddress()).text + ", " +
                           globalAddress(o.getBuffer(), o.getIndex()).text;
        if (!o.getPredicate() || matchPattern(o.getPredicate(), m_One()))
          return emit("cp_async", args);
        return emit("cp_async_zfill",
                    args + ", " + expr(o.getPredicate()).text);
      })
      .Case([&](sm::CpAsyncCommitOp) { return emit("cp_async_commit", ""); })
      .Case([&](sm::CpAsyncWaitOp o) {
        return emitSized("cp_async_wait", llvm::itostr(o.getPending()));
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
      .Case([&](sm::GridBarrierOp) {
        return emit("grid_barrier",
                    gridState + ", gridDim.x * gridDim.y * gridDim.z");
      })
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

/// One atomic; what it returns is a variable, however often it is used.
LogicalResult KernelEmitter::atomicStatement(sm::AtomicOp op) {
  Type element = op.getElement();
  std::string name = prelude.useAtomic(
      tile::stringifyAtomicKind(op.getKind()), element,
      tile::stringifyMemoryOrder(op.getOrder()), bool(op.getAddress()));
  std::string text =
      name + "(" +
      (op.getAddress() ? expr(op.getAddress())
                       : globalAddress(op.getBuffer(), op.getIndex()))
          .text;
  if (op.getValue())
    text += ", " + expr(op.getValue()).text;
  text += ")";
  if (Value result = op.getResult()) {
    declare(result, hintFor(op));
    text = "const " + typeName(result.getType()) + " " + names[result] + " = " +
           text;
  }
  line(text + ";");
  return success();
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
  } else if (auto rotate = dyn_cast<sm::RotateOp>(op)) {
    prelude.use("rotate_registers");
    line("rotate_registers<" + llvm::itostr(rotate.getBy()) + ">(" +
         names[rotate.getArray()] + ");");
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

/// Whether `next` adds to what `first` computes, with an instruction alike.
static bool continues(sm::WgmmaInstOp first, sm::WgmmaInstOp next) {
  return first.getADesc() && next.getADesc() &&
         first.getAcc() == next.getAcc() && first.getBase() == next.getBase() &&
         (!next.getScaleD() || matchPattern(next.getScaleD(), m_One())) &&
         first.getN() == next.getN() && first.getK() == next.getK() &&
         first.getAType() == next.getAType() &&
         first.getBType() == next.getBType() &&
         first.getTransA() == next.getTransA() &&
         first.getTransB() == next.getTransB();
}

/// The instructions of one accumulator that follow each other are one asm.
LogicalResult KernelEmitter::products(sm::WgmmaInstOp first, Operation *&last) {
  SmallVector<sm::WgmmaInstOp> run{first};
  SmallVector<Operation *> between;
  size_t needed = 0;
  for (Operation *op = first->getNextNode(); op; op = op->getNextNode()) {
    if (auto next = dyn_cast<sm::WgmmaInstOp>(op)) {
      if (!continues(first, next))
        break;
      run.push_back(next);
      needed = between.size();
      last = op;
    } else if (isMemoryEffectFree(op) && op->getNumRegions() == 0) {
      between.push_back(op);
    } else {
      break;
    }
  }
  for (Operation *op : ArrayRef(between).take_front(needed))
    if (failed(statement(op)))
      return failure();
  lineDirective(first.getLoc());
  std::string name = prelude.useWgmma(
      first.getN(), first.getK(), first.getAType(), first.getBType(),
      !first.getADesc(), first.getTransA(), first.getTransB(), run.size());
  std::string array = names[first.getAcc()],
              base = llvm::itostr(first.getBase());
  std::string text =
      name + "(" + (base == "0" ? array : "&" + array + "[" + base + "]");
  for (sm::WgmmaInstOp op : run) {
    if (op.getADesc())
      text += ", " + expr(op.getADesc()).text;
    for (Value v : op.getARegs())
      text += ", " + expr(v).text;
    text += ", " + expr(op.getBDesc()).text;
  }
  line(text + ", " + (first.getScaleD() ? expr(first.getScaleD()).text : "1") +
       ");");
  return success();
}
