// Expressions: which ops are printed where they are used, and how.
#include "compiler/target/cuda/KernelEmitter.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::cuda;

std::string cuda::typeName(Type type) {
  if (auto vector = dyn_cast<VectorType>(type)) {
    switch (bitsOf(vector)) {
    case 16:
      return "u16";
    case 32:
      return "u32";
    case 64:
      return "u32x2";
    default:
      return "u32x4";
    }
  }
  if (type.isF32())
    return "float";
  if (type.isF64())
    return "double";
  if (type.isBF16())
    return "bf16";
  if (type.isF16())
    return "f16";
  if (isa<Float8E4M3FNType>(type))
    return "f8e4m3";
  if (isa<Float8E5M2Type>(type))
    return "f8e5m2";
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return "";
  bool isUnsigned = integer.isUnsigned();
  switch (integer.getWidth()) {
  case 1:
    return "bool";
  case 8:
    return isUnsigned ? "unsigned char" : "signed char";
  case 16:
    return isUnsigned ? "u16" : "short";
  case 32:
    return isUnsigned ? "u32" : "int";
  case 64:
    return isUnsigned ? "u64" : "long long";
  default:
    return "";
  }
}

int64_t cuda::bitsOf(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getNumElements() * bitsOf(vector.getElementType());
  return std::max(8u, type.getIntOrFloatBitWidth());
}

//===----------------------------------------------------------------------===//
// What is printed in place
//===----------------------------------------------------------------------===//

/// Reads something that a statement between could change.
static bool isRead(Operation *op) {
  return isa<tile::LoadOp, sm::LdSharedOp, sm::LdGlobalOp>(op);
}
static bool isExpression(Operation *op) {
  StringRef dialect = op->getName().getDialectNamespace();
  return dialect == "arith" || dialect == "math" || isRead(op) ||
         isa<sm::PackOp, sm::UnpackOp, sm::ThreadOp, sm::WarpOp,
             sm::WgmmaDescOp, sm::GlobalAlignedOp, sm::BitPackOp,
             sm::PointerOp>(op);
}

/// A name from the source, not just a hint.
static bool hasStrongName(Operation *op) {
  StringRef name = nameOf(op->getLoc());
  return !name.empty() && !name.starts_with("~");
}

/// Integer ops on a variable and a constant read better in place, even twice.
static bool isCheap(Operation *op) {
  if (!isa<arith::MulIOp, arith::AddIOp, arith::ExtSIOp>(op) ||
      op->getNumResults() != 1 ||
      std::distance(op->use_begin(), op->use_end()) > 3)
    return false;
  Value v = op->getOperand(0);
  bool leaf = isa<BlockArgument>(v) || isRead(v.getDefiningOp()) ||
              isa<sm::ThreadOp, sm::WarpOp>(v.getDefiningOp());
  if (leaf && !isa<BlockArgument>(v) && v.hasOneUse())
    leaf = false;
  return leaf &&
         (op->getNumOperands() == 1 || isa_and_nonnull<arith::ConstantOp>(
                                           op->getOperand(1).getDefiningOp()));
}

/// Ops with one use are printed there, unless they have a name, the use lies in
/// another block, or a statement between could change what they read.
void KernelEmitter::findInlined(Block &block) {
  DenseMap<Operation *, std::pair<unsigned, unsigned>> place; // place, size
  SmallVector<unsigned> effects; // positions of statements
  unsigned position = 0;
  SmallVector<Operation *> ops;
  for (Operation &op : block) {
    ops.push_back(&op);
    if (!isExpression(&op) && !isa<sm::TensorMapOp>(op))
      effects.push_back(position);
    ++position;
  }
  DenseMap<Operation *, unsigned> order;
  for (auto [i, op] : llvm::enumerate(ops))
    order[op] = i;
  for (size_t i = ops.size(); i-- > 0;) {
    Operation *op = ops[i];
    place[op] = {i, 1};
    if (!isExpression(op) || isa<arith::ConstantOp>(op))
      continue;
    bool unpack = isa<sm::UnpackOp>(op);
    if (!unpack && isCheap(op) && !hasStrongName(op)) {
      inlined.insert(op);
      continue;
    }
    if (!unpack && (!op->hasOneUse() || hasStrongName(op) ||
                    isa<sm::UnpackOp>(*op->user_begin())))
      continue;
    if (unpack && !llvm::all_of(op->getResults(), [&](Value v) {
          return v.hasOneUse() || v.use_empty();
        }))
      continue;
    bool here = true;
    unsigned first = ~0u, size = 1;
    for (Operation *user : op->getUsers()) {
      here &= user->getBlock() == &block &&
              !isa<scf::YieldOp, scf::ConditionOp, scf::WhileOp>(user);
      if (!here)
        break;
      first = std::min(first, place[user].first);
      size += place[user].second;
    }
    if (!here || (!unpack && size > 10))
      continue;
    // A loop or branch evaluates its operands before its body.
    if (isRead(op) || unpack) {
      auto between = llvm::upper_bound(effects, unsigned(i));
      if (isRead(op) && between != effects.end() && *between < first)
        continue;
    }
    if (isRead(op) && isa<scf::ForOp>(*op->user_begin()))
      continue;
    inlined.insert(op);
    place[op] = {first, unpack ? 1 : size};
  }
}

