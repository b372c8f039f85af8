// Rules of the thread program that ODS cannot say: widths of accesses, register
// counts of matrix instructions.
#include "dialects/sm/Sm.h"

using namespace mlir;
using namespace tlc::sm;

/// Bits of one element in memory; i1 is stored in a byte.
static int64_t memoryBits(Type type) {
  return std::max<int64_t>(8, type.getIntOrFloatBitWidth());
}

/// An access moves 1, 2, 4, 8 or 16 bytes.
static LogicalResult verifyAccess(Operation *op, Type type) {
  int64_t bits = 0;
  if (auto vector = dyn_cast<VectorType>(type)) {
    if (vector.getRank() != 1)
      return op->emitOpError("moves vectors of one dimension");
    bits = vector.getNumElements() * memoryBits(vector.getElementType());
  } else {
    bits = memoryBits(type);
  }
  if (!llvm::is_contained({8, 16, 32, 64, 128}, bits))
    return op->emitOpError()
           << "moves " << bits << " bits: 8, 16, 32, 64 or 128 are possible";
  return success();
}

LogicalResult LdSharedOp::verify() {
  return verifyAccess(*this, getResult().getType());
}
LogicalResult StSharedOp::verify() {
  return verifyAccess(*this, getValue().getType());
}
LogicalResult LdGlobalOp::verify() {
  if (!tile::isInSpace(getBuffer(), tile::Space::Global))
    return emitOpError("reads a global tensor");
  return verifyAccess(*this, getResult().getType());
}
LogicalResult StGlobalOp::verify() {
  if (!tile::isInSpace(getBuffer(), tile::Space::Global))
    return emitOpError("writes a global tensor");
  return verifyAccess(*this, getValue().getType());
}

/// Scalars and vector elements agree, or f32 meets a 16-bit float.
static LogicalResult verifyPacking(Operation *op, TypeRange scalars,
                                   VectorType vector) {
  if (static_cast<int64_t>(scalars.size()) != vector.getNumElements())
    return op->emitOpError() << "has " << scalars.size() << " scalars for "
                             << vector.getNumElements() << " elements";
  Type element = vector.getElementType();
  for (Type scalar : scalars)
    if (scalar != element &&
        !(scalar.isF32() && (element.isBF16() || element.isF16())))
      return op->emitOpError()
             << "does not convert between " << scalar << " and " << element;
  return success();
}

LogicalResult PackOp::verify() {
  return verifyPacking(*this, getValues().getTypes(), getResult().getType());
}
LogicalResult UnpackOp::verify() {
  return verifyPacking(*this, getResults().getTypes(), getVector().getType());
}

LogicalResult QuadTransposeOp::verify() {
  auto vector = getVector().getType();
  if (vector.getNumElements() * memoryBits(vector.getElementType()) != 128)
    return emitOpError("exchanges vectors of 16 bytes");
  return success();
}

LogicalResult LdMatrixOp::verify() {
  if (!llvm::is_contained({1u, 2u, 4u}, getRegisters().size()))
    return emitOpError() << "reads " << getRegisters().size()
                         << " matrices: 1, 2 or 4 are possible";
  return success();
}

LogicalResult WgmmaInstOp::verify() {
  if (bool(getADesc()) == !getARegs().empty())
    return emitOpError("takes A by descriptor or in four registers");
  if (!getARegs().empty() && getARegs().size() != 4)
    return emitOpError("takes A in four registers");
  int64_t size = getAcc().getType().getNumElements();
  int64_t base = getBase();
  if (base < 0 || base + static_cast<int64_t>(getN()) / 2 > size)
    return emitOpError() << "needs registers " << base << " to "
                         << base + static_cast<int64_t>(getN()) / 2 - 1
                         << " of an array of " << size;
  return success();
}

LogicalResult TensorMapOp::verify() {
  auto rank = static_cast<size_t>(getBuffer().getType().getRank());
  if (getBox().size() != rank)
    return emitOpError() << "has " << getBox().size()
                         << " box extents for rank " << rank;
  if (rank < 1 || rank > 5)
    return emitOpError() << "has rank " << rank << ": 1 to 5 are possible";
  return success();
}
