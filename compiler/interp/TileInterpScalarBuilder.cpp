// Scalar operations of arith and math.
#include "compiler/interp/TileInterpBuilder.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace mlir;
using namespace tlc::interp;

/// Operations whose operands all have one type and which need nothing more.
static std::optional<Code> simpleCode(StringRef name) {
  return llvm::StringSwitch<std::optional<Code>>(name)
      .Case("arith.addi", Code::AddI)
      .Case("arith.subi", Code::SubI)
      .Case("arith.muli", Code::MulI)
      .Case("arith.divsi", Code::DivSI)
      .Case("arith.divui", Code::DivUI)
      .Case("arith.remsi", Code::RemSI)
      .Case("arith.remui", Code::RemUI)
      .Case("arith.floordivsi", Code::FloorDivSI)
      .Case("arith.ceildivsi", Code::CeilDivSI)
      .Case("arith.ceildivui", Code::CeilDivUI)
      .Case("arith.andi", Code::AndI)
      .Case("arith.ori", Code::OrI)
      .Case("arith.xori", Code::XorI)
      .Case("arith.shli", Code::ShlI)
      .Case("arith.shrsi", Code::ShrSI)
      .Case("arith.shrui", Code::ShrUI)
      .Case("arith.minsi", Code::MinSI)
      .Case("arith.maxsi", Code::MaxSI)
      .Case("arith.minui", Code::MinUI)
      .Case("arith.maxui", Code::MaxUI)
      .Case("arith.addf", Code::AddF)
      .Case("arith.subf", Code::SubF)
      .Case("arith.mulf", Code::MulF)
      .Case("arith.divf", Code::DivF)
      .Case("arith.remf", Code::RemF)
      .Case("arith.negf", Code::NegF)
      .Case("arith.maximumf", Code::MaximumF)
      .Case("arith.minimumf", Code::MinimumF)
      .Case("arith.maxnumf", Code::MaxNumF)
      .Case("arith.minnumf", Code::MinNumF)
      .Case("math.fma", Code::Fma)
      .Case("math.absi", Code::AbsI)
      .Default(std::nullopt);
}

static float rsqrtFloat(float x) {
  return static_cast<float>(1.0 / std::sqrt(static_cast<double>(x)));
}
static double rsqrtDouble(double x) { return 1.0 / std::sqrt(x); }

static std::optional<MathFunction> mathFunction(StringRef name) {
#define UNARY(op, fn)                                                          \
  if (name == "math." op)                                                      \
    return MathFunction{[](float x) { return std::fn(x); },                    \
                        [](double x) { return std::fn(x); }};
  UNARY("exp", exp)
  UNARY("exp2", exp2)
  UNARY("expm1", expm1)
  UNARY("log", log)
  UNARY("log2", log2)
  UNARY("log10", log10)
  UNARY("log1p", log1p)
  UNARY("sqrt", sqrt)
  UNARY("cbrt", cbrt)
  UNARY("sin", sin)
  UNARY("cos", cos)
  UNARY("tan", tan)
  UNARY("asin", asin)
  UNARY("acos", acos)
  UNARY("atan", atan)
  UNARY("sinh", sinh)
  UNARY("cosh", cosh)
  UNARY("tanh", tanh)
  UNARY("asinh", asinh)
  UNARY("acosh", acosh)
  UNARY("atanh", atanh)
  UNARY("erf", erf)
  UNARY("erfc", erfc)
  UNARY("absf", fabs)
  UNARY("floor", floor)
  UNARY("ceil", ceil)
  UNARY("trunc", trunc)
  UNARY("round", round)
  UNARY("roundeven", nearbyint)
#undef UNARY
  if (name == "math.rsqrt")
    return MathFunction{rsqrtFloat, rsqrtDouble};
#define BINARY(op, fn)                                                         \
  if (name == "math." op)                                                      \
    return MathFunction{nullptr, nullptr,                                      \
                        [](float x, float y) { return std::fn(x, y); },        \
                        [](double x, double y) { return std::fn(x, y); }};
  BINARY("powf", pow)
  BINARY("atan2", atan2)
  BINARY("copysign", copysign)
#undef BINARY
  return std::nullopt;
}