bool KernelEmitter::isInlined(Value v) const {
  Operation *op = v.getDefiningOp();
  return op && (inlined.contains(op) || isa<arith::ConstantOp>(op));
}

Expr KernelEmitter::expr(Value v) {
  if (names.contains(v))
    return {names[v], kPrimary};
  Operation *op = v.getDefiningOp();
  assert(op && "value without a name");
  return inlineExpr(op, cast<OpResult>(v).getResultNumber());
}

std::string KernelEmitter::operand(Value v, Precedence at) {
  Expr e = expr(v);
  return e.precedence < at ? "(" + e.text + ")" : e.text;
}

Expr KernelEmitter::call(StringRef function, ValueRange args) {
  std::string text = (function + "(").str();
  for (auto [i, arg] : llvm::enumerate(args))
    text += (i ? ", " : "") + expr(arg).text;
  return {text + ")"};
}

/// Same-level operands of bit operators and shifts get parentheses too: nobody
/// knows that table by heart.
Expr KernelEmitter::binary(Operation *op, StringRef symbol, Precedence p) {
  bool plain =
      p == kSum || p == kProduct || p == kLogicalAnd || p == kLogicalOr;
  bool chain = isa<arith::AddIOp, arith::MulIOp>(op) || p == kLogicalAnd ||
               p == kLogicalOr;
  auto left = plain ? p : kUnary, right = Precedence(plain ? p + 1 : kUnary);
  if (chain)
    right = p;
  if (p == kEquality || p == kRelational)
    left = right = kShift;
  // The other operand is wide already: C++ converts this one.
  Value second = op->getOperand(1);
  auto extend = second.getDefiningOp<arith::ExtSIOp>();
  if (extend && inlined.contains(extend) &&
      !extend.getIn().getType().isInteger(1) &&
      isa<arith::AddIOp, arith::MulIOp>(op))
    second = extend.getIn();
  return {operand(op->getOperand(0), left) + " " + symbol.str() + " " +
              operand(second, right),
          p};
}

//===----------------------------------------------------------------------===//
// Constants and casts
//===----------------------------------------------------------------------===//

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

