// One scalar node for one thread.
#include "compiler/interp/TileInterpMachine.h"

#include <cmath>

using namespace mlir;
using namespace tlc::interp;
namespace tile = tlc::tile;

void Machine::failIndex(const Node &node, const Buffer &buffer,
                        uint32_t bufferId, unsigned dim, int64_t index) {
  fail(node, "index " + std::to_string(index) + " is outside dimension " +
                 std::to_string(dim) + " of '" +
                 tile::getBufferName(program.buffers[bufferId].value) +
                 "', which has " + std::to_string(buffer.shape[dim]));
}

/// The element that a load or store names; null outside a global tensor, which
/// is an error if the access claims to be inside, and after an error.
uint8_t *Machine::address(const Node &node, uint32_t thread) {
  const Access &access = program.accesses[node.aux];
  const Buffer &b = buffers[access.buffer];
  int64_t offset = 0;
  for (uint32_t d = 0; d < b.rank; ++d) {
    int64_t i = at(access.indices[d], thread).i;
    if (static_cast<uint64_t>(i) >= static_cast<uint64_t>(b.shape[d])) {
      bool claimed = node.code != Code::Atomic && node.sub;
      if (b.space != tile::Space::Global || claimed)
        failIndex(node, b, access.buffer, d, i);
      return nullptr;
    }
    offset += i * b.strides[d];
  }
  return b.data + thread * b.copyBytes + offset * sizeOf(b.elem);
}

Cell tlc::interp::combineAtomic(tile::AtomicKind kind, Elem elem, Cell old,
                                Cell value) {
  bool isMax = kind == tile::AtomicKind::Max;
  if (isFloat(elem)) {
    if (kind != tile::AtomicKind::Add)
      return value; // store: floats have nothing else
    if (elem == Elem::F64)
      old.d += value.d;
    else
      old.f = roundTo(elem, old.f + value.f);
    return old;
  }
  unsigned bits = intBits(elem);
  bool less = isUnsigned(elem)
                  ? zeroExtend(old.i, bits) < zeroExtend(value.i, bits)
                  : old.i < value.i;
  switch (kind) {
  case tile::AtomicKind::Add:
    old.i = wrapInt(
        static_cast<uint64_t>(old.i) + static_cast<uint64_t>(value.i), bits);
    return old;
  case tile::AtomicKind::Or:
    old.i |= value.i;
    return old;
  case tile::AtomicKind::Max:
  case tile::AtomicKind::Min:
    return less == isMax ? value : old;
  default:
    return value;
  }
}

/// Threads follow each other, so nothing else is needed.
void Machine::atomic(const Node &node, uint32_t thread) {
  auto kind = static_cast<tile::AtomicKind>(node.sub);
  uint8_t *p = address(node, thread);
  Cell old = p ? decode(node.elem, p) : Cell{0};
  if (p && kind != tile::AtomicKind::Load)
    encode(node.elem, p,
           combineAtomic(kind, node.elem, old, at(node.a, thread)));
  dst(node, thread) = old;
}

static bool compareInts(arith::CmpIPredicate predicate, int64_t a, int64_t b,
                        unsigned bits) {
  using P = arith::CmpIPredicate;
  uint64_t ua = zeroExtend(a, bits), ub = zeroExtend(b, bits);
  if (bits == 1) { // true is -1 as a signed value
    a = -a;
    b = -b;
  }
  switch (predicate) {
  case P::eq:
    return a == b;
  case P::ne:
    return a != b;
  case P::slt:
    return a < b;
  case P::sle:
    return a <= b;
  case P::sgt:
    return a > b;
  case P::sge:
    return a >= b;
  case P::ult:
    return ua < ub;
  case P::ule:
    return ua <= ub;
  case P::ugt:
    return ua > ub;
  case P::uge:
    return ua >= ub;
  }
  return false;
}

static bool compareFloats(arith::CmpFPredicate predicate, double a, double b) {
  using P = arith::CmpFPredicate;
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case P::AlwaysFalse:
    return false;
  case P::AlwaysTrue:
    return true;
  case P::OEQ:
    return a == b;
  case P::OGT:
    return a > b;
  case P::OGE:
    return a >= b;
  case P::OLT:
    return a < b;
  case P::OLE:
    return a <= b;
  case P::ONE:
    return !unordered && a != b;
  case P::ORD:
    return !unordered;
  case P::UEQ:
    return unordered || a == b;
  case P::UGT:
    return unordered || a > b;
  case P::UGE:
    return unordered || a >= b;
  case P::ULT:
    return unordered || a < b;
  case P::ULE:
    return unordered || a <= b;
  case P::UNE:
    return unordered || a != b;
  case P::UNO:
    return unordered;
  }
  return false;
}