std::optional<Cell> tlc::interp::constantCell(arith::ConstantOp op) {
  auto elem = elemOf(op.getType());
  Cell c;
  c.i = 0;
  if (auto integer = dyn_cast<IntegerAttr>(op.getValue()); integer && elem) {
    c.i = wrapInt(integer.getValue().getSExtValue(), intBits(*elem));
  } else if (auto number = dyn_cast<FloatAttr>(op.getValue()); number && elem) {
    APFloat value = number.getValue();
    bool lost;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
    if (*elem == Elem::F64)
      c.d = value.convertToDouble();
    else
      c.f = static_cast<float>(value.convertToDouble());
  } else {
    return std::nullopt;
  }
  return c;
}

LogicalResult ProgramBuilder::constantOp(arith::ConstantOp op) {
  auto cell = constantCell(op);
  if (!cell)
    return op.emitError() << "the virtual device does not support a constant "
                             "of type "
                          << op.getType();
  refs[op.getResult()] = constant(*cell);
  return success();
}

static Elem toUnsigned(Elem e) {
  return e >= Elem::I8 && e <= Elem::I64
             ? static_cast<Elem>(static_cast<int>(e) + 4)
             : e;
}

/// Operations whose operand and result types differ.
static bool describeConversion(Operation *op, Node &node) {
  auto from = elemOf(op->getOperand(0).getType());
  auto to = elemOf(op->getResult(0).getType());
  if (!from || !to)
    return false;
  node.elem = *to;
  node.sub = static_cast<uint8_t>(*from);
  StringRef name = op->getName().getStringRef();
  if (name == "arith.extsi" || name == "arith.trunci" ||
      name == "arith.index_cast") {
    // As a signed value true is -1.
    node.code = *from == Elem::Bool ? Code::NegI : Code::WrapI;
  } else if (name == "arith.extui" || name == "arith.index_castui") {
    node.code = Code::ExtUI;
  } else if (name == "arith.sitofp" || name == "arith.extf" ||
             name == "arith.truncf" || name == "arith.fptosi") {
    node.code = Code::Convert;
  } else if (name == "arith.uitofp") {
    node.code = Code::Convert;
    node.sub = static_cast<uint8_t>(toUnsigned(*from));
  } else if (name == "arith.fptoui") {
    node.code = Code::Convert;
    node.elem = toUnsigned(*to);
  } else if (name == "arith.bitcast") {
    node.code = Code::Bitcast;
  } else {
    return false;
  }
  return true;
}

bool tlc::interp::describeScalar(Operation *op, Node &node,
                                 MathFunction &function) {
  if (op->getNumResults() != 1 || op->getNumOperands() == 0 ||
      op->getNumOperands() > 3 || op->getNumRegions() != 0)
    return false;
  for (Value v : op->getOperands())
    if (!elemOf(v.getType()))
      return false;
  node.elem = *elemOf(op->getOperand(0).getType());
  StringRef name = op->getName().getStringRef();
  if (auto cmp = dyn_cast<arith::CmpIOp>(op)) {
    node.code = Code::CmpI;
    node.sub = static_cast<uint8_t>(cmp.getPredicate());
  } else if (auto cmp = dyn_cast<arith::CmpFOp>(op)) {
    node.code = Code::CmpF;
    node.sub = static_cast<uint8_t>(cmp.getPredicate());
  } else if (isa<arith::SelectOp>(op)) {
    node.code = Code::Select;
  } else if (auto code = simpleCode(name)) {
    node.code = *code;
  } else if (auto found = mathFunction(name)) {
    node.code = found->f32 ? Code::UnaryMath : Code::BinaryMath;
    function = *found;
  } else {
    return describeConversion(op, node);
  }
  return true;
}

LogicalResult ProgramBuilder::scalar(Operation *op, Nodes &nodes) {
  Node node = makeNode(Code::Move, op);
  MathFunction function;
  bool known = llvm::all_of(op->getOperands(),
                            [&](Value v) { return refs.contains(v); });
  if (!known || !describeScalar(op, node, function))
    return op->emitError() << "the virtual device cannot run '" << op->getName()
                           << "' on these types yet";
  node.a = ref(op->getOperand(0));
  if (op->getNumOperands() > 1)
    node.b = ref(op->getOperand(1));
  if (op->getNumOperands() > 2)
    node.c = ref(op->getOperand(2));
  node.dst = newRef(op->getResult(0));
  if (node.code == Code::UnaryMath || node.code == Code::BinaryMath) {
    node.aux = program.functions.size();
    program.functions.push_back(function);
  }
  push(node, nodes);
  return success();
}