Expr KernelEmitter::castExpr(Operation *op) {
  Value in = op->getOperand(0);
  Type from = in.getType(), to = op->getResult(0).getType();
  if (isa<arith::ExtFOp>(op) && from.getIntOrFloatBitWidth() < 32) {
    prelude.use(toFloatEntry(from));
    Expr e = call("to_f32", in);
    return to.isF32() ? e : Expr{"(double)" + e.text, kUnary};
  }
  if (isa<arith::TruncFOp>(op) && to.getIntOrFloatBitWidth() < 32) {
    std::string name = "to_" + typeName(to);
    prelude.use(name);
    if (from.isF64())
      return {name + "((float)" + operand(in, kUnary) + ")"};
    return call(name, in);
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

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

Expr KernelEmitter::element(Value array, ValueRange indices) {
  std::string text = names[array];
  for (Value index : indices) {
    // An index need not be wide.
    auto extend = index.getDefiningOp<arith::ExtSIOp>();
    if (extend && inlined.contains(extend) &&
        !extend.getIn().getType().isInteger(1))
      index = extend.getIn();
    text += "[" + expr(index).text + "]";
  }
  return {text};
}

Expr KernelEmitter::globalAddress(Value buffer, Value index) {
  APInt constant;
  if (matchPattern(index, m_ConstantInt(&constant)) && constant.isZero())
    return {names[buffer]};
  return {names[buffer] + " + " + operand(index, kSum), kSum};
}

/// Integers and floats of up to 32 bits as the words that accesses move.
Expr KernelEmitter::bits(Value v) {
  Type type = v.getType();
  if (isa<VectorType>(type))
    return expr(v);
  if (type.isF32())
    return call("__float_as_uint", v);
  if (isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32)
    return {operand(v, kPrimary) + ".bits"};
  return expr(v);
}

/// Words joined into what an access of that many bits takes.
static Expr joinWords(Prelude &prelude, ArrayRef<std::string> words) {
  if (words.size() == 1)
    return {words.front()};
  std::string type = words.size() == 2 ? "u32x2" : "u32x4";
  prelude.use(type);
  return {type + "{" + llvm::join(words, ", ") + "}"};
}

Expr KernelEmitter::packExpr(sm::PackOp op) {
  Type element = op.getResult().getType().getElementType();
  ValueRange values = op.getValues();
  SmallVector<std::string> words;
  size_t each = std::max<int64_t>(1, 32 / bitsOf(element));
  if (bitsOf(element) == 64) {
    for (Value v : values) {
      std::string text = element.isF64() ? call("__double_as_longlong", v).text
                                         : operand(v, kUnary);
      words.push_back("(u32)" + (element.isF64() ? text : text));
      words.push_back("(u32)(" + text + " >> 32)");
    }
    return joinWords(prelude, words);
  }
  for (size_t i = 0; i < values.size(); i += each) {
    ValueRange part = values.slice(i, std::min(each, values.size() - i));
    if (each == 1) {
      words.push_back(part[0].getType().isF32()
                          ? call("__float_as_uint", part).text
                          : "(u32)" + operand(part[0], kUnary));
    } else if (each == 2 && part[0].getType().isF32()) {
      std::string name = element.isBF16() ? "pack_bf16" : "pack_f16";
      prelude.use(name);
      words.push_back(call(name, part).text);
    } else if (each == 2) {
      prelude.use("pack_u16");
      words.push_back("pack_u16(" + bits(part[0]).text + ", " +
                      bits(part[1]).text + ")");
    } else {
      prelude.use("pack_u8");
      std::string text = "pack_u8(";
      for (size_t k = 0; k < 4; ++k)
        text += (k ? ", " : "") + (k < part.size() ? bits(part[k]).text : "0");
      words.push_back(text + ")");
    }
  }
  return joinWords(prelude, words);
}

Expr KernelEmitter::unpackExpr(sm::UnpackOp op, unsigned i) {
  Type element = op.getVector().getType().getElementType();
  Type to = op.getResult(i).getType();
  int64_t total = bitsOf(op.getVector().getType());
  int64_t at = i * bitsOf(element);
  std::string word = operand(op.getVector(), kPrimary);
  if (total > 32)
    word += std::string(".") + "xyzw"[at / 32];
  if (element.isF32())
    return {"__uint_as_float(" + word + ")"};
  if (bitsOf(element) == 32)
    return {"(int)" + word, kUnary};
  bool high = at % 32 != 0;
  if (to.isF32()) {
    std::string name =
        std::string(element.isBF16() ? "bf16" : "f16") + (high ? "_hi" : "_lo");
    prelude.use(name);
    return {name + "(" + word + ")"};
  }
  std::string shifted =
      high ? "(" + word + " >> " + llvm::itostr(at % 32) + ")" : word;
  if (bitsOf(element) == 64) {
    std::string base = operand(op.getVector(), kPrimary);
    std::string lo = word, hi = base + "." + "xyzw"[at / 32 + 1];
    std::string joined =
        "(long long)((unsigned long long)" + hi + " << 32 | " + lo + ")";
    if (element.isF64())
      return {"__longlong_as_double(" + joined + ")"};
    return {joined, kUnary};
  }
  if (isa<FloatType>(element)) {
    std::string type = typeName(element);
    prelude.use(type);
    std::string raw = bitsOf(element) == 16 ? "u16" : "unsigned char";
    return {type + "{(" + raw + ")" + shifted + "}"};
  }
  return {"(" + typeName(element) + ")" + shifted, kUnary};
}

Expr KernelEmitter::accessExpr(Operation *op) {
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    Expr e = element(load.getBuffer(), load.getIndices());
    return e;
  }
  if (auto load = dyn_cast<sm::LdSharedOp>(op)) {
    Type type = load.getResult().getType();
    std::string name = "ld_shared_b" + llvm::itostr(bitsOf(type));
    Expr e;
    if (bitsOf(type) == 64 && !isa<VectorType>(type))
      return {};
    prelude.use(name);
    e = call(name, load.getAddress());
    if (type.isF32())
      return {"__uint_as_float(" + e.text + ")"};
    if (isa<FloatType>(type)) {
      prelude.use(typeName(type));
      return {typeName(type) + "{" + e.text + "}"};
    }
    if (!isa<VectorType>(type) && !type.isInteger(8))
      return {"(" + typeName(type) + ")" + e.text, kUnary};
    return e;
  }
  auto load = cast<sm::LdGlobalOp>(op);
  Type type = load.getResult().getType();
  Expr e;
  if (isa<VectorType>(type)) {
    std::string name = "ld_global_b" + llvm::itostr(bitsOf(type));
    prelude.use(name);
    e = {name + "(" + globalAddress(load.getBuffer(), load.getIndex()).text +
         ")"};
  } else {
    e = element(load.getBuffer(), load.getIndex());
  }
  if (!load.getPredicate())
    return e;
  std::string zero = typeName(type);
  zero = isa<IntegerType>(type) || type.isF32() || type.isF64()
             ? (type.isF32() ? "0.0f" : "0")
             : zero + "{}";
  return {operand(load.getPredicate(), kLogicalOr) + " ? " + e.text + " : " +
              zero,
          kTernary};
}

Expr KernelEmitter::inlineExpr(Operation *op, unsigned result) {
  StringRef dialect = op->getName().getDialectNamespace();
  if (dialect == "arith") {
    Expr e = arithExpr(op);
    // C++ computes narrow integers as int; wrap to their width.
    Type type = op->getResult(0).getType();
    bool wraps =
        isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ShLIOp>(op);
    if (wraps && (type.isInteger(8) || type.isInteger(16)))
      return {"(" + typeName(type) + ")(" + e.text + ")", kUnary};
    return e;
  }
  if (dialect == "math")
    return mathExpr(op);
  if (isRead(op))
    return accessExpr(op);
  if (auto pack = dyn_cast<sm::PackOp>(op))
    return packExpr(pack);
  if (auto unpack = dyn_cast<sm::UnpackOp>(op))
    return unpackExpr(unpack, result);
  if (auto thread = dyn_cast<sm::ThreadOp>(op)) {
    if (thread.getFirst() == 0)
      return {"(int)threadIdx.x", kUnary};
    return {"(int)threadIdx.x - " + llvm::itostr(thread.getFirst()), kSum};
  }
  if (auto warp = dyn_cast<sm::WarpOp>(op)) {
    if (warp.getFirst() == 0)
      return {warpName};
    return {warpName + " - " + llvm::itostr(warp.getFirst()), kSum};
  }
  if (auto desc = dyn_cast<sm::WgmmaDescOp>(op)) {
    prelude.use("wgmma_desc");
    return {"wgmma_desc(" + expr(desc.getAddress()).text + ", 0x" +
            llvm::utohexstr(desc.getBits(), true) + "ull)"};
  }
  if (auto quad = dyn_cast<sm::QuadTransposeOp>(op)) {
    prelude.use("quad_transpose");
    return call("quad_transpose", quad.getVector());
  }
  if (auto aligned = dyn_cast<sm::GlobalAlignedOp>(op)) {
    prelude.use("is_aligned");
    return {"is_aligned(" + names[aligned.getBuffer()] + ", " +
            llvm::itostr(aligned.getBytes()) + ")"};
  }
  if (auto pack = dyn_cast<sm::BitPackOp>(op)) {
    ValueRange v = pack.getValues();
    if (v.size() == 1)
      return v[0].getType().isF32() ? call("__float_as_uint", v) : expr(v[0]);
    std::string name = v.size() == 2 ? "pack_u16" : "pack_u8";
    prelude.use(name);
    std::string text = name + "(";
    for (auto [i, part] : llvm::enumerate(v))
      text += (i ? ", " : "") + bits(part).text;
    return {text + ")"};
  }
  auto pointer = cast<sm::PointerOp>(op);
  Type element = pointer.getElement();
  std::string text;
  if (pointer.getAddress()) {
    prelude.use("generic_pointer");
    text = call("generic_pointer", pointer.getAddress()).text;
  } else if (pointer.getIndex()) {
    text =
        "(" + globalAddress(pointer.getBuffer(), pointer.getIndex()).text + ")";
  } else {
    text = names[pointer.getBuffer()];
  }
  if (element.isF32() || element.isF64() || isa<IntegerType>(element))
    return {"(" + typeName(element) + " *)" + text, kUnary};
  prelude.use("AnyPointer");
  return {"AnyPointer{(void *)" + text + "}"};
}
