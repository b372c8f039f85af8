// Elements, addresses, vectors of elements and loads as C++ expressions.
#include "compiler/target/cuda/KernelEmitter.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::cuda;

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
