// Arithmetic on 16- and 8-bit floats is done in f32 and rounded once: exact for
// + - * / of 16-bit types, whose products and sums f32 holds with more than
// twice the digits. Conversions beside vector accesses become part of them.
#include "compiler/conversion/SMToThreads/SMToThreads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tlc;

static bool isNarrow(Type type) {
  auto floating = dyn_cast<FloatType>(type);
  return floating && floating.getWidth() < 32;
}

/// Ops that move bits or convert already.
static bool isExact(Operation *op) {
  return isa<arith::ExtFOp, arith::TruncFOp, arith::ConstantOp, arith::SelectOp,
             arith::BitcastOp>(op);
}

static void widen(Operation *op) {
  OpBuilder b(op);
  Type wide = b.getF32Type();
  for (OpOperand &operand : op->getOpOperands())
    if (isNarrow(operand.get().getType()))
      operand.set(arith::ExtFOp::create(b, op->getLoc(), wide, operand.get()));
  b.setInsertionPointAfter(op);
  for (OpResult result : op->getResults()) {
    Type narrow = result.getType();
    if (!isNarrow(narrow))
      continue;
    result.setType(wide);
    auto rounded = arith::TruncFOp::create(b, op->getLoc(), narrow, result);
    result.replaceAllUsesExcept(rounded, rounded);
  }
}

static bool isHalf(Type type) { return type.isBF16() || type.isF16(); }

/// Packs round and unpacks extend, two numbers an instruction.
static void fuseConversions(Operation *root) {
  root->walk([](sm::PackOp pack) {
    auto rounds = [](Value v) {
      auto trunc = v.getDefiningOp<arith::TruncFOp>();
      return trunc && trunc.getIn().getType().isF32();
    };
    if (!isHalf(pack.getResult().getType().getElementType()) ||
        !llvm::all_of(pack.getValues(), rounds))
      return;
    for (OpOperand &value : pack->getOpOperands())
      value.set(value.get().getDefiningOp<arith::TruncFOp>().getIn());
  });
  SmallVector<sm::UnpackOp> unpacks;
  root->walk([&](sm::UnpackOp unpack) { unpacks.push_back(unpack); });
  for (sm::UnpackOp unpack : unpacks) {
    auto extends = [](Operation *user) {
      return isa<arith::ExtFOp>(user) && user->getResult(0).getType().isF32();
    };
    if (!isHalf(unpack.getVector().getType().getElementType()) ||
        !llvm::all_of(unpack->getUsers(), extends))
      continue;
    for (OpResult result : unpack->getResults()) {
      if (result.getType().isF32())
        continue;
      result.setType(Float32Type::get(unpack.getContext()));
      for (Operation *user : llvm::make_early_inc_range(result.getUsers())) {
        user->getResult(0).replaceAllUsesWith(result);
        user->erase();
      }
    }
  }
}

void sm::widenArithmetic(Operation *root) {
  SmallVector<Operation *> narrow;
  root->walk([&](Operation *op) {
    StringRef dialect = op->getName().getDialectNamespace();
    if ((dialect != "arith" && dialect != "math") || isExact(op))
      return;
    if (llvm::any_of(op->getOperandTypes(), isNarrow) ||
        llvm::any_of(op->getResultTypes(), isNarrow))
      narrow.push_back(op);
  });
  for (Operation *op : narrow)
    widen(op);
  fuseConversions(root);
}
