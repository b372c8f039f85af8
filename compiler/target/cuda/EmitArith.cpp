// Constants, conversions, arithmetic and math functions as C++ expressions.
#include "compiler/target/cuda/KernelEmitter.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::cuda;

/// Digits that read back as the same number.
static std::string floatText(const APFloat &value) {
  if (value.isInfinity() || value.isNaN())
    return "";
  SmallString<32> text;
  value.toString(text, 0, 6);
  std::string result(text);
  if (result.find_first_of(".eE") == std::string::npos)
    result += ".0";
  return result;
}

Expr KernelEmitter::constant(Attribute attr, Type type) {
  if (auto integer = dyn_cast<IntegerAttr>(attr)) {
    if (type.isInteger(1))
      return {integer.getValue().isZero() ? "false" : "true"};
    int64_t value = integer.getValue().getSExtValue();
    if (value == INT32_MIN)
      return {"(-2147483647 - 1)"};
    std::string text = llvm::itostr(value);
    if (value > INT32_MAX || value < INT32_MIN)
      text += "LL";
    return {text, value < 0 ? kUnary : kPrimary};
  }
  APFloat value = cast<FloatAttr>(attr).getValue();
  if (type.isF32() || type.isF64()) {
    std::string text = floatText(value);
    if (text.empty())
      return type.isF32()
                 ? Expr{"__uint_as_float(0x" +
                        llvm::utohexstr(value.bitcastToAPInt().getZExtValue()) +
                        ")"}
                 : Expr{"__longlong_as_double(0x" +
                        llvm::utohexstr(value.bitcastToAPInt().getZExtValue()) +
                        "LL)"};
    return {text + (type.isF32() ? "f" : ""),
            value.isNegative() ? kUnary : kPrimary};
  }
  prelude.use(typeName(type));
  return {typeName(type) + "{0x" +
          llvm::utohexstr(value.bitcastToAPInt().getZExtValue(), true) + "}"};
}

static std::string toFloatEntry(Type type) {
  return type.isBF16()  ? "bf16_to_f32"
         : type.isF16() ? "f16_to_f32"
                        : typeName(type) + "_to_f32";
}

/// By way of a float, which holds 24 bits; a wider integer that does not fit is
/// rounded once, at the end.
Expr KernelEmitter::narrowFromInt(Value in, Type to, bool isUnsigned) {
  std::string name = "to_" + typeName(to), source = operand(in, kUnary);
  prelude.use(name);
  unsigned bits = in.getType().getIntOrFloatBitWidth();
  if (bits <= 16) {
    std::string sign = bits == 1     ? (isUnsigned ? "" : "-(int)")
                       : !isUnsigned ? ""
                       : bits == 8   ? "(unsigned char)"
                                     : "(unsigned short)";
    return {name + "((float)(" + sign + source + "))"};
  }
  prelude.use("to_f32_odd");
  std::string wide = isUnsigned ? "(u64)" : "(long long)";
  if (isUnsigned && bits == 32)
    wide += "(u32)";
  return {name + "(to_f32_odd(" + wide + source + "))"};
}

Expr KernelEmitter::castExpr(Operation *op) {
  Value in = op->getOperand(0);
  Type from = in.getType(), to = op->getResult(0).getType();
  if (isa<arith::ExtFOp>(op) && from.getIntOrFloatBitWidth() < 32) {
    prelude.use(toFloatEntry(from));
    Expr e = call("to_f32", in);
    if (to.getIntOrFloatBitWidth() < 32) {
      prelude.use("to_" + typeName(to));
      return {"to_" + typeName(to) + "(" + e.text + ")"};
    }
    return to.isF32() ? e : Expr{"(double)" + e.text, kUnary};
  }
  if (isa<arith::TruncFOp>(op) && to.getIntOrFloatBitWidth() < 32) {
    std::string name = "to_" + typeName(to);
    prelude.use(name);
    if (from.isF64())
      return {name + "((float)" + operand(in, kUnary) + ")"};
    if (from.isF32())
      return call(name, in);
    prelude.use(toFloatEntry(from));
    return {name + "(" + call("to_f32", in).text + ")"};
  }
  if (isa<arith::BitcastOp>(op)) {
    if (from.isF32())
      return call("__float_as_int", in);
    if (to.isF32())
      return call("__int_as_float", in);
    if (from.isF64())
      return call("__double_as_longlong", in);
    if (to.isF64())
      return call("__longlong_as_double", in);
    if (isa<FloatType>(from))
      return {"(short)" + operand(in, kPrimary) + ".bits", kUnary};
    prelude.use(typeName(to));
    return {typeName(to) + "{(decltype(" + typeName(to) + "::bits))" +
            operand(in, kUnary) + "}"};
  }
  std::string target = typeName(to);
  std::string source = operand(in, kUnary);
  if (isa<arith::ExtSIOp, arith::SIToFPOp>(op) && from.isInteger(1))
    return {"-(" + target + ")" + source, kUnary};
  if (isa<arith::TruncIOp>(op) && to.isInteger(1))
    return {"(" + operand(in, kUnary) + " & 1) != 0", kEquality};
  bool fromUnsigned = isa<arith::ExtUIOp, arith::UIToFPOp>(op);
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op) &&
      to.getIntOrFloatBitWidth() < 32)
    return narrowFromInt(in, to, fromUnsigned);
  if (fromUnsigned && !from.isInteger(1)) {
    std::string u = typeName(IntegerType::get(
        op->getContext(), from.getIntOrFloatBitWidth(), IntegerType::Unsigned));
    if (StringRef(u).starts_with("u") && u.size() == 3)
      prelude.use(u);
    source = "(" + u + ")" + source;
  }
  if (isa<arith::FPToUIOp>(op))
    target = to.getIntOrFloatBitWidth() == 64 ? "long long)(unsigned long long"
                                              : target + ")(unsigned";
  return {"(" + target + ")" + source, kUnary};
}