void Machine::step(const Node &n, uint32_t t) {
  switch (n.code) {
  case Code::Move:
    dst(n, t) = at(n.a, t);
    return;
  case Code::AddI:
    dst(n, t).i = wrapInt(static_cast<uint64_t>(at(n.a, t).i) +
                              static_cast<uint64_t>(at(n.b, t).i),
                          intBits(n.elem));
    return;
  case Code::MulI:
    dst(n, t).i = wrapInt(static_cast<uint64_t>(at(n.a, t).i) *
                              static_cast<uint64_t>(at(n.b, t).i),
                          intBits(n.elem));
    return;
  case Code::CmpI:
    dst(n, t).i = compareInts(static_cast<arith::CmpIPredicate>(n.sub),
                              at(n.a, t).i, at(n.b, t).i, intBits(n.elem));
    return;
  case Code::Select:
    dst(n, t) = at(n.a, t).i ? at(n.b, t) : at(n.c, t);
    return;
  case Code::Load: {
    const uint8_t *p = address(n, t);
    dst(n, t) = p ? decode(n.elem, p) : Cell{0};
    return;
  }
  case Code::Store:
    if (uint8_t *p = address(n, t))
      encode(n.elem, p, at(n.a, t));
    return;
  case Code::Atomic:
    return atomic(n, t);
  case Code::ThreadId: {
    int64_t x = launch->threads[0], y = launch->threads[1];
    int64_t id[3] = {t % x, t / x % y, t / (x * y)};
    dst(n, t).i = id[n.sub];
    return;
  }
  case Code::Copy:
    return copy(n, t);
  case Code::Fill:
    return fill(n, t);
  case Code::Gemm:
    return gemm(n, t);
  default: {
    bool math = n.code == Code::UnaryMath || n.code == Code::BinaryMath;
    if (!evaluateScalar(n, math ? &program.functions[n.aux] : nullptr,
                        at(n.a, t), at(n.b, t), at(n.c, t), dst(n, t)))
      fail(n, "integer division by zero");
  }
  }
}

static int64_t floorDiv(int64_t a, int64_t b) {
  int64_t q = a / b;
  return q - (a % b != 0 && (a < 0) != (b < 0));
}

static bool evaluateInt(const Node &n, Cell ca, Cell cb, Cell &result) {
  unsigned bits = intBits(n.elem);
  int64_t a = ca.i, b = cb.i;
  uint64_t ua = zeroExtend(a, bits), ub = zeroExtend(b, bits);
  uint64_t r = 0;
  if (n.code >= Code::DivSI && n.code <= Code::CeilDivUI) {
    if (b == 0)
      return false;
    // The one quotient that does not fit wraps; C++ leaves it undefined.
    if (b == -1 && n.code != Code::DivUI && n.code != Code::RemUI &&
        n.code != Code::CeilDivUI) {
      bool remainder = n.code == Code::RemSI;
      result.i = remainder ? 0 : wrapInt(-static_cast<uint64_t>(a), bits);
      return true;
    }
  }
  switch (n.code) {
  case Code::AddI:
    r = static_cast<uint64_t>(a) + static_cast<uint64_t>(b);
    break;
  case Code::MulI:
    r = static_cast<uint64_t>(a) * static_cast<uint64_t>(b);
    break;
  case Code::SubI:
    r = static_cast<uint64_t>(a) - static_cast<uint64_t>(b);
    break;
  case Code::DivSI:
    r = a / b;
    break;
  case Code::DivUI:
    r = ua / ub;
    break;
  case Code::RemSI:
    r = a % b;
    break;
  case Code::RemUI:
    r = ua % ub;
    break;
  case Code::FloorDivSI:
    r = floorDiv(a, b);
    break;
  case Code::CeilDivSI:
    r = floorDiv(a, b) + (a % b != 0);
    break;
  case Code::CeilDivUI:
    r = ua / ub + (ua % ub != 0);
    break;
  case Code::AndI:
    r = a & b;
    break;
  case Code::OrI:
    r = a | b;
    break;
  case Code::XorI:
    r = a ^ b;
    break;
  case Code::ShlI: // PTX shifts by at least the width give 0 or the sign
    r = ub < bits ? ua << ub : 0;
    break;
  case Code::ShrSI:
    r = a >> std::min<uint64_t>(ub, 63);
    break;
  case Code::ShrUI:
    r = ub < bits ? ua >> ub : 0;
    break;
  case Code::MinSI:
    r = std::min(a, b);
    break;
  case Code::MaxSI:
    r = std::max(a, b);
    break;
  case Code::MinUI:
    r = std::min(ua, ub);
    break;
  case Code::MaxUI:
    r = std::max(ua, ub);
    break;
  case Code::AbsI:
    r = a < 0 ? -static_cast<uint64_t>(a) : a;
    break;
  case Code::NegI:
    r = -static_cast<uint64_t>(a);
    break;
  default:
    llvm_unreachable("not an integer node");
  }
  result.i = wrapInt(r, bits);
  return true;
}

