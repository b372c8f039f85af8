// Sizes known at launch: symbolic expressions over T.dynamic names and integer
// parameters, and their code.
#include "compiler/frontend/elaborate/Elaborator.h"

#include "llvm/Support/MathExtras.h"

namespace tlc::frontend {

using Op = ast::BinaryOperator;
namespace arith = mlir::arith;

std::optional<Linear> Elaborator::linearOf(mlir::AffineExpr expr) {
  if (auto c = llvm::dyn_cast<mlir::AffineConstantExpr>(expr))
    return Linear::ofConstant(c.getValue());
  if (auto s = llvm::dyn_cast<mlir::AffineSymbolExpr>(expr)) {
    mlir::Value value = symbols[s.getPosition()].value;
    return value ? std::optional(Linear::ofValue(value)) : std::nullopt;
  }
  auto op = llvm::cast<mlir::AffineBinaryOpExpr>(expr);
  auto rhsConstant = llvm::dyn_cast<mlir::AffineConstantExpr>(op.getRHS());
  if (expr.getKind() == mlir::AffineExprKind::Add) {
    auto lhs = linearOf(op.getLHS()), rhs = linearOf(op.getRHS());
    return lhs && rhs ? addScaled(*lhs, *rhs, 1) : std::nullopt;
  }
  if (expr.getKind() == mlir::AffineExprKind::Mul && rhsConstant) {
    auto lhs = linearOf(op.getLHS());
    return lhs ? scale(*lhs, rhsConstant.getValue()) : std::nullopt;
  }
  if (launch)
    if (auto it = launch->sizes.find(expr); it != launch->sizes.end())
      return Linear::ofValue(it->second);
  return std::nullopt;
}

std::optional<Interval> Elaborator::intervalOf(mlir::AffineExpr expr) {
  Interval int32{llvm::minIntN(32), llvm::maxIntN(32)};
  if (auto c = llvm::dyn_cast<mlir::AffineConstantExpr>(expr))
    return Interval{c.getValue(), c.getValue()};
  if (auto s = llvm::dyn_cast<mlir::AffineSymbolExpr>(expr))
    return symbols[s.getPosition()].isParam ? int32 : Interval{0, int32.hi};
  auto op = llvm::cast<mlir::AffineBinaryOpExpr>(expr);
  auto lhs = intervalOf(op.getLHS()), rhs = intervalOf(op.getRHS());
  if (!lhs || !rhs)
    return std::nullopt;
  switch (expr.getKind()) {
  case mlir::AffineExprKind::Add:
    return add(*lhs, *rhs);
  case mlir::AffineExprKind::Mul:
    return mul(*lhs, *rhs);
  case mlir::AffineExprKind::Mod:
    return rhs->lo > 0 ? std::optional(Interval{0, rhs->hi - 1}) : std::nullopt;
  case mlir::AffineExprKind::FloorDiv:
    if (rhs->lo == rhs->hi && rhs->lo > 0)
      return floorDiv(*lhs, rhs->lo);
    return lhs->lo >= 0 && rhs->lo >= 0 ? std::optional(Interval{0, lhs->hi})
                                        : std::nullopt;
  case mlir::AffineExprKind::CeilDiv:
    return lhs->lo >= 0 && rhs->lo >= 0 ? std::optional(Interval{0, lhs->hi})
                                        : std::nullopt;
  default:
    return std::nullopt;
  }
}

/// Emits the expression; inside a launch once, at its start.
mlir::Value Elaborator::materializeSize(mlir::AffineExpr expr,
                                        llvm::SMRange range) {
  if (!kernel) {
    error(Diag::NotCompileTime, range)
        << "'" + ast::sourceText(range).str() + "'";
    return nullptr;
  }
  if (auto s = llvm::dyn_cast<mlir::AffineSymbolExpr>(expr)) {
    Symbol &symbol = symbols[s.getPosition()];
    if (!symbol.value)
      error(Diag::UndeterminedSymbol, range) << symbol.name;
    return symbol.value;
  }
  if (auto c = llvm::dyn_cast<mlir::AffineConstantExpr>(expr))
    return constant(b.getI32IntegerAttr(c.getValue()), loc(range));
  if (launch)
    if (auto it = launch->sizes.find(expr); it != launch->sizes.end())
      return it->second;

  auto op = llvm::cast<mlir::AffineBinaryOpExpr>(expr);
  mlir::Value lhs = materializeSize(op.getLHS(), range);
  mlir::Value rhs = lhs ? materializeSize(op.getRHS(), range) : nullptr;
  if (!rhs)
    return nullptr;
  mlir::OpBuilder::InsertPoint saved;
  if (launch)
    saved = prologuePoint();
  auto scalarOf = [&](mlir::Value v, mlir::AffineExpr e) {
    ScalarObject object;
    object.value = v;
    object.range = intervalOf(e);
    if (auto c = llvm::dyn_cast<mlir::AffineConstantExpr>(e)) {
      object.value = nullptr;
      object.constant = c.getValue();
    }
    return object;
  };
  ScalarObject a = scalarOf(lhs, op.getLHS()), c = scalarOf(rhs, op.getRHS());
  mlir::Location l = loc(range);
  mlir::Value result;
  switch (expr.getKind()) {
  case mlir::AffineExprKind::Add:
    result = arith::AddIOp::create(b, l, lhs, rhs);
    break;
  case mlir::AffineExprKind::Mul:
    result = arith::MulIOp::create(b, l, lhs, rhs);
    break;
  case mlir::AffineExprKind::CeilDiv: {
    mlir::Value bias;
    if (auto divisor = llvm::dyn_cast<mlir::AffineConstantExpr>(op.getRHS()))
      bias = constant(b.getI32IntegerAttr(divisor.getValue() - 1), l);
    else
      bias =
          arith::SubIOp::create(b, l, rhs, constant(b.getI32IntegerAttr(1), l));
    a.value = arith::AddIOp::create(b, l, lhs, bias);
    result = emitDivMod(false, a, c, DtypeKind::Int32, range);
    break;
  }
  case mlir::AffineExprKind::FloorDiv:
  case mlir::AffineExprKind::Mod:
    result = emitDivMod(expr.getKind() == mlir::AffineExprKind::Mod, a, c,
                        DtypeKind::Int32, range);
    break;
  default:
    llvm_unreachable("leaf expressions were handled");
  }
  if (launch) {
    launch->sizes[expr] = result;
    b.restoreInsertionPoint(saved);
  }
  return result;
}

Value Elaborator::symbolicBinary(Op op, const Value &a, const Value &b,
                                 llvm::SMRange range) {
  auto expr = [&](const Value &v) {
    return v.is(Kind::Symbolic)
               ? v.symbolic
               : mlir::getAffineConstantExpr(v.asInt(), context);
  };
  mlir::AffineExpr lhs = expr(a), rhs = expr(b);
  auto divisor = llvm::dyn_cast<mlir::AffineConstantExpr>(rhs);
  switch (op) {
  case Op::Add:
    return Value::ofSymbolic(lhs + rhs);
  case Op::Sub:
    return Value::ofSymbolic(lhs - rhs);
  case Op::Mult:
    return Value::ofSymbolic(lhs * rhs);
  case Op::FloorDiv:
  case Op::Mod:
    if (divisor && divisor.getValue() == 0)
      return error(Diag::DivisionByZero, range), Value::poison();
    // Affine division needs a positive divisor; sizes are.
    if (divisor && divisor.getValue() < 0)
      break;
    return Value::ofSymbolic(op == Op::FloorDiv ? lhs.floorDiv(rhs)
                                                : lhs % rhs);
  default:
    break;
  }
  return runtimeBinary(op, a, b, range);
}

} // namespace tlc::frontend