Expr KernelEmitter::compareExpr(arith::CmpIOp op) {
  using P = arith::CmpIPredicate;
  static const char *const symbols[] = {"==", "!=", "<",  "<=", ">",
                                        ">=", "<",  "<=", ">",  ">="};
  auto predicate = op.getPredicate();
  StringRef symbol = symbols[static_cast<unsigned>(predicate)];
  if (predicate == P::eq || predicate == P::ne)
    return binary(op, symbol, kEquality);
  bool isUnsigned = predicate >= P::ult;
  if (!isUnsigned)
    return binary(op, symbol, kRelational);
  std::string cast = op.getLhs().getType().isInteger(64)
                         ? "(unsigned long long)"
                         : "(unsigned)";
  return {cast + operand(op.getLhs(), kUnary) + " " + symbol.str() + " " +
              cast + operand(op.getRhs(), kUnary),
          kRelational};
}

Expr KernelEmitter::compareExpr(arith::CmpFOp op) {
  using P = arith::CmpFPredicate;
  auto text = [&](StringRef symbol, Precedence p) {
    return binary(op, symbol, p);
  };
  auto notText = [&](StringRef symbol) {
    return Expr{"!(" + binary(op, symbol, kRelational).text + ")", kUnary};
  };
  switch (op.getPredicate()) {
  case P::OEQ:
    return text("==", kEquality);
  case P::OGT:
    return text(">", kRelational);
  case P::OGE:
    return text(">=", kRelational);
  case P::OLT:
    return text("<", kRelational);
  case P::OLE:
    return text("<=", kRelational);
  case P::UNE:
    return text("!=", kEquality);
  case P::UGT:
    return notText("<=");
  case P::UGE:
    return notText("<");
  case P::ULT:
    return notText(">=");
  case P::ULE:
    return notText(">");
  default:
    return {};
  }
}