template <typename T> static T floatResult(Code code, T a, T b, T c) {
  switch (code) {
  case Code::AddF:
    return a + b;
  case Code::SubF:
    return a - b;
  case Code::MulF:
    return a * b;
  case Code::DivF:
    return a / b;
  case Code::RemF:
    return std::fmod(a, b);
  case Code::NegF:
    return -a;
  case Code::MaximumF:
    return std::isnan(a) ? a : std::isnan(b) ? b : std::max(a, b);
  case Code::MinimumF:
    return std::isnan(a) ? a : std::isnan(b) ? b : std::min(a, b);
  case Code::MaxNumF:
    return std::fmax(a, b);
  case Code::MinNumF:
    return std::fmin(a, b);
  case Code::Fma:
    return std::fma(a, b, c);
  default:
    llvm_unreachable("not a float node");
  }
}

static void evaluateFloat(const Node &n, Cell a, Cell b, Cell c, Cell &result) {
  bool wide = n.elem == Elem::F64;
  if (n.code == Code::CmpF)
    result.i = compareFloats(static_cast<arith::CmpFPredicate>(n.sub),
                             wide ? a.d : a.f, wide ? b.d : b.f);
  else if (wide)
    result.d = floatResult(n.code, a.d, b.d, c.d);
  else
    result.f = roundTo(n.elem, floatResult(n.code, a.f, b.f, c.f));
}

static void evaluateMath(const Node &n, const MathFunction &fn, Cell a, Cell b,
                         Cell &result) {
  bool unary = n.code == Code::UnaryMath;
  if (n.elem == Elem::F64)
    result.d = unary ? fn.f64(a.d) : fn.f64x2(a.d, b.d);
  else
    result.f = roundTo(n.elem, unary ? fn.f32(a.f) : fn.f32x2(a.f, b.f));
}

bool tlc::interp::evaluateScalar(const Node &n, const MathFunction *function,
                                 Cell a, Cell b, Cell c, Cell &result) {
  Elem from = static_cast<Elem>(n.sub);
  switch (n.code) {
  case Code::Move:
    result = a;
    return true;
  case Code::CmpI:
    result.i = compareInts(static_cast<arith::CmpIPredicate>(n.sub), a.i, b.i,
                           intBits(n.elem));
    return true;
  case Code::Select:
    result = a.i ? b : c;
    return true;
  case Code::UnaryMath:
  case Code::BinaryMath:
    evaluateMath(n, *function, a, b, result);
    return true;
  case Code::ExtUI:
    result.i = static_cast<int64_t>(zeroExtend(a.i, intBits(from)));
    return true;
  case Code::WrapI:
    result.i = wrapInt(a.i, intBits(n.elem));
    return true;
  case Code::Convert:
    result = convert(a, from, n.elem);
    return true;
  case Code::Bitcast: { // through memory
    uint8_t bytes[8] = {};
    encode(from, bytes, a);
    result = decode(n.elem, bytes);
    return true;
  }
  default:
    if (n.code < Code::AddF && n.code != Code::CmpF)
      return evaluateInt(n, a, b, result);
    evaluateFloat(n, a, b, c, result);
    return true;
  }
}
