// Host expressions of grid extents and tensor shapes.
#include "compiler/target/cuda/Signature.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::cuda;

SizeExpr SizeExpr::constant(int64_t value) {
  SizeExpr e;
  e.value = value;
  return e;
}
SizeExpr SizeExpr::named(std::string name) {
  SizeExpr e;
  e.kind = Kind::Name;
  e.name = std::move(name);
  return e;
}

static std::optional<int64_t> fold(SizeExpr::Kind kind, int64_t x, int64_t y) {
  switch (kind) {
  case SizeExpr::Kind::Add:
    return x + y;
  case SizeExpr::Kind::Sub:
    return x - y;
  case SizeExpr::Kind::Mul:
    return x * y;
  case SizeExpr::Kind::Min:
    return std::min(x, y);
  case SizeExpr::Kind::Max:
    return std::max(x, y);
  default:
    break;
  }
  if (y <= 0 || x < 0)
    return std::nullopt;
  if (kind == SizeExpr::Kind::FloorDiv)
    return x / y;
  if (kind == SizeExpr::Kind::Mod)
    return x % y;
  return (x + y - 1) / y;
}

SizeExpr SizeExpr::binary(Kind kind, SizeExpr x, SizeExpr y) {
  bool xConstant = x.kind == Kind::Constant,
       yConstant = y.kind == Kind::Constant;
  if (xConstant && yConstant)
    if (auto value = fold(kind, x.value, y.value))
      return constant(*value);
  bool unit =
      kind == Kind::Mul || kind == Kind::FloorDiv || kind == Kind::CeilDiv;
  if (yConstant &&
      ((unit && y.value == 1) || (kind == Kind::Add && y.value == 0)))
    return x;
  if (xConstant && kind == Kind::Mul && x.value == 1)
    return y;
  SizeExpr e;
  e.kind = kind;
  e.operands = {std::move(x), std::move(y)};
  return e;
}

SizeExpr cuda::sizeExprOf(AffineExpr expr, tile::KernelOp kernel) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return SizeExpr::constant(constant.getValue());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return SizeExpr::named(
        cast<StringAttr>(kernel.getSymbolNames()[symbol.getPosition()])
            .getValue()
            .str());
  auto binary = cast<AffineBinaryOpExpr>(expr);
  SizeExpr x = sizeExprOf(binary.getLHS(), kernel);
  SizeExpr y = sizeExprOf(binary.getRHS(), kernel);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return SizeExpr::binary(SizeExpr::Kind::Add, x, y);
  case AffineExprKind::Mul:
    return SizeExpr::binary(SizeExpr::Kind::Mul, x, y);
  case AffineExprKind::FloorDiv:
    return SizeExpr::binary(SizeExpr::Kind::FloorDiv, x, y);
  case AffineExprKind::CeilDiv:
    return SizeExpr::binary(SizeExpr::Kind::CeilDiv, x, y);
  default:
    return SizeExpr::binary(SizeExpr::Kind::Mod, x, y);
  }
}

static std::optional<SizeExpr::Kind> kindOf(Operation *op) {
  using K = SizeExpr::Kind;
  return llvm::TypeSwitch<Operation *, std::optional<K>>(op)
      .Case<arith::AddIOp>([](auto) { return K::Add; })
      .Case<arith::SubIOp>([](auto) { return K::Sub; })
      .Case<arith::MulIOp>([](auto) { return K::Mul; })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp>(
          [](auto) { return K::FloorDiv; })
      .Case<arith::RemSIOp, arith::RemUIOp>([](auto) { return K::Mod; })
      .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>(
          [](auto) { return K::CeilDiv; })
      .Case<arith::MinSIOp, arith::MinUIOp>([](auto) { return K::Min; })
      .Case<arith::MaxSIOp, arith::MaxUIOp>([](auto) { return K::Max; })
      .Default([](auto) { return std::nullopt; });
}

/// Shifts and masks by constants, which divisions by powers of two have become:
/// they are multiplications, floor divisions and remainders.
static std::optional<std::pair<SizeExpr::Kind, int64_t>>
powerOfTwo(Operation *def) {
  APInt right;
  if (def->getNumOperands() != 2 ||
      !matchPattern(def->getOperand(1), m_ConstantInt(&right)))
    return std::nullopt;
  int64_t n = right.getSExtValue();
  bool isShift = n >= 0 && n < 31;
  if (isa<arith::ShLIOp>(def) && isShift)
    return std::pair(SizeExpr::Kind::Mul, int64_t(1) << n);
  if (isa<arith::ShRSIOp>(def) && isShift)
    return std::pair(SizeExpr::Kind::FloorDiv, int64_t(1) << n);
  if (isa<arith::AndIOp>(def) && n >= 0 && (n & (n + 1)) == 0)
    return std::pair(SizeExpr::Kind::Mod, n + 1);
  return std::nullopt;
}

FailureOr<SizeExpr> cuda::sizeExprOf(Operation *op, Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return SizeExpr::constant(constant.getSExtValue());
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    auto kernel = dyn_cast<tile::KernelOp>(arg.getOwner()->getParentOp());
    if (kernel && isa<IntegerType>(arg.getType()))
      return SizeExpr::named(kernel.getArgName(arg.getArgNumber()).str());
    return op->emitError("size is not known before the launch");
  }
  Operation *def = value.getDefiningOp();
  if (isa<arith::ExtSIOp, arith::TruncIOp, arith::IndexCastOp>(def))
    return sizeExprOf(op, def->getOperand(0));
  if (auto shift = powerOfTwo(def)) {
    auto x = sizeExprOf(op, def->getOperand(0));
    if (failed(x))
      return failure();
    return SizeExpr::binary(shift->first, *x,
                            SizeExpr::constant(shift->second));
  }
  auto kind = kindOf(def);
  if (!kind)
    return op->emitError("size computed by '")
           << def->getName() << "' is not supported yet";
  auto x = sizeExprOf(op, def->getOperand(0));
  if (failed(x))
    return failure();
  auto y = sizeExprOf(op, def->getOperand(1));
  if (failed(y))
    return failure();
  return SizeExpr::binary(*kind, *x, *y);
}
