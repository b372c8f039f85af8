// Extents, tiles and instructions.
#include "compiler/explain/Describe.h"

#include "compiler/transforms/UserText.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tlc::explain {

static std::string describeOperation(Operation *def);

std::string describeExtent(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return std::to_string(constant.getSExtValue());
  if (auto arg = dyn_cast<BlockArgument>(value))
    if (auto kernel = dyn_cast<tile::KernelOp>(arg.getOwner()->getParentOp()))
      return kernel.getArgName(arg.getArgNumber()).str();
  return describeOperation(value.getDefiningOp());
}

static std::string describeOperation(Operation *def) {
  if (!def || def->getNumOperands() != 2)
    return "computed";
  std::string sign =
      llvm::TypeSwitch<Operation *, std::string>(def)
          .Case<arith::AddIOp>([](auto) { return " + "; })
          .Case<arith::SubIOp>([](auto) { return " - "; })
          .Case<arith::MulIOp>([](auto) { return " * "; })
          .Case<arith::ShRSIOp, arith::ShRUIOp>([](auto) { return " >> "; })
          .Case<arith::DivSIOp, arith::FloorDivSIOp>(
              [](auto) { return " // "; })
          .Default([](auto) { return ""; });
  if (sign.empty())
    return "computed";
  std::string left = describeExtent(def->getOperand(0));
  std::string right = describeExtent(def->getOperand(1));
  if (left == "computed" || right == "computed")
    return "computed";
  auto enclose = [](const std::string &text) {
    return text.find(' ') == std::string::npos ? text : "(" + text + ")";
  };
  return enclose(left) + sign + enclose(right);
}

Tile describe(tile::AllocOp alloc, const Sources &sources) {
  auto type = alloc.getResult().getType();
  Tile tile;
  tile.name = alloc.getName().str();
  tile.shape = tile::shapeText(type.getShape());
  tile.dtype = tile::dtypeName(type.getElementType());
  switch (alloc.getSwizzle().value_or(tile::Swizzle::None)) {
  case tile::Swizzle::None:
    break;
  case tile::Swizzle::B32:
    tile.swizzle = 32;
    break;
  case tile::Swizzle::B64:
    tile.swizzle = 64;
    break;
  case tile::Swizzle::B128:
    tile.swizzle = 128;
    break;
  }
  tile.bytes =
      type.getNumElements() * tile::storageBits(type.getElementType()) / 8;
  tile.place = sources.place(alloc.getLoc());
  return tile;
}

/// Instruction of an op on shared memory as far as `ws` knows it.
std::string describeInstruction(Operation *op, const tile::Effect &effect) {
  bool write = effect.kind == tile::AccessKind::Write;
  if (auto copy = dyn_cast<tile::CopyOp>(op)) {
    switch (copy.getInst().value_or(tile::CopyInst::Vector)) {
    case tile::CopyInst::TmaLoad:
      return "TMA (cp.async.bulk.tensor)";
    case tile::CopyInst::BulkLoad:
      return "bulk copy (cp.async.bulk)";
    case tile::CopyInst::TmaStore:
      return "TMA store (cp.async.bulk.tensor)";
    case tile::CopyInst::CpAsync:
      return "cp.async";
    case tile::CopyInst::Vector:
      break;
    }
  }
  if (auto gemm = dyn_cast<tile::GemmOp>(op))
    return gemm.getInst().value_or(tile::GemmInst::MmaSync) ==
                   tile::GemmInst::MmaSync
               ? "mma.sync"
               : "wgmma";
  if (isa<tile::CallExternOp>(op))
    return "the called function";
  return write ? "st.shared" : "ld.shared";
}

/// What a whole statement is made of.
std::string describeInstruction(Operation *op) {
  auto space = [](Value buffer) { return tile::getSpace(buffer.getType()); };
  if (auto copy = dyn_cast<tile::CopyOp>(op))
    if (copy.getInst().value_or(tile::CopyInst::Vector) ==
        tile::CopyInst::Vector) {
      auto verb = [&](Value buffer, StringRef prefix) {
        if (space(buffer) == tile::Space::Global)
          return (prefix + ".global").str();
        if (space(buffer) == tile::Space::Shared)
          return (prefix + ".shared").str();
        return std::string();
      };
      std::string from = verb(copy.getSrc(), "ld");
      std::string to = verb(copy.getDst(), "st");
      if (from.empty() && to.empty())
        return "registers";
      return from + (from.empty() || to.empty() ? "" : ", ") + to;
    }
  if (isa<tile::SyncGridOp>(op))
    return "arrival of one thread at the grid barrier";
  if (isa<tile::CopyOp, tile::GemmOp, tile::CallExternOp>(op))
    return describeInstruction(op,
                               tile::Effect{Value(), tile::AccessKind::Read});
  return "";
}

std::string describeChoice(Operation *op) {
  StringAttr reason;
  if (auto copy = dyn_cast<tile::CopyOp>(op))
    reason = copy.getReasonAttr();
  auto gemm = dyn_cast<tile::GemmOp>(op);
  if (gemm)
    reason = gemm.getReasonAttr();
  std::string text = reason ? reason.str() : "";
  if (gemm && gemm.getTransC())
    text += "; computed as C^T += B^T A^T, which wgmma takes";
  return text;
}

} // namespace tlc::explain
