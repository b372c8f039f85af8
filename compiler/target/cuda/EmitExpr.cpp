// Expressions: types, which ops are printed where they are used, dispatch.
#include "compiler/target/cuda/KernelEmitter.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringExtras.h"

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
