// Divisibility of integer expressions: a walk over their definitions.
#include "compiler/analysis/KnownDivisors.h"

#include "dialects/tile/Tile.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;

namespace tlc::analysis {

/// Products stay far below the range of int64_t.
static int64_t cappedProduct(int64_t a, int64_t b) {
  return a >= kDividesZero || b >= kDividesZero || a * b >= kDividesZero
             ? kDividesZero
             : a * b;
}

std::optional<int64_t> constantValue(Value value) {
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)))
    return std::nullopt;
  return constant.getSExtValue();
}

static int64_t loopDivisor(BlockArgument arg) {
  auto loop = dyn_cast<scf::ForOp>(arg.getOwner()->getParentOp());
  if (!loop || arg != loop.getInductionVar())
    return 1;
  return std::gcd(knownDivisor(loop.getLowerBound()),
                  knownDivisor(loop.getStep()));
}

int64_t knownDivisor(Value value) {
  if (std::optional<int64_t> constant = constantValue(value))
    return *constant == 0 ? kDividesZero
                          : std::min(std::abs(*constant), kDividesZero);
  if (auto arg = dyn_cast<BlockArgument>(value))
    return loopDivisor(arg);
  return TypeSwitch<Operation *, int64_t>(value.getDefiningOp())
      .Case<arith::MulIOp>([](auto op) {
        return cappedProduct(knownDivisor(op.getLhs()),
                             knownDivisor(op.getRhs()));
      })
      .Case<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MaxSIOp>(
          [](auto op) {
            return std::gcd(knownDivisor(op.getLhs()),
                            knownDivisor(op.getRhs()));
          })
      .Case<arith::SelectOp>([](auto op) {
        return std::gcd(knownDivisor(op.getTrueValue()),
                        knownDivisor(op.getFalseValue()));
      })
      .Case<arith::ShLIOp>([](auto op) {
        std::optional<int64_t> shift = constantValue(op.getRhs());
        if (!shift || *shift < 0 || *shift >= 30)
          return int64_t(1);
        return cappedProduct(knownDivisor(op.getLhs()), int64_t(1) << *shift);
      })
      .Case<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp,
            arith::IndexCastOp>([](auto op) {
        // Cutting off high bits keeps powers of two only.
        int64_t divisor = knownDivisor(op.getIn());
        return isa<arith::TruncIOp>(op.getOperation()) ? divisor & -divisor
                                                       : divisor;
      })
      .Default([](Operation *) { return 1; });
}

int64_t knownExtentDivisor(Value buffer, unsigned dim) {
  auto type = cast<MemRefType>(buffer.getType());
  if (!type.isDynamicDim(dim))
    return std::max<int64_t>(type.getDimSize(dim), 1);
  auto arg = dyn_cast<BlockArgument>(buffer);
  auto kernel =
      arg ? dyn_cast<tile::KernelOp>(arg.getOwner()->getParentOp()) : nullptr;
  if (!kernel || arg.getArgNumber() >= kernel.getNumParams())
    return 1;
  AffineMap shape = kernel.getParamShape(arg.getArgNumber());
  return std::clamp<int64_t>(
      std::abs(shape.getResult(dim).getLargestKnownDivisor()), 1, kDividesZero);
}

int64_t knownStrideDivisor(Value buffer, unsigned dim) {
  int64_t divisor = 1;
  unsigned rank = cast<MemRefType>(buffer.getType()).getRank();
  for (unsigned inner = dim + 1; inner < rank; ++inner)
    divisor = cappedProduct(divisor, knownExtentDivisor(buffer, inner));
  return divisor;
}

int64_t possibleVectorElements(Value buffer, ValueRange indices) {
  auto type = cast<MemRefType>(buffer.getType());
  if (type.getRank() == 0)
    return 1;
  // The extent of the last dimension is the distance of rows, and a vector
  // that starts at a multiple of its divisor does not cross the edge.
  int64_t divisor = knownDivisor(indices.back());
  if (!type.isDynamicDim(type.getRank() - 1))
    divisor = std::gcd(divisor, type.getShape().back());
  return divisor & -divisor;
}

} // namespace tlc::analysis