Expr KernelEmitter::arithExpr(Operation *op) {
  bool flag =
      op->getNumResults() == 1 && op->getResult(0).getType().isInteger(1);
  auto function = [&](StringRef name) { return call(name, op->getOperands()); };
  auto floatFunction = [&](StringRef name) {
    bool single = op->getResult(0).getType().isF32();
    return call(name.str() + (single ? "f" : ""), op->getOperands());
  };
  auto unsignedBinary = [&](StringRef symbol, Precedence p) {
    Type type = op->getResult(0).getType();
    std::string u = type.isInteger(64)   ? "(unsigned long long)"
                    : type.isInteger(16) ? "(unsigned short)"
                    : type.isInteger(8)  ? "(unsigned char)"
                                         : "(unsigned)";
    return Expr{"(" + typeName(type) + ")(" + u +
                    operand(op->getOperand(0), kUnary) + " " + symbol.str() +
                    " " + u + operand(op->getOperand(1), kUnary) + ")",
                kUnary};
  };
  return llvm::TypeSwitch<Operation *, Expr>(op)
      .Case([&](arith::ConstantOp o) {
        return constant(o.getValue(), o.getType());
      })
      .Case<arith::AddIOp, arith::AddFOp>(
          [&](auto) { return binary(op, "+", kSum); })
      .Case<arith::SubIOp, arith::SubFOp>(
          [&](auto) { return binary(op, "-", kSum); })
      .Case<arith::MulIOp, arith::MulFOp>(
          [&](auto) { return binary(op, "*", kProduct); })
      .Case<arith::DivSIOp, arith::DivFOp>(
          [&](auto) { return binary(op, "/", kProduct); })
      .Case<arith::RemSIOp>([&](auto) { return binary(op, "%", kProduct); })
      .Case<arith::DivUIOp>([&](auto) { return unsignedBinary("/", kProduct); })
      .Case<arith::RemUIOp>([&](auto) { return unsignedBinary("%", kProduct); })
      .Case<arith::AndIOp>([&](auto) {
        return flag ? binary(op, "&&", kLogicalAnd) : binary(op, "&", kBitAnd);
      })
      .Case<arith::OrIOp>([&](auto) {
        return flag ? binary(op, "||", kLogicalOr) : binary(op, "|", kBitOr);
      })
      .Case<arith::XOrIOp>([&](arith::XOrIOp o) {
        if (flag &&
            isa_and_nonnull<arith::ConstantOp>(o.getRhs().getDefiningOp()))
          return Expr{"!" + operand(o.getLhs(), kUnary), kUnary};
        return flag ? binary(op, "!=", kEquality) : binary(op, "^", kBitXor);
      })
      .Case<arith::ShLIOp>([&](auto) { return binary(op, "<<", kShift); })
      .Case<arith::ShRSIOp>([&](auto) { return binary(op, ">>", kShift); })
      .Case<arith::ShRUIOp>([&](auto) { return unsignedBinary(">>", kShift); })
      .Case<arith::NegFOp>([&](auto) {
        return Expr{"-" + operand(op->getOperand(0), kPrimary), kUnary};
      })
      .Case<arith::MinSIOp>([&](auto) { return function("min"); })
      .Case<arith::MaxSIOp>([&](auto) { return function("max"); })
      .Case<arith::MinUIOp, arith::MaxUIOp>([&](auto) {
        bool wide = op->getResult(0).getType().isInteger(64);
        std::string u = wide ? "(unsigned long long)" : "(unsigned)";
        return Expr{(isa<arith::MinUIOp>(op) ? "min(" : "max(") + u +
                    operand(op->getOperand(0), kUnary) + ", " + u +
                    operand(op->getOperand(1), kUnary) + ")"};
      })
      .Case<arith::MinNumFOp>([&](auto) { return floatFunction("fmin"); })
      .Case<arith::MaxNumFOp>([&](auto) { return floatFunction("fmax"); })
      .Case<arith::MinimumFOp>([&](auto) {
        prelude.use("min_nan");
        return function("min_nan");
      })
      .Case<arith::MaximumFOp>([&](auto) {
        prelude.use("max_nan");
        return function("max_nan");
      })
      .Case<arith::FloorDivSIOp>([&](auto) {
        prelude.use("floor_div");
        return function("floor_div");
      })
      .Case<arith::CeilDivSIOp>([&](auto) {
        prelude.use("ceil_div");
        return function("ceil_div");
      })
      .Case<arith::RemFOp>([&](auto) { return floatFunction("fmod"); })
      .Case([&](arith::SelectOp o) {
        return Expr{operand(o.getCondition(), kLogicalOr) + " ? " +
                        operand(o.getTrueValue(), kLogicalOr) + " : " +
                        operand(o.getFalseValue(), kTernary),
                    kTernary};
      })
      .Case([&](arith::CmpIOp o) { return compareExpr(o); })
      .Case([&](arith::CmpFOp o) { return compareExpr(o); })
      .Case<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::ExtUIOp,
            arith::TruncIOp, arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp,
            arith::FPToUIOp, arith::BitcastOp>(
          [&](auto) { return castExpr(op); })
      .Default([](auto) { return Expr{}; });
}

Expr KernelEmitter::mathExpr(Operation *op) {
  static const std::pair<StringRef, StringRef> functions[] = {
      {"math.exp", "exp"},          {"math.exp2", "exp2"},
      {"math.log", "log"},          {"math.log2", "log2"},
      {"math.log10", "log10"},      {"math.log1p", "log1p"},
      {"math.expm1", "expm1"},      {"math.sqrt", "sqrt"},
      {"math.rsqrt", "rsqrt"},      {"math.tanh", "tanh"},
      {"math.sinh", "sinh"},        {"math.cosh", "cosh"},
      {"math.sin", "sin"},          {"math.cos", "cos"},
      {"math.tan", "tan"},          {"math.atan", "atan"},
      {"math.atan2", "atan2"},      {"math.erf", "erf"},
      {"math.absf", "fabs"},        {"math.fma", "fma"},
      {"math.floor", "floor"},      {"math.ceil", "ceil"},
      {"math.powf", "pow"},         {"math.round", "round"},
      {"math.roundeven", "rint"},   {"math.trunc", "trunc"},
      {"math.copysign", "copysign"}};
  StringRef name = op->getName().getStringRef();
  Type type = op->getResult(0).getType();
  for (auto [mlirName, function] : functions)
    if (name == mlirName && (type.isF32() || type.isF64()))
      return call(function.str() + (type.isF32() ? "f" : ""),
                  op->getOperands());
  if (name == "math.absi")
    return call("abs", op->getOperands());
  if (name == "math.ctpop")
    return call(type.isInteger(64) ? "__popcll" : "__popc", op->getOperands());
  if (name == "math.ctlz")
    return call(type.isInteger(64) ? "__clzll" : "__clz", op->getOperands());
  return {};
}
